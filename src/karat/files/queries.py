"""Large, compressed and Parquet files, read by DuckDB within a limit of memory, spilling to a temporary directory.

Labels are numbered by a join with their distinct values, so that only integers leave the database: that is faster than
its GROUP BY of the labels themselves, and takes four bytes an item.
"""

from __future__ import annotations

import json
import math
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from karat.errors import FileError
from karat.files import problems, sql
from karat.files.headers import RefusedError
from karat.files.inputs import Input
from karat.files.progress import Progress
from karat.files.roles import Side
from karat.files.sources import Name, Source
from karat.labels import Labels
from karat.names import Combination, encode_objects

PIECE = 1 << 25  # rows that leave the database at a time
FEW = 1 << 22  # possible cells that it may count itself
INTEGERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT")
NO_LABEL, NO_ITEM = 0, 1  # codes below those of labels: the label is missing; the item is, on this side


class Piece(NamedTuple):
    """Some items: two labels each, and what else was asked for; counts, if each row stands for several."""

    gold: Labels
    pred: Labels
    by: Labels | None
    weights: NDArray[Any] | None
    counts: NDArray[np.int64] | None
    unmatched: int  # items that only one side has
    only_pred: int


class Database:
    """An in-memory DuckDB with a limit of memory, and the files that are asked."""

    def __init__(self, memory: str = "2GB", threads: int | None = None, progress: bool = False) -> None:
        import duckdb

        self.duckdb = duckdb
        self.folder = tempfile.TemporaryDirectory(prefix="karat-", ignore_cleanup_errors=True)
        config: dict[str, Any] = {"temp_directory": self.folder.name, "preserve_insertion_order": False}
        try:
            self.connection = duckdb.connect(
                config={**config, "memory_limit": memory, **({} if threads is None else {"threads": threads})}
            )
        except (duckdb.Error, RuntimeError):
            self.folder.cleanup()
            raise FileError(f"memory={memory!r} is no amount of memory; say for instance memory='2GB'.") from None
        self.progress = Progress(self.connection) if progress else None
        self.held: dict[str, Any] = {}  # arrays and tables that queries refer to
        self.tables = 0

    def close(self) -> None:
        """Give back memory, disk and the terminal."""
        if self.progress is not None:
            self.progress.stop()
        self.connection.close()
        self.folder.cleanup()

    def run(self, query: str, name: str) -> None:
        """Run a statement about a file."""
        self._ask(query, name, lambda cursor: None)

    def all(self, query: str, name: str, *, in_order: bool = False) -> list[tuple[Any, ...]]:
        """The rows that a query about a file gives; in the order of the file, if that matters."""
        if in_order:
            self.connection.execute("SET preserve_insertion_order = true")
        rows = self._ask(query, name, lambda cursor: cursor.fetchall())
        self.connection.execute("SET preserve_insertion_order = false")
        return rows  # type: ignore[no-any-return]

    def arrays(self, query: str, name: str) -> dict[str, Any]:
        """The columns that a query about a file gives."""
        return self._ask(query, name, lambda cursor: cursor.fetchnumpy())  # type: ignore[no-any-return]

    def _ask(self, query: str, name: str, fetch: Callable[[Any], Any]) -> Any:
        try:
            if self.progress is not None:
                self.progress.name = name
            return fetch(self.connection.execute(query))
        except self.duckdb.OutOfMemoryException:
            raise FileError(f"{name!r} needs more memory or disk than it has; raise the limit with memory=.") from None
        except self.duckdb.Error as problem:
            reason = str(problem).split("\n", 1)[0].removesuffix(".")
            raise RefusedError(f"{name!r} cannot be read ({reason}); check that it is whole.") from None
        except RuntimeError as problem:
            if "bad_cast" in str(problem):  # its way to say that a text is not UTF-8
                raise RefusedError(f"{name!r} has a name that is not UTF-8; rename it.") from None
            raise

    def arrow(self, source: Input) -> Any:
        """An Arrow file that is open already, or is opened now."""
        if source.path not in self.held:
            from karat.files.arrow import open_arrow

            self.held[source.path] = open_arrow(source)
        return self.held[source.path]

    def column(self, source: Source, name: Name) -> Labels:
        """A whole column in the order of the rows, for files that are matched by position."""
        about = source.input.name
        self.connection.execute("SET preserve_insertion_order = true")
        rows = self._typed(self._rows(source, {"label": name}), source, {"label": name})
        ordered = self._kept(f"SELECT label, row_number() OVER () - 1 AS place FROM ({rows})", about)
        names, table = self._numbered(f"SELECT label FROM {ordered}", about)
        codes = f"SELECT place, coalesce(d.code, {NO_LABEL}) FROM {ordered} r LEFT JOIN {table} d ON r.label = d.label"
        found = np.full(self._count(ordered), -1, dtype=np.int32)
        for part in self._fetched(self._kept(f"SELECT a AS place, b AS code FROM ({codes}) t(a, b)", about)):
            found[part["place"]] = names.codes(part["code"])
        return Labels(found, names.labels)

    def _count(self, table: str) -> int:
        (number,) = self.connection.execute(f"SELECT count(*) FROM {table}").fetchall()[0]
        return int(number)

    def _rows(self, source: Source, roles: dict[str, Name]) -> str:
        """A query for some columns of a file under the names of their roles."""
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
        """A temporary table of what a query gives."""
        self.tables += 1
        self.run(f"CREATE TEMP TABLE t{self.tables} AS {query}", name)
        return f"t{self.tables}"

    def _typed(self, query: str, source: Source, roles: dict[str, Name]) -> str:
        """The same query with ids as text, and with types that are labels."""
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
            # Python's own times have microseconds, and no names of zones
            as_text = role == "item" or any(word in kind for word in ("TIME ZONE", "TIMESTAMPTZ", "_NS"))
            chosen.append(f"CAST({role} AS VARCHAR) AS {role}" if as_text else role)
        return f"SELECT {', '.join(chosen)} FROM ({query})"

    def rows(self, source: Source, roles: dict[str, Name]) -> str:
        """Some columns of a file as a table or a query, by role; text is parsed once and kept."""
        query = self._typed(self._rows(source, roles), source, roles)
        return self._kept(query, source.input.name) if source.input.kind in ("csv", "tsv", "jsonl") else f"({query})"

    def _numbered(self, query: str, name: str) -> tuple[Names, str]:
        """The distinct labels that a query gives, and a table of their codes."""
        distinct = f"SELECT label FROM ({query}) WHERE label IS NOT NULL GROUP BY label"
        code = f"(row_number() OVER (ORDER BY label) + {NO_ITEM})::UINTEGER"  # which counts from 1
        table = self._kept(f"SELECT label, {code} AS code FROM ({distinct})", name)
        labels = [row[0] for row in self.all(f"SELECT label FROM {table} ORDER BY code", name)]
        kind = self.all(f"DESCRIBE {table}", name)[0][1]
        if kind == "VARCHAR":  # sorted as Python sorts them
            return Names(labels), table
        if "JSON" in kind:
            try:
                labels = [_decoded(label) for label in labels]
            except (ValueError, RecursionError) as problem:
                raise RefusedError(f"{name!r} has a label that cannot be read ({problem}); mend it.") from None
        return Names.of(labels), table

    def pieces(self, gold: Side, pred: Side, by: str | None, weights: str | None, *, whole: bool) -> Iterator[Piece]:
        """The items of two columns, in a few large parts; counted already if they are few and whole says so."""
        about = gold.source.input.name
        together = gold.source is pred.source
        extra = {role: name for role, name in (("by_", by), ("weight", weights)) if name is not None}
        if together:
            left = right = self.rows(gold.source, {"gold": gold.label, "pred": pred.label, **extra})
        else:
            left = self.rows(gold.source, {"item": str(gold.item), "gold": gold.label, **extra})
            right = self.rows(pred.source, {"item": str(pred.item), "pred": pred.label})
            self._check_items(left, gold)
            self._check_items(right, pred)
        sizes = [self._size(left, gold), 0 if together else self._size(right, pred)]
        if whole and together and by is None and weights is None and self._integers(left, about):
            counted = self._kept(f"SELECT *, count(*)::BIGINT AS n FROM {left} GROUP BY ALL", about)
            if self._without_null(counted, about):
                yield from (_counted(part) for part in self._fetched(counted))
                return
        names, codes, joins = {}, [], []
        for role, rows in {"gold": left, "pred": right, **({} if by is None else {"by_": left})}.items():
            names[role], table = self._numbered(f"SELECT {role} AS label FROM {rows}", about)
            side = "r" if role == "pred" and not together else "l"
            joins.append(f"LEFT JOIN {table} d_{role} ON {side}.{role} = d_{role}.label")
            absent = f"WHEN {side}.item IS NULL THEN {NO_ITEM} " if not together and role != "by_" else ""
            code = f"CASE {absent}WHEN d_{role}.code IS NULL THEN {NO_LABEL} ELSE d_{role}.code END"
            codes.append(f"({code})::UINTEGER AS {role}")
        items = f"FROM {left} l" + ("" if together else f" FULL JOIN {right} r ON l.item = r.item")
        items = f"{items} {' '.join(joins)}"
        possible = math.prod(len(found.labels) + 2 for found in names.values())
        if whole and weights is None and possible <= FEW:
            query = f"SELECT *, count(*)::BIGINT AS n FROM (SELECT {', '.join(codes)} {items}) GROUP BY ALL"
            cells = self.arrays(query, about)
            if _complete(cells, names):
                yield _piece(cells, names)
                return
        codes += [] if weights is None else [self._weight(left, weights, gold.source)]
        query = f"SELECT {', '.join(codes)} {items}"
        if sum(sizes) <= PIECE:
            yield _piece(self.arrays(query, about), names)
            return
        for part in self._fetched(self._kept(query, about)):
            yield _piece(part, names)

    def _integers(self, rows: str, name: str) -> bool:
        """Whether all columns are integers, which need no numbers of their own to be counted."""
        return all(kind.removeprefix("U") in INTEGERS for _, kind, *_ in self.all(f"DESCRIBE FROM {rows}", name))

    def _without_null(self, table: str, name: str) -> bool:
        found = self.all(f"SELECT count(*), count(COLUMNS(*)) FROM {table}", name)[0]
        return len(set(found)) == 1

    def _size(self, rows: str, side: Side) -> int:
        size = self._count(rows)
        if not size:
            raise FileError(f"{side.source.input.name!r} has no rows; give a file with labels in it.")
        return size

    def _weight(self, table: str, column: str, source: Source) -> str:
        """How to read the weights: as integers if all are, else as doubles; others are refused."""
        integer, number = "try_cast(weight AS BIGINT)", "try_cast(weight AS DOUBLE)"
        whole = f"count(CASE WHEN {integer} = {number} THEN 1 END)"
        query = f"SELECT count(*), count(weight), count({number}), {whole} FROM {table}"
        rows, given, numbers, integers = self.all(query, source.input.name)[0]
        if given < rows:
            raise FileError(problems.without_value(source, "a weight", column, rows - given))
        if numbers < given:
            bad = self.connection.execute(f"SELECT weight FROM {table} WHERE {number} IS NULL LIMIT 1").fetchall()
            raise FileError(problems.no_weight(source, column, bad[0][0]))
        return f"{integer if integers == rows else number} AS weight"

    def _fetched(self, table: str) -> Iterator[dict[str, Any]]:
        for start in range(0, self._count(table), PIECE):
            query = f"SELECT * FROM {table} WHERE rowid >= {start} AND rowid < {start + PIECE}"
            yield self.connection.execute(query).fetchnumpy()

    def _check_items(self, rows: str, side: Side) -> None:
        """Every row has an item, and no item two rows."""
        name = side.source.input.name
        lacking = self.all(f"SELECT count(*) - count(item) FROM {rows}", name)[0][0]
        if lacking:
            raise FileError(problems.without_value(side.source, "an id", str(side.item), lacking))
        number, few = self._number_and_few(f"SELECT item FROM {rows} GROUP BY item HAVING count(*) > 1", name)
        if number:
            raise FileError(problems.duplicates(side, number, few))

    def only_in(self, here: Side, there: Side) -> tuple[int, list[str]]:
        """How many items one file has and the other has not, and a few of them."""
        left = self._typed(self._rows(here.source, {"item": str(here.item)}), here.source, {})
        right = self._typed(self._rows(there.source, {"item": str(there.item)}), there.source, {})
        items = f"SELECT l.item FROM ({left}) l ANTI JOIN ({right}) r ON l.item = r.item"
        return self._number_and_few(items, here.source.input.name)

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
    """Distinct labels in order, and the place among them of each code, -1 for codes that are no labels."""

    labels: list[Any]
    place: NDArray[np.int32] | None = None  # None: codes are places, but for those that are no labels

    def codes(self, found: NDArray[np.uint32]) -> NDArray[np.int32]:
        """Codes of the database as places among the labels; without a copy, where that can be."""
        if self.place is not None:
            return self.place[found]
        places = found.view(np.int32)
        places -= NO_ITEM + 1
        return np.maximum(places, -1, out=places)

    @classmethod
    def of(cls, labels: list[Any]) -> Names:
        """Labels in the order of their codes; some may be one label in two spellings, or none, such as NaN."""
        whole = [_whole(label) if isinstance(label, tuple) else label for label in labels]
        codes, names = encode_objects(whole, "labels") if labels else (np.zeros(0, dtype=np.int64), [])
        return cls(names, np.concatenate([np.full(NO_ITEM + 1, -1), codes]).astype(np.int32))


def _complete(cells: dict[str, Any], names: dict[str, Names]) -> bool:
    """Whether every cell has labels on both sides; NaN, which is none, has a code of its own."""
    return all(found.codes(cells[role].copy()).min() >= 0 for role, found in names.items())


def _piece(part: dict[str, Any], names: dict[str, Names]) -> Piece:
    gold, pred = part["gold"], part["pred"]
    only_pred = int((gold == NO_ITEM).sum())
    unmatched = int((pred == NO_ITEM).sum()) + only_pred
    if "by_" in part and unmatched:  # gold tells the group, so what it lacks has none
        part = {role: column[gold != NO_ITEM] for role, column in part.items()}
    labels = {role: Labels(found.codes(part[role]), found.labels) for role, found in names.items()}
    counts = part.get("n")
    return Piece(labels["gold"], labels["pred"], labels.get("by_"), part.get("weight"), counts, unmatched, only_pred)


def _counted(part: dict[str, Any]) -> Piece:
    """Cells of integers."""
    labels = {role: Labels(*_coded(part[role])) for role in ("gold", "pred")}
    return Piece(labels["gold"], labels["pred"], None, None, part["n"], 0, 0)


def _coded(values: NDArray[Any]) -> tuple[NDArray[np.int32], list[int]]:
    names, codes = np.unique(values, return_inverse=True)
    return codes.astype(np.int32), names.tolist()


def _chosen(name: Name, column: Callable[[str], str], role: str) -> str:
    """A column under the name of its role; of several, their product, which lacks what one of them lacks."""
    if isinstance(name, str):
        return f"{column(name)} AS {role}"
    parts = [column(part) for part in name]
    absent = " OR ".join(f"{part} IS NULL" for part in parts)
    return f"(CASE WHEN {absent} THEN NULL ELSE row({', '.join(parts)}) END) AS {role}"


def _decoded(label: Any) -> Any:
    return tuple(map(json.loads, label)) if isinstance(label, tuple) else json.loads(label)


def _whole(labels: tuple[Any, ...]) -> Combination | None:
    """Labels taken together; none, if one of them is NaN."""
    return None if any(label != label for label in labels) else Combination(labels)


def _list(values: Any) -> Any:
    return values if isinstance(values, list) else values.tolist()
