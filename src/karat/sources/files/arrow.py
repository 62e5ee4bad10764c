"""Arrow and Feather files: validated before use, and what they claim to hold held against their size.

A file's footer lists its parts (blocks); each has metadata, a FlatBuffers message, and a body. In a packed part every
buffer begins with the number of bytes that it unpacks to.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterator
from struct import unpack_from
from typing import Any, NamedTuple

from karat.errors import FileError
from karat.limits import BATCH, UNPACKED
from karat.sources.files.inputs import Input

_TAIL = 10  # bytes at the end: the length of the footer, and ARROW1
_RECORDS, _DICTIONARY = 3, 2  # kinds of message


def open_arrow(source: Input) -> Any:
    """An Arrow IPC or Feather file, mapped into memory."""
    try:
        from pyarrow import dataset
    except ImportError:
        raise FileError(f"{source.name!r} is an Arrow file; pip install pyarrow to read it.") from None
    try:
        for path in source.paths:
            _check_claims(path, source.name)
            _validate(path)
        table = dataset.dataset(list(source.paths), format="ipc")
        table.head(1)
    except FileError:
        raise
    except Exception as problem:
        reason = str(problem).split("\n", 1)[0].rstrip(".")[:300]
        raise FileError(f"{source.name!r} cannot be read as Arrow ({reason}); check that it is whole.") from None
    return table


def _validate(path: str) -> None:
    """Refuse offsets and codes that lead beyond a column: whoever follows them reads another's memory, or crashes."""
    import pyarrow as pa

    with pa.memory_map(path) as file, pa.ipc.open_file(file) as reader:
        for place in range(reader.num_record_batches):
            reader.get_batch(place).validate(full=True)


def _check_claims(path: str, name: str) -> None:
    """Refuse parts that overlap, and what would take more memory once unpacked than the limits say."""
    size = os.path.getsize(path)
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        listed = unpacked = 0
        for block in _blocks(data, size):
            listed += block.metadata + block.body
            if block.metadata < 8 or block.body < 0 or listed > size:
                raise ValueError("its parts are larger than the file")
            claim = _claim(data, block)
            BATCH.check(claim, repr(name), FileError)
            unpacked += claim
        UNPACKED.check(unpacked, repr(name), FileError)


class _Block(NamedTuple):
    """Where a part of the file is, and how many bytes its metadata and its body have."""

    start: int
    metadata: int
    body: int


class _Fields(NamedTuple):
    """A FlatBuffers table: its fields are found by number, through a table of offsets."""

    data: Any
    place: int

    @classmethod
    def root(cls, data: Any, start: int = 0) -> _Fields:
        """The table that a buffer begins with."""
        return cls(data, start + unpack_from("<I", data, start)[0])

    def find(self, number: int) -> int | None:
        """Where a field is; None if it has its default."""
        offsets = self.place - unpack_from("<i", self.data, self.place)[0]
        if offsets < 0 or 4 + 2 * number >= unpack_from("<H", self.data, offsets)[0]:
            return None
        (offset,) = unpack_from("<H", self.data, offsets + 4 + 2 * number)
        return self.place + offset if offset else None

    def number(self, number: int, kind: str) -> int:
        """A field that is an integer, as struct names its type."""
        place = self.find(number)
        return 0 if place is None else int(unpack_from(kind, self.data, place)[0])

    def table(self, number: int) -> _Fields | None:
        """A field that is a table."""
        place = self.find(number)
        return None if place is None else _Fields.root(self.data, place)

    def structs(self, number: int, kind: str, size: int) -> Iterator[tuple[Any, ...]]:
        """A field that is a list of structs of some bytes each."""
        place = self.find(number)
        if place is None:
            return
        start = place + unpack_from("<I", self.data, place)[0]
        for index in range(unpack_from("<I", self.data, start)[0]):
            yield unpack_from(kind, self.data, start + 4 + index * size)


def _blocks(data: Any, size: int) -> Iterator[_Block]:
    """The parts that the footer lists: dictionaries, and batches of rows."""
    (length,) = unpack_from("<i", data, size - _TAIL)
    if not 0 < length < size - _TAIL:
        raise ValueError("its footer is longer than the file")
    footer = _Fields.root(data[size - _TAIL - length : size - _TAIL])
    for number in (2, 3):
        for start, metadata, body in footer.structs(number, "<qi4xq", 24):
            yield _Block(start, metadata, body)


def _claim(data: Any, block: _Block) -> int:
    """The bytes of memory that a part takes once unpacked; 0 if it stays in the file as it is."""
    head = data[block.start : block.start + block.metadata]
    message = _Fields.root(head, 8 if head[:4] == b"\xff" * 4 else 4)  # older files lack the mark before the length
    kind, part = message.number(1, "<B"), message.table(2)
    if kind == _DICTIONARY and part is not None:
        part = part.table(1)
    if part is None or kind not in (_RECORDS, _DICTIONARY):
        return 0
    rows, claimed = part.number(0, "<q"), 0
    if part.find(3) is not None:  # packed
        body = block.start + block.metadata
        for offset, length in part.structs(2, "<qq", 16):
            if length >= 8 and 0 <= offset <= block.body - 8:
                claimed += max(length, unpack_from("<q", data, body + offset)[0])
    # more rows than the body has bits: columns of nulls, or of runs, which take memory where they are read
    return max(claimed, 8 * rows if rows > 8 * block.body else 0)
