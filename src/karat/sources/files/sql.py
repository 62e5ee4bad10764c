"""SQL of DuckDB's table functions for files, with names and paths quoted."""

from __future__ import annotations

import os
from glob import escape

from karat.sources.files.inputs import Input, byte_order

ENCODINGS = {
    "utf-8": "utf-8", "utf8": "utf-8", "utf-8-sig": "utf-8", "latin-1": "latin-1", "latin1": "latin-1",
    "iso-8859-1": "latin-1", "ascii": "utf-8", "us-ascii": "utf-8",
}  # fmt: skip
IN_ORDER = "parallel=false"  # else DuckDB silently omits a last line longer than its buffer


def json_role(role: str, key: str) -> str:
    """SQL of the value of a key: ids and weights as text, labels as JSON, with null as missing."""
    value = f"json_extract(json, {pointer(key)})"
    value = f"(CASE WHEN json_type({value}) = 'NULL' THEN NULL ELSE {value} END)"
    return f"({value} ->> '$')" if role in ("item", "weight") else value


def pointer(key: str) -> str:
    """A key as a JSON pointer, quoted for SQL."""
    return text("/" + key.replace("~", "~0").replace("/", "~1"))


def csv(source: Input, size: int) -> str:
    """SQL that reads a delimited file with size columns, all of them text."""
    columns = ", ".join(f"'c{index}': 'VARCHAR'" for index in range(size))
    options = [
        f"columns={{{columns}}}", "auto_detect=false", f"header={str(source.header).lower()}", "nullstr=''",
        f"delim={text(source.delimiter)}", "quote='\"'", "escape='\"'", f"encoding='{encoding(source)}'",
        "hive_partitioning=false",
    ]  # fmt: skip
    if source.packed and not source.zipped:
        options.append(IN_ORDER)
    return f"read_csv({paths(source)}, {', '.join(options)})"


def encoding(source: Input) -> str | None:
    """DuckDB's name for the encoding of a text; None if it is unsupported."""
    start = b"" if source.packed else first_bytes(source.path)
    if byte_order(start) == "utf-16":
        return "utf-16" if start.startswith(b"\xff\xfe") else None
    if byte_order(start) == "utf-32":
        return None
    return ENCODINGS.get(source.encoding.lower().replace("_", "-"))


def parquet(source: Input) -> str:
    """SQL that reads Parquet files, without the columns that directories named key=value would add."""
    return f"read_parquet({paths(source)}, hive_partitioning=false)"


def json_lines(source: Input) -> str:
    """SQL that reads JSON lines into a column json; lines that are not objects are refused."""
    check = "CASE WHEN json_type(json) = 'OBJECT' THEN json ELSE error('not an object') END"
    return f"(SELECT {check} AS json FROM read_ndjson_objects({paths(source)}, hive_partitioning=false))"


def paths(source: Input) -> str:
    """The paths as an SQL list, with *, ? and [ escaped, which DuckDB would read as patterns.

    Paths are absolute, since DuckDB interprets a leading ~ or http:.
    """
    return f"[{', '.join(text(escape(os.path.abspath(path))) for path in source.paths)}]"


def text(value: str) -> str:
    """A string as an SQL literal."""
    return "'" + value.replace("'", "''") + "'"


def quoted(name: str) -> str:
    """A name as a quoted SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def first_bytes(path: str) -> bytes:
    """The first four bytes of a file, which may be a byte order mark."""
    with open(path, "rb") as file:
        return file.read(4)
