"""Moves: changes of a clustering, many at once, and how each changes the statistics.

A class is gathered in a cluster of its own; a cluster is split into one per class; one class is split off a cluster;
two clusters are merged.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from karat.explanations.anatomy import Anatomy, Ints, joining
from karat.kernels.tallying import best_by_code
from karat.tables.moves import Array, LargestParts, Moves
from karat.tables.table import Table


@dataclass(frozen=True, eq=False, repr=False)
class AnatomyMoves(Moves):
    """Moves of one kind, of the parts of classes and clusters of a table."""

    anatomy: Anatomy

    @property
    def table(self) -> Table:  # type: ignore[override]  # an attribute in the interface
        return self.anatomy.table

    @property
    def exact(self) -> bool:  # type: ignore[override]  # an attribute in the interface
        return self.anatomy.counts.dtype.kind == "i"

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


class GatherClass(AnatomyMoves):
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

    def shares(self) -> tuple[Array, Array]:
        c = self.anatomy.classes
        return c.total(self._leaving()[0]) + c.sizes, c.foreign_shares

    def largest_parts(self) -> LargestParts:
        c = self.anatomy.classes
        _, lost, left = self._leaving()
        largest_left = best_by_code(c.codes, left, c.sizes.size)
        largest = np.maximum(np.maximum(c.sizes, largest_left), self._largest_untouched())
        return LargestParts(c.total(lost) + c.sizes, c.sizes - c.largest, largest)

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

    def cluster_total(self, f: Callable[[Array], Array]) -> Array:
        c, k = self.anatomy.classes, self.anatomy.clusters
        return c.total(f(k.rest) - f(k.sizes)[k.codes]) + f(c.sizes)

    def columns(self, index: int) -> Ints:
        return self._after(self.anatomy.classes.of(index), self.anatomy.clusters.sizes.size)


class SplitCluster(AnatomyMoves):
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

    def shares(self) -> tuple[Array, Array]:
        k = self.anatomy.clusters
        return k.foreign_shares, np.zeros(k.sizes.size)

    def largest_parts(self) -> LargestParts:
        k = self.anatomy.clusters
        return LargestParts(
            k.sizes - k.largest, np.zeros(k.sizes.size), np.maximum(k.largest, self.anatomy.largest_other)
        )

    def cluster_total(self, f: Callable[[Array], Array]) -> Array:
        k = self.anatomy.clusters
        return k.total(f(k.counts)) - f(k.sizes)

    def columns(self, index: int) -> Ints:
        k = self.anatomy.clusters
        cells = k.of(index)
        return self._after(cells, k.sizes.size + k.across[cells])


@dataclass(frozen=True, eq=False, repr=False)
class SplitOff(AnatomyMoves):
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

    def shares(self) -> tuple[Array, Array]:
        return self._leaving(self.cells)[0] + self._sizes[0], np.zeros(self.cells.size)

    def largest_parts(self) -> LargestParts:
        going, staying = self._sizes
        others = self.anatomy.largest_other[self.anatomy.clusters.codes[self.cells]]
        largest = np.maximum(np.maximum(going, staying), others)
        return LargestParts(self._leaving(self.cells)[1] + going, np.zeros(self.cells.size), largest)

    def cluster_total(self, f: Callable[[Array], Array]) -> Array:
        going, staying = self._sizes
        return f(going) + f(staying) - f(going + staying)

    def columns(self, index: int) -> Ints:
        return self._after(self.cells[index : index + 1], self.anatomy.clusters.sizes.size)


@dataclass(frozen=True, eq=False, repr=False)
class MergeClusters(AnatomyMoves):
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

    def shares(self) -> tuple[Array, Array]:
        k, (left, right) = self.anatomy.clusters, self._sizes
        joined = 2.0 * self.in_left * self.in_right
        thinned = k.squares[self.left] * (right / left) + k.squares[self.right] * (left / right)
        return (self._total(joined) - thinned) / (left + right), self._total(joined / self._class_sizes)

    @property
    def _class_sizes(self) -> Array:
        return self.anatomy.classes.sizes[self.shared]

    def largest_parts(self) -> LargestParts:
        c, k, (left, right) = self.anatomy.classes, self.anatomy.clusters, self._sizes
        both = self.in_left + self.in_right
        single = k.largest[self.left], k.largest[self.right]
        largest = np.maximum(np.maximum(*single), best_by_code(self.pair, both, self.left.size))
        grown = self._total(np.maximum(both - c.largest[self.shared], 0))
        return LargestParts(largest - single[0] - single[1], grown, np.maximum(left + right, k.sizes.max()))

    def cluster_total(self, f: Callable[[Array], Array]) -> Array:
        left, right = self._sizes
        single = f(self.anatomy.clusters.sizes)
        return f(left + right) - single[self.left] - single[self.right]

    def columns(self, index: int) -> Ints:
        return self._after(self.anatomy.clusters.of(int(self.right[index])), int(self.left[index]))
