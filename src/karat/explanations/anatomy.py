"""The classes and clusters of a table, their parts, and what each contributes to the error."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from karat.kernels.logarithm import log_one_more
from karat.kernels.tallying import add_by_code
from karat.tables.table import Table

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]

SQUARABLE = 1 << 31  # items, below which squares of counts fit 64 bits


@dataclass(frozen=True, eq=False, repr=False)
class RowsOrColumns:
    """The rows (classes) or the columns (clusters) of a table; the parts of a line are its cells."""

    codes: Ints  # the line of each cell
    across: Ints  # the line on the other side: the cluster of each cell, if lines are classes
    counts: NDArray[Any]  # of cells
    sizes: NDArray[Any]  # of lines
    cell_items: NDArray[Any]  # counts as they are in the table, where they may be too large to be squared
    line_items: NDArray[Any]  # sizes as they are in the table

    @cached_property
    def parts(self) -> Ints:
        """The number of parts of each line."""
        return np.bincount(self.codes, minlength=self.sizes.size)

    @cached_property
    def order(self) -> Ints:
        """The indices of the cells, line by line, the largest cell of each line first."""
        return np.lexsort((self.across, -self.counts, self.codes))

    @cached_property
    def starts(self) -> Ints:
        """The index in `order` at which each line begins."""
        return np.cumsum(self.parts) - self.parts

    @cached_property
    def largest(self) -> NDArray[Any]:
        """The count of each line's largest part."""
        return self.counts[self.order[self.starts]]

    @cached_property
    def second(self) -> NDArray[Any]:
        """The count of each line's second largest part; 0 if it has only one part."""
        after = np.minimum(self.starts + 1, self.codes.size - 1)
        return np.where(self.parts > 1, self.counts[self.order[after]], 0)

    @cached_property
    def squares(self) -> NDArray[Any]:
        """The sum of each line's squared parts."""
        return self.total(self.counts * self.counts)

    @cached_property
    def own(self) -> NDArray[Any]:
        """For each cell the size of its line."""
        return self.sizes[self.codes]

    @cached_property
    def rest(self) -> NDArray[Any]:
        """For each cell the items of its line that are not in it."""
        return self._others(self.counts, self.own)

    @cached_property
    def rest_squares(self) -> NDArray[Any]:
        """For each cell the sum of the squared other parts of its line."""
        return self._others(self.counts * self.counts, self.squares[self.codes])

    def _others(self, values: NDArray[Any], totals: NDArray[Any]) -> NDArray[Any]:
        """For each cell, the sum over the other cells of its line.

        For the largest cell the others are added up, since total minus value would lose precision.
        """
        others = totals - values
        first = self.order[self.starts]
        smaller = values.copy()
        smaller[first] = 0
        others[first] = self.total(smaller)
        return np.asarray(others)

    def total(self, values: NDArray[Any]) -> NDArray[Any]:
        """The sum of cell values over each line; integers stay integers."""
        if values.dtype.kind == "f":
            return np.bincount(self.codes, weights=values, minlength=self.sizes.size)
        return add_by_code(self.codes, values, self.sizes.size)

    def of(self, index: int, most: int | None = None) -> Ints:
        """The indices of the cells of one line, the largest first; at most `most` of them."""
        start, parts = int(self.starts[index]), int(self.parts[index])
        return self.order[start : start + (parts if most is None else min(most, parts))]

    @cached_property
    def weighted_log_ratio(self) -> Floats:
        """n times each line's part of the entropy of the other side given this one, as positive terms."""
        return self.total(self.counts * log_one_more(self.rest, self.counts))

    @cached_property
    def foreign_pairs(self) -> NDArray[Any]:
        """The number of pairs of items of each line that are in different parts."""
        doubled = self.total(self.counts * self.rest)
        return doubled // 2 if doubled.dtype.kind == "i" else doubled / 2

    @cached_property
    def exact_foreign_pairs(self) -> NDArray[Any]:
        """foreign_pairs as exact integers, of any magnitude, if the counts are integers."""
        if self.counts.dtype == self.cell_items.dtype:
            return self.foreign_pairs
        squares = np.zeros(self.line_items.size, dtype=object)
        np.add.at(squares, self.codes, self.cell_items.astype(object) ** 2)
        return np.asarray((self.line_items.astype(object) ** 2 - squares) // 2)

    @cached_property
    def foreign_shares(self) -> Floats:
        """Per line, the sum over items of the share of the line that is outside the item's part."""
        return self.total(self.counts * (self.rest / self.own))


@dataclass(frozen=True, eq=False, repr=False)
class Anatomy:
    """The classes and clusters of a table: the errors of classes are splits, of clusters mixtures."""

    table: Table

    @cached_property
    def counts(self) -> NDArray[Any]:
        """The counts of the cells: integers where their squares fit 64 bits, else floats."""
        exact = self.table.counts.dtype.kind == "i" and self.table.n < SQUARABLE
        return self.table.counts if exact else self.table.counts.astype(np.float64)

    @cached_property
    def classes(self) -> RowsOrColumns:
        """The rows of the table."""
        return self._lines(self.table.rows, self.table.cols, self.table.class_sizes)

    @cached_property
    def clusters(self) -> RowsOrColumns:
        """The columns of the table."""
        return self._lines(self.table.cols, self.table.rows, self.table.cluster_sizes)

    def _lines(self, codes: Ints, across: Ints, sizes: NDArray[Any]) -> RowsOrColumns:
        return RowsOrColumns(codes, across, self.counts, sizes.astype(self.counts.dtype), self.table.counts, sizes)

    def items_in(self, label: int, cluster: int) -> Any:
        """The number of items of a class in a cluster, both given by their codes, where there are some."""
        at = np.searchsorted(self.keys, label * self.clusters.sizes.size + cluster)
        return self.table.counts[at].item()

    @cached_property
    def n(self) -> float:
        """The number of items, or their total weight."""
        return float(self.table.n)

    @cached_property
    def keys(self) -> Ints:
        """The flat (row-major) index of each cell in the full matrix, in increasing order."""
        return self.table.rows * self.clusters.sizes.size + self.table.cols

    @cached_property
    def by_size(self) -> Ints:
        """The indices of the clusters by decreasing size; ties in the order of labels."""
        return np.argsort(-self.clusters.sizes, kind="stable")

    @cached_property
    def largest_other(self) -> NDArray[Any]:
        """For each cluster, the size of the largest other cluster; 0 if there is none."""
        sizes = np.append(self.clusters.sizes[self.by_size[:2]], 0)
        others = np.full(self.clusters.sizes.size, sizes[0])
        others[self.by_size[0]] = sizes[1]
        return others


def joining(x: Any, y: Any) -> Floats:
    """(x+y) log(x+y) - x log x - y log y, as positive terms: the change by merging x and y items."""
    low, high = np.minimum(x, y), np.maximum(x, y)
    some = low > 0
    below = np.where(some, low, 1)
    return np.where(some, high * np.log1p(low / np.where(some, high, 1)) + low * log_one_more(high, below), 0.0)
