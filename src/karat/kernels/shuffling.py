"""The number of pairs of items joined by both sides when labels are shuffled."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karat.kernels import twin

Ints = NDArray[np.int64]


@twin
def joined_after_shuffles(classes: Ints, clusters: Ints, rng: np.random.Generator, many: int) -> Ints:
    """The number of pairs of items that both sides join, in each of many shuffles.

    classes and clusters are sizes with the same sum. Each shuffle equals one call of rng.permutation() on the
    labels of all items, sorted by class.
    """
    labels, blocks = (np.repeat(np.arange(sizes.size), sizes) for sizes in (classes, clusters))
    joined = np.empty(many, dtype=np.int64)
    for index in range(many):
        keys = rng.permutation(labels) * clusters.size + blocks
        counts = np.unique(keys, return_counts=True)[1]
        joined[index] = (counts * (counts - 1) // 2).sum()
    return joined


def joined_at_random(classes: Ints, clusters: Ints, rng: np.random.Generator, many: int) -> Ints:
    """joined_after_shuffles(), compiled if this NumPy shuffles as the compiled loop does."""
    function: Any = joined_after_shuffles if _agree() else joined_after_shuffles.twin  # type: ignore[attr-defined]
    return function(classes, clusters, rng, many)  # type: ignore[no-any-return]


@cache
def _agree() -> bool:
    """Whether the compiled loop shuffles as this NumPy does; NumPy's algorithm may change."""
    sizes = np.array([40, 7, 30, 23]), np.array([50, 3, 47])
    functions = (joined_after_shuffles, joined_after_shuffles.twin)  # type: ignore[attr-defined]
    first, second = (function(*sizes, np.random.default_rng(1), 5) for function in functions)
    return bool((first == second).all())
