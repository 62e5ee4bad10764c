"""What a measure gives by chance: its expectation over random clusterings, and the measure adjusted for it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache, lru_cache, partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from karat.chance.moments import Moments, joined_pairs
from karat.chance.nulls import Model, Null
from karat.errors import MeasureError
from karat.limits import DRAWS
from karat.measures.arithmetic import ratio, zero_if_rounding
from karat.measures.pairs import Pairs, SquareSums
from karat.measures.parsing import Labelings, derivation, parse
from karat.measures.registry import Measure
from karat.output.bars import bar
from karat.tables.counts import Counts, SingleTable, Statistic
from karat.tables.table import Table

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
        DRAWS.check(self.samples, "samples", MeasureError)

    def values(self, measure: Measure, table: SingleTable) -> Floats:
        """The measure of each clustering drawn; the same clusterings serve every measure of a table."""
        DRAWS.check(self.samples * draws_of(measure), f"{measure} of each of {self.samples:,} samples", MeasureError)
        return table.remember((self, measure), lambda: self._values(measure, table))  # type: ignore[no-any-return]

    def _values(self, measure: Measure, table: SingleTable) -> Floats:
        pairs = self.model.draw_pairs(table, self.samples, self.seed) if of_pairs(measure) else None
        if pairs is not None:
            at = cache(partial(_at_pairs, measure, table))
            values = self._shown(lambda joined: np.array([at(both) for both in joined.tolist()]), pairs)
        else:
            drawn: Iterable[Counts] = self.model.draw(table, self.samples, self.seed)
            if self.samples * math.prod(table.shape) <= KEPT and self.model.null != "all":
                drawn = table.remember(self, lambda: list(drawn))
            values = self._shown(lambda some: np.atleast_1d(np.asarray(measure.of(some), dtype=np.float64)), drawn)
        return np.array([finite(measure, value) for value in values.tolist()])

    def _shown(self, value: Callable[[Any], Floats], parts: Iterable[Any]) -> Floats:
        """The values of all parts, with a bar while they are drawn."""
        values = []
        with bar("drawing random clusterings", self.samples) as advance:
            for part in parts:
                values.append(value(part))
                advance(values[-1].size)
        return np.concatenate(values)

    def mean(self, measure: Measure, table: SingleTable) -> tuple[float, float]:
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
    if not table.integral or not isinstance(table, SingleTable):
        return None
    if _certain(table, model):
        return float(measure.of(table))
    if measure.inner is not None:
        return _expected_of_derived(measure, table, model)
    jumps = model.null != "margins" and table.shape[0] in (1, table.n)  # of 0/0, where such gold meets its like
    if not jumps and is_affine(measure, model):
        chances = model.chances(table)
        means = [kind.expected(table, chances) for kind in measure.statistics]
        seen = [table.statistic(kind) for kind in measure.statistics]
        # with a kink between what is seen and what is expected, or near them, it is no straight line here
        if model.null == "margins" or _straight(partial(measure.formula, **measure.params), [seen, means]):
            return float(measure.value(means))
    return measure.chance if model.null == "margins" else None


def _expected_of_derived(measure: Measure, table: SingleTable, model: Model) -> float | None:
    """0 if the measure is adjusted for this very model, by an exact expectation."""
    own = Model(measure.params["null"], measure.params["sides"])
    exact = measure.inner is not None and expected(measure.inner, table, model) is not None
    return 0.0 if exact and own == model else None


def finite(measure: Measure, value: Any) -> float:
    """The value, if it can be compared with others."""
    if not math.isfinite(value):
        raise MeasureError(f"{measure} is {value} here, which cannot be compared with chance; choose another measure.")
    return float(value)


def _certain(table: SingleTable, model: Model) -> bool:
    """Whether all the clusterings of the model score alike, since there is one cluster, or every item is alone."""
    classes, clusters = (number in (1, table.n) for number in table.shape)
    if model.null == "all":
        return bool(table.n == 1)
    if model.null == "margins":  # to shuffle labels that are all alike, or all different, changes nothing
        return bool(classes or clusters)
    return bool(clusters and (model.sides == 1 or classes))


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
    tables = _probes(model)
    if any(kind.expected(tables[0], model.chances(tables[0])) is None for kind in kinds):
        return False
    points = [[table.statistic(kind) for kind in kinds] for table in tables]
    return _straight(partial(formula, **dict(params)), points)


@cache
def _probes(model: Model) -> list[Table]:
    probes = _SAME_MARGINS if model.null == "margins" else _SAME_CLASSES if model.sides == 1 else _ANY
    return [Table.from_matrix(probe) for probe in probes]


def _straight(formula: Formula, points: Sequence[Sequence[Any]]) -> bool:
    """Whether weighted means of the points have the weighted means of their values, also beyond the points."""
    values = [float(formula(*point)) for point in points]
    for trial in range(1, 13):
        weights = [1 / len(points) + 1.2 * math.sin(trial * 7919 * (place + 1)) for place in range(len(points))]
        weights[-1] += 1 - math.fsum(weights)
        mixed = [_mixed(statistics, weights) for statistics in zip(*points, strict=True)]
        parts = [weight * value for weight, value in zip(weights, values, strict=True)]
        try:
            found = float(formula(*mixed))
        except Exception:  # a logarithm, a root or a user's own formula, where a mean is not a clustering
            return False
        if not abs(found - math.fsum(parts)) < 1e-9 * (1 + math.fsum(map(abs, parts))):
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
    options = {"null": null, "sides": sides, "samples": samples, "seed": seed}
    inner = with_direction(measure)
    return _derived("adjusted", inner, _adjusted, (-math.inf, 1.0), 1.0, **options)


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
    options = {"null": null, "sides": sides, "samples": samples, "seed": seed}
    inner = with_direction(measure)
    return _derived("standardized", inner, standard_score, (-math.inf, math.inf), None, **options)


def with_direction(measure: str | Measure) -> Measure:
    """The measure, if one value of it can be better than another."""
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
    **given: Any,
) -> Measure:
    """A measure of a table that compares another measure's value with what draws give."""

    def formula(
        labelings: Labelings, *, null: Null = "margins", sides: int = 1, samples: int = 1000, seed: int = 0
    ) -> Any:
        DRAWS.check(samples * draws_of(inner), f"{name}({inner})", MeasureError)
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
        paper="gates2017",
        defaults=defaults,
        params=defaults,
        inner=inner,
        error_of=error,
    )
    return derived._with(given)


def draws_of(measure: Measure) -> int:
    """How many random clusterings one value of a measure takes."""
    return 1 if measure.inner is None else int(measure.params["samples"]) * draws_of(measure.inner)


def _adjusted(measure: Measure, table: SingleTable, draws: Draws) -> tuple[float, float]:
    """(score - mean) / (perfect - mean), and its Monte-Carlo standard error."""
    table.need_counts("what chance gives")
    score = finite(measure, measure.of(table))
    mean, error = draws.mean(measure, table)
    perfect = measure.perfect if measure.perfect is not None else float(measure.of(_gold_itself(table)))
    scale = max(abs(score), abs(mean), abs(perfect))
    gain, room = zero_if_rounding(score - mean, scale), zero_if_rounding(perfect - mean, scale)
    same = table.nonempty_cells == table.shape[0] == table.shape[1]
    value = ratio(gain, room, empty=float(same)) if room else float(same)
    return float(value), abs(error * (score - perfect) / room**2) if room else 0.0


def standard_score(measure: Measure, table: SingleTable, draws: Draws) -> tuple[float, float]:
    """(score - mean) / deviation, upwards if better, and its Monte-Carlo standard error."""
    table.need_counts("what chance gives")
    sign = 1 if measure.better == "higher" else -1
    if _certain(table, draws.model):
        return 0.0, 0.0
    moments = pair_moments(measure, table, draws.model)
    if moments is not None and is_affine(measure, draws.model):
        slope = np.sign(sign * pair_slope(measure, table))
        gain = float(slope) * float(table.statistic(Pairs).both - moments.mean)
        return gain / math.sqrt(moments.variance) if moments.variance else 0.0, 0.0
    values = draws.values(measure, table)
    mean, error = draws.mean(measure, table)
    score = finite(measure, measure.of(table))
    noise = TIE * max(abs(score), abs(mean))
    deviation = float(values.std(ddof=1))
    z = sign * (score - mean) / deviation if deviation > noise else 0.0
    return z, math.sqrt((bool(error) + z * z / 2) / values.size)


def _gold_itself(table: SingleTable) -> Table:
    sizes = np.repeat(*table.profile.classes.arrays)
    return Table.from_cells(np.arange(sizes.size), np.arange(sizes.size), sizes)


def pair_moments(measure: Measure, table: SingleTable, model: Model) -> Moments | None:
    """The moments of the pairs joined by both, if the measure depends on nothing else that the model moves."""
    if model.null != "margins" or not of_pairs(measure):
        return None
    return joined_pairs(table.profile.classes, table.profile.clusters)


def pair_slope(measure: Measure, table: SingleTable) -> float:
    """How the measure changes with the number of pairs joined by both."""
    pairs = table.statistic(Pairs)
    lowest = max(0, pairs.gold + pairs.pred - pairs.total)
    return _at_pairs(measure, table, min(pairs.gold, pairs.pred)) - _at_pairs(measure, table, lowest)


def of_pairs(measure: Measure) -> bool:
    """Whether, with class and cluster sizes given, a measure depends on the pairs joined by both sides only."""
    return bool(measure.statistics) and set(measure.statistics) <= {Pairs, SquareSums}


def _at_pairs(measure: Measure, table: SingleTable, both: int) -> float:
    """The measure if both sides joined that many pairs, with class and cluster sizes as they are."""
    pairs, squares = table.statistic(Pairs), table.statistic(SquareSums)
    moved = {Pairs: replace(pairs, both=both), SquareSums: replace(squares, cells=2 * both + squares.n)}
    return float(measure.value(moved[kind] for kind in measure.statistics))
