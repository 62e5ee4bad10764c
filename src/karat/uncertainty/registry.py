"""The methods of confidence intervals: how one is declared, and which there are."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import Enum
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from karat.uncertainty.methods import AUTO, _methods, method_names

if TYPE_CHECKING:
    from karat.measures.registry import Measure
    from karat.uncertainty.interval import Interval
    from karat.uncertainty.sample import Sample

    Function: TypeAlias = Callable[[Sample, Measure], Interval | None]


class Need(Enum):
    """What a method needs; it is computed once for all measures, before the method is called."""

    LEAVE_ONE_OUT = "leave-one-out scores"  # Sample.influence(measure)
    RESAMPLES = "resamples"  # Sample.resampled(measure): signatures then name the number of resamples and the seed


class IntervalMethod(NamedTuple):
    """The declaration of a method: from a sample and a measure to an interval, or None if it has none."""

    name: str  # the value of the option `method`, and Interval.method
    summary: str  # the first line of its docstring
    function: Function
    needs: frozenset[Need]
    centred: bool  # on a bias-corrected estimate, unless corrected=False
    automatic: int | None  # the rank at which method="auto" tries it; None: only if it is asked for
    suits: Callable[[Sample, Measure], bool]  # whether it is valid, for method="auto"

    @property
    def draws(self) -> bool:
        """Whether its intervals depend on the number of resamples and on the seed."""
        return Need.RESAMPLES in self.needs


def interval_method(
    *,
    needs: Iterable[Need] = (),
    centred: bool = False,
    automatic: int | None = None,
    suits: Callable[[Sample, Measure], bool] = lambda sample, measure: True,
) -> Callable[[Function], Function]:
    """Declare a method of confidence intervals, named after the function; its summary is the docstring's first line.

    The function takes a Sample and a Measure, and returns an Interval by Sample.around() or Sample.between(); None if
    it has no interval for the measure. Parameters: see IntervalMethod.
    """

    def declared(function: Function) -> Function:
        summary = (function.__doc__ or "").strip().split("\n")[0]
        name = function.__name__
        if name in (AUTO, "none"):
            raise ValueError(f"{name!r} cannot name a method of intervals: it is reserved")
        _methods[name] = IntervalMethod(name, summary, function, frozenset(needs), centred, automatic, suits)
        return function

    return declared


def find_method(name: str) -> IntervalMethod | None:
    """The method of this name; None if there is none."""
    if name not in _methods and name in method_names():
        import_module(f"karat.uncertainty.methods.{name}")
    return _methods.get(name)


def list_methods() -> tuple[IntervalMethod, ...]:
    """All methods: those that method="auto" tries, in this order, and then the others by name."""
    every = [method for method in map(find_method, method_names()[1:]) if method is not None]
    return tuple(sorted(every, key=lambda method: (method.automatic is None, method.automatic or 0, method.name)))


def summaries() -> str:
    """The methods and their summaries, as a sentence."""
    texts = ((method.name, method.summary.rstrip(".")) for method in list_methods())
    return "; ".join(f'"{name}", {text[:1].lower()}{text[1:]}' for name, text in texts) + "."
