"""The jackknife: leave-one-out scores, cell by cell, and the standard errors that follow from them.

Formulas take arrays, so one evaluation gives the leave-one-out scores of all cells; nothing is resampled.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from karat.kernels.threads import share_out
from karat.measures.registry import Measure
from karat.tables.counts import Statistic
from karat.tables.table import Table
from karat.uncertainty.sampling import Unit

Floats = NDArray[np.float64]

LARGEST = 1 << 36  # items; in larger tables the effect of one item is lost to rounding
MANY = 50_000  # cells above which leave-one-out scores are linearised, not evaluated one by one


class Influence(NamedTuple):
    """The estimate of a score in the population, and the influence of an item of each cell on it."""

    table: Table
    estimate: float
    values: Floats  # one per cell; their mean over items is 0

    def error(self, unit: Unit = "items") -> float:
        """The standard error of the estimate, for items or whole gold classes drawn independently."""
        column = self.values[:, None]
        return float(np.sqrt(spread(self.table, column, column, unit)[0, 0]))


def spread(table: Any, left: Floats, right: Floats, unit: Unit = "items") -> Floats:
    """Covariances of scores, shape (left, right), from influences: a row per cell, a column per score."""
    n, weights = float(table.n), table.counts.astype(np.float64)[:, None]
    if unit == "items":
        return np.asarray((left * weights).T @ right / (n * max(n - 1, 1)))
    number = len(table.class_sizes)
    sums = [by_class(table.rows, number, weights * values) for values in (left, right)]
    return np.asarray(sums[0].T @ sums[1] * (number / max(number - 1, 1)) / (n * n))


def by_class(rows: NDArray[np.int64], number: int, values: Floats) -> Floats:
    """Sums over the cells of each class: a row per class, a column per column of values."""
    return np.column_stack([np.bincount(rows, column, minlength=number) for column in values.T])


def _bounded(table: Table) -> Table:
    """The table, scaled down to LARGEST items if it has more: the effect of one would be rounded away."""
    if table.n < LARGEST:
        return table
    counts = np.maximum(table.counts // (int(table.n) // LARGEST), 1)
    return replace(table, counts=counts)


def _exact(measure: Measure, statistics: Sequence[Any]) -> Floats:
    return np.asarray(measure.value(statistics), np.float64)


class Moved(NamedTuple):
    """One field of a leave-one-out statistic, its mean, and the step of its finite differences."""

    name: str
    values: Floats  # one per cell
    mean: float  # over items
    step: float  # the range of the values


def _linear(measure: Measure, statistics: Sequence[Any], moved: Sequence[Sequence[Moved]]) -> Floats:
    """First-order leave-one-out scores, centred: the gradient of the formula times each field's change."""
    all_moved = [(index, number) for index, numbers in enumerate(moved) for number in numbers]
    points = np.repeat(np.array([number.mean for _, number in all_moved])[:, None], 2 * len(all_moved), axis=1)
    steps = np.array([number.step for _, number in all_moved])
    for index, step in enumerate(steps):
        points[index, 2 * index : 2 * index + 2] += step, -step
    changed = list(statistics)
    for (index, number), row in zip(all_moved, points, strict=True):
        changed[index] = replace(changed[index], **{number.name: row})
    scores = np.broadcast_to(_exact(measure, changed), (2 * len(all_moved),))
    slopes = (scores[0::2] - scores[1::2]) / (2 * steps)
    used = [(slope, number) for slope, (_, number) in zip(slopes, all_moved, strict=True) if slope]
    if not used:
        return np.zeros(1)
    offset = -sum(slope * number.mean for slope, number in used)
    values = used[0][0] * used[0][1].values
    for slope, number in used[1:]:
        values += slope * number.values
    values += offset
    return np.asarray(values)


class Jackknife:
    """Leave-one-out scores of a table: the score without one item of each cell."""

    def __init__(self, table: Table, *, corrected: bool = True) -> None:
        self.full, self.table, self.corrected = table, _bounded(table), corrected
        self._cache: dict[Any, Any] = {}

    def prepare(self, measures: Sequence[Measure]) -> None:
        """Compute the leave-one-out statistics that the measures share, in parallel."""
        if self.table.n < 2:
            return
        needed = {(kind, self._correcting(measure)): None for measure in measures for kind in measure.statistics}
        prepare = self._moved if self._many else self._leave_one_out
        share_out([partial(prepare, *key) for key in needed], self.table.counts.size)

    def _correcting(self, measure: Measure) -> bool:
        return self.corrected and self._estimates(measure) is not None

    def influence(self, measure: Measure) -> Influence | None:
        """The influence of each cell's items on a score; None if a statistic has no leave-one-out values."""
        if self.table.n < 2 or not measure.statistics:
            return None
        corrected = self._correcting(measure)
        statistics = [self._leave_one_out(kind, corrected) for kind in measure.statistics]
        if any(statistic is None for statistic in statistics):
            return None
        with np.errstate(divide="ignore", invalid="ignore"):
            if self._many:
                moved = [self._moved(kind, corrected) for kind in measure.statistics]
                centred = _linear(measure, statistics, moved)
            else:
                scores = np.broadcast_to(_exact(measure, statistics), self.table.counts.shape)
                centred = scores - float(self._share @ scores)
        centred *= 1 - float(self.table.n)
        values = np.broadcast_to(centred, self.table.counts.shape)
        return Influence(self.full, self.estimate(measure), values) if np.isfinite(centred).all() else None

    def estimate(self, measure: Measure) -> float:
        """The bias-corrected estimate of a score; the score if its bias is not corrected, or not known."""
        estimates = self._estimates(measure) if self.corrected else None
        low, high = measure.bounds
        if estimates is None:
            return float(measure.of(self.table))
        return min(max(float(measure.value(estimates)), low), high)

    def overstated(self, measure: Measure) -> float:
        """The excess of the jackknife variance of an estimate over its true variance.

        The jackknife counts interactions of two items twice, of three items three times (Efron & Stein 1981).
        Subtracting the whole pair term overcorrects where triples matter; half of it fits in simulations
        (bench/intervals.py).
        """
        estimates = self._estimates(measure) if self.corrected else None
        if estimates is None:
            return 0.0
        moved, times, pairs = list(estimates), *self._pairs_of_cells
        for index, kind in enumerate(measure.statistics):
            second_difference = self._once((kind, "second_difference"), kind.second_difference, self.table)
            if second_difference is not None:
                new = {
                    f.name: getattr(moved[index], f.name) + getattr(second_difference, f.name)
                    for f in fields(second_difference)
                }
                moved[index] = replace(moved[index], **new)
        with np.errstate(all="ignore"):
            change = np.asarray(measure.value(moved)) - float(measure.value(estimates))
            over = float(times @ (pairs * change**2)) / 2
        return over if np.isfinite(over) else 0.0

    @cached_property
    def _pairs_of_cells(self) -> tuple[Floats, Floats]:
        """For each distinct cell size: the number of such cells, and the pairs of items in one of them."""
        size, times = (values.astype(np.float64) for values in self.table.profile.cells.arrays)
        return times, size * (size - 1) / 2

    def _estimates(self, measure: Measure) -> list[Any] | None:
        estimates = [self._once((kind, "estimated"), kind.estimated, self.table) for kind in measure.statistics]
        return None if any(statistic is None for statistic in estimates) else estimates

    def _leave_one_out(self, kind: type[Statistic], corrected: bool) -> Any:
        return self._once((kind, corrected), kind.leave_one_out, self.table, corrected)

    def _moved(self, kind: type[Statistic], corrected: bool) -> tuple[Moved, ...]:
        return self._once((kind, corrected, "moved"), self._array_fields, self._leave_one_out(kind, corrected))  # type: ignore[no-any-return]

    def _array_fields(self, statistic: Any) -> tuple[Moved, ...]:
        """The fields of a statistic that depend on which item is left out."""
        if statistic is None:
            return ()
        by_name = [(field.name, getattr(statistic, field.name)) for field in fields(statistic)]
        return tuple(
            Moved(name, values, float(self._share @ values), max(float(np.ptp(values)), 1e-300))
            for name, values in by_name
            if isinstance(values, np.ndarray)
        )

    @property
    def _many(self) -> bool:
        return self.table.counts.size > MANY

    def _once(self, key: Any, make: Callable[..., Any], *arguments: Any) -> Any:
        """The result of make, computed once for each key."""
        if key not in self._cache:
            self._cache[key] = make(*arguments)
        return self._cache[key]

    @cached_property
    def _share(self) -> Floats:
        return np.asarray(self.table.counts / float(self.table.n))
