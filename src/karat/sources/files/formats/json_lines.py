"""JSON lines: read by the standard library, by DuckDB if they are large or compressed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from karat.errors import FileError
from karat.foreign import first_line
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
            record = json.loads(line, object_pairs_hook=_Object)
            if isinstance(record, _Object) and record.repeats:
                raise ValueError("a key occurs twice")
        except (ValueError, RecursionError) as problem:
            raise FileError(
                f"{source.name!r} is not JSON in line {number} ({first_line(problem)}); mend the line."
            ) from None
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


class _Object(dict[str, Any]):
    """A JSON object; repeats: whether a key occurs twice."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self.repeats = len(self) < len(pairs)


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
    first = f"SELECT key FROM ({each}) GROUP BY key ORDER BY min((line, position)) LIMIT {COLUMNS.now + 1}"
    rows = database.all(first, source.name, in_order=True)
    number = f"SELECT count(DISTINCT key) FROM (SELECT unnest(json_keys(json)) AS key FROM {objects})"
    if database.all(number, source.name)[0][0] > len(rows):  # keys that appear late: the search is in order, and slow
        rows = database.all(first.replace(f"LIMIT {KEYS}", ""), source.name, in_order=True)
    if len(rows) > COLUMNS.now:
        COLUMNS.refuse(repr(source.name), FileError)
    names = tuple(key for (key,) in rows)
    return Header(names, names)


def rows_of(database: Database, source: Input, size: int) -> str:
    """SQL that reads JSON lines into a column json; lines that are not objects are refused."""
    from karat.sources.files import sql

    check = (
        "CASE WHEN json_type(json) != 'OBJECT' THEN error('not an object') "
        "WHEN len(json_keys(json)) > len(list_distinct(json_keys(json))) THEN error('a key occurs twice') ELSE json END"
    )
    options = ", ".join([sql.paths(source), "hive_partitioning=false", *sql.packing(source)])
    return f"(SELECT {check} AS json FROM read_ndjson_objects({options}))"


def value_of(key: str, role: str) -> str:
    """SQL of the value of a key: ids and weights as text, labels as JSON, with null as missing."""
    from karat.sources.files import sql

    value = f"json_extract(json, {sql.pointer(key)})"
    kind = f"json_type({value})"
    if role not in ("item", "weight"):
        nested = f"WHEN {kind} IN ('ARRAY', 'OBJECT') THEN error('no label')"
        return f"(CASE WHEN {kind} = 'NULL' THEN NULL {nested} ELSE {value} END)"
    kinds = "'VARCHAR', 'BIGINT', 'UBIGINT'" + (", 'DOUBLE'" if role == "weight" else "")
    plain = f"WHEN {kind} IN ({kinds}) THEN {value} ->> '$'"
    return f"(CASE WHEN {kind} IS NULL OR {kind} = 'NULL' THEN NULL {plain} ELSE error('no {role}') END)"


add(
    Format(
        "jsonl", "JSON lines", "an object per line, its keys are the columns",
        "text, numbers, true and false keep their types; null or an absent key is a missing label",
        (".jsonl", ".ndjson"), read=read_json_lines, query=Query(header_of, rows_of, value_of, ragged=True),
        example='{"class": "a", "cluster": 1}\n{"class": 2, "cluster": 3}\n' * 9,
    )
)  # fmt: skip
