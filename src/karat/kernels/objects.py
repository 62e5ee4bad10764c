"""Types and numbers of Python objects."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karat.kernels import twin


@twin
def number_objects(values: list[Any]) -> tuple[NDArray[np.int64], list[Hashable]]:
    """The code of each object, numbered in order of first occurrence, and the distinct objects."""
    size, seen = len(values), dict.fromkeys(values)
    if len(values) != size:
        raise RuntimeError("the labels changed while they were counted")
    for code, value in enumerate(seen):
        seen[value] = code
    return np.fromiter(map(seen.__getitem__, values), dtype=np.int64, count=len(values)), list(seen)


@twin
def types_of(values: Iterable[Any]) -> set[type]:
    """The types of some objects, which are mostly of one type."""
    return set(map(type, values))
