"""Praat's TextGrids: labels of intervals and points in time, read in both text formats, and written."""

from __future__ import annotations

import math
import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import NamedTuple

from karat.errors import FileError
from karat.output.files import atomic_file
from karat.output.layout import shown

_AGAIN = "save it in Praat as a text file again"

# Only quoted texts and free-standing numbers are data; the other words of the long format are for human readers.
_TOKEN = re.compile(r'"(?P<text>[^"]*(?:""[^"]*)*)"|(?P<open>")|![^\r\n]*|(?P<word>[^\s"]+)')
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_LINE_END = re.compile(r"\r\n?|\n")


class Mark(NamedTuple):
    """The label of an interval, or of a point, whose start and end are equal."""

    start: float  # seconds, as all times in this module
    end: float
    text: str


class Tier(NamedTuple):
    """A named row of a TextGrid, of points or of intervals."""

    name: str
    points: bool
    marks: tuple[Mark, ...]


class TextGrid(NamedTuple):
    """Praat's labels of one recording."""

    start: float
    end: float
    tiers: tuple[Tier, ...]


def read_textgrid(path: str | PathLike[str]) -> TextGrid:
    """Read a TextGrid in Praat's long or short text format, in UTF-8, UTF-16 or Latin-1."""
    tokens = _Tokens(Path(path))
    if not tokens.text("the file type").startswith("ooTextFile"):
        raise tokens.problem('"ooTextFile"')
    if tokens.text('"TextGrid"') != "TextGrid":
        raise tokens.problem('"TextGrid"')
    start, end = tokens.number("the start"), tokens.number("the end")
    tiers = tuple(_tier(tokens) for _ in range(tokens.count("the number of tiers")))
    tokens.finish()
    return TextGrid(start, end, tiers)


def _tier(tokens: _Tokens) -> Tier:
    kind = tokens.text("the kind of a tier")
    if kind not in ("IntervalTier", "TextTier"):
        raise tokens.problem('"IntervalTier" or "TextTier"')
    name = tokens.text("the name of a tier")
    tokens.number("the start of a tier")
    tokens.number("the end of a tier")
    read = _point if kind == "TextTier" else _interval
    marks = tuple(read(tokens) for _ in range(tokens.count("the number of intervals or points")))
    return Tier(name, kind == "TextTier", marks)


def _interval(tokens: _Tokens) -> Mark:
    start, end = tokens.number("the start of an interval"), tokens.number("the end of an interval")
    if end < start:
        raise tokens.problem("an end after the start")
    return Mark(start, end, tokens.text("the text of an interval"))


def _point(tokens: _Tokens) -> Mark:
    time = tokens.number("the time of a point")
    return Mark(time, time, tokens.text("the text of a point"))


class _Tokens:
    """A reader of the texts and numbers of a TextGrid, which checks their types."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._content = _decoded(path)
        self._matches = _TOKEN.finditer(self._content)
        self._offset, self._last = 0, "nothing"

    def _next(self) -> str | float | None:
        for match in self._matches:
            self._offset, self._last = match.start(), match[0] if len(match[0]) < 40 else f"{match[0][:40]}..."
            if match["open"]:
                raise self.problem("a closing quote")
            if match["text"] is not None:
                return match["text"].replace('""', '"')
            if match["word"] and _NUMBER.fullmatch(match["word"]):
                return float(match["word"])
        self._offset, self._last = len(self._content.rstrip()), "the end of the file"
        return None

    def text(self, what: str) -> str:
        value = self._next()
        if not isinstance(value, str):
            raise self.problem(what)
        return value

    def number(self, what: str) -> float:
        value = self._next()
        if not isinstance(value, float) or not math.isfinite(value):
            raise self.problem(what)
        return value

    def count(self, what: str) -> int:
        value = self.number(what)
        if value < 0 or not value.is_integer():
            raise self.problem(what)
        return int(value)

    def finish(self) -> None:
        if self._next() is not None:
            raise self.problem("the end of the file")

    def problem(self, expected: str) -> FileError:
        line = len(_LINE_END.findall(self._content, 0, self._offset)) + 1
        where = f"line {line} of {str(self._path)!r}"
        return FileError(f"{where} has {shown(self._last)} where a TextGrid has {expected}; {_AGAIN}.")


def _decoded(path: Path) -> str:
    try:
        if path.exists() and not path.is_file():  # a device may never end
            raise FileError(f"{str(path)!r} is no file; give a TextGrid.")
        content = path.read_bytes()
    except OSError as problem:
        raise FileError(f"{str(path)!r} cannot be read ({problem.strerror}); check its name and rights.") from None
    except ValueError as problem:
        if isinstance(problem, FileError):
            raise
        raise FileError(f"{str(path)!r} cannot be the name of a file ({problem}); check it.") from None
    try:
        return content.decode("utf-16" if content[:2] in (BOM_UTF16_LE, BOM_UTF16_BE) else "utf-8-sig")
    except UnicodeDecodeError as problem:
        if problem.encoding.startswith("utf-16"):
            raise FileError(f"{str(path)!r} begins as UTF-16 but is not; {_AGAIN}.") from None
        return content.decode("latin-1")


def write_textgrid(path: str | PathLike[str], grid: TextGrid) -> None:
    """Write a TextGrid in Praat's long text format and UTF-8; read_textgrid() is the inverse."""
    lines = ['File type = "ooTextFile"', 'Object class = "TextGrid"', "", *_span(grid, "")]
    lines += ["tiers? <exists>", f"size = {len(grid.tiers)}", "item []:"]
    for number, tier in enumerate(grid.tiers, 1):
        kind, items = ("TextTier", "points") if tier.points else ("IntervalTier", "intervals")
        lines += [f"    item [{number}]:", f'        class = "{kind}"', f"        name = {_quoted(tier.name)}"]
        lines += [*_span(grid, " " * 8), f"        {items}: size = {len(tier.marks)}"]
        for index, mark in enumerate(tier.marks, 1):
            lines += [f"        {items} [{index}]:", *_mark_lines(mark, tier.points)]
    with atomic_file(path) as temporary:
        Path(temporary).write_bytes("\n".join([*lines, ""]).encode("utf-8"))


def _span(span: TextGrid | Mark, indent: str) -> list[str]:
    return [f"{indent}xmin = {float(span.start)!r}", f"{indent}xmax = {float(span.end)!r}"]


def _mark_lines(mark: Mark, point: bool) -> list[str]:
    indent, text = " " * 12, _quoted(mark.text)
    if point:
        return [f"{indent}number = {float(mark.start)!r}", f"{indent}mark = {text}"]
    return [*_span(mark, indent), f"{indent}text = {text}"]


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def tiled(marks: Iterable[Mark], start: float, end: float) -> tuple[Mark, ...]:
    """Intervals without gaps, as Praat requires; those between words have empty text."""
    intervals, now = [], start
    for mark in marks:
        if mark.start > now:
            intervals.append(Mark(now, mark.start, ""))
        intervals.append(mark)
        now = mark.end
    if end > now:
        intervals.append(Mark(now, end, ""))
    return tuple(intervals)
