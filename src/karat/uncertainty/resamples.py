"""Bootstrap resamples of a table: the same cells with other counts, a few megabytes at a time.

Every resample has its own seed, so it does not depend on the other resamples or on the number of threads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karat.chance.draws import draws_of
from karat.errors import MeasureError, TableError
from karat.kernels.assignment import best_matching, greedy_matching
from karat.limits import DRAWS
from karat.measures.registry import Measure
from karat.output.bars import bar
from karat.tables.counts import CellFormula, Counts, SizeFormula
from karat.tables.profile import Information, Squares, Totals
from karat.tables.stack import weighted_log_ratio
from karat.tables.table import Table
from karat.uncertainty.sampling import Sampling

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

AT_ONCE = 1 << 20  # resampled counts in memory at a time


class CellGroups:
    """The cells of a table grouped by class, or by cluster."""

    def __init__(self, codes: Ints) -> None:
        self.order = np.argsort(codes, kind="stable")
        self.starts = np.flatnonzero(np.diff(codes[self.order], prepend=-1))
        self.ranks = np.empty(codes.size, np.int64)  # the index of each cell's class or cluster among those with cells
        self.ranks[self.order] = np.cumsum(np.diff(codes[self.order], prepend=-1) > 0) - 1

    def sums(self, values: Floats) -> Floats:
        """Sums over each class or cluster: a row per resample, a column per class or cluster."""
        return np.asarray(np.add.reduceat(values[:, self.order], self.starts, axis=1))

    def best(self, values: Floats) -> Floats:
        """Maxima over each class or cluster: a row per resample, a column per class or cluster."""
        return np.asarray(np.maximum.reduceat(values[:, self.order], self.starts, axis=1))


class Resampled(Counts):
    """Resampled tables, a row of cell counts for each; statistics are arrays, one value per table."""

    integral = True

    def __init__(
        self, rows: Ints, cols: Ints, counts: Floats, groups: tuple[CellGroups, CellGroups] | None = None
    ) -> None:
        self.rows, self.cols, self.counts = rows, cols, counts
        self.by_class, self.by_cluster = groups or (CellGroups(rows), CellGroups(cols))

    @cached_property
    def n(self) -> Any:
        """The number of items of each table."""
        return self.counts.sum(axis=1)

    @cached_property
    def class_sizes(self) -> Floats:
        """The sizes of classes, a row per table; 0 if no item of the class was drawn."""
        return self.by_class.sums(self.counts)

    @cached_property
    def cluster_sizes(self) -> Floats:
        """The sizes of clusters, a row per table; 0 if no item of the cluster was drawn."""
        return self.by_cluster.sums(self.counts)

    @property
    def shape(self) -> tuple[Any, Any]:  # type: ignore[override]
        """The number of non-empty classes and of non-empty clusters of each table."""
        return (self.class_sizes > 0).sum(axis=1), (self.cluster_sizes > 0).sum(axis=1)

    @property
    def nonempty_cells(self) -> Any:
        """The number of non-empty cells of each table."""
        return (self.counts > 0).sum(axis=1)

    @property
    def squares(self) -> Squares:  # type: ignore[override]
        """The sums of squared cell counts, class sizes and cluster sizes of each table."""
        return Squares(*((x * x).sum(axis=1) for x in (self.counts, self.class_sizes, self.cluster_sizes)))

    @property
    def largest(self) -> tuple[Any, Any]:  # type: ignore[override]
        """The sizes of the largest class and of the largest cluster of each table."""
        return self.class_sizes.max(axis=1), self.cluster_sizes.max(axis=1)

    @property
    def information(self) -> Information:  # type: ignore[override]
        """The entropies of each table in nats, as sums of positive terms."""
        n = self.n[:, None]
        gold, pred, joint = (
            weighted_log_ratio(x, n).sum(axis=1) / self.n for x in (self.class_sizes, self.cluster_sizes, self.counts)
        )
        given_pred = weighted_log_ratio(self.counts, self.cluster_sizes[:, self.by_cluster.ranks]).sum(axis=1) / self.n
        given_gold = weighted_log_ratio(self.counts, self.class_sizes[:, self.by_class.ranks]).sum(axis=1) / self.n
        return Information(gold, pred, joint, given_pred, given_gold, np.maximum(gold - given_pred, 0.0))

    def class_total(self, f: SizeFormula) -> Any:
        """The sum over classes of f(size, totals)."""
        return np.where(self.class_sizes > 0, f(self.class_sizes, Totals(self, 1)), 0.0).sum(axis=1)

    def cluster_total(self, f: SizeFormula) -> Any:
        """The sum over clusters of f(size, totals)."""
        return np.where(self.cluster_sizes > 0, f(self.cluster_sizes, Totals(self, 1)), 0.0).sum(axis=1)

    def cell_total(self, f: CellFormula) -> Any:
        """The sum over cells of f(count, class size, cluster size, totals)."""
        return self._cells(f).sum(axis=1)

    def class_best(self, f: CellFormula) -> Any:
        """The sum over classes of the largest f of their cells."""
        return self.by_class.best(self._cells(f)).sum(axis=1)

    def cluster_best(self, f: CellFormula) -> Any:
        """The sum over clusters of the largest f of their cells."""
        return self.by_cluster.best(self._cells(f)).sum(axis=1)

    def _cells(self, f: CellFormula) -> Floats:
        sizes = self.class_sizes[:, self.by_class.ranks], self.cluster_sizes[:, self.by_cluster.ranks]
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(self.counts > 0, f(self.counts, *sizes, Totals(self, 1)), 0.0)

    def matched(self, *, greedy: bool = False) -> Any:
        """The number of items in the best (or greedy) one-to-one map of clusters to classes, for each table."""
        matching = greedy_matching if greedy else best_matching
        matched = np.empty(len(self.counts))
        for index, row in enumerate(self.counts):
            nonempty = np.flatnonzero(row)
            values = row[nonempty].astype(np.int64)
            matched[index] = values[matching(self.rows[nonempty], self.cols[nonempty], values)].sum()
        return matched

    def each(self, f: Callable[[Any], Any]) -> Any:
        """The value of f for each table."""
        return np.array([f(Table.from_cells(self.rows, self.cols, row)) for row in self.counts], dtype=np.float64)

    def expand(self) -> tuple[Any, Any]:
        """Unsupported: resamples have no single list of items."""
        raise TableError("resamples have no single list of items; expand one of them.")


def resampled_values(table: Table, measures: Sequence[Measure], sampling: Sampling) -> Mapping[str, Floats]:
    """The scores of each bootstrap resample: for each measure an array, one value per resample."""
    groups = CellGroups(table.rows), CellGroups(table.cols)
    parts: dict[str, list[Floats]] = {str(m): [] for m in measures}
    for measure in measures:
        DRAWS.check(sampling.resamples * draws_of(measure), f"{measure} of each resample", MeasureError)
    with bar("resampling", sampling.resamples) as advance:
        for counts in drawn(table.counts, table.rows, sampling):
            stack = Resampled(table.rows, table.cols, counts, groups)
            for measure in measures:
                parts[str(measure)].append(np.asarray(measure.of(stack), np.float64))
            advance(len(counts))
    return {name: np.concatenate(values) for name, values in parts.items()}


def bias_corrected(measure: Measure, score: float, values: Floats, sampling: Sampling) -> float:
    """The score minus the bootstrap estimate of its bias; the score if its bias is not corrected, or not known.

    values: the scores of the resamples.
    """
    if not sampling.corrects or not np.isfinite(values).all():
        return score
    low, high = measure.bounds
    return min(max(score - (float(values.mean()) - score), low), high)


def drawn(counts: Ints, rows: Ints, sampling: Sampling) -> Iterator[Floats]:
    """Yield resamples of items or of whole classes, a few at a time: arrays with a row of counts each."""
    step = max(1, AT_ONCE // counts.size)
    draw = _classes(counts, rows) if sampling.unit == "classes" else _items(counts)
    for low in range(0, sampling.resamples, step):
        numbers = range(low, min(low + step, sampling.resamples))
        yield np.array([draw(np.random.default_rng((sampling.seed, number))) for number in numbers], dtype=np.float64)


def _items(counts: Ints) -> Callable[[np.random.Generator], Any]:
    n = int(counts.sum())
    if n > 16 * counts.size:  # far more items than cells: one multinomial draw is faster than one per item
        shares = counts / n
        return lambda rng: rng.multinomial(n, shares)
    cells = np.repeat(np.arange(counts.size), counts)  # the cell of each item
    return lambda rng: np.bincount(cells[rng.integers(0, n, n)], minlength=counts.size)


def _classes(counts: Ints, rows: Ints) -> Callable[[np.random.Generator], Any]:
    number = int(rows.max()) + 1
    return lambda rng: counts * np.bincount(rng.integers(0, number, number), minlength=number)[rows]
