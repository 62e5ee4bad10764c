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


def is_usual(source: Input) -> bool:
    """Whether DuckDB and the standard library read a delimited file alike, by a scan of all its records.

    They differ on white space beside quotes, and on records with more fields than the first. The scan also verifies
    the checksum of a gzip file, and refuses long lines: DuckDB silently omits a last line beyond 32 MB.
    """
    from karat.kernels.records import ends_well, new_scan, scan_records

    state, delimiter = new_scan(), ord(source.delimiter)
    with open_bytes(source) as file:
        for part in _parts(file, source, (UNPACKED,) if source.packed else ()):
            scan_records(part, delimiter, state)
    return ends_well(state)


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
