"""A path, a pattern or standard input: what is there, and of which kind it is."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from io import BufferedReader
from typing import IO, Literal, NamedTuple, TypeAlias, get_args

from karat.errors import FileError, Option, listed, nearest

Kind: TypeAlias = Literal[
    "csv", "tsv", "jsonl", "labels", "matrix", "communities", "senseval", "parquet", "arrow", "npy", "h5ad", "table"
]

LARGE = 10 << 20  # bytes from which DuckDB, which takes an eighth of a second to load, is the faster reader

ENDINGS: dict[str, Kind] = {
    ".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".labels": "labels",
    ".cmty": "communities", ".communities": "communities", ".key": "senseval", ".parquet": "parquet", ".pq": "parquet",
    ".arrow": "arrow", ".feather": "arrow", ".ipc": "arrow", ".npy": "npy", ".h5ad": "h5ad", ".json": "table",
}  # fmt: skip
MAGIC: dict[bytes, Kind] = {
    b"PAR1": "parquet", b"ARROW1": "arrow", b"FEA1": "arrow", b"\x93NUMPY": "npy", b"\x89HDF": "h5ad",
}  # fmt: skip
PACKED = (".gz", ".zst", ".zstd", ".bz2", ".xz", ".zip")
UNPACKED = (".gz", ".zst", ".zstd")  # by DuckDB, from a stream
BINARY = ("parquet", "arrow", "npy", "h5ad")
TABULAR = ("csv", "tsv", "jsonl")
TEXTS = tuple(
    kind for kind in get_args(Kind) if kind not in (*BINARY, "table")
)  # of which a user may have to tell the kind


class Input(NamedTuple):
    """Files of one kind that are read as one."""

    name: str  # as it was given
    paths: tuple[str, ...]
    kind: Kind
    packed: bool = False
    encoding: str = "utf-8"
    header: bool = True
    separator: str | None = None  # as the user says

    @property
    def zipped(self) -> bool:
        """Whether the standard library unpacks it."""
        return self.packed and _start(self.path, self.name)[:2] == b"\x1f\x8b"

    @property
    def path(self) -> str:
        """The first file, or the only one."""
        return self.paths[0]

    @property
    def size(self) -> int:
        """Bytes on the disk."""
        return sum(os.path.getsize(path) for path in self.paths)

    @property
    def stem(self) -> str:
        """A name for the system whose output it is."""
        if self.name == "-":
            return "stdin"
        base = os.path.basename(os.path.normpath(self.name))
        for ending in (*PACKED, *ENDINGS, ".txt"):
            base = base[: -len(ending)] if base.lower().endswith(ending) and len(base) > len(ending) else base
        return base

    @property
    def delimiter(self) -> str:
        """What stands between the fields of a line."""
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
    """What a name given by the user stands for; kind says what its text is, if the ending does not or lies.

    Streams can be read once only, so they are copied to temporary files, which are added to copies.
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
    packed = packed or start[:2] == b"\x1f\x8b"  # a stream may be packed too
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
    """Refuse a device, such as /dev/zero, which may give bytes for ever; a terminal is as good as standard input."""
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
    """A copy of a stream, such as standard input or a named pipe, in a temporary file."""
    import tempfile

    from karat.machine.temporary import own_folder

    if isinstance(source, str):
        _check_device(source)
    folder = own_folder()
    try:
        handle, path = tempfile.mkstemp(dir=folder)
        copies.append(path)
        with open(handle, "wb") as copy, open(source, "rb") if isinstance(source, str) else source as stream:
            copy.writelines(_parts(stream))
            empty = not copy.tell()
    except OSError as problem:
        raise FileError(f"{_named(source)} cannot be read ({problem.strerror}); give a file.") from None
    if empty:
        raise FileError(f"{_named(source)} is empty; give something with labels in it.")
    return path


def _parts(stream: IO[bytes]) -> Iterator[bytes]:
    """What comes from a stream; between the parts Python hears of signals, which one long read may miss."""
    while True:
        while not _has_come(stream):
            pass
        part = stream.read1(1 << 16) if isinstance(stream, BufferedReader) else stream.read(1 << 16)
        if not part:
            return
        yield part


def _has_come(stream: IO[bytes]) -> bool:
    """Whether a read would not wait; after half a second at the latest."""
    import select

    try:
        return bool(select.select([stream], [], [], 0.5)[0])
    except (OSError, ValueError, TypeError):  # it is no file of the system, or the system cannot wait for such files
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
    """What the ending of a name says that it is; nothing for .txt and other endings."""
    return _by_ending(name)


def _by_content(start: bytes, name: str, encoding: str) -> Kind:
    """What a text without a telling ending is: JSON lines, tab-separated, comma-separated, or one label per line."""
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
    """The encoding that a mark at the start of a text names."""
    if start.startswith(b"\xef\xbb\xbf"):
        return "utf-8-sig"
    if start.startswith((b"\xff\xfe\0\0", b"\0\0\xfe\xff")):
        return "utf-32"
    return "utf-16" if start.startswith((b"\xff\xfe", b"\xfe\xff")) else None


def check_form(encoding: str, delimiter: str | None) -> None:
    """Refuse an encoding that Python does not have, and what cannot stand between fields."""
    import codecs

    if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\r\n'):
        raise FileError(
            Option("delimiter", (delimiter,)), " cannot stand between fields; give one character, such as ';'."
        )

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
