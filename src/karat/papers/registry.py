"""Papers declare themselves: @paper on a function study(**options) that returns a Study, in a module of studies/."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, TypeVar

from karat.errors import KaratError, Option, brief, nearest
from karat.output.layout import Layout
from karat.papers import list_studies
from karat.papers.claims import Claim
from karat.papers.figures import Figure

Run = TypeVar("Run", bound=Callable[..., "Study"])


@dataclass(frozen=True)
class Study:
    """What a paper or an experiment computes."""

    claims: Sequence[Claim]
    figures: Mapping[str, Figure] = field(default_factory=dict)  # by name, such as "figure-1"
    tables: Sequence[Layout] = ()
    data: Sequence[Mapping[str, Any]] = ()  # the data of the figures
    remarks: Sequence[str] = ()  # notes on the corpus and the method


@dataclass(frozen=True)
class Declared:
    """The declaration of a paper, or of an experiment of it."""

    paper: str
    experiment: str  # "" for the paper itself
    title: str
    run: Callable[..., Study]
    variants: tuple[str, ...] = ()
    fewest: int = 1

    @property
    def module(self) -> str:
        """The module that declares the study."""
        return self.run.__module__

    @property
    def options(self) -> tuple[str, ...]:
        """The names of the options: the parameters of the function."""
        return tuple(inspect.signature(self.run).parameters)

    @property
    def summary(self) -> str:
        """What is computed again: the first line of the function's docstring, without the period."""
        return (self.run.__doc__ or "").partition("\n")[0].removesuffix(".")

    @property
    def is_simulation(self) -> bool:
        """Whether the paper is computed by repeated random runs, which take long."""
        return not self.experiment and "iterations" in self.options

    def check(self, given: Mapping[str, Any]) -> None:
        """Raise KaratError for options that the study does not have, and for invalid values."""
        for name in given:
            if name not in self.options:
                raise KaratError(f"{self._name} has no option {name!r}; {self._options_it_has()}.")
        for name in ("iterations", "processes"):
            if not isinstance(given.get(name, 1), int) or given.get(name, 1) < 1:
                raise KaratError(f"{name}={given[name]!r} is not a positive integer; give 1 or more.")
        keep = given.get("keep", {})
        if not isinstance(keep, Mapping) or not all(isinstance(share, (int, float)) for share in keep.values()):
            raise KaratError(Option("keep", (keep,)), " says no shares; give them as in {'H*': 0.1}.")
        variant, iterations = given.get("variant"), given.get("iterations")
        if variant is not None and variant not in self.variants:
            raise KaratError(Option("variant", (variant,)), f" is not known; use one of {', '.join(self.variants)}.")
        if iterations is not None and iterations < self.fewest:
            raise KaratError(Option("iterations", (iterations,)), f" are too few; give {self.fewest} or more.")

    @property
    def _name(self) -> str:
        return f"{self.paper}'s {self.experiment}" if self.experiment else self.paper

    def _options_it_has(self) -> str:
        experiments = [] if self.experiment else papers()[self.paper]
        if experiments:
            return f"say which experiment it is for: {', '.join(experiments)}"
        return f"it has {', '.join(self.options)}" if self.options else "it is no simulation and has no options"


_declared: dict[str, Declared] = {}


def paper(
    title: str, *, variants: Iterable[str] = (), fewest: int = 1, name: str | None = None
) -> Callable[[Run], Run]:
    """Declare the function that computes the results of a paper again; its parameters are the options.

    title: of the paper, with authors and year. variants: values of the option `variant`, how the text is read. fewest:
    iterations. name: of the paper, or PAPER_EXPERIMENT; by default, that of the module. The first line of the
    function's docstring says what is computed again.
    """

    def declare(run: Run) -> Run:
        key = name or run.__module__.rpartition(".")[2]
        about, _, experiment = key.partition("_")
        _declared[key] = Declared(about, experiment, title, run, tuple(variants), fewest)
        return run

    return declare


def papers() -> dict[str, list[str]]:
    """The names of the experiments of each paper: those in studies/, and those declared elsewhere."""
    listed = {name: list(experiments) for name, experiments in list_studies().items()}
    for declared in _declared.values():
        experiments = listed.setdefault(declared.paper, [])
        if declared.experiment and declared.experiment not in experiments:
            experiments.append(declared.experiment)
    return listed


def find_study(paper: str, experiment: str | None = None) -> Declared:
    """The declaration of a paper, or of one of its experiments."""
    known = papers()
    if not isinstance(paper, str) or paper not in known:
        choices = nearest(paper, list(known)) or f"it is one of {', '.join(known)}."
        raise KaratError(f"there is no paper {brief(paper)}; {choices}")
    experiments = known[paper]
    if experiment is not None and not (isinstance(experiment, str) and experiment in experiments):
        has = f"it has {', '.join(experiments)}." if experiments else "leave experiment out."
        raise KaratError(f"{paper} has no experiment {brief(experiment)}; {nearest(experiment, experiments) or has}")
    return _load(f"{paper}_{experiment}" if experiment else paper)


def _load(name: str) -> Declared:
    if name not in _declared:
        import_module(f"karat.papers.studies.{name}")
    if name not in _declared:
        raise KaratError(f"karat.papers.studies.{name} declares no paper; put @paper on its function study().")
    return _declared[name]


def described() -> list[Declared]:
    """All papers, each followed by its experiments; loads their modules."""
    return [
        find_study(paper, experiment) for paper, experiments in papers().items() for experiment in (None, *experiments)
    ]
