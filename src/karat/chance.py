"""What a measure gives by chance: its expectation, the measure adjusted for it, and how likely chance does as well."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from functools import lru_cache, partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from karat.arithmetic import ratio, settle
from karat.counts import Counts, Profiled, Statistic
from karat.errors import MeasureError
from karat.measures.pairs import Pairs, SquareSums
from karat.moments import Moments, joined_pairs
from karat.nulls import Model, Null
from karat.parsing import Labelings, derivation, parse
from karat.registry import Measure
from karat.tables import Table

Formula: TypeAlias = Callable[..., Any]
Floats: TypeAlias = NDArray[np.float64]

TIE = 1e-12  # scores nearer than that are as good as each other
KEPT = 1 << 23  # cells of drawn tables that are kept for the next measure


@dataclass(frozen=True)
class Draws:
    """Random clusterings to compare with: a model, how many, and the seed that makes them the same again."""

    model: Model
    samples: int
    seed: int

    def __post_init__(self) -> None:
        if self.samples < 2:
            raise MeasureError(f"samples={self.samples!r} are too few; draw two clusterings or more.")

    def values(self, measure: Measure, table: Profiled) -> Floats:
        """The measure of each clustering drawn; the same clusterings serve every measure of a table."""
        kept = table._statistics.get(self)
        if kept is None:
            kept = self.model.draw(table, self.samples, self.seed)
            if self.samples * math.prod(table.shape) <= KEPT and self.model.null != "all":
                kept = table._statistics[self] = list(kept)
        return np.concatenate([np.atleast_1d(np.asarray(measure.of(drawn), dtype=np.float64)) for drawn in kept])

    def mean(self, measure: Measure, table: Profiled) -> tuple[float, float]:
        """The measure's average over the model, and the standard error of that: 0 if it is exact."""
        exact = expected(measure, table, self.model)
        if exact is not None:
            return exact, 0.0
        values = self.values(measure, table)
        return float(values.mean()), float(values.std(ddof=1)) / math.sqrt(values.size)

    def __str__(self) -> str:
        return f"{self.samples:,} clusterings drawn, seed {self.seed}"


def expected(measure: Measure, table: Counts, model: Model | None = None) -> float | None:
    """The exact expectation over the model, by default over all shuffles, where it is known in closed form.

    A measure that is a straight line in statistics whose own expectation is known has the expectation that its
    formula gives for them.
    """
    model = model or Model()
    if not table.whole or not isinstance(table, Profiled):
        return None
    if _certain(table, model):
        return float(measure.of(table))
    if is_affine(measure, model):
        chances = model.chances(table)
        return float(measure.value(kind.expected(table, chances) for kind in measure.statistics))
    return measure.chance if model.null == "margins" else None


def _certain(table: Profiled, model: Model) -> bool:
    """Whether all the clusterings of the model are alike: one cluster, or every item alone."""
    classes, clusters = (number in (1, table.n) for number in table.shape)
    if model.null == "all":
        return bool(table.n == 1)
    return bool(clusters and (model.null == "margins" or model.sides == 1 or classes))


def is_affine(measure: Measure, model: Model | None = None) -> bool:
    """Whether the formula is a straight line in all that the model moves; tried, not declared."""
    return _is_affine(measure.formula, measure.statistics, tuple(measure.params.items()), model or Model())


# Tables of 17 items on which no measure is degenerate: some with the same margins, some with the same classes, others.
_SAME_MARGINS = (
    [[5, 1, 2], [1, 4, 0], [0, 1, 3]],
    [[2, 3, 3], [3, 1, 1], [1, 2, 1]],
    [[6, 0, 2], [0, 5, 0], [0, 1, 3]],
)
_SAME_CLASSES = (*_SAME_MARGINS, [[8, 0], [1, 4], [2, 2]], [[3, 2, 1, 1, 1], [0, 1, 2, 1, 1], [1, 0, 1, 1, 1]])
_ANY = (
    *_SAME_CLASSES,
    [[9, 2], [1, 5]],
    [[1, 2, 0], [0, 2, 1], [2, 1, 1], [1, 0, 2], [1, 1, 2]],
    [[1] * 8, [2, 1] * 3 + [0, 0]],
)


@lru_cache(maxsize=1000)
def _is_affine(
    formula: Formula, kinds: tuple[type[Statistic], ...], params: tuple[tuple[str, Any], ...], model: Model
) -> bool:
    probes = _SAME_MARGINS if model.null == "margins" else _SAME_CLASSES if model.sides == 1 else _ANY
    tables = [Table.from_matrix(probe) for probe in probes]
    if any(kind.expected(tables[0], model.chances(tables[0])) is None for kind in kinds):
        return False
    points = [[table.statistic(kind) for kind in kinds] for table in tables]
    return _straight(partial(formula, **dict(params)), points)


def _straight(formula: Formula, points: Sequence[Sequence[Any]]) -> bool:
    """Whether weighted means of the points have the weighted means of their values, also beyond the points."""
    values = [float(formula(*point)) for point in points]
    rng = np.random.default_rng(0)
    for _ in range(12):
        weights = rng.normal(1 / len(points), 0.7, len(points))
        weights[-1] += 1 - weights.sum()
        mixed = [_mixed(statistics, weights.tolist()) for statistics in zip(*points, strict=True)]
        wanted = float(weights @ values)
        try:
            found = float(formula(*mixed))
        except (ValueError, ArithmeticError):  # a logarithm or a root, where a mean is not a clustering
            return False
        if not abs(found - wanted) < 1e-9 * (1 + np.abs(weights * values).sum()):
            return False
    return True


def _mixed(statistics: Sequence[Any], weights: Sequence[float]) -> Any:
    """The weighted mean of some statistics; fields that do not move stay exact."""
    moved = {}
    for field in fields(statistics[0]):
        values = [getattr(s, field.name) for s in statistics]
        if any(value != values[0] for value in values):
            moved[field.name] = math.fsum(w * float(v) for w, v in zip(weights, values, strict=True))
    return replace(statistics[0], **moved)


@derivation
def adjusted(
    measure: str | Measure, *, null: Null = "margins", sides: int = 1, samples: int = 1000, seed: int = 0
) -> Measure:
    """A measure rescaled so that random clusterings average 0 and gold itself gives 1.

    The expectation is exact where it is known, else the mean over samples clusterings drawn with seed; then
    adjusted(...).error(table) is its Monte-Carlo standard error. null says which clusterings count as random: those
    with the same cluster sizes ("margins"), the same number of clusters ("number"), or "all"; with sides=2 gold is
    drawn as well.

    >>> import karat
    >>> gold, pred = [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]
    >>> round(karat.adjusted("rand")(gold, pred), 6) == round(karat.ari(gold, pred), 6)
    True
    >>> karat.adjusted("purity", null="all")
    adjusted(purity, null=all)
    """
    inner = _comparable(measure)
    return _derived("adjusted", inner, _adjusted, (-math.inf, 1.0), 1.0, null, sides, samples, seed)


@derivation
def standardized(
    measure: str | Measure, *, null: Null = "margins", sides: int = 1, samples: int = 1000, seed: int = 0
) -> Measure:
    """How many standard deviations a score is better than random clusterings are on average.

    Exact for measures that are linear in the number of pairs joined by both sides, such as rand; else by samples
    clusterings drawn with seed. The other parameters are those of adjusted(). 0 where chance never varies.

    >>> import karat
    >>> round(karat.standardized("rand")([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]), 4)
    0.8165
    """
    inner = _comparable(measure)
    return _derived("standardized", inner, _standardized, (-math.inf, math.inf), None, null, sides, samples, seed)


def _comparable(measure: str | Measure) -> Measure:
    inner = parse(measure)
    if inner.better is None:
        raise MeasureError(f"{inner} has no better end, so chance cannot do as well; choose a measure that has one.")
    return inner


def _derived(
    name: str,
    inner: Measure,
    value: Callable[[Measure, Any, Draws], tuple[float, float]],
    bounds: tuple[float, float],
    perfect: float | None,
    *given: Any,
) -> Measure:
    """A measure of a table that compares another measure's value with what draws give."""

    def formula(
        labelings: Labelings, *, null: Null = "margins", sides: int = 1, samples: int = 1000, seed: int = 0
    ) -> Any:
        draws = Draws(Model(null, sides), samples, seed)
        return labelings.counts.each(lambda table: value(inner, table, draws)[0])

    def error(table: Any, *, null: Null, sides: int, samples: int, seed: int) -> float:
        return value(inner, table, Draws(Model(null, sides), samples, seed))[1]

    formula.__doc__ = f"{inner.title}, {name} for chance."
    defaults = dict(formula.__kwdefaults__ or {})
    derived = Measure(
        name,
        formula,
        (Labelings,),
        f"{inner.title}, {name}",
        "higher",
        bounds=bounds,
        perfect=perfect,
        chance=0,
        paper="vinh2010" if name == "adjusted" else "",
        defaults=defaults,
        params=defaults,
        inner=inner,
        error_of=error,
    )
    return derived._with(dict(zip(defaults, given, strict=True)))


def _adjusted(measure: Measure, table: Profiled, draws: Draws) -> tuple[float, float]:
    """(score - mean) / (perfect - mean), and its Monte-Carlo standard error."""
    _need_counts(table)
    score = float(measure.of(table))
    mean, error = draws.mean(measure, table)
    perfect = measure.perfect if measure.perfect is not None else float(measure.of(_gold_itself(table)))
    scale = max(abs(score), abs(mean), abs(perfect))
    gain, room = settle(score - mean, scale), settle(perfect - mean, scale)
    same = table.filled == table.shape[0] == table.shape[1]
    value = ratio(gain, room, empty=float(same)) if room else float(same)
    return float(value), abs(error * (score - perfect) / room**2) if room else 0.0


def _standardized(measure: Measure, table: Profiled, draws: Draws) -> tuple[float, float]:
    """(score - mean) / deviation, upwards if better, and its Monte-Carlo standard error."""
    _need_counts(table)
    sign = 1 if measure.better == "higher" else -1
    if _certain(table, draws.model):
        return 0.0, 0.0
    moments = _pair_moments(measure, table, draws.model)
    if moments is not None and is_affine(measure, draws.model):
        gain = sign * math.copysign(1, _slope(measure, table)) * float(table.statistic(Pairs).both - moments.mean)
        return _over(gain, math.sqrt(moments.variance)) * (_slope(measure, table) != 0), 0.0
    values = draws.values(measure, table)
    mean, deviation = draws.mean(measure, table)[0], float(values.std(ddof=1))
    z = _over(sign * (float(measure.of(table)) - mean), deviation)
    return z, math.sqrt((1 + z * z / 2) / values.size)


def _over(gain: float, deviation: float) -> float:
    return gain / deviation if deviation > TIE * abs(gain) else 0.0


def _gold_itself(table: Profiled) -> Table:
    sizes = np.repeat(*table.profile.classes.arrays)
    return Table.from_cells(np.arange(sizes.size), np.arange(sizes.size), sizes)


def _need_counts(table: Counts) -> None:
    table.need_counts("what chance gives")


def _pair_moments(measure: Measure, table: Profiled, model: Model) -> Moments | None:
    """The moments of the pairs joined by both, if the measure depends on nothing else that the model moves."""
    if model.null != "margins" or not set(measure.statistics) <= {Pairs, SquareSums}:
        return None
    return joined_pairs(table.profile.classes, table.profile.clusters)


def _slope(measure: Measure, table: Profiled) -> float:
    """How the measure changes with the number of pairs joined by both."""
    pairs, squares = table.statistic(Pairs), table.statistic(SquareSums)
    lowest = max(0, pairs.gold + pairs.pred - pairs.total)

    def at(both: Any) -> float:
        moved = {Pairs: replace(pairs, both=both), SquareSums: replace(squares, cells=2 * both + squares.n)}
        return float(measure.value(moved[kind] for kind in measure.statistics))

    return at(min(pairs.gold, pairs.pred)) - at(lowest)


@dataclass(frozen=True)
class Significance:
    """Whether a score is better than chance would give; print it to read it."""

    measure: Measure
    score: float
    p: float  # how often random clusterings are as good or better
    z: float  # by how many standard deviations the score is better than theirs on average
    error: float  # Monte-Carlo standard error of p; 0 if nothing was drawn
    method: str

    def __str__(self) -> str:
        doubt = f" ± {self.error:.2g}" if self.error else ""
        return f"{self.measure} {self.score:.4f}: z = {self.z:.2f}, p = {self.p:.4g}{doubt} ({self.method})"


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
    """How often random clusterings would do as well as this one, by a measure.

    gold, pred and options such as missing= are those of score(); gold may be a Table, without pred. For measures that
    depend on the pairs joined by both sides only (ari, rand, jaccard, ...) the exact mean, variance and skewness of
    that number over all shuffles give p, by the gamma distribution that has them; otherwise, and on tables too small
    for that, samples clusterings are drawn with seed, and p = (1 + as good) / (1 + samples).

    >>> import karat
    >>> print(karat.significance(*karat.examples.textbook(), "purity"))  # doctest: +ELLIPSIS
    purity 0.7059: z = 2..., p = 0.02... ± 0.001... (9,999 clusterings drawn, seed 0)
    """
    if measure is None:
        raise MeasureError("measure is missing; name one, such as 'ari'.")
    chosen, draws = _comparable(measure), Draws(Model(null, sides), samples, seed)
    table = gold if isinstance(gold, Table) and pred is None else Table.from_labels(gold, pred, **options)
    _need_counts(table)
    score = float(chosen.of(table))
    moments = _pair_moments(chosen, table, draws.model)
    if moments is not None and table.n >= 200 and _smooth(moments):
        return _by_moments(chosen, table, score, moments)
    values = draws.values(chosen, table)
    tie = TIE * max(1.0, abs(score))
    as_good = int((values >= score - tie).sum() if chosen.better == "higher" else (values <= score + tie).sum())
    p = (1 + as_good) / (1 + samples)
    return Significance(
        chosen, score, p, _standardized(chosen, table, draws)[0], math.sqrt(p * (1 - p) / samples), str(draws)
    )


def p_value(
    gold: object,
    pred: object = None,
    measure: str | Measure | None = None,
    *,
    null: Null = "margins",
    sides: int = 1,
    samples: int = 9999,
    seed: int = 0,
    **options: Any,
) -> float:
    """How often random clusterings would do as well as this one, by a measure: the p of significance().

    >>> import karat
    >>> round(karat.p_value([0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 1], "ari"), 1)
    0.1
    """
    found = significance(gold, pred, measure, null=null, sides=sides, samples=samples, seed=seed, **options)
    return found.p


def _smooth(moments: Moments) -> bool:
    """Whether the number of pairs takes so many values that a continuous distribution fits it.

    Then, on 40 random tables with 20,000 shuffles each, p was within 0.015 near 0.5 and 15 % near 0.01.
    """
    return moments.variance > 100 and abs(moments.skewness) < 4


def _by_moments(measure: Measure, table: Table, score: float, moments: Moments) -> Significance:
    both = table.statistic(Pairs).both
    slope = _slope(measure, table) * (1 if measure.better == "higher" else -1)
    tail = moments.upper_tail(both)
    p = tail if slope > 0 else 1 - moments.upper_tail(both + 1) if slope < 0 else 1.0
    z = math.copysign(1, slope) * float(both - moments.mean) / math.sqrt(moments.variance) if slope else 0.0
    return Significance(measure, score, p, z, 0.0, "gamma distribution with the exact moments")
