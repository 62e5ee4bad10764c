"""The columns of files that DuckDB reads: their names in the file, and the names under which it knows them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from karat.errors import FileError
from karat.limits import COLUMNS, UNPACKED
from karat.sources.files import sql
from karat.sources.files.contents import check_last_line, check_packed
from karat.sources.files.inputs import Input
from karat.sources.files.text import first_record

if TYPE_CHECKING:
    from karat.sources.files.queries import Database

KEYS = 10_000  # JSON lines that are looked at for keys


class RefusedError(Exception):
    """A text file that DuckDB does not read; the standard library may, or says what is wrong with it."""


class Header(NamedTuple):
    """The names of the columns, and of the columns in queries."""

    names: tuple[str, ...]
    inner: tuple[str, ...]


def header_of(database: Database, source: Input) -> Header:
    """The columns of a file, or of several that must have the same."""
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
        names = [str(place + 1) for place in range(len(names))]
    return Header(tuple(names), tuple(f"c{place}" for place in range(len(names)))), []


def _first_line(database: Database, source: Input) -> list[str]:
    head = _unpacked_line(database, source) if source.packed and not source.zipped else first_record(source)
    if not head:  # an empty line, which readers take for different things
        raise RefusedError(f"{source.name!r} begins with an empty line; take it away.")
    return head


def _unpacked_line(database: Database, source: Input) -> list[str]:
    """The first record of a file that only DuckDB unpacks: its first lines as they are, read as a file of their own."""
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
    each = f"SELECT unnest(keys) AS key, line, unnest(range(len(keys))) AS place FROM ({few})"
    first = f"SELECT key FROM ({each}) GROUP BY key ORDER BY min((line, place))"  # two are gold and pred in that order
    rows = database.all(f"{first} LIMIT {COLUMNS.now + 1}", source.name, in_order=True)
    if len(rows) > COLUMNS.now:
        COLUMNS.refuse(repr(source.name), FileError)
    names = tuple(key for (key,) in rows)
    return Header(names, names), []


def _parquet(database: Database, source: Input) -> tuple[Header, list[str]]:
    """Its own names: DuckDB gives columns whose names differ in case only, or not at all, other names."""
    sizes = f"SELECT sum(total_uncompressed_size), 8 * any_value(rows) FROM parquet_metadata({sql.paths(source)})"
    rows = f"SELECT sum(num_rows) AS rows FROM parquet_file_metadata({sql.paths(source)})"
    claims = database.all(f"{sizes}, ({rows})", source.name)[0]
    UNPACKED.check(max(claim or 0 for claim in claims), repr(source.name), FileError)
    described = database.all(f"DESCRIBE SELECT * FROM {sql.parquet(source)}", source.name)
    query = f"SELECT name, coalesce(num_children, 0) FROM parquet_schema({sql.paths(source)})"
    nodes = database.all(query, source.name, in_order=True)
    names, place = [], 1  # the first is the root
    for _ in described:
        names.append(nodes[place][0])
        place = _after(nodes, place)
    return Header(tuple(names), tuple(row[0] for row in described)), [row[1] for row in described]


def _after(nodes: list[tuple[str, int]], place: int) -> int:
    """The place after a column and all that it holds."""
    children = nodes[place][1]
    place += 1
    for _ in range(children):
        place = _after(nodes, place)
    return place


def _arrow(database: Database, source: Input) -> tuple[Header, list[str]]:
    schema = database.arrow(source).schema
    names = tuple(schema.names)
    folded = Counter(name.lower() for name in names)
    for name in names:
        if folded[name.lower()] > 1:
            raise FileError(
                f"{source.name!r} has several columns called {name!r}, but for capitals; give them different names."
            )
    return Header(names, names), [str(field.type) for field in schema]
