"""The measures asked for, or the default panel; the main measure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

import karat.chance.adjusting
import karat.measures.declared  # noqa: F401 (declares the measures)
from karat.errors import MeasureError, TableError, brief
from karat.measures.panel import PANEL
from karat.measures.parsing import parse
from karat.measures.registry import Measure, find_measure, list_measures
from karat.measures.syntax import split_at_commas
from karat.scoring import MAIN, WEIGHTED_MAIN

MeasureLike: TypeAlias = str | Measure | Callable[..., Any]


def panel_of(tables: Iterable[Any], omitted: dict[str, str] | None = None) -> tuple[Measure, ...]:
    """The default measures that are defined for all tables; reasons for others go into `omitted`."""
    given = list(tables)
    fitting = []
    for measure in map(find_measure, PANEL):
        try:
            for table in given:
                measure.of(table)
            fitting.append(measure)
        except TableError as problem:
            if omitted is not None:
                omitted[str(measure)] = str(problem)
    return tuple(fitting)


def chosen_measures(measures: MeasureLike | Iterable[MeasureLike]) -> tuple[Measure, ...]:
    """The measures given as names, Measures or functions, each once."""
    if isinstance(measures, str) and measures == "all":
        return list_measures()
    if isinstance(measures, str):
        measures = split_at_commas(measures)
    elif callable(measures):
        measures = [measures]
    if not isinstance(measures, Iterable) or getattr(measures, "shape", None) == ():
        raise MeasureError(f"measures is {brief(measures)}; give names of measures, such as 'ari'.")
    chosen = tuple(dict.fromkeys(parse(m) for m in measures))
    if not chosen:
        raise MeasureError("measures is empty; name at least one, or leave it out for the default panel.")
    texts = [str(m) for m in chosen]
    for text in texts:
        if texts.count(text) > 1:
            raise MeasureError(f"two different measures are called {text!r}; give one of them another name.")
    return chosen


def main_of(measures: Sequence[Measure], *, panel: bool) -> Measure:
    """The main measure: MAIN in the default panel, else the first of which higher or lower is better."""
    by_name = {str(m): m for m in measures if m.better is not None}
    first = next(iter(by_name.values()), measures[0])
    return by_name.get(MAIN, by_name.get(WEIGHTED_MAIN, first)) if panel else first


def main_measure(tables: Iterable[Any]) -> Measure:
    """The main measure of tables, where no measure is named."""
    main = parse(MAIN)
    try:
        for table in tables:
            main.of(table)
    except TableError:
        return parse(WEIGHTED_MAIN)
    return main
