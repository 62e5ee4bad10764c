"""Arrow and Feather files, validated before use: declared sizes are checked against limits and file size.

A file's footer lists its parts (blocks); each has metadata, a FlatBuffers message, and a body. In a compressed part
every buffer begins with its decompressed size in bytes.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from struct import unpack, unpack_from
from typing import IO, Any, NamedTuple

from karat.errors import FileError
from karat.limits import BATCH, UNPACKED
from karat.sources.files.inputs import Input

_TAIL = 10  # bytes at the end: the length of the footer, and ARROW1
_RECORDS, _DICTIONARY = 3, 2  # message types


def open_arrow(source: Input) -> Any:
    """Open Arrow IPC or Feather files as a data set.

    No file is memory-mapped: one that is truncated while it is mapped would end the process.
    """
    from pyarrow import dataset

    for path in source.paths:
        _check_sizes(path, source.name)
        _validate(path)
    opened = dataset.dataset(list(source.paths), format="ipc")
    opened.head(1)
    return opened


def _validate(path: str) -> None:
    """Refuse offsets and codes outside a column, which would read foreign memory or crash."""
    import pyarrow as pa

    with pa.OSFile(path) as file, pa.ipc.open_file(file) as reader:
        for index in range(reader.num_record_batches):
            reader.get_batch(index).validate(full=True)


def _check_sizes(path: str, name: str) -> None:
    """Refuse parts that exceed the file, and parts whose decompressed size exceeds the limits."""
    size = os.path.getsize(path)
    with open(path, "rb") as file:
        listed = unpacked = 0
        for block in _blocks(file, size):
            listed += block.metadata + block.body
            if block.metadata < 8 or block.body < 0 or listed > size:
                raise ValueError("its parts are larger than the file")
            size_in_memory = _size_in_memory(file, block)
            BATCH.check(size_in_memory, repr(name), FileError)
            unpacked += size_in_memory
        UNPACKED.check(unpacked, repr(name), FileError)


class _Block(NamedTuple):
    """The offset of a part in the file, and the sizes of its metadata and body, in bytes."""

    start: int
    metadata: int
    body: int


class _Fields(NamedTuple):
    """A FlatBuffers table at an offset in data; its fields are looked up by number."""

    data: Any
    offset: int

    @classmethod
    def root(cls, data: Any, start: int = 0) -> _Fields:
        """The root table of a buffer."""
        return cls(data, start + unpack_from("<I", data, start)[0])

    def find(self, number: int) -> int | None:
        """The offset of a field; None if it is absent and so has its default value."""
        vtable = self.offset - unpack_from("<i", self.data, self.offset)[0]
        if vtable < 0 or 4 + 2 * number >= unpack_from("<H", self.data, vtable)[0]:
            return None
        (relative,) = unpack_from("<H", self.data, vtable + 4 + 2 * number)
        return self.offset + relative if relative else None

    def number(self, number: int, kind: str) -> int:
        """An integer field; kind is a format of the struct module."""
        offset = self.find(number)
        return 0 if offset is None else int(unpack_from(kind, self.data, offset)[0])

    def table(self, number: int) -> _Fields | None:
        """A field that is a nested table."""
        offset = self.find(number)
        return None if offset is None else _Fields.root(self.data, offset)

    def structs(self, number: int, kind: str, size: int) -> Iterator[tuple[Any, ...]]:
        """A field that is a vector of structs, of size bytes each."""
        offset = self.find(number)
        if offset is None:
            return
        start = offset + unpack_from("<I", self.data, offset)[0]
        for index in range(unpack_from("<I", self.data, start)[0]):
            yield unpack_from(kind, self.data, start + 4 + index * size)


def _bytes(file: IO[bytes], start: int, length: int) -> bytes:
    """Some bytes of a file, fewer if it is shorter."""
    file.seek(start)
    return file.read(length)


def _blocks(file: IO[bytes], size: int) -> Iterator[_Block]:
    """The parts that the footer lists: dictionaries and record batches."""
    (length,) = unpack("<i", _bytes(file, size - _TAIL, 4))
    if not 0 < length < size - _TAIL:
        raise ValueError("its footer is longer than the file")
    footer = _Fields.root(_bytes(file, size - _TAIL - length, length))
    for number in (2, 3):
        for start, metadata, body in footer.structs(number, "<qi4xq", 24):
            yield _Block(start, metadata, body)


def _size_in_memory(file: IO[bytes], block: _Block) -> int:
    """The bytes of memory that a part takes when decompressed; 0 if it is not compressed."""
    head = _bytes(file, block.start, block.metadata)
    message = _Fields.root(head, 8 if head[:4] == b"\xff" * 4 else 4)  # older files lack the marker before the length
    kind, part = message.number(1, "<B"), message.table(2)
    if kind == _DICTIONARY and part is not None:
        part = part.table(1)
    if part is None or kind not in (_RECORDS, _DICTIONARY):
        return 0
    rows, declared = part.number(0, "<q"), 0
    if part.find(3) is not None:  # compressed
        body = block.start + block.metadata
        for offset, length in part.structs(2, "<qq", 16):
            if length >= 8 and 0 <= offset <= block.body - 8:
                declared += max(length, unpack("<q", _bytes(file, body + offset, 8))[0])
    # more rows than the body has bits: columns of nulls or run-length-encoded ones, which take memory when read
    return max(declared, 8 * rows if rows > 8 * block.body else 0)
