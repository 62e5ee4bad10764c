"""Confidence intervals of scores: by the jackknife where a measure is smooth, else by the bootstrap."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from karat.chance.draws import draws_of
from karat.errors import MeasureError, Option, TableError
from karat.kernels.threads import share_out
from karat.limits import DRAWS
from karat.measures.registry import Measure
from karat.output.bars import bar
from karat.output.layout import percent
from karat.output.numbers import several
from karat.tables.counts import count_itself
from karat.tables.table import Table
from karat.uncertainty.influence import Jackknife
from karat.uncertainty.resamples import Lines, Resampled, drawn
from karat.uncertainty.sampling import Caution, Interval, Reason, Sampling

Floats = NDArray[np.float64]

NEARLY = Caution(Reason.NEARLY_TIED, "other cells are nearly as good as the best ones: it may miss the true value")
LARGE = 1_000_000  # items above which the largest cells hardly ever change, so that the jackknife is valid
AFFORDABLE = 50_000_000  # resampled counts, which take about 15 seconds
SPARSE = 0.04  # share of items alone in their cell, above which unseen cells matter
FEW_ERRORS = 10  # misplaced items, below which their number is too uncertain
SMALL = 30  # sampling units, below which no method gives a reliable interval
PER_CLUSTER = 4  # items, below which the choice of the largest cells depends too much on chance


def intervals(
    table: Table, measures: Sequence[Measure], sampling: Sampling, jackknife: Jackknife | None = None
) -> dict[str, Interval]:
    """A confidence interval for each score of a table, by measure.

    jackknife: that of the table, to be reused; a new one by default.
    """
    sampling.check()
    if not isinstance(table, Table):
        raise TableError(
            "intervals need all cells, but they are in an engine; leave out ",
            Option("interval", bare=True),
            ".",
        )
    if not table.integral or table.policy.weighted:
        raise TableError(
            "intervals need items of equal weight; leave out ",
            Option("weights", bare=True),
            ", or ",
            Option("interval", bare=True),
            ".",
        )
    sampling.over(table)
    many = too_many(table.counts.size, sampling)
    smooth = [measure for measure in measures if many or by_jackknife(measure, table)]
    made = _by_jackknife(table, smooth, sampling, jackknife or Jackknife(table, corrected=sampling.corrects))
    rest = [measure for measure in measures if str(measure) not in made]
    if rest and many:
        made.update({str(m): no_interval(float(m.of(table)), many, sampling) for m in rest})
    elif rest:
        values = resampled_values(table, rest, sampling)
        made.update({str(m): bootstrapped(m, table, values[str(m)], sampling) for m in rest})
    return {str(m): made[str(m)] for m in measures}


def _by_jackknife(
    table: Table, measures: Sequence[Measure], sampling: Sampling, jackknife: Jackknife
) -> dict[str, Interval]:
    """The intervals of measures that have leave-one-out scores, computed in parallel."""

    def interval_of(measure: Measure) -> Interval | None:
        influence = jackknife.influence(measure)
        if influence is None:
            return None
        error, caution = influence.error(sampling.unit), cautions(measure, table, sampling)
        if not by_jackknife(measure, table):
            cells = f"{table.counts.size:,} cells are too many to resample"
            caution = Caution(Reason.TOO_MANY_CELLS, f"{cells}: it may be too high or too narrow")
        return sampling.over(table).around(measure, influence.estimate, error, "jackknife", caution)

    jackknife.prepare(measures)
    intervals = share_out([partial(interval_of, measure) for measure in measures], table.counts.size)
    pairs = zip(measures, intervals, strict=True)
    return {str(measure): interval for measure, interval in pairs if interval is not None}


def too_many(cells: int, sampling: Sampling) -> Caution | None:
    """A caution if there are too many cells to resample in reasonable time; None if there are not."""
    if cells * sampling.resamples <= AFFORDABLE:
        return None
    text = f"{cells:,} cells are too many for {sampling.resamples:,} resamples; give fewer resamples"
    return Caution(Reason.TOO_MANY_CELLS, text)


def no_interval(score: float, why: Caution, sampling: Sampling) -> Interval:
    """An Interval without ends, for a score whose uncertainty is not known."""
    return Interval(None, None, score, None, sampling.level, "none", why)


def by_jackknife(measure: Measure, table: Table) -> bool:
    """Whether the jackknife is valid: if the measure is smooth, or there are many items."""
    return all(kind.smooth for kind in measure.statistics) or table.n > LARGE


def cautions(measure: Measure, table: Table, sampling: Sampling) -> Caution | None:
    """Why an interval may be too wide or too narrow; None if no reason is known."""
    units = len(table.class_sizes) if sampling.unit == "classes" else int(table.n)
    if units < SMALL:
        noun = "class" if sampling.unit == "classes" else "item"
        return Caution(Reason.FEW_UNITS, f"{several(units, noun)}, which are few: it may be too narrow")
    if table.n < PER_CLUSTER * table.shape[1] and not all(kind.smooth for kind in measure.statistics):
        few = f"fewer than {PER_CLUSTER} items for each cluster"
        return Caution(Reason.FEW_PER_CLUSTER, f"{few}: it may miss the true value, and tests may be too optimistic")
    size, times = table.profile.cells.arrays
    alone = float(times[size == 1].sum()) / float(table.n)
    if alone > SPARSE and sampling.corrects and any(kind.estimates_unseen for kind in measure.statistics):
        share = f"{percent(alone)} of the items are alone in their cell"
        return Caution(Reason.LONG_TAIL, f"{share}: it may be too wide, or miss a long tail")
    wrong = table.remember("wrong", lambda: int(table.n - table.cluster_best(count_itself)))
    if wrong < FEW_ERRORS:
        few = f"{several(wrong, 'item')} outside the largest class of their cluster"
        return Caution(Reason.FEW_ERRORS, f"{few}: it may be too narrow")
    return None


def resampled_values(table: Table, measures: Sequence[Measure], sampling: Sampling) -> Mapping[str, Floats]:
    """The scores of each bootstrap resample: for each measure an array, one value per resample."""
    lines = Lines(table.rows), Lines(table.cols)
    parts: dict[str, list[Floats]] = {str(m): [] for m in measures}
    for measure in measures:
        DRAWS.check(sampling.resamples * draws_of(measure), f"{measure} of each resample", MeasureError)
    with bar("resampling", sampling.resamples) as advance:
        for counts in drawn(table.counts, table.rows, sampling.resamples, sampling.seed, sampling.unit):
            stack = Resampled(table.rows, table.cols, counts, lines)
            for measure in measures:
                parts[str(measure)].append(np.asarray(measure.of(stack), np.float64))
            advance(len(counts))
    return {name: np.concatenate(values) for name, values in parts.items()}


def bootstrapped(measure: Measure, table: Table, values: Floats, sampling: Sampling) -> Interval:
    """The bootstrap interval, centred on the score minus the bootstrap estimate of its bias."""
    score = float(measure.of(table))
    if not np.isfinite(values).all():
        return no_interval(score, Caution(Reason.NOT_FINITE, "some resamples have no finite score"), sampling)
    (low, high), error, bias = measure.bounds, float(values.std(ddof=1)), float(values.mean()) - score
    estimate = min(max(score - bias, low), high) if sampling.corrects else score
    caution = cautions(measure, table, sampling)
    if abs(bias) > error / 2:
        caution = NEARLY  # the most serious reason, so it replaces any other
    return sampling.over(table).around(measure, estimate, error, "bootstrap", caution)
