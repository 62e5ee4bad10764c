"""The registry of file formats: what a format declares, and the lists that are derived from the declarations.

Each file of formats/ declares one format, or a few that are alike. A declaration loads nothing heavy: a reader imports
what it needs when it is called.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from karat.sources.files.database import Database
    from karat.sources.files.inputs import Input
    from karat.tables.table import Table


class Columns(NamedTuple):
    """The columns of a file.

    load(name) gives the values of one column, None where missing. All columns have the same rows in the same order:
    labels, ids and weights are loaded one column at a time, and value i of each belongs to item i.
    """

    names: Sequence[str]
    load: Callable[[str], Any]
    rows: int | None = None  # the number of rows, if it is known
    batches: Callable[[], Iterator[Any]] | None = None  # the only column in batches, in row order
    item: str | None = None  # the column of item ids, if each file names its own
    note: str = ""  # a note for the user on what was left out

    @classmethod
    def of(cls, names: Sequence[str], values: Sequence[list[Any]], note: str = "") -> Columns:
        """Columns from lists of values; of several with the same name, the first is used."""
        indices = {name: index for index, name in reversed(list(enumerate(names)))}
        rows = len(values[0]) if values else 0
        return cls(names, lambda name: values[indices[name]], rows, note=note)


class Header(NamedTuple):
    """The columns of a file that DuckDB reads: their names, their names in queries, and their types if it has any."""

    names: tuple[str, ...]
    inner: tuple[str, ...]
    types: tuple[str, ...] = ()


def quoted_column(name: str, role: str) -> str:
    """SQL of a column: its quoted name, whatever its role."""
    from karat.sources.files.sql import quoted

    return quoted(name)


class Query(NamedTuple):
    """How DuckDB reads the files of a format."""

    header: Callable[[Database, Input], Header]
    rows: Callable[[Database, Input, int], str]  # SQL of all rows, to stand after FROM; the number of columns is given
    column: Callable[[str, str], str] = quoted_column  # SQL of a column, by its name in queries and its role
    ragged: bool = False  # whether files that are read as one may have different columns


class Format(NamedTuple):
    """A file format: how files are recognised, how they are read, and what the documentation says."""

    name: str  # as in input="csv"
    title: str  # in prose, such as "JSON lines"
    about: str  # what a file holds, in a few words
    labels: str  # what the labels are: their types, and which are missing
    endings: tuple[str, ...] = ()
    magic: tuple[bytes, ...] = ()  # the bytes with which files begin
    content: Callable[[str, bytes], bool] | None = None  # recognises a file by its path and its first bytes
    text: bool = True  # whether it is text, which has an encoding and may be compressed
    read: Callable[[Input], Columns] | None = None  # reads labels without a database
    query: Query | None = None  # reads labels by DuckDB: large files, or all of them if there is no `read`
    table: Callable[[Input], tuple[Table, str]] | None = None  # reads a contingency table, and says what it is
    item: str | None = None  # the column of item ids
    label: str | None = None  # the column of labels, gold or predicted
    group: str | None = None  # the column of groups
    delimiter: str = ","  # between fields, unless the user gives another
    needs: str = ""  # a package that is not installed with karat
    remedy: str = "check that it is complete"  # for a file that cannot be read
    example: str = ""  # a small file, which tests read, whole and damaged

    @property
    def tabular(self) -> bool:
        """Whether it is text with columns, which DuckDB reads if it is large."""
        return self.text and self.query is not None

    @property
    def binary(self) -> bool:
        """Whether it is neither text nor a table that was counted already."""
        return not self.text and self.table is None


_registry: dict[str, Format] = {}


def add(*formats: Format) -> None:
    """Add formats to the registry; a name that is taken is replaced."""
    _registry.update({form.name: form for form in formats})


def formats() -> Mapping[str, Format]:
    """All formats by name: text with columns, other text, then the others, each sorted by name."""
    if not _loaded:
        import_module("karat.sources.files.formats")
        _loaded.append(True)
    return dict(sorted(_registry.items(), key=_order))


_loaded: list[bool] = []  # not empty once the files of formats/ are loaded


def _order(entry: tuple[str, Format]) -> tuple[bool, bool, bool, str]:
    name, form = entry
    return not form.tabular, not form.text, form.table is not None and not form.text, name


def text_formats() -> list[str]:
    """The names of text formats, which content alone does not always identify."""
    return [name for name, form in formats().items() if form.text]


def titles(chosen: Iterator[Format] | Sequence[Format]) -> str:
    """The titles of some formats in a sentence: CSV, JSON lines or TSV."""
    from karat.errors import either

    return either(form.title for form in chosen)
