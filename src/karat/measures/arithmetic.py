"""The functions that formulas are written with; each takes numbers or arrays."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from karat.errors import MeasureError, brief

Number: TypeAlias = Any  # int, Fraction or float for one table; an array of shape (m,) for a stack of m tables


def ratio(top: Number, bottom: Number, empty: Number) -> Number:
    """top / bottom, or empty where both are 0.

    >>> ratio(1, 4, empty=1), ratio(0, 0, empty=1)
    (0.25, 1)
    """
    try:
        if _scalar(top, bottom, empty):
            if bottom != 0:
                return top / bottom
            return empty if top == 0 else math.copysign(math.inf, top)
        nothing = (np.asarray(top) == 0) & (np.asarray(bottom) == 0)
        with np.errstate(divide="ignore"):
            return np.where(nothing, empty, np.divide(top, np.where(nothing, 1.0, bottom)))
    except (TypeError, ValueError, NotImplementedError) as problem:
        raise _no_numbers(f"ratio({brief(top)}, {brief(bottom)}, {brief(empty)})") from problem


def _no_numbers(call: str) -> MeasureError:
    return MeasureError(f"{call} is not defined; give numbers, or arrays of numbers of one shape.")


def choose(condition: Number, value: Number, other: Number) -> Number:
    """value where the condition holds, else other."""
    if _scalar(condition, value, other):
        return value if condition else other
    return np.where(condition, value, other)


def is_zero(value: Number) -> Number:
    """1 where value is 0, else 0."""
    return 1 * (value == 0)


def unless_zero(value: Number) -> Number:
    """value, or 1 where it is 0: a safe divisor."""
    return value + is_zero(value)


def zero_if_rounding(value: Number, scale: Number) -> Number:
    """value, or 0 where it is within the rounding error of a difference of numbers as large as scale."""
    return value * (abs(value) > 1e-14 * scale)


def positive_sum(value: Number, change: Number) -> Number:
    """value + change, for a sum of positive terms; 0 where only rounding error is left."""
    return larger(zero_if_rounding(value + change, value + abs(change)), 0.0)


def f_mean(first: Number, second: Number, weight: Number = 1) -> Number:
    """The weighted harmonic mean (1+w)xy / (wx + y); 0 if both are 0. A weight above 1 favours the second.

    With an infinite weight it is the second, and 0 where the first is 0, as in the limit.
    """
    try:
        if _scalar(weight) and weight == math.inf:
            return second * (1 - is_zero(first))
        return ratio((1 + weight) * first * second, weight * first + second, empty=0)
    except (TypeError, ValueError, NotImplementedError) as problem:
        raise _no_numbers(f"f_mean({brief(first)}, {brief(second)}, {brief(weight)})") from problem


def _lifted(scalar: Callable[..., Any], array: Callable[..., Any]) -> Callable[..., Number]:
    def function(*values: Number) -> Number:
        return scalar(*values) if _scalar(*values) else array(*values)

    return function


def _scalar(*values: Number) -> bool:
    return not any(isinstance(value, np.ndarray) for value in values)


sqrt = _lifted(math.sqrt, np.sqrt)
log = _lifted(math.log, np.log)
smaller = _lifted(min, np.minimum)
larger = _lifted(max, np.maximum)
