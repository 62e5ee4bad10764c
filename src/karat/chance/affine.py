"""Whether a formula is affine in its statistics, so that its expectation is its value at their expectations."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from functools import cache, lru_cache, partial
from typing import Any, TypeAlias

import numpy as np

from karat.chance.nulls import Model
from karat.measures.registry import Measure
from karat.tables.counts import Statistic
from karat.tables.table import Table

Formula: TypeAlias = Callable[..., Any]

TRIALS = 12  # random combinations of the points
REACH = 1.2  # by which a weight may differ from the mean weight, so that points outside the hull are tested too


def is_affine(measure: Measure, model: Model | None = None) -> bool:
    """Whether the formula is affine in the quantities that vary under the model, by a numerical test."""
    return _is_affine(measure.formula, measure.statistics, tuple(measure.params.items()), model or Model())


# Tables of 17 items on which no measure is degenerate: with equal margins, with equal classes only, and with neither.
_SAME_MARGINS = (
    [[5, 1, 2], [1, 4, 0], [0, 1, 3]],
    [[2, 3, 3], [3, 1, 1], [1, 2, 1]],
    [[6, 0, 2], [0, 5, 0], [0, 1, 3]],
)
_SAME_CLASSES = (*_SAME_MARGINS, [[8, 0], [1, 4], [2, 2]], [[3, 2, 1, 1, 1], [0, 1, 2, 1, 1], [1, 0, 1, 1, 1]])
_ANY = (
    *_SAME_CLASSES,
    [[9, 2], [1, 5]],
    [[1, 2, 0], [0, 2, 1], [2, 1, 1], [1, 0, 2], [1, 1, 2]],
    [[1] * 8, [2, 1] * 3 + [0, 0]],
)


@lru_cache(maxsize=1000)
def _is_affine(
    formula: Formula, kinds: tuple[type[Statistic], ...], params: tuple[tuple[str, Any], ...], model: Model
) -> bool:
    tables = _probes(model)
    if any(kind.expected(tables[0], model.chances(tables[0])) is None for kind in kinds):
        return False
    points = [[table.statistic(kind) for kind in kinds] for table in tables]
    return is_straight(partial(formula, **dict(params)), points)


@cache
def _probes(model: Model) -> list[Table]:
    probes = _SAME_MARGINS if model.null == "margins" else _SAME_CLASSES if model.sides == 1 else _ANY
    return [Table.from_matrix(probe) for probe in probes]


def is_straight(formula: Formula, points: Sequence[Sequence[Any]]) -> bool:
    """Whether the formula of an affine combination of the points is that combination of its values."""
    values = [float(formula(*point)) for point in points]
    drawn = np.random.default_rng(0).uniform(-REACH, REACH, size=(TRIALS, len(points) - 1))
    for free in (1 / len(points) + drawn).tolist():
        weights = [*free, 1 - math.fsum(free)]
        mixed = [_mixed(statistics, weights) for statistics in zip(*points, strict=True)]
        parts = [weight * value for weight, value in zip(weights, values, strict=True)]
        try:
            value = float(formula(*mixed))
        except Exception:  # a logarithm, a root or a user's formula may fail for statistics that no clustering has
            return False
        if not abs(value - math.fsum(parts)) < 1e-9 * (1 + math.fsum(map(abs, parts))):
            return False
    return True


def _mixed(statistics: Sequence[Any], weights: Sequence[float]) -> Any:
    """The weighted mean of statistics; fields that are equal in all of them stay exact."""
    varying = {}
    for field in fields(statistics[0]):
        values = [getattr(s, field.name) for s in statistics]
        if any(value != values[0] for value in values):
            varying[field.name] = math.fsum(w * float(v) for w, v in zip(weights, values, strict=True))
    return replace(statistics[0], **varying)
