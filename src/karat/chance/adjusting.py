"""Measures adjusted for chance, and z-scores: a score beside the scores of random clusterings."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from karat.chance.affine import is_affine
from karat.chance.draws import Draws, draws_of, finite
from karat.chance.expectations import is_certain
from karat.chance.joined import pair_moments, pair_slope, pairs_joined
from karat.chance.nulls import Model, Null
from karat.errors import MeasureError
from karat.limits import DRAWS
from karat.measures.arithmetic import ratio, zero_if_rounding
from karat.measures.derived import derived_measure
from karat.measures.parsing import derivation, parse
from karat.measures.registry import Measure
from karat.tables.counts import SingleTable
from karat.tables.table import Table

TIE = 1e-12  # scores that differ by less are ties


@derivation
def adjusted(
    measure: str | Measure, *, null: Null = "margins", sides: int = 1, samples: int = 1000, seed: int = 0
) -> Measure:
    """A measure adjusted for chance: random clusterings average 0, and gold itself scores 1.

    No clustering scores above 1 if gold has the best score that the measure can have; by q0, which charges for every
    class and cluster, a clustering can be better than gold.

    The expectation is exact where it is known; otherwise it is the mean over samples clusterings drawn with seed, and
    adjusted(...).error(table) is the Monte-Carlo standard error of the score. null is the null model: all clusterings
    with the same cluster sizes ("margins"), with the same number of clusters ("number"), or "all"; with sides=2 gold
    is drawn as well.

    >>> import karat
    >>> gold, pred = [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]
    >>> round(karat.adjusted("rand")(gold, pred), 6) == round(karat.ari(gold, pred), 6)
    True
    >>> karat.adjusted("purity", null="all")
    adjusted(purity, null=all)
    """
    options = {"null": null, "sides": sides, "samples": samples, "seed": seed}
    inner = with_direction(measure)
    # unless gold has the best score of all, a clustering may score better than gold, or random ones may on average
    best = inner.perfect is not None and inner.perfect == inner.bounds[1 if inner.better == "higher" else 0]
    return _derived("adjusted", inner, _adjusted, (-math.inf, 1.0 if best else math.inf), 1.0)._with(options)


@derivation
def standardized(
    measure: str | Measure, *, null: Null = "margins", sides: int = 1, samples: int = 1000, seed: int = 0
) -> Measure:
    """The z-score of a measure: standard deviations by which it is better than its mean under the null.

    Exact for measures that are linear in the number of pairs joined by both sides, such as rand; otherwise computed
    from samples clusterings drawn with seed. Parameters are as for adjusted(). 0 if all random clusterings score the
    same.

    >>> import karat
    >>> round(karat.standardized("rand")([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]), 4)
    0.8165
    """
    options = {"null": null, "sides": sides, "samples": samples, "seed": seed}
    inner = with_direction(measure)
    return _derived("standardized", inner, standard_score, (-math.inf, math.inf), None)._with(options)


def with_direction(measure: str | Measure) -> Measure:
    """The measure; MeasureError if it is descriptive, so that neither high nor low values are better."""
    inner = parse(measure)
    if inner.better is None:
        raise MeasureError(
            f"{inner} is descriptive: neither higher nor lower is better, so it cannot be compared with chance; choose "
            "another measure."
        )
    return inner


def _derived(
    name: str,
    inner: Measure,
    value: Callable[[Measure, Any, Draws], tuple[float, float]],
    bounds: tuple[float, float],
    perfect: float | None,
) -> Measure:
    """A measure that compares another measure's value with the values of random clusterings."""

    def of_table(
        table: SingleTable, *, null: Null = "margins", sides: int = 1, samples: int = 1000, seed: int = 0
    ) -> tuple[float, float]:
        DRAWS.check(samples * draws_of(inner), f"{name}({inner})", MeasureError)
        return value(inner, table, Draws(Model(null, sides), samples, seed))

    return derived_measure(name, inner, of_table, bounds=bounds, perfect=perfect, paper="gates2017")


def _adjusted(measure: Measure, table: SingleTable, draws: Draws) -> tuple[float, float]:
    """(score - mean) / (perfect - mean), and its Monte-Carlo standard error."""
    table.need_counts("an adjusted measure")
    score = finite(measure, measure.of(table))
    mean, error = draws.mean(measure, table)
    perfect = measure.perfect if measure.perfect is not None else float(measure.of(_perfect_table(table)))
    scale = max(abs(score), abs(mean), abs(perfect))
    gain, room = zero_if_rounding(score - mean, scale), zero_if_rounding(perfect - mean, scale)
    same = table.nonempty_cells == table.shape[0] == table.shape[1]
    value = ratio(gain, room, empty=float(same)) if room else float(same)
    return float(value), abs(error * (score - perfect) / room**2) if room else 0.0


def standard_score(measure: Measure, table: SingleTable, draws: Draws) -> tuple[float, float]:
    """The z-score, positive if better than the mean under the null, and its Monte-Carlo standard error."""
    table.need_counts("a standardized measure")
    sign = 1 if measure.better == "higher" else -1
    if is_certain(table, draws.model):
        return 0.0, 0.0
    moments = pair_moments(measure, table, draws.model)
    if moments is not None and is_affine(measure, draws.model):
        slope = np.sign(sign * pair_slope(measure, table))
        gain = float(slope) * float(pairs_joined(table) - moments.mean)
        return gain / math.sqrt(moments.variance) if moments.variance else 0.0, 0.0
    values = draws.values(measure, table)
    mean, error = draws.mean(measure, table)
    score = finite(measure, measure.of(table))
    noise = TIE * max(abs(score), abs(mean))
    deviation = float(values.std(ddof=1))
    z = sign * (score - mean) / deviation if deviation > noise else 0.0
    return z, math.sqrt((bool(error) + z * z / 2) / values.size)


def _perfect_table(table: SingleTable) -> Table:
    """The table of gold against itself."""
    sizes = np.repeat(*table.profile.classes.arrays)
    return Table.from_cells(np.arange(sizes.size), np.arange(sizes.size), sizes)
