"""score(): from labels or a table to a Scores object."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

import karat.measures  # noqa: F401 (declares the measures)
from karat.alignment import Missing, NoiseAs
from karat.errors import KaratError, MeasureError
from karat.registry import Measure, list_measures, parse
from karat.results import Scores
from karat.tables import Table

MeasureLike: TypeAlias = str | Measure | Callable[..., Any]


def score(
    gold: object,
    pred: object = None,
    measures: MeasureLike | Iterable[MeasureLike] | None = None,
    *,
    weights: object = None,
    missing: Missing = "raise",
    noise: object = None,
    noise_as: NoiseAs | None = None,
) -> Scores:
    """How close a clustering is to gold, by the measures asked for or by one to three of each family.

    gold and pred are labels of any kind (see karat.labels), or gold is a Table and pred is left out.
    measures: names such as "ari" or "v_measure(beta=2)", Measures, functions of (gold, pred), or "all".

    >>> print(score(["x", "x", "o"], [1, 1, 2], "ari")["ari"])
    1.0
    """
    if isinstance(gold, Table):
        options = {"pred": pred, "weights": weights, "noise": noise, "noise_as": noise_as}
        given = [key for key, value in options.items() if value is not None] + ["missing"] * (missing != "raise")
        if given:
            raise KaratError(f"gold is a Table, which has been counted already; leave out {given[0]}.")
        table = gold
    elif pred is None:
        raise KaratError("pred is missing; give the predicted labels, or a Table in place of both.")
    else:
        table = Table.from_labels(gold, pred, weights, missing=missing, noise=noise, noise_as=noise_as)
    if measures is None:
        panel = [m for m in list_measures() if m.panel]
        fitting = [m for m in panel if table.whole or not m.whole_only]
        return Scores(table, tuple(fitting), tuple(m for m in panel if m not in fitting))
    return Scores(table, _chosen(measures))


def _chosen(measures: MeasureLike | Iterable[MeasureLike]) -> tuple[Measure, ...]:
    if isinstance(measures, str) and measures == "all":
        return list_measures()
    if isinstance(measures, str) or callable(measures):
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
