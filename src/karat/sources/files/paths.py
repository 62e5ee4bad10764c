"""Paths: the files that a name, a pattern or - (standard input) stands for."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from io import BufferedReader
from typing import IO, Any

from karat.errors import FileError, listed, nearest
from karat.limits import STREAM, Limit
from karat.sources.files.recognition import first_bytes


def texts(names: Sequence[Any]) -> list[str]:
    """Paths as text."""
    try:
        return [os.fsdecode(name) for name in names]
    except TypeError:
        raise FileError(
            f"{listed(names, 2)} are no paths; give each file's path as text, one after the other."
        ) from None


class Copies:
    """Temporary copies of streams, and which streams they are of: each can be read only once."""

    def __init__(self) -> None:
        self.paths: list[str] = []
        self.streams: set[tuple[int, int]] = set()  # device and inode, which all names of a stream share

    def claim(self, source: str | IO[bytes]) -> None:
        """Refuse a stream that was read already, which would be empty, or wait forever."""
        try:
            status = os.stat(source) if isinstance(source, str) else os.fstat(source.fileno())
            stream = status.st_dev, status.st_ino
        except (OSError, AttributeError):  # no file, such as a text in memory in place of standard input
            stream = 0, 0
        if stream in self.streams:
            raise FileError(f"{_named(source)} is given more than once; it can be read once only.")
        self.streams.add(stream)


def local_paths(name: str, copies: Copies) -> list[str]:
    """The paths of the files that a name stands for, none of them empty.

    Streams can be read only once, so they are copied to temporary files, whose paths are added to copies.
    """
    if name == "-":
        if sys.stdin is None or sys.stdin.closed:
            raise FileError("standard input is closed; pipe labels into it.")
        return [_copied(sys.stdin.buffer, copies)]
    if os.path.isdir(name):
        raise FileError(
            f"{name!r} is a directory; name a file in it, or a pattern such as {os.path.join(name, '*')!r}."
        )
    paths = [name] if os.path.exists(name) else _matching(name)
    if not paths and os.path.islink(name):
        raise FileError(f"{name!r} is a link to a file that is not there; give the file itself.")
    if not paths:
        raise FileError(f"there is no file {name!r}; {_neighbour(name) or 'check its name.'}")
    paths = [path if os.path.isfile(path) else _copied(path, copies) for path in paths]
    for path in paths:
        if not first_bytes(path, path):
            raise FileError(f"{path!r} is empty; give a file with labels in it.")
    return paths


@contextmanager
def temporary_copies() -> Iterator[Copies]:
    """The temporary copies of streams, which are removed at the end of a with block."""
    copies = Copies()
    try:
        yield copies
    finally:
        for path in copies.paths:
            os.unlink(path)


def _matching(pattern: str) -> list[str]:
    from glob import glob, has_magic

    return sorted(path for path in glob(pattern) if os.path.isfile(path)) if has_magic(pattern) else []


def _neighbour(name: str) -> str:
    """A hint at a file of a similar name."""
    folder, base = os.path.split(name)
    try:
        return nearest(base, os.listdir(folder or "."))
    except OSError:
        return ""


def _check_device(path: str) -> None:
    """Refuse devices such as /dev/zero, which may never end; terminals are allowed, like standard input."""
    try:
        mode = os.stat(path).st_mode
        if not (stat.S_ISCHR(mode) or stat.S_ISBLK(mode)) or os.path.samefile(path, os.devnull):
            return
        with open(path, "rb", buffering=0) as device:
            terminal = device.isatty()
    except OSError as problem:
        raise FileError(f"{path!r} cannot be read ({problem.strerror}); give a file.") from None
    if not terminal:
        raise FileError(f"{path!r} is a device; give a file, or - for standard input.")


def _copied(source: str | IO[bytes], copies: Copies) -> str:
    """Copy a stream, such as standard input or a named pipe, to a temporary file, and return its path."""
    import tempfile

    from karat.machine.temporary import own_folder

    if isinstance(source, str):
        _check_device(source)
    copies.claim(source)
    folder = own_folder()
    try:
        handle, path = tempfile.mkstemp(dir=folder)
        copies.paths.append(path)
        with (
            open(handle, "wb") as copy,
            open(source, "rb") if isinstance(source, str) else nullcontext(source) as stream,
        ):
            copy.writelines(_within(_parts(stream), _room(folder), _named(source)))
            empty = not copy.tell()
    except OSError as problem:
        raise FileError(f"{_named(source)} cannot be read ({problem.strerror}); give a file.") from None
    if empty:
        raise FileError(f"{_named(source)} is empty; give something with labels in it.")
    return path


def _room(folder: str) -> Limit:
    """The limit on the bytes of a stream: STREAM, or half of what is free in a folder if that is less."""
    import shutil

    free = shutil.disk_usage(folder).free
    return STREAM._replace(most=min(STREAM.now, free // 2))


def _within(parts: Iterator[bytes], limit: Limit, name: str) -> Iterator[bytes]:
    """The parts of a stream; refused once they exceed a limit."""
    size = 0
    for part in parts:
        size += len(part)
        if size > limit.most:
            limit.refuse(name, FileError)
        yield part


def _parts(stream: IO[bytes]) -> Iterator[bytes]:
    """The bytes of a stream in parts; Python handles signals between them, not during one long read."""
    while True:
        while not _is_ready(stream):
            pass
        part = stream.read1(1 << 16) if isinstance(stream, BufferedReader) else stream.read(1 << 16)
        if not part:
            return
        yield part


def _is_ready(stream: IO[bytes]) -> bool:
    """Wait at most half a second for data, and return whether a read would not block."""
    import select

    try:
        return bool(select.select([stream], [], [], 0.5)[0])
    except (OSError, ValueError, TypeError):  # not a file descriptor, or one that select() does not support
        return True


def _named(source: str | IO[bytes]) -> str:
    return repr(source) if isinstance(source, str) else "standard input"
