"""Arrow and Feather files, validated, and queried by DuckDB."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from karat.errors import FileError
from karat.foreign import first_line
from karat.sources.files.inputs import Input
from karat.sources.files.registry import Format, Header, Query, add

if TYPE_CHECKING:
    from karat.sources.files.database import Database


def _opened(database: Database, source: Input) -> Any:
    """The files as a pyarrow data set, opened and validated once."""
    from karat.sources.files.arrow import open_arrow

    return database.opened(source.paths, lambda: open_arrow(source))


def header_of(database: Database, source: Input) -> Header:
    """The columns, whose names must differ by more than case."""
    schema = _opened(database, source).schema
    names = tuple(schema.names)  # decodes them
    folded = Counter(name.lower() for name in names)
    for name in names:
        if folded[name.lower()] > 1:
            raise FileError(
                f"{source.name!r} has several columns called {name!r}, ignoring case; give them different names."
            )
    return Header(names, names, tuple(str(field.type) for field in schema))


def rows_of(database: Database, source: Input, size: int) -> str:
    """The name in SQL of the data set."""
    try:
        return database.registered(_opened(database, source))
    except database.duckdb.Error as problem:  # a type that it does not know, in any column
        raise FileError(f"{source.name!r} cannot be read ({first_line(problem)}); save the column as text.") from None


add(
    Format(
        "arrow", "Arrow", "also Feather", "types as they are", (".arrow", ".feather", ".ipc"), (b"ARROW1", b"FEA1"),
        text=False, query=Query(header_of, rows_of), needs="pyarrow",
    )
)  # fmt: skip
