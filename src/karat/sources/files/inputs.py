"""A path, a pattern or standard input, and its file format."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from io import BufferedReader
from typing import IO, Literal, NamedTuple, TypeAlias, get_args

from karat.errors import FileError, Option, listed, nearest
from karat.limits import STREAM, Limit

Kind: TypeAlias = Literal[
    "csv", "tsv", "jsonl", "labels", "matrix", "communities", "senseval", "parquet", "arrow", "npy", "h5ad", "table"
]

LARGE = 10 << 20  # bytes above which DuckDB is faster, although it takes an eighth of a second to load

ENDINGS: dict[str, Kind] = {
    ".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".labels": "labels",
    ".cmty": "communities", ".communities": "communities", ".key": "senseval", ".parquet": "parquet", ".pq": "parquet",
    ".arrow": "arrow", ".feather": "arrow", ".ipc": "arrow", ".npy": "npy", ".h5ad": "h5ad", ".json": "table",
}  # fmt: skip
MAGIC: dict[bytes, Kind] = {
    b"PAR1": "parquet", b"ARROW1": "arrow", b"FEA1": "arrow", b"\x93NUMPY": "npy", b"\x89HDF": "h5ad",
}  # fmt: skip
PACKED = (".gz", ".zst", ".zstd", ".bz2", ".xz", ".zip")
UNPACKED = (".gz", ".zst", ".zstd")  # compression that karat reads
BINARY = ("parquet", "arrow", "npy", "h5ad")
TABULAR = ("csv", "tsv", "jsonl")
TEXTS = tuple(
    kind for kind in get_args(Kind) if kind not in (*BINARY, "table")
)  # text formats, which content alone does not always identify


class Input(NamedTuple):
    """One file, or several of the same format that are read as one."""

    name: str  # as the user gave it
    paths: tuple[str, ...]
    kind: Kind
    packed: bool = False
    encoding: str = "utf-8"
    header: bool = True
    separator: str | None = None  # the user's delimiter

    @property
    def zipped(self) -> bool:
        """Whether it is compressed with gzip, which the standard library decompresses."""
        return self.packed and _start(self.path, self.name)[:2] == b"\x1f\x8b"

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
        if self.name == "-":
            return "stdin"
        base = os.path.basename(os.path.normpath(self.name))
        for ending in (*PACKED, *ENDINGS, ".txt"):
            base = base[: -len(ending)] if base.lower().endswith(ending) and len(base) > len(ending) else base
        return base

    @property
    def delimiter(self) -> str:
        """The character between the fields of a line."""
        if self.separator is not None:
            return self.separator
        tabs = self.kind == "tsv" or (self.kind == "matrix" and _by_ending(self.name) == "tsv")
        return "\t" if tabs else ","


def find(
    name: str,
    kind: Kind | None = None,
    *,
    encoding: str = "utf-8",
    header: bool = True,
    delimiter: str | None = None,
    copies: list[str] | None = None,
) -> Input:
    """The input that a path, a pattern or - (standard input) stands for.

    kind is the format of a text file, where its ending is absent or wrong. Streams can be read only once, so they are
    copied to temporary files, whose paths are added to copies.
    """
    if kind is not None and kind not in get_args(Kind):
        hint = nearest(str(kind), get_args(Kind)) or f"use one of {listed(get_args(Kind), 20)}."
        raise FileError(f"{kind!r} is no kind of file; {hint}")
    check_form(encoding, delimiter)
    paths = _paths(name, [] if copies is None else copies)
    packed = name.lower().endswith(PACKED)
    if packed and not name.lower().endswith(UNPACKED):
        raise FileError(f"{name!r} is packed in a way that karat cannot read; unpack it, or pack it as .gz or .zst.")
    start = _start(paths[0], name)
    packed = packed or start[:2] == b"\x1f\x8b"  # a stream has no ending
    if packed and start[:2] == b"\x1f\x8b":
        start = _unpacked_start(paths[0], name)
    elif packed and not start.startswith(b"\x28\xb5\x2f\xfd"):
        raise FileError(f"{name!r} is not packed as its ending says; check that it is whole, or rename it.")
    found = _by_magic(start) or kind or _by_ending(name)
    if found in BINARY and packed:
        raise FileError(f"{name!r} is packed, which {found} files may not be; unpack it.")
    if found not in BINARY and not (packed and start.startswith(b"\x28\xb5")):
        _check_text(start, name, encoding)
    if found is None:
        found = _by_content(start, name, encoding)
    return Input(name, tuple(paths), found, packed, encoding, header, delimiter)


def _paths(name: str, copies: list[str]) -> list[str]:
    if name == "-":
        if "-" in copies:
            raise FileError("standard input is given more than once; it can be read once only.")
        copies.append("-")
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
        if not _start(path, path):
            raise FileError(f"{path!r} is empty; give a file with labels in it.")
    return paths


def _matching(pattern: str) -> list[str]:
    from glob import glob, has_magic

    return sorted(path for path in glob(pattern) if os.path.isfile(path)) if has_magic(pattern) else []


def _neighbour(name: str) -> str:
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


def _copied(source: str | IO[bytes], copies: list[str]) -> str:
    """Copy a stream, such as standard input or a named pipe, to a temporary file, and return its path."""
    import tempfile

    from karat.machine.temporary import own_folder

    if isinstance(source, str):
        _check_device(source)
    folder = own_folder()
    try:
        handle, path = tempfile.mkstemp(dir=folder)
        copies.append(path)
        with open(handle, "wb") as copy, open(source, "rb") if isinstance(source, str) else source as stream:
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


def _start(path: str, name: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read(1 << 16)
    except OSError as problem:
        raise FileError(f"{name!r} cannot be read ({problem.strerror}); check its permissions.") from None


def _unpacked_start(path: str, name: str) -> bytes:
    import gzip
    import zlib

    try:
        with gzip.open(path, "rb") as file:
            start = file.read(1 << 16)
    except (OSError, EOFError, zlib.error) as problem:
        raise FileError(f"{name!r} cannot be read ({problem}); check that it is whole.") from None
    if not start:
        raise FileError(f"{name!r} is empty; give a file with labels in it.")
    return start


def _by_magic(start: bytes) -> Kind | None:
    return next((kind for magic, kind in MAGIC.items() if start.startswith(magic)), None)


def _by_ending(name: str) -> Kind | None:
    base = name.lower()
    for ending in PACKED:
        base = base.removesuffix(ending)
    return ENDINGS.get(os.path.splitext(base)[1])


def tells(name: str) -> Kind | None:
    """The format by the ending of a name; None for .txt and unknown endings."""
    return _by_ending(name)


def _by_content(start: bytes, name: str, encoding: str) -> Kind:
    """The format by the first line of a text: JSON lines, TSV, CSV, or one label per line."""
    if start.startswith(b"\x28\xb5"):
        raise FileError(
            f"{name!r} does not say what is packed in it; say ", Option("input", ("csv",)), " or whatever it is."
        )
    text = start.decode(byte_order(start) or encoding, errors="replace")
    line = text.lstrip("\ufeff\r\n").split("\n", 1)[0]
    if line.startswith("{"):
        return "jsonl"
    if "\t" in line:
        return "tsv"
    return "csv" if "," in line and not name.lower().removesuffix(".gz").endswith(".txt") else "labels"


def byte_order(start: bytes) -> str | None:
    """The encoding that a byte order mark at the start of a text indicates, or None."""
    if start.startswith(b"\xef\xbb\xbf"):
        return "utf-8-sig"
    if start.startswith((b"\xff\xfe\0\0", b"\0\0\xfe\xff")):
        return "utf-32"
    return "utf-16" if start.startswith((b"\xff\xfe", b"\xfe\xff")) else None


def check_form(encoding: str, delimiter: str | None) -> None:
    """Refuse an encoding unknown to Python, and a delimiter that is not one usable character."""
    import codecs

    if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\r\n'):
        raise FileError(Option("delimiter", (delimiter,)), " cannot separate fields; give one character, such as ';'.")

    try:
        "".encode(encoding)
        known = codecs.lookup(encoding)._is_text_encoding
    except (LookupError, UnicodeError):
        known = False
    if not known:
        raise FileError(f"{encoding!r} is no encoding; use 'utf-8', 'latin-1', 'utf-16' or another of Python's.")


def _check_text(start: bytes, name: str, encoding: str) -> None:
    if b"\0" in start and byte_order(start) is None and encoding.lower().replace("_", "-") in ("utf-8", "utf8"):
        raise FileError(
            f"{name!r} is not text (it has zero bytes); give CSV, Parquet or another kind that karat reads."
        )
