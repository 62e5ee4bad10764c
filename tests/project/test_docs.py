"""README and docs say what is true."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

import karat
from karat.examples import textbook
from shared import ROOT, THOROUGH


def test_the_readme_shows_what_the_first_command_prints() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"$ python3 dev.py example\n{karat.score(*textbook())}\n```" in readme


def test_the_measures_page_is_fresh() -> None:
    built = runpy.run_path(str(ROOT / "docs" / "build.py"))["page"]()
    assert (ROOT / "docs" / "measures.md").read_text(encoding="utf-8") == built


def test_the_table_of_degenerate_cases_is_fresh() -> None:
    built = runpy.run_path(str(ROOT / "docs" / "build.py"))["degenerate"]()
    assert (ROOT / "docs" / "degenerate.md").read_text(encoding="utf-8") == built


def test_the_audit_page_is_fresh() -> None:
    """In the README's test command only some rows; in a thorough run all of them."""
    build = runpy.run_path(str(ROOT / "docs" / "build.py"))["audit_page"]
    page = (ROOT / "docs" / "audit.md").read_text(encoding="utf-8")
    if THOROUGH:
        assert page == build()
    else:
        built = build([karat.ari, karat.nvi, karat.purity])
        rows = [line for line in built.splitlines() if line.startswith("| `") and line not in page.splitlines()]
        assert not rows


@pytest.mark.parametrize("page", [*sorted(ROOT.glob("docs/*.md")), ROOT / "README.md"], ids=lambda path: path.name)
def test_terminal_output_in_the_docs_is_what_the_commands_print(page: Path) -> None:
    replayed = runpy.run_path(str(ROOT / "docs" / "replay.py"))["replayed"]
    text = page.read_text(encoding="utf-8")
    assert replayed(text) == text


def test_the_version_is_in_one_place() -> None:
    assert f"version: {karat.__version__}\n" in (ROOT / "CITATION.cff").read_text()


def test_the_table_of_rooms_is_fresh() -> None:
    built = runpy.run_path(str(ROOT / "docs" / "build.py"))["rooms"]()
    assert (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8") == built


def test_the_table_of_file_formats_is_fresh() -> None:
    built = runpy.run_path(str(ROOT / "docs" / "build.py"))["formats"]()
    assert (ROOT / "docs" / "files.md").read_text(encoding="utf-8") == built
