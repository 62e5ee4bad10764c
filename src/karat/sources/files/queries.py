"""Large, compressed and Parquet files, read by DuckDB within a memory limit, spilling to a temporary directory.

Labels are encoded by a join with their distinct values, so that only integers leave the database: that is faster than
a GROUP BY of the labels, and takes four bytes per item.
"""

from __future__ import annotations

import json
import math
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from karat.errors import FileError, Option
from karat.labels.encoding import Labels
from karat.labels.names import encode_objects
from karat.labels.rows import Coded
from karat.machine.temporary import own_folder
from karat.sources.files import problems, sql
from karat.sources.files.headers import RefusedError
from karat.sources.files.inputs import Input
from karat.sources.files.progress import Progress
from karat.sources.files.roles import Pairing, Side
from karat.sources.files.sources import Name, Source

PIECE = 1 << 25  # rows fetched from the database at a time
FEW = 1 << 22  # possible cells up to which the database counts them
INTEGERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT")
NO_LABEL, NO_ITEM = 0, 1  # codes for a missing label, and for an item that this side lacks; labels follow


class Piece(NamedTuple):
    """A batch of items with their labels on each side; with counts, a row stands for several items."""

    sides: Mapping[str, Coded]  # gold is ''
    by: Coded | None
    weights: NDArray[Any] | None
    counts: NDArray[np.int64] | None
    items: NDArray[Any] | None
    absent: Mapping[str, int]  # number of items that each side lacks
    groupless: int = 0  # number of items without a group


class Database:
    """An in-memory DuckDB with a memory limit, which queries files."""

    def __init__(self, memory: str = "2GB", threads: int | None = None, progress: bool = False) -> None:
        import duckdb

        self.duckdb = duckdb
        self.folder = tempfile.TemporaryDirectory(dir=own_folder(), ignore_cleanup_errors=True)
        config: dict[str, Any] = {"temp_directory": self.folder.name, "preserve_insertion_order": False}
        try:
            self.connection = duckdb.connect(
                config={**config, "memory_limit": memory, **({} if threads is None else {"threads": threads})}
            )
        except (duckdb.Error, RuntimeError):
            self.folder.cleanup()
            raise FileError(
                Option("memory", (memory,)),
                " is no amount of memory; say for instance ",
                Option("memory", ("2GB",)),
                ".",
            ) from None
        self.progress = Progress(self.connection) if progress else None
        self.held: dict[str, Any] = {}  # arrays and tables in use by queries, which must stay alive
        self.tables = 0

    def close(self) -> None:
        """Release memory and disk, and remove the progress bar."""
        if self.progress is not None:
            self.progress.stop()
        self.connection.close()
        self.folder.cleanup()

    def run(self, query: str, name: str) -> None:
        """Run a statement; name is the file that an error message mentions."""
        self._ask(query, name, lambda cursor: None)

    def all(self, query: str, name: str, *, in_order: bool = False) -> list[tuple[Any, ...]]:
        """The rows of a query, in file order if in_order; name is the file that an error message mentions."""
        if in_order:
            self.connection.execute("SET preserve_insertion_order = true")
        rows = self._ask(query, name, lambda cursor: cursor.fetchall())
        self.connection.execute("SET preserve_insertion_order = false")
        return rows  # type: ignore[no-any-return]

    def arrays(self, query: str, name: str) -> dict[str, Any]:
        """The columns of a query, as NumPy arrays; name is the file that an error message mentions."""
        return self._ask(query, name, lambda cursor: cursor.fetchnumpy())  # type: ignore[no-any-return]

    def _ask(self, query: str, name: str, fetch: Callable[[Any], Any]) -> Any:
        try:
            if self.progress is not None:
                self.progress.name = name
            return fetch(self.connection.execute(query))
        except self.duckdb.OutOfMemoryException:
            raise FileError(
                f"{name!r} needs more memory or disk than the limit allows; raise it with memory=."
            ) from None
        except self.duckdb.Error as problem:
            reason = str(problem).split("\n", 1)[0].removesuffix(".")
            raise RefusedError(f"{name!r} cannot be read ({reason}); check that it is whole.") from None
        except RuntimeError as problem:
            if "bad_cast" in str(problem):  # DuckDB's error for text that is not UTF-8
                raise RefusedError(f"{name!r} has a name that is not UTF-8; rename it.") from None
            raise

    def arrow(self, source: Input) -> Any:
        """An Arrow file as a data set, opened once."""
        if source.path not in self.held:
            from karat.sources.files.arrow import open_arrow

            self.held[source.path] = open_arrow(source)
        return self.held[source.path]

    def column(self, source: Source, name: Name) -> Labels:
        """A whole column in row order, for files matched by position."""
        about = source.input.name
        self.connection.execute("SET preserve_insertion_order = true")
        rows = self._typed(self._rows(source, {"label": name}), source, {"label": name})
        ordered = self._kept(f"SELECT label, row_number() OVER () - 1 AS position FROM ({rows})", about)
        names, table = self._numbered(f"SELECT label FROM {ordered}", about)
        codes = (
            f"SELECT position, coalesce(d.code, {NO_LABEL}) FROM {ordered} r LEFT JOIN {table} d ON r.label = d.label"
        )
        found = np.full(self._count(ordered), -1, dtype=np.int32)
        for part in self._fetched(self._kept(f"SELECT a AS position, b AS code FROM ({codes}) t(a, b)", about)):
            found[part["position"]] = names.codes(part["code"])
        return Labels(found, names.labels)

    def _count(self, table: str) -> int:
        (number,) = self.connection.execute(f"SELECT count(*) FROM {table}").fetchall()[0]
        return int(number)

    def _rows(self, source: Source, roles: dict[str, Name]) -> str:
        """SQL of some columns of a file, named by their roles."""
        kind = source.input.kind
        if not source.queried:
            columns = {role: np.array(_list(source.values(name)), dtype=object) for role, name in roles.items()}
            return f"SELECT {', '.join(roles)} FROM {self._registered(columns)}"
        if kind == "jsonl":
            chosen = ", ".join(_chosen(name, partial(sql.json_role, role), role) for role, name in roles.items())
            return f"SELECT {chosen} FROM {sql.json_lines(source.input)}"
        inner = dict(zip(source.columns, source.inner, strict=True))
        chosen = ", ".join(_chosen(name, lambda part: sql.quoted(inner[part]), role) for role, name in roles.items())
        if kind == "arrow":
            return f"SELECT {chosen} FROM {self._registered(self.arrow(source.input))}"
        files = sql.parquet(source.input) if kind == "parquet" else sql.csv(source.input, len(source.columns))
        return f"SELECT {chosen} FROM {files}"

    def _registered(self, values: Any) -> str:
        self.tables += 1
        name = f"memory{self.tables}"
        self.held[name] = values
        self.connection.register(name, values)
        return name

    def _kept(self, query: str, name: str) -> str:
        """Store the result of a query in a temporary table, and return its name."""
        self.tables += 1
        self.run(f"CREATE TEMP TABLE t{self.tables} AS {query}", name)
        return f"t{self.tables}"

    def _typed(self, query: str, source: Source, roles: dict[str, Name]) -> str:
        """A query with its ids cast to text; types that cannot be labels are refused."""
        types = self.all(f"DESCRIBE {query}", source.input.name)
        chosen = []
        for role, kind, *_ in types:
            if not isinstance(roles.get(role), str) and role in roles:
                chosen.append(role)
                continue
            if "[" in kind or kind.startswith(("STRUCT", "MAP", "UNION")):
                raise FileError(
                    f"{source.input.name!r} has {kind} in column {roles[role]!r}; give text or a number as a label."
                )
            # Python's times lack nanoseconds and names of zones
            as_text = role == "item" or any(word in kind for word in ("TIME ZONE", "TIMESTAMPTZ", "_NS"))
            chosen.append(f"CAST({role} AS VARCHAR) AS {role}" if as_text else role)
        return f"SELECT {', '.join(chosen)} FROM ({query})"

    def rows(self, source: Source, roles: dict[str, Name]) -> str:
        """Some columns of a file by role, as a query; for text files as a table, so that they are parsed once."""
        query = self._typed(self._rows(source, roles), source, roles)
        return self._kept(query, source.input.name) if source.input.kind in ("csv", "tsv", "jsonl") else f"({query})"

    def _numbered(self, query: str, name: str) -> tuple[Names, str]:
        """The distinct labels of a query, and the name of a table of their codes."""
        distinct = f"SELECT label FROM ({query}) WHERE label IS NOT NULL GROUP BY label"
        code = f"(row_number() OVER (ORDER BY label) + {NO_ITEM})::UINTEGER"  # row_number() counts from 1
        table = self._kept(f"SELECT label, {code} AS code FROM ({distinct})", name)
        labels = [row[0] for row in self.all(f"SELECT label FROM {table} ORDER BY code", name)]
        kind = self.all(f"DESCRIBE {table}", name)[0][1]
        if kind == "VARCHAR":  # DuckDB sorts text as Python does
            return Names(labels), table
        if "JSON" in kind:
            try:
                labels = [_decoded(label) for label in labels]
            except (ValueError, RecursionError) as problem:
                raise RefusedError(f"{name!r} has a label that cannot be read ({problem}); mend it.") from None
        return Names.of(labels), table

    def pieces(
        self, pairings: Sequence[Pairing], by: str | None, weights: str | None, *, ids: bool, whole: bool
    ) -> Iterator[Piece]:
        """The items of gold and all systems in a few large batches, counted if combinations of labels are few.

        ids: keep the ids of items, so that rows are not counted. whole: return one batch.
        """
        gold = pairings[0].gold
        about = gold.source.input.name
        plan = self._plan(pairings, by, weights, ids)
        if plan.together and by is None and weights is None and not ids and self._integers(plan.tables["l"], about):
            counted = self._kept(f"SELECT *, count(*)::BIGINT AS n FROM {plan.tables['l']} GROUP BY ALL", about)
            parts = self._fetched(counted)
            yield from (_counted(part, plan) for part in (_together(list(parts)) if whole else parts))
            return
        names, codes, joins = {}, [], []
        for role, table in plan.roles.items():
            names[role], numbers = self._numbered(f"SELECT {role} AS label FROM {plan.tables[table]}", about)
            joins.append(f"LEFT JOIN {numbers} d_{role} ON {table}.{role} = d_{role}.label")
            absent = "" if plan.together else f"WHEN {table}.item IS NULL THEN {NO_ITEM} "
            code = f"CASE {absent}WHEN d_{role}.code IS NULL THEN {NO_LABEL} ELSE d_{role}.code END"
            codes.append(f"({code})::UINTEGER AS {role}")
        items = f"{plan.source} {' '.join(joins)}"
        possible = math.prod(len(found.labels) + 2 for found in names.values())
        if weights is None and not ids and possible <= FEW:
            query = f"SELECT *, count(*)::BIGINT AS n FROM (SELECT {', '.join(codes)} {items}) GROUP BY ALL"
            yield _piece(self.arrays(query, about), names, plan)
            return
        codes += [] if weights is None else [self._weight(plan.tables["l"], weights, gold.source)]
        order = ""
        if ids:
            codes.append(f"{plan.item} AS item")
            order = "ORDER BY l.position NULLS LAST, item"
        query = f"SELECT {', '.join(codes)} {items} {order}"
        if plan.size <= PIECE:
            yield _piece(self.arrays(query, about), names, plan)
            return
        for part in self._fetched(self._kept(query, about)):
            yield _piece(part, names, plan)

    def _plan(self, pairings: Sequence[Pairing], by: str | None, weights: str | None, ids: bool) -> Plan:
        """How gold and systems are joined: table l has the columns of gold, tables r0, r1, … those of other files."""
        gold, together = pairings[0].gold, pairings[0].together
        extra = {role: name for role, name in (("by_", by), ("weight", weights)) if name is not None}
        preds: dict[str, tuple[str, Name]] = {p.name: (f"p{i}", p.pred.label) for i, p in enumerate(pairings)}
        left: dict[str, Name] = {"gold": gold.label, **extra}
        named = not together or (ids and gold.item is not None)
        if named:
            left["item"] = str(gold.item)
        if together:
            left |= dict(preds.values())
        tables = {"l": self._checked(gold, left, ids, unique=not together)}
        roles = {"gold": "l", **({} if by is None else {"by_": "l"})}
        joins, keys = f"FROM {tables['l']} l", ["l.item"]
        by_source: dict[int, list[Pairing]] = {}
        for pairing in pairings:
            by_source.setdefault(id(pairing.pred.source), []).append(pairing)
        for index, group in enumerate([] if together else by_source.values()):
            columns: dict[str, Name] = {"item": str(group[0].pred.item), **dict(preds[p.name] for p in group)}
            tables[f"r{index}"] = self._checked(group[0].pred, columns, False, unique=True)
            key = keys[0] if len(keys) == 1 else f"coalesce({', '.join(keys)})"
            joins += f" FULL JOIN {tables[f'r{index}']} r{index} ON {key} = r{index}.item"
            keys.append(f"r{index}.item")
            roles |= {preds[p.name][0]: f"r{index}" for p in group}
        if together:
            roles |= {role: "l" for role, _ in preds.values()}
        item = f"coalesce({', '.join(keys)})" if named else "NULL"
        sides = {"": "gold", **{name: role for name, (role, _) in preds.items()}}
        size = sum(self._count(table) for table in tables.values())
        return Plan(tables, roles, joins, item, sides, together, size)

    def _checked(self, side: Side, columns: dict[str, Name], ordered: bool, *, unique: bool) -> str:
        """Some columns of a file as a table or a query; refused without rows, or if ids are missing or not unique."""
        if ordered:
            self.connection.execute("SET preserve_insertion_order = true")
        rows = self.rows(side.source, columns)
        if ordered:
            rows = self._kept(f"SELECT *, row_number() OVER () AS position FROM {rows}", side.source.input.name)
            self.connection.execute("SET preserve_insertion_order = false")
        if not self._count(rows):
            raise FileError(f"{side.source.input.name!r} has no rows; give a file with labels in it.")
        if "item" in columns:
            self._check_items(rows, side, unique)
        return rows

    def _integers(self, rows: str, name: str) -> bool:
        """Whether all columns are integers, which are counted without encoding."""
        return all(kind.removeprefix("U") in INTEGERS for _, kind, *_ in self.all(f"DESCRIBE FROM {rows}", name))

    def _weight(self, table: str, column: str, source: Source) -> str:
        """SQL of the weights: integers if all are, else doubles; missing values and text are refused."""
        integer, number = "try_cast(weight AS BIGINT)", "try_cast(weight AS DOUBLE)"
        integral = f"count(CASE WHEN {integer} = {number} THEN 1 END)"
        query = f"SELECT count(*), count(weight), count({number}), {integral} FROM {table}"
        rows, given, numbers, integers = self.all(query, source.input.name)[0]
        if given < rows:
            raise problems.without_value(source, "a weight", column, rows - given)
        if numbers < given:
            bad = self.connection.execute(f"SELECT weight FROM {table} WHERE {number} IS NULL LIMIT 1").fetchall()
            raise problems.no_weight(source, column, bad[0][0])
        return f"{integer if integers == rows else number} AS weight"

    def _fetched(self, table: str) -> Iterator[dict[str, Any]]:
        for start in range(0, self._count(table), PIECE):
            query = f"SELECT * FROM {table} WHERE rowid >= {start} AND rowid < {start + PIECE}"
            yield self.connection.execute(query).fetchnumpy()

    def _check_items(self, rows: str, side: Side, unique: bool) -> None:
        """Refuse rows without an item id, and duplicate ids if they must be unique."""
        name = side.source.input.name
        lacking = self.all(f"SELECT count(*) - count(item) FROM {rows}", name)[0][0]
        if lacking:
            raise problems.without_value(side.source, "an id", str(side.item), lacking)
        if unique:
            number, few = self._number_and_few(f"SELECT item FROM {rows} GROUP BY item HAVING count(*) > 1", name)
            if number:
                raise problems.duplicates(side, number, few)

    def lacking(self, sides: Mapping[str, Side]) -> dict[str, tuple[int, list[str]]]:
        """The number of items that each side lacks and another has, with a few examples."""
        items = {
            name: self._typed(self._rows(side.source, {"item": str(side.item)}), side.source, {})
            for name, side in sides.items()
        }
        union = " UNION ".join(f"SELECT item FROM ({query})" for query in items.values())
        return {
            name: self._number_and_few(f"SELECT item FROM ({union}) EXCEPT SELECT item FROM ({query})", name)
            for name, query in items.items()
        }

    def without_label(self, side: Side) -> list[str]:
        """A few of the items that have no label."""
        if side.item is None:
            return []
        roles = {"item": side.item, "label": side.label}
        rows = self._typed(self._rows(side.source, roles), side.source, roles)
        return self._number_and_few(f"SELECT item FROM ({rows}) WHERE label IS NULL", side.source.input.name)[1]

    def _number_and_few(self, items: str, name: str) -> tuple[int, list[str]]:
        number = self.all(f"SELECT count(*) FROM ({items})", name)[0][0]
        few = self.all(f"SELECT item FROM ({items}) ORDER BY item LIMIT 3", name)
        return number, [row[0] for row in few]


class Names(NamedTuple):
    """Distinct labels, sorted, and the index of the label of each database code, -1 for NO_LABEL and NO_ITEM."""

    labels: list[Any]
    place: NDArray[np.int32] | None = None  # index of the label of each code; None: it is code - NO_ITEM - 1

    def codes(self, found: NDArray[np.uint32]) -> NDArray[np.int32]:
        """Convert database codes to indices of labels, -1 if missing; in place where possible."""
        if self.place is not None:
            return self.place[found]
        indices = found.view(np.int32)
        indices -= NO_ITEM + 1
        return np.maximum(indices, -1, out=indices)

    @classmethod
    def of(cls, labels: list[Any]) -> Names:
        """Labels given in the order of their codes; equal labels are merged, and missing ones such as NaN get -1."""
        combined = [_combination(label) if isinstance(label, tuple) else label for label in labels]
        codes, names = encode_objects(combined, "labels") if labels else (np.zeros(0, dtype=np.int64), [])
        return cls(names, np.concatenate([np.full(NO_ITEM + 1, -1), codes]).astype(np.int32))


class Plan(NamedTuple):
    """The tables of a query, and which of their columns hold the labels of each side."""

    tables: Mapping[str, str]  # tables and queries by alias
    roles: Mapping[str, str]  # the alias of the table that each column of labels is in
    source: str  # the FROM clause: all tables, joined
    item: str  # SQL of the id of an item
    sides: Mapping[str, str]  # the column of each side; gold is ''
    together: bool
    size: int  # total number of rows


def _piece(part: dict[str, Any], names: Mapping[str, Names], plan: Plan) -> Piece:
    counts = part.get("n")
    absent = {name: _items(part[role] == NO_ITEM, counts) for name, role in plan.sides.items()}
    groupless = _items(part["by_"] == NO_LABEL, counts) if "by_" in part else 0
    coded = {role: Coded(found.codes(part[role]), found.labels) for role, found in names.items()}
    sides = {name: coded[role] for name, role in plan.sides.items()}
    return Piece(sides, coded.get("by_"), part.get("weight"), counts, part.get("item"), absent, groupless)


def _together(parts: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Concatenate the parts of a result."""
    if len(parts) < 2:
        return list(parts)
    join: Any = np.ma.concatenate  # which NumPy does not annotate
    return [{role: join([part[role] for part in parts]) for role in parts[0]}]


def _items(rows: NDArray[Any], counts: NDArray[np.int64] | None) -> int:
    return int(rows.sum() if counts is None else counts[rows].sum())


def _counted(part: dict[str, Any], plan: Plan) -> Piece:
    """A batch of integer labels that are counted already."""
    sides = {name: Coded(*_coded(part[role])) for name, role in plan.sides.items()}
    return Piece(sides, None, None, np.asarray(part["n"]), None, dict.fromkeys(plan.sides, 0))


def _coded(values: NDArray[Any]) -> tuple[NDArray[np.int32], list[int]]:
    present = ~np.ma.getmaskarray(values) if isinstance(values, np.ma.MaskedArray) else None
    data = np.asarray(values) if present is None else np.asarray(values)[present]
    names, codes = np.unique(data, return_inverse=True)
    if present is None:
        return codes.astype(np.int32), names.tolist()
    found = np.full(values.size, -1, np.int32)
    found[present] = codes
    return found, names.tolist()


def _chosen(name: Name, column: Callable[[str], str], role: str) -> str:
    """SQL of a column named by its role; several columns become one tuple, NULL if any is NULL."""
    if isinstance(name, str):
        return f"{column(name)} AS {role}"
    parts = [column(part) for part in name]
    absent = " OR ".join(f"{part} IS NULL" for part in parts)
    return f"(CASE WHEN {absent} THEN NULL ELSE row({', '.join(parts)}) END) AS {role}"


def _decoded(label: Any) -> Any:
    return tuple(map(json.loads, label)) if isinstance(label, tuple) else json.loads(label)


def _combination(labels: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """Combine labels of several columns; None if one of them is NaN."""
    return None if any(label != label for label in labels) else labels


def _list(values: Any) -> Any:
    return values if isinstance(values, list) else values.tolist()
