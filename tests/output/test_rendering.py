"""Text laid out for terminals, papers and programs."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt  # which rich brings along

from karat.output.layout import Layout, delimited, formula_like, grid, latex, markdown, shortened, shown, width

anything = st.text(max_size=12)


@given(anything)
def test_nothing_shown_moves_the_cursor_or_the_direction_of_writing(text: str) -> None:
    bad = [*map(chr, range(32)), *map(chr, range(127, 160)), "\u202e", "\u2066", "\u2028", "\u200f"]
    assert not set(shown(text)) & set(bad)
    shown(text).encode("utf-8")


def test_escapes_are_readable_and_letters_stay() -> None:
    assert shown("\x1b[31m\r\n\u202e") == r"\x1b[31m\r\n\u202e"
    assert shown("שלום 🎉 é 日本") == "שלום 🎉 é 日本"
    assert shown("half \ud800") == r"half \ud800"


def test_wide_letters_take_two_columns_and_marks_none() -> None:
    assert [width(text) for text in ("abc", "日本", "🎉", "e\u0301", "")] == [3, 4, 2, 1, 0]
    assert shortened("日本語です", 6) == "日本…"
    assert shortened("short", 5) == "short"


def test_columns_are_aligned_by_what_is_seen() -> None:
    lines = grid(["name", "n"], [["日本", "1"], ["abc", "23"]]).split("\n")
    assert lines == ["name   n", "日本   1", "abc   23"]


def test_a_narrow_terminal_gets_the_columns_in_parts() -> None:
    text = grid(["name", "one", "two", "three"], [["a", "1", "2", "3"]], columns=12)
    assert text == "name  one\na       1\n\nname  two\na       2\n\nname  three\na         3"
    assert grid(["name", "one"], [["a", "1"]], columns=3) == "name  one\na       1"


def test_only_a_terminal_gets_colour() -> None:
    layout = Layout("title", ["a", "b"], [["x", "1"]], ["a note"])
    assert layout.text() == "title\n\na  b\nx  1\n\na note"
    assert layout.text(quiet=True) == "a  b\nx  1"
    assert layout.text(colour=True) == "title\n\n\x1b[1ma  b\x1b[0m\nx  1\n\n\x1b[2ma note\x1b[0m"


def test_a_long_note_is_wrapped_but_a_signature_is_not() -> None:
    signature = "measures:" + "x, " * 100 + "|n:1"
    layout = Layout("title", ["a"], [["x"]], ["word " * 30], [signature])
    lines = layout.text(60).split("\n")
    assert max(map(len, lines[:-1])) <= 60
    assert lines[-1] == signature


def test_markdown_and_latex_escape_what_they_would_obey() -> None:
    assert markdown(["a|b", "n"], [["*x*  <b>", "1"]]) == "| a\\|b | n |\n| --- | ---: |\n| \\*x\\* \\<b\\> | 1 |"
    assert r"50\% \& \_x\textbackslash{} $\uparrow$ & 1 \\" in latex(["a", "n"], [["50% & _x\\ ↑", "1"]])


def cells_shown(text: str) -> list[str]:
    """The texts of the cells of a Markdown table as a reader sees them, by a parser of GitHub's dialect."""
    found, code = [], MarkdownIt().enable("table").parse(text)
    for token in code:
        for child in token.children or []:
            assert child.type == "text", child
        if token.type == "inline":
            found.append("".join(child.content for child in token.children or []))
    return found


@given(st.text(st.sampled_from("ab$|`<>[]()*_~&#\\!-+=:;{}^'\"\n\r\t @.1"), min_size=1, max_size=15))
@example("$x$ and $`y`$")
@example("[a](javascript:b) <b> &lt; |x| **b** _i_ ~~s~~ # 1")
def test_markdown_shows_every_label_as_it_is(label: str) -> None:
    seen = " ".join(label.split())
    text = markdown([label, "n"], [[label, "1"]])
    assert [cell.strip() for cell in cells_shown(text)] == [seen, "n", seen, "1"]
    assert "$" not in text  # which would begin mathematics on GitHub


@pytest.mark.parametrize("title", ["- one", "+ one", "1. one", "# one", "> one", "=== ", "---", "2) x", "$a$"])
def test_a_title_in_markdown_is_a_paragraph_whatever_it_begins_with(title: str) -> None:
    tokens = MarkdownIt().parse(Layout(title, ["a"], [["x"]]).markdown())
    assert tokens[0].type == "paragraph_open"


def test_a_signature_in_markdown_keeps_its_backticks() -> None:
    text = Layout("t", ["a"], [["x"]], signatures=["`a``b"]).markdown()
    (code,) = [
        child for token in MarkdownIt().parse(text) for child in token.children or [] if child.type == "code_inline"
    ]
    assert code.content == "`a``b"


def test_latex_joins_no_characters_and_needs_no_package_but_booktabs() -> None:
    rows = latex(["a", "n"], [["-- ''x'' ,, \"q\" `", "–"]]).split("\n")
    assert rows[4] == r"-{}- '{}'x'{}' ,{}, \symbol{34}q\symbol{34} \textasciigrave{} & -- \\"


@pytest.mark.parametrize(
    ("cells", "found"),
    [(["a", -0.5, "-0.5", "+1e3", None], None), (["a", "=1+1"], "=1+1"), (["@SUM(A1)"], "@SUM(A1)"), (["\t=x"], "\t=x"),
     (["-x"], "-x"), (["a=b", "1-2"], None)],
)  # fmt: skip
def test_what_a_spreadsheet_would_run_is_told_from_numbers(cells: list[object], found: str | None) -> None:
    assert formula_like(cells) == found


@given(st.lists(st.tuples(anything, anything), min_size=1))
def test_delimited_text_reads_back(rows: list[tuple[str, str]]) -> None:
    text = delimited(["a", "b"], rows)
    assert [tuple(row) for row in csv.reader(io.StringIO(text, newline=""))][1:] == rows
