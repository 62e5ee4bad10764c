"""score(): from labels or a table to a Scores object."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

import karat.measures  # noqa: F401 (declares the measures)
from karat.alignment import Missing, NoiseAs
from karat.errors import LabelError, MeasureError, TableError
from karat.parsing import parse
from karat.registry import Measure, list_measures
from karat.results import Scores
from karat.syntax import split_at_commas
from karat.tables import Table, counted
from karat.uncertainty.sampling import RESAMPLES, Sampling, Unit

MeasureLike: TypeAlias = str | Measure | Callable[..., Any]


def score(
    data: object = None,
    pred: object = None,
    measures: MeasureLike | Iterable[MeasureLike] | None = None,
    *,
    gold: object = None,
    weights: object = None,
    missing: Missing = "raise",
    noise: object = None,
    noise_as: NoiseAs | None = None,
    interval: float | None = None,
    unit: Unit = "items",
    corrected: bool = True,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Scores:
    """How close a clustering is to gold, by the measures asked for or by one to three of each family.

    data, pred: gold and predicted labels of any kind, matched by item where both name their items; or a Table alone; or
    data is a frame of any engine, such as Polars, DuckDB or Spark, and gold="..." and pred="..." name its columns.
    measures: names such as "ari" or "v_measure(beta=2)", Measures, functions of (gold, pred), or "all".
    weights: one number per item, or the name of a column of the frame.
    missing: what to do with items without a label on one side: "raise", "drop", "singletons" or "cluster".
    noise, noise_as: a predicted label that marks noise, such as -1, and what it means: "cluster", "singletons", "drop".
    interval: such as 0.95, for the interval in which the score of more items of the same kind is likely to be.
    unit: what was drawn at random, "items" or whole gold "classes". corrected: whether intervals are around an estimate
    less biased than the score. resamples, seed: of the bootstrap, for measures that are not smooth.

    >>> print(score(["x", "x", "o"], [1, 1, 2], "ari")["ari"])
    1.0
    """
    options = {"weights": weights, "missing": missing, "noise": noise, "noise_as": noise_as}
    table = _counted(data, gold, pred, options)
    sampling = None if interval is None else Sampling(interval, unit, corrected, resamples, seed)
    if measures is None:
        return _panel(table, sampling)
    return Scores(table, chosen_measures(measures), sampling=sampling)


def _counted(data: object, gold: object, pred: object, options: dict[str, Any]) -> Any:
    """The table of labels, or of columns of a frame."""
    if gold is None or data is None:
        return counted(data if gold is None else gold, pred, options)
    if not (isinstance(gold, str) and isinstance(pred, str)):
        raise LabelError("gold=... and pred=... are columns of a frame, if one is given; name them as text.")
    from karat.engines.collecting import counted_frame

    return counted_frame(data, gold=gold, pred=pred, **options)


def _panel(table: Table, sampling: Sampling | None) -> Scores:
    """The default measures, less those that are not defined for this table."""
    omitted: dict[str, str] = {}
    return Scores(table, panel_of(table, omitted), omitted, sampling)


def panel_of(table: Table, omitted: dict[str, str] | None = None) -> tuple[Measure, ...]:
    """The default measures that are defined for a table; why others are not is added to omitted."""
    fitting = []
    for measure in (m for m in list_measures() if m.panel):
        try:
            measure.of(table)
            fitting.append(measure)
        except TableError as problem:
            if omitted is not None:
                omitted[str(measure)] = str(problem)
    return tuple(fitting)


def chosen_measures(measures: MeasureLike | Iterable[MeasureLike]) -> tuple[Measure, ...]:
    """Measures by name, as they are, or as functions; each once."""
    if isinstance(measures, str) and measures == "all":
        return list_measures()
    if isinstance(measures, str):
        measures = split_at_commas(measures)
    elif callable(measures):
        measures = [measures]
    if not isinstance(measures, Iterable):
        raise MeasureError(f"measures is {measures!r}; give names of measures, such as 'ari'.")
    chosen = tuple(dict.fromkeys(parse(m) for m in measures))
    if not chosen:
        raise MeasureError("measures is empty; name at least one, or leave it out for the default panel.")
    texts = [str(m) for m in chosen]
    for text in texts:
        if texts.count(text) > 1:
            raise MeasureError(f"two different measures are called {text!r}; give one of them another name.")
    return chosen
