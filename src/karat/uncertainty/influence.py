"""What each item adds to a score: the score without it, cell by cell, and the spread that follows (jackknife).

Formulas take arrays, so the scores without one item of each cell come from one evaluation; nothing is resampled.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from karat.counts import Statistic
from karat.registry import Measure
from karat.tables import Table
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
        return float(np.sqrt(spread(self.table, self.values[:, None], self.values[:, None], unit)[0, 0]))


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


def _linear(measure: Measure, left: Sequence[Any]) -> Floats:
    """The same up to a constant, to first order: the slope of the formula in each number, times its change."""
    moved = [
        (place, field.name, getattr(statistic, field.name))
        for place, statistic in enumerate(left)
        for field in fields(statistic)
        if isinstance(getattr(statistic, field.name), np.ndarray)
    ]
    middle = [float(values.mean()) for _, _, values in moved]
    steps = [max(float(np.ptp(values)), 1e-300) for _, _, values in moved]
    points = np.repeat(np.array(middle)[:, None], 2 * len(moved), axis=1)
    for place, step in enumerate(steps):
        points[place, 2 * place : 2 * place + 2] += step, -step
    changed = list(left)
    for (place, name, _), row in zip(moved, points, strict=True):
        changed[place] = replace(changed[place], **{name: row})
    found = np.broadcast_to(_exact(measure, changed), (2 * len(moved),))
    slopes = (found[0::2] - found[1::2]) / (2 * np.array(steps))
    parts = (slope * values for slope, (_, _, values) in zip(slopes, moved, strict=True) if slope)
    return np.asarray(sum(parts, start=np.zeros(1)))


class Jackknife:
    """Scores of a table without one item of each cell."""

    def __init__(self, table: Table, *, corrected: bool = True) -> None:
        self.whole, self.table, self.corrected = table, _bounded(table), corrected
        self._kept: dict[Any, Any] = {}

    def influence(self, measure: Measure) -> Influence | None:
        """What each item adds to a score; None where that cannot be told from the statistics."""
        corrected = self.corrected and self._estimates(measure) is not None
        left = [self._without_one(kind, corrected) for kind in measure.statistics]
        if self.table.n < 2 or not measure.statistics or any(statistic is None for statistic in left):
            return None
        with np.errstate(divide="ignore", invalid="ignore"):
            score = _linear if self.table.counts.size > MANY else _exact
            without = np.broadcast_to(score(measure, left), self.table.counts.shape)
        mean = float(self._share @ without)
        values = (float(self.table.n) - 1) * (mean - without)
        return Influence(self.whole, self.estimate(measure), np.asarray(values)) if np.isfinite(values).all() else None

    def estimate(self, measure: Measure) -> float:
        """The score that the population would have; the sample's own where bias is not known, or not taken away."""
        found = self._estimates(measure) if self.corrected else None
        low, high = measure.bounds
        return float(measure.of(self.table)) if found is None else min(max(float(measure.value(found)), low), high)

    def _estimates(self, measure: Measure) -> list[Any] | None:
        found = [self._once((kind, "estimated"), kind.estimated, self.table) for kind in measure.statistics]
        return None if any(statistic is None for statistic in found) else found

    def _without_one(self, kind: type[Statistic], corrected: bool) -> Any:
        return self._once((kind, corrected), kind.without_one, self.table, corrected)

    def _once(self, key: Any, make: Callable[..., Any], *arguments: Any) -> Any:
        """What make gave when it was first called under this key."""
        if key not in self._kept:
            self._kept[key] = make(*arguments)
        return self._kept[key]

    @cached_property
    def _share(self) -> Floats:
        return np.asarray(self.table.counts / float(self.table.n))
