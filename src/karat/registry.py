"""Measure, the decorator that declares one, and the registry that finds one by its name."""

from __future__ import annotations

import importlib
import inspect
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from numbers import Integral, Real
from typing import Any, Literal, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

from karat.counts import Counts, Statistic
from karat.errors import MeasureError, listed, nearest
from karat.tables import Table

Better = Literal["higher", "lower"]

ROUNDING = 1e-13

_registry: dict[str, Measure] = {}


@dataclass(frozen=True, eq=False, repr=False)
class Measure:
    """A formula over statistics and what is promised of it; called with labels or a table it gives a float.

    >>> import karat
    >>> karat.v_measure(["a", "a", "b", "b"], [1, 1, 2, 2])
    1.0
    >>> karat.v_measure(beta=2)
    v_measure(beta=2)
    """

    name: str
    formula: Callable[..., Any]
    statistics: tuple[type[Statistic], ...]
    title: str
    better: Better | None  # None: descriptive, neither end is better
    bounds: tuple[float, float] = (0, 1)
    perfect: float | None = None  # value of a clustering equal to gold; None if it depends on the data
    chance: float | None = None  # expected value when the predicted labels are shuffled; None if it depends
    unit: Literal["nats", "bits", ""] = ""
    swap: str | Callable[..., Any] | None = None  # what it becomes when gold and pred are exchanged
    breaks: tuple[str, ...] = ()  # formal constraints that it does not meet
    paper: str = ""  # key in references.bib
    equation: str = ""
    panel: bool = False  # shown by karat.score() by default
    defaults: Mapping[str, Any] = field(default_factory=dict)
    params: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self, *sources: Any, **options: Any) -> Any:
        """The score of labels (gold, pred) or of one Table or Stack; with parameters alone, the measure so set."""
        measure = self._with({key: options.pop(key) for key in list(options) if key in self.defaults})
        if not sources and not options:
            return measure
        if not sources:
            key = next(iter(options))
            raise MeasureError(
                f"{self.name} has no parameter {key!r}{nearest(key, self.defaults)}; {self._parameters()}."
            )
        if len(sources) == 1 and isinstance(sources[0], Counts):
            return measure.of(sources[0])
        if len(sources) == 1 or any(isinstance(s, Counts) for s in sources):
            raise MeasureError(f"{self.name} takes gold and pred, or one Table (see karat.Table.from_matrix).")
        return measure.of(Table.from_labels(*sources, **options))

    def of(self, counts: Counts) -> float | NDArray[np.float64]:
        """The value for one table, as a plain float, or for each table of a stack, as an array."""
        value = self.formula(*(counts.statistic(kind) for kind in self.statistics), **self.params)
        low, high = self.bounds
        # a last digit beyond a bound is rounding; anything further out is left to be seen
        if isinstance(value, np.ndarray):
            value = np.where((high < value) & (value < high + ROUNDING), high, value.astype(np.float64))
            return np.where((low - ROUNDING < value) & (value < low), low, value)
        value = float(value)
        if high < value < high + ROUNDING:
            return float(high)
        return float(low) if low - ROUNDING < value < low else value

    def _with(self, changes: Mapping[str, Any]) -> Measure:
        hints = get_type_hints(self.formula) if changes else {}
        checked = {key: _check(self.name, key, value, hints.get(key)) for key, value in changes.items()}
        return replace(self, params={**self.params, **checked}) if checked else self

    def _parameters(self) -> str:
        return f"its parameters are {listed(self.defaults)}" if self.defaults else "it has none"

    @property
    def family(self) -> str:
        """The file in which it is declared."""
        return self.formula.__module__.rsplit(".", 1)[-1]

    @property
    def whole_only(self) -> bool:
        """Whether one of its statistics is defined for counts only, not for real-valued tables."""
        return any(kind.whole_only for kind in self.statistics)

    @property
    def summary(self) -> str:
        """The first line of its docstring: what the number means."""
        return (inspect.getdoc(self.formula) or "").split("\n", 1)[0]

    @property
    def swapped(self) -> Measure | None:
        """The measure that gives the same value when gold and pred are exchanged, where there is one."""
        if callable(self.swap):
            params = self.swap(**self.params)
            return None if params is None else self._with(params)
        if self.swap == "itself":
            return self
        return None if self.swap is None else find(self.swap)

    @property
    def full_text(self) -> str:
        """The measure with every parameter spelt out, as a signature needs it."""
        return _text(self.name, self.params)

    def __str__(self) -> str:
        return _text(self.name, {k: v for k, v in self.params.items() if v != self.defaults[k]})

    __repr__ = __str__

    def __eq__(self, other: object) -> bool:
        return self.full_text == other.full_text if isinstance(other, Measure) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.full_text)

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self.formula.__module__, self.full_text)


def measure(
    *, title: str, better: Better | None, swap: str | Callable[..., Any] | None = None, **promises: Any
) -> Callable[[Callable[..., Any]], Measure]:
    """Declare a measure: its name is the function's, its statistics are the annotated positional parameters.

    Keyword-only parameters are the measure's own. Promises: bounds, perfect, chance, unit, swap, breaks,
    paper, equation, panel; see Measure.
    """

    def declare(formula: Callable[..., Any]) -> Measure:
        defaults = {
            p.name: p.default for p in inspect.signature(formula).parameters.values() if p.kind is p.KEYWORD_ONLY
        }
        hints = get_type_hints(formula)
        kinds = tuple(hint for key, hint in hints.items() if key not in defaults and key != "return")
        name = formula.__name__
        known = _registry.get(name)
        if known is not None and known.formula.__module__ != formula.__module__:
            raise MeasureError(f"there is a measure {name!r} in {known.formula.__module__}; choose another name.")
        declared = Measure(
            name, formula, kinds, title, better, swap=swap, defaults=defaults, params=defaults, **promises
        )
        _registry[name] = declared
        return declared

    return declare


def inverse_beta(beta: float) -> dict[str, float] | None:
    """What exchanging the two sides does to a weight between them; a weight of 0 has no inverse."""
    return {"beta": 1 / beta} if beta else None


def find(name: str) -> Measure:
    """The registered measure of that name."""
    try:
        return _registry[name]
    except KeyError:
        raise MeasureError(
            f"there is no measure {name!r}{nearest(name, _registry)}; list_measures() has them all."
        ) from None


def list_measures() -> tuple[Measure, ...]:
    """Every registered measure, in the order of declaration."""
    return tuple(_registry.values())


@dataclass(frozen=True)
class Labelings(Statistic):
    """The labels of every item, for measures that are plain functions of (gold, pred)."""

    counts: Counts
    whole_only = True

    @classmethod
    def of(cls, counts: Counts) -> Labelings:
        """Nothing to count: the items are listed only when a function asks for them."""
        return cls(counts)

    def value(self, function: Callable[[Any, Any], Any]) -> Any:
        """The function of gold and pred codes, for each table."""
        return self.counts.each(lambda table: float(function(*table.expand())))


def wrap(
    function: Callable[[Any, Any], Any], *, name: str | None = None, better: Better | None = "higher", **promises: Any
) -> Measure:
    """A plain function of (gold, pred), such as scikit-learn's, as a measure like any other.

    Its text is module:function, which parse() understands.

    >>> accuracy = wrap(lambda gold, pred: (gold == pred).mean(), name="accuracy")
    >>> accuracy([0, 1, 1], [0, 1, 0]) > 0.6
    True
    """
    title = name or f"{function.__module__}:{function.__qualname__}"
    if name is None and not re.fullmatch(r"[\w.]+:[A-Za-z_][\w.]*", title):
        raise MeasureError(f"the function {title} cannot be found by its name; give it one, as in name='mine'.")

    def formula(labelings: Labelings) -> Any:
        return labelings.value(function)

    formula.__doc__ = inspect.getdoc(function)
    formula.__module__ = function.__module__
    promises = {"bounds": (-math.inf, math.inf), "title": title, **promises}
    return Measure(title, formula, (Labelings,), better=better, **promises)


_CALL = re.compile(r"\s*(?P<name>[A-Za-z_][\w.]*(?::[A-Za-z_][\w.]*)?)\s*(?:\((?P<params>[^()]*)\))?\s*")


def parse(text: str | Measure | Callable[..., Any]) -> Measure:
    """The measure that a text such as v_measure(beta=2) or sklearn.metrics:rand_score stands for.

    >>> parse("nmi(norm=max)")
    nmi(norm=max)
    """
    if isinstance(text, Measure):
        return text
    if callable(text):
        return wrap(text)
    match = _CALL.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        raise MeasureError(
            f"{text!r} does not name a measure; write a name, or a name with parameters as in v_measure(beta=2)."
        )
    params = _parse_params(text, match["params"] or "")
    if ":" in match["name"]:
        return _import_function(match["name"])
    found = find(match["name"])
    unknown = [key for key in params if key not in found.defaults]
    if unknown:
        raise MeasureError(
            f"{found.name} has no parameter {unknown[0]!r}{nearest(unknown[0], found.defaults)}; {found._parameters()}."
        )
    return found._with(params)


def _parse_params(text: str, params: str) -> dict[str, Any]:
    pairs = [part.partition("=") for part in params.split(",") if part.strip()]
    for key, equals, value in pairs:
        if not equals or not value.strip():
            raise MeasureError(f"in {text!r}, {key.strip()!r} has no value; write name=value.")
    return {key.strip(): _number(value.strip()) for key, _, value in pairs}


def _number(value: str) -> Any:
    if value == "None":
        return None
    for kind in (int, float):
        try:
            return kind(value)
        except ValueError:
            pass
    return value


def _import_function(path: str) -> Measure:
    module, _, name = path.partition(":")
    try:
        function: Any = importlib.import_module(module)
        for part in name.split("."):
            function = getattr(function, part)
    except (ImportError, AttributeError) as problem:
        raise MeasureError(f"{path!r} cannot be imported ({problem}); give module:function.") from None
    return wrap(function, name=path)


def _restore(module: str, text: str) -> Measure:
    """What unpickling calls: the declaring module registers its measures when it is imported."""
    importlib.import_module(module)
    return parse(text)


def _text(name: str, params: Mapping[str, Any]) -> str:
    if not params:
        return name
    return f"{name}({', '.join(f'{key}={_plain(value)}' for key, value in params.items())})"


def _plain(value: Any) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() and abs(value) < 1e15 else str(value)


def _check(measure: str, key: str, value: Any, hint: Any) -> Any:
    """A parameter's value, if it fits the parameter's annotation."""
    if get_origin(hint) is Literal:
        if value not in get_args(hint):
            raise MeasureError(f"{measure} cannot have {key}={value!r}; use one of {listed(get_args(hint))}.")
        return value
    optional = type(None) in get_args(hint)
    if optional and value is None:
        return value
    number = isinstance(value, Real) and not isinstance(value, bool)
    if not number or not math.isfinite(value) or value < 0:
        raise MeasureError(f"{measure} cannot have {key}={value!r}; give a number that is not negative.")
    return int(value) if isinstance(value, Integral) else float(value)
