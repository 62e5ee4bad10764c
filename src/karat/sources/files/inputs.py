"""Input: one file, or several that are read as one, with its format and the options of reading."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple

from karat.sources.files.options import Reading, ReadingOptions
from karat.sources.files.paths import Copies, local_paths
from karat.sources.files.recognition import GZIP, by_ending, first_bytes, named, recognise, without_endings
from karat.sources.files.registry import Format


class Input(NamedTuple):
    """One file, or several of the same format that are read as one."""

    name: str  # as the user gave it
    paths: tuple[str, ...]
    format: Format
    packed: bool = False
    reading: Reading = Reading.of()

    @property
    def options(self) -> ReadingOptions:
        """The options of reading."""
        return self.reading.options

    @property
    def kind(self) -> str:
        """The name of the format."""
        return self.format.name

    @property
    def zipped(self) -> bool:
        """Whether it is compressed with gzip, which the standard library decompresses."""
        return self.packed and first_bytes(self.path, self.name).startswith(GZIP)

    @property
    def path(self) -> str:
        """The first file, or the only one."""
        return self.paths[0]

    @property
    def size(self) -> int:
        """The size on disk, in bytes."""
        return sum(os.path.getsize(path) for path in self.paths)

    @property
    def stem(self) -> str:
        """The base name without endings, which names the system."""
        return "stdin" if self.name == "-" else without_endings(os.path.basename(os.path.normpath(self.name)))

    @property
    def delimiter(self) -> str:
        """The character between the fields of a line."""
        if self.options["delimiter"] is not None:
            return self.options["delimiter"]
        by_name = None if self.format.endings else by_ending(self.name)
        return (by_name or self.format).delimiter


def find_input(
    name: str, kind: str | None = None, *, reading: Reading | None = None, copies: Copies | None = None
) -> Input:
    """The input that a path, a pattern or - (standard input) stands for.

    kind is the format of a text file, where its ending is absent or wrong. Streams can be read only once, so they are
    copied to temporary files, whose paths are added to copies.
    """
    reading = Reading.of() if reading is None else reading
    if kind is not None:
        named(kind)
    paths = local_paths(name, Copies() if copies is None else copies)
    recognised = recognise(name, paths, kind, reading.options["encoding"])
    return Input(name, tuple(paths), recognised.format, recognised.packed, reading)


def find_all(names: Sequence[str], reading: Reading, copies: Copies) -> list[Input]:
    """The inputs that names stand for.

    The option input applies to files without a known ending if there are any, else to all.
    """
    kind = reading.options["input"]
    unknown = [by_ending(name) is None for name in names]
    kinds = [kind if unclear or not any(unknown) else None for unclear in unknown]
    return [find_input(name, kind, reading=reading, copies=copies) for name, kind in zip(names, kinds, strict=True)]
