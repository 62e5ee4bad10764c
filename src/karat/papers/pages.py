"""reproduce(): a paper's claims, its page and its figures."""

from __future__ import annotations

import json
import os
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, TextIO

from karat.errors import KaratError, brief
from karat.output.bars import without_bars
from karat.output.files import atomic_file
from karat.output.layout import Layout, Printed, delimited, markdown
from karat.papers.claims import Claim
from karat.papers.figures import save_figures
from karat.papers.registry import Declared, Study, find_study
from karat.plot.canvas import need_matplotlib
from karat.version import __version__


@dataclass(frozen=True)
class Reproduction(Printed, Sequence[Claim]):
    """The claims of a paper or of an experiment; prints as a table of printed and computed results."""

    paper: str
    title: str
    study: Study
    experiment: str = ""
    arguments: Sequence[str] = ()  # of the equivalent command

    @property
    def claims(self) -> Sequence[Claim]:
        """The claims in the order of the paper."""
        return self.study.claims

    def __getitem__(self, index: Any) -> Any:
        return self.claims[index]

    def __iter__(self) -> Iterator[Claim]:
        return iter(self.claims)

    def __len__(self) -> int:
        return len(self.claims)

    def layouts(self, digits: int = 4) -> list[Layout]:
        """The table of claims, and the tables of the experiment."""
        return [self.layout(digits), *self.study.tables]

    def layout(self, digits: int = 4) -> Layout:
        """The table of claims, a row for each."""
        headings = ["place", "claim", "printed", "computed", "verdict"]
        rows = [[c.place, c.claim, c.printed, c.shown, c.verdict] for c in self.claims]
        remarks = [f"{remark[:1].upper()}{remark[1:]}." for remark in self.study.remarks]
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
            f"Not reached, or not in every digit, {'; '.join(claims[:4])}{'; ...' if len(claims) > 4 else ''}: {note}."
            for note, claims in reasons.items()
        ]

    def records(self) -> list[dict[str, Any]]:
        """The claims as dicts."""
        return [{"paper": self.paper, **claim._asdict()} for claim in self.claims]

    def page(self, figures: Sequence[str] = ()) -> str:
        """A Markdown page: the claims with notes, the tables, the figures."""
        headings = ["place", "claim", "printed", "computed", "verdict", "note"]
        rows = [[c.place, c.claim, c.printed, c.shown, c.verdict, c.note] for c in self.claims]
        pictures = [f"![{name}]({name}.svg)" for name in figures]
        remarks = [f"{remark[:1].upper()}{remark[1:]}." for remark in self.study.remarks]
        parts = [f"# {self.title}", " ".join([self._summary(), *remarks]), markdown(headings, rows, left=6)]
        tables = [f"## {t.title}\n\n{markdown(t.headings, t.rows, t.left)}" for t in self.study.tables]
        command = shlex.join(["karat", "reproduce", self.paper, *self.arguments])
        return "\n\n".join([*parts, *tables, *pictures, f"Made by karat {__version__}: `{command} -o DIR`."]) + "\n"

    def write(self, folder: str) -> list[str]:
        """Write the page, the claims (JSON) and the figures (SVG, PNG) to a directory; return file names."""
        prepare(folder)
        stem = f"{self.paper}-{self.experiment}" if self.experiment else self.paper
        figures = {f"{self.paper}-{name}": figure for name, figure in self.study.figures.items()}
        texts = {
            f"{stem}.md": self.page(list(figures)),
            f"{stem}.json": json.dumps(self.records(), ensure_ascii=False, indent=2) + "\n",
        }
        if self.study.data:
            headings = list(self.study.data[0])
            texts[f"{stem}.csv"] = delimited(headings, [list(record.values()) for record in self.study.data])
        for name, text in texts.items():
            with atomic_file(os.path.join(folder, name)) as temporary, _opened(temporary) as file:
                file.write(text)
        return [*texts, *(save_figures(figures, folder) if figures else [])]


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

    experiment: one of the paper's experiments on a corpus; an unknown name raises an error that lists them. corpus:
    the name of a data set, or a folder or file of your own; gold and text: its columns, if it is a table. keep: the
    share of some classes to keep, such as {"H*": 0.1}. iterations: of a simulation, or starts of k-means. variant: how
    the paper's text is interpreted. processes: the number of processes; by default one for each core. progress: whether
    to draw a bar on a terminal. Results are cached in the user's cache directory, so an interrupted run resumes
    where it stopped.

    >>> [claim.verdict for claim in reproduce("manning2008")][:4]
    ['reached', 'reached', 'reached', 'reached']
    """
    if corpus is not None and not isinstance(corpus, (str, os.PathLike)):
        raise KaratError(f"corpus={brief(corpus)} is neither a name nor a path; give one as text.")
    options = {
        "corpus": corpus if corpus is None else os.fspath(corpus), "gold": gold, "text": text, "keep": keep,
        "iterations": iterations, "variant": variant, "processes": processes,
    }  # fmt: skip
    declared, given = chosen_study(paper, experiment, options)
    with nullcontext() if progress else without_bars():
        study = declared.run(**given)
    return Reproduction(paper, declared.title, study, declared.experiment, _arguments(experiment, given))


def chosen_study(paper: str, experiment: str | None, options: Mapping[str, Any]) -> tuple[Declared, dict[str, Any]]:
    """The declared study and those options that are not None; KaratError if it does not have one of them."""
    declared = find_study(paper, experiment)
    given = {name: value for name, value in options.items() if value is not None}
    declared.check(given)
    return declared, given


def _arguments(experiment: str | None, given: Mapping[str, Any]) -> list[str]:
    """The options as arguments of the command line."""
    arguments = [] if experiment is None else ["--experiment", experiment]
    for name, value in given.items():
        shares = [f"{label}={share:g}" for label, share in value.items()] if name == "keep" else [str(value)]
        arguments += [part for text in shares for part in (f"--{name}", text)]
    return arguments
