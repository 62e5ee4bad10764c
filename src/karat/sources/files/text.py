"""Text of files, decoded: whole, in parts, or as delimited records."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

from karat.errors import FileError, Option
from karat.limits import FIELD
from karat.sources.files.contents import open_bytes, whole
from karat.sources.files.inputs import Input
from karat.sources.files.recognition import byte_order


def decoded(source: Input) -> str:
    """The decoded text of a file, without a byte order mark."""
    data = whole(source)
    encoding = byte_order(data) or source.options["encoding"]
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


@contextmanager
def opened_text(source: Input, newline: str | None) -> Iterator[IO[str]]:
    """Open a file as decompressed and decoded text; newline as in open()."""
    with open_bytes(source) as file:
        encoding = byte_order(file.read(3)) or source.options["encoding"]
        file.seek(0)
        yield io.TextIOWrapper(file, encoding=encoding, newline=newline)


def records(source: Input, delimiter: str | None = None) -> Iterator[list[str]]:
    """The records of a delimited file, all of the same length; empty lines are skipped, unless there is one column."""
    with long_fields():
        text = io.StringIO(decoded(source), newline="")
        reader = csv.reader(text, delimiter=delimiter or source.delimiter, strict=True)
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
def long_fields() -> Iterator[None]:
    """Have the csv module accept fields as long as the limit FIELD."""
    before = csv.field_size_limit(FIELD.now)
    try:
        yield
    finally:
        csv.field_size_limit(before)
