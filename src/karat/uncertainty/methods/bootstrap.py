"""The bootstrap: standard error and bias of a score from resamples of the items."""

from karat.measures.registry import Measure
from karat.uncertainty.interval import Caution, Interval, Reason
from karat.uncertainty.registry import Need, interval_method
from karat.uncertainty.resamples import bias_corrected
from karat.uncertainty.sample import Sample

NEARLY = Caution(Reason.NEARLY_TIED, "other cells are nearly as good as the best ones: it may miss the true value")


@interval_method(needs=[Need.RESAMPLES], centred=True, automatic=2)
def bootstrap(sample: Sample, measure: Measure) -> Interval | None:
    """The score less its bias, and its standard error, both from resamples of the items."""
    values, score = sample.resampled(measure), sample.score(measure)
    error, bias = float(values.std(ddof=1)), float(values.mean()) - score
    estimate = bias_corrected(measure, score, values, sample.sampling)
    serious = abs(bias) > error / 2  # the most serious reason, so it replaces any other
    return sample.around(measure, estimate, error, NEARLY if serious else None)
