"""JSON lines: read by the standard library, by DuckDB if they are large or compressed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from karat.errors import FileError
from karat.limits import COLUMNS
from karat.sources.files.inputs import Input
from karat.sources.files.registry import Columns, Format, Header, Query, add

if TYPE_CHECKING:
    from karat.sources.files.database import Database

KEYS = 10_000  # lines that DuckDB searches for keys


def read_json_lines(source: Input) -> Columns:
    """Read one JSON object per line; labels are text, numbers or booleans, and null or an absent key is missing."""
    import json

    from karat.sources.files.text import decoded

    records = []
    for number, line in enumerate(decoded(source).split("\n"), 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line, object_pairs_hook=_unique_keys)
        except (ValueError, RecursionError) as problem:
            raise FileError(f"{source.name!r} is not JSON in line {number} ({problem}); mend the line.") from None
        if not isinstance(record, dict):
            raise FileError(f"{source.name!r} has {line[:40]!r} in line {number}; give one JSON object per line.")
        records.append(record)
    if not records:
        raise FileError(f"{source.name!r} has no rows; give a file with labels in it.")
    names: dict[str, None] = {}
    for record in records:
        names.update(dict.fromkeys(record))
        COLUMNS.check(len(names), repr(source.name), FileError)
    # columns are built on demand: most records may lack most keys, and lists of all would take lines × keys
    return Columns(list(names), lambda name: [record.get(name) for record in records], len(records))


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object as a dict; duplicate keys are refused."""
    keys = dict(pairs)
    if len(keys) < len(pairs):
        raise ValueError("a key occurs twice")
    return keys


def header_of(database: Database, source: Input) -> Header:
    """The keys in order of appearance: if there are two without customary names, the first is gold."""
    from karat.sources.files import sql
    from karat.sources.files.contents import check_packed
    from karat.sources.files.database import RefusedError

    utf8 = source.options["encoding"].lower() in ("utf-8", "utf8", "utf-8-sig")
    if not utf8 or sql.encoding(source) != "utf-8":
        raise RefusedError(f"{source.name!r} is in an encoding that DuckDB does not read; unpack it.")
    if source.zipped:
        check_packed(source)
    objects = rows_of(database, source, 0)
    few = f"SELECT json_keys(json) AS keys, row_number() OVER () AS line FROM {objects} LIMIT {KEYS}"
    each = f"SELECT unnest(keys) AS key, line, unnest(range(len(keys))) AS position FROM ({few})"
    first = f"SELECT key FROM ({each}) GROUP BY key ORDER BY min((line, position))"
    rows = database.all(f"{first} LIMIT {COLUMNS.now + 1}", source.name, in_order=True)
    if len(rows) > COLUMNS.now:
        COLUMNS.refuse(repr(source.name), FileError)
    names = tuple(key for (key,) in rows)
    return Header(names, names)


def rows_of(database: Database, source: Input, size: int) -> str:
    """SQL that reads JSON lines into a column json; lines that are not objects are refused."""
    from karat.sources.files import sql

    check = "CASE WHEN json_type(json) = 'OBJECT' THEN json ELSE error('not an object') END"
    return f"(SELECT {check} AS json FROM read_ndjson_objects({sql.paths(source)}, hive_partitioning=false))"


def value_of(key: str, role: str) -> str:
    """SQL of the value of a key: ids and weights as text, labels as JSON, with null as missing."""
    from karat.sources.files import sql

    value = f"json_extract(json, {sql.pointer(key)})"
    value = f"(CASE WHEN json_type({value}) = 'NULL' THEN NULL ELSE {value} END)"
    return f"({value} ->> '$')" if role in ("item", "weight") else value


add(
    Format(
        "jsonl", "JSON lines", "an object per line, its keys are the columns",
        "text, numbers, true and false keep their types; null or an absent key is a missing label",
        (".jsonl", ".ndjson"), read=read_json_lines, query=Query(header_of, rows_of, value_of, ragged=True),
        example='{"class": "a", "cluster": 1}\n{"class": 2, "cluster": 3}\n' * 9,
    )
)  # fmt: skip
