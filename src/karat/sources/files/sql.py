"""Paths, names and encodings as DuckDB's SQL has them, quoted."""

from __future__ import annotations

import os
from glob import escape

from karat.sources.files.inputs import Input
from karat.sources.files.recognition import byte_order, first_bytes

ENCODINGS = {
    "utf-8": "utf-8", "utf8": "utf-8", "utf-8-sig": "utf-8", "latin-1": "latin-1", "latin1": "latin-1",
    "iso-8859-1": "latin-1", "ascii": "utf-8", "us-ascii": "utf-8",
}  # fmt: skip
IN_ORDER = "parallel=false"  # else DuckDB silently omits a last line longer than its buffer


def pointer(key: str) -> str:
    """A key as a JSON pointer, quoted for SQL."""
    return text("/" + key.replace("~", "~0").replace("/", "~1"))


def encoding(source: Input) -> str | None:
    """DuckDB's name for the encoding of a text; None if it is unsupported."""
    start = b"" if source.packed else first_bytes(source.path, source.name)
    if byte_order(start) == "utf-16":
        return "utf-16" if start.startswith(b"\xff\xfe") else None
    if byte_order(start) == "utf-32":
        return None
    return ENCODINGS.get(source.options["encoding"].lower().replace("_", "-"))


def paths(source: Input) -> str:
    """The paths as an SQL list, with *, ? and [ escaped, which DuckDB would read as patterns.

    Paths are absolute, since DuckDB interprets a leading ~ or http:.
    """
    return f"[{', '.join(text(escape(os.path.abspath(path))) for path in source.paths)}]"


def packing(source: Input) -> list[str]:
    """The option that says how files are compressed, which DuckDB guesses wrongly from some names."""
    if not source.packed:
        return ["compression='none'"]
    return ["compression='gzip'" if source.zipped else "compression='zstd'"]


def text(value: str) -> str:
    """A string as an SQL literal."""
    return "'" + value.replace("'", "''") + "'"


def quoted(name: str) -> str:
    """A name as a quoted SQL identifier."""
    return '"' + name.replace('"', '""') + '"'
