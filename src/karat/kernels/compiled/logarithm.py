# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# cython: freethreading_compatible=True
"""Logarithms as two doubles: the operations of the NumPy twin, in the same order, one number at a time."""

import cython
import numpy as np
from cython.cimports.libc.math import frexp, rint


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def log_of(x: cython.double, table: cython.pointer[cython.const[cython.double]], size: cython.Py_ssize_t) -> Pair:
    """The logarithm of one number; the table holds high parts, then low parts."""
    exponent: cython.int
    k: cython.int
    mantissa: cython.double = frexp(x, cython.address(exponent))
    rounded: cython.double = rint(mantissa * 1024)
    index: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, rounded)
    centre: cython.double = rounded / 1024
    away: cython.double = mantissa - centre
    r: cython.double = away / centre
    product: Pair = two_product(r, centre)
    r_low: cython.double = ((away - product.high) - product.low) / centre
    square: Pair = two_product(r, r)
    square.low = square.low + 2 * r * r_low
    cube: Pair = two_product(square.high, r)
    cube.low = cube.low + square.low * r + square.high * r_low
    third: cython.double = 1.0 / 3
    cube_third: Pair = two_product(cube.high, third)
    cube_third.low = cube_third.low + cube.low * third + cube.high * 1.850371707708594e-17
    tail: cython.double = 0.0
    for k in range(11, 3, -1):
        tail = r * tail + (1.0 / k if k % 2 else -1.0 / k)
    tail = tail * (square.high * square.high)
    total: Pair = two_sum(r, -square.high / 2)
    low: cython.double = total.low + (r_low - square.low / 2)
    high: Pair = two_sum(total.high, cube_third.high)
    low = low + high.low + cube_third.low + tail
    two: cython.double = -table[512]
    two_low: cython.double = -table[size + 512]
    power: Pair = two_product(exponent, two)
    low = low + power.low + exponent * two_low + table[size + index]
    total = two_sum(power.high, table[index])
    low = low + total.low
    total = two_sum(total.high, high.high)
    return two_sum(total.high, low + total.low)


def log_pairs(x, table):
    """See the twin."""
    values: cython.const[cython.double][::1] = x
    logs: cython.const[cython.double][:, ::1] = table
    first: cython.pointer[cython.const[cython.double]] = cython.address(logs[0, 0])
    size: cython.Py_ssize_t = table.shape[1]
    high = np.empty(x.size)
    low = np.empty(x.size)
    highs: cython.double[::1] = high
    lows: cython.double[::1] = low
    result: Pair
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(values.shape[0]):
            result = log_of(values[i], first, size)
            highs[i] = result.high
            lows[i] = result.low
    return high, low


def terms_of(high, low, times, table):
    """See the twin."""
    highs: cython.const[cython.double][::1] = high
    lows: cython.const[cython.double][::1] = low
    counts: cython.const[cython.double][::1] = times
    logs: cython.const[cython.double][:, ::1] = table
    first: cython.pointer[cython.const[cython.double]] = cython.address(logs[0, 0])
    size: cython.Py_ssize_t = table.shape[1]
    terms = np.empty((3, high.size))
    out: cython.double[:, ::1] = terms
    log: Pair
    weight: Pair
    product: Pair
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(highs.shape[0]):
            log = log_of(highs[i], first, size)
            log.low = log.low + lows[i] / highs[i]
            weight = two_product(counts[i], highs[i])
            weight.low = weight.low + counts[i] * lows[i]
            product = two_product(weight.high, log.high)
            out[0, i] = product.high
            out[1, i] = product.low
            out[2, i] = weight.high * log.low + weight.low * log.high
    return terms
