"""The format and the compression of a file, by its first bytes, its ending, or its first line."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple

from karat.errors import FileError, Option, either, listed, nearest
from karat.sources.files.registry import Format, formats

PACKED = (".gz", ".zst", ".zstd", ".bz2", ".xz", ".zip")
UNPACKED = (".gz", ".zst", ".zstd")  # compression that karat reads
GZIP, ZSTANDARD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"  # first bytes


class Recognised(NamedTuple):
    """The format of a file, and whether it is compressed."""

    format: Format
    packed: bool


def recognise(name: str, paths: Sequence[str], kind: str | None, encoding: str) -> Recognised:
    """The format of files: by first bytes, else kind, else by the ending of their name, else by the first line."""
    start = first_bytes(paths[0], name)
    packed = _is_packed(name, start)
    if start.startswith(GZIP):
        start = _unpacked_start(paths[0], name)
    by_bytes = _by_first_bytes(paths, start)
    form = by_bytes or (None if kind is None else named(kind)) or by_ending(name)
    if form is not None and packed and not form.text:
        raise FileError(f"{name!r} is packed, which {form.name} files may not be; unpack it.")
    if by_bytes is None and (form is None or not form.binary) and not (packed and start.startswith(ZSTANDARD)):
        _check_text(start, name, encoding)
    return Recognised(form or named(_by_first_line(start, name, encoding)), packed)


def named(kind: str) -> Format:
    """The format of a name; FileError if there is none."""
    known = formats()
    if kind not in known:
        hint = nearest(str(kind), known) or f"use one of {listed(known, len(known))}."
        raise FileError(f"{kind!r} is no kind of file; {hint}")
    return known[kind]


def by_ending(name: str) -> Format | None:
    """The format by the ending of a name; None for .txt and unknown endings."""
    base = name.lower()
    for ending in PACKED:
        base = base.removesuffix(ending)
    ending = os.path.splitext(base)[1]
    return next((form for form in formats().values() if ending in form.endings), None)


def without_endings(name: str) -> str:
    """A base name without the endings of formats and of compression."""
    for ending in (*PACKED, *(ending for form in formats().values() for ending in form.endings), ".txt"):
        name = name[: -len(ending)] if name.lower().endswith(ending) and len(name) > len(ending) else name
    return name


def _is_packed(name: str, start: bytes) -> bool:
    """Whether a file is compressed; refused if karat cannot read the compression."""
    packed = name.lower().endswith(PACKED)
    if packed and not name.lower().endswith(UNPACKED):
        raise FileError(f"{name!r} is packed in a way that karat cannot read; unpack it, or pack it as .gz or .zst.")
    if packed and not start.startswith((GZIP, ZSTANDARD)):
        raise FileError(f"{name!r} is not packed as its ending says; check that it is complete, or rename it.")
    return packed or start.startswith(GZIP)  # a stream has no ending


def _by_first_bytes(paths: Sequence[str], start: bytes) -> Format | None:
    known = formats().values()
    by_content = (form for form in known if form.content is not None and form.content(paths[0], start))
    by_magic = (form for form in known if start.startswith(form.magic))
    return (next(by_content, None) if len(paths) == 1 else None) or next(by_magic, None)


def _by_first_line(start: bytes, name: str, encoding: str) -> str:
    """The format by the first line of a text: JSON lines, TSV, CSV, or one label per line."""
    if start.startswith(ZSTANDARD[:2]):
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


def _check_text(start: bytes, name: str, encoding: str) -> None:
    if b"\0" in start and byte_order(start) is None and encoding.lower().replace("_", "-") in ("utf-8", "utf8"):
        known = either(form.title for form in formats().values() if form.binary or form.tabular)
        raise FileError(f"{name!r} is not text (it has zero bytes); give {known}.")


def first_bytes(path: str, name: str) -> bytes:
    """The first 64 kB of a file."""
    try:
        with open(path, "rb") as file:
            return file.read(1 << 16)
    except OSError as problem:
        raise FileError(f"{name!r} cannot be read ({problem.strerror}); check its permissions.") from None


def _unpacked_start(path: str, name: str) -> bytes:
    """The first 64 kB of a gzip file, decompressed."""
    import gzip
    import zlib

    try:
        with gzip.open(path, "rb") as file:
            start = file.read(1 << 16)
    except (OSError, EOFError, zlib.error) as problem:
        raise FileError(f"{name!r} cannot be read ({problem}); check that it is complete.") from None
    if not start:
        raise FileError(f"{name!r} is empty; give a file with labels in it.")
    return start
