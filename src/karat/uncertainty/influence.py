"""What each item adds to a score: the score without it, cell by cell, and the spread that follows (jackknife).

Formulas take arrays, so the scores without one item of each cell come from one evaluation; nothing is resampled.
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

LARGEST = 1 << 36  # items
MANY = 50_000  # cells from which scores are changed along their slope, not worked out one by one


class Influence(NamedTuple):
    """A score's estimate for the population, and how much an item of each cell moves it."""

    table: Table
    estimate: float
    values: Floats  # over cells; 0 on average over items

    def error(self, unit: Unit = "items") -> float:
        """The standard error if items, or whole gold classes, were drawn independently."""
        column = self.values[:, None]
        return float(np.sqrt(spread(self.table, column, column, unit)[0, 0]))


def spread(table: Any, left: Floats, right: Floats, unit: Unit = "items") -> Floats:
    """Covariances of scores whose influences over a table's cells are columns."""
    n, weights = float(table.n), table.counts.astype(np.float64)[:, None]
    if unit == "items":
        return np.asarray((left * weights).T @ right / (n * max(n - 1, 1)))
    number = len(table.class_sizes)
    sums = [by_class(table.rows, number, weights * values) for values in (left, right)]
    return np.asarray(sums[0].T @ sums[1] * (number / max(number - 1, 1)) / (n * n))


def by_class(rows: NDArray[np.int64], number: int, values: Floats) -> Floats:
    """Sums over the cells of each class."""
    return np.column_stack([np.bincount(rows, column, minlength=number) for column in values.T])


def _bounded(table: Table) -> Table:
    """A table of the same shares: what one of more items adds would be lost in rounding."""
    if table.n < LARGEST:
        return table
    counts = np.maximum(table.counts // (int(table.n) // LARGEST), 1)
    return replace(table, counts=counts)


def _exact(measure: Measure, left: Sequence[Any]) -> Floats:
    return np.asarray(measure.value(left), np.float64)


class Moved(NamedTuple):
    """A number of a statistic without an item of each cell: how it varies."""

    name: str
    values: Floats  # over cells
    mean: float  # over items
    step: float


def _linear(measure: Measure, left: Sequence[Any], moved: Sequence[Sequence[Moved]]) -> Floats:
    """The same less its mean, to first order: the slope of the formula in each number, times its change."""
    all_moved = [(place, number) for place, numbers in enumerate(moved) for number in numbers]
    points = np.repeat(np.array([number.mean for _, number in all_moved])[:, None], 2 * len(all_moved), axis=1)
    steps = np.array([number.step for _, number in all_moved])
    for place, step in enumerate(steps):
        points[place, 2 * place : 2 * place + 2] += step, -step
    changed = list(left)
    for (place, number), row in zip(all_moved, points, strict=True):
        changed[place] = replace(changed[place], **{number.name: row})
    found = np.broadcast_to(_exact(measure, changed), (2 * len(all_moved),))
    slopes = (found[0::2] - found[1::2]) / (2 * steps)
    used = [(slope, number) for slope, (_, number) in zip(slopes, all_moved, strict=True) if slope]
    if not used:
        return np.zeros(1)
    total = -sum(slope * number.mean for slope, number in used)
    values = used[0][0] * used[0][1].values
    for slope, number in used[1:]:
        values += slope * number.values
    values += total
    return np.asarray(values)


class Jackknife:
    """Scores of a table without one item of each cell."""

    def __init__(self, table: Table, *, corrected: bool = True) -> None:
        self.whole, self.table, self.corrected = table, _bounded(table), corrected
        self._kept: dict[Any, Any] = {}

    def prepare(self, measures: Sequence[Measure]) -> None:
        """Work out what the measures share, some of it at a time."""
        if self.table.n < 2:
            return
        needed = {(kind, self._correcting(measure)): None for measure in measures for kind in measure.statistics}
        prepare = self._moved if self._many else self._leave_one_out
        share_out([partial(prepare, *key) for key in needed], self.table.counts.size)

    def _correcting(self, measure: Measure) -> bool:
        return self.corrected and self._estimates(measure) is not None

    def influence(self, measure: Measure) -> Influence | None:
        """What each item adds to a score; None where that cannot be told from the statistics."""
        if self.table.n < 2 or not measure.statistics:
            return None
        corrected = self._correcting(measure)
        left = [self._leave_one_out(kind, corrected) for kind in measure.statistics]
        if any(statistic is None for statistic in left):
            return None
        with np.errstate(divide="ignore", invalid="ignore"):
            if self._many:
                moved = [self._moved(kind, corrected) for kind in measure.statistics]
                more = _linear(measure, left, moved)
            else:
                without = np.broadcast_to(_exact(measure, left), self.table.counts.shape)
                more = without - float(self._share @ without)
        more *= 1 - float(self.table.n)
        values = np.broadcast_to(more, self.table.counts.shape)
        return Influence(self.whole, self.estimate(measure), values) if np.isfinite(more).all() else None

    def estimate(self, measure: Measure) -> float:
        """The score that the population would have; the sample's own where bias is not known, or not taken away."""
        found = self._estimates(measure) if self.corrected else None
        low, high = measure.bounds
        return float(measure.of(self.table)) if found is None else min(max(float(measure.value(found)), low), high)

    def overstated(self, measure: Measure) -> float:
        """What leaving items out overstates of an estimate's variance.

        It counts what two items do only together twice, what three do three times (Efron & Stein 1981). Taking all that
        pairs do away would take too much where threes matter; half of it was right in simulations (bench/intervals.py).
        """
        estimates = self._estimates(measure) if self.corrected else None
        if estimates is None:
            return 0.0
        moved, times, pairs = list(estimates), *self._pairs_of_cells
        for place, kind in enumerate(measure.statistics):
            second_difference = self._once((kind, "second_difference"), kind.second_difference, self.table)
            if second_difference is not None:
                new = {
                    f.name: getattr(moved[place], f.name) + getattr(second_difference, f.name)
                    for f in fields(second_difference)
                }
                moved[place] = replace(moved[place], **new)
        with np.errstate(all="ignore"):
            change = np.asarray(measure.value(moved)) - float(measure.value(estimates))
            over = float(times @ (pairs * change**2)) / 2
        return over if np.isfinite(over) else 0.0

    @cached_property
    def _pairs_of_cells(self) -> tuple[Floats, Floats]:
        """How often each size of a cell occurs, and how many pairs of items such a cell has."""
        size, times = (values.astype(np.float64) for values in self.table.profile.cells.arrays)
        return times, size * (size - 1) / 2

    def _estimates(self, measure: Measure) -> list[Any] | None:
        found = [self._once((kind, "estimated"), kind.estimated, self.table) for kind in measure.statistics]
        return None if any(statistic is None for statistic in found) else found

    def _leave_one_out(self, kind: type[Statistic], corrected: bool) -> Any:
        return self._once((kind, corrected), kind.leave_one_out, self.table, corrected)

    def _moved(self, kind: type[Statistic], corrected: bool) -> tuple[Moved, ...]:
        return self._once((kind, corrected, "moved"), self._numbers, self._leave_one_out(kind, corrected))  # type: ignore[no-any-return]

    def _numbers(self, statistic: Any) -> tuple[Moved, ...]:
        """The numbers of a statistic that depend on which item is left out."""
        if statistic is None:
            return ()
        held = [(field.name, getattr(statistic, field.name)) for field in fields(statistic)]
        return tuple(
            Moved(name, values, float(self._share @ values), max(float(np.ptp(values)), 1e-300))
            for name, values in held
            if isinstance(values, np.ndarray)
        )

    @property
    def _many(self) -> bool:
        return self.table.counts.size > MANY

    def _once(self, key: Any, make: Callable[..., Any], *arguments: Any) -> Any:
        """What make gave when it was first called under this key."""
        if key not in self._kept:
            self._kept[key] = make(*arguments)
        return self._kept[key]

    @cached_property
    def _share(self) -> Floats:
        return np.asarray(self.table.counts / float(self.table.n))
