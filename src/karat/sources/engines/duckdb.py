"""DuckDB relations: the group-by, and all queries about the cells, in SQL.

narwhals is not used, since with relations it makes DuckDB print notices of leaks when the program ends.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from typing import Any

import narwhals as nw

from karat.errors import LabelError, TableError, listed, nearest
from karat.machine.temporary import own_folder
from karat.sources.engines.cells import Cells
from karat.sources.engines.dialects import Lazy, comes_from, frame_columns
from karat.sources.engines.queries import COUNT, GOLD, PRED, WEIGHT
from karat.tables.counts import CellFormula, count_itself
from karat.tables.profile import Sizes, Totals
from karat.tables.table import check_total

NUMBERS = (  # prefixes of the names of numeric types
    "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT",
    "DOUBLE", "FLOAT", "DECIMAL",
)  # fmt: skip


def is_relation(data: object) -> bool:
    """Whether an object is a DuckDB relation."""
    return comes_from(data, "duckdb", "_duckdb") and hasattr(data, "aggregate")


def relation_rows(relation: Any, columns: Mapping[str, tuple[str, str]]) -> Any:
    """Select columns under internal names: columns maps each to the user's name and its role."""
    chosen = (f"{_column(relation, name, role)} AS {ours}" for ours, (name, role) in columns.items())
    return relation.project(", ".join(chosen))


def relation_cells(rows: Any) -> DuckdbCells:
    """The number of items of each combination of labels, and their total weight if items have weights."""
    totals = []
    for name in (COUNT, WEIGHT):
        if name not in rows.columns:
            totals += ["count(*) AS " + COUNT] if name == COUNT else []
            continue
        kind = str(rows.types[rows.columns.index(name)]).upper()
        if not kind.startswith(NUMBERS):
            raise TableError(f"counts and weights are {kind} here; give a column of numbers.")
        checks = f"count(*) FILTER ({name} IS NULL), min({name}), sum({name}::DOUBLE)"
        lacking, least, total = rows.aggregate(checks).fetchall()[0]
        if lacking or (least is not None and least < 0):
            what = f"{lacking:,} rows have no count or weight" if lacking else f"a count or weight is {least}"
            raise TableError(f"{what}; give each row a positive number.")
        check_total(total or 0)
        totals.append(f"sum({name})::{'BIGINT' if 'INT' in kind else 'DOUBLE'} AS {name}")
        if name == COUNT:  # empty cells are left out
            rows = rows.filter(f"{COUNT} > 0")
    # all names are internal here, so none of the user's can clash with them
    keys = ", ".join(name for name in rows.columns if name not in (COUNT, WEIGHT))
    return DuckdbCells.of(rows.aggregate(f"{keys}, {', '.join(totals)}", keys))


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
        self.fractional = kinds[COUNT] in ("DOUBLE", "FLOAT")
        self.numeric = kinds.get(PRED, "").startswith(NUMBERS)

    @classmethod
    def of(cls, cells: Any) -> DuckdbCells:
        """Copy the rows of a relation, as a stream of Arrow batches."""
        import duckdb

        _need_arrow()
        folder = tempfile.TemporaryDirectory(dir=own_folder(), ignore_cleanup_errors=True)
        connection = duckdb.connect(config={"temp_directory": folder.name, "preserve_insertion_order": False})
        try:
            reader = getattr(cells, "to_arrow_reader", None) or cells.fetch_arrow_reader  # the name before DuckDB 2
            connection.register("given", reader())
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

    def labelled(self) -> DuckdbCells:
        """The cells of items with both a gold and a predicted label."""
        return self._only(f"{GOLD} IS NOT NULL AND {PRED} IS NOT NULL")

    def items_in(self, cluster: Any) -> int:
        """The number of items with this predicted label."""
        cells = self._only(f"{PRED} = ?", cluster)
        return int(cells._ask(f"SELECT coalesce(sum({COUNT}), 0) FROM {{cells}}")[0][0])

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
        count, gold, pred = (ColumnExpression(name).cast("DOUBLE") for name in names)
        value = f(count, gold, pred, totals)
        best = f"SELECT max({value}) AS best FROM ({_sized((GOLD, PRED))}) GROUP BY {side}"
        return float(self._ask(f"SELECT sum(best) FROM ({best})")[0][0])

    def __reduce__(self) -> Any:
        raise TableError("cells that stay in DuckDB cannot be pickled; keep the scores, as to_dict() has them.")

    def close(self) -> None:
        """Release memory and disk."""
        self.connection.close()
        self.folder.cleanup()


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


def _column(relation: Any, name: object, role: str) -> str:
    """The SQL of a column, with NaN as a missing value."""
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
