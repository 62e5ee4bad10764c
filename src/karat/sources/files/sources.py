"""Source: the columns of a file of any format, in memory or to be queried."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, NamedTuple

from karat.errors import FileError, listed, nearest
from karat.foreign import translated
from karat.labels.encoding import Labels
from karat.labels.products import combined
from karat.sources.files.inputs import Input
from karat.sources.files.options import Name
from karat.sources.files.registry import Columns, Query, formats

if TYPE_CHECKING:
    from karat.sources.files.database import Database

LARGE = 10 << 20  # bytes above which DuckDB is faster, although it takes an eighth of a second to load
SCALARS = (str, int, float, bool, type(None))


class Source(NamedTuple):
    """The columns of a file by name, and the roles that its format defines.

    load(name) reads one column. Gold, predicted labels, ids, groups and weights are read by one call each and matched
    by position, so every call must give the rows of the file in the same order, all of them.
    """

    input: Input
    columns: tuple[str, ...]
    load: Callable[[str], Any]  # the values of one column in row order, None where missing
    item: str | None = None  # the column of item ids
    label: str | None = None
    group: str | None = None
    queried: bool = False
    inner: tuple[str, ...] = ()  # the names of the columns in queries
    types: tuple[str, ...] = ()  # the types of the columns in the file, if it has any
    batches: Callable[[], Iterator[Any]] | None = None  # the only column in batches, in row order
    note: str = ""  # a note for the user on what was left out

    def check_all(self, name: Name, role: str) -> Name:
        """Return the name or names of columns; unknown or ambiguous ones are refused."""
        return self.check(name, role) if isinstance(name, str) else tuple(self.check(part, role) for part in name)

    def check(self, name: str, role: str) -> str:
        """Return the name of a column; unknown or ambiguous ones are refused."""
        number = self.columns.count(name)
        if number == 1:
            return name
        if number:
            raise FileError(f"{self.input.name!r} has {number} columns {name!r}; give them different names.")
        hint = nearest(name, self.columns) or f"it has {listed(self.columns, 12) or 'none'}."
        raise FileError(f"{self.input.name!r} has no column {name!r} for {role}; {hint}")

    def values(self, name: Name) -> Any:
        """The values of a column in row order, None where missing; for several columns, their combinations."""
        if not isinstance(name, str):
            return combined(*(list(self.values(part)) for part in name))
        values = self.load(name)
        if isinstance(values, list):
            for row, value in enumerate(values, 1):
                if not isinstance(value, SCALARS):
                    raise FileError(
                        f"{self.input.name!r} has {str(value)[:40]!r} in column {name!r}, row {row}; "
                        "give text or a number as a label."
                    )
        return values


def as_list(values: Any) -> list[Any]:
    """The values of a column as a list, None where missing."""
    if isinstance(values, Labels):
        codes, names = values.coded
        return [None if code < 0 else names[code] for code in codes.tolist()]
    return list(values)


def needs_query(source: Input) -> bool:
    """Whether a file is read by DuckDB, because nothing else reads it or DuckDB is faster."""
    form = source.format
    large = source.packed or len(source.paths) > 1 or source.size >= LARGE
    return form.query is not None and (form.read is None or large)


def open_source(source: Input, database: Database | None) -> Source:
    """Open a file; with a database, formats that it supports are queried there.

    Whatever a library raises for a damaged file, now or when a column is loaded, becomes one FileError.
    """
    with file_errors(source):
        _check_package(source)
        query = source.format.query
        opened = _read(source) if query is None or database is None else _queried(source, query, database)
    return _translated(opened)


def file_errors(source: Input) -> AbstractContextManager[None]:
    """Raise any error of a with block that reads a file as a FileError that names it; errors of karat pass."""
    remedy = source.format.remedy
    return translated(
        lambda reason: f"{source.name!r} cannot be read as {source.format.title} ({reason}); {remedy}.", FileError
    )


def _check_package(source: Input) -> None:
    """Refuse a format whose package is not installed."""
    from importlib.util import find_spec

    needs, title = source.format.needs, source.format.title
    if needs and find_spec(needs) is None:
        article = "an" if title[0] in "AEIOU" else "a"
        raise FileError(f"{source.name!r} is {article} {title} file; pip install {needs} to read it.")


def _queried(source: Input, query: Query, database: Database) -> Source:
    """A file whose columns DuckDB selects."""
    from karat.sources.files.selecting import column, header_of

    header = header_of(database, source, query)
    opened = Source(source, header.names, str, queried=True, inner=header.inner, types=header.types)
    return opened._replace(load=lambda name: column(database, opened, name))


def _read(source: Input) -> Source:
    """A file that its format's own reader opens."""
    form = source.format
    if source.packed and not source.zipped:
        raise FileError(f"{source.name!r} is packed as .zst, which only {_queried_texts()} may be; unpack it.")
    if form.read is None:
        raise FileError(f"{source.name!r} is read as {form.title}, which needs a database; use karat.read().")
    if len(source.paths) > 1 and form.query is None:
        raise FileError(f"{source.name!r} matches {len(source.paths)} files; give one, or join them first.")
    columns = _joined(source, [form.read(source._replace(paths=(path,))) for path in source.paths])
    if columns.names and columns.rows == 0:
        raise FileError(f"{source.name!r} has no rows; give a file with labels in it.")
    return Source(
        source, tuple(columns.names), columns.load, columns.item or form.item, form.label, form.group,
        batches=columns.batches, note=columns.note,
    )  # fmt: skip


def _joined(source: Input, parts: list[Columns]) -> Columns:
    """The columns of several files, one below the other; they must be alike, unless the format allows for gaps."""
    if len(parts) == 1:
        return parts[0]
    ragged = source.format.query is not None and source.format.query.ragged
    for path, part in zip(source.paths, parts, strict=True):
        if list(part.names) != list(parts[0].names) and not ragged:
            raise different_columns(path, source)
    names = list(dict.fromkeys(name for part in parts for name in part.names))

    def load(name: str) -> list[Any]:
        return [
            value for part in parts for value in (part.load(name) if name in part.names else [None] * (part.rows or 0))
        ]

    return Columns(names, load, sum(part.rows or 0 for part in parts))


def different_columns(path: str, source: Input) -> FileError:
    """The error for a file with other columns than the first of several."""
    return FileError(
        f"{path!r} has other columns, or columns of other types, than {source.path!r}; "
        "give files that are alike, or one after the other."
    )


def _queried_texts() -> str:
    *most, last = [form.title for form in formats().values() if form.tabular]
    return f"{', '.join(most)} and {last}"


def _translated(source: Source) -> Source:
    """The source with the errors of loading raised as FileError."""

    def load(name: str) -> Any:
        with file_errors(source.input):
            return source.load(name)

    def batches() -> Iterator[Any]:
        if source.batches is not None:
            with file_errors(source.input):
                yield from source.batches()

    return source._replace(load=load, batches=None if source.batches is None else batches)
