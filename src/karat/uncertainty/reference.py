"""Reference: the distribution of an estimate in standard errors, for intervals and p-values."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from karat.errors import MeasureError, Option
from karat.limits import SMALLEST_P
from karat.uncertainty.sampling import Sampling


class Reference(NamedTuple):
    """The normal distribution, or Student's t, with a level of confidence."""

    level: float
    freedom: int | None = None  # degrees of freedom of Student's t; None: normal

    @classmethod
    def of(cls, sampling: Sampling, table: Any) -> Reference:
        """The distribution for a table: Student's t if classes are the sampling unit, which are few."""
        if sampling.unit == "items":
            return cls(sampling.level)
        classes = len(table.class_sizes)
        if classes < 2:
            raise MeasureError(
                Option("unit", ("classes",)), " needs two classes or more to estimate a variance; use 'items'."
            )
        return cls(sampling.level, classes - 1)

    @property
    def z(self) -> float:
        """The half-width of an interval in standard errors: a quantile of the distribution."""
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

            return max(SMALLEST_P, float(2 * stdtr(self.freedom, -abs(gap) / error)))
        return max(SMALLEST_P, math.erfc(abs(gap) / error / math.sqrt(2)))
