"""Interval: a confidence interval of a score, with the caution that it deserves."""

from __future__ import annotations

from enum import Enum
from typing import Any, NamedTuple

NO_METHOD = "none"  # Interval.method of an interval without ends


class Reason(Enum):
    """Why the coverage of an interval may differ from its nominal level."""

    FEW_UNITS = "few_units"
    FEW_PER_CLUSTER = "few_per_cluster"
    LONG_TAIL = "long_tail"
    FEW_ERRORS = "few_errors"
    NEARLY_TIED = "nearly_tied"
    TOO_MANY_CELLS = "too_many_cells"
    NOT_FINITE = "not_finite"
    NOT_SMOOTH = "not_smooth"
    NOT_APPLICABLE = "not_applicable"
    SCORE_OUTSIDE = "score_outside"


class Caution(NamedTuple):
    """A reason to distrust an interval, and its wording."""

    reason: Reason
    text: str

    def __str__(self) -> str:
        return self.text


class Interval(NamedTuple):
    """A confidence interval for the score in the population that the items were drawn from.

    estimate is the bias-corrected score, as far as the bias is known; the score is never corrected. Ends and
    standard error are None where they are not known.
    """

    low: float | None
    high: float | None
    estimate: float
    standard_error: float | None
    level: float
    method: str = NO_METHOD  # the method that gave the interval, whatever was asked for
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
