"""Bootstrap resamples of a table: the same cells with other counts, many at a time, drawn a few megabytes at a time.

Every resample has a seed of its own, so it is the same whatever is drawn beside it, and in how many threads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karat.errors import TableError
from karat.kernels.assignment import best_matching, greedy_matching
from karat.tables.counts import CellFormula, Counts, SizeFormula
from karat.tables.profile import Information, Squares
from karat.tables.stack import weighted_log_ratio
from karat.tables.table import Table
from karat.uncertainty.sampling import Unit

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

AT_ONCE = 1 << 20  # counts that are held in memory


class Lines:
    """Which cells lie in the same class, or in the same cluster."""

    def __init__(self, codes: Ints) -> None:
        self.order = np.argsort(codes, kind="stable")
        self.starts = np.flatnonzero(np.diff(codes[self.order], prepend=-1))
        self.ranks = np.empty(codes.size, np.int64)  # the place of each cell's line among all
        self.ranks[self.order] = np.cumsum(np.diff(codes[self.order], prepend=-1) > 0) - 1

    def sums(self, values: Floats) -> Floats:
        """Of each line; a row for each resample."""
        return np.asarray(np.add.reduceat(values[:, self.order], self.starts, axis=1))

    def best(self, values: Floats) -> Floats:
        """The largest of each line."""
        return np.asarray(np.maximum.reduceat(values[:, self.order], self.starts, axis=1))


class Resampled(Counts):
    """Tables of the same cells, a row of counts for each; statistics are arrays, a number for each table."""

    integral = True

    def __init__(self, rows: Ints, cols: Ints, counts: Floats, lines: tuple[Lines, Lines] | None = None) -> None:
        self.rows, self.cols, self.counts = rows, cols, counts
        self.by_class, self.by_cluster = lines or (Lines(rows), Lines(cols))

    @cached_property
    def n(self) -> Any:
        """The number of items of each."""
        return self.counts.sum(axis=1)

    @cached_property
    def class_sizes(self) -> Floats:
        """The sizes of classes; 0 where none of a class is drawn."""
        return self.by_class.sums(self.counts)

    @cached_property
    def cluster_sizes(self) -> Floats:
        """The sizes of clusters."""
        return self.by_cluster.sums(self.counts)

    @property
    def shape(self) -> tuple[Any, Any]:  # type: ignore[override]
        """How many classes and clusters have items."""
        return (self.class_sizes > 0).sum(axis=1), (self.cluster_sizes > 0).sum(axis=1)

    @property
    def nonempty_cells(self) -> Any:
        """How many cells have items."""
        return (self.counts > 0).sum(axis=1)

    @property
    def squares(self) -> Squares:  # type: ignore[override]
        """Sums of squares."""
        return Squares(*((x * x).sum(axis=1) for x in (self.counts, self.class_sizes, self.cluster_sizes)))

    @property
    def largest(self) -> tuple[Any, Any]:  # type: ignore[override]
        """The sizes of the largest class and cluster."""
        return self.class_sizes.max(axis=1), self.cluster_sizes.max(axis=1)

    @property
    def information(self) -> Information:  # type: ignore[override]
        """The entropies, each as a sum of positive terms."""
        n = self.n[:, None]
        gold, pred, joint = (
            weighted_log_ratio(x, n).sum(axis=1) / self.n for x in (self.class_sizes, self.cluster_sizes, self.counts)
        )
        given_pred = weighted_log_ratio(self.counts, self.cluster_sizes[:, self.by_cluster.ranks]).sum(axis=1) / self.n
        given_gold = weighted_log_ratio(self.counts, self.class_sizes[:, self.by_class.ranks]).sum(axis=1) / self.n
        return Information(gold, pred, joint, given_pred, given_gold, np.maximum(gold - given_pred, 0.0))

    def class_total(self, f: SizeFormula) -> Any:
        """The sum over classes of f(size)."""
        return np.where(self.class_sizes > 0, f(self.class_sizes), 0.0).sum(axis=1)

    def cluster_total(self, f: SizeFormula) -> Any:
        """The sum over clusters of f(size)."""
        return np.where(self.cluster_sizes > 0, f(self.cluster_sizes), 0.0).sum(axis=1)

    def cell_total(self, f: CellFormula) -> Any:
        """The sum over cells."""
        return self._cells(f).sum(axis=1)

    def class_best(self, f: CellFormula) -> Any:
        """The sum over classes of their best cells."""
        return self.by_class.best(self._cells(f)).sum(axis=1)

    def cluster_best(self, f: CellFormula) -> Any:
        """The sum over clusters of their best cells."""
        return self.by_cluster.best(self._cells(f)).sum(axis=1)

    def _cells(self, f: CellFormula) -> Floats:
        sizes = self.class_sizes[:, self.by_class.ranks], self.cluster_sizes[:, self.by_cluster.ranks]
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(self.counts > 0, f(self.counts, *sizes), 0.0)

    def matched(self, *, greedy: bool = False) -> Any:
        """Items in a one-to-one map, table by table."""
        matching = greedy_matching if greedy else best_matching
        found = np.empty(len(self.counts))
        for place, row in enumerate(self.counts):
            filled = np.flatnonzero(row)
            values = row[filled].astype(np.int64)
            found[place] = values[matching(self.rows[filled], self.cols[filled], values)].sum()
        return found

    def each(self, f: Callable[[Any], Any]) -> Any:
        """f of each table."""
        return np.array([f(Table.from_cells(self.rows, self.cols, row)) for row in self.counts], dtype=np.float64)

    def expand(self) -> tuple[Any, Any]:
        """Not of many tables."""
        raise TableError("resamples have no one list of items; take one of them.")


def drawn(counts: Ints, rows: Ints, resamples: int, seed: int, unit: Unit = "items") -> Iterator[Floats]:
    """Resampled counts of some cells, a few rows at a time: of items, or of whole classes, with replacement."""
    step = max(1, AT_ONCE // counts.size)
    draw = _classes(counts, rows) if unit == "classes" else _items(counts)
    for low in range(0, resamples, step):
        numbers = range(low, min(low + step, resamples))
        yield np.array([draw(np.random.default_rng((seed, number))) for number in numbers], dtype=np.float64)


def _items(counts: Ints) -> Callable[[np.random.Generator], Any]:
    n = int(counts.sum())
    if n > 16 * counts.size:  # fewer cells than items: a draw for each cell
        shares = counts / n
        return lambda rng: rng.multinomial(n, shares)
    places = np.repeat(np.arange(counts.size), counts)
    return lambda rng: np.bincount(places[rng.integers(0, n, n)], minlength=counts.size)


def _classes(counts: Ints, rows: Ints) -> Callable[[np.random.Generator], Any]:
    number = int(rows.max()) + 1
    return lambda rng: counts * np.bincount(rng.integers(0, number, number), minlength=number)[rows]
