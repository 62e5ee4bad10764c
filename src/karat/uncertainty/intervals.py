"""Confidence intervals of scores, by the method asked for, or by the first that is valid."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from karat.errors import Option, TableError
from karat.kernels.threads import share_out
from karat.measures.registry import Measure
from karat.tables.table import Table
from karat.uncertainty.influence import Jackknife
from karat.uncertainty.interval import Caution, Interval, Reason
from karat.uncertainty.methods import AUTO
from karat.uncertainty.registry import IntervalMethod, find_method, list_methods
from karat.uncertainty.sample import Sample
from karat.uncertainty.sampling import Sampling

NOT_FINITE = Caution(Reason.NOT_FINITE, "some resamples have no finite score")


def intervals(
    table: Table, measures: Sequence[Measure], sampling: Sampling, jackknife: Jackknife | None = None
) -> dict[str, Interval]:
    """A confidence interval for each score of a table, by measure.

    jackknife: the Jackknife of the table, if its leave-one-out values are to be reused; a new one by default.
    """
    _check(table)
    sample = Sample(table, sampling, jackknife)
    done: dict[str, Interval] = {}
    methods = _methods(sampling)
    for method in methods:
        rest = [measure for measure in measures if str(measure) not in done]
        suited = [m for m in rest if sampling.method != AUTO or method.suits(sample, m)]
        done.update(_by_method(method, sample, suited))
    why = _refused(methods, sample)
    return {str(m): done.get(str(m)) or _without_ends(sample, m, why) for m in measures}


def _check(table: Table) -> None:
    """Refuse tables whose cells are not known, or are not counts of items."""
    if not isinstance(table, Table):
        raise TableError(
            "intervals need all cells, but they are in an engine; leave out ", Option("interval", bare=True), "."
        )
    if not table.integral or table.policy.weighted:
        raise TableError(
            "intervals need items of equal weight; leave out ",
            Option("weights", bare=True), ", or ", Option("interval", bare=True), ".",
        )  # fmt: skip


def _methods(sampling: Sampling) -> list[IntervalMethod]:
    """The methods to try, in order."""
    if sampling.method == AUTO:
        return [method for method in list_methods() if method.automatic is not None]
    method = find_method(sampling.method)
    return [] if method is None else [method]


def _by_method(method: IntervalMethod, sample: Sample, measures: Sequence[Measure]) -> dict[str, Interval]:
    """The intervals that a method has, in parallel where that is faster."""
    if not measures or (method.draws and sample.too_many):
        return {}
    sample.prepare(method.needs, measures)

    def interval_of(measure: Measure) -> Interval | None:
        if method.draws and not np.isfinite(sample.resampled(measure)).all():
            return _without_ends(sample, measure, NOT_FINITE)
        interval = method.function(sample, measure)
        return None if interval is None else interval._replace(method=method.name)

    tasks = [partial(interval_of, measure) for measure in measures]
    # after drawing little is left to do, and a user's own function may not be safe in threads
    intervals = [task() for task in tasks] if method.draws else share_out(tasks, sample.table.counts.size)
    pairs = zip(measures, intervals, strict=True)
    return {str(measure): interval for measure, interval in pairs if interval is not None}


def _refused(methods: Sequence[IntervalMethod], sample: Sample) -> Caution:
    """Why measures are left without an interval."""
    if sample.too_many and any(method.draws for method in methods):
        return sample.too_many
    names = " and ".join(method.name for method in methods)
    return Caution(Reason.NOT_APPLICABLE, f"{names} cannot be computed for this measure")


def _without_ends(sample: Sample, measure: Measure, why: Caution) -> Interval:
    """An Interval without ends, for a score whose uncertainty is not known."""
    return Interval(None, None, sample.score(measure), None, sample.sampling.level, caution=why)
