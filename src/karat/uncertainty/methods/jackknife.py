"""The jackknife: standard errors from leave-one-out scores."""

from karat.measures.registry import Measure
from karat.uncertainty.interval import Caution, Interval, Reason
from karat.uncertainty.registry import Need, interval_method
from karat.uncertainty.sample import Sample
from karat.uncertainty.validity import by_jackknife


def _valid(sample: Sample, measure: Measure) -> bool:
    """Whether the jackknife is valid, or the only method that can be afforded."""
    return sample.too_many is not None or by_jackknife(measure, sample.table)


@interval_method(needs=[Need.LEAVE_ONE_OUT], centred=True, automatic=1, suits=_valid)
def jackknife(sample: Sample, measure: Measure) -> Interval | None:
    """The bias-corrected estimate and its standard error from leave-one-out scores; nothing is drawn."""
    influence = sample.influence(measure)
    if influence is None:
        return None
    error, caution = influence.error(sample.sampling.unit), None
    if not by_jackknife(measure, sample.table):
        caution = Caution(Reason.NOT_SMOOTH, "the largest cells may change: it may be too high or too narrow")
        if sample.too_many is not None:
            cells = f"{sample.table.counts.size:,} cells are too many to resample"
            caution = Caution(Reason.TOO_MANY_CELLS, f"{cells}: it may be too high or too narrow")
    return sample.around(measure, influence.estimate, error, caution)
