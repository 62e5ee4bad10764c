"""Queries to an engine, in narwhals: the cells of a table, and sums over them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import narwhals as nw

from karat.errors import LabelError, brief, listed, nearest
from karat.foreign import first_line
from karat.labels.policy import DROP
from karat.sources.engines.dialects import (
    Lazy,
    cached,
    check_together,
    collected,
    comes_from,
    knows_nan,
    name_of,
)
from karat.sources.engines.keys import Key, keyed
from karat.sources.engines.sums import summands
from karat.tables.profile import Sizes

GOLD, PRED, COUNT, ITEM = "karat_gold", "karat_pred", "karat_count", "karat_item"
GROUP, WEIGHT = "karat_group", "karat_weight"
OWN = "karat_own"  # the weight of each item of a group, where all have the same
KNOWN = "karat_known"  # marks the items that gold has

Split: TypeAlias = Literal["", "missing", "all"]


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
    keys: Mapping[str, Key]  # by the user's names, of columns whose labels are not their own keys
    at: Mapping[str, str]  # names of columns of keys in queries, where they are separate
    engine: str

    @classmethod
    def of(cls, native: Any) -> Frame:
        """A frame or a table of any engine that narwhals knows."""
        if comes_from(native, "pyarrow") and hasattr(native, "unify_dictionaries"):  # chunks may differ
            native = native.unify_dictionaries()
        try:
            known = nw.from_native(native)
            names = list(native.columns) if comes_from(native, "pyspark") else known.lazy().collect_schema().names()
        except nw.exceptions.DuplicateError as problem:
            reason = first_line(problem).rstrip(",: ")
            raise LabelError(f"the frame has columns of the same name ({reason}); give them different names.") from None
        except TypeError:
            raise LabelError(
                f"{type(native).__name__} is no frame that karat knows; give one of pandas, Polars, PyArrow, DuckDB, "
                "Dask, Spark or Ibis, or labels as lists."
            ) from None
        native, inner, keys, at = keyed(native, check_names(names))
        return cls(nw.from_native(native).lazy(), inner, keys, at, name_of(known.implementation))

    def column(self, name: object, role: str) -> Any:
        """The expression of a column, with NaN as a missing value; an unknown name is refused."""
        if not isinstance(name, str) or name not in self.inner:
            known = listed(self.inner, 12) or "none"
            hint = nearest(name if isinstance(name, str) else "", self.inner) or f"there are {known}."
            raise LabelError(f"{role}={brief(name)} is no column of the frame; {hint}")
        if name in self.at and role not in ("weights", "count"):
            return nw.col(self.at[name])
        column = nw.col(self.inner[name])
        if not self.lazy.collect_schema()[self.inner[name]].is_float():
            return column
        one_zero = nw.when(column == 0).then(nw.lit(0.0)).otherwise(column)  # as -0.0 is
        return nw.when(~column.is_nan()).then(one_zero) if knows_nan(self.lazy.to_native()) else one_zero


def selected(frame: Frame, columns: Mapping[str, tuple[str, str]]) -> Lazy:
    """Select columns under internal names: columns maps each to the user's name and its role."""
    return frame.lazy.select(*(frame.column(name, role).alias(ours) for ours, (name, role) in columns.items()))


def keys_in(frame: Frame, columns: Mapping[str, tuple[str, str]]) -> dict[str, Key]:
    """The keys of selected columns, by internal name."""
    return {ours: frame.keys[name] for ours, (name, _) in columns.items() if name in frame.keys}


class Joined(NamedTuple):
    """Rows of two frames, matched on item ids; sides: the cached frames, to be released."""

    rows: Lazy
    sides: tuple[Lazy, Lazy]


def joined(gold: Lazy, pred: Lazy, item: str, key: Key | None, *, gaps: bool = True) -> Joined:
    """Gold of one frame and systems of another, matched on item ids; labels of unmatched items are missing.

    Weights and counts are gold's. key: of the ids. gaps: items that gold lacks may be without weights and counts,
    since they are not scored. Each frame is read once.
    """
    check_together(gold.to_native(), pred.to_native())
    gold, pred = sides = cached(gold), cached(pred)
    for side, role in ((gold, "gold"), (pred, "pred")):
        _check_ids(side, role, item, key)
    gold, pred = _comparable(gold, pred, item)
    labels = [name for side in (gold, pred) for name in side.collect_schema().names() if name != ITEM]
    totals = [name for name in (COUNT, WEIGHT) if name in labels]
    if totals and not gaps and number(pred.join(gold, on=ITEM, how="anti"), nw.len()):
        raise LabelError("counts and weights are of gold's items, but pred has items that gold lacks; say ", DROP, ".")
    if totals:  # a null of gold's own is refused, unlike that of an item which gold lacks
        gold = gold.with_columns(nw.lit(1).alias(KNOWN))
    rows = gold.join(pred, on=ITEM, how="full", suffix="_right")
    for name in totals:
        filled = nw.when(~nw.col(KNOWN).is_null()).then(nw.col(name)).otherwise(nw.lit(int(name == COUNT)))
        rows = rows.with_columns(filled.alias(name))
    return Joined(rows.select(*labels), sides)


def _comparable(gold: Lazy, pred: Lazy, item: str) -> tuple[Lazy, Lazy]:
    """The two sides with ids of one type, of which none is rounded."""
    kinds = [side.collect_schema()[ITEM] for side in (gold, pred)]
    if kinds[0].is_numeric() != kinds[1].is_numeric():
        raise LabelError(f"{item!r} is {kinds[0]} in gold and {kinds[1]} in pred; give both the same type of id.")
    if kinds[0] == kinds[1] or not any(kind.is_integer() for kind in kinds):
        return gold, pred
    common = nw.Int64 if all(kind.is_integer() for kind in kinds) else nw.Float64
    sides = []
    for side, kind in zip((gold, pred), kinds, strict=True):
        most = _exact_below(kind, common)
        for bound in (nw.col(ITEM).min(), nw.col(ITEM).max()):
            if not kind.is_float() and not -most <= number(side, bound) <= most:
                raise LabelError(
                    f"{item!r} is {kinds[0]} in gold and {kinds[1]} in pred, and has {number(side, bound)}, which they "
                    "do not share exactly; give both the same type of id."
                )
        sides.append(side.with_columns(nw.col(ITEM).cast(common)))
    return sides[0], sides[1]


def _exact_below(kind: Any, common: Any) -> int:
    """The bound up to which numbers of a type are the same as integers or floats of 64 bits; -1 if none are."""
    if common == nw.Int64:
        return 2**63 - 1
    whole = kind.is_integer() or getattr(kind, "scale", 1) == 0
    return 2**53 if whole else -1  # Arrow rounds a decimal with digits after its point, even 25.0


def _check_ids(frame: Lazy, role: str, item: str, key: Key | None) -> None:
    """Refuse missing ids, which joins drop, and duplicate ids, which joins multiply."""
    counted = frame.group_by(ITEM).agg(nw.len().alias(COUNT)).with_columns(nw.col(COUNT).cast(nw.Int64))
    lacking = collected(counted.filter(nw.col(ITEM).is_null()))[COUNT]
    if lacking:
        raise LabelError(f"{lacking[0]:,} rows of {role} have no {item!r}; give each item one.")
    twice = collected(counted.filter(nw.col(COUNT) > 1).head(1))[ITEM]
    if twice:
        (first,) = key.labels(twice) if key is not None else twice
        raise LabelError(
            f"{role} has item {first!r} more than once, so it cannot be aligned; make its item ids unique."
        )


def cells_of(rows: Lazy, split: Split = "") -> Lazy:
    """The number of items of each combination of labels, and their total weight if items have weights.

    split: which items are grouped by their weight too, so that each of them can become a singleton.
    """
    names = rows.collect_schema().names()
    labels = [name for name in names if name not in (COUNT, WEIGHT)]
    totals = [] if COUNT in names else [nw.len().alias(COUNT)]
    if split and WEIGHT in names:
        absent = nw.any_horizontal(*(nw.col(name).is_null() for name in labels if name != GROUP), ignore_nulls=True)
        weight = nw.col(WEIGHT)
        rows = rows.with_columns((weight if split == "all" else nw.when(absent).then(weight)).alias(OWN))
        labels.append(OWN)
    if COUNT in names:  # empty cells are left out
        rows = rows.filter(nw.col(COUNT).is_null() | (nw.col(COUNT) != 0))
    for name in (COUNT, WEIGHT):
        if name in names:
            rows, sums = summands(rows, name)
            totals += sums
    cells = rows.group_by(*labels).agg(*totals)
    return cells if COUNT in names else cells.with_columns(nw.col(COUNT).cast(nw.Int64))


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
