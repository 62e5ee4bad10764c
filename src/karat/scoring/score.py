"""score(): how close one or several clusterings are to gold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Unpack, overload

from karat.labels.names import ByLabel
from karat.measures.registry import Measure
from karat.output.bars import bar
from karat.scoring.arguments import evaluation_of
from karat.scoring.boards import Board
from karat.scoring.evaluation import Evaluation
from karat.scoring.given import Columns, Groups, Level, Measures, System, Systems
from karat.scoring.groups import GroupScores
from karat.scoring.options import (
    DEFAULTS,
    ItemSamplingOptions,
    Options,
    UngroupedSamplingOptions,
    data_options,
    sampling_options,
    verb,
)
from karat.scoring.panels import chosen_measures, panel_of
from karat.scoring.scores import Scores
from karat.tables.table import Table
from karat.uncertainty.sampling import Sampling

MANY = 2000  # groups, above which a progress bar is shown (about two seconds)


@overload
def score(
    data: object = None,
    other: object = None,
    measures: Measures = None,
    *,
    by: Groups,
    interval: Level = None,
    **options: Unpack[UngroupedSamplingOptions],
) -> GroupScores: ...


@overload
def score(
    data: Evaluation,
    other: None = None,
    measures: Measures = None,
    *,
    interval: Level = None,
    **options: Unpack[Options],
) -> Scores | Board | GroupScores: ...


@overload
def score(
    data: Mapping[str, Table] | Sequence[Table],
    other: None = None,
    measures: Measures = None,
    *,
    interval: Level = None,
    **options: Unpack[Options],
) -> Board: ...


@overload
def score(
    data: object, other: Systems, measures: Measures = None, *, interval: Level = None, **options: Unpack[Options]
) -> Board: ...


@overload
def score(
    data: object,
    other: object = None,
    measures: Measures = None,
    *,
    gold: str,
    pred: Columns,
    interval: Level = None,
    **options: Unpack[ItemSamplingOptions],
) -> Board: ...


@overload
def score(
    data: object = None,
    other: System | None = None,
    measures: Measures = None,
    *,
    gold: object = None,
    pred: System | None = None,
    interval: Level = None,
    **options: Unpack[ItemSamplingOptions],
) -> Scores: ...


@overload
def score(
    data: object,
    other: Mapping[Any, Any],
    measures: Measures = None,
    *,
    interval: Level = None,
    **options: Unpack[Options],
) -> Scores | Board | GroupScores: ...


@verb(Options)
def score(
    data: object = None,
    other: object = None,
    measures: Measures = None,
    *,
    interval: Level = None,
    **options: Unpack[Options],
) -> Scores | Board | GroupScores:
    """Score one or several clusterings against gold, by the given measures or by a default panel.

    The result is Scores for one system, a Board by name for several, and GroupScores with `by`.

    >>> score(["x", "x", "o"], [1, 1, 2], "ari")["ari"]
    1.0
    """
    ev = evaluation_of(data, other, data_options(options, "score", DEFAULTS))
    return scored(ev, measures, sampling_options(interval, options))


def scored(ev: Evaluation, measures: Any, sampling: Sampling | None) -> Scores | Board | GroupScores:
    """The scores of an evaluation: of one system, of several by name, or of groups."""
    if ev.groups is not None:
        return by_group(ev, measures, sampling)
    scores = _systems(ev.tables, measures, sampling)
    if not ev.named:
        return next(iter(scores.values()))
    return Board(scores, tuple(ev.cautions))


def _systems(tables: Mapping[str, Any], measures: Any, sampling: Sampling | None) -> dict[str, Scores]:
    omitted: dict[str, str] = {}
    chosen = panel_of(tables.values(), omitted) if measures is None else chosen_measures(measures)
    return {name: Scores(table, chosen, omitted, sampling) for name, table in tables.items()}


def by_group(ev: Evaluation, measures: Any, sampling: Sampling | None) -> GroupScores:
    """The scores of an evaluation whose items are in groups."""
    groups = ev.groups
    assert groups is not None
    chosen: Sequence[Measure] | None = None if measures is None else chosen_measures(measures)
    with bar("scoring groups", len(groups) if len(groups) > MANY else 0) as advance:

        def of_group(tables: Mapping[str, Any]) -> Mapping[str, Scores]:
            advance()
            return _systems(tables, chosen, sampling)

        scores = ByLabel((group, of_group(tables)) for group, tables in groups.items())
    return GroupScores(ev.by or "group", scores, ev.named, ev.dropped, groups.empty, tuple(ev.cautions))
