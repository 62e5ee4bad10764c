"""Measures parsed from their text, and measures from plain functions of (gold, pred)."""

from __future__ import annotations

import copyreg
import importlib
import importlib.util
import inspect
import math
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any, TypeVar

from karat.errors import BRIEF, MeasureError, brief
from karat.foreign import type_and_message
from karat.limits import TEXT
from karat.measures.registry import Better, Measure, _registry, find_measure, real_number
from karat.measures.syntax import parse_call
from karat.tables.counts import Counts, Statistic

D = TypeVar("D", bound=Callable[..., Measure])


@dataclass(frozen=True)
class Labelings(Statistic):
    """The labels of every item, for measures that are plain functions of (gold, pred)."""

    counts: Counts

    @classmethod
    def of(cls, counts: Counts) -> Labelings:
        """Keep the table; its items are listed only when the function is called."""
        return cls(counts)

    def value(self, function: Callable[[Any, Any], Any], name: str) -> Any:
        """function(gold codes, pred codes); for a Stack, an array with one value per table."""

        def value_of(table: Counts) -> float:
            labels = table.expand()
            try:
                value: Any = function(*labels)
            except (MeasureError, KeyboardInterrupt):
                raise
            except BaseException as problem:  # a user's function may raise anything, even SystemExit
                raise MeasureError(
                    f"{name[:BRIEF]} failed ({type_and_message(problem)}); mend it, or leave it out."
                ) from problem
            number = real_number(value)
            if not math.isfinite(number):
                raise MeasureError(f"{name[:BRIEF]} returned {brief(value)}, which is no finite number; return one.")
            return number

        return self.counts.each(value_of)


def wrap(
    function: Callable[[Any, Any], Any],
    *,
    name: str | None = None,
    better: Better | None = "higher",
    bounds: tuple[float, float] = (-math.inf, math.inf),
) -> Measure:
    """A plain function of (gold, pred), such as scikit-learn's, as a measure like any other.

    The function must depend on the partitions only: it is called with integer codes, items in the order of the table's
    cells. The measure's text is module:function, which parse() reads; a function that cannot be imported needs a name.
    better: "higher" or "lower"; None if neither is better. bounds: the lowest and the highest value.

    >>> share = wrap(lambda gold, pred: len(set(pred)) / len(pred), name="clusters_per_item")
    >>> share(["x", "x", "o", "o"], ["a", "a", "a", "b"])
    0.5
    """
    if not callable(function) or isinstance(function, Measure):
        raise MeasureError(f"{brief(function)} is not a plain function of (gold, pred); give one.")
    module, qualified = (getattr(function, key, "") for key in ("__module__", "__qualname__"))
    if name is None and (not module or not qualified or "<" in qualified):
        raise MeasureError(
            f"{brief(function)} has no name to find it by; give it one: karat.wrap(function, name='mine')."
        )
    if name is not None and (not isinstance(name, str) or not name):
        raise MeasureError(f"{brief(name)} cannot be the name of a measure; give a text.")
    TEXT.check(len(name or ""), "the name of a measure", MeasureError)
    if name in _registry:
        raise MeasureError(f"there is a measure {name!r} already; choose another name.")
    text = name or f"{module}:{qualified}"

    def formula(labelings: Labelings) -> Any:
        return labelings.value(function, text)

    formula.__doc__ = inspect.getdoc(function)
    formula.__module__ = module or __name__
    return Measure(text, formula, (Labelings,), title=text, better=better, bounds=bounds, function=function)


def parse(text: str | Measure | Callable[..., Any]) -> Measure:
    """The measure denoted by a text such as v_measure(beta=2).

    A plain function of (gold, pred) is named by its module, as sklearn.metrics:rand_score, or by its file, as
    ./mine.py:agreement; the folder of that file does not become importable.

    >>> parse("nmi(norm=max)")
    nmi(norm=max)
    """
    if isinstance(text, Measure):
        return text
    if callable(text):
        return wrap(text)
    name, inner, params = parse_call(text)
    if name in _derivations and inner is not None:
        return _derivations[name](parse(inner))._with(params)
    if name in _derivations:
        raise MeasureError(f"{brief(text)} does not say of which measure; write it like {name}(rand).")
    if inner is not None:
        raise MeasureError(f"in {brief(text)}, {brief(inner)} is no parameter; write name=value.")
    return (_import_function(name) if ":" in name else find_measure(name))._with(params)


_derivations: dict[str, Callable[[Measure], Measure]] = {}


def derivation(function: D) -> D:
    """Register a function from measure to measure, so that parse() reads name(measure)."""
    _derivations[function.__name__] = function
    return function


def _import_function(path: str) -> Measure:
    module, _, name = path.rpartition(":")
    try:
        function: Any = _run_file(module) if module.endswith(".py") else importlib.import_module(module)
        for part in name.split("."):
            function = getattr(function, part)
    except KeyboardInterrupt:
        raise
    except BaseException as problem:  # a module may raise anything, even SystemExit
        file = f"./{module.replace('.', '/')}.py:{name}" if len(path) < BRIEF else "./mine.py:function"
        remedy = f"install it, or name a file of your own by its path, such as {file}"
        if module.endswith(".py"):
            remedy = "check the path and the name of the function, and that the file runs"
        raise MeasureError(f"{brief(path)} cannot be imported ({type_and_message(problem)}); {remedy}.") from None
    return wrap(function, name=path)


def _run_file(path: str) -> ModuleType:
    """Import a Python file as a module, once; other files in its folder do not become importable."""
    location = os.path.realpath(path)
    if location not in _files:
        spec = importlib.util.spec_from_file_location(f"karat_file_{len(_files)}", location)
        if spec is None or spec.loader is None:
            raise ImportError(f"{path} is not a file of Python")
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module  # dataclasses and pickle look modules up there
        try:
            spec.loader.exec_module(module)
        except BaseException:
            del sys.modules[spec.name]
            raise
        _files[location] = module
    return _files[location]


_files: dict[str, ModuleType] = {}  # modules by the path of their file


def _reduce(measure: Measure) -> tuple[Any, ...]:
    """Pickle a measure by its text, since its formula is code."""
    if measure.function is not None:
        return _rewrap, (measure.function, measure.name, measure.better, measure.bounds)
    if measure.inner is not None:
        return _rederive, (measure.formula.__module__, measure.name, measure.inner, dict(measure.params))
    return _restore, (measure.formula.__module__, measure.full_text)


def _rewrap(function: Callable[..., Any], name: str, better: Better | None, bounds: tuple[float, float]) -> Measure:
    return wrap(function, name=name, better=better, bounds=bounds)


def _rederive(module: str, name: str, inner: Measure, params: dict[str, Any]) -> Measure:
    importlib.import_module(module)
    return _derivations[name](inner)._with(params)


def _restore(module: str, text: str) -> Measure:
    """Unpickle a measure: importing its module registers it."""
    importlib.import_module(module)
    return parse(text)


copyreg.pickle(Measure, _reduce)
