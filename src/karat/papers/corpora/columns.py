"""A corpus as one table, with columns of classes and of texts or features."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from karat.errors import FileError, listed, nearest
from karat.sources.files.inputs import Input, find_input
from karat.sources.files.paths import temporary_copies
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
    """Open a file with columns, of any format that has them, and give access to them."""
    with temporary_copies() as copies:
        yield from _opened(find_input(path, copies=copies))


def _opened(source: Input) -> Iterator[Source]:
    if source.format.tabular:
        yield open_source(source, None)
        return
    if source.format.query is None:
        raise FileError(
            f"{source.name!r} has no columns, as it is read ({source.kind}); give a CSV file with a header."
        )
    from karat.sources.files.database import Database, RefusedError

    database = Database()
    try:
        yield open_source(source, database)
    except RefusedError as problem:
        raise FileError(problem.whole) from None
    finally:
        database.close()


def values(source: Source, column: str) -> list[Any]:
    """A column's values, None where one is missing."""
    return as_list(source.values(column))


def gold_column(source: Source, name: str | None) -> str:
    """The column of the classes: the one given, else the one with a customary name."""
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
