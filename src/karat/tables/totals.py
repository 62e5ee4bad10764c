"""How many items a table may have, and numbers of items that are counted exactly."""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from karat.errors import Option, TableError
from karat.labels.weights import check_weights
from karat.tables.profile import Exact, exact_sum

Ints: TypeAlias = NDArray[np.int64]

LIMIT = 1 << 62  # items in a table, so that the sum of two margins fits 64 bits


def total_of(weights: NDArray[Any]) -> float | Exact:
    """The sum of weights, exact for integers and fractions, infinite if it is beyond floats."""
    if weights.dtype.kind != "f":
        return exact_sum(weights)
    with np.errstate(over="ignore"):
        return float(weights.sum())


def check_total(total: float | Exact) -> None:
    """Raise TableError if there are more items than can be counted exactly."""
    if not total < LIMIT:
        number = float(total)
        remedy = "scale them down" if math.isfinite(number) else "give finite numbers"
        raise TableError(f"the cells add up to {number:.3g}; karat counts fewer than 2^62 (4.6e18) items, so {remedy}.")


def check_counts(values: Any, size: int | None, column: str) -> Ints:
    """The numbers of items in a column as integers; fractions, and too many items, are refused."""
    counts = check_weights(values, size)
    check_total(total_of(counts))
    if counts.dtype.kind in "fO" and (counts % 1).any():
        raise TableError(Option("count", (column,)), " has fractions; give whole numbers of items, or use weights.")
    return counts.astype(np.int64)
