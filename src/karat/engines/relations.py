"""DuckDB's relations: the group-by in its own words, the cells as Arrow.

narwhals, asked to collect them, makes DuckDB print notices of leaks when the program ends.
"""

from __future__ import annotations

from typing import Any

import narwhals as nw

from karat.engines.dialects import Lazy, comes_from
from karat.engines.queries import COUNT, GOLD, ITEM, PRED
from karat.errors import LabelError, TableError, listed, nearest


def is_relation(data: object) -> bool:
    """Whether something is a relation of DuckDB."""
    return comes_from(data, "duckdb", "_duckdb") and hasattr(data, "aggregate")


def relation_cells(relation: Any, gold: str, pred: str, weights: str | None) -> Lazy:
    """How many items there are, or what they weigh, for each class and cluster."""
    labels = f"{_column(relation, gold, 'gold')} AS {GOLD}, {_column(relation, pred, 'pred')} AS {PRED}"
    total = "count(*)"
    if weights is not None:
        whole = "INT" in str(_type(relation, weights, "weights")).upper()
        labels += f", {_column(relation, weights, 'weights')} AS {COUNT}"
        total = f"sum({COUNT})::{'BIGINT' if whole else 'DOUBLE'}"
    rows = relation.project(labels)
    if weights is not None:
        lacking, least = rows.aggregate(f"count(*) FILTER ({COUNT} IS NULL), min({COUNT})").fetchall()[0]
        if lacking or least < 0:
            what = f"{lacking:,} rows have no count or weight" if lacking else f"a count or weight is {least}"
            raise TableError(f"{what}; give each row a positive number.")
        rows = rows.filter(f"{COUNT} > 0")
    # names are our own by now, so that none of the user's is taken for another
    return _frame(rows.aggregate(f"{GOLD}, {PRED}, {total} AS {COUNT}", f"{GOLD}, {PRED}"))


def relation_labels(relation: Any, item: str, name: str, alias: str, role: str) -> Lazy:
    """Items and their labels, to be joined."""
    return _frame(
        relation.project(f"{_column(relation, item, 'id')} AS {ITEM}, {_column(relation, name, role)} AS {alias}")
    )


def _frame(relation: Any) -> Lazy:
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        raise TableError("relations of DuckDB are read as Arrow; pip install pyarrow.") from None
    return nw.from_native(relation.to_arrow_table()).lazy()


def _column(relation: Any, name: object, role: str) -> str:
    """A column by its name, whatever is in it, with NaN as a missing value."""
    kind = str(_type(relation, name, role)).upper()
    quoted = _quoted(str(name))
    return f"CASE WHEN isnan({quoted}) THEN NULL ELSE {quoted} END" if kind in ("DOUBLE", "FLOAT") else quoted


def _type(relation: Any, name: object, role: str) -> Any:
    if name not in relation.columns:
        hint = nearest(str(name), relation.columns) or f"there are {listed(relation.columns, 12)}."
        raise LabelError(f"{role}={name!r} is no column of the frame; {hint}")
    return relation.types[relation.columns.index(name)]


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
