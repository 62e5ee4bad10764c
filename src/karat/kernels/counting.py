"""Encoding integers and counting pairs of codes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


def encode_integers(values: NDArray[Any]) -> tuple[Ints, NDArray[Any]]:
    """Codes 0..k-1 in increasing order of value, and the k distinct values."""
    low, high = int(values.min()), int(values.max())
    span = high - low + 1
    if span > max(4 * values.size, 1 << 16):
        distinct, codes = np.unique(values, return_inverse=True)
        return codes.astype(np.int64, copy=False), distinct
    # differences in 64 bits: an int8 column may span 256 values; uint64 wraps back to the right difference
    wide = np.uint64 if values.dtype.kind == "u" else np.int64
    shifted = (values.astype(wide) - wide(low)).astype(np.int64)
    present = np.zeros(span, dtype=bool)
    present[shifted] = True
    distinct = np.flatnonzero(present)
    if distinct.size == span:
        return shifted, (distinct.astype(wide) + wide(low)).astype(values.dtype)
    ranks = np.cumsum(present) - 1
    return ranks[shifted], (distinct.astype(wide) + wide(low)).astype(values.dtype)


def count_cells(
    rows: Ints, cols: Ints, shape: tuple[int, int], weights: NDArray[Any] | None = None
) -> tuple[Ints, Ints, NDArray[Any]]:
    """Distinct (row, col) in increasing order, with how often, or with what total weight, each occurs."""
    keys = rows * shape[1] + cols
    if weights is None and shape[0] * shape[1] <= max(4 * keys.size, 1 << 16):
        table = np.bincount(keys, minlength=shape[0] * shape[1])
        distinct = np.flatnonzero(table)
        counts = table[distinct]
    elif weights is None:
        distinct, counts = np.unique(keys, return_counts=True)
    else:
        distinct, counts = _sum_by_key(keys, weights)
    return distinct // shape[1], distinct % shape[1], counts


def _sum_by_key(keys: Ints, weights: NDArray[Any]) -> tuple[Ints, NDArray[Any]]:
    """Totals per key: exact for integers, correctly rounded (so in any order the same) for floats."""
    order = np.argsort(keys, kind="stable")
    keys, weights = keys[order], weights[order]
    starts = np.flatnonzero(np.diff(keys, prepend=keys[:1] - 1))
    if weights.dtype.kind == "i":
        return keys[starts], np.add.reduceat(weights, starts)
    ends = np.append(starts[1:], keys.size)
    values = weights.tolist()
    sums = [math.fsum(values[s:e]) for s, e in zip(starts.tolist(), ends.tolist(), strict=True)]
    return keys[starts], np.array(sums, dtype=np.float64)
