"""The errors that karat raises on purpose: one sentence with the offending value and the remedy.

A remedy names options of a function. Options are part of the sentence as data, so that Python, the command line and
the app can each spell them in their own way.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Mapping
from operator import index
from reprlib import Repr
from typing import Any, NamedTuple, TypeAlias


class Option(NamedTuple):
    """An option of a function with suggested values, in the remedy of a message.

    >>> str(Option("missing", ("drop", "cluster"))), str(Option("by")), str(Option("by", bare=True))
    ("missing='drop' or 'cluster'", 'by=...', 'by')
    """

    name: str
    choices: tuple[Any, ...] = ()
    bare: bool = False  # show the name only, as in "leave out weights"

    def __str__(self) -> str:
        if self.bare:
            return self.name
        return f"{self.name}={either(map(brief, self.choices)) or '...'}"


Part: TypeAlias = str | Option


class Sentence(str):
    """A text whose options can be spelt differently, for Python, the command line or the app.

    >>> sentence = Sentence("say ", Option("noise_as", ("drop",)), ".")
    >>> sentence, sentence.worded(lambda option: f"--{option.name}")
    ("say noise_as='drop'.", 'say --noise_as.')
    """

    parts: tuple[Part, ...]

    def __new__(cls, *parts: Part) -> Sentence:
        """Concatenate texts and options into a sentence."""
        flat = [inner for part in parts for inner in (part.parts if isinstance(part, Sentence) else (part,))]
        sentence = super().__new__(cls, "".join(map(str, flat)))
        sentence.parts = tuple(flat)
        return sentence

    def __reduce__(self) -> tuple[Any, ...]:
        return Sentence, self.parts

    def replaced(self, old: str, new: str) -> Sentence:
        """The sentence with each occurrence of a text replaced; options are left unchanged."""
        return Sentence(*(part.replace(old, new) if isinstance(part, str) else part for part in self.parts))

    def worded(self, spell: Callable[[Option], str]) -> str:
        """The text with each option written by spell()."""
        return "".join(spell(part) if isinstance(part, Option) else part for part in self.parts)


class KaratError(ValueError):
    """Base class of all errors that karat raises on purpose; the message has the value and the remedy."""

    def __init__(self, *parts: Part) -> None:
        self.whole = Sentence(*map(_one_line, parts))  # not shortened
        self.sentence = _concise(self.whole)
        super().__init__(self.sentence)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self.whole.parts


def _one_line(part: Part) -> Part:
    """A part of a message without line breaks, which arrays and frames print."""
    return re.sub(r"\s*\n\s*", " ", part) if isinstance(part, str) and "\n" in part else part


class LabelError(KaratError):
    """Labels that cannot be read or aligned."""


class NothingLeftError(LabelError):
    """No item is left to score: all were dropped."""

    policies: Mapping[str, Any] = {}  # of each system, with the numbers of items dropped
    group_policies: Mapping[str, Any] = {}  # of each system, by code of group
    dropped_by: Mapping[str, int] = {}  # number of items dropped because of each side


class TableError(KaratError):
    """An invalid contingency table, or one of a kind that a measure does not support."""


class MeasureError(KaratError):
    """An unknown measure, or a parameter that it does not have."""


class FileError(KaratError):
    """A file that cannot be read, or has invalid content."""


def either(values: Iterable[str]) -> str:
    """Join alternatives as in a sentence: 'a', 'b' or 'c'."""
    *most, last = list(values) or [""]
    return f"{', '.join(most)} or {last}" if most else last


BRIEF = 60  # characters of a value in a message
MESSAGE = 290  # characters of a message
_QUOTED = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"", re.DOTALL)


def concise(text: str, most: int = MESSAGE) -> str:
    """Shorten a message of more than most characters: cut the middle of quoted values, if need be of the message.

    >>> concise(f"there is no file {'x' * 400!r}; check its name.")
    "there is no file 'xxxxxxxxxxxxxxxxxxxxxxxxxxxx...xxxxxxxxxxxxxxxxxxxxxxxxxxxx'; check its name."
    """
    if len(text) <= most:
        return text
    short = _cut(text, 20 * MESSAGE)
    for width in (BRIEF + 1, 2 * BRIEF // 3, BRIEF // 3):  # shorter where a sentence names several files
        short = _with_quotes_cut(short, width)
        if len(short) <= most:
            break
    return _cut(short, most)


def _with_quotes_cut(text: str, most: int) -> str:
    """Cut the middle out of each quoted value longer than most characters."""
    return _QUOTED.sub(lambda match: _cut(match[0], most), text)


def _cut(text: str, most: int) -> str:
    """Cut the middle out of a text longer than most characters."""
    half = (most - 3) // 2
    return text if len(text) <= most else f"{text[:half]}...{text[-half:]}"


def _concise(sentence: Sentence) -> Sentence:
    """Shorten the longest text of a sentence to fit MESSAGE; options are left unchanged."""
    longest = max((part for part in sentence.parts if isinstance(part, str)), key=len, default="")
    others = len(sentence) - len(longest)
    if len(sentence) <= MESSAGE or others > MESSAGE:  # no text of karat has two long parts
        return sentence
    return sentence.replaced(longest, concise(longest, max(BRIEF, MESSAGE - others)))


def whole(value: Any, name: str, most: int) -> int:
    """An option that is a whole number from 0 to a maximum; KaratError if it is not.

    >>> whole(4, "digits", 100)
    4
    """
    try:
        number = index(value)
    except Exception:  # of any type, in a class of the user's
        number = -1
    if not 0 <= number <= most:
        raise KaratError(f"{name} is {brief(value)}; give a whole number from 0 to {most:,}.")
    return number


def brief(value: object) -> str:
    """The repr of a value for messages, shortened if long; its type if repr() fails.

    >>> brief("x" * 70_000)
    "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...'"
    """
    try:
        if type(value) in (tuple, list, set, frozenset, dict):  # each of which may hold another twice, and so on
            text = _Shortened().repr(value)
        else:
            text = repr(value[: BRIEF + 1] if isinstance(value, (str, bytes)) else value)
    except Exception:  # a foreign class, or an integer of very many digits
        text = f"a value of type {type(value).__name__}"
    if not isinstance(value, (str, bytes)):  # an array has many lines
        text = " ".join(text[: 4 * BRIEF].split())
    if len(text) <= BRIEF + 2:
        return text
    return f"{text[: BRIEF - 2]}...{text[-1]}"


class _Shortened(Repr):
    """The repr of nested collections, of bounded length and depth."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel, self.maxstring, self.maxother, self.maxlong = 4, BRIEF, BRIEF, BRIEF
        self.maxtuple = self.maxlist = self.maxset = self.maxfrozenset = self.maxdict = BRIEF // 3

    def repr_instance(self, x: object, level: int) -> str:
        """The repr of any other object; its type if that fails."""
        return brief(x)


def contains(known: Container[Any], key: object) -> bool:
    """Whether a key is known; a key that has no hash is not.

    >>> contains({"a": 1}, "a"), contains({"a": 1}, [])
    (True, False)
    """
    try:
        return key in known
    except Exception:  # of any type, in a class of the user's
        return False


def listed(values: Iterable[object], most: int = 5) -> str:
    """The first few values for a message: 'a', 'b', ... (7 in all)."""
    shown = list(values)
    text = ", ".join(brief(v) for v in shown[:most])
    return text if len(shown) <= most else f"{text}, ... ({len(shown)} in all)"


def nearest(name: object, known: Iterable[str]) -> str:
    """'did you mean X?' if a known name is similar, else an empty string."""
    from difflib import get_close_matches

    if not isinstance(name, str) or len(name) > 2 * BRIEF:  # too long to resemble a name, and slow to compare
        return ""
    close = get_close_matches(name, list(known), n=1)
    return f"did you mean {close[0]}?" if close else ""
