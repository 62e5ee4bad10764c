"""Expected values of measures under a null model, and measures adjusted for chance."""

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

TIE = 1e-12  # scores that differ by less are ties
KEPT = 1 << 23  # the most cells of drawn tables that are cached for other measures


@dataclass(frozen=True)
class Draws:
    """Random clusterings to draw: the null model, the number of draws, and the seed."""

    model: Model
    samples: int
    seed: int

    def __post_init__(self) -> None:
        if self.samples < 2:
            raise MeasureError(f"samples={self.samples!r} are too few; draw two clusterings or more.")
        DRAWS.check(self.samples, "samples", MeasureError)

    def values(self, measure: Measure, table: SingleTable) -> Floats:
        """The score of each clustering drawn; every measure of a table is given the same clusterings."""
        DRAWS.check(self.samples * draws_of(measure), f"{measure} of each of {self.samples:,} samples", MeasureError)
        return table.remember((self, measure), lambda: self._values(measure, table))  # type: ignore[no-any-return]

    def _values(self, measure: Measure, table: SingleTable) -> Floats:
        pairs = self.model.draw_pairs(table, self.samples, self.seed) if of_pairs(measure) else None
        if pairs is not None:
            at = cache(partial(_at_pairs, measure, table))
            values = self._with_progress(lambda joined: np.array([at(both) for both in joined.tolist()]), pairs)
        else:
            drawn: Iterable[Counts] = self.model.draw(table, self.samples, self.seed)
            if self.samples * math.prod(table.shape) <= KEPT and self.model.null != "all":
                drawn = table.remember(self, lambda: list(drawn))
            values = self._with_progress(
                lambda some: np.atleast_1d(np.asarray(measure.of(some), dtype=np.float64)), drawn
            )
        return np.array([finite(measure, value) for value in values.tolist()])

    def _with_progress(self, value: Callable[[Any], Floats], parts: Iterable[Any]) -> Floats:
        """The values of all batches, with a progress bar while they are drawn."""
        values = []
        with bar("drawing random clusterings", self.samples) as advance:
            for part in parts:
                values.append(value(part))
                advance(values[-1].size)
        return np.concatenate(values)

    def mean(self, measure: Measure, table: SingleTable) -> tuple[float, float]:
        """The measure's expectation under the model, and its Monte-Carlo standard error, 0 if it is exact."""
        exact = expected(measure, table, self.model)
        if exact is not None:
            return exact, 0.0
        values = self.values(measure, table)
        return float(values.mean()), float(values.std(ddof=1)) / math.sqrt(values.size)

    def __str__(self) -> str:
        return f"{self.samples:,} clusterings drawn, seed {self.seed}"


def expected(measure: Measure, table: Counts, model: Model | None = None) -> float | None:
    """The exact expectation under the null model, by default over all shuffles; None if it is not known.

    The expectation of a measure that is affine in its statistics is its formula applied to their expectations.
    """
    model = model or Model()
    if not table.integral or not isinstance(table, SingleTable):
        return None
    if _certain(table, model):
        return float(measure.of(table))
    if measure.inner is not None:
        return _expected_of_derived(measure, table, model)
    # where gold is one class or all singletons, 0/0 makes measures jump at a clustering equal to gold
    jumps = model.null != "margins" and table.shape[0] in (1, table.n)
    if not jumps and is_affine(measure, model):
        chances = model.chances(table)
        means = [kind.expected(table, chances) for kind in measure.statistics]
        seen = [table.statistic(kind) for kind in measure.statistics]
        # a kink between, or near, the observed and the expected statistics means that it is not affine here
        if model.null == "margins" or _straight(partial(measure.formula, **measure.params), [seen, means]):
            return float(measure.value(means))
    return measure.chance if model.null == "margins" else None


def _expected_of_derived(measure: Measure, table: SingleTable, model: Model) -> float | None:
    """0 for a measure adjusted for this very model by an exact expectation, else None."""
    own = Model(measure.params["null"], measure.params["sides"])
    exact = measure.inner is not None and expected(measure.inner, table, model) is not None
    return 0.0 if exact and own == model else None


def finite(measure: Measure, value: Any) -> float:
    """The value as a float; MeasureError if it is not finite."""
    if not math.isfinite(value):
        raise MeasureError(f"{measure} is {value} here, which cannot be compared with chance; choose another measure.")
    return float(value)


def _certain(table: SingleTable, model: Model) -> bool:
    """Whether all clusterings of the model score the same, as with one cluster or with singletons."""
    classes, clusters = (number in (1, table.n) for number in table.shape)
    if model.null == "all":
        return bool(table.n == 1)
    if model.null == "margins":  # shuffling labels that are all equal, or all different, changes nothing
        return bool(classes or clusters)
    return bool(clusters and (model.sides == 1 or classes))


def is_affine(measure: Measure, model: Model | None = None) -> bool:
    """Whether the formula is affine in the quantities that vary under the model, by a numerical test."""
    return _is_affine(measure.formula, measure.statistics, tuple(measure.params.items()), model or Model())


# Tables of 17 items on which no measure is degenerate: with equal margins, with equal classes only, and with neither.
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
    """Whether the formula of an affine combination of the points is that combination of its values."""
    values = [float(formula(*point)) for point in points]
    for trial in range(1, 13):
        # pseudo-random weights that sum to 1, some of them negative, so that points outside the hull are tested too
        weights = [1 / len(points) + 1.2 * math.sin(trial * 7919 * (i + 1)) for i in range(len(points))]
        weights[-1] += 1 - math.fsum(weights)
        mixed = [_mixed(statistics, weights) for statistics in zip(*points, strict=True)]
        parts = [weight * value for weight, value in zip(weights, values, strict=True)]
        try:
            value = float(formula(*mixed))
        except Exception:  # a logarithm, a root or a user's formula may fail for statistics that no clustering has
            return False
        if not abs(value - math.fsum(parts)) < 1e-9 * (1 + math.fsum(map(abs, parts))):
            return False
    return True


def _mixed(statistics: Sequence[Any], weights: Sequence[float]) -> Any:
    """The weighted mean of statistics; fields that are equal in all of them stay exact."""
    varying = {}
    for field in fields(statistics[0]):
        values = [getattr(s, field.name) for s in statistics]
        if any(value != values[0] for value in values):
            varying[field.name] = math.fsum(w * float(v) for w, v in zip(weights, values, strict=True))
    return replace(statistics[0], **varying)


@derivation
def adjusted(
    measure: str | Measure, *, null: Null = "margins", sides: int = 1, samples: int = 1000, seed: int = 0
) -> Measure:
    """A measure adjusted for chance: random clusterings average 0, and gold itself scores 1.

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
    return _derived("adjusted", inner, _adjusted, (-math.inf, 1.0), 1.0, **options)


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
    return _derived("standardized", inner, standard_score, (-math.inf, math.inf), None, **options)


def with_direction(measure: str | Measure) -> Measure:
    """The measure; MeasureError if it is descriptive, so that neither high nor low values are better."""
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
    """A measure that compares another measure's value with the values of random clusterings."""

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
    """The number of random clusterings that one value of a measure requires."""
    return 1 if measure.inner is None else int(measure.params["samples"]) * draws_of(measure.inner)


def _adjusted(measure: Measure, table: SingleTable, draws: Draws) -> tuple[float, float]:
    """(score - mean) / (perfect - mean), and its Monte-Carlo standard error."""
    table.need_counts("an adjusted measure")
    score = finite(measure, measure.of(table))
    mean, error = draws.mean(measure, table)
    perfect = measure.perfect if measure.perfect is not None else float(measure.of(_gold_itself(table)))
    scale = max(abs(score), abs(mean), abs(perfect))
    gain, room = zero_if_rounding(score - mean, scale), zero_if_rounding(perfect - mean, scale)
    same = table.nonempty_cells == table.shape[0] == table.shape[1]
    value = ratio(gain, room, empty=float(same)) if room else float(same)
    return float(value), abs(error * (score - perfect) / room**2) if room else 0.0


def standard_score(measure: Measure, table: SingleTable, draws: Draws) -> tuple[float, float]:
    """The z-score, positive if better than the mean under the null, and its Monte-Carlo standard error."""
    table.need_counts("a standardized measure")
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
    """Moments of the number of pairs joined by both sides; None if the measure depends on more."""
    if model.null != "margins" or not of_pairs(measure):
        return None
    return joined_pairs(table.profile.classes, table.profile.clusters)


def pair_slope(measure: Measure, table: SingleTable) -> float:
    """The measure at the largest possible number of pairs joined by both sides, minus at the smallest."""
    pairs = table.statistic(Pairs)
    lowest = max(0, pairs.gold + pairs.pred - pairs.total)
    return _at_pairs(measure, table, min(pairs.gold, pairs.pred)) - _at_pairs(measure, table, lowest)


def of_pairs(measure: Measure) -> bool:
    """Whether a measure, given the margins, depends only on the number of pairs joined by both sides."""
    return bool(measure.statistics) and set(measure.statistics) <= {Pairs, SquareSums}


def _at_pairs(measure: Measure, table: SingleTable, both: int) -> float:
    """The measure's value if both sides joined this many pairs, with class and cluster sizes unchanged."""
    pairs, squares = table.statistic(Pairs), table.statistic(SquareSums)
    changed = {Pairs: replace(pairs, both=both), SquareSums: replace(squares, cells=2 * both + squares.n)}
    return float(measure.value(changed[kind] for kind in measure.statistics))
