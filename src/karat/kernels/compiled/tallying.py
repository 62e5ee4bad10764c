# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# cython: freethreading_compatible=True
"""Sums and maxima of plain arrays."""

import cython
import numpy as np
from cython.cimports.libc.math import frexp, ldexp


def add_by_code(codes, counts, size):
    """See the twin."""
    code: cython.const[cython.longlong][::1] = codes
    count: cython.const[cython.longlong][::1] = counts
    totals = np.zeros(size, dtype=np.int64)
    total: cython.longlong[::1] = totals
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(code.shape[0]):
            total[code[i]] += count[i]
    return totals


Value = cython.fused_type(cython.longlong, cython.double)


def best_by_code(codes, values: cython.const[Value][::1], size):
    """See the twin."""
    code: cython.const[cython.longlong][::1] = codes
    largest = np.zeros(size, dtype=np.asarray(values).dtype)
    best: Value[::1] = largest
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(code.shape[0]):
            if values[i] > best[code[i]]:
                best[code[i]] = values[i]
    return largest


def sums_by_exponent(values):
    """See the twin."""
    value: cython.const[cython.double][::1] = values
    sums = np.zeros((2, 2200), dtype=np.int64)
    total: cython.longlong[:, ::1] = sums
    exponent: cython.int
    integer: cython.longlong
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(value.shape[0]):
            integer = cython.cast(cython.longlong, ldexp(frexp(value[i], cython.address(exponent)), 53))
            total[0, exponent + 1100] += integer >> 27
            total[1, exponent + 1100] += integer & 0x7FFFFFF
    return sums
