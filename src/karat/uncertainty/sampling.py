"""Confidence intervals: their options (Sampling), their values (Interval) and their cautions."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from enum import Enum
from numbers import Integral, Real
from typing import Any, Literal, NamedTuple, TypeAlias

from karat.errors import MeasureError, Option
from karat.limits import RESAMPLES as RESAMPLES_LIMIT
from karat.measures.registry import Measure
from karat.output.layout import decimals

Unit: TypeAlias = Literal["items", "classes"]

RESAMPLES = 1000


class Reason(Enum):
    """Why the coverage of an interval may differ from its nominal level."""

    FEW_UNITS = "few_units"
    FEW_PER_CLUSTER = "few_per_cluster"
    LONG_TAIL = "long_tail"
    FEW_ERRORS = "few_errors"
    NEARLY_TIED = "nearly_tied"
    TOO_MANY_CELLS = "too_many_cells"
    NOT_FINITE = "not_finite"
    SCORE_OUTSIDE = "score_outside"


class Caution(NamedTuple):
    """A reason to distrust an interval, and its wording."""

    reason: Reason
    text: str

    def __str__(self) -> str:
        return self.text


class Interval(NamedTuple):
    """A confidence interval for the score in the population that the items were drawn from.

    estimate is the bias-corrected score, as far as the bias is known; the score itself is not corrected. Ends and
    standard error are None where they are not known.
    """

    low: float | None
    high: float | None
    estimate: float
    standard_error: float | None
    level: float
    method: str  # "jackknife", "bootstrap", or "none"
    caution: Caution | None = None  # why it may be too wide or too narrow

    @property
    def fields(self) -> dict[str, Any]:
        """The fields by name, as plain values."""
        caution = None if self.caution is None else self.caution.text
        reason = None if self.caution is None else self.caution.reason.value
        return {**self._asdict(), "caution": caution, "caution_reason": reason}

    def __contains__(self, value: object) -> bool:
        if self.low is None or self.high is None:
            return False
        return isinstance(value, (int, float)) and self.low <= value <= self.high


class Sampling(NamedTuple):
    """The options of confidence intervals: level, sampling unit, bias correction, resamples, seed."""

    level: float = 0.95
    unit: Unit = "items"
    corrected: bool = True
    resamples: int = RESAMPLES
    seed: int = 0
    freedom: int | None = None  # degrees of freedom of Student's t, when the sampling unit is the class

    @classmethod
    def asked(
        cls, interval: float | bool | None, unit: Unit, corrected: bool, resamples: int, seed: int
    ) -> Sampling | None:
        """The options of a verb, validated; None if no intervals are wanted. True means a level of 0.95."""
        if interval is None or interval is False:
            return None
        return cls(0.95 if interval is True else interval, unit, corrected, resamples, seed).check()

    def check(self) -> Sampling:
        """Validate the options and return self."""
        if not isinstance(self.level, Real) or not 0.5 <= float(self.level) < 1:
            raise MeasureError(
                Option("interval", (self.level,)),
                " is not a confidence level; give a number such as 0.95.",
            )
        if self.unit not in ("items", "classes"):
            raise MeasureError(Option("unit", (self.unit,)), " is not a sampling unit; use 'items' or 'classes'.")
        if not isinstance(self.resamples, Integral) or self.resamples < 2:
            raise MeasureError(Option("resamples", (self.resamples,)), " are too few; give 1000, or 2 at least.")
        RESAMPLES_LIMIT.check(int(self.resamples), "resamples", MeasureError)
        if not isinstance(self.seed, Integral) or self.seed < 0:
            raise MeasureError(Option("seed", (self.seed,)), " is not a seed; give a whole number, 0 or more.")
        return self

    @property
    def corrects(self) -> bool:
        """Whether bias is corrected: not if classes are the sampling unit, since they are complete."""
        return self.corrected and self.unit == "items"

    @property
    def description(self) -> str:
        """What the intervals mean, in a sentence."""
        of = "items" if self.unit == "items" else "classes, each with all its items,"
        around = ", centred on a bias-corrected estimate" if self.corrects else ""
        population = f"the population the {of} were drawn from"
        return f"{100 * self.level:g}% confidence intervals for the score in {population}{around}."

    def signature(self, methods: Iterable[str]) -> str:
        """The options of the intervals for a signature; with resamples and seed if any were drawn."""
        used = list(dict.fromkeys(methods))
        around = "" if self.corrects else ",uncorrected"
        drawn = f",resamples={self.resamples},seed={self.seed}" if "bootstrap" in used else ""
        return f"interval:{self.level:g}({'+'.join(used)},{self.unit}{around}{drawn})"

    def over(self, table: Any) -> Sampling:
        """The options for a table: with its degrees of freedom, if classes are the sampling unit."""
        if self.unit == "items":
            return self
        classes = len(table.class_sizes)
        if classes < 2:
            raise MeasureError(
                Option("unit", ("classes",)), " needs two classes or more to estimate a variance; use 'items'."
            )
        return self._replace(freedom=classes - 1)

    @property
    def z(self) -> float:
        """The half-width of an interval in standard errors: a quantile of the normal or t distribution."""
        if self.freedom is not None:
            from scipy.special import stdtrit

            return float(stdtrit(self.freedom, 0.5 + self.level / 2))
        from statistics import NormalDist  # imported late: loading it takes as long as reading a small file

        return NormalDist().inv_cdf(0.5 + self.level / 2)

    def p(self, gap: float, error: float) -> float:
        """The two-sided p-value of a difference with this standard error, if there were no difference.

        1 if the standard error is 0, since nothing can be concluded without variation.
        """
        if not error > 0 or not math.isfinite(gap):
            return 1.0
        if self.freedom is not None:
            from scipy.special import stdtr

            return float(2 * stdtr(self.freedom, -abs(gap) / error))
        return math.erfc(abs(gap) / error / math.sqrt(2))

    def around(
        self, measure: Measure, estimate: float, error: float, method: str, caution: Caution | None = None
    ) -> Interval:
        """The interval around an estimate, clipped to the measure's bounds."""
        low, high = map(float, measure.bounds)
        ends = max(low, estimate - self.z * error), min(high, estimate + self.z * error)
        return Interval(*ends, estimate, error, self.level, method, caution)


def span(interval: Interval, digits: int) -> str:
    """An interval as printed text, such as 0.4120 to 0.5034; a dash if it has no ends."""
    if interval.low is None:
        return "–"
    return f"{decimals(interval.low, digits)} to {decimals(interval.high, digits)}"


OUTSIDE = Caution(
    Reason.SCORE_OUTSIDE,
    "outside the interval, since in a small sample cells with few items make it look better or worse than it is; "
    "prefer the interval",
)


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
