"""Report: the content of a page about one or several systems."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from os import PathLike
from pathlib import Path

from karat.comparisons.results import Comparison
from karat.errors import KaratError, brief
from karat.explanations.explanation import Explanation
from karat.output.files import atomic_file
from karat.output.layout import shortened, shown
from karat.scoring.groups import GroupScores
from karat.scoring.scores import Scores
from karat.tables.table import Table

NAME = 60  # characters of a system's name, at most


@dataclass(frozen=True, eq=False)
class System:
    """One clustering: its scores, its explanation, and example items of its cells."""

    name: str
    scores: Scores
    explanation: Explanation
    examples: Mapping[int, tuple[str, ...]] = field(default_factory=dict)  # ids of items by index of the cell

    @property
    def title(self) -> str:
        """The name as shown on the page."""
        return shortened(shown(self.name), NAME)

    @property
    def table(self) -> Table:
        """The contingency table that was scored."""
        return self.scores.table


@dataclass(frozen=True, eq=False, repr=False)
class Report:
    """A page about one or several systems: html() gives it, save() writes it, a notebook shows it."""

    systems: tuple[System, ...]
    comparison: Comparison | None = None
    title: str = ""
    command: str = ""  # the command line that reproduces the page
    notes: tuple[str, ...] = ()  # how the labels were read
    groups: GroupScores | None = None  # scores by group, instead of systems

    def __repr__(self) -> str:
        names = [system.name for system in self.systems] or [f"{len(self.groups or ())} groups"]
        return f"<Report: {', '.join(names)}>"

    @cached_property
    def _page(self) -> str:
        from karat.reports.pages import page_of

        return page_of(self)

    def html(self) -> str:
        """The page as self-contained HTML."""
        return self._page

    def save(self, path: str | PathLike[str]) -> None:
        """Write the page to an .html file atomically."""
        if not isinstance(path, (str, PathLike)):
            raise KaratError(f"{brief(path)} is no path; give the name of a file.")
        if Path(path).suffix.lower() not in (".html", ".htm"):
            raise KaratError(f"{str(path)!r} does not look like a page; name it .html.")
        page = self.html()
        with atomic_file(path) as temporary:
            Path(temporary).write_text(page, encoding="utf-8")

    def _repr_html_(self) -> str:
        frame = 'width="100%" height="800" sandbox="allow-scripts" style="border: 1px solid #888"'
        return f'<iframe srcdoc="{escape(self.html(), quote=True)}" {frame}></iframe>'
