# cython: language_level=3, boundscheck=False, wraparound=False
# cython: freethreading_compatible=True
"""Types and numbers of Python objects."""

import cython
import numpy as np
from cython.cimports.cpython.dict import PyDict_GetItemWithError
from cython.cimports.cpython.ref import PyObject


def number_objects(values: list):
    """See the twin."""
    codes = np.empty(len(values), dtype=np.int64)
    code: cython.longlong[::1] = codes
    seen: dict = {}
    known: cython.longlong = 0
    i: cython.Py_ssize_t = 0
    size: cython.Py_ssize_t = len(values)
    entry: cython.pointer[PyObject]
    for value in values:  # comparing two objects runs their own code, which may change the list
        if i == size:
            break
        entry = PyDict_GetItemWithError(seen, value)
        if entry == cython.NULL:
            seen[value] = known
            code[i] = known
            known += 1
        else:
            code[i] = cython.cast(object, entry)
        i += 1
    if i != size or len(values) != size:
        raise RuntimeError("the labels changed while they were counted")
    return codes, list(seen)


def types_of(values):
    """See the twin."""
    kinds: set = set()
    last: object = None
    for value in values:
        if type(value) is not last:
            last = type(value)
            kinds.add(last)
    return kinds
