# cython: language_level=3, boundscheck=False, wraparound=False
# cython: freethreading_compatible=True
"""Numbering Python objects."""

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
    i: cython.Py_ssize_t
    entry: cython.pointer[PyObject]
    for i in range(len(values)):
        value = values[i]
        entry = PyDict_GetItemWithError(seen, value)
        if entry == cython.NULL:
            seen[value] = known
            code[i] = known
            known += 1
        else:
            code[i] = cython.cast(object, entry)
    return codes, list(seen)
