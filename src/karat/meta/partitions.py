"""All partitions of a few items, and the contingency table of two partitions."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.int64]


@cache
def partitions(n: int) -> tuple[tuple[int, ...], ...]:
    """All partitions of n items, each as the block of every item (restricted growth strings).

    >>> len(partitions(5)), partitions(2)
    (52, ((0, 0), (0, 1)))
    """
    return tuple(_grown(n))


def _grown(n: int) -> Iterator[tuple[int, ...]]:
    if n == 1:
        yield (0,)
        return
    for rest in partitions(n - 1):
        for block in range(max(rest) + 2):
            yield (*rest, block)


def crossed(gold: tuple[int, ...] | NDArray[np.int64], pred: tuple[int, ...] | NDArray[np.int64]) -> Matrix:
    """The contingency table of two partitions of the same items."""
    table = np.zeros((max(gold) + 1, max(pred) + 1), dtype=np.int64)
    np.add.at(table, (np.asarray(gold), np.asarray(pred)), 1)
    return table
