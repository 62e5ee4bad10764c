"""Moves of items to other clusters, many at once: the changes that each makes, from which statistics are updated."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from karat.tables.table import Table

Array: TypeAlias = NDArray[Any]


class LargestParts(NamedTuple):
    """The change of the items in largest parts, and the size of the largest cluster after each move."""

    by_cluster: Array  # the change of the items in the largest parts of clusters
    by_class: Array  # the change of the items in the largest parts of classes
    cluster: Array


class Moves(ABC):
    """Many possible changes of one clustering, each considered on its own; arrays have one element per move.

    Methods that return two arrays give the change of mixed clusters first, then that of split classes.
    """

    table: Table  # before any move
    exact: bool  # whether changes of numbers of pairs are exact integers

    @property
    @abstractmethod
    def clusters(self) -> Array:
        """The change of the number of clusters."""

    @abstractmethod
    def entropies(self) -> tuple[Array, Array]:
        """The changes of n H(C|K) and n H(K|C), in nats."""

    @abstractmethod
    def pairs(self) -> tuple[Array, Array]:
        """The changes of the numbers of pairs joined by the clustering only, and by gold only."""

    @abstractmethod
    def shares(self) -> tuple[Array, Array]:
        """The changes of the sums over items of the share of their cluster, or class, that is in their cell."""

    @abstractmethod
    def largest_parts(self) -> LargestParts:
        """The changes of largest parts, and the size of the largest cluster."""

    @abstractmethod
    def cluster_total(self, f: Callable[[Array], Array]) -> Array:
        """The change of the sum over clusters of f(size)."""

    @abstractmethod
    def columns(self, index: int) -> NDArray[np.int64]:
        """The cluster of each cell after one of the moves."""
