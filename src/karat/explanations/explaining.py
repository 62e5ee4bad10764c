"""explain(): from labels or a table to an Explanation."""

from __future__ import annotations

import math

import numpy as np

from karat.alignment import Missing, NoiseAs
from karat.errors import KaratError, MeasureError
from karat.evaluate import MeasureLike, chosen_measures
from karat.explanations.anatomy import Anatomy, Ints
from karat.explanations.candidates import candidate_merges
from karat.explanations.explanation import Explanation
from karat.explanations.findings import Side, best_merges, best_splits, odd_ones
from karat.explanations.moves import Gathered, Parted, Taken
from karat.explanations.updates import can_update, values_after
from karat.registry import Measure
from karat.tables import Table, counted


def explain(
    gold: object,
    pred: object = None,
    measure: MeasureLike = "v_measure",
    *,
    top: int = 10,
    weights: object = None,
    missing: Missing = "raise",
    noise: object = None,
    noise_as: NoiseAs | None = None,
) -> Explanation:
    """What is wrong with a clustering: what each class and cluster adds to it, and what mending it would do.

    gold, pred, weights, missing, noise, noise_as: as for karat.score; or gold is a Table.
    measure: the one by which to judge what helps. Values after a change are exact, and are known for every change if
    the measure is built on entropies, pairs, BCubed, majorities or code lengths; for others, such as ami or one_to_one,
    the 2 * top changes of each kind that lower VI most are tried by counting again.
    top: how many classes, clusters, merges, splits and odd ones to list; merges and splits only if they help.

    Every class and cluster can be repaired and every class taken out of every cluster. Of merges all are tried if there
    are at most 200 clusters; else those among the largest 200 and those of clusters that share a class, or the most
    promising of these (candidates.py says what is sure then; every_merge tells).

    >>> found = explain(["a", "a", "a", "b", "b"], [1, 1, 2, 3, 3], "ari")
    >>> found.merges[0].left, found.merges[0].right, found.merges[0].value
    (1, 2, 1.0)
    """
    table = counted(gold, pred, {"weights": weights, "missing": missing, "noise": noise, "noise_as": noise_as})
    if not isinstance(top, int) or isinstance(top, bool) or top < 1:
        raise KaratError(f"top={top!r} is not a number of findings to list; give 1 or more.")
    return _explained(table, _judge(measure), top)


def _judge(measure: MeasureLike) -> Measure:
    """The one measure to judge by."""
    chosen = chosen_measures(measure)
    if len(chosen) != 1:
        raise MeasureError(f"{len(chosen)} measures cannot judge at once; give one, such as 'v_measure'.")
    if chosen[0].better is None:
        raise MeasureError(f"neither end of {chosen[0]} is better, so no change mends it; choose v_measure or vi.")
    return chosen[0]


def _takeable(anatomy: Anatomy) -> Ints:
    """The cells that are not alone in their cluster; of two in one, the smaller, since either leaves the same."""
    k = anatomy.clusters
    first = np.zeros(k.codes.size, dtype=bool)
    first[k.order[k.starts]] = True
    parts = k.parts[k.codes]
    return np.flatnonzero((parts > 2) | ((parts == 2) & ~first))


def _explained(table: Table, measure: Measure, top: int) -> Explanation:
    value = float(measure.of(table))
    if not math.isfinite(value):
        raise MeasureError(f"{measure} is {value} here, which nothing can be compared with; choose another measure.")
    anatomy = Anatomy(table)
    taken = Taken(anatomy, _takeable(anatomy))
    joined, every_merge = candidate_merges(anatomy, top)
    gathered, parted, split, merged = (
        values_after(measure, moves, 2 * top) for moves in (Gathered(anatomy), Parted(anatomy), taken, joined)
    )
    return Explanation(
        table=table,
        measure=measure,
        value=value,
        top=top,
        classes=Side.of(anatomy, gathered, value, gold=True),
        clusters=Side.of(anatomy, parted, value, gold=False),
        merges=best_merges(joined, merged, measure, value, top),
        splits=best_splits(taken, split, measure, value, top),
        odd_ones=odd_ones(anatomy, top),
        every_merge=every_merge,
        every_repair=can_update(measure),
    )
