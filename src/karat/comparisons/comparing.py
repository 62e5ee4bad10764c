"""compare(): several systems against gold, and which differences between them are significant."""

from __future__ import annotations

from typing import Any, Unpack, overload

from karat.comparisons.paired import paired, untested
from karat.comparisons.results import Comparison
from karat.limits import COMPARED
from karat.scoring.arguments import evaluation_of
from karat.scoring.evaluation import Evaluation
from karat.scoring.given import Groups, Level, Measures
from karat.scoring.groups import GroupScores
from karat.scoring.options import DEFAULTS, Options, UngroupedSamplingOptions, data_options, sampling_options, verb
from karat.scoring.panels import chosen_measures, panel_of
from karat.scoring.score import by_group
from karat.scoring.scores import Scores, scores_with
from karat.uncertainty.influence import Jackknife
from karat.uncertainty.intervals import intervals
from karat.uncertainty.sampling import Sampling


@overload
def compare(
    data: object = None,
    other: object = None,
    measures: Measures = None,
    *,
    by: Groups,
    interval: Level = 0.95,
    **options: Unpack[UngroupedSamplingOptions],
) -> GroupScores: ...


@overload
def compare(
    data: Evaluation,
    other: None = None,
    measures: Measures = None,
    *,
    interval: Level = 0.95,
    **options: Unpack[Options],
) -> Comparison | GroupScores: ...


@overload
def compare(
    data: object = None,
    other: object = None,
    measures: Measures = None,
    *,
    interval: Level = 0.95,
    **options: Unpack[Options],
) -> Comparison: ...


@verb(Options)
def compare(
    data: object = None,
    other: object = None,
    measures: Measures = None,
    *,
    interval: Level = 0.95,
    **options: Unpack[Options],
) -> Comparison | GroupScores:
    """Score several systems on the same items, and test which differences are significant.

    Differences are paired, so that items that are hard for all systems do not add to their variance; p-values are
    adjusted for the number of pairs (Holm). Differences are not tested if there is one system, if only tables are
    known, or if items are weighted. The result is a Comparison; with `by` it is the GroupScores of karat.score(), with
    a ranking of systems.

    >>> import karat
    >>> gold = ["a"] * 50 + ["b"] * 50
    >>> good, poor = [0] * 48 + [1] * 52, [0, 1] * 50
    >>> comparison = karat.compare(gold, {"good": good, "poor": poor}, "ari")
    >>> comparison["good"]["ari"] > 0.9, comparison.difference("good", "poor", "ari").p < 0.001
    (True, True)
    """
    ev = evaluation_of(data, other, data_options(options, "compare", DEFAULTS))
    return compared(ev, measures, sampling_options(interval, options))


def compared(ev: Evaluation, measures: Any, sampling: Sampling | None) -> Comparison | GroupScores:
    """The comparison of the systems of an evaluation; the scores of groups, if its items are in groups."""
    return compared_systems(ev, measures, sampling) if ev.groups is None else by_group(ev, measures, None)


def compared_systems(ev: Evaluation, measures: Any, sampling: Sampling | None) -> Comparison:
    """The comparison of the systems of an evaluation without groups."""
    COMPARED.check(len(ev.tables), "the comparison")
    omitted: dict[str, str] = {}
    chosen = panel_of(ev.tables.values(), omitted) if measures is None else chosen_measures(measures)
    if sampling is None or not ev.has_items or ev.policy.weighted or not all(t.integral for t in ev.tables.values()):
        scores = {name: Scores(table, chosen, omitted) for name, table in ev.tables.items()}
        pairs = [untested(m, list(ev.tables.values()), int(ev.n)) for m in chosen]
        return Comparison(scores, tuple(pairs), sampling or Sampling(), tuple(ev.cautions), panel=measures is None)
    jackknives = {name: Jackknife(table, corrected=sampling.corrects) for name, table in ev.tables.items()}
    scores = {
        name: scores_with(table, chosen, omitted, sampling, intervals(table, chosen, sampling, jackknives[name]))
        for name, table in ev.tables.items()
    }
    pairs = paired(ev.joint, chosen, sampling, jackknives)
    aligned = ev.aligned
    return Comparison(
        scores, tuple(pairs), sampling, tuple(ev.cautions), aligned.union, aligned.labelled, panel=measures is None
    )
