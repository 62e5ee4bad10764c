"""Small text files, read by the standard library: delimited, JSON lines, one label per line."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, Any, NamedTuple

from karat.errors import FileError, Option
from karat.limits import COLUMNS, FIELD, LINE, UNPACKED
from karat.sources.files.contents import UNREADABLE, open_bytes, unreadable, whole
from karat.sources.files.inputs import Input, byte_order
from karat.tables.table import Table

PART = 1 << 22  # characters read at a time


class Columns(NamedTuple):
    """Columns of equal length, loaded by name; None stands for a missing value."""

    names: list[str]
    rows: int
    load: Callable[[str], list[Any]]

    @classmethod
    def of(cls, names: list[str], values: list[list[Any]]) -> Columns:
        """Columns from lists of values; of several with the same name, the first is used."""
        indices = {name: index for index, name in reversed(list(enumerate(names)))}
        return cls(names, len(values[0]) if values else 0, lambda name: values[indices[name]])


def decoded(source: Input) -> str:
    """The decoded text of a file, without a byte order mark."""
    data = whole(source)
    encoding = byte_order(data) or source.encoding
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as problem:
        line = data.count(b"\n", 0, problem.start) + 1
        raise undecodable(source.name, encoding, data[problem.start], f"in line {line}") from None
    except UnicodeError as problem:
        raise FileError(
            f"{source.name!r} is not {encoding} ({problem}); say what it is, as ", Option("encoding")
        ) from None
    return text.removeprefix("\ufeff")


def undecodable(name: str, encoding: str, byte: int, where: str) -> FileError:
    """The error for a byte that is invalid in the encoding."""
    reason = f"{name!r} is not {encoding.upper().removesuffix('-SIG')} (byte 0x{byte:02x} {where}); say "
    return FileError(reason, Option("encoding", ("latin-1",)), " or whatever it is in.")


def read_delimited(source: Input) -> Columns:
    """Read a CSV or TSV file; an empty field is a missing value, all others are text."""
    rows = _rows(source)
    first = next(rows, None)
    if first is None:
        raise FileError(f"{source.name!r} has no rows; give a file with labels in it.")
    COLUMNS.check(len(first), repr(source.name), FileError)
    names = first if source.header else [str(index + 1) for index in range(len(first))]
    columns: list[list[Any]] = [[] for _ in names]
    if not source.header:
        for column, value in zip(columns, first, strict=True):
            column.append(value or None)
    lines = list(rows)
    if lines:
        for column, values in zip(columns, zip(*lines, strict=True), strict=True):
            column.extend([value or None for value in values])
    return Columns.of(names, columns)


def first_record(source: Input) -> list[str] | None:
    """The first record of a delimited file; None if its first line is empty."""
    try:
        with _long_fields(), open_bytes(source) as file:
            text = _opened_text(file, source, newline="")
            record = next(csv.reader(_record(text, source), delimiter=source.delimiter, strict=True), None) or None
    except (csv.Error, UnicodeError, *UNREADABLE) as problem:
        raise FileError(f"{source.name!r} cannot be read ({problem}); check that it is whole.") from None
    COLUMNS.check(len(record or ()), repr(source.name), FileError)
    return record


def _record(text: IO[str], source: Input) -> Iterator[str]:
    """The lines of a file; refused once they are too long to be one record."""
    left = LINE.now
    while line := text.readline(left + 1):
        left -= len(line)
        if left < 0:
            LINE.refuse(f"{source.name!r}, first record", FileError)
        yield line


def _opened_text(file: IO[bytes], source: Input, newline: str | None) -> io.TextIOWrapper:
    encoding = byte_order(file.read(3)) or source.encoding
    file.seek(0)
    return io.TextIOWrapper(file, encoding=encoding, newline=newline)


def _rows(source: Input) -> Iterator[list[str]]:
    """The records of a delimited file, all of the same length; empty lines are skipped, unless there is one column."""
    with _long_fields():
        reader = csv.reader(io.StringIO(decoded(source), newline=""), delimiter=source.delimiter, strict=True)
        size = 0
        try:
            for row in reader:
                if not row and size != 1:
                    continue
                row = row or [""]
                size = size or len(row)
                if len(row) != size:
                    raise FileError(
                        f"{source.name!r} has {len(row)} fields in line {reader.line_num} but {size} in the first; "
                        "mend the line, or quote the fields that contain the delimiter."
                    )
                yield row
        except csv.Error as problem:
            raise FileError(
                f"{source.name!r} is not well-formed in line {reader.line_num} ({problem}); mend it."
            ) from None


@contextmanager
def _long_fields() -> Iterator[None]:
    before = csv.field_size_limit(FIELD.now)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def read_json_lines(source: Input) -> Columns:
    """Read one JSON object per line; labels are text, numbers or booleans, and null or an absent key is missing."""
    import json

    records = []
    for number, line in enumerate(decoded(source).split("\n"), 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line, object_pairs_hook=_unique_keys)
        except (ValueError, RecursionError) as problem:
            raise FileError(f"{source.name!r} is not JSON in line {number} ({problem}); mend the line.") from None
        if not isinstance(record, dict):
            raise FileError(f"{source.name!r} has {line[:40]!r} in line {number}; give one JSON object per line.")
        records.append(record)
    if not records:
        raise FileError(f"{source.name!r} has no rows; give a file with labels in it.")
    names: dict[str, None] = {}
    for record in records:
        names.update(dict.fromkeys(record))
        COLUMNS.check(len(names), repr(source.name), FileError)
    # columns are built on demand: most records may lack most keys, and lists of all would take lines × keys
    return Columns(list(names), len(records), lambda name: [record.get(name) for record in records])


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object as a dict; duplicate keys are refused."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key occurs twice")
    return found


def read_lines(source: Input) -> Iterator[list[str | None]]:
    """Read one label per line, in batches of a few million characters; an empty line is a missing label."""
    done, size, rest = 0, 0, ""
    try:
        with unreadable(source.name), open_bytes(source) as file:
            text = _opened_text(file, source, newline=None)
            while part := text.read(PART):
                *lines, rest = (rest + part).split("\n")
                if len(rest) > LINE.now:
                    LINE.refuse(f"{source.name!r}, line {done + len(lines) + 1:,}", FileError)
                done, size = done + len(lines), size + len(part)
                if source.packed and size > UNPACKED.now:
                    UNPACKED.refuse(repr(source.name), FileError)
                if lines:
                    yield [line or None for line in lines]
            if rest:
                yield [rest]
    except UnicodeDecodeError as problem:
        byte, where = problem.object[problem.start], f"after line {done:,}" if done else "at its start"
        raise undecodable(source.name, problem.encoding, byte, where) from None
    except UnicodeError as problem:
        raise FileError(f"{source.name!r} cannot be read ({problem}); check that it is whole.") from None


def read_matrix(source: Input) -> tuple[Table, str]:
    """Read a contingency table, and describe how it was read.

    The first line has the names of clusters, every other line begins with the name of a class. A file whose first
    field is a number has no names.
    """
    rows = _matrix_rows(source)
    if rows and (not source.header or _is_number(rows[0][0])):
        cells = [[_count(field, source.name, f"line {line}") for field in row] for line, row in enumerate(rows, 1)]
        return Table.from_matrix(cells), "a contingency table without names: every line is a class, from 0 on"
    if len(rows) < 2 or len(rows[0]) < 2:
        raise FileError(f"{source.name!r} has no cells; give clusters in its first line and a class in each other.")
    (_, *clusters), *lines = rows
    if "" in clusters or any(not line[0] for line in lines):
        raise FileError(f"{source.name!r} has a class or a cluster without a name; give each one.")
    cells = [[_count(field, source.name, line[0]) for field in line[1:]] for line in lines]
    return Table.from_matrix(cells, [line[0] for line in lines], clusters), "a contingency table"


def _matrix_rows(source: Input) -> list[list[str]]:
    """The fields of each line; without the delimiter in the first line, tabs, semicolons or spaces separate them."""
    start = decoded(source).lstrip("\r\n").partition("\n")[0]
    if source.separator is None and source.delimiter not in start:
        other = next((sign for sign in "\t;" if sign in start), None)
        if other is None and len(start.split()) > 1:
            lines = [line.split() for line in decoded(source).splitlines() if line.strip()]
            return _check_equal_lengths(lines, source.name)
        source = source._replace(separator=other)
    return list(_rows(source))


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
