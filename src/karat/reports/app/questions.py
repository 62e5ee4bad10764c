"""The request of the page: options and file sizes as JSON, then the bytes of the files in order."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from typing import IO, Any, NamedTuple

from karat import limits
from karat.errors import KaratError, Option, Sentence, concise, either
from karat.sources.files import contents
from karat.sources.files.options import parameters
from karat.sources.files.recognition import PACKED

LENGTH = 8  # hexadecimal digits of the length of the JSON that follows
LONGEST = 200  # bytes of a file name, at most
READING = {name: parameter for name, parameter in parameters().items() if parameter.page}  # that the page offers
WORDS = (*READING, "measures", "improve", "beta", "interval", "title")
PAGE, PROBLEM = "page.html", "problem.json"  # names of the files with the answer: a report, or an error
STARTED = "started"  # name of the file that a worker creates when it has received its question
NOT_OURS = "this is not a request of the page; reload it."


class Question(NamedTuple):
    """Safe names of the files, gold first, the options as text, and the folder that contains the files."""

    names: tuple[str, ...]
    options: dict[str, str]
    folder: str


class Task(NamedTuple):
    """A question for a worker process: its folders, and its limits in seconds and bytes of memory."""

    question: Question
    answer: str  # folder for the answer
    spill: str  # folder on a disk, for temporary files
    seconds: float
    memory: int


class Arrival:
    """The body of a request, whose files are written to a folder as their bytes arrive.

    take() receives the body in parts; question() returns the request once the body is complete.
    """

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.start = bytearray()  # of the body, until the JSON is complete
        self.asked: Question | None = None
        self.files: list[tuple[IO[bytes], int]] = []  # incomplete files and the bytes they lack, next one last
        self.more = False  # whether the body is longer than announced
        self.open = ExitStack()

    def take(self, part: bytes) -> None:
        """Write a part of the body to its file or files."""
        if self.asked is None:
            self.start += part
            size = _size(self.start)
            if size is None or len(self.start) < LENGTH + size:
                return
            self._ask(bytes(self.start[LENGTH : LENGTH + size]))
            part = bytes(self.start[LENGTH + size :])
            self.start.clear()
        while part and self.files:
            file, lacking = self.files.pop()
            file.write(part[:lacking])
            if len(part) < lacking:
                self.files.append((file, lacking - len(part)))
            part = part[lacking:]
        self.more = self.more or bool(part)

    def question(self) -> Question:
        """The question, once the body is complete."""
        self.close()
        if len(self.start) < LENGTH and self.asked is None:
            raise KaratError(NOT_OURS)
        if self.asked is None or self.more or self.files:
            raise KaratError("some of the files did not arrive; send them again.")
        for name in self.asked.names:
            _check_packing(name)
        return self.asked

    def close(self) -> None:
        """Close the files."""
        self.open.close()

    def _ask(self, head: bytes) -> None:
        files, options = _read(head)
        names: list[str] = []
        for name, _ in files:
            names.append(_safe_name(name, names))
        self.asked = Question(tuple(names), options, self.folder)
        for name, (_, size) in list(zip(names, files, strict=True))[::-1]:
            file: IO[bytes] = open(os.path.join(self.folder, name), "wb")  # noqa: SIM115
            self.open.push(file)
            if size:
                self.files.append((file, size))


def _size(start: bytes | bytearray) -> int | None:
    """The length of the JSON; None if too little has arrived."""
    if len(start) < LENGTH:
        return None
    try:
        size = int(start[:LENGTH], 16)
    except ValueError:
        size = -1
    if size < 0:
        raise KaratError(NOT_OURS)
    limits.APP_HEAD.check(size, "the question")
    return size


def _read(head: bytes) -> tuple[list[tuple[str, int]], dict[str, str]]:
    """The name and size of each file, and the options."""
    try:
        asked = json.loads(head)
        files = [(str(file["name"]), int(file["size"])) for file in asked["files"]]
        options = {str(name): str(value).strip() for name, value in asked["options"].items()}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError):
        raise KaratError(NOT_OURS) from None
    limits.APP_FILES.check(len(files), "the question")
    if set(options) - set(WORDS) or any(length < 0 for _, length in files):
        raise KaratError(NOT_OURS)
    if not files:
        raise KaratError("there are no labels yet; drop a file with gold and predicted labels, or paste both.")
    return files, {name: value for name, value in options.items() if value}


def _check_packing(name: str) -> None:
    if name.lower().endswith(tuple(set(PACKED) - {".gz"})):
        raise KaratError(f"{name!r} is compressed; decompress it, or use karat report.")


def check_unpacked(question: Question) -> None:
    """Refuse gzip files that would decompress to too much: a hundred kilobytes can become gigabytes."""
    for name in question.names:
        with open(os.path.join(question.folder, name), "rb") as file:
            if file.read(2) == b"\x1f\x8b":
                file.seek(0)
                with suppress(*contents.UNREADABLE):  # reported when the file is read
                    contents.check_unpacked(file, name)


def _safe_name(name: str, taken: list[str]) -> str:
    """The last part of a path, without special characters; numbered if the name is taken."""
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    plain = "".join(c if c.isalnum() or c in " ._-()=+," else "_" for c in last)
    plain = plain.encode("utf-8", "replace")[-LONGEST:].decode("utf-8", "ignore").strip(". ") or "labels.txt"
    stem, ending = os.path.splitext(plain)
    number = 2
    while plain.casefold() in map(str.casefold, taken):
        plain, number = f"{stem}-{number}{ending}", number + 1
    return plain


def as_number(text: str, name: str, low: float) -> float:
    """Parse an option as a finite number above low."""
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not low < value < float("inf"):
        raise KaratError(f"{name} is {text!r}; give a number above {low:g}.")
    return value


def reading_options(options: Mapping[str, str]) -> dict[str, Any]:
    """The options of reading in a question, as karat.read() takes them."""
    given = {name: options[name] for name in READING if name in options}
    return {name: listed_words(text) if READING[name].repeated else text for name, text in given.items()}


def listed_words(text: str | None) -> list[str]:
    """Split a list of column names at commas."""
    return [word.strip() for word in (text or "").split(",") if word.strip()]


def in_words_of_the_page(sentence: Sentence) -> str:
    """A message with option names replaced by the labels of the page's fields.

    >>> in_words_of_the_page(Sentence("say which is which: ", Option("gold"), ", ", Option("pred")))
    'say which is which: «gold column», «predicted columns»'
    """
    return concise(sentence.worded(_field))


def _field(option: Option) -> str:
    if option.name not in READING:
        return str(option)
    choices = "" if option.bare else either(map(repr, option.choices))
    return f"«{READING[option.name].page}» {choices}".rstrip()
