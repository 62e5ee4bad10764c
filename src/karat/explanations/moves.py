"""Moves: changes of a clustering, many at once, and how each changes the statistics.

A class is gathered in a cluster of its own; a cluster is split into one per class; one class is split off a cluster;
two clusters are merged. Each kind has the same methods, whose arrays have one value per move.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from karat.explanations.anatomy import Anatomy, Ints, joining
from karat.kernels.tallying import best_by_code

Array: TypeAlias = NDArray[Any]
Bits: TypeAlias = Callable[[Array], Array]  # the code length of a cluster of some size


class Largest(NamedTuple):
    """The change of the items in largest parts, and the size of the largest cluster after each move."""

    by_cluster: Array  # the change of the items in the largest parts of clusters
    by_class: Array  # the change of the items in the largest parts of classes
    cluster: Array


@dataclass(frozen=True, eq=False, repr=False)
class Moves(ABC):
    """Moves of one kind; of two arrays, the first is for mixed clusters, the second for split classes."""

    anatomy: Anatomy

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
    def elements(self) -> tuple[Array, Array]:
        """The changes of BCubed precision and recall, summed over items."""

    @abstractmethod
    def largest(self) -> Largest:
        """The changes of largest parts, and the size of the largest cluster."""

    @abstractmethod
    def bits(self, length: Bits) -> Array:
        """The change of the sum of the code lengths of clusters."""

    @abstractmethod
    def columns(self, index: int) -> Ints:
        """The cluster of each cell after one of the moves."""

    def _after(self, cells: Array, codes: Array | int) -> Ints:
        columns = self.anatomy.table.cols.copy()
        columns[cells] = codes
        return columns

    def _leaving(self, cells: Any = slice(None)) -> tuple[Array, Array, Array]:
        """If each cell leaves its cluster: the changes of BCubed precision and largest part, the items left."""
        k = self.anatomy.clusters
        h, code = k.counts[cells], k.codes[cells]
        left = k.rest[cells]
        precision = k.rest_squares[cells] / np.where(left > 0, left, 1) - k.squares[code] / k.sizes[code]
        return precision, np.where(h == k.largest[code], k.second[code] - h, 0), left


class GatherClass(Moves):
    """For each class: gather all its items in one new cluster."""

    @property
    def clusters(self) -> Array:
        c, k = self.anatomy.classes, self.anatomy.clusters
        emptied = c.total((k.parts[k.codes] == 1).astype(np.int64))
        return np.asarray(1 - emptied)

    def entropies(self) -> tuple[Array, Array]:
        c, k = self.anatomy.classes, self.anatomy.clusters
        return -c.total(joining(k.rest, k.counts)), -c.weighted_log_ratio

    def pairs(self) -> tuple[Array, Array]:
        c, k = self.anatomy.classes, self.anatomy.clusters
        return -c.total(k.counts * (k.rest)), -c.foreign_pairs

    def elements(self) -> tuple[Array, Array]:
        c = self.anatomy.classes
        return c.total(self._leaving()[0]) + c.sizes, c.foreign_shares

    def largest(self) -> Largest:
        c = self.anatomy.classes
        _, lost, left = self._leaving()
        largest_left = best_by_code(c.codes, left, c.sizes.size)
        largest = np.maximum(np.maximum(c.sizes, largest_left), self._largest_untouched())
        return Largest(c.total(lost) + c.sizes, c.sizes - c.largest, largest)

    def _largest_untouched(self) -> Array:
        """The largest cluster without items of each class: the first gap in the ranks of its clusters."""
        c, by_size = self.anatomy.classes, self.anatomy.by_size
        rank = np.empty_like(by_size)
        rank[by_size] = np.arange(by_size.size)
        ranks = rank[c.across]
        order = np.lexsort((ranks, c.codes))
        no_gap = ranks[order] == np.arange(order.size) - c.starts[c.codes[order]]
        gap = np.bincount(c.codes[order], weights=no_gap, minlength=c.sizes.size).astype(np.int64)
        return np.append(self.anatomy.clusters.sizes[by_size], 0)[gap]

    def bits(self, length: Bits) -> Array:
        c, k = self.anatomy.classes, self.anatomy.clusters
        return c.total(length(k.rest) - length(k.sizes)[k.codes]) + length(c.sizes)

    def columns(self, index: int) -> Ints:
        return self._after(self.anatomy.classes.of(index), self.anatomy.clusters.sizes.size)


class SplitCluster(Moves):
    """For each cluster: split it into one cluster per class."""

    @property
    def clusters(self) -> Array:
        return self.anatomy.clusters.parts - 1

    def entropies(self) -> tuple[Array, Array]:
        k = self.anatomy.clusters
        return -k.weighted_log_ratio, np.zeros(k.sizes.size)

    def pairs(self) -> tuple[Array, Array]:
        k = self.anatomy.clusters
        return -k.foreign_pairs, np.zeros(k.sizes.size)

    def elements(self) -> tuple[Array, Array]:
        k = self.anatomy.clusters
        return k.foreign_shares, np.zeros(k.sizes.size)

    def largest(self) -> Largest:
        k = self.anatomy.clusters
        return Largest(k.sizes - k.largest, np.zeros(k.sizes.size), np.maximum(k.largest, self.anatomy.largest_other))

    def bits(self, length: Bits) -> Array:
        k = self.anatomy.clusters
        return k.total(length(k.counts)) - length(k.sizes)

    def columns(self, index: int) -> Ints:
        k = self.anatomy.clusters
        cells = k.of(index)
        return self._after(cells, k.sizes.size + k.across[cells])


@dataclass(frozen=True, eq=False, repr=False)
class SplitOff(Moves):
    """For each of some cells: split its items off their cluster, into a new one."""

    cells: Ints

    @property
    def _sizes(self) -> tuple[Array, Array]:
        """The number of items that are split off, and that stay."""
        k = self.anatomy.clusters
        return k.counts[self.cells], k.rest[self.cells]

    @property
    def clusters(self) -> Array:
        return np.ones(self.cells.size)

    def entropies(self) -> tuple[Array, Array]:
        return -joining(*self._sizes), np.zeros(self.cells.size)

    def pairs(self) -> tuple[Array, Array]:
        going, staying = self._sizes
        return -going * staying, np.zeros(self.cells.size)

    def elements(self) -> tuple[Array, Array]:
        return self._leaving(self.cells)[0] + self._sizes[0], np.zeros(self.cells.size)

    def largest(self) -> Largest:
        going, staying = self._sizes
        others = self.anatomy.largest_other[self.anatomy.clusters.codes[self.cells]]
        largest = np.maximum(np.maximum(going, staying), others)
        return Largest(self._leaving(self.cells)[1] + going, np.zeros(self.cells.size), largest)

    def bits(self, length: Bits) -> Array:
        going, staying = self._sizes
        return length(going) + length(staying) - length(going + staying)

    def columns(self, index: int) -> Ints:
        return self._after(self.cells[index : index + 1], self.anatomy.clusters.sizes.size)


@dataclass(frozen=True, eq=False, repr=False)
class MergeClusters(Moves):
    """For each of some pairs of clusters: merge them. The classes that they share are given."""

    left: Ints
    right: Ints
    pair: Ints  # for each shared class, the index of the pair, in increasing order
    shared: Ints  # the code of the shared class
    in_left: Array  # its items in the left cluster
    in_right: Array  # its items in the right cluster

    def _total(self, values: Array) -> Array:
        """For each pair, the sum over the classes that it shares."""
        return np.bincount(self.pair, weights=values, minlength=self.left.size)

    @property
    def _sizes(self) -> tuple[Array, Array]:
        sizes = self.anatomy.clusters.sizes
        return sizes[self.left], sizes[self.right]

    @property
    def clusters(self) -> Array:
        return np.full(self.left.size, -1)

    def entropies(self) -> tuple[Array, Array]:
        joined = self._total(joining(self.in_left, self.in_right))
        return joining(*self._sizes) - joined, -joined

    def pairs(self) -> tuple[Array, Array]:
        left, right = self._sizes
        joined = self._total(self.in_left * self.in_right)
        return left * right - joined, -joined

    def elements(self) -> tuple[Array, Array]:
        k, (left, right) = self.anatomy.clusters, self._sizes
        joined = 2.0 * self.in_left * self.in_right
        thinned = k.squares[self.left] * (right / left) + k.squares[self.right] * (left / right)
        return (self._total(joined) - thinned) / (left + right), self._total(joined / self._class_sizes)

    @property
    def _class_sizes(self) -> Array:
        return self.anatomy.classes.sizes[self.shared]

    def largest(self) -> Largest:
        c, k, (left, right) = self.anatomy.classes, self.anatomy.clusters, self._sizes
        both = self.in_left + self.in_right
        single = k.largest[self.left], k.largest[self.right]
        largest = np.maximum(np.maximum(*single), best_by_code(self.pair, both, self.left.size))
        grown = self._total(np.maximum(both - c.largest[self.shared], 0))
        return Largest(largest - single[0] - single[1], grown, np.maximum(left + right, k.sizes.max()))

    def bits(self, length: Bits) -> Array:
        left, right = self._sizes
        single = length(self.anatomy.clusters.sizes)
        return length(left + right) - single[self.left] - single[self.right]

    def columns(self, index: int) -> Ints:
        return self._after(self.anatomy.clusters.of(int(self.right[index])), int(self.left[index]))
