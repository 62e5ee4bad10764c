"""Treebanks in files and directories: Penn brackets, NEGRA export and TIGER-XML, detected by content."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

from karat.errors import FileError
from karat.papers.corpora.negra import exported_trees, looks_exported
from karat.papers.corpora.penn import bracketed_trees, looks_bracketed
from karat.papers.corpora.tiger import looks_like_tiger, tiger_trees
from karat.papers.corpora.trees import Tree

Reader: TypeAlias = Callable[[Path], Iterator[Tree]]

_FORMATS = "Penn brackets, NEGRA export or TIGER-XML"
_HEAD = 1 << 16  # bytes used to detect the format
_MARK = b"\xef\xbb\xbf"  # byte order mark of UTF-8
_HIGH = re.compile(rb"[\x80-\xff]+")


def trees_in(path: str | Path) -> Iterator[Tree]:
    """The trees of a file, or of all files below a directory in sorted order.

    The format is detected from the content; in a directory, files of other formats are skipped. Gaps of constituents
    (NEGRA, TIGER) are removed as in Graph.tree.
    """
    readers = _readers(Path(path))
    return _trees(readers, str(path))


def _readers(path: Path) -> list[tuple[Path, Reader]]:
    """The treebank files at a path, each with its reader."""
    try:
        if not path.exists():
            raise FileError(f"{str(path)!r} does not exist; give a treebank's file or directory.")
        if not (path.is_dir() or path.is_file()):
            raise FileError(f"{str(path)!r} is a device or a pipe; give a treebank's file or directory.")
        files = _files(path) if path.is_dir() else [path]
        readers = [(file, reader) for file in files if (reader := _reader(file)) is not None]
    except OSError as problem:
        raise _unreadable(path, problem) from problem
    if not readers:
        what = f"has no file in {_FORMATS}" if path.is_dir() else f"is not in {_FORMATS}"
        raise FileError(f"{str(path)!r} {what}; give a treebank in one of them.")
    return readers


def _files(folder: Path) -> list[Path]:
    """All files below a folder; unreadable folders raise OSError."""

    def refuse(problem: OSError) -> None:
        raise problem

    paths = [Path(inner, name) for inner, _, names in os.walk(folder, onerror=refuse) for name in names]
    return sorted(path for path in paths if path.is_file())


def _reader(path: Path) -> Reader | None:
    """The reader for a file with this content; None if it is not a treebank."""
    with path.open("rb") as file:
        start = file.read(_HEAD).removeprefix(_MARK)
    if looks_like_tiger(start, str(path)):
        return tiger_trees
    head = start.decode("latin-1")  # the other formats are recognised by ASCII text
    if looks_exported(head):
        return lambda file: exported_trees(_text(file.read_bytes()), str(file))
    if looks_bracketed(head):
        return lambda file: bracketed_trees(_text(file.read_bytes()), str(file))
    return None


def _trees(readers: list[tuple[Path, Reader]], name: str) -> Iterator[Tree]:
    none = True
    for path, reader in readers:
        try:
            for tree in reader(path):
                none = False
                yield tree
        except OSError as problem:
            raise _unreadable(path, problem) from problem
    if none:
        raise FileError(f"{name!r} has no tree in it; give a treebank with sentences.")


def _unreadable(path: Path, problem: OSError) -> FileError:
    return FileError(f"{problem.filename or str(path)!r} cannot be read ({problem.strerror}); give one that can.")


def _text(raw: bytes) -> str:
    """Decode as UTF-8, else as GB18030 if non-ASCII bytes come in pairs, as in Chinese, else as Latin-1."""
    raw = raw.removeprefix(_MARK)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        if any(len(run) % 2 for run in _HIGH.findall(raw)):
            return raw.decode("latin-1")
    try:
        return raw.decode("gb18030")
    except UnicodeDecodeError:
        return raw.decode("latin-1")
