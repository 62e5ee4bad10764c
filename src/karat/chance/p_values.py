"""p-values: the probability that a random clustering scores at least as well."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from karat.chance.adjusting import TIE, standard_score, standardized, with_direction
from karat.chance.draws import Draws, finite
from karat.chance.joined import pair_moments, pair_slope, pairs_joined
from karat.chance.moments import Moments
from karat.chance.nulls import Model, Null
from karat.errors import MeasureError, TableError
from karat.limits import SMALLEST_P
from karat.measures.registry import LABEL_OPTIONS, Measure
from karat.tables.counts import Counts, SingleTable
from karat.tables.table import Table


@dataclass(frozen=True)
class Significance:
    """The significance of a score under a null model; print it for a one-line summary."""

    measure: Measure
    score: float
    p: float  # probability that a random clustering scores as well or better
    z: float  # number of standard deviations by which the score is better than the mean under the null
    error: float  # Monte-Carlo standard error of p; 0 if p is computed without draws
    method: str

    def __str__(self) -> str:
        p = f"= {self.p:.4g}" if self.p > SMALLEST_P else f"< {SMALLEST_P:g}"
        error = f" ± {self.error:.2g}" if self.error else ""
        return f"{self.measure} {self.score:.4f}: z = {self.z:.2f}, p {p}{error} ({self.method})"


def significance(
    gold: object,
    pred: object = None,
    measure: str | Measure | None = None,
    *,
    null: Null = "margins",
    sides: int = 1,
    samples: int = 9999,
    seed: int = 0,
    **options: Any,
) -> Significance:
    """The p-value of a score: the probability that a random clustering scores at least as well.

    gold, pred and options such as missing= are as for score(); gold may be a Table, without pred. measure: one of which
    higher or lower is better, such as "ari". null, sides: the null model, as for adjusted(). Measures that depend
    only on the number of pairs joined by both sides (ari, rand, jaccard, ...) take p from the gamma distribution with
    the exact mean, variance and skewness of that number over all shuffles, if it takes many values; p is then at least
    the probability of this very table, and at least 1e-300. Otherwise samples clusterings are drawn with seed, and
    p = (1 + number scoring at least as well) / (1 + samples).

    >>> import karat
    >>> print(karat.significance(*karat.examples.textbook(), "purity"))  # doctest: +ELLIPSIS
    purity 0.7059: z = 2..., p = 0.02... ± 0.001... (9,999 clusterings drawn, seed 0)
    """
    if measure is None:
        raise MeasureError("measure is missing; name one, such as 'ari'.")
    chosen = with_direction(measure)
    checked = standardized(chosen, null=null, sides=sides, samples=samples, seed=seed).params
    draws = Draws(Model(checked["null"], checked["sides"]), checked["samples"], checked["seed"])
    for key in options:
        if key not in LABEL_OPTIONS:
            raise MeasureError(f"there is no such option; leave out {key}.")
    table = _table(gold, pred, options)
    table.need_counts("a p-value")
    score = finite(chosen, chosen.of(table))
    moments = pair_moments(chosen, table, draws.model)
    if moments is not None and _fine_grained(table, moments):
        return _by_moments(chosen, table, score, moments)
    values = draws.values(chosen, table)
    tie = TIE * max(1.0, abs(score))
    as_good = int((values >= score - tie).sum() if chosen.better == "higher" else (values <= score + tie).sum())
    p = (1 + as_good) / (1 + samples)
    return Significance(
        chosen, score, p, standard_score(chosen, table, draws)[0], math.sqrt(p * (1 - p) / samples), str(draws)
    )


def p_value(gold: object, pred: object = None, measure: str | Measure | None = None, **options: Any) -> float:
    """The p-value of a score: the probability that a random clustering scores at least as well.

    This is significance(...).p, and takes the same arguments.

    >>> import karat
    >>> round(karat.p_value([0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 1], "ari"), 1)
    0.1
    """
    return significance(gold, pred, measure, **options).p


def _table(gold: object, pred: object, options: dict[str, Any]) -> SingleTable:
    """The table of gold and pred labels under these options; or gold, if it is a table and pred is None."""
    if isinstance(gold, Table):
        given = [key for key, value in options.items() if value is not None and str(value) != "raise"]
        if pred is not None:
            raise TableError("gold is a Table, so there is no pred; measures are given as measures=[...].")
        if given:
            raise TableError(f"gold is a Table, which has been counted already; leave out {given[0]}.")
        return gold
    if isinstance(gold, SingleTable) and pred is None:
        return gold
    if isinstance(gold, Counts):
        raise TableError("one table is wanted, not a Stack; give the Stack to a measure, as in karat.ari(stack).")
    if pred is None:
        raise TableError(
            "pred is missing; give the predicted labels, or karat.Table.from_matrix(matrix) in place of both."
        )
    return Table.from_labels(gold, pred, **options)


def _fine_grained(table: SingleTable, moments: Moments) -> bool:
    """Whether the number of joined pairs takes so many values that a continuous distribution fits it.

    Swapping two items' labels changes it by about (a - a')(b - b')/n, for the sizes of their classes and clusters. In
    the smallest tables one or two cells determine all others, so these must vary much. On random tables of 100 to
    3,000 items, most of them coarser than required here, p was within 0.025 of the p of 20,000 shuffles.
    """
    classes, clusters = table.profile.classes.size, table.profile.clusters.size
    step = max(1.0, (classes[-1] - classes[0]) * (clusters[-1] - clusters[0]) / table.n)
    free = [
        min(number - 1, sum(times for size, times in zip(*sizes, strict=True) if size > 1))  # singletons join no pair
        for number, sizes in zip(table.shape, (table.profile.classes, table.profile.clusters), strict=True)
    ]
    varied = free[0] * free[1] >= 4 or classes[0] * clusters[0] / table.n > 50**2
    return varied and math.sqrt(moments.variance) >= 10 * step and abs(moments.skewness) < 4


def _by_moments(measure: Measure, table: SingleTable, score: float, moments: Moments) -> Significance:
    both = pairs_joined(table)
    slope = pair_slope(measure, table) * (1 if measure.better == "higher" else -1)
    p = moments.upper_tail(both) if slope > 0 else moments.lower_tail(both) if slope < 0 else 1.0
    p = min(1.0, max(p, _probability(table), SMALLEST_P))
    z = math.copysign(1, slope) * float(both - moments.mean) / math.sqrt(moments.variance) if slope else 0.0
    return Significance(measure, score, p, z, 0.0, "gamma distribution with the exact moments")


def _probability(table: SingleTable) -> float:
    """The probability that shuffled labels give this table: prod h(c)! prod h(k)! / (n! prod h(c,k)!)."""
    profile = table.profile
    terms = [-math.lgamma(table.n + 1)]
    for sign, sizes in ((1, profile.classes), (1, profile.clusters), (-1, profile.cells)):
        terms += [sign * times * math.lgamma(size + 1) for size, times in zip(*sizes, strict=True)]
    return math.exp(min(0.0, math.fsum(terms)))
