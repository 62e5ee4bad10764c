"""Measures that, given the class and cluster sizes, depend only on the number of pairs joined by both sides."""

from __future__ import annotations

from karat.chance.moments import Moments, joined_pairs
from karat.chance.nulls import Model
from karat.measures.registry import Measure
from karat.tables.counts import SingleTable
from karat.tables.profile import Sizes


def pairs_within(sizes: Sizes) -> int:
    """The number of pairs of items within groups of these sizes."""
    return int(sizes.squares - sizes.total) // 2


def pairs_joined(table: SingleTable) -> int:
    """The number of pairs of items that both sides join."""
    return pairs_within(table.profile.cells)


def of_pairs(measure: Measure, table: SingleTable) -> bool:
    """Whether a measure, given the margins, depends only on the number of pairs joined by both sides."""
    kinds = measure.statistics
    return bool(kinds) and all(kind.with_joined_pairs(table, 0) is not None for kind in kinds)


def value_at(measure: Measure, table: SingleTable, both: int) -> float:
    """The measure's value if both sides joined this many pairs, with class and cluster sizes unchanged."""
    return float(measure.value(kind.with_joined_pairs(table, both) for kind in measure.statistics))


def pair_moments(measure: Measure, table: SingleTable, model: Model) -> Moments | None:
    """Moments of the number of pairs joined by both sides; None if the measure depends on more."""
    if model.null != "margins" or not of_pairs(measure, table):
        return None
    return joined_pairs(table.profile.classes, table.profile.clusters)


def pair_slope(measure: Measure, table: SingleTable) -> float:
    """The measure at the largest possible number of pairs joined by both sides, minus at the smallest."""
    gold, pred = pairs_within(table.profile.classes), pairs_within(table.profile.clusters)
    lowest = max(0, gold + pred - int(table.n) * (int(table.n) - 1) // 2)
    return value_at(measure, table, min(gold, pred)) - value_at(measure, table, lowest)
