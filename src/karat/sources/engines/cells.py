"""The cells of a table in an engine: what may be asked of them, and the answers by way of narwhals."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Self

import narwhals as nw

from karat.sources.engines.dialects import Lazy, collected, columns, kept, released
from karat.sources.engines.queries import COUNT, GOLD, PRED, WEIGHT, margin, number, sizes, with_margins
from karat.tables.counts import CellFormula, count_itself
from karat.tables.profile import Sizes


class Cells(ABC):
    """A class, a cluster and a number of items for each non-empty cell, held by an engine until close()."""

    fractional: bool  # whether items have weights that are not integers
    numeric: bool  # whether the predicted labels are numbers

    @abstractmethod
    def number(self) -> int:
        """How many cells there are."""

    @abstractmethod
    def columns(self) -> dict[str, Any]:
        """All cells: an array or a list for each column."""

    @abstractmethod
    def unlabelled(self) -> int:
        """How many items lack a label on either side."""

    @abstractmethod
    def labelled(self) -> Self:
        """The cells of items that have both labels."""

    @abstractmethod
    def items_in(self, cluster: Any) -> int:
        """How many items have this predicted label."""

    @abstractmethod
    def without(self, cluster: Any) -> Self:
        """The cells of all other predicted labels."""

    @abstractmethod
    def sizes(self, side: str | None = None) -> Sizes:
        """How many cells there are of each size; or classes (GOLD), or clusters (PRED)."""

    @abstractmethod
    def groups(self, sides: Sequence[str]) -> dict[str, list[Any]]:
        """How often each count occurs together with the sizes of its class or cluster: COUNT, SIDE_size, times."""

    @abstractmethod
    def best(self, f: CellFormula, side: str) -> Any:
        """The sum over classes, or over clusters, of the largest f(count, class size, cluster size)."""

    @abstractmethod
    def weighed(self) -> Self:
        """The cells with what their items weigh in place of their number."""

    @abstractmethod
    def close(self) -> None:
        """Let the engine forget the cells."""


class LazyCells(Cells):
    """Cells as a lazy frame of narwhals."""

    def __init__(self, cells: Lazy, held: Lazy | None = None) -> None:
        self.held = kept(cells) if held is None else held
        self.cells = self.held if held is None else cells
        schema = self.cells.collect_schema()
        self.fractional = schema[COUNT].is_float()
        self.numeric = PRED in schema.names() and schema[PRED].is_numeric()

    def number(self) -> int:
        """How many cells there are."""
        return int(number(self.cells, nw.len()))

    def columns(self) -> dict[str, Any]:
        """All cells."""
        return columns(self.cells)

    def unlabelled(self) -> int:
        """How many items lack a label on either side."""
        return int(number(self.cells.filter(self._lacking), nw.col(COUNT).sum()))

    def labelled(self) -> LazyCells:
        """The cells of items that have both labels."""
        return LazyCells(self.cells.filter(~self._lacking), self.held)

    @property
    def _lacking(self) -> Any:
        return nw.col(GOLD).is_null() | nw.col(PRED).is_null()

    def items_in(self, cluster: Any) -> int:
        """How many items have this predicted label."""
        return int(number(self.cells.filter(nw.col(PRED) == cluster), nw.col(COUNT).sum()))

    def without(self, cluster: Any) -> LazyCells:
        """The cells of all other predicted labels."""
        return LazyCells(self.cells.filter(nw.col(PRED) != cluster), self.held)

    def sizes(self, side: str | None = None) -> Sizes:
        """How many cells, classes or clusters there are of each size."""
        return sizes(self.cells if side is None else margin(self.cells, side))

    def groups(self, sides: Sequence[str]) -> dict[str, list[Any]]:
        """How often each count occurs together with the sizes of its class or cluster."""
        keys = [COUNT, *(f"{side}_size" for side in sides)]
        return collected(with_margins(self.cells, sides).group_by(*keys).agg(nw.len().alias("times")))

    def best(self, f: CellFormula, side: str) -> Any:
        """The formula is arithmetic, so the engine's own columns go through it."""
        if f is count_itself:
            return int(number(_largest(self.cells, side, nw.col(COUNT)), nw.col("best").sum()))
        cells = with_margins(self.cells, (GOLD, PRED))
        held = [nw.col(name).cast(nw.Float64) for name in (COUNT, f"{GOLD}_size", f"{PRED}_size")]
        return float(number(_largest(cells, side, f(*held)), nw.col("best").sum()))

    def weighed(self) -> LazyCells:
        """The cells with what their items weigh in place of their number."""
        weights = nw.col(WEIGHT).alias(COUNT)
        return LazyCells(self.cells.select(GOLD, PRED, weights).filter(nw.col(COUNT) > 0), self.held)

    def close(self) -> None:
        """Let the engine forget the cells."""
        released(self.held)


def _largest(cells: Lazy, side: str, value: Any) -> Lazy:
    return cells.with_columns(value.alias("value")).group_by(side).agg(nw.col("value").max().alias("best"))
