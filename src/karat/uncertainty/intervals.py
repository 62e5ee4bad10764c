"""An interval for a score, and which method gives it: the jackknife where scores are smooth, else the bootstrap."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from karat.chance.adjusting import draws_of
from karat.errors import MeasureError, Option, TableError
from karat.kernels.threads import share_out
from karat.limits import DRAWS
from karat.measures.information import Entropies
from karat.measures.registry import Measure
from karat.output.bars import bar
from karat.output.layout import percent
from karat.tables.counts import count_itself
from karat.tables.table import Table, several
from karat.uncertainty.influence import Jackknife
from karat.uncertainty.resamples import Lines, Resampled, drawn
from karat.uncertainty.sampling import Caution, Interval, Reason, Sampling

Floats = NDArray[np.float64]

NEARLY = Caution(Reason.NEARLY_TIED, "other cells are nearly as good as the best ones: it may miss the truth")
LARGE = 1_000_000  # items from which a bootstrap tells nothing that the largest cells do not
AFFORDABLE = 50_000_000  # resampled counts, which take about a quarter of a minute
SPARSE = 0.04  # the share of items alone in their cell from which what is unseen weighs in
FEW_ERRORS = 10  # below which how many there are is hardly known
SMALL = 30  # items, of which no method makes a good interval
PER_CLUSTER = 4  # items below which the cells that are chosen as the largest depend too much on chance


def intervals(
    table: Table, measures: Sequence[Measure], sampling: Sampling, jackknife: Jackknife | None = None
) -> dict[str, Interval]:
    """A confidence interval for each score of a table; jackknife: of this table, if there is one already."""
    sampling.check()
    if not isinstance(table, Table):
        raise TableError(
            "intervals need all cells, which stay in their engine; leave out ", Option("interval", bare=True), "."
        )
    if not table.integral or table.policy.weighted:
        raise TableError(
            "intervals are for items that count alike; leave out ",
            Option("weights", bare=True),
            ", or ",
            Option("interval", bare=True),
            ".",
        )
    sampling.over(table)
    many = too_many(table.counts.size, sampling)
    smooth = [measure for measure in measures if many or by_jackknife(measure, table)]
    found = _by_jackknife(table, smooth, sampling, jackknife or Jackknife(table, corrected=sampling.corrects))
    rest = [measure for measure in measures if str(measure) not in found]
    if rest and many:
        found.update({str(m): no_interval(float(m.of(table)), many, sampling) for m in rest})
    elif rest:
        values = resampled_values(table, rest, sampling)
        found.update({str(m): bootstrapped(m, table, values[str(m)], sampling) for m in rest})
    return {str(m): found[str(m)] for m in measures}


def _by_jackknife(
    table: Table, measures: Sequence[Measure], sampling: Sampling, jackknife: Jackknife
) -> dict[str, Interval]:
    """The intervals of measures whose leave-one-out scores are known, several at a time."""

    def made(measure: Measure) -> Interval | None:
        influence = jackknife.influence(measure)
        if influence is None:
            return None
        error, caution = influence.error(sampling.unit), cautions(measure, table, sampling)
        if not by_jackknife(measure, table):
            cells = f"{table.counts.size:,} cells are too many to resample"
            caution = Caution(Reason.TOO_MANY_CELLS, f"{cells}: it may be too high or too narrow")
        return sampling.over(table).around(measure, influence.estimate, error, "jackknife", caution)

    jackknife.prepare(measures)
    found = share_out([partial(made, measure) for measure in measures], table.counts.size)
    pairs = zip(measures, found, strict=True)
    return {str(measure): interval for measure, interval in pairs if interval is not None}


def too_many(cells: int, sampling: Sampling) -> Caution | None:
    """Why cells cannot be resampled in reasonable time; None if they can."""
    if cells * sampling.resamples <= AFFORDABLE:
        return None
    text = f"{cells:,} cells are too many for {sampling.resamples:,} resamples; give fewer resamples"
    return Caution(Reason.TOO_MANY_CELLS, text)


def no_interval(score: float, why: Caution, sampling: Sampling) -> Interval:
    """The interval of a score of which nothing is known but the score."""
    return Interval(None, None, score, None, sampling.level, "none", why)


def by_jackknife(measure: Measure, table: Table) -> bool:
    """Whether leaving items out tells how much a score varies: if it is smooth, or items are many."""
    return all(kind.smooth for kind in measure.statistics) or table.n > LARGE


def cautions(measure: Measure, table: Table, sampling: Sampling) -> Caution | None:
    """Why an interval may be too wide or too narrow; None if there is no reason known."""
    units = len(table.class_sizes) if sampling.unit == "classes" else int(table.n)
    if units < SMALL:
        noun = "class" if sampling.unit == "classes" else "item"
        return Caution(Reason.FEW_UNITS, f"{several(units, noun)}, which are few: it may be too narrow")
    if table.n < PER_CLUSTER * table.shape[1] and not all(kind.smooth for kind in measure.statistics):
        few = f"fewer than {PER_CLUSTER} items for each cluster"
        return Caution(Reason.FEW_PER_CLUSTER, f"{few}: it may miss the truth, and tests may find too much")
    size, times = table.profile.cells.arrays
    alone = float(times[size == 1].sum()) / float(table.n)
    if alone > SPARSE and Entropies in measure.statistics and sampling.corrects:
        share = f"{percent(alone)} of the items are alone in their cell"
        return Caution(Reason.LONG_TAIL, f"{share}: it may be too wide, or miss a long tail")
    wrong = table.remember("wrong", lambda: int(table.n - table.cluster_best(count_itself)))
    if wrong < FEW_ERRORS:
        few = f"{several(wrong, 'item')} of a class that is not their cluster's"
        return Caution(Reason.FEW_ERRORS, f"{few}: it may be too narrow")
    return None


def resampled_values(table: Table, measures: Sequence[Measure], sampling: Sampling) -> Mapping[str, Floats]:
    """The scores of each resample."""
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
    """The interval of resampled scores: less what resampling adds, which is about what sampling added."""
    score = float(measure.of(table))
    if not np.isfinite(values).all():
        return no_interval(score, Caution(Reason.NOT_FINITE, "some resamples have no finite score"), sampling)
    (low, high), error, more = measure.bounds, float(values.std(ddof=1)), float(values.mean()) - score
    estimate = min(max(score - more, low), high) if sampling.corrects else score
    caution = cautions(measure, table, sampling)
    if abs(more) > error / 2:
        caution = NEARLY  # whatever else is to be said
    return sampling.over(table).around(measure, estimate, error, "bootstrap", caution)
