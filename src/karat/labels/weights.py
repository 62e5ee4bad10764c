"""Weights: one finite, non-negative number for each item."""

from __future__ import annotations

import math
from collections.abc import Iterable, Set
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karat.errors import LabelError, brief
from karat.labels.encoding import mask_of
from karat.labels.names import as_array

ALL_ZERO = "all weights are 0; give at least one item a positive weight."


def check_weights(values: Any, size: int | None) -> NDArray[Any]:
    """Weights as an int64 or float64 array; LabelError for a weight that is negative or not finite."""
    if isinstance(values, (str, bytes, Set)) or not (hasattr(values, "__array__") or isinstance(values, Iterable)):
        raise LabelError(f"weights is {brief(values)}; give a list of numbers, one for each item.")
    array = _numbers(values if hasattr(values, "__array__") else list(values))
    if array.ndim != 1 or (size is not None and array.size != size):
        raise LabelError(f"weights has shape {array.shape} but there are {size} items; give one weight per item.")
    bad = np.flatnonzero(~np.isfinite(array) | (array < 0))
    if bad.size:
        raise LabelError(f"weights has {array[bad[0]]} at position {bad[0]}; give finite weights, none negative.")
    if not array.any():
        raise LabelError(ALL_ZERO)
    return array


def _numbers(values: Any) -> NDArray[Any]:
    try:
        array = as_array(values, "weights")
    except LabelError:
        raise
    except ValueError:  # rows of different lengths
        array = np.array(None)
    mask = mask_of(values)
    if mask is not None and mask.any():
        raise LabelError(f"weights has a masked value at position {np.argmax(mask)}; give every item a weight.")
    if array.dtype.kind in "bi" or (array.dtype.kind == "u" and array.max(initial=0) < 1 << 62):
        return array.astype(np.int64)
    if array.dtype.kind in "uf":
        return array.astype(np.float64)
    for position, value in enumerate(values):
        if not isinstance(value, Real) or isinstance(value, np.timedelta64):
            raise LabelError(
                f"weights has {brief(value)} at position {position}, which is not a number; give only numbers."
            )
    return np.array([_float(value) for value in values])


def _float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf
