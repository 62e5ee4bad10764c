"""Text of files, decoded: whole or in parts."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

from karat.errors import FileError, Option
from karat.sources.files.contents import open_bytes, read_all
from karat.sources.files.inputs import Input
from karat.sources.files.recognition import byte_order


def decoded(source: Input) -> str:
    """The decoded text of a file, without a byte order mark."""
    data = read_all(source)
    encoding = byte_order(data) or source.options["encoding"]
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as problem:
        given = problem.object  # the codec utf-8-sig counts from after the byte order mark
        line = given.count(b"\n", 0, problem.start) + 1
        raise undecodable(source.name, encoding, given[problem.start], f"in line {line}") from None
    except UnicodeError as problem:
        raise FileError(
            f"{source.name!r} is not {encoding} ({problem}); say what it is, as ", Option("encoding")
        ) from None
    return text.removeprefix("\ufeff")


def lines_of(source: Input) -> list[str]:
    """The lines of a text, which end with LF, CR LF or CR."""
    return decoded(source).replace("\r\n", "\n").replace("\r", "\n").split("\n")


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
