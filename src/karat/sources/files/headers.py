"""The columns of files that DuckDB reads: their names in the file and their names in queries."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from karat.errors import FileError
from karat.foreign import translated
from karat.limits import COLUMNS, UNPACKED
from karat.sources.files import sql
from karat.sources.files.contents import check_last_line, check_packed
from karat.sources.files.inputs import Input
from karat.sources.files.text import first_record

if TYPE_CHECKING:
    from karat.sources.files.queries import Database

KEYS = 10_000  # JSON lines searched for keys


class RefusedError(Exception):
    """A text file that DuckDB cannot read; the standard library may, or gives a better message."""


class Header(NamedTuple):
    """The names of columns in the file, and their names in queries."""

    names: tuple[str, ...]
    inner: tuple[str, ...]


def header_of(database: Database, source: Input) -> Header:
    """The columns of a file, or of several files, which must have the same columns."""
    read = {"jsonl": _keys, "parquet": _parquet, "arrow": _arrow}.get(source.kind, _delimited)
    if source.kind == "jsonl" or len(source.paths) == 1:
        return read(database, source)[0]
    found = [read(database, source._replace(paths=(path,))) for path in source.paths]
    for path, other in zip(source.paths, found, strict=True):
        if other != found[0]:
            raise FileError(
                f"{path!r} has other columns, or columns of other types, than {source.path!r}; "
                "give files that are alike, or one after the other."
            )
    return found[0][0]


def _delimited(database: Database, source: Input) -> tuple[Header, list[str]]:
    if sql.encoding(source) is None:
        raise RefusedError(f"{source.name!r} is in an encoding that DuckDB does not read; unpack it.")
    if source.zipped:
        check_packed(source)
    elif not source.packed:
        check_last_line(source)
    names = _first_line(database, source)
    if not source.header:
        names = [str(index + 1) for index in range(len(names))]
    return Header(tuple(names), tuple(f"c{index}" for index in range(len(names)))), []


def _first_line(database: Database, source: Input) -> list[str]:
    head = _unpacked_line(database, source) if source.packed and not source.zipped else first_record(source)
    if not head:  # readers disagree on an empty line
        raise RefusedError(f"{source.name!r} begins with an empty line; take it away.")
    return head


def _unpacked_line(database: Database, source: Input) -> list[str]:
    """The first record of a file that only DuckDB decompresses: fetch raw lines, and parse them as CSV."""
    import csv

    raw = "columns={'line': 'VARCHAR'}, auto_detect=false, header=false, delim='\x01', quote='', escape=''"
    query = f"SELECT line FROM read_csv({sql.paths(source)}, {raw}, {sql.IN_ORDER}, hive_partitioning=false) LIMIT 100"
    lines = [row[0] or "" for row in database.all(query, source.name, in_order=True)]
    try:
        first = lines[0].removeprefix("\ufeff")
        return next(csv.reader([first, *lines[1:]], delimiter=source.delimiter, strict=True), [])
    except (csv.Error, IndexError):
        raise FileError(f"{source.name!r} has no columns that can be read; check that it is whole.") from None


def _keys(database: Database, source: Input) -> tuple[Header, list[str]]:
    if source.encoding.lower() not in ("utf-8", "utf8", "utf-8-sig") or sql.encoding(source) != "utf-8":
        raise RefusedError(f"{source.name!r} is in an encoding that DuckDB does not read; unpack it.")
    if source.zipped:
        check_packed(source)
    few = f"SELECT json_keys(json) AS keys, row_number() OVER () AS line FROM {sql.json_lines(source)} LIMIT {KEYS}"
    each = f"SELECT unnest(keys) AS key, line, unnest(range(len(keys))) AS position FROM ({few})"
    # keys in order of appearance, since of two the first is gold
    first = f"SELECT key FROM ({each}) GROUP BY key ORDER BY min((line, position))"
    rows = database.all(f"{first} LIMIT {COLUMNS.now + 1}", source.name, in_order=True)
    if len(rows) > COLUMNS.now:
        COLUMNS.refuse(repr(source.name), FileError)
    names = tuple(key for (key,) in rows)
    return Header(names, names), []


def _parquet(database: Database, source: Input) -> tuple[Header, list[str]]:
    """The names in the Parquet schema: DuckDB renames columns whose names are equal but for case."""
    sizes = f"SELECT sum(total_uncompressed_size), 8 * any_value(rows) FROM parquet_metadata({sql.paths(source)})"
    rows = f"SELECT sum(num_rows) AS rows FROM parquet_file_metadata({sql.paths(source)})"
    declared = database.all(f"{sizes}, ({rows})", source.name)[0]
    UNPACKED.check(max(size or 0 for size in declared), repr(source.name), FileError)
    described = database.all(f"DESCRIBE SELECT * FROM {sql.parquet(source)}", source.name)
    query = f"SELECT name, coalesce(num_children, 0) FROM parquet_schema({sql.paths(source)})"
    nodes = database.all(query, source.name, in_order=True)
    names, index = [], 1  # node 0 is the root
    for _ in described:
        names.append(nodes[index][0])
        index = _next_sibling(nodes, index)
    return Header(tuple(names), tuple(row[0] for row in described)), [row[1] for row in described]


def _next_sibling(nodes: list[tuple[str, int]], index: int) -> int:
    """The index after a node and all its descendants, in depth-first order."""
    children = nodes[index][1]
    index += 1
    for _ in range(children):
        index = _next_sibling(nodes, index)
    return index


def _arrow(database: Database, source: Input) -> tuple[Header, list[str]]:
    with translated(lambda reason: f"{source.name!r} cannot be read ({reason}); check that it is whole.", FileError):
        schema = database.arrow(source).schema
        names = tuple(schema.names)  # decodes them
    folded = Counter(name.lower() for name in names)
    for name in names:
        if folded[name.lower()] > 1:
            raise FileError(
                f"{source.name!r} has several columns called {name!r}, ignoring case; give them different names."
            )
    return Header(names, names), [str(field.type) for field in schema]
