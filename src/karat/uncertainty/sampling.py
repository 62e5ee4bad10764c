"""What intervals are, how they are asked for, and how they read."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from numbers import Integral, Real
from typing import Any, Literal, NamedTuple, TypeAlias

from karat.errors import MeasureError
from karat.limits import RESAMPLES as RESAMPLES_LIMIT
from karat.registry import Measure
from karat.rendering import decimals

Unit: TypeAlias = Literal["items", "classes"]

RESAMPLES = 1000


class Interval(NamedTuple):
    """Where the score of the population is likely to be.

    estimate is the score with its bias taken away, as far as that is known; the score stays what its definition says.
    """

    low: float
    high: float
    estimate: float
    standard_error: float
    level: float
    method: str  # "jackknife", "bootstrap", or "none"
    caution: str = ""  # why it may be too wide or too narrow

    @property
    def fields(self) -> dict[str, Any]:
        """The fields by name, None where a number is not known."""
        return {name: None if value != value else value for name, value in self._asdict().items()}

    def __contains__(self, value: object) -> bool:
        return isinstance(value, (int, float)) and self.low <= value <= self.high


class Sampling(NamedTuple):
    """How intervals are made."""

    level: float = 0.95
    unit: Unit = "items"
    corrected: bool = True
    resamples: int = RESAMPLES
    seed: int = 0
    freedom: int | None = None  # degrees of it, if units are few classes

    def check(self) -> Sampling:
        """Itself, if all can be."""
        if not isinstance(self.level, Real) or not 0.5 <= float(self.level) < 1:
            raise MeasureError(f"interval={self.level!r} is not a share of intervals; give one such as 0.95.")
        if self.unit not in ("items", "classes"):
            raise MeasureError(f"unit={self.unit!r} is not what is sampled; use 'items' or 'classes'.")
        if not isinstance(self.resamples, Integral) or self.resamples < 2:
            raise MeasureError(f"resamples={self.resamples!r} are too few; give 1000, or 2 at least.")
        RESAMPLES_LIMIT.check(int(self.resamples), "resamples", MeasureError)
        if not isinstance(self.seed, Integral) or self.seed < 0:
            raise MeasureError(f"seed={self.seed!r} is no seed; give a whole number from 0 on.")
        return self

    @property
    def corrects(self) -> bool:
        """Whether bias is corrected: not if whole classes were drawn, which are complete whatever their number."""
        return self.corrected and self.unit == "items"

    @property
    def told(self) -> str:
        """What the intervals mean, in a sentence."""
        of = "items" if self.unit == "items" else "classes, each with all its items,"
        around = ", around an estimate with less bias than the score" if self.corrects else ""
        return f"Intervals hold the score of more {of} of the same kind {100 * self.level:g} times in 100{around}."

    def signature(self, methods: Iterable[str]) -> str:
        """How intervals were made, for a signature: also from which draws, if there were any."""
        used = list(dict.fromkeys(methods))
        around = "" if self.corrects else ",uncorrected"
        drawn = f",resamples={self.resamples},seed={self.seed}" if "bootstrap" in used else ""
        return f"interval:{self.level:g}({'+'.join(used)},{self.unit}{around}{drawn})"

    def over(self, table: Any) -> Sampling:
        """Itself for a table: if whole classes were drawn, with as many degrees of freedom as they leave."""
        if self.unit == "items":
            return self
        classes = len(table.class_sizes)
        if classes < 2:
            raise MeasureError("unit='classes' needs two classes or more, of which one cannot tell how much they vary.")
        return self._replace(freedom=classes - 1)

    @property
    def z(self) -> float:
        """How many standard errors an interval reaches to each side."""
        if self.freedom is not None:
            from scipy.special import stdtrit

            return float(stdtrit(self.freedom, 0.5 + self.level / 2))
        from statistics import NormalDist  # which takes as long to load as a small file to read

        return NormalDist().inv_cdf(0.5 + self.level / 2)

    def p(self, gap: float, error: float) -> float:
        """The probability of a gap as large as this, in either direction, if there were none.

        1 without any variation, by which nothing can be told.
        """
        if not error > 0 or not math.isfinite(gap):
            return 1.0
        if self.freedom is not None:
            from scipy.special import stdtr

            return float(2 * stdtr(self.freedom, -abs(gap) / error))
        return math.erfc(abs(gap) / error / math.sqrt(2))

    def around(self, measure: Measure, estimate: float, error: float, method: str, caution: str = "") -> Interval:
        """An interval that stays within the measure's bounds."""
        low, high = map(float, measure.bounds)
        ends = max(low, estimate - self.z * error), min(high, estimate + self.z * error)
        return Interval(*ends, estimate, error, self.level, method, caution)


def span(found: Interval, digits: int) -> str:
    """An interval as it is printed."""
    if math.isnan(found.low):
        return "–"
    return f"{decimals(found.low, digits)} to {decimals(found.high, digits)}"


def cautions_of(score: float, found: Interval) -> list[str]:
    """What to beware of: a score outside its own interval, and an interval that may be too wide or too narrow."""
    told = []
    if score > found.high or score < found.low:
        told.append(
            "outside the interval, since in a small sample cells with few items make it look better or worse than it "
            "is; prefer the interval"
        )
    return [*told, f"the interval: {found.caution}"] if found.caution else told


def remarks_on(scores: Mapping[str, float], found: Mapping[str, Interval]) -> list[str]:
    """What to beware of, each once, with the scores that it is about."""
    told: dict[str, list[str]] = {}
    for name, interval in found.items():
        for text in cautions_of(scores[name], interval):
            told.setdefault(text, []).append(name)
    return [f"{', '.join(names)}: {text}." for text, names in told.items()]
