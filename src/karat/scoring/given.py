"""Types of the arguments of verbs, by which type checkers know what a verb returns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, Protocol, TypeAlias

from karat.labels.encoding import Labels
from karat.scoring.panels import MeasureLike


class Frame(Protocol):
    """A data frame: it has columns, where a Series or an array has none."""

    @property
    def columns(self) -> Any:
        """The names of the columns."""


class Array(Protocol):
    """A Series, an array or a tensor."""

    def __array__(self) -> Any:
        """The values as a NumPy array."""


Label: TypeAlias = str | bytes | int | float | None
System: TypeAlias = Sequence[Any] | AbstractSet[Any] | Array | Labels | Mapping[Any, Label]  # labels, or clusters
Systems: TypeAlias = Frame | Mapping[str, list[Any] | Array | Labels | Mapping[Any, Any]]
Columns: TypeAlias = list[str] | tuple[str, ...]
Groups: TypeAlias = str | Sequence[Any] | Array | Mapping[Any, Any]
Measures: TypeAlias = MeasureLike | Iterable[MeasureLike] | None
Level: TypeAlias = float | bool | None  # of confidence intervals
