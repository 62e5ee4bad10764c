"""Sums, maxima and counts of plain arrays."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karat.kernels import twin
from karat.kernels.counting import histogram

Ints = NDArray[np.int64]
FEW = 32  # values that Python counts faster than NumPy, whose calls take microseconds each


def tally(values: Ints) -> tuple[Ints, Ints]:
    """The distinct values, all positive, in increasing order, and how often each occurs."""
    if values.size <= FEW:
        times = Counter(values.tolist())
        distinct = sorted(times)
        return np.array(distinct, dtype=np.int64), np.array([times[value] for value in distinct], dtype=np.int64)
    high = int(values.max())
    if high > 2 * values.size + 1024:
        return np.unique(values, return_counts=True)
    counted = histogram(values, 0, high + 1, 0, values.size)
    present = counted.nonzero()[0]
    return present, counted[present]


@twin
def add_by_code(codes: Ints, counts: Ints, size: int) -> Ints:
    """The sum of the counts of each code below size."""
    totals = np.zeros(size, dtype=np.int64)
    np.add.at(totals, codes, counts)
    return totals


@twin
def best_by_code(codes: Ints, values: NDArray[Any], size: int) -> NDArray[Any]:
    """The largest value of each code below size, at least 0."""
    best = np.zeros(size, dtype=values.dtype)
    np.maximum.at(best, codes, values)
    return best


@twin
def sums_by_exponent(values: NDArray[np.float64]) -> Ints:
    """Per exponent e, at index e + 1100, sums of i >> 27 and i & (2^27-1), with i = value * 2^(53-e).

    The sums are integers, so they are exact in any order, for up to 2^36 values.
    """
    mantissa, exponent = np.frexp(values)
    integers, index = np.ldexp(mantissa, 53).astype(np.int64), exponent.astype(np.int64) + 1100
    return np.stack([add_by_code(index, part, 2200) for part in (integers >> 27, integers & 0x7FFFFFF)])
