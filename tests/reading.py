"""What is read from files, in a form that can be compared."""

from __future__ import annotations

import re
from typing import Any

import karat


def outcome(*paths: str, **options: Any) -> Any:
    """What a table is made of, or that it was refused."""
    try:
        reading = karat.read(*paths, **options)
    except karat.KaratError as problem:
        return re.sub(r"( rows?): [^;]*;", r"\1;", str(problem))  # DuckDB does not number rows
    found = reading.groups or {"": reading.tables}
    return [
        (group, name, cells(table), table.policy) for group, tables in found.items() for name, table in tables.items()
    ]


def cells(table: karat.Table) -> list[Any]:
    """The counts by names; lone items, whose names are their own, by their number."""
    return sorted((repr(type(c)), plain(c), plain(k), n) for c, k, n in table.top_cells())


def plain(name: Any) -> str:
    return "alone" if type(name).__name__ == "Singleton" else repr(name)
