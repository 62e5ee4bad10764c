"""Documents with classes: a folder for each class, or a table with columns of classes and texts."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from karat.errors import FileError
from karat.papers.corpora.columns import gold_column, known, open_table, values

TEXT = ("text", "body", "document", "content", "contents", "abstract", "sentence", "message", "post", "comment")


class Texts(NamedTuple):
    """Documents and their classes."""

    name: str
    gold: Sequence[Any]
    texts: Sequence[str]
    remarks: tuple[str, ...] = ()


def read_texts(path: str, *, gold: str | None = None, text: str | None = None) -> Texts:
    """Read a folder with a sub-folder for each class, or a table; gold and text name its columns."""
    texts_read = _folders(path) if os.path.isdir(path) else _table(path, gold, text)
    kept = [(c, t) for c, t in zip(texts_read.gold, texts_read.texts, strict=True) if t.strip()]
    remarks = texts_read.remarks
    if len(kept) < len(texts_read.texts):
        left = len(texts_read.texts) - len(kept)
        remarks = (*remarks, f"{left:,} of {len(texts_read.texts):,} documents are empty and left out")
    classes, texts = zip(*kept, strict=True) if kept else ((), ())
    if len(set(classes)) < 2:
        what = f"only documents of class {classes[0]!r}" if classes else "no document with text in it"
        raise FileError(f"{path!r} has {what}; give two classes or more.")
    return Texts(texts_read.name, classes, texts, remarks)


def _folders(path: str) -> Texts:
    """Read a folder; the class of a document is the top-level sub-folder that contains it."""
    gold, texts = [], []
    for name in sorted(os.listdir(path)):
        for file in _files(os.path.join(path, name)):
            gold.append(name)
            texts.append(_text(file))
    if not texts:
        raise FileError(f"{path!r} has no sub-folder with documents in it; give a folder with one for each class.")
    return Texts(os.path.basename(os.path.abspath(path)), gold, texts)


def _files(folder: str) -> Iterator[str]:
    """All files below a folder in order, without hidden ones."""
    if os.path.basename(folder).startswith(".") or not os.path.isdir(folder):
        return
    for inner, folders, files in os.walk(folder, onerror=_refuse):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        paths = (os.path.join(inner, name) for name in sorted(files) if not name.startswith("."))
        yield from (path for path in paths if os.path.isfile(path) or os.path.islink(path))


def _refuse(problem: OSError) -> None:
    raise FileError(f"{problem.filename!r} cannot be read ({problem.strerror}); check its permissions.")


def _text(path: str) -> str:
    """A file's text: UTF-8, else Latin-1, as in collections of mail and news."""
    try:
        if os.path.exists(path) and not os.path.isfile(path):
            raise FileError(f"{path!r} is no file; leave only documents in the folders of the classes.")
        with open(path, "rb") as file:
            raw = file.read()
    except OSError as problem:
        raise FileError(f"{path!r} cannot be read ({problem.strerror}); check it, or remove it.") from None
    if b"\0" in raw[:4096]:
        raise FileError(f"{path!r} is not text; leave only documents in the folders of the classes.")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def _table(path: str, gold: str | None, text: str | None) -> Texts:
    with open_table(path) as source:
        classes = gold_column(source, gold)
        body = known(source, TEXT, "the texts", "text") if text is None else source.check(text, "text")
        labels, texts = values(source, classes), values(source, body)
    if None in labels:
        row = labels.index(None) + 1
        raise FileError(f"{path!r} has no class in column {classes!r}, row {row}; give each document one.")
    remarks = (f"classes are column {classes!r}, texts column {body!r}",) if gold is None or text is None else ()
    return Texts(os.path.basename(path), labels, ["" if t is None else str(t) for t in texts], remarks)
