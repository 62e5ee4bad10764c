"""reproduce(): a paper's claims, its page and its figures."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from karat.errors import KaratError, nearest
from karat.papers import PAPERS
from karat.papers.claims import Claim
from karat.rendering import Layout, markdown
from karat.storage import whole_file
from karat.version import __version__


@dataclass(frozen=True)
class Reproduction(Sequence[Claim]):
    """The claims of a paper; print it to see printed beside computed."""

    paper: str
    title: str
    claims: tuple[Claim, ...]
    options: Mapping[str, Any] = field(default_factory=dict)  # of a simulation

    def __getitem__(self, place: Any) -> Any:
        return self.claims[place]

    def __iter__(self) -> Iterator[Claim]:
        return iter(self.claims)

    def __len__(self) -> int:
        return len(self.claims)

    def __str__(self) -> str:
        return self.layout().text()

    def layout(self, digits: int = 4) -> Layout:
        """A row for each claim."""
        headings = ["place", "claim", "printed", "computed", "verdict"]
        rows = [[c.place, c.claim, c.printed, c.shown, c.verdict] for c in self.claims]
        return Layout(self.title, headings, rows, [self._summary(), *self._reasons()], left=5)

    def _summary(self) -> str:
        counted = Counter(claim.verdict for claim in self.claims)
        return f"{len(self)} claims: " + ", ".join(f"{number} {verdict}" for verdict, number in counted.items()) + "."

    def _reasons(self) -> list[str]:
        """Why some are not reached, each reason once."""
        reasons: dict[str, list[str]] = {}
        for claim in self.claims:
            if claim.verdict != "reached" and claim.note:
                reasons.setdefault(claim.note, []).append(f"{claim.place}, {claim.claim.split(' (')[0]}")
        return [
            f"Not reached, or not in every digit, {'; '.join(places[:4])}{'; ...' if len(places) > 4 else ''}: {note}."
            for note, places in reasons.items()
        ]

    def records(self) -> list[dict[str, Any]]:
        """The claims as dicts."""
        return [claim._asdict() for claim in self.claims]

    def page(self, figures: Sequence[str] = ()) -> str:
        """A Markdown page: the table of claims, the readings, the figures."""
        headings = ["place", "claim", "printed", "computed", "verdict", "note"]
        rows = [[c.place, c.claim, c.printed, c.shown, c.verdict, c.note] for c in self.claims]
        pictures = [f"![{name}]({name}.svg)" for name in figures]
        parts = [f"# {self.title}", self._summary(), markdown(headings, rows, left=6), *pictures]
        return "\n\n".join([*parts, f"Made by karat {__version__}: `karat reproduce {self.paper} -o DIR`."]) + "\n"

    def write(self, folder: str) -> list[str]:
        """Write the page, the claims as JSON, and the figures as SVG and PNG into a directory; what was written."""
        try:
            os.makedirs(folder, exist_ok=True)
        except OSError as problem:
            raise KaratError(f"{folder!r} cannot be a directory ({problem.strerror}); name another.") from None
        figures = {f"{self.paper}-{name}": draw for name, draw in _module(self.paper).figures(**self.options).items()}
        texts = {
            f"{self.paper}.md": self.page(list(figures)),
            f"{self.paper}.json": json.dumps(self.records(), ensure_ascii=False, indent=2) + "\n",
        }
        for name, text in texts.items():
            with whole_file(os.path.join(folder, name)) as temporary, open(temporary, "w", encoding="utf-8") as file:
                file.write(text)
        if figures:
            _draw(figures, folder)
        return [*texts, *(f"{name}.{kind}" for name in figures for kind in ("svg", "png"))]


def _draw(figures: dict[str, Any], folder: str) -> None:
    try:
        import matplotlib
    except ImportError:
        raise KaratError("the page was written, but figures need matplotlib; pip install matplotlib.") from None
    matplotlib.use("Agg")
    matplotlib.rcParams.update({"svg.hashsalt": "karat", "font.size": 9})
    from matplotlib import pyplot

    for name, draw in figures.items():
        figure = draw(pyplot)
        for kind, options in (("svg", {"metadata": {"Date": None}}), ("png", {"dpi": 120})):
            figure.savefig(os.path.join(folder, f"{name}.{kind}"), **options)
        pyplot.close(figure)


def _module(paper: str) -> Any:
    return import_module(f"karat.papers.{paper}")


def reproduce(
    paper: str, *, iterations: int | None = None, variant: str | None = None, processes: int | None = None
) -> Reproduction:
    """The results of a paper computed again, claim by claim.

    iterations, variant and processes are for kishida2014, a simulation of 70,000 clusterings if iterations is 1000:
    what is done is kept in the user's cache directory, so an interrupted run goes on where it was.

    >>> [claim.verdict for claim in reproduce("manning2008")][:4]
    ['reached', 'reached', 'reached', 'reached']
    """
    if paper not in PAPERS:
        known = ", ".join(PAPERS)
        raise KaratError(f"there is no paper {paper!r}; {nearest(paper, PAPERS) or f'it is one of {known}.'}")
    given = {"iterations": iterations, "variant": variant, "processes": processes}
    options = {key: value for key, value in given.items() if value is not None}
    module = _module(paper)
    if options and not hasattr(module, "VARIANTS"):
        raise KaratError(f"{paper} is no simulation; leave out {next(iter(options))}.")
    if variant is not None and variant not in module.VARIANTS:
        raise KaratError(f"variant={variant!r} is not known; use one of {', '.join(module.VARIANTS)}.")
    if iterations is not None and iterations < 2:
        raise KaratError(f"iterations={iterations!r} have no spread; give 2 or more.")
    return Reproduction(paper, module.TITLE, tuple(module.claims(**options)), options)
