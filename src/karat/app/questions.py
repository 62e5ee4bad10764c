"""What the page asks: a few words in JSON, then the bytes of the files, one after the other."""

from __future__ import annotations

import json
import os
import re
import zlib
from typing import NamedTuple

from karat.errors import KaratError

HEAD = 8  # hexadecimal digits: the length of the JSON that follows
MOST_FILES = 40
LONGEST = 200  # bytes of a file's name
LIMIT = 100_000_000  # bytes of a request, if nobody says otherwise
UNPACKED = LIMIT  # of a packed file
WORDS = ("gold", "pred", "id", "measures", "missing", "noise", "noise_as", "improve", "beta", "interval", "title")


class Upload(NamedTuple):
    """A file as it came, under a name that is safe to give to a file."""

    name: str
    content: bytes


class Question(NamedTuple):
    """Files, gold first, and options as text."""

    files: tuple[Upload, ...]
    options: dict[str, str]


def question_of(body: bytes) -> Question:
    """The question in a request's body."""
    try:
        size = int(body[:HEAD], 16)
        asked = json.loads(body[HEAD : HEAD + size])
        files = [(str(file["name"]), int(file["size"])) for file in asked["files"]]
        options = {str(name): str(value).strip() for name, value in asked["options"].items()}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError):
        raise KaratError("this is not what the page asks; reload it.") from None
    unknown = set(options) - set(WORDS)
    if len(files) > MOST_FILES:
        raise KaratError(f"there are {len(files)} files; give at most {MOST_FILES} at a time.")
    if unknown or any(length < 0 for _, length in files):
        raise KaratError("this is not what the page asks; reload it.")
    if not files:
        raise KaratError("there are no labels yet; drop a file with gold and predicted labels, or paste both.")
    if HEAD + size + sum(length for _, length in files) != len(body):
        raise KaratError("some of the files did not arrive; send them again.")
    uploads = tuple(_uploads(files, body, HEAD + size))
    for upload in uploads:
        _check_packed(upload)
    return Question(uploads, {k: v for k, v in options.items() if v})


def _check_packed(upload: Upload) -> None:
    """Refuse what would take much more room than it has: a file of a hundred kilobytes can hold gigabytes."""
    if upload.content[:2] == b"\x1f\x8b":
        unpacking, size, rest = zlib.decompressobj(wbits=31), 0, upload.content
        while rest and size <= UNPACKED:
            try:
                size += len(unpacking.decompress(rest, 1 << 20))
            except zlib.error:
                return  # the reader tells
            rest = unpacking.unconsumed_tail
            if unpacking.eof and unpacking.unused_data:  # another part follows
                unpacking, rest = zlib.decompressobj(wbits=31), unpacking.unused_data
        if size > UNPACKED:
            raise KaratError(f"{upload.name!r} holds more than {UNPACKED / 1e6:,.0f} MB; use karat report for it.")
    elif upload.name.lower().endswith((".zst", ".zstd", ".bz2", ".xz", ".zip")):
        raise KaratError(f"{upload.name!r} is packed; unpack it, or use karat report.")


def _uploads(files: list[tuple[str, int]], body: bytes, start: int) -> list[Upload]:
    found: list[Upload] = []
    for name, size in files:
        found.append(Upload(_own(name, [file.name for file in found]), body[start : start + size]))
        start += size
    return found


def _own(name: str, taken: list[str]) -> str:
    """The last part of a path, without what a file system would obey; another name if it is taken."""
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    plain = "".join(c if c.isalnum() or c in " ._-()=+," else "_" for c in last)
    plain = plain.encode("utf-8", "replace")[-LONGEST:].decode("utf-8", "ignore").strip(". ") or "labels.txt"
    stem, ending = os.path.splitext(plain)
    number = 2
    while plain.casefold() in map(str.casefold, taken):
        plain, number = f"{stem}-{number}{ending}", number + 1
    return plain


def as_number(text: str, name: str, low: float) -> float:
    """An option that is a number above low."""
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not low < value < float("inf"):
        raise KaratError(f"{name} is {text!r}; give a number above {low:g}.")
    return value


def listed_words(text: str | None) -> list[str]:
    """Column names, separated by commas."""
    return [word.strip() for word in (text or "").split(",") if word.strip()]


FIELDS = {
    "gold": "gold column", "pred": "predicted columns", "id": "id column", "missing": "items without a label",
    "noise": "noise label", "noise_as": "noise counts as",
}  # fmt: skip
_VALUE = r"\.\.\.|'[^']*'(?:(?:, | or )'[^']*')*"
_NAMED = re.compile(rf"\b({'|'.join(sorted(FIELDS, key=len, reverse=True))})=({_VALUE})")


def in_words_of_the_page(message: str) -> str:
    """A message of the library with the names that the page's fields have.

    >>> in_words_of_the_page("say which is which: gold=..., pred=...")
    'say which is which: «gold column», «predicted columns»'
    """
    message = _NAMED.sub(lambda m: f"«{FIELDS[m[1]]}»" + ("" if m[2] == "..." else f" {m[2]}"), message)
    message = message.replace("list_measures() has them all", "the field lists them")
    return message.replace("give all as dicts", "give files with ids, or as many lines on both sides")
