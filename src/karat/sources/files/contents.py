"""The bytes of a file, unpacked, and no more of them than memory holds."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, cast

from karat.errors import FileError
from karat.limits import HELD, LINE, UNPACKED, Limit
from karat.sources.files.inputs import Input, byte_order

UNREADABLE = (OSError, EOFError, zlib.error)  # what a file that is not whole may raise

PART = 1 << 20  # bytes that are read at a time


def open_bytes(source: Input) -> IO[bytes]:
    """The file, unpacked."""
    if not source.packed:
        return open(source.path, "rb")
    import gzip

    return cast(IO[bytes], gzip.open(source.path, "rb"))


def check_packed(source: Input) -> None:
    """Read a gzip file once: DuckDB neither looks at its check sum nor refuses a last line that is too long for it."""
    with unreadable(source.name), open_bytes(source) as file:
        for _ in _parts(file, source, (UNPACKED,)):
            pass


def check_last_line(source: Input) -> None:
    """Refuse a last line that DuckDB, which reads 32 MB at a time, would leave out without a word."""
    with unreadable(source.name), open(source.path, "rb") as file:
        file.seek(max(0, source.size - LINE.now - 2))
        end = file.read().rstrip(b"\r\n\0")  # \0 is half of a line feed in UTF-16
    if len(end) > LINE.now and b"\n" not in end and b"\r" not in end:
        LINE.refuse(f"{source.name!r}, last line", FileError)


def check_unpacked(packed: IO[bytes], name: str) -> int:
    """The size of a gzip file's content, which may have no more bytes than UNPACKED says, in however many members.

    It takes time in proportion to the file and its content. What a damaged file raises is in UNREADABLE.
    """
    import gzip

    size = 0
    with gzip.open(packed, "rb") as file:
        while part := file.read(PART):
            size += len(part)
            if size > UNPACKED.now:
                UNPACKED.refuse(repr(name), FileError)
    return size


@contextmanager
def unreadable(name: str) -> Iterator[None]:
    """What a damaged or unreadable file raises, as one sentence."""
    try:
        yield
    except UNREADABLE as problem:
        reason = str(getattr(problem, "strerror", None) or problem).rstrip(".")
        raise FileError(f"{name!r} cannot be read ({reason}); check that it is whole.") from None


def whole(source: Input) -> bytes:
    """All bytes of a text, unpacked: refused as soon as a line, or all of it, is longer than the limits say."""
    with unreadable(source.name), open_bytes(source) as file:
        return b"".join(_parts(file, source, (HELD, UNPACKED) if source.packed else (HELD,)))


def _parts(file: IO[bytes], source: Input, limits: tuple[Limit, ...]) -> Iterator[bytes]:
    """The bytes of a text, a part at a time, as long as they and each line are within the limits."""
    size = line = number = 0
    has_lines = None
    while part := file.read(PART):
        if has_lines is None:
            has_lines = b"\n" in "\n".encode(byte_order(part) or source.encoding)  # as in all but EBCDIC
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
