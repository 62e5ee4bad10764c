"""Histograms of cell, class and cluster sizes, and the exact sums that follow from them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, pairwise
from operator import mul
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from karat.errors import MeasureError, brief
from karat.kernels.logarithm import log_terms
from karat.kernels.tallying import sums_by_exponent, tally

Exact: TypeAlias = int | Fraction
Floats: TypeAlias = NDArray[np.float64]


class Sizes(NamedTuple):
    """A histogram: distinct sizes in increasing order, and the number, or expected number, of each."""

    size: tuple[int, ...]
    times: tuple[Any, ...]

    @classmethod
    def of(cls, values: Iterable[int] | NDArray[np.int64]) -> Sizes:
        """The histogram of some positive integers, of any magnitude."""
        if isinstance(values, np.ndarray) and values.dtype != object:
            size, times = tally(values)
            return cls(tuple(size.tolist()), tuple(times.tolist()))
        counted: dict[int, int] = {}
        for value in values:
            counted[value] = counted.get(value, 0) + 1
        size_times = sorted(counted.items())
        return cls(tuple(s for s, _ in size_times), tuple(t for _, t in size_times))

    @property
    def arrays(self) -> tuple[NDArray[np.int64], NDArray[Any]]:
        """The distinct sizes and their frequencies, as arrays."""
        return np.array(self.size, dtype=np.int64), np.array(self.times)

    @property
    def number(self) -> Any:
        """The number of classes, clusters or cells in the histogram."""
        return sum(self.times)

    @property
    def total(self) -> Any:
        """The sum of all sizes."""
        return sum(map(mul, self.size, self.times))

    @property
    def squares(self) -> Any:
        """The sum of all squared sizes, in Python integers, which cannot overflow."""
        return sum(map(mul, map(mul, self.size, self.size), self.times))


class Squares(NamedTuple):
    """Sums of squared cell counts, class sizes and cluster sizes."""

    cells: Any
    classes: Any
    clusters: Any


def formula(f: Any) -> Any:
    """A formula of cells, sizes or tables; MeasureError if it is not a function."""
    if not callable(f):
        raise MeasureError(f"{brief(f)} is not a formula; give a function.")
    return f


@dataclass(frozen=True)
class Information:
    """Entropies in nats; each is rounded once, and none is a difference of rounded values."""

    gold: Any  # H(C)
    pred: Any  # H(K)
    joint: Any  # H(C,K)
    gold_given_pred: Any  # H(C|K)
    pred_given_gold: Any  # H(K|C)
    mutual: Any  # I(C;K)


class Totals:
    """n and the numbers of classes and clusters, as floats that broadcast with the other arguments of a formula.

    counts: whatever has n and shape; for many tables, these are arrays with one element for each.
    axes: the number of axes that the sizes or cells of each of many tables have; 0 for one table.
    """

    def __init__(self, counts: Any, axes: int = 0) -> None:
        self._counts, self._axes = counts, axes

    @property
    def n(self) -> Any:
        """The number of items, or their total weight."""
        return self._shaped(self._counts.n)

    @property
    def classes(self) -> Any:
        """The number of classes."""
        return self._shaped(self._counts.shape[0])

    @property
    def clusters(self) -> Any:
        """The number of clusters."""
        return self._shaped(self._counts.shape[1])

    def _shaped(self, value: Any) -> Any:
        if not self._axes:
            return float(value)
        return np.asarray(value, dtype=np.float64)[(..., *(None,) * self._axes)]


@dataclass(frozen=True)
class Profile:
    """Three histograms of sizes, from which every separable statistic follows exactly.

    Sizes are integers in steps of unit: 1 for counts, and for a real-valued table the power of two of which
    all its cells are integer multiples (every float is an integer times a power of two), so that its margins are
    exact as well. There are at most sqrt(2n) distinct counts that add up to n, so a profile is small.
    """

    cells: Sizes
    classes: Sizes
    clusters: Sizes
    unit: Exact = 1

    @property
    def n(self) -> Exact:
        """The number of items, or their total weight."""
        return self.classes.total * self.unit  # type: ignore[no-any-return]

    @property
    def shape(self) -> tuple[int, int]:
        """How many classes and how many clusters."""
        return self.classes.number, self.clusters.number

    @property
    def squares(self) -> Squares:
        """Sums of squared cells, class sizes and cluster sizes."""
        unit = self.unit * self.unit
        return Squares(self.cells.squares * unit, self.classes.squares * unit, self.clusters.squares * unit)

    @property
    def largest(self) -> tuple[Exact, Exact]:
        """The sizes of the largest class and of the largest cluster."""
        return self.classes.size[-1] * self.unit, self.clusters.size[-1] * self.unit

    def class_total(self, f: Callable[[Floats, Totals], Floats]) -> float:
        """The sum over classes of f(size, totals)."""
        return self._total(self.classes, f)

    def cluster_total(self, f: Callable[[Floats, Totals], Floats]) -> float:
        """The sum over clusters of f(size, totals)."""
        return self._total(self.clusters, f)

    def _total(self, sizes: Sizes, f: Callable[[Floats, Totals], Floats]) -> float:
        values = formula(f)(self.weights(sizes), Totals(self))
        return math.fsum((values * np.array(sizes.times, dtype=np.float64)).tolist())

    def weights(self, sizes: Sizes) -> Floats:
        """The distinct sizes times the unit, as floats."""
        return np.array([float(size * self.unit) for size in sizes.size])

    @cached_property
    def information(self) -> Information:
        """The six entropies in nats, each from one exact sum, as n H(C) = n log n - sum of h(c) log h(c)."""
        total = self.classes.total
        distinct = sum(len(sizes.size) for sizes in (self.cells, self.classes, self.clusters))
        if total >> 44 > self.cells.size[0] and distinct < 20_000:
            return self._extreme_information()
        scale = 1 << max(0, total.bit_length() - 53)  # entropies do not depend on the unit
        n = total / scale
        noise = 1e-27 * n * math.log(n + 2)  # the rounding error of thirty-digit logarithms: anything below is 0
        parts = _terms([Sizes((total,), (1,)), self.cells, self.classes, self.clusters], scale)

        def combine(*signs: int) -> float:
            value = math.fsum([sign * term for sign, part in zip(signs, parts, strict=True) if sign for term in part])
            return value / n if value > noise else 0.0

        return _entropies(combine)

    def _extreme_information(self) -> Information:
        """The six entropies in decimal arithmetic, for tables with a cell below 1e-13 of the total."""
        digits = len(str(self.classes.total)) - len(str(self.cells.size[0]))
        with localcontext(prec=60 + 3 * digits) as context:
            groups = (Sizes((self.classes.total,), (1,)), self.cells, self.classes, self.clusters)
            sums = [
                sum((t * Decimal(s) * Decimal(s).ln() for s, t in zip(*sizes, strict=True)), Decimal(0))
                for sizes in groups
            ]
            noise = abs(sums[0]) * Decimal(10) ** (20 - context.prec)

            def combine(*signs: int) -> float:
                value = sum((sign * part for sign, part in zip(signs, sums, strict=True)), Decimal(0))
                return float(value / self.classes.total) if value > noise else 0.0

            return _entropies(combine)


def _entropies(combine: Callable[..., float]) -> Information:
    """The entropies, from a function that adds x log x of total, cells, classes, clusters with signs."""
    gold, pred, mutual = combine(1, 0, -1, 0), combine(1, 0, 0, -1), combine(1, 1, -1, -1)
    return Information(
        gold=gold,
        pred=pred,
        joint=combine(1, -1, 0, 0),
        gold_given_pred=combine(0, -1, 0, 1) if mutual else gold,
        pred_given_gold=combine(0, -1, 1, 0) if mutual else pred,
        mutual=mutual,
    )


def _terms(groups: Sequence[Sizes], scale: int) -> list[list[float]]:
    """For each histogram three floats that add up to the sum of x log x, x in units of scale."""
    sizes = [size for group in groups for size in group.size]
    times = np.array([time for group in groups for time in group.times], dtype=np.float64)
    high = np.array(sizes, dtype=np.float64) if scale == 1 else np.array([size / scale for size in sizes])
    low = np.zeros_like(high)
    if max(sizes) >= 1 << 53:
        pairs = zip(sizes, high.tolist(), strict=True)
        low = np.array([float(Fraction(size, scale) - Fraction(rounded)) for size, rounded in pairs])
    tiny = high <= 1e-200  # contributes no digit, and its products would underflow
    high[tiny], times[tiny] = 1.0, 0.0
    low[tiny] = 0.0
    terms = log_terms(high, low, times)
    ends = accumulate((len(group.size) for group in groups), initial=0)
    return [_three(terms[:, start:end].ravel().tolist()) for start, end in pairwise(ends)]


def _three(parts: list[float]) -> list[float]:
    """Three floats with the sum of parts to 150 bits: each is the rounded remainder after the last."""
    sums = []
    for _ in range(3):
        sums.append(math.fsum(parts))
        parts.append(-sums[-1])
    return sums


def exact_sum(values: NDArray[Any]) -> Exact:
    """The exact sum of an array: an int for integers, a Fraction for floats and fractions."""
    if values.dtype.kind in "iu":
        return (int((values >> 32).sum()) << 32) + int((values & 0xFFFFFFFF).sum())  # a sum of 64 bits may overflow
    if values.dtype.kind == "O":
        return Fraction(sum(values.tolist()))
    highs, lows = sums_by_exponent(np.ascontiguousarray(values))
    exponents = np.flatnonzero(highs | lows)
    if not exponents.size:
        return Fraction(0)
    low = int(exponents[0])
    total = sum(((int(highs[e]) << 27) + int(lows[e])) << (e - low) for e in exponents.tolist())
    power = low - 1100 - 53
    return Fraction(total << power) if power >= 0 else Fraction(total, 1 << -power)


def exact_sum_of_products(values: NDArray[Any], times: NDArray[np.int64]) -> Exact:
    """The exact sum of values, each taken a number of times below 2^48."""
    if values.dtype.kind != "f":
        return int(sum(map(mul, values.tolist(), times.tolist())))
    scaled = values * (2.0**27 + 1)
    high = scaled - (scaled - values)  # of 26 bits, as is the rest, so that a product with 24 bits is exact
    parts = (high, values - high)
    numbers = ((times & 0xFFFFFF).astype(np.float64), (times >> 24 << 24).astype(np.float64))
    return exact_sum(np.concatenate([part * number for part in parts for number in numbers]))


def exact_sizes(values: list[float], codes: list[list[int]]) -> tuple[list[int], list[list[int]], Fraction]:
    """Floats as integer multiples of a power of two, their sums by code for each coding, and the power."""
    ratios = [value.as_integer_ratio() for value in values]
    bottom = max(d for _, d in ratios)
    multiples = [top * (bottom // d) for top, d in ratios]
    sums = []
    for coding in codes:
        by_code = [0] * (max(coding) + 1)
        for code, value in zip(coding, multiples, strict=True):
            by_code[code] += value
        sums.append(by_code)
    return multiples, sums, Fraction(1, bottom)
