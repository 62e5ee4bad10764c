"""Files as DuckDB's table functions, with names and paths that no query can mistake for SQL."""

from __future__ import annotations

import os
from glob import escape

from karat.sources.files.inputs import Input, byte_order

ENCODINGS = {
    "utf-8": "utf-8", "utf8": "utf-8", "utf-8-sig": "utf-8", "latin-1": "latin-1", "latin1": "latin-1",
    "iso-8859-1": "latin-1", "ascii": "utf-8", "us-ascii": "utf-8",
}  # fmt: skip
IN_ORDER = "parallel=false"  # else a last line that is longer than DuckDB's buffer would be left out without a word


def json_role(role: str, key: str) -> str:
    """The value of a key: of a label as it is, null as missing; of an id or a weight as text."""
    value = f"json_extract(json, {pointer(key)})"
    value = f"(CASE WHEN json_type({value}) = 'NULL' THEN NULL ELSE {value} END)"
    return f"({value} ->> '$')" if role in ("item", "weight") else value


def pointer(key: str) -> str:
    """A key as a JSON pointer."""
    return text("/" + key.replace("~", "~0").replace("/", "~1"))


def csv(source: Input, size: int) -> str:
    """A delimited file, every field of it text."""
    columns = ", ".join(f"'c{place}': 'VARCHAR'" for place in range(size))
    options = [
        f"columns={{{columns}}}", "auto_detect=false", f"header={str(source.header).lower()}", "nullstr=''",
        f"delim={text(source.delimiter)}", "quote='\"'", "escape='\"'", f"encoding='{encoding(source)}'",
        "hive_partitioning=false",
    ]  # fmt: skip
    if source.packed and not source.zipped:
        options.append(IN_ORDER)
    return f"read_csv({paths(source)}, {', '.join(options)})"


def encoding(source: Input) -> str | None:
    """The encoding of a text under the name that DuckDB has for it; None if it has none."""
    start = b"" if source.packed else first_bytes(source.path)
    if byte_order(start) == "utf-16":
        return "utf-16" if start.startswith(b"\xff\xfe") else None
    if byte_order(start) == "utf-32":
        return None
    return ENCODINGS.get(source.encoding.lower().replace("_", "-"))


def parquet(source: Input) -> str:
    """A Parquet file, without the columns that a directory called name=value would add."""
    return f"read_parquet({paths(source)}, hive_partitioning=false)"


def json_lines(source: Input) -> str:
    """JSON lines, each a value in the column json; what is not an object is refused."""
    check = "CASE WHEN json_type(json) = 'OBJECT' THEN json ELSE error('not an object') END"
    return f"(SELECT {check} AS json FROM read_ndjson_objects({paths(source)}, hive_partitioning=false))"


def paths(source: Input) -> str:
    """The files as a list that SQL reads literally: DuckDB would take *, ? and [ in a name as patterns.

    Paths are whole, since it would take those that begin with ~ or http: for other places.
    """
    return f"[{', '.join(text(escape(os.path.abspath(path))) for path in source.paths)}]"


def text(value: str) -> str:
    """A text as SQL writes it."""
    return "'" + value.replace("'", "''") + "'"


def quoted(name: str) -> str:
    """A name as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'


def first_bytes(path: str) -> bytes:
    """Where a byte order mark would be."""
    with open(path, "rb") as file:
        return file.read(4)
