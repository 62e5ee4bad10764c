"""A corpus as one table, with columns of classes and of texts or features."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from karat.errors import FileError, listed, nearest
from karat.sources.files.inputs import TABULAR, Input, find
from karat.sources.files.roles import GOLD, ITEM
from karat.sources.files.sources import Source, as_list, open_source


def existing(corpus: str, names: Sequence[str]) -> str:
    """The path of a user's corpus; FileError if it does not exist."""
    if os.path.exists(corpus) or "*" in corpus:
        return corpus
    hint = nearest(corpus, names) or f"give a path, or one of {', '.join(names)}."
    raise FileError(f"there is no file or data set {corpus!r}; {hint}")


@contextmanager
def open_table(path: str) -> Iterator[Source]:
    """Open a CSV, TSV, JSON lines, Parquet or Arrow file, and give access to its columns."""
    copies: list[str] = []
    try:
        yield from _opened(find(path, copies=copies))
    finally:
        for copy in copies:
            if copy != "-":
                os.unlink(copy)


def _opened(source: Input) -> Iterator[Source]:
    if source.kind in TABULAR:
        yield open_source(source, None)
        return
    if source.kind not in ("parquet", "arrow"):
        raise FileError(
            f"{source.name!r} has no columns, as it is read ({source.kind}); give a CSV file with a header."
        )
    from karat.sources.files.headers import RefusedError
    from karat.sources.files.queries import Database

    database = Database()
    try:
        yield open_source(source, database)
    except RefusedError as problem:
        raise FileError(str(problem)) from None
    finally:
        database.close()


def values(source: Source, column: str) -> list[Any]:
    """A column's values, None where one is missing."""
    return as_list(source.values(column))


def gold_column(source: Source, name: str | None) -> str:
    """The column of the classes: the one given, else found by a customary name."""
    return source.check(name, "gold") if name is not None else known(source, GOLD, "the classes", "gold")


def known(source: Source, names: Sequence[str], what: str, option: str) -> str:
    """The column that has a customary name for this content; FileError if there is none."""
    for name in names:
        for column in source.columns:
            if column.lower() == name:
                return column
    raise FileError(
        f"{source.input.name!r} has columns {listed(source.columns, 12)}; say which holds {what}, as {option}=..."
    )


def is_item(column: str) -> bool:
    """Whether a column seems to contain the ids of the items."""
    return column.lower() in ITEM
