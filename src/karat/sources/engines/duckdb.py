"""DuckDB relations: the group-by, and all queries about the cells, in SQL.

narwhals is not used, since with relations it makes DuckDB print notices of leaks when the program ends.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import narwhals as nw
import numpy as np

from karat.errors import LabelError, TableError, listed, nearest
from karat.machine.temporary import own_folder
from karat.sources.engines.cells import Cells, LazyCells
from karat.sources.engines.dialects import Lazy, comes_from, frame_columns
from karat.sources.engines.queries import COUNT, GOLD, GROUP, OWN, PRED, WEIGHT, Split
from karat.sources.engines.sums import CHECKS, check_of, check_sums, summands_in_sql
from karat.tables.counts import CellFormula, count_itself
from karat.tables.profile import Sizes, Totals, exact_sum_of_products

INTEGERS = (  # the names of integer types
    "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT",
)  # fmt: skip
NUMBERS = (*INTEGERS, "DOUBLE", "FLOAT", "DECIMAL")  # prefixes of the names of numeric types
KINDS = {  # by the beginning of the name of a type
    **dict.fromkeys(NUMBERS, "number"), "BOOLEAN": "boolean", "VARCHAR": "text", "ENUM": "text", "BLOB": "bytes",
    "DATE": "date", "TIMESTAMP WITH": "instant", "TIMESTAMP": "time", "TIME WITH": "other", "TIME": "time of day",
    "INTERVAL": "duration",
}  # fmt: skip
NESTED = ("STRUCT", "MAP", "UNION")  # prefixes of the names of nested types, besides lists


def is_relation(data: object) -> bool:
    """Whether an object is a DuckDB relation."""
    return comes_from(data, "duckdb", "_duckdb") and hasattr(data, "aggregate")


def relation_rows(relation: Any, columns: Mapping[str, tuple[str, str]]) -> Any:
    """Select columns under internal names: columns maps each to the user's name and its role."""
    names = _names(relation)
    found = {ours: _position(names, name, role) for ours, (name, role) in columns.items()}
    # by position, since DuckDB finds a column in any case of letters
    named = relation.project(", ".join(f"#{position + 1} AS {ours}" for ours, position in found.items()))
    kinds = dict(zip(named.columns, map(str, named.types), strict=True))
    return named.project(", ".join(f"{_exact(ours, kinds[ours])} AS {ours}" for ours in columns))


def relation_cells(rows: Any, split: Split = "", most: float = 0) -> Cells:
    """The number of items of each combination of labels, and their total weight if items have weights.

    split: which items are grouped by their weight too, so that each of them can become a singleton. most: cells up to
    this number are collected.
    """
    kinds = dict(zip(rows.columns, (str(kind).upper() for kind in rows.types), strict=True))
    # all names are internal here, so none of the user's can clash with them
    labels = [name for name in kinds if name not in (COUNT, WEIGHT)]
    totals = [] if COUNT in kinds else [f"count(*) AS {COUNT}"]
    if split and WEIGHT in kinds:
        absent = " OR ".join(f"{name} IS NULL" for name in labels if name != GROUP)
        own = WEIGHT if split == "all" else f"CASE WHEN {absent} THEN {WEIGHT} END"
        rows = rows.project(f"*, {own} AS {OWN}")
        labels.append(OWN)
    if COUNT in kinds:  # empty cells are left out
        rows = rows.filter(f"{COUNT} IS DISTINCT FROM 0")
    for name in (COUNT, WEIGHT):
        if name not in kinds:
            continue
        if not kinds[name].startswith(NUMBERS):
            raise TableError(f"counts and weights are {kinds[name]} here; give a column of numbers.")
        steps, sums = summands_in_sql(name, kinds[name])
        for step in steps:
            rows = rows.project(step)
        totals += sums
    keys = ", ".join(labels)
    return _few_or_many(rows.aggregate(f"{keys}, {', '.join(totals)}", keys), most)


def _few_or_many(cells: Any, most: float) -> Cells:
    """The cells in memory if there are few, else in a database of their own; the relation is evaluated once."""
    _need_arrow()
    import pyarrow as pa

    stream = getattr(cells, "to_arrow_reader", None) or cells.fetch_arrow_reader  # the name before DuckDB 2
    reader, few, size = stream(), [], 0
    for batch in reader:
        few.append(batch)
        size += batch.num_rows
        if size > most:
            rest = pa.RecordBatchReader.from_batches(reader.schema, chain(few, reader))
            return DuckdbCells.of(rest)
    return LazyCells.of(nw.from_native(pa.Table.from_batches(few, reader.schema)).lazy())


def relation_labels(relation: Any, columns: Mapping[str, tuple[str, str]]) -> Lazy:
    """Items and their labels as a lazy frame, to be joined."""
    return _frame(relation_rows(relation, columns))


class DuckdbCells(Cells):
    """Cells in a separate in-memory database, which may spill to disk and outlives the user's connection."""

    def __init__(
        self,
        connection: Any,
        folder: tempfile.TemporaryDirectory[str],
        where: str = "",
        *given: Any,
        name: str = "cells",
    ) -> None:
        self.connection, self.folder, self.where, self.given, self.name = connection, folder, where, given, name
        kinds = {column: str(kind).upper() for column, kind, *_ in connection.execute(f"DESCRIBE {name}").fetchall()}
        self.names = list(kinds)
        self.kind = _kind(kinds.get(PRED, ""))
        self.integral = [column for column, kind in kinds.items() if kind.startswith(INTEGERS)]
        self.nested = {column: kind for column, kind in kinds.items() if kind.endswith("]") or kind.startswith(NESTED)}

    @classmethod
    def of(cls, cells: Any) -> DuckdbCells:
        """Copy a stream of Arrow batches."""
        import duckdb

        folder = tempfile.TemporaryDirectory(dir=own_folder(), ignore_cleanup_errors=True)
        connection = duckdb.connect(config={"temp_directory": folder.name, "preserve_insertion_order": False})
        try:
            connection.register("given", cells)
            connection.execute("CREATE TABLE cells AS SELECT * FROM given")
            connection.unregister("given")
            return cls(connection, folder)
        except BaseException:
            connection.close()
            folder.cleanup()
            raise

    def _ask(self, query: str) -> list[tuple[Any, ...]]:
        """The rows of a query, in which {cells} stands for the filtered table of cells."""
        cells = f"(SELECT * FROM {self.name} {self.where})"
        given = list(self.given) * query.count("{cells}")
        cursor = self.connection.cursor()  # so that threads may query at the same time
        return list(cursor.execute(query.replace("{cells}", cells), given).fetchall())

    def number(self) -> int:
        """The number of non-empty cells."""
        return int(self._ask("SELECT count(*) FROM {cells}")[0][0])

    def columns(self) -> dict[str, Any]:
        """Collect all cells, as arrays or lists by column."""
        relation = self.connection.cursor().sql(f"SELECT * FROM {self.name} {self.where}", params=list(self.given))
        return frame_columns(nw.from_native(relation.to_arrow_table()))

    def unlabelled(self) -> int:
        """The number of items without a gold or a predicted label."""
        query = f"SELECT coalesce(sum({COUNT}), 0) FROM {{cells}} WHERE {GOLD} IS NULL OR {PRED} IS NULL"
        return int(self._ask(query)[0][0])

    def check(self, name: str) -> None:
        """Raise TableError for a missing, negative or infinite count (COUNT) or weight (WEIGHT)."""
        checks = {what: check_of(name, what) for what in CHECKS if check_of(name, what) in self.names}
        if checks:
            asked = ", ".join(f"{CHECKS[what]}({column})" for what, column in checks.items())
            (found,) = self._ask(f"SELECT {asked} FROM {{cells}}")
            check_sums({column: [value] for column, value in zip(checks.values(), found, strict=True)}, name)

    def labelled(self) -> DuckdbCells:
        """The cells of items with both a gold and a predicted label."""
        return self._only(f"{GOLD} IS NOT NULL AND {PRED} IS NOT NULL")

    def clusters_like(self, cluster: Any) -> dict[Any, int]:
        """The number of items of each cluster that DuckDB finds equal to a label."""
        found = self._only(f"{PRED} = ?", cluster).columns()
        sums: dict[Any, int] = {}
        for label, number in zip(found[PRED], found[COUNT], strict=True):
            sums[label] = sums.get(label, 0) + int(number)
        return sums

    def without(self, cluster: Any) -> DuckdbCells:
        """The cells of all clusters but this one."""
        return self._only(f"{PRED} != ?", cluster)

    def _only(self, condition: str, *given: Any) -> DuckdbCells:
        where = f"{self.where} AND {condition}" if self.where else f"WHERE {condition}"
        return DuckdbCells(self.connection, self.folder, where, *self.given, *given, name=self.name)

    def weighted(self) -> DuckdbCells:
        """The cells with total weights in place of counts."""
        chosen = f"SELECT {GOLD}, {PRED}, {WEIGHT} AS {COUNT} FROM {self.name} WHERE {WEIGHT} > 0"
        self.connection.execute(f"CREATE OR REPLACE VIEW weighted AS {chosen}")
        return DuckdbCells(self.connection, self.folder, self.where, *self.given, name="weighted")

    def sizes(self, side: str | None = None) -> Sizes:
        """A histogram of the sizes of cells, classes (GOLD) or clusters (PRED)."""
        inner = "{cells}" if side is None else f"(SELECT sum({COUNT}) AS {COUNT} FROM {{cells}} GROUP BY {side})"
        pairs = sorted(
            (int(size), int(times)) for size, times in self._ask(f"SELECT {COUNT}, count(*) FROM {inner} GROUP BY 1")
        )
        return Sizes(tuple(size for size, _ in pairs), tuple(times for _, times in pairs))

    def groups(self, sides: Sequence[str]) -> dict[str, list[Any]]:
        """Distinct combinations of cell count and class or cluster size, with their frequency."""
        names = [COUNT, *(f"{side}_size" for side in sides)]
        rows = self._ask(f"SELECT {', '.join(names)}, count(*) FROM ({_sized(sides)}) GROUP BY ALL")
        return {name: [row[index] for row in rows] for index, name in enumerate([*names, "times"])}

    def best(self, f: CellFormula, side: str, totals: Totals) -> Any:
        """Sum of maxima of f; f is plain arithmetic, so it is applied to DuckDB's column expressions."""
        if f is count_itself:
            return int(
                self._ask(f"SELECT sum(best) FROM (SELECT max({COUNT}) AS best FROM {{cells}} GROUP BY {side})")[0][0]
            )
        from duckdb import ColumnExpression

        names = (COUNT, f"{GOLD}_size", f"{PRED}_size")
        count, gold, pred = (ColumnExpression(name).cast("BIGINT") for name in names)
        value = f(count, gold, pred, totals)
        best = f"SELECT max({value}) AS best FROM ({_sized((GOLD, PRED))}) GROUP BY {side}"
        found = self._ask(f"SELECT best, count(*) FROM ({best}) GROUP BY best")
        return exact_sum_of_products(np.array([row[0] for row in found]), np.array([row[1] for row in found]))

    def __reduce__(self) -> Any:
        raise TableError("cells that stay in DuckDB cannot be pickled; keep the scores, as to_dict() has them.")

    def close(self) -> None:
        """Release memory and disk."""
        self.connection.close()
        self.folder.cleanup()


def _kind(name: str) -> str:
    """The kind of the labels of a type of DuckDB."""
    if name.endswith("]"):
        return "other"
    return next((kind for start, kind in KINDS.items() if name.startswith(start)), "other")


def _sized(sides: Sequence[str]) -> str:
    """SQL of the cells with the sizes of their classes, of their clusters, or of both."""
    windows = "".join(f", sum({COUNT}) OVER (PARTITION BY {side})::BIGINT AS {side}_size" for side in sides)
    return f"SELECT *{windows} FROM {{cells}}"


def _need_arrow() -> None:
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        raise TableError("relations of DuckDB are read as Arrow; pip install pyarrow.") from None


def _frame(relation: Any) -> Lazy:
    _need_arrow()
    return nw.from_native(relation.to_arrow_table()).lazy()


def _exact(name: str, kind: str) -> str:
    """The SQL of a column with NaN as a missing value, and with text compared by its bytes, not by a collation."""
    if kind.upper().startswith("TIME WITH"):
        raise LabelError(f"a column is {kind}, whose offset is lost on the way; give it as text, column::VARCHAR.")
    if kind.upper() in ("DOUBLE", "FLOAT"):
        return f"CASE WHEN isnan({name}) THEN NULL ELSE {name} END"
    return f'{name} COLLATE "C"' if kind.upper().startswith("VARCHAR") and not kind.endswith("]") else name


def _names(relation: Any) -> list[str]:
    """The names of the columns as they are now: the file of a relation may have changed."""
    before, now = list(relation.columns), list(relation.project("*").columns)
    # a projection renames G to G_1 if there is a g
    same = len(before) == len(now) and all(new.startswith(old) for old, new in zip(before, now, strict=True))
    return before if same else now


def _position(names: list[str], name: object, role: str) -> int:
    if name not in names:
        hint = nearest(str(name), names) or f"there are {listed(names, 12)}."
        raise LabelError(f"{role}={name!r} is no column of the frame; {hint}")
    return names.index(str(name))
