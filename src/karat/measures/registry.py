"""Measure, the decorator that declares one, and the registry of measures by name."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from numbers import Real
from types import MappingProxyType
from typing import Any, Literal, get_args, get_type_hints, overload

import numpy as np
from numpy.typing import NDArray

from karat.errors import MeasureError, brief, listed, nearest
from karat.measures.constraints import CONSTRAINTS
from karat.measures.panel import PANEL
from karat.measures.references import citations, references
from karat.measures.syntax import LARGEST, check_parameter, spell
from karat.tables.counts import Counts, SingleTable, Statistic
from karat.tables.table import Table

Better = Literal["higher", "lower"]
Unit = Literal["nats", "bits", ""]
ROUNDING = 1e-13
LABEL_OPTIONS = {
    p.name: p.default for p in inspect.signature(Table.from_labels).parameters.values() if p.kind is p.KEYWORD_ONLY
}

_registry: dict[str, Measure] = {}


@dataclass(frozen=True, kw_only=True)
class Promises:
    """The declared properties of a measure; contract tests try to prove them wrong."""

    title: str
    better: Better | None  # None: descriptive, neither end is better
    family: str = "own"  # the heading under which it is listed
    bounds: tuple[float, float] = (0, 1)
    perfect: float | None = None  # value of a clustering equal to gold; None if it depends on the data
    chance: float | None = None  # expected value when the predicted labels are shuffled; None if it depends
    unit: Unit = ""
    swap: str | Callable[..., Any] | None = None  # the measure it becomes when gold and pred are swapped
    breaks: tuple[str, ...] = ()  # formal constraints that it does not meet, of CONSTRAINTS
    definition: str = ""  # in the notation of docs/measures.md
    tex: str = ""  # the definition in LaTeX
    elsewhere: tuple[str, ...] = ()  # what other libraries call it, and where they differ
    paper: str = ""  # a key in references.bib, or a BibTeX entry
    equation: str = ""


@dataclass(frozen=True, eq=False, repr=False)
class Measure(Promises):
    """A formula over statistics, with its declared properties; call it with labels or a table.

    >>> import karat
    >>> karat.v_measure(["a", "a", "b", "b"], [1, 1, 2, 2])
    1.0
    >>> karat.v_measure(beta=2)
    v_measure(beta=2)
    """

    name: str
    formula: Callable[..., Any]
    statistics: tuple[type[Statistic], ...]
    defaults: Mapping[str, Any] = field(default_factory=dict)
    params: Mapping[str, Any] = field(default_factory=dict)
    function: Callable[..., Any] | None = None  # the function given to wrap()
    inner: Measure | None = None  # the measure that this one is derived from, such as adjusted(rand)
    error_of: Callable[..., float] | None = None  # Monte-Carlo standard error of a value, from counts and parameters
    bibtex: str = ""  # the entry of a paper that is declared with the measure

    def __post_init__(self) -> None:
        for key in ("defaults", "params"):
            object.__setattr__(self, key, MappingProxyType(dict(getattr(self, key))))
        self._check()
        if self.paper.lstrip().startswith("@"):
            self._keep_entry()
        self._document()

    def _check(self) -> None:
        """Raise MeasureError if a declared property cannot be."""
        for key, allowed in (("better", (*get_args(Better), None)), ("unit", get_args(Unit))):
            if getattr(self, key) not in allowed:
                raise self._cannot_have(key, f"use one of {listed(allowed)}")
        if not isinstance(self.breaks, tuple) or not set(self.breaks) <= set(CONSTRAINTS):
            raise self._cannot_have("breaks", f"give a tuple of some of {listed(CONSTRAINTS)}")
        if not isinstance(self.family, str) or not self.family:
            raise self._cannot_have("family", "give a word under which to list it")
        low, high = self.bounds if isinstance(self.bounds, tuple) and len(self.bounds) == 2 else (0, 0)
        if not (isinstance(low, Real) and isinstance(high, Real) and low < high):
            raise self._cannot_have("bounds", "give the lowest and the highest value")

    def _cannot_have(self, key: str, remedy: str) -> MeasureError:
        return MeasureError(f"{self.name} cannot have {key}={brief(getattr(self, key))}; {remedy}.")

    def _keep_entry(self) -> None:
        """Replace the BibTeX entry of the paper by its key."""
        keys = list(citations(self.paper))
        if len(keys) != 1:
            raise self._cannot_have("paper", "give a key of references.bib, or a BibTeX entry with one field a line")
        object.__setattr__(self, "bibtex", self.paper)
        object.__setattr__(self, "paper", keys[0])

    def _document(self) -> None:
        """Set the signature and docstring that help() shows: signature, meaning, range and paper."""
        options = {**self.params, **LABEL_OPTIONS}
        kinds = inspect.Parameter
        signature = inspect.Signature(
            [kinds(name, kinds.POSITIONAL_OR_KEYWORD) for name in ("gold", "pred")]
            + [kinds(name, kinds.KEYWORD_ONLY, default=value) for name, value in options.items()]
        )
        low, high = self.bounds
        facts = f"{self.title}: {self.better or 'neither end'} is better, from {low:g} to {high:g} {self.unit}".rstrip()
        source = ", ".join(part for part in (self.paper, self.equation) if part)
        text = f"{self.name}{signature}\n\n{inspect.getdoc(self.formula) or ''}\n\n{facts}. {source}"
        for key, value in (("__signature__", signature), ("__doc__", text.rstrip()), ("__name__", self.name)):
            object.__setattr__(self, key, value)

    @overload
    def __call__(self, gold: SingleTable, **parameters: Any) -> float: ...

    @overload
    def __call__(self, gold: Counts, **parameters: Any) -> float | NDArray[np.float64]: ...

    @overload
    def __call__(self, gold: object, pred: object, **options: Any) -> float: ...

    @overload
    def __call__(self, **parameters: Any) -> Measure: ...

    def __call__(self, *sources: Any, **options: Any) -> float | NDArray[np.float64] | Measure:
        """The score of labels (gold, pred), a Table or a Stack; given parameters only, a new measure."""
        measure = self._with({key: options.pop(key) for key in list(options) if key in self.defaults})
        sources = (*sources, *(options.pop(key) for key in ("gold", "pred")[len(sources) :] if key in options))
        counted = len(sources) == 1 and isinstance(sources[0], Counts)
        allowed = tuple(LABEL_OPTIONS) if sources and not counted else ()
        for key in options:
            if key not in allowed:
                raise MeasureError(self._no_parameter(key, allowed))
        if not sources:
            return measure
        if counted:
            return measure.of(sources[0])
        if len(sources) != 2 or any(isinstance(s, Counts) for s in sources):
            raise MeasureError(f"{self.name} takes gold and pred, or one Table (see karat.Table.from_matrix).")
        return measure.of(Table.from_labels(*sources, **options))

    def of(self, counts: Counts) -> float | NDArray[np.float64]:
        """The value for one table, as a plain float, or for each table of a stack, as an array."""
        if not isinstance(counts, Counts):
            raise MeasureError(f"{self.name} is of a Table or a Stack, not of {brief(counts)}; count the labels first.")
        if counts.loses_precision:
            return np.asarray(counts.each(self.of), dtype=np.float64)
        value = self.value(counts.statistic(kind) for kind in self.statistics)
        if np.isnan(value).any() or (isinstance(counts, SingleTable) and np.ndim(value)):
            raise self._returned(value)
        return float(value) if isinstance(counts, SingleTable) else value

    def value(self, statistics: Iterable[Any]) -> float | NDArray[np.float64]:
        """The formula applied to the statistics, as a float, or an array for a Stack."""
        value = self.formula(*statistics, **self.params)
        low, high = self.bounds
        # clip rounding errors at the bounds; anything further out is a bug and stays visible
        if isinstance(value, np.ndarray):
            if value.dtype.kind not in ("b", "i", "u", "f", "O"):
                raise self._returned(value)
            value = np.where((high < value) & (value < high + ROUNDING), high, value.astype(np.float64))
            return np.where((low - ROUNDING < value) & (value < low), low, value)
        number = real_number(value)
        if math.isnan(number) and not isinstance(value, (float, np.floating)):
            raise self._returned(value)
        value = number
        if high < value < high + ROUNDING:
            return float(high)
        return float(low) if low - ROUNDING < value < low else value

    def _returned(self, value: object) -> MeasureError:
        return MeasureError(f"{self.name} returned {brief(value)}, which is no number; return one.")

    def error(self, counts: Counts) -> float:
        """The Monte-Carlo standard error of the value; 0 for measures that draw no random clusterings."""
        if not isinstance(counts, Counts):
            raise MeasureError(f"{self.name}.error is of a Table or a Stack, not of {brief(counts)}.")
        if self.error_of is None:
            return 0.0
        return counts.each(lambda table: self.error_of(table, **self.params))  # type: ignore[misc, no-any-return]

    def _with(self, changes: Mapping[str, Any]) -> Measure:
        for key in changes:
            if key not in self.defaults:
                raise MeasureError(self._no_parameter(key))
        hints = get_type_hints(self.formula) if changes else {}
        checked = {key: check_parameter(self.name, key, value, hints.get(key)) for key, value in changes.items()}
        return replace(self, params={**self.params, **checked}) if checked else self

    def _no_parameter(self, key: str, others: tuple[str, ...] = ()) -> str:
        known = [*self.defaults, *others]
        hint = nearest(key, known) or f"it has {listed(known) or 'none'}."
        return f"{self.name} has no parameter {brief(key)}; {hint}"

    @property
    def panel(self) -> bool:
        """Whether karat.score() shows it by default."""
        return self.name in PANEL

    @property
    def reference(self) -> str:
        """The citation of the paper as one line; the key itself if it has no entry."""
        return (citations(self.bibtex) if self.bibtex else references()).get(self.paper, self.paper)

    @property
    def summary(self) -> str:
        """The first line of the formula's docstring: what the number means."""
        return (inspect.getdoc(self.formula) or "").split("\n", 1)[0]

    @property
    def swapped(self) -> Measure | None:
        """The measure that has this one's value when gold and pred are swapped; None if there is none."""
        if callable(self.swap):
            params = self.swap(**self.params)
            return None if params is None else self._with(params)
        if self.swap == "itself":
            return self
        return None if self.swap is None else find_measure(self.swap)

    @property
    def full_text(self) -> str:
        """The measure with every parameter spelt out, as a signature needs it."""
        return spell(self.name, self.params, None if self.inner is None else self.inner.full_text)

    def __str__(self) -> str:
        changed = {k: v for k, v in self.params.items() if v != self.defaults[k]}
        return spell(self.name, changed, None if self.inner is None else str(self.inner))

    __repr__ = __str__

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Measure):
            return NotImplemented
        return self._identity == other._identity

    @property
    def _identity(self) -> tuple[Any, ...]:
        if self.function is not None:  # regardless of its name
            known = isinstance(self.function, Hashable)
            return self.function if known else id(self.function), self.better, self.bounds
        if self.inner is not None:
            return self.inner._identity, self.full_text
        return self.formula, self.full_text

    def __hash__(self) -> int:
        return hash(self._identity)


@dataclass(frozen=True, kw_only=True)
class measure(Promises):  # noqa: N801 (a decorator)
    """Declare a measure: its name is the function's, its statistics are the annotated positional parameters.

    Keyword-only parameters of the function are the measure's own and have defaults.

    title: what the measure is called in print.
    better: "higher" or "lower"; None if neither end is better.
    family: the heading under which it is listed.
    bounds: the lowest and the highest value.
    perfect: the value of a clustering equal to gold; None if it depends on the data.
    chance: the expected value of shuffled labels; None if it depends on the data.
    swap: the name of the measure that it becomes when gold and predicted are swapped, "itself" if it is symmetric.
    breaks: the formal constraints that it does not meet.
    paper: a key of references.bib, or a BibTeX entry.
    """

    def __call__(self, formula: Callable[..., Any]) -> Measure:
        """Register the measure with this formula, and return it."""
        name = formula.__name__
        kinds, defaults = _parameters(formula)
        known = _registry.get(name)
        if known is not None and known.formula.__module__ != formula.__module__:
            raise MeasureError(f"there is a measure {name!r} in {known.formula.__module__}; choose another name.")
        _registry[name] = Measure(name, formula, kinds, defaults=defaults, params=defaults, **vars(self))
        return _registry[name]


def _parameters(formula: Callable[..., Any]) -> tuple[tuple[type[Statistic], ...], dict[str, Any]]:
    """The statistics that a formula takes, and its keyword parameters with their defaults."""
    hints = get_type_hints(formula)
    kinds, defaults = [], {}
    for parameter in inspect.signature(formula).parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and parameter.default is not parameter.empty:
            defaults[parameter.name] = parameter.default
        elif inspect.isclass(kind := hints.get(parameter.name)) and issubclass(kind, Statistic):
            kinds.append(kind)
        else:
            raise MeasureError(
                f"{formula.__name__} has the parameter {parameter.name!r}, which is neither annotated with a Statistic "
                "nor a keyword with a default; make it one of them."
            )
    return tuple(kinds), defaults


def real_number(value: Any) -> float:
    """What a function returned, as a float; NaN if it is not one real number."""
    kind = getattr(getattr(value, "dtype", None), "kind", "f")  # of what NumPy or a frame returns
    several = hasattr(value, "ndim") and value.ndim
    if isinstance(value, (str, bytes, bytearray)) or several or kind not in ("b", "i", "u", "f"):
        return math.nan
    try:
        return float(value)
    except Exception:  # too large for a float, or not a number
        return math.nan


def inverse_beta(beta: float) -> dict[str, float] | None:
    """The beta of the measure with gold and predicted swapped, 1/beta; None if 1/beta is too large."""
    if beta in (0, math.inf):
        return {"beta": math.inf if beta == 0 else 0}
    return {"beta": 1 / beta} if beta > 1 / LARGEST else None


def find_measure(name: str) -> Measure:
    """The registered measure of that name."""
    try:
        return _registry[name]
    except KeyError:
        hint = nearest(name.lower(), _registry) or "karat.list_measures() and karat measures list them all."
        raise MeasureError(f"there is no measure {brief(name)}; {hint}") from None


def list_measures() -> tuple[Measure, ...]:
    """Every registered measure, family by family, each in the order of declaration."""
    families = list(dict.fromkeys(m.family for m in _registry.values()))
    return tuple(sorted(_registry.values(), key=lambda m: families.index(m.family)))
