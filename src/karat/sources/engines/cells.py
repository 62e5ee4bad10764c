"""Cells of a contingency table stored in an engine: the interface, and its narwhals implementation."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Self
from zoneinfo import ZoneInfo

import narwhals as nw
import numpy as np

from karat.sources.engines.dialects import Lazy, cached, collected, columns, uncached
from karat.sources.engines.queries import COUNT, GOLD, PRED, WEIGHT, margin, number, sizes, with_margins
from karat.sources.engines.sums import CHECKS, check_of, check_sums
from karat.tables.counts import CellFormula, count_itself
from karat.tables.profile import Sizes, Totals, exact_sum_of_products

KINDS: dict[str, tuple[Any, ...]] = {
    "boolean": (nw.Boolean,), "text": (nw.String, nw.Categorical, nw.Enum), "bytes": (nw.Binary,), "date": (nw.Date,),
    "duration": (nw.Duration,), "time of day": (nw.Time,),
}  # fmt: skip


class Cells(ABC):
    """The non-empty cells of a table (class, cluster, number of items), stored in an engine until close()."""

    names: Sequence[str]  # of the columns
    kind: str  # of the predicted labels, as kind_of() names it
    integral: Collection[str]  # the columns of integers
    nested: Mapping[str, str]  # the types of the columns of lists and records, by name

    @abstractmethod
    def number(self) -> int:
        """The number of non-empty cells."""

    @abstractmethod
    def columns(self) -> dict[str, Any]:
        """Collect all cells: an array or a list for each column, by name."""

    @abstractmethod
    def check(self, name: str) -> None:
        """Raise TableError for a missing, negative or infinite count (COUNT) or weight (WEIGHT)."""

    @abstractmethod
    def unlabelled(self) -> int:
        """The number of items without a gold or a predicted label."""

    @abstractmethod
    def labelled(self) -> Self:
        """The cells of items with both a gold and a predicted label."""

    @abstractmethod
    def clusters_like(self, cluster: Any) -> dict[Any, int]:
        """The number of items of each cluster that the engine finds equal to a label of the same kind.

        The engine may round to compare, so more clusters than one may be equal.
        """

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
    """Cells as a narwhals LazyFrame; sources are the cached frames that close() releases."""

    def __init__(self, cells: Lazy, sources: Sequence[Lazy]) -> None:
        self.cells, self.sources = cells, sources
        schema = cells.collect_schema()
        self.names = schema.names()
        self.kind = kind_of(schema[PRED]) if PRED in self.names else "other"
        self.integral = [name for name, kind in schema.items() if kind.is_integer()]
        self.nested = {name: str(kind) for name, kind in schema.items() if kind.is_nested()}

    @classmethod
    def of(cls, cells: Lazy, sources: Sequence[Lazy] = ()) -> LazyCells:
        """Cache cells in their engine; sources: cached frames that they are counted from."""
        kept = cached(cells)
        return cls(kept, [kept, *sources])

    def number(self) -> int:
        """The number of non-empty cells."""
        return int(number(self.cells, nw.len()))

    def columns(self) -> dict[str, Any]:
        """Collect all cells, as arrays or lists by column."""
        return columns(self.cells)

    def unlabelled(self) -> int:
        """The number of items without a gold or a predicted label."""
        return int(number(self.cells.filter(self._lacks_label), nw.col(COUNT).sum()))

    def check(self, name: str) -> None:
        """Raise TableError for a missing, negative or infinite count (COUNT) or weight (WEIGHT)."""
        checks = {what: check_of(name, what) for what in CHECKS if check_of(name, what) in self.names}
        if checks:
            asked = (getattr(nw.col(column), CHECKS[what])().alias(column) for what, column in checks.items())
            check_sums(collected(self.cells.select(*asked)), name)

    def labelled(self) -> LazyCells:
        """The cells of items with both a gold and a predicted label."""
        return LazyCells(self.cells.filter(~self._lacks_label), self.sources)

    @property
    def _lacks_label(self) -> Any:
        return nw.col(GOLD).is_null() | nw.col(PRED).is_null()

    def clusters_like(self, cluster: Any) -> dict[Any, int]:
        """The number of items of each cluster that the engine finds equal to a label."""
        found = collected(margin(self.cells.filter(nw.col(PRED) == self._literal(cluster)), PRED))
        return dict(zip(found[PRED], found[COUNT], strict=True))

    def without(self, cluster: Any) -> LazyCells:
        """The cells of all clusters but this one."""
        return LazyCells(self.cells.filter(nw.col(PRED) != self._literal(cluster)), self.sources)

    def _literal(self, cluster: Any) -> Any:
        """A label as it is compared with clusters: an instant in their time zone, since Polars compares no others."""
        zone = getattr(self.cells.collect_schema()[PRED], "time_zone", None)
        return cluster if zone is None else cluster.astimezone(ZoneInfo(zone))

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
        count, gold, pred = (nw.col(name) for name in (COUNT, f"{GOLD}_size", f"{PRED}_size"))
        best = _largest(cells, side, f(count, gold, pred, totals))
        found = collected(best.group_by("best").agg(nw.len().alias("times")))
        return exact_sum_of_products(np.array(found["best"]), np.array(found["times"]))

    def weighted(self) -> LazyCells:
        """The cells with total weights in place of counts."""
        weights = nw.col(WEIGHT).alias(COUNT)
        return LazyCells(self.cells.select(GOLD, PRED, weights).filter(nw.col(COUNT) > 0), self.sources)

    def close(self) -> None:
        """Release the cells in the engine."""
        for source in self.sources:
            uncached(source)


def kind_of(dtype: Any) -> str:
    """The kind of the labels of a type: a label of one kind is never equal to one of another."""
    if dtype.is_numeric():
        return "number"
    if dtype == nw.Datetime:
        return "time" if dtype.time_zone is None else "instant"
    return next((kind for kind, types in KINDS.items() if dtype in types), "other")


def _largest(cells: Lazy, side: str, value: Any) -> Lazy:
    return cells.with_columns(value.alias("value")).group_by(side).agg(nw.col("value").max().alias("best"))
