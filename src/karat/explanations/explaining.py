"""explain(): what went wrong in a clustering, and which changes would help most."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Unpack, overload

import numpy as np

from karat.errors import KaratError, MeasureError, Option
from karat.explanations.anatomy import Anatomy, Floats, Ints
from karat.explanations.candidates import candidate_merges
from karat.explanations.explanation import Explanation
from karat.explanations.findings import (
    Margin,
    best,
    best_merges,
    best_splits,
    gains,
    odd_ones,
    promised_merges,
    promised_splits,
)
from karat.explanations.items import ItemLabels
from karat.explanations.moves import GatherClass, SplitCluster, SplitOff
from karat.explanations.problems import TRIED
from karat.explanations.several import Explanations
from karat.explanations.updates import WORK, affordable, confirmed, values_after
from karat.labels.names import ByLabel
from karat.measures.registry import Measure
from karat.scoring import MAIN
from karat.scoring.arguments import evaluation_of
from karat.scoring.evaluation import Evaluation
from karat.scoring.given import Columns, Groups, System, Systems
from karat.scoring.options import DataOptions, ItemOptions, UngroupedOptions, data_options, verb
from karat.scoring.panels import MeasureLike, chosen_measures, main_measure
from karat.tables.table import Table


@overload
def explain(
    data: object = None,
    other: object = None,
    measure: MeasureLike | None = None,
    *,
    by: Groups,
    top: int = 10,
    **options: Unpack[UngroupedOptions],
) -> Explanations: ...


@overload
def explain(
    data: Evaluation,
    other: None = None,
    measure: MeasureLike | None = None,
    *,
    top: int = 10,
    **options: Unpack[DataOptions],
) -> Explanation | Explanations: ...


@overload
def explain(
    data: Mapping[str, Table] | Sequence[Table],
    other: None = None,
    measure: MeasureLike | None = None,
    *,
    top: int = 10,
    **options: Unpack[DataOptions],
) -> Explanations: ...


@overload
def explain(
    data: object, other: Systems, measure: MeasureLike | None = None, *, top: int = 10, **options: Unpack[DataOptions]
) -> Explanations: ...


@overload
def explain(
    data: object,
    other: object = None,
    measure: MeasureLike | None = None,
    *,
    gold: str,
    pred: Columns,
    top: int = 10,
    **options: Unpack[ItemOptions],
) -> Explanations: ...


@overload
def explain(
    data: object = None,
    other: System | None = None,
    measure: MeasureLike | None = None,
    *,
    gold: object = None,
    pred: System | None = None,
    top: int = 10,
    **options: Unpack[ItemOptions],
) -> Explanation: ...


@overload
def explain(
    data: object,
    other: Mapping[Any, Any],
    measure: MeasureLike | None = None,
    *,
    top: int = 10,
    **options: Unpack[DataOptions],
) -> Explanation | Explanations: ...


@verb(DataOptions)
def explain(
    data: object = None,
    other: object = None,
    measure: MeasureLike | None = None,
    *,
    top: int = 10,
    **options: Unpack[DataOptions],
) -> Explanation | Explanations:
    """Explain the errors of a clustering: by class and cluster, and which changes would help most.

    measure: the measure to improve; by default ami, or v_measure of weighted items. Values after a change are scores of
    the changed table; of the classes and clusters of a large table only those that are shown are counted again, and
    the other values may differ from the scores in their last digits. Values are computed for every change if the
    measure's statistics can be updated without counting again, as entropies and pairs can; for others, such as
    one_to_one, for the 2 * top changes of each kind that lower VI most.
    top: how many classes, clusters, merges, splits and odd ones to list; merges and splits only if they help.

    Every repair of a class or cluster is tried, and every split of a class from a cluster. All merges are tried if
    there are at most 200 clusters; otherwise merges among the 200 largest clusters, and of clusters that share a class
    or, if these are too many, the most promising ones (every_merge is then False; candidates.py gives the guarantees).
    The result is an Explanation for one system, and a mapping of them by name for several, or by group with `by`.

    >>> explanation = explain(["a", "a", "a", "b", "b"], [1, 1, 2, 3, 3], "ari")
    >>> explanation.merges[0].left, explanation.merges[0].right, explanation.merges[0].value
    (1, 2, 1.0)
    """
    ev = evaluation_of(data, other, data_options(options, "explain"))
    if not isinstance(top, int) or isinstance(top, bool) or top < 1:
        raise KaratError(Option("top", (top,)), " is not a number of findings to list; give 1 or more.")
    return explained(ev, measure, top)


def explained(ev: Evaluation, measure: MeasureLike | None, top: int = 10) -> Explanation | Explanations:
    """The explanation of one system, or of several by name, or by group."""
    judge = judge_of(measure, _all_tables(ev))

    def of_systems(tables: Mapping[str, Table], labels: Any) -> Explanation | Explanations:
        by_name = {name: explained_table(table, judge, top, labels(name)) for name, table in tables.items()}
        return Explanations("system", by_name) if ev.named else next(iter(by_name.values()))

    if ev.groups is not None:
        groups = ((group, of_systems(tables, lambda _: None)) for group, tables in ev.groups.items())
        return Explanations(ev.by or "group", ByLabel(groups))
    return of_systems(ev.tables, lambda name: ItemLabels.of(ev, name) if ev.has_items else None)


def _all_tables(ev: Evaluation) -> list[Table]:
    """The table of each system, or of each group and system."""
    parts = [ev.tables] if ev.groups is None else ev.groups.values()
    return [table for tables in parts for table in tables.values()]


def judge_of(measure: MeasureLike | None, tables: Sequence[Table]) -> Measure:
    """The measure to improve: one, of which higher or lower is better; the main measure if none is given."""
    if measure is None:
        return main_measure(tables)
    chosen = chosen_measures(measure)
    if len(chosen) != 1:
        raise MeasureError(f"{len(chosen)} measures were given to explain; give one, such as {MAIN!r}.")
    if chosen[0].better is None:
        raise MeasureError(f"neither end of {chosen[0]} is better, so no change improves it; choose {MAIN} or vi.")
    return chosen[0]


def _splittable(anatomy: Anatomy) -> Ints:
    """The cells that can be split off a cluster; of two cells the smaller, as both splits are equal."""
    k = anatomy.clusters
    first = np.zeros(k.codes.size, dtype=bool)
    first[k.order[k.starts]] = True
    parts = k.parts[k.codes]
    return np.flatnonzero((parts > 2) | ((parts == 2) & ~first))


def _promised_lines(moves: GatherClass | SplitCluster, measure: Measure, value: float, top: int, after: Floats) -> Ints:
    """The classes, or clusters, whose repaired values are promised: all, or in a large table those that are shown.

    In very large tables they are too many to be counted again.
    """
    if affordable(moves):
        return np.arange(after.size)
    side = Margin.of(moves.anatomy, after, value, gold=isinstance(moves, GatherClass))
    most = 10 * WORK // moves.table.counts.size
    helpful = best(gains(measure, value, after), side.sizes, min(TRIED, most))
    return np.array([*side.worst(min(top, most)), *helpful], dtype=np.int64)


def explained_table(table: Table, measure: Measure, top: int = 10, labels: ItemLabels | None = None) -> Explanation:
    """The explanation of one table; labels: the labels of its items, if known."""
    value = float(measure.of(table))
    if not math.isfinite(value):
        raise MeasureError(f"{measure} is {value} here, so changes cannot be compared; choose another measure.")
    if not isinstance(table, Table):
        raise KaratError("an explanation needs all cells, but they are in an engine; collect the table first.")
    anatomy = Anatomy(table)
    splits = SplitOff(anatomy, _splittable(anatomy))
    merges, every_merge = candidate_merges(anatomy, top)
    kinds_of_moves = (GatherClass(anatomy), SplitCluster(anatomy), splits, merges)
    values = [values_after(measure, moves, 2 * top) for moves in kinds_of_moves]
    gathered, split_up, split_off, merged = (after for after, _ in values)
    gathered, split_up = (
        confirmed(measure, moves, after, partial(_promised_lines, moves, measure, value, top))
        for moves, after in ((kinds_of_moves[0], gathered), (kinds_of_moves[1], split_up))
    )
    judged = measure, value, top
    merged = confirmed(measure, merges, merged, lambda after: promised_merges(merges, after, *judged))
    split_off = confirmed(measure, splits, split_off, lambda after: promised_splits(splits, after, *judged))
    return Explanation(
        table=table,
        measure=measure,
        value=value,
        top=top,
        classes=Margin.of(anatomy, gathered, value, gold=True),
        clusters=Margin.of(anatomy, split_up, value, gold=False),
        merges=best_merges(merges, merged, measure, value, top),
        splits=best_splits(splits, split_off, measure, value, top),
        odd_ones=odd_ones(anatomy, top),
        every_merge=every_merge,
        every_repair=all(every_move for _, every_move in values),
        labels=labels,
    )
