"""Measures derived from another measure, such as adjusted(rand): their values need whole tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_type_hints

from karat.measures.parsing import Labelings
from karat.measures.registry import Measure


def derived_measure(name: str, inner: Measure, value: Callable[..., tuple[float, float]], **promises: Any) -> Measure:
    """The measure name(inner).

    value: a function of a table that gives the value and its Monte-Carlo standard error; its keyword-only parameters,
    with their defaults, become the parameters of the measure.
    """

    def formula(labelings: Labelings, **params: Any) -> Any:
        return labelings.counts.each(lambda table: value(table, **params)[0])

    formula.__doc__ = f"{inner.title}, {name} for chance."
    formula.__module__ = value.__module__  # which registers the derivation when it is imported, as unpickling does
    formula.__annotations__ = get_type_hints(value)
    defaults = dict(value.__kwdefaults__ or {})
    return Measure(
        name,
        formula,
        (Labelings,),
        title=f"{inner.title}, {name}",
        better="higher",
        family=inner.family,
        defaults=defaults,
        params=defaults,
        inner=inner,
        error_of=lambda table, **params: value(table, **params)[1],
        **promises,
    )
