"""Text about intervals: what they mean, how they were computed, their ends and their cautions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from karat.output.layout import decimals
from karat.uncertainty.interval import NO_METHOD, Caution, Interval, Reason
from karat.uncertainty.registry import IntervalMethod, find_method
from karat.uncertainty.sampling import Sampling

OUTSIDE = Caution(
    Reason.SCORE_OUTSIDE,
    "outside the interval, since in a small sample cells with few items make it look better or worse than it is; "
    "prefer the interval",
)


def description(sampling: Sampling, intervals: Iterable[Interval]) -> str:
    """What the intervals mean, in a sentence."""
    centred = all(method is None or method.centred for method in _used(intervals).values())
    of = "items" if sampling.unit == "items" else "classes, each with all its items,"
    around = ", centred on a bias-corrected estimate" if sampling.corrects and centred else ""
    population = f"the population the {of} were drawn from"
    return f"{100 * sampling.level:g}% confidence intervals for the score in {population}{around}."


def signature(sampling: Sampling, intervals: Iterable[Interval]) -> str:
    """How the intervals were computed, for a signature; with resamples and seed if any were drawn.

    A method that is not known here, such as a user's own in another process, may have drawn some.
    """
    used = _used(intervals)
    around = "" if sampling.corrects else ",uncorrected"
    any_drawn = any(method.draws if method else name != NO_METHOD for name, method in used.items())
    drawn = f",resamples={sampling.resamples},seed={sampling.seed}" if any_drawn else ""
    return f"interval:{sampling.level:g}({'+'.join(used)},{sampling.unit}{around}{drawn})"


def _used(intervals: Iterable[Interval]) -> dict[str, IntervalMethod | None]:
    """The methods that gave the intervals, by name; None for a name that is not declared."""
    return {name: find_method(name) for name in dict.fromkeys(interval.method for interval in intervals)}


def span(interval: Interval, digits: int) -> str:
    """An interval as printed text, such as 0.4120 to 0.5034; a dash if it has no ends."""
    if interval.low is None:
        return "–"
    return f"{decimals(interval.low, digits)} to {decimals(interval.high, digits)}"


def cautions_of(score: float, interval: Interval) -> list[str]:
    """The cautions as text: a score outside its interval, an interval that may be too wide or narrow."""
    outside = interval.low is not None and interval.high is not None and not interval.low <= score <= interval.high
    own = [] if interval.caution is None else [f"the interval: {interval.caution}"]
    return [str(OUTSIDE), *own] if outside else own


def remarks_on(scores: Mapping[str, float], intervals: Mapping[str, Interval]) -> list[str]:
    """The cautions on scores and intervals as sentences, each once, after the names of its measures."""
    about: dict[str, list[str]] = {}
    for name, interval in intervals.items():
        for text in cautions_of(scores[name], interval):
            about.setdefault(text, []).append(name)
    return [f"{', '.join(names)}: {text}." for text, names in about.items()]
