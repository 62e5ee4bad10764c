"""Queries to an engine, in narwhals: the cells of a table, and sums over them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import narwhals as nw

from karat.errors import LabelError, TableError, brief, listed, nearest
from karat.foreign import first_line
from karat.labels.policy import DROP
from karat.sources.engines.dialects import (
    Lazy,
    check_together,
    collected,
    comes_from,
    engine_errors,
    knows_nan,
    name_of,
)
from karat.tables.profile import Sizes
from karat.tables.table import check_total

GOLD, PRED, COUNT, ITEM = "karat_gold", "karat_pred", "karat_count", "karat_item"
GROUP, WEIGHT = "karat_group", "karat_weight"


def pred_names(number: int) -> list[str]:
    """The internal column names of a number of systems: PRED if there is one, so that its cells are a table."""
    return [PRED] if number == 1 else [f"{PRED}_{index}" for index in range(number)]


def check_names(names: Sequence[Any]) -> list[str]:
    """The names of a frame's columns; refused if they are not text, or not unique."""
    for name in names:
        if not isinstance(name, str):
            raise LabelError(f"the frame has a column called {brief(name)}, which is not text; rename it.")
    if len(set(names)) < len(names):
        repeated = next(name for name in names if names.count(name) > 1)
        raise LabelError(f"the frame has more than one column {repeated!r}; give them different names.")
    return list(names)


class Frame(NamedTuple):
    """A lazy frame of some engine."""

    lazy: Lazy
    inner: Mapping[str, str]  # names of the columns in queries, by the user's names
    engine: str

    @classmethod
    def of(cls, native: Any) -> Frame:
        """A frame or a table of any engine that narwhals knows."""
        names: list[str] = []
        inner: list[str] = []
        if comes_from(native, "pyspark") and hasattr(type(native), "toDF"):  # a dot in a name would mean a field
            with engine_errors(native):
                names = list(native.columns)
                inner = [f"karat_{index}" for index in range(len(names))]
                native = native.toDF(*inner)
        if comes_from(native, "pyarrow") and hasattr(native, "unify_dictionaries"):  # chunks may differ
            native = native.unify_dictionaries()
        try:
            lazy = nw.from_native(native).lazy()
        except nw.exceptions.DuplicateError as problem:
            reason = first_line(problem).rstrip(",: ")
            raise LabelError(f"the frame has columns of the same name ({reason}); give them different names.") from None
        except TypeError:
            raise LabelError(
                f"{type(native).__name__} is no frame that karat knows; give one of pandas, Polars, PyArrow, DuckDB, "
                "Dask, Spark or Ibis, or labels as lists."
            ) from None
        names = check_names(names or lazy.collect_schema().names())
        return cls(lazy, dict(zip(names, inner or names, strict=True)), name_of(lazy.implementation))

    def column(self, name: object, role: str) -> Any:
        """The expression of a column, with NaN as a missing value; an unknown name is refused."""
        if not isinstance(name, str) or name not in self.inner:
            known = listed(self.inner, 12) or "none"
            hint = nearest(name if isinstance(name, str) else "", self.inner) or f"there are {known}."
            raise LabelError(f"{role}={brief(name)} is no column of the frame; {hint}")
        column = nw.col(self.inner[name])
        if self.lazy.collect_schema()[self.inner[name]].is_float() and knows_nan(self.lazy.to_native()):
            return nw.when(~column.is_nan()).then(column)
        return column


def selected(frame: Frame, columns: Mapping[str, tuple[str, str]]) -> Lazy:
    """Select columns under internal names: columns maps each to the user's name and its role."""
    return frame.lazy.select(*(frame.column(name, role).alias(ours) for ours, (name, role) in columns.items()))


def joined(gold: Lazy, pred: Lazy, item: str, *, gaps: bool = True) -> Lazy:
    """Gold of one frame and systems of another, matched on item ids; labels of unmatched items are missing.

    Weights and counts are gold's. gaps: items that gold lacks may be without them, since they are not scored.
    """
    check_together(gold.to_native(), pred.to_native())
    for side, role in ((gold, "gold"), (pred, "pred")):
        _check_ids(side, role, item)
    kinds = [side.collect_schema()[ITEM] for side in (gold, pred)]
    if kinds[0].is_numeric() != kinds[1].is_numeric():
        raise LabelError(f"{item!r} is {kinds[0]} in gold and {kinds[1]} in pred; give both the same type of id.")
    if kinds[0] != kinds[1] and all(kind.is_integer() for kind in kinds):  # of different widths
        gold, pred = (side.with_columns(nw.col(ITEM).cast(nw.Int64)) for side in (gold, pred))
    labels = [name for side in (gold, pred) for name in side.collect_schema().names() if name != ITEM]
    totals = [name for name in (COUNT, WEIGHT) if name in labels]
    for name in totals:
        _check_weights(gold, name)
    if totals and not gaps and number(pred.join(gold, on=ITEM, how="anti"), nw.len()):
        raise LabelError("counts and weights are of gold's items, but pred has items that gold lacks; say ", DROP, ".")
    rows = gold.join(pred, on=ITEM, how="full", suffix="_right").select(*labels)
    return rows.with_columns(*(nw.col(name).fill_null(int(name == COUNT)) for name in totals)) if totals else rows


def _check_ids(frame: Lazy, role: str, item: str) -> None:
    """Refuse missing ids, which joins drop, and duplicate ids, which joins multiply."""
    counted = frame.group_by(ITEM).agg(nw.len().alias(COUNT)).with_columns(nw.col(COUNT).cast(nw.Int64))
    lacking = collected(counted.filter(nw.col(ITEM).is_null()))[COUNT]
    if lacking:
        raise LabelError(f"{lacking[0]:,} rows of {role} have no {item!r}; give each item one.")
    twice = collected(counted.filter(nw.col(COUNT) > 1).head(1))[ITEM]
    if twice:
        raise LabelError(
            f"{role} has item {twice[0]!r} more than once, so it cannot be aligned; make its item ids unique."
        )


def cells_of(rows: Lazy) -> Lazy:
    """The number of items of each combination of labels, and their total weight if items have weights."""
    kinds = rows.collect_schema()
    totals = []
    for name in (COUNT, WEIGHT):
        if name in kinds.names():
            _check_weights(rows, name)
            wide = nw.Int64 if kinds[name].is_integer() else nw.Float64  # sums of narrow types may stay at 32 bits
            rows = rows.with_columns(nw.col(name).cast(wide))
            if name == COUNT:  # empty cells are left out
                rows = rows.filter(nw.col(COUNT) > 0)
            totals.append(nw.col(name).sum().alias(name))
        elif name == COUNT:
            totals.append(nw.len().alias(COUNT))
    keys = [name for name in kinds.names() if name not in (COUNT, WEIGHT)]
    cells = rows.group_by(*keys).agg(*totals)
    return cells if COUNT in kinds.names() else cells.with_columns(nw.col(COUNT).cast(nw.Int64))


def _check_weights(rows: Lazy, name: str) -> None:
    """Refuse counts and weights that are not numbers, missing or negative, which a sum would hide."""
    kind = rows.collect_schema()[name]
    if not kind.is_numeric():
        raise TableError(f"counts and weights are {kind} here; give a column of numbers.")
    lacking = number(rows.filter(nw.col(name).is_null()), nw.len())
    if lacking:
        raise TableError(f"{int(lacking):,} rows have no count or weight; give each one.")
    least = number(rows, nw.col(name).min())
    if least < 0:
        raise TableError(f"a count or weight is {least}; give positive numbers.")
    check_total(number(rows, nw.col(name).cast(nw.Float64).sum()))  # a sum of integers may overflow


def number(lazy: Lazy, expression: Any) -> Any:
    """The value of an aggregate expression; 0 for an empty frame."""
    (values,) = collected(lazy.select(expression.alias(COUNT))).values()
    return values[0] if values and values[0] is not None else 0


def sizes(counted: Lazy) -> Sizes:
    """A histogram of the column COUNT, in exact integers."""
    histogram = collected(counted.group_by(COUNT).agg(nw.len().alias("times")))
    pairs = sorted((int(size), int(times)) for size, times in zip(histogram[COUNT], histogram["times"], strict=True))
    return Sizes(tuple(size for size, _ in pairs), tuple(times for _, times in pairs))


def margin(cells: Lazy, side: str) -> Lazy:
    """The size of each class, or of each cluster."""
    return cells.group_by(side).agg(nw.col(COUNT).sum()).with_columns(nw.col(COUNT).cast(nw.Int64))


def with_margins(cells: Lazy, sides: Sequence[str]) -> Lazy:
    """Cells with the sizes of their classes and clusters; keys must not be null, since joins drop nulls."""
    original = cells
    for side in sides:
        sized = margin(original, side).rename({COUNT: f"{side}_size"})
        cells = cells.join(sized, on=side, how="inner", suffix="_again")
    return cells
