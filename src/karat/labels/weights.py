"""Weights: one finite, non-negative number for each item."""

from __future__ import annotations

import math
from collections.abc import Iterable, Set
from decimal import Decimal
from fractions import Fraction
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karat.errors import LabelError, brief
from karat.kernels.objects import types_of
from karat.labels.encoding import mask_of
from karat.labels.names import as_array

EXACT = 2.0**53  # floats below it can hold every integer
DIGITS = 400  # before or after the decimal point of a decimal weight
ALL_ZERO = "all weights are 0; give at least one item a positive weight."


def check_weights(values: Any, size: int | None) -> NDArray[Any]:
    """Weights as an array of int64, float64, or of exact fractions (dtype object) if decimals or fractions are given.

    LabelError for a weight that is negative or not finite.
    """
    if isinstance(values, (str, bytes, Set)) or not (hasattr(values, "__array__") or isinstance(values, Iterable)):
        raise LabelError(f"weights is {brief(values)}; give a list of numbers, one for each item.")
    array = _numbers(values if hasattr(values, "__array__") else list(values))
    if array.ndim != 1 or (size is not None and array.size != size):
        raise LabelError(f"weights has shape {array.shape} but there are {size} items; give one weight per item.")
    bad = np.flatnonzero((array < 0) if array.dtype.kind == "O" else ~np.isfinite(array) | (array < 0))
    if bad.size:
        raise LabelError(f"weights has {array[bad[0]]} at position {bad[0]}; give finite weights, none negative.")
    if not array.any():
        raise LabelError(ALL_ZERO)
    return array


def _numbers(values: Any) -> NDArray[Any]:
    try:
        nested = isinstance(values, (list, tuple)) and not types_of(values).isdisjoint((list, tuple))
        array = np.array(None) if nested else as_array(values, "weights")
    except LabelError:
        raise
    except ValueError:  # rows of different lengths
        array = np.array(None)
    mask = mask_of(values)
    if mask is not None and mask.any():
        raise LabelError(f"weights has a masked value at position {np.argmax(mask)}; give every item a weight.")
    if array.dtype.kind in "bi" or (array.dtype.kind == "u" and array.max(initial=0) < 1 << 62):
        return array.astype(np.int64)
    if array.dtype.kind == "u" or (array.dtype.kind == "f" and not _is_rounded(array, values)):
        return array.astype(np.float64)
    given = array if array.dtype.kind == "O" and array.ndim == 1 else values  # an Arrow array has scalars of its own
    return _exact([_number(value, position) for position, value in enumerate(given)])


def _is_rounded(array: NDArray[Any], values: Any) -> bool:
    """Whether integers beside floats, or floats of more than 64 bits, may have no equal among floats of 64 bits."""
    if array.dtype.itemsize > 8:
        return array.ndim == 1
    if hasattr(values, "__array__") or array.ndim != 1 or not (array >= EXACT).any():
        return False
    return not all(issubclass(kind, (float, np.floating)) for kind in types_of(values))


def _number(value: Any, position: int) -> Any:
    """A number as a float if it is one, else as an exact fraction; infinite if it is not finite."""
    if not isinstance(value, (Real, Decimal)) or isinstance(value, np.timedelta64):
        raise LabelError(
            f"weights has {brief(value)} at position {position}, which is not a number; give only numbers."
        )
    if isinstance(value, np.integer):
        return Fraction(int(value))
    if isinstance(value, np.longdouble) and not np.isfinite(value):
        return _float(value)
    if isinstance(value, (float, np.float16, np.float32)) or not hasattr(value, "as_integer_ratio"):
        return _float(value)
    if isinstance(value, Decimal) and not (value.is_finite() and abs(value.adjusted()) <= DIGITS):
        return math.nan if value.is_nan() else math.inf if value > 0 else -math.inf
    exact: Any = value  # a Real need not offer as_integer_ratio(); int, Fraction and Decimal do
    fraction = Fraction(*exact.as_integer_ratio())
    if fraction and not _float(fraction):
        raise LabelError(
            f"weights has {brief(value)} at position {position}, which as a float is 0; scale the weights."
        )
    return fraction if math.isfinite(_float(fraction)) else (math.inf if fraction > 0 else -math.inf)


def _exact(numbers: list[Any]) -> NDArray[Any]:
    """Numbers as integers if all are integral and not too large, as floats if all are, else as exact fractions."""
    if any(isinstance(number, float) for number in numbers):
        kinds = {type(number) for number in numbers}
        if kinds == {float} or not all(map(math.isfinite, (n for n in numbers if isinstance(n, float)))):
            return np.array([_float(number) for number in numbers])
        numbers = [Fraction(number) for number in numbers]
    if all(number.denominator == 1 and abs(number) < 1 << 62 for number in numbers):
        return np.array([int(number) for number in numbers], dtype=np.int64)
    array = np.empty(len(numbers), dtype=object)
    array[:] = numbers
    return array


def _float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf
