"""The documentation site: it builds without warnings, asks no other host for anything, and says what is true."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from latex2mathml.converter import convert

import karat
from karat.papers.registry import described
from shared import ROOT, once

DOCS = ROOT / "docs"
FETCHED = {"stylesheet", "preconnect", "dns-prefetch", "preload", "prefetch", "modulepreload", "icon", "manifest"}


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site; --strict makes every warning an error: links, anchors, pages that the navigation leaves out."""

    def make(folder: Path) -> None:
        command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
        environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
        done = subprocess.run(command, cwd=ROOT, env=environment, text=True, capture_output=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr

    return once(tmp_path_factory, "site", make)


@pytest.fixture
def modules(monkeypatch: pytest.MonkeyPatch) -> None:
    """docs/ on the path, as mkdocs has it when it loads the hooks."""
    monkeypatch.syspath_prepend(DOCS)


class Fetched(HTMLParser):
    """What a browser fetches for a page by itself."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        wanted = tag != "link" or FETCHED & set(values.get("rel", "").split())
        name = {"link": "href", "object": "data"}.get(tag, "src")
        if wanted and tag != "a" and values.get(name):
            self.addresses.append(values[name])


def test_no_page_fetches_anything_from_another_host(site: Path) -> None:
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > len(karat.list_measures())
    assert any("src=" in page.read_text(encoding="utf-8") for page in pages)
    for page in pages:
        fetched = Fetched()
        fetched.feed(page.read_text(encoding="utf-8"))
        for address in fetched.addresses:
            parts = urlsplit(address)
            assert parts.scheme in ("", "data"), f"{page.name} fetches {address}"
            assert not parts.netloc, f"{page.name} fetches {address}"


def test_no_stylesheet_fetches_anything_from_another_host(site: Path) -> None:
    sheets = sorted(site.rglob("*.css"))
    assert sheets
    for sheet in sheets:
        assert not re.search(r"(?:url\(|@import)\s*['\"]?(?:https?:)?//", sheet.read_text(encoding="utf-8")), sheet


def test_every_picture_and_every_paper_is_listed(site: Path) -> None:
    plots = (site / "plots.html").read_text(encoding="utf-8")
    for picture in karat.plot.list_pictures():
        assert picture.summary.split(",")[0] in plots
        assert f'src="pictures/{picture.name}.svg"' in plots
    papers = (site / "papers.html").read_text(encoding="utf-8")
    for study in described():
        assert study.experiment or study.summary in papers


def test_every_measure_has_a_page_with_its_formula_and_its_curves(site: Path) -> None:
    for m in karat.list_measures():
        page = (site / "measures" / f"{m.name}.html").read_text(encoding="utf-8")
        assert "<math" in page
        assert page.count("<figure><svg") == 6
        assert f"measures/{m.name}.html" in (site / "measures.html").read_text(encoding="utf-8")


def test_search_works_on_pages_opened_from_disk(site: Path) -> None:
    index = (site / "search" / "search_index.js").read_text(encoding="utf-8")
    assert "Fowlkes-Mallows" in index


@pytest.mark.parametrize("m", karat.list_measures(), ids=lambda m: m.name)
def test_every_formula_becomes_mathml_without_a_command_left_over(m: karat.Measure) -> None:
    assert m.tex
    assert "\\" not in convert(m.tex)


def test_an_undefined_command_would_be_left_over() -> None:
    assert "\\" in convert(r"\undefined{x}")


@pytest.mark.usefixtures("modules")
def test_the_examples_on_the_pages_of_measures_are_true() -> None:
    from measure_pages import measure_page

    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(verbose=False)
    for m in karat.list_measures():
        found = runner.run(parser.get_doctest(measure_page(m), {}, m.name, None, None))
        assert found.attempted >= 3, m
        assert not found.failed, m


@pytest.mark.usefixtures("modules")
def test_a_step_in_the_wrong_direction_is_shown() -> None:
    from behaviour import curves

    assert 'class="wrong"' in curves(karat.rand)  # P3
    assert 'class="wrong"' not in curves(karat.v_measure)
    assert 'class="wrong"' not in curves(karat.class_entropy)  # neither end is better


@pytest.mark.usefixtures("modules")
def test_only_the_first_mention_of_a_measure_is_a_link() -> None:
    from hooks import on_page_markdown

    text = "# `ari`\n\n`ari` and `ari`, `nothing`\n\n```text\n`vi`\n```\n"
    expected = "# `ari`\n\n[`ari`](../measures/ari.md) and `ari`, `nothing`\n\n```text\n`vi`\n```\n"
    assert on_page_markdown(text, page=Page("howto/x.md")) == expected
    assert on_page_markdown("`vi`", page=Page("measures/vi.md")) == "`vi`"


class Page:
    """As much of mkdocs's page as the hook asks for."""

    def __init__(self, place: str) -> None:
        self.file = type("File", (), {"src_uri": place})
        self.meta: dict[str, Any] = {}


@pytest.mark.parametrize("page", sorted(DOCS.glob("howto/*.md")), ids=lambda path: path.name)
@pytest.mark.usefixtures("modules")
def test_terminal_output_in_the_how_tos_is_what_the_commands_print(page: Path) -> None:
    from replay import replayed

    text = page.read_text(encoding="utf-8")
    assert replayed(text) == text


def test_every_public_name_is_mentioned_in_the_docs() -> None:
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *DOCS.rglob("*.md")]
    text = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    missing = [name for name in karat.__all__ if not re.search(rf"\bkarat\.{name}\b|`{name}`", text)]
    assert not missing


def test_python_in_the_docs_is_an_example_that_is_run() -> None:
    shown = {"speed-spark.md"}  # a script that is submitted to a cluster
    for page in DOCS.rglob("*.md"):
        if page.name not in shown:
            blocks = re.findall(r"^```python\n(.*)", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
            assert all(first.startswith(">>>") for first in blocks), page.name
