"""Rows of text laid out for a terminal, a paper or another program; nothing here computes a score.

Labels and file names are other people's text: control characters, which could move a terminal's cursor or reverse its
writing, are shown as escapes.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

Row = Sequence[str]

GAP = "  "
LONG = 4  # characters a column, at most
ARROWS = {"higher": "↑", "lower": "↓", None: " "}  # which end of a measure is better
PAGE = 100  # columns, where nobody says how many there are

# what is not written but obeyed, or not seen: C0, C1, line separators, marks of direction, fillers, tags
_UNSEEN = (
    "\x7f-\x9f\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0001-\U000e007f"
)
_CONTROL = re.compile(f"[\x00-\x1f{_UNSEEN}]")
_CONTROL_IN_LINES = re.compile(f"[\x00-\x09\x0b-\x1f{_UNSEEN}]")
_HALVES = re.compile("[\ud800-\udfff]")  # of surrogate pairs, which no encoding can write


def shown(text: object) -> str:
    r"""Text that is safe on a terminal: control characters as escapes such as \x1b, and backslashes stay as they are.

    >>> print(shown("a\tb\x1b[31m"))
    a\tb\x1b[31m
    """
    try:
        plain = str(text)
    except ValueError:  # Python does not write integers of very many digits
        return f"an integer of {text.bit_length():,} bits" if isinstance(text, int) else f"a {type(text).__name__}"
    if plain.isascii() and plain.isprintable():
        return plain
    return _HALVES.sub(_escape, _CONTROL.sub(_escape, plain))


def shown_lines(text: str, *, in_json: bool = False) -> str:
    """Lines that are safe on a terminal, with the escapes of Python or of JSON."""
    return _CONTROL_IN_LINES.sub(_escape_in_json if in_json else _escape, text)


def _escape_in_json(match: re.Match[str]) -> str:
    units = match[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))


def _escape(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape").decode("ascii")


def width(text: str) -> int:
    """The number of terminal columns that a text takes: none for combining marks, two for wide letters and emoji."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    marks = "\u200c\u200d\ufe0e\ufe0f"
    return sum(0 if combining(c) or c in marks else 2 if east_asian_width(c) in "WF" else 1 for c in text)


def shortened(text: str, most: int) -> str:
    """At most so many columns of a text, the last of them a … if something is left out."""
    if len(text) <= LONG * most and width(text) <= most:
        return text
    room = most - 1
    for place, letter in enumerate(text[: LONG * most]):  # marks that take no column are not without number either
        room -= width(letter)
        if room < 0:
            return f"{text[:place]}…"
    return f"{text[: LONG * most]}…"


def wrapped(text: str, columns: int) -> list[str]:
    """Lines of at most so many columns; a word that is longer, such as a path, stays whole."""
    from textwrap import wrap

    return wrap(text, columns, break_long_words=False, break_on_hyphens=False) or [""]


class Marked(str):
    """A number that may be the best of its column, with raised letters after it, for which text leaves room."""

    number: str
    best: bool
    letters: str

    def __new__(cls, number: str, best: bool = False, letters: str = "", room: int = 0) -> Marked:
        """The number as text, marked and padded so that columns stay straight."""
        made = super().__new__(cls, f"{number}{'*' if best else ' '}{letters:<{room}}")
        made.number, made.best, made.letters = number, best, letters
        return made


class Layout(NamedTuple):
    """A table of text, with what stands above and below it; the first columns (left) are text, the others numbers."""

    title: str
    headings: Row
    rows: Sequence[Row]
    notes: Sequence[str] = ()
    signatures: Sequence[str] = ()  # to be copied, so each stays on one line
    left: int = 1

    def text(self, columns: int | None = None, *, quiet: bool = False, colour: bool = False) -> str:
        """For a terminal of so many columns; quiet leaves out title and notes, colour means bold and faint."""
        bold, faint, plain = ("\x1b[1m", "\x1b[2m", "\x1b[0m") if colour else ("", "", "")
        parts = grid(self.headings, self.rows, columns, self.left).split("\n\n")  # no cell has a newline
        heads, bodies = zip(*(part.split("\n", 1) for part in parts), strict=True)
        table = "\n\n".join(f"{bold}{head}{plain}\n{body}" for head, body in zip(heads, bodies, strict=True))
        if quiet:
            return table
        lines = [line for note in self.notes for line in wrapped(note, columns or PAGE)]
        notes = [f"{faint}{line}{plain}" for line in [*lines, *self.signatures]]
        return "\n".join([self.title, "", table, "", *notes]).rstrip("\n")

    def markdown(self) -> str:
        """For GitHub and its like."""
        signatures = map(_markdown_code, self.signatures)
        return "\n\n".join([_markdown_line(self.title), markdown(self.headings, self.rows, self.left), *signatures])

    def html(self) -> str:
        """For a notebook."""
        from html import escape

        table = html(self.headings, self.rows, self.left)
        notes = [f"<p>{'<br>'.join(map(escape, self.notes))}</p>"] if self.notes else []
        signatures = [f'<p><code style="overflow-wrap: anywhere">{escape(line)}</code></p>' for line in self.signatures]
        return "".join([f"<p>{escape(self.title)}</p>", table, *notes, *signatures])

    def latex(self) -> str:
        """For a paper; the title is a comment."""
        comments = map(_latex_comment, (self.title, *self.signatures))
        return "\n".join([*comments, latex(self.headings, self.rows, self.left)])


class Printed(ABC):
    """A result that prints as its tables, and in a notebook also draws its plots."""

    @abstractmethod
    def layout(self, digits: int = 4) -> Layout:
        """The table that says most."""

    def layouts(self, digits: int = 4) -> list[Layout]:
        """All tables."""
        return [self.layout(digits)]

    def __str__(self) -> str:
        return "\n\n\n".join(layout.text() for layout in self.layouts())

    def plot(self, *, ax: Any = None) -> Any:
        """Draw the picture that says most of this result, on these axes of matplotlib or on new ones; the axes.

        A result that has no picture, such as an audit, is refused.
        """
        from importlib import import_module

        return import_module("karat.reports.notebooks").plot_of(self, ax)

    def _repr_html_(self) -> str:
        from importlib import import_module

        pictures = import_module("karat.reports.notebooks").pictures_of(self)  # which knows all kinds of results
        return "".join([*(layout.html() for layout in self.layouts()), *pictures])


def grid(headings: Row, rows: Sequence[Row], columns: int | None = None, left: int = 1) -> str:
    """Aligned columns, the first few (left) flush left, numbers flush right; parts under each other if too wide.

    columns is the width of the terminal; each part repeats the columns on the left.
    """
    table = [list(headings), *(list(row) for row in rows)]
    widths = [max(width(row[place]) for row in table) for place in range(len(headings))]
    parts: list[list[int]] = [[]]
    used = sum(widths[:left]) + len(GAP) * (left - 1)
    room = used
    for place in range(left, len(headings)):
        room += widths[place] + len(GAP)
        if columns is not None and room > columns and parts[-1]:
            parts.append([])
            room = used + widths[place] + len(GAP)
        parts[-1].append(place)
    return "\n\n".join(
        "\n".join(GAP.join(_padded(row, widths, [*range(left), *part], left)).rstrip() for row in table)
        for part in parts
    )


def _padded(row: Row, widths: Sequence[int], places: Iterable[int], left: int) -> list[str]:
    cells = []
    for place in places:
        space = " " * (widths[place] - width(row[place]))
        cells.append(row[place] + space if place < left else space + row[place])
    return cells


def markdown(headings: Row, rows: Sequence[Row], left: int = 1) -> str:
    """A table for GitHub and its like."""
    sides = ["---"] * left + ["---:"] * (len(headings) - left)
    return "\n".join(f"| {' | '.join(map(_markdown_cell, row))} |" for row in [headings, sides, *rows])


def _markdown_cell(text: str) -> str:
    if isinstance(text, Marked):
        bold = f"**{text.number}**" if text.best else text.number
        return f"{bold} <sup>{text.letters}</sup>" if text.letters else bold
    text = " ".join(text.split())
    if not text.strip("-:"):
        return text
    # a dollar begins mathematics whatever stands before it, so it is written as an entity
    return re.sub(r"([\\|`*_<>\[\]&~#])", r"\\\1", text).replace("$", "&#36;")


def _markdown_line(text: str) -> str:
    """A paragraph of one line, which does not begin like a list or a ruler."""
    return re.sub(r"^(\d*)([-+.)])", r"\1\\\2", _markdown_cell(text))


def _markdown_code(text: str) -> str:
    """Text to be copied, between more backticks than it has in a row."""
    text = " ".join(text.split())
    fence = "`" * (max(map(len, re.findall("`+", text)), default=0) + 1)
    space = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{space}{text}{space}{fence}"


def html(headings: Row, rows: Sequence[Row], left: int = 1) -> str:
    """A table with its look in the tags, for pages that have a style of their own."""
    head, *body = (
        "".join(_html_cell(cell, "td" if line else "th", place < left) for place, cell in enumerate(row))
        for line, row in enumerate([headings, *rows])
    )
    lines = "".join(f"<tr>{line}</tr>" for line in body)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table>"


def _html_cell(text: str, tag: str, left: bool) -> str:
    from html import escape

    inner = escape(text)
    if isinstance(text, Marked):
        bold = f"<b>{escape(text.number)}*</b>" if text.best else escape(text.number)
        inner = f"{bold} <sup>{escape(text.letters)}</sup>" if text.letters else bold
    side = "left" if left else "right"
    return f'<{tag} style="text-align: {side}; padding: 0.1em 0.6em">{inner}</{tag}>'


def latex(headings: Row, rows: Sequence[Row], left: int = 1) -> str:
    """A tabular with the rules of the booktabs package."""
    columns = "l" * left + "r" * (len(headings) - left)
    head, *lines = (" & ".join(map(_latex_cell, row)) + r" \\" for row in [headings, *rows])
    rules = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", head, r"\midrule", *lines, r"\bottomrule"]
    return "\n".join([*rules, r"\end{tabular}"])


_LATEX = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "↑": r"$\uparrow$",
    "↓": r"$\downarrow$", "–": "--", "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}",
    '"': r"\symbol{34}", "`": r"\textasciigrave{}", "·": r"$\cdot$", "∞": r"$\infty$", "≥": r"$\geq$", "≤": r"$\leq$",
    "β": r"$\beta$", "×": r"$\times$", "±": r"$\pm$",
    "\0": "{}", "[": "{[}", "*": "{*}",  # which \\ would take if they followed it
    **{c: f"\\{c}" for c in "&%$#_{}"},
}  # fmt: skip


def _latex_cell(text: str) -> str:
    if isinstance(text, Marked):
        bold = rf"\textbf{{{_latex_cell(text.number)}}}" if text.best else _latex_cell(text.number)
        return rf"{bold}$^{{{text.letters}}}$" if text.letters else bold
    apart = re.sub(r"([-',])(?=\1)", "\\1\0", " ".join(text.split()))  # two of which LaTeX would write as one
    return "".join(_LATEX.get(c, c) for c in apart)


def _latex_comment(text: str) -> str:
    return f"% {' '.join(text.split())}"


def delimited(headings: Row, rows: Iterable[Sequence[object]]) -> str:
    """Comma-separated values, as exact as they come; no newline at the end."""
    import csv

    lines = _Lines()
    writer = csv.writer(lines)  # with \r\n at the end of lines, so that fields with either are quoted
    writer.writerow(headings)
    writer.writerows(["" if cell is None else cell for cell in row] for row in rows)
    return "\n".join(lines)


_FORMULA = re.compile(r"\s*[=+\-@\t\r]")


def formula_like(cells: Iterable[object]) -> str | None:
    """The first text that a spreadsheet would take for a formula, which numbers are not."""
    for cell in cells:
        if isinstance(cell, str) and _FORMULA.match(cell):
            try:
                float(cell)
            except ValueError:
                return cell
    return None


class _Lines(list[str]):
    def write(self, line: str) -> None:
        self.append(line.removesuffix("\r\n"))


def decimals(value: float | None, digits: int = 4) -> str:
    """A score with so many decimals, fewer for large values; a minus only before a digit that is not 0."""
    if value is None:
        return "–"
    text = f"{value:.{digits}f}" if abs(value) < 1e6 else f"{value:.{digits + 2}g}"
    return text.removeprefix("-") if not text.strip("-0.") else text


def percent(share: float) -> str:
    """A share in per cent, never rounded to 0% or 100% if it is not exactly that."""
    text = f"{100 * share:.0f}%"
    if share < 1 and text == "100%":
        return ">99%"
    return "<1%" if share > 0 and text == "0%" else text
