"""Tables laid out as text, Markdown, LaTeX, HTML and CSV; nothing here computes a score.

Labels and file names are untrusted text: control characters, which could move a terminal's cursor or reverse the
direction of writing, are shown as escapes.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from karat.errors import whole

Row = Sequence[str]

GAP = "  "
LONG = 4  # characters per terminal column, at most
ARROWS = {"higher": "↑", "lower": "↓", None: " "}  # which end of a measure is better
MOST_DIGITS = 100  # decimals of a number in a table
PAGE = 100  # width of text in columns, where the terminal's is unknown

# characters that a terminal executes or does not show: C1, line separators, marks of direction, fillers, tags
_UNSEEN = (
    "\x7f-\x9f\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0001-\U000e007f"
)
_CONTROL = re.compile(f"[\x00-\x1f{_UNSEEN}]")
_CONTROL_IN_LINES = re.compile(f"[\x00-\x09\x0b-\x1f{_UNSEEN}]")
_HALVES = re.compile("[\ud800-\udfff]")  # lone surrogates, which no encoding can write


def shown(text: object) -> str:
    r"""Text that is safe on a terminal: control characters become escapes such as \x1b; backslashes are kept.

    >>> print(shown("a\tb\x1b[31m"))
    a\tb\x1b[31m
    """
    try:
        plain = str(text)
    except ValueError:  # Python does not write integers of very many digits
        return f"an integer of {text.bit_length():,} bits" if isinstance(text, int) else f"a {type(text).__name__}"
    except RecursionError:
        return f"a deep {type(text).__name__}"
    if plain.isascii() and plain.isprintable():
        return plain
    return _HALVES.sub(_escape, _CONTROL.sub(_escape, plain))


def shown_lines(text: str, *, in_json: bool = False) -> str:
    """Lines that are safe on a terminal, with control characters as escapes of Python or of JSON."""
    return _CONTROL_IN_LINES.sub(_escape_in_json if in_json else _escape, text)


def _escape_in_json(match: re.Match[str]) -> str:
    units = match[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))


def _escape(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape").decode("ascii")


def width(text: str) -> int:
    """The width of a text in terminal columns: 0 for combining marks, 2 for wide characters and emoji."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    marks = "\u200c\u200d\ufe0e\ufe0f"
    return sum(0 if combining(c) or c in marks else 2 if east_asian_width(c) in "WF" else 1 for c in text)


def shortened(text: str, most: int) -> str:
    """A text cut to at most most terminal columns, ending in … if it was cut."""
    if len(text) <= LONG * most and width(text) <= most:
        return text
    room = most - 1
    for index, character in enumerate(text[: LONG * most]):  # the number of marks of no width is limited too
        room -= width(character)
        if room < 0:
            return f"{text[:index]}…"
    return f"{text[: LONG * most]}…"


def wrapped(text: str, columns: int) -> list[str]:
    """Wrap text at a number of columns; longer words, such as paths, are not broken."""
    from textwrap import wrap

    return wrap(text, columns, break_long_words=False, break_on_hyphens=False) or [""]


class Marked(str):
    """A formatted number, with a mark if it is the best of its column, and superscript letters."""

    number: str
    best: bool
    letters: str

    def __new__(cls, number: str, best: bool = False, letters: str = "", room: int = 0) -> Marked:
        """The number as text, with * if best, and letters padded to room characters."""
        text = super().__new__(cls, f"{number}{'*' if best else ' '}{letters:<{room}}")
        text.number, text.best, text.letters = number, best, letters
        return text


class Layout(NamedTuple):
    """A table with its title and notes; the first columns (left) are text, the others numbers."""

    title: str
    headings: Row
    rows: Sequence[Row]
    notes: Sequence[str] = ()
    signatures: Sequence[str] = ()  # each on one line, so that it can be copied
    left: int = 1

    def text(self, columns: int | None = None, *, quiet: bool = False, colour: bool = False) -> str:
        """The table as text of a number of columns; quiet omits title and notes, colour adds bold and faint."""
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
        """The table in Markdown, with its title and signatures."""
        signatures = map(_markdown_code, self.signatures)
        return "\n\n".join([_markdown_line(self.title), markdown(self.headings, self.rows, self.left), *signatures])

    def html(self) -> str:
        """The table in HTML, with its title, notes and signatures."""
        from html import escape

        table = html(self.headings, self.rows, self.left)
        notes = [f"<p>{'<br>'.join(map(escape, self.notes))}</p>"] if self.notes else []
        signatures = [f'<p><code style="overflow-wrap: anywhere">{escape(line)}</code></p>' for line in self.signatures]
        return "".join([f"<p>{escape(self.title)}</p>", table, *notes, *signatures])

    def latex(self) -> str:
        """The table in LaTeX, with title and signatures as comments."""
        comments = map(_latex_comment, (self.title, *self.signatures))
        return "\n".join([*comments, latex(self.headings, self.rows, self.left)])


class Printed(ABC):
    """A result that prints as its tables, and in a notebook also draws its plots."""

    @abstractmethod
    def layout(self, digits: int = 4) -> Layout:
        """The main table."""

    def layouts(self, digits: int = 4) -> list[Layout]:
        """All tables."""
        return [self.layout(digits)]

    def __str__(self) -> str:
        return "\n\n\n".join(layout.text() for layout in self.layouts())

    def plot(self, name: str | None = None, *, ax: Any = None, **options: Any) -> Any:
        """Draw a picture of this result on the given axes of matplotlib, or on new ones; return the axes.

        name: of the picture, such as "flow"; by default, the main picture of this kind of result. An unknown name
        raises an error that lists the valid ones. options: those of the function of that name in karat.plot.
        """
        from importlib import import_module

        # imported by name, since imports point to earlier rooms
        return import_module("karat.plot.registry").plot_of(self, name, ax, options)

    def _repr_html_(self) -> str:
        from importlib import import_module

        pictures = import_module("karat.plot.notebooks").shown_below(self)
        return "".join([*(layout.html() for layout in self.layouts()), *pictures])


def grid(headings: Row, rows: Sequence[Row], columns: int | None = None, left: int = 1) -> str:
    """Aligned columns as text, the first few (left) flush left, the others flush right.

    columns is the width of the terminal; a wider table is split into parts, each of which repeats the left columns.
    """
    table = [list(headings), *(list(row) for row in rows)]
    widths = [max(width(row[index]) for row in table) for index in range(len(headings))]
    parts: list[list[int]] = [[]]
    used = sum(widths[:left]) + len(GAP) * (left - 1)
    room = used
    for index in range(left, len(headings)):
        room += widths[index] + len(GAP)
        if columns is not None and room > columns and parts[-1]:
            parts.append([])
            room = used + widths[index] + len(GAP)
        parts[-1].append(index)
    return "\n\n".join(
        "\n".join(GAP.join(_padded(row, widths, [*range(left), *part], left)).rstrip() for row in table)
        for part in parts
    )


def _padded(row: Row, widths: Sequence[int], indices: Iterable[int], left: int) -> list[str]:
    cells = []
    for index in indices:
        space = " " * (widths[index] - width(row[index]))
        cells.append(row[index] + space if index < left else space + row[index])
    return cells


def markdown(headings: Row, rows: Sequence[Row], left: int = 1) -> str:
    """A table in GitHub's Markdown."""
    sides = ["---"] * left + ["---:"] * (len(headings) - left)
    return "\n".join(f"| {' | '.join(map(_markdown_cell, row))} |" for row in [headings, sides, *rows])


def _markdown_cell(text: str) -> str:
    if isinstance(text, Marked):
        bold = f"**{text.number}**" if text.best else text.number
        return f"{bold} <sup>{text.letters}</sup>" if text.letters else bold
    text = " ".join(text.split())
    if not text.strip("-:"):
        return text
    # a dollar begins mathematics even after a backslash, so it is written as an entity
    return re.sub(r"([\\|`*_<>\[\]&~#])", r"\\\1", text).replace("$", "&#36;")


def _markdown_line(text: str) -> str:
    """A paragraph of one line, escaped so that it does not begin a list or a rule."""
    return re.sub(r"^(\d*)([-+.)])", r"\1\\\2", _markdown_cell(text))


def _markdown_code(text: str) -> str:
    """Inline code, fenced by more backticks than the text has in a row."""
    text = " ".join(text.split())
    fence = "`" * (max(map(len, re.findall("`+", text)), default=0) + 1)
    space = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{space}{text}{space}{fence}"


def html(headings: Row, rows: Sequence[Row], left: int = 1) -> str:
    """A table in HTML with inline styles, for pages with another style sheet."""
    head, *body = (
        "".join(_html_cell(cell, "td" if line else "th", index < left) for index, cell in enumerate(row))
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
    "\0": "{}", "[": "{[}", "*": "{*}",  # which \\ before them would read as an argument
    **{c: f"\\{c}" for c in "&%$#_{}"},
}  # fmt: skip


def _latex_cell(text: str) -> str:
    if isinstance(text, Marked):
        bold = rf"\textbf{{{_latex_cell(text.number)}}}" if text.best else _latex_cell(text.number)
        return rf"{bold}$^{{{text.letters}}}$" if text.letters else bold
    separated = re.sub(
        r"([-',])(?=\1)", "\\1\0", " ".join(text.split())
    )  # LaTeX would join two of them into one character
    return "".join(_LATEX.get(c, c) for c in separated)


def _latex_comment(text: str) -> str:
    return f"% {' '.join(text.split())}"


def delimited(headings: Row, rows: Iterable[Sequence[object]]) -> str:
    """Comma-separated values, with numbers in full precision; no newline at the end."""
    import csv

    lines = _LineList()
    writer = csv.writer(lines)  # with \r\n at the end of lines, so that fields with either are quoted
    writer.writerow(headings)
    writer.writerows(["" if cell is None else cell for cell in row] for row in rows)
    return "\n".join(lines)


_FORMULA = re.compile(r"\s*[=+\-@\t\r]")


def formula_like(cells: Iterable[object]) -> str | None:
    """The first text, not a number, that a spreadsheet would run as a formula; else None."""
    for cell in cells:
        if isinstance(cell, str) and _FORMULA.match(cell):
            try:
                float(cell)
            except ValueError:
                return cell
    return None


class _LineList(list[str]):
    def write(self, line: str) -> None:
        self.append(line.removesuffix("\r\n"))


def decimals(value: float | None, digits: int = 4) -> str:
    """A score with a number of decimals, fewer for large values; – for None; never -0."""
    if value is None:
        return "–"
    digits = whole(digits, "digits", MOST_DIGITS)
    text = f"{value:.{digits}f}" if abs(value) < 1e6 else f"{value:.{digits + 2}g}"
    return text.removeprefix("-") if not text.strip("-0.") else text


def percent(share: float) -> str:
    """A share as a percentage, as <1% or >99% where rounding would give 0% or 100%."""
    text = f"{100 * share:.0f}%"
    if share < 1 and text == "100%":
        return ">99%"
    return "<1%" if share > 0 and text == "0%" else text
