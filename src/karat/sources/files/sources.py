"""Source: the columns of a file of any format, in memory or to be queried."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from karat.errors import FileError, listed, nearest
from karat.labels.encoding import Labels
from karat.labels.products import combined
from karat.sources.files.inputs import LARGE, TABULAR, Input
from karat.sources.files.text import Columns, read_delimited, read_json_lines, read_lines

if TYPE_CHECKING:
    from karat.sources.files.queries import Database

Name: TypeAlias = str | tuple[str, ...]  # one column, or several whose labels are combined

SCALARS = (str, int, float, bool, type(None))


class Source(NamedTuple):
    """The columns of a file by name, and the roles that its format defines."""

    input: Input
    columns: tuple[str, ...]
    load: Callable[[str], Any]
    item: str | None = None  # the column of item ids
    label: str | None = None
    group: str | None = None
    queried: bool = False
    inner: tuple[str, ...] = ()  # the names of the columns in queries
    batches: Callable[[], Iterator[Any]] | None = None  # the only column, in batches
    note: str = ""  # a note for the user on what was left out

    def check_all(self, name: Name, role: str) -> Name:
        """Return the name or names of columns; unknown or ambiguous ones are refused."""
        return self.check(name, role) if isinstance(name, str) else tuple(self.check(part, role) for part in name)

    def check(self, name: str, role: str) -> str:
        """Return the name of a column; unknown or ambiguous ones are refused."""
        found = self.columns.count(name)
        if found == 1:
            return name
        if found:
            raise FileError(f"{self.input.name!r} has {found} columns {name!r}; give them different names.")
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
    large = source.packed or len(source.paths) > 1 or source.size >= LARGE
    return source.kind in ("parquet", "arrow") or (source.kind in TABULAR and large)


def open_source(source: Input, database: Database | None) -> Source:
    """Open a file; with a database, formats that it supports are queried there."""
    if source.kind in ("parquet", "arrow", *TABULAR) and database is not None:
        from karat.sources.files.headers import header_of

        names, inner = header_of(database, source)
        asked = Source(source, names, str, queried=True, inner=inner)
        return asked._replace(load=lambda name: database.column(asked, name))
    if source.packed and not source.zipped:
        raise FileError(f"{source.name!r} is packed as .zst, which only CSV and JSON lines may be; unpack it.")
    if len(source.paths) > 1:
        raise FileError(f"{source.name!r} matches {len(source.paths)} files; give one, or join them first.")
    if source.kind == "labels":
        return Source(source, ("label",), lambda _: _joined(read_lines(source)), batches=lambda: read_lines(source))
    if source.kind == "npy":
        from karat.sources.files.arrays import read_npy

        array = read_npy(source)
        return Source(source, ("label",), lambda _: array, batches=lambda: iter([array]))
    if source.kind == "h5ad":
        from karat.sources.files.observations import Observations

        table = Observations(source)
        return Source(source, tuple(table.columns), table.column, item=table.index)
    return _loaded(source)


def _loaded(source: Input) -> Source:
    if source.kind == "communities":
        from karat.sources.files.members import read_communities

        return _in_memory(source, read_communities(source), item="item", label="community")
    if source.kind == "senseval":
        from karat.sources.files.members import read_senseval

        columns, note = read_senseval(source)
        return _in_memory(source, columns, item="instance", label="sense", group="lemma", note=note)
    return _in_memory(source, read_json_lines(source) if source.kind == "jsonl" else read_delimited(source))


def _in_memory(source: Input, columns: Columns, **roles: Any) -> Source:
    if columns.names and not columns.rows:
        raise FileError(f"{source.name!r} has no rows; give a file with labels in it.")
    return Source(source, tuple(columns.names), columns.load, **roles)


def _joined(batches: Iterator[list[Any]]) -> list[Any]:
    return [label for batch in batches for label in batch]
