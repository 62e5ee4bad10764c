"""The decompressed bytes of a file, within the limits of size."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import IO, cast

from karat.errors import FileError
from karat.limits import IN_MEMORY, LINE, UNPACKED, Limit
from karat.sources.files.inputs import Input
from karat.sources.files.recognition import byte_order

UNREADABLE = (OSError, EOFError, zlib.error)  # raised for a truncated or damaged file

PART = 1 << 20  # bytes read at a time


def open_bytes(source: Input) -> IO[bytes]:
    """Open a file, decompressed if it is gzip."""
    if not source.packed:
        return open(source.path, "rb")
    import gzip

    return cast(IO[bytes], gzip.open(source.path, "rb"))


def check_packed(source: Input) -> None:
    """Read a gzip file once: DuckDB neither verifies its checksum nor refuses a last line that is too long."""
    with open_bytes(source) as file:
        for _ in _parts(file, source, (UNPACKED,)):
            pass


def check_last_line(source: Input) -> None:
    """Refuse a last line that DuckDB, which reads 32 MB at a time, would silently omit."""
    with open(source.path, "rb") as file:
        file.seek(max(0, source.size - LINE.now - 2))
        end = file.read().rstrip(b"\r\n\0")  # \0 is half of a line feed in UTF-16
    if len(end) > LINE.now and b"\n" not in end and b"\r" not in end:
        LINE.refuse(f"{source.name!r}, last line", FileError)


def check_unpacked(packed: IO[bytes], name: str) -> int:
    """The decompressed size of a gzip file in bytes, over all its members; refused beyond the limit UNPACKED.

    Takes time linear in that size. A damaged file raises one of UNREADABLE.
    """
    import gzip

    size = 0
    with gzip.open(packed, "rb") as file:
        while part := file.read(PART):
            size += len(part)
            if size > UNPACKED.now:
                UNPACKED.refuse(repr(name), FileError)
    return size


def read_all(source: Input) -> bytes:
    """All decompressed bytes of a text file; refused as soon as a line or the whole exceeds the limits."""
    with open_bytes(source) as file:
        return b"".join(_parts(file, source, (IN_MEMORY, UNPACKED) if source.packed else (IN_MEMORY,)))


def _parts(file: IO[bytes], source: Input, limits: tuple[Limit, ...]) -> Iterator[bytes]:
    """The decompressed bytes of a text file, a part at a time; refused once a line or the whole is too long."""
    size = line = number = 0
    has_lines = None
    while part := file.read(PART):
        if has_lines is None:
            has_lines = b"\n" in "\n".encode(
                byte_order(part) or source.options["encoding"]
            )  # true of all encodings but EBCDIC
        size += len(part)
        last = max(part.rfind(b"\n"), part.rfind(b"\r"))
        line = line + len(part) if last < 0 else len(part) - last - 1
        number += part.count(b"\n")
        if has_lines and line > LINE.now:
            LINE.refuse(f"{source.name!r}, line {number + 1:,}", FileError)
        for limit in limits:
            if size > limit.now:
                limit.refuse(repr(source.name), FileError)
        yield part
