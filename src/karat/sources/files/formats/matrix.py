"""Contingency tables as text: a line for each class, a field for each cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

from karat.errors import FileError
from karat.sources.files.inputs import Input
from karat.sources.files.registry import Format, add

if TYPE_CHECKING:
    from karat.tables.table import Table


def read_matrix(source: Input) -> tuple[Table, str]:
    """Read a contingency table, and describe how it was read.

    The first line has the names of clusters, every other line begins with the name of a class. A file whose first
    field is a number has no names.
    """
    from karat.tables.table import Table

    rows = _fields(source)
    if rows and (not source.options["header"] or _is_number(rows[0][0])):
        cells = [[_count(field, source.name, f"line {line}") for field in row] for line, row in enumerate(rows, 1)]
        return Table.from_matrix(cells), "a contingency table without names: every line is a class, from 0 on"
    if len(rows) < 2 or len(rows[0]) < 2:
        raise FileError(f"{source.name!r} has no cells; give clusters in its first line and a class in each other.")
    (_, *clusters), *lines = rows
    if "" in clusters or any(not line[0] for line in lines):
        raise FileError(f"{source.name!r} has a class or a cluster without a name; give each one.")
    cells = [[_count(field, source.name, line[0]) for field in line[1:]] for line in lines]
    return Table.from_matrix(cells, [line[0] for line in lines], clusters), "a contingency table"


def _fields(source: Input) -> list[list[str]]:
    """The fields of each line; without the delimiter in the first line, tabs, semicolons or spaces separate them."""
    from karat.sources.files.formats.delimited import records
    from karat.sources.files.text import decoded

    text = decoded(source)
    first = text.lstrip("\r\n").partition("\n")[0]
    delimiter = source.delimiter
    if source.options["delimiter"] is None and delimiter not in first:
        if "\t" not in first and ";" not in first and len(first.split()) > 1:
            lines = [line.split() for line in text.splitlines() if line.strip()]
            return _check_equal_lengths(lines, source.name)
        delimiter = next((sign for sign in "\t;" if sign in first), delimiter)
    return list(records(source, delimiter))


def _check_equal_lengths(lines: list[list[str]], name: str) -> list[list[str]]:
    """Return the lines; refuse lines with another number of fields than the first."""
    for number, line in enumerate(lines, 1):
        if len(line) != len(lines[0]):
            raise FileError(
                f"{name!r} has {len(line)} fields in line {number} but {len(lines[0])} in the first; mend it."
            )
    return lines


def _is_number(field: str) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True


def _count(field: str, name: str, row: str) -> float:
    try:
        return int(field) if field else 0
    except ValueError:
        pass
    try:
        return float(field)
    except ValueError:
        raise FileError(f"{name!r} has {field!r} in the row of {row!r}, which is no count; give numbers.") from None


add(
    Format(
        "matrix", "contingency tables", "clusters in the first line, a class first in each other line", "",
        table=read_matrix, example="class,x,y\n" + "".join(f"c{i},{i},{i * 2}\n" for i in range(1, 9)),
    )
)  # fmt: skip
