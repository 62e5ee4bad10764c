"""Sample: a table as a sample of items, with everything that methods of intervals need."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from karat.measures.registry import Measure
from karat.tables.table import Table
from karat.uncertainty.influence import Influence, Jackknife
from karat.uncertainty.interval import Caution, Interval
from karat.uncertainty.reference import Reference
from karat.uncertainty.registry import Need
from karat.uncertainty.resamples import resampled_values
from karat.uncertainty.sampling import Sampling
from karat.uncertainty.validity import caution_on, too_many

Floats = NDArray[np.float64]


class Sample:
    """The input of a method of intervals: a table, the options, and what is computed from both once.

    jackknife: the Jackknife of the table, if its leave-one-out values are to be reused; a new one by default.
    """

    def __init__(self, table: Table, sampling: Sampling, jackknife: Jackknife | None = None) -> None:
        self.table, self.sampling = table, sampling
        self.reference = Reference.of(sampling, table)
        self.too_many = too_many(table.counts.size, sampling)  # a caution, if resampling would take too long
        self._jackknife = jackknife or Jackknife(table, corrected=sampling.corrects)
        self._resampled: dict[str, Floats] = {}

    def prepare(self, needs: Iterable[Need], measures: Sequence[Measure]) -> None:
        """Compute what a method needs for these measures."""
        if Need.LEAVE_ONE_OUT in needs:
            self._jackknife.prepare(measures)
        if Need.RESAMPLES in needs:
            new = [measure for measure in measures if str(measure) not in self._resampled]
            self._resampled.update(resampled_values(self.table, new, self.sampling) if new else {})

    def score(self, measure: Measure) -> float:
        """The score of the table."""
        return float(measure.of(self.table))

    def influence(self, measure: Measure) -> Influence | None:
        """The influence of each cell's items on a score; None if the measure has no leave-one-out scores."""
        return self._jackknife.influence(measure)

    def resampled(self, measure: Measure) -> Floats:
        """The scores of the bootstrap resamples, one each."""
        return self._resampled[str(measure)]

    def caution(self, measure: Measure) -> Caution | None:
        """Why an interval of the measure may be too wide or too narrow; None if no reason is known."""
        return caution_on(measure, self.table, self.sampling)

    def around(self, measure: Measure, estimate: float, error: float, caution: Caution | None = None) -> Interval:
        """The interval of an estimate with this standard error; caution: replaces the default one."""
        reach = self.reference.z * error
        return self.between(measure, estimate - reach, estimate + reach, estimate, error, caution)

    def between(
        self, measure: Measure, low: float, high: float, estimate: float, error: float, caution: Caution | None = None
    ) -> Interval:
        """The interval with these ends, clipped to the bounds of the measure; caution: replaces the default one."""
        lowest, highest = map(float, measure.bounds)
        ends = max(lowest, low), min(highest, high)
        return Interval(*ends, estimate, error, self.sampling.level, caution=caution or self.caution(measure))
