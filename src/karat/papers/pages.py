"""reproduce(): a paper's claims, its page and its figures."""

from __future__ import annotations

import json
import os
import shlex
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any, TextIO

from karat.errors import KaratError, Option, nearest
from karat.output.bars import without_bars
from karat.output.files import whole_file
from karat.output.layout import Layout, Printed, delimited, markdown
from karat.papers import EXPERIMENTS, PAPERS
from karat.papers.claims import Claim
from karat.papers.figures import Figure
from karat.plot.canvas import need_matplotlib
from karat.version import __version__


@dataclass(frozen=True)
class Reproduction(Printed, Sequence[Claim]):
    """The claims of a paper or of an experiment; prints as a table of printed and computed results."""

    paper: str
    title: str
    claims: tuple[Claim, ...]
    figures: Callable[[], Mapping[str, Figure]] = dict
    experiment: str = ""
    tables: Sequence[Layout] = ()
    data: Sequence[Mapping[str, Any]] = ()  # the data of the figures
    remarks: Sequence[str] = ()
    arguments: Sequence[str] = ()  # of the equivalent command

    def __getitem__(self, index: Any) -> Any:
        return self.claims[index]

    def __iter__(self) -> Iterator[Claim]:
        return iter(self.claims)

    def __len__(self) -> int:
        return len(self.claims)

    def layouts(self, digits: int = 4) -> list[Layout]:
        """The table of claims, and the tables of the experiment."""
        return [self.layout(digits), *self.tables]

    def layout(self, digits: int = 4) -> Layout:
        """The table of claims, a row for each."""
        headings = ["place", "claim", "printed", "computed", "verdict"]
        rows = [[c.place, c.claim, c.printed, c.shown, c.verdict] for c in self.claims]
        remarks = [f"{remark[:1].upper()}{remark[1:]}." for remark in self.remarks]
        return Layout(self.title, headings, rows, [self._summary(), *remarks, *self._reasons()], left=5)

    def _summary(self) -> str:
        counted = Counter(claim.verdict for claim in self.claims)
        return f"{len(self)} claims: " + ", ".join(f"{number} {verdict}" for verdict, number in counted.items()) + "."

    def _reasons(self) -> list[str]:
        """Why some claims are not reached in every digit, each reason once."""
        reasons: dict[str, list[str]] = {}
        for claim in self.claims:
            if claim.verdict != "reached" and claim.note:
                what = f"{claim.place}, {claim.claim.split(' (')[0]}"
                if what not in reasons.setdefault(claim.note, []):
                    reasons[claim.note].append(what)
        return [
            f"Not reached, or not in every digit, {'; '.join(places[:4])}{'; ...' if len(places) > 4 else ''}: {note}."
            for note, places in reasons.items()
        ]

    def records(self) -> list[dict[str, Any]]:
        """The claims as dicts."""
        return [claim._asdict() for claim in self.claims]

    def page(self, figures: Sequence[str] = ()) -> str:
        """A Markdown page: the claims with notes, the tables, the figures."""
        headings = ["place", "claim", "printed", "computed", "verdict", "note"]
        rows = [[c.place, c.claim, c.printed, c.shown, c.verdict, c.note] for c in self.claims]
        pictures = [f"![{name}]({name}.svg)" for name in figures]
        remarks = [f"{remark[:1].upper()}{remark[1:]}." for remark in self.remarks]
        parts = [f"# {self.title}", " ".join([self._summary(), *remarks]), markdown(headings, rows, left=6)]
        tables = [f"## {t.title}\n\n{markdown(t.headings, t.rows, t.left)}" for t in self.tables]
        command = shlex.join(["karat", "reproduce", self.paper, *self.arguments])
        return "\n\n".join([*parts, *tables, *pictures, f"Made by karat {__version__}: `{command} -o DIR`."]) + "\n"

    def write(self, folder: str) -> list[str]:
        """Write the page, the claims (JSON) and the figures (SVG, PNG) to a directory; return file names."""
        prepare(folder)
        stem = f"{self.paper}-{self.experiment}" if self.experiment else self.paper
        figures = {f"{self.paper}-{name}": draw for name, draw in self.figures().items()}
        texts = {
            f"{stem}.md": self.page(list(figures)),
            f"{stem}.json": json.dumps(self.records(), ensure_ascii=False, indent=2) + "\n",
        }
        if self.data:
            headings = list(self.data[0])
            texts[f"{stem}.csv"] = delimited(headings, [list(record.values()) for record in self.data])
        for name, text in texts.items():
            with whole_file(os.path.join(folder, name)) as temporary, _opened(temporary) as file:
                file.write(text)
        if figures:
            _draw(figures, folder)
        return [*texts, *(f"{name}.{kind}" for name in figures for kind in ("svg", "png"))]


def prepare(folder: str) -> None:
    """Create the output directory, and raise KaratError if it or matplotlib cannot be used."""
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as problem:
        raise KaratError(f"{folder!r} cannot be a directory ({problem.strerror}); name another.") from None
    if not os.access(folder, os.W_OK):
        raise KaratError(f"{folder!r} cannot be written to; name another directory.")
    if find_spec("matplotlib") is None:
        raise KaratError("figures need matplotlib, which is not installed; pip install 'karat[papers]'.")
    need_matplotlib()


def _opened(path: str) -> TextIO:
    """Open a text file for writing in UTF-8; surrogates, such as from undecodable paths, are escaped."""
    return open(path, "w", encoding="utf-8", errors="backslashreplace")


def _draw(figures: dict[str, Any], folder: str) -> None:
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcdefaults()  # ignore the user's settings
    matplotlib.rcParams.update({"svg.hashsalt": "karat", "font.size": 9})
    from matplotlib import pyplot

    for name, draw in figures.items():
        figure = draw(pyplot)
        for kind, options in (("svg", {"metadata": {"Date": None}}), ("png", {"dpi": 120})):
            with whole_file(os.path.join(folder, f"{name}.{kind}")) as temporary:
                figure.savefig(temporary, format=kind, **options)
        pyplot.close(figure)


def _module(paper: str, experiment: str = "") -> Any:
    return import_module(f"karat.papers.{EXPERIMENTS[paper][experiment] if experiment else paper}")


def reproduce(
    paper: str,
    experiment: str | None = None,
    *,
    corpus: str | None = None,
    gold: str | None = None,
    text: str | None = None,
    keep: Mapping[str, float] | None = None,
    iterations: int | None = None,
    variant: str | None = None,
    processes: int | None = None,
    progress: bool = True,
) -> Reproduction:
    """Reproduce the results of a paper, claim by claim, or one of its experiments on a corpus.

    experiment: "documents" or "accents" of rosenberg2007, "labels" of reichart2009. corpus: the name of a data set, or
    a folder or file of your own; gold and text: its columns, if it is a table. keep: the share of some classes to keep,
    such as {"H*": 0.1}. iterations: of the simulation of kishida2014 (1000 are 70,000 clusterings), or starts of
    k-means. variant: how the paper's text is interpreted. progress: whether to draw a bar on a terminal. Results are
    cached in the user's cache directory, so an interrupted run resumes where it stopped.

    >>> [claim.verdict for claim in reproduce("manning2008")][:4]
    ['reached', 'reached', 'reached', 'reached']
    """
    if paper not in PAPERS:
        known = ", ".join(PAPERS)
        raise KaratError(f"there is no paper {paper!r}; {nearest(paper, PAPERS) or f'it is one of {known}.'}")
    experiments = EXPERIMENTS.get(paper, {})
    if experiment is not None and experiment not in experiments:
        known = f"it has {', '.join(experiments)}." if experiments else "leave experiment out."
        raise KaratError(f"{paper} has no experiment {experiment!r}; {nearest(experiment, list(experiments)) or known}")
    options = {
        "corpus": corpus, "gold": gold, "text": text, "keep": keep,
        "iterations": iterations, "variant": variant, "processes": processes,
    }  # fmt: skip
    given = {name: value for name, value in options.items() if value is not None}
    if corpus is not None:
        given["corpus"] = os.fspath(corpus)
    module = _module(paper, experiment or "")
    _check(module, f"{paper}'s {experiment}" if experiment else paper, given)
    arguments = _arguments(experiment, given)
    with nullcontext() if progress else without_bars():
        if experiment is None:
            claims = tuple(module.claims(**given))
            return Reproduction(paper, module.TITLE, claims, lambda: module.figures(**given), arguments=arguments)
        result = module.study(**given)
    output = result.tables, result.data, result.remarks
    return Reproduction(
        paper, module.TITLE, tuple(result.claims), lambda: result.figures, experiment, *output, arguments
    )


def _arguments(experiment: str | None, given: Mapping[str, Any]) -> list[str]:
    """The options as arguments of the command line."""
    arguments = [] if experiment is None else ["--experiment", experiment]
    for name, value in given.items():
        shares = [f"{label}={share:g}" for label, share in value.items()] if name == "keep" else [str(value)]
        arguments += [part for text in shares for part in (f"--{name}", text)]
    return arguments


def _check(module: Any, what: str, given: Mapping[str, Any]) -> None:
    """Raise KaratError for options that the experiment does not have, and for invalid values."""
    known = getattr(module, "OPTIONS", ())
    for name in given:
        if name not in known:
            has = f"it has {', '.join(known)}" if known else "it is no simulation and has no options"
            if what in EXPERIMENTS:
                has = f"say which experiment it is for: {', '.join(EXPERIMENTS[what])}"
            raise KaratError(f"{what} has no option {name!r}; {has}.")
    for name in ("iterations", "processes"):
        if not isinstance(given.get(name, 1), int) or given.get(name, 1) < 1:
            raise KaratError(f"{name}={given[name]!r} is no number of them; give 1 or more.")
    keep = given.get("keep", {})
    if not isinstance(keep, Mapping) or not all(isinstance(share, (int, float)) for share in keep.values()):
        raise KaratError(Option("keep", (keep,)), " says no shares; give them as in {'H*': 0.1}.")
    variant, iterations = given.get("variant"), given.get("iterations")
    if variant is not None and variant not in module.VARIANTS:
        raise KaratError(Option("variant", (variant,)), f" is not known; use one of {', '.join(module.VARIANTS)}.")
    if iterations is not None and iterations < module.FEWEST:
        raise KaratError(Option("iterations", (iterations,)), f" are too few; give {module.FEWEST} or more.")
