"""Cells of a contingency table stored in an engine: the interface, and its narwhals implementation."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Self

import narwhals as nw

from karat.sources.engines.dialects import Lazy, cached, collected, columns, uncached
from karat.sources.engines.queries import COUNT, GOLD, PRED, WEIGHT, margin, number, sizes, with_margins
from karat.tables.counts import CellFormula, count_itself
from karat.tables.profile import Sizes, Totals


class Cells(ABC):
    """The non-empty cells of a table (class, cluster, number of items), stored in an engine until close()."""

    fractional: bool  # whether counts are floats, since items have fractional weights
    numeric: bool  # whether the predicted labels are numbers

    @abstractmethod
    def number(self) -> int:
        """The number of non-empty cells."""

    @abstractmethod
    def columns(self) -> dict[str, Any]:
        """Collect all cells: an array or a list for each column, by name."""

    @abstractmethod
    def unlabelled(self) -> int:
        """The number of items without a gold or a predicted label."""

    @abstractmethod
    def labelled(self) -> Self:
        """The cells of items with both a gold and a predicted label."""

    @abstractmethod
    def items_in(self, cluster: Any) -> int:
        """The number of items with this predicted label."""

    @abstractmethod
    def without(self, cluster: Any) -> Self:
        """The cells of all clusters but this one."""

    @abstractmethod
    def sizes(self, side: str | None = None) -> Sizes:
        """A histogram of the sizes of cells; of classes if side is GOLD, of clusters if it is PRED."""

    @abstractmethod
    def groups(self, sides: Sequence[str]) -> dict[str, list[Any]]:
        """Distinct combinations of cell count and class or cluster size, with their frequency.

        The keys are COUNT, SIDE_size for each side, and times (the frequency).
        """

    @abstractmethod
    def best(self, f: CellFormula, side: str, totals: Totals) -> Any:
        """The sum over classes (GOLD) or clusters (PRED) of the maximum of f over their cells."""

    @abstractmethod
    def weighted(self) -> Self:
        """The cells with total weights in place of counts."""

    @abstractmethod
    def close(self) -> None:
        """Release the cells in the engine."""


class LazyCells(Cells):
    """Cells as a narwhals LazyFrame; source is the cached frame that close() releases."""

    def __init__(self, cells: Lazy, source: Lazy | None = None) -> None:
        self.source = cached(cells) if source is None else source
        self.cells = self.source if source is None else cells
        schema = self.cells.collect_schema()
        self.fractional = schema[COUNT].is_float()
        self.numeric = PRED in schema.names() and schema[PRED].is_numeric()

    def number(self) -> int:
        """The number of non-empty cells."""
        return int(number(self.cells, nw.len()))

    def columns(self) -> dict[str, Any]:
        """Collect all cells, as arrays or lists by column."""
        return columns(self.cells)

    def unlabelled(self) -> int:
        """The number of items without a gold or a predicted label."""
        return int(number(self.cells.filter(self._lacks_label), nw.col(COUNT).sum()))

    def labelled(self) -> LazyCells:
        """The cells of items with both a gold and a predicted label."""
        return LazyCells(self.cells.filter(~self._lacks_label), self.source)

    @property
    def _lacks_label(self) -> Any:
        return nw.col(GOLD).is_null() | nw.col(PRED).is_null()

    def items_in(self, cluster: Any) -> int:
        """The number of items with this predicted label."""
        return int(number(self.cells.filter(nw.col(PRED) == cluster), nw.col(COUNT).sum()))

    def without(self, cluster: Any) -> LazyCells:
        """The cells of all clusters but this one."""
        return LazyCells(self.cells.filter(nw.col(PRED) != cluster), self.source)

    def sizes(self, side: str | None = None) -> Sizes:
        """A histogram of the sizes of cells, classes (GOLD) or clusters (PRED)."""
        return sizes(self.cells if side is None else margin(self.cells, side))

    def groups(self, sides: Sequence[str]) -> dict[str, list[Any]]:
        """Distinct combinations of cell count and class or cluster size, with their frequency."""
        keys = [COUNT, *(f"{side}_size" for side in sides)]
        return collected(with_margins(self.cells, sides).group_by(*keys).agg(nw.len().alias("times")))

    def best(self, f: CellFormula, side: str, totals: Totals) -> Any:
        """Sum of maxima of f; f is plain arithmetic, so it is applied to the engine's column expressions."""
        if f is count_itself:
            return int(number(_largest(self.cells, side, nw.col(COUNT)), nw.col("best").sum()))
        cells = with_margins(self.cells, (GOLD, PRED))
        count, gold, pred = (nw.col(name).cast(nw.Float64) for name in (COUNT, f"{GOLD}_size", f"{PRED}_size"))
        return float(number(_largest(cells, side, f(count, gold, pred, totals)), nw.col("best").sum()))

    def weighted(self) -> LazyCells:
        """The cells with total weights in place of counts."""
        weights = nw.col(WEIGHT).alias(COUNT)
        return LazyCells(self.cells.select(GOLD, PRED, weights).filter(nw.col(COUNT) > 0), self.source)

    def close(self) -> None:
        """Release the cells in the engine."""
        uncached(self.source)


def _largest(cells: Lazy, side: str, value: Any) -> Lazy:
    return cells.with_columns(value.alias("value")).group_by(side).agg(nw.col("value").max().alias("best"))
