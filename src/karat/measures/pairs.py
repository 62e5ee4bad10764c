"""Pair-counting measures: whether two items are together in gold, and together in the clustering."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from math import inf

import numpy as np

from karat.errors import TableError
from karat.measures.arithmetic import Number, is_zero, larger, ratio, sqrt, unless_zero, zero_if_rounding
from karat.measures.registry import inverse_beta, measure
from karat.tables.counts import Celled, Counts, ExpectedSizes, SingleTable, Statistic

__all__ = [  # the measures, for karat's completion
    "ari",
    "fowlkes_mallows",
    "gamma",
    "jaccard",
    "mirkin",
    "mirkin_normalised",
    "pair_f",
    "pair_precision",
    "pair_recall",
    "rand",
]  # fmt: skip


@dataclass(frozen=True)
class Pairs(Statistic):
    """Numbers of pairs of items joined by gold and by the clustering, as integers that cannot overflow."""

    both: Number  # a00, joined by both
    gold: Number  # a0., joined by gold
    pred: Number  # a.0, joined by the clustering
    total: Number  # all pairs, n(n-1)/2

    @classmethod
    def of(cls, counts: Counts) -> Pairs:
        """Pair counts from sums of squares: h items make h(h-1)/2 pairs, also for real-valued h."""
        squares, n = counts.squares, counts.n
        if np.any(squares.cells < n):
            raise TableError(
                f"cells that add up to {float(np.min(n)):.4g} are too small to hold pairs of items; "
                "scale the weights to average 1."
            )
        both, gold, pred, total = (_half(s - n) for s in (*squares, n * n))
        return cls(both, gold, pred, total)

    @classmethod
    def expected(cls, counts: SingleTable, chances: ExpectedSizes) -> Pairs:
        """Expected pair counts: the two sides join a pair independently (Hubert & Arabie 1985)."""
        seen = counts.statistic(cls)
        gold, pred = (
            pairs if sizes is None else (sizes.squares - counts.n) / 2
            for sizes, pairs in ((chances.classes, seen.gold), (chances.clusters, seen.pred))
        )
        product = gold * pred
        if isinstance(product, int) and seen.total:  # exact, so that equal quantities cancel to 0
            return replace(seen, both=Fraction(product, seen.total))
        return cls(ratio(product, seen.total, empty=0), gold, pred, seen.total)

    @classmethod
    def estimated(cls, counts: Celled) -> Pairs:
        """The statistic unchanged: the share of pairs is an unbiased estimate of the population's."""
        return counts.statistic(cls)

    @classmethod
    def leave_one_out(cls, counts: Celled, corrected: bool) -> Pairs:
        """Leave-one-out pair counts: an item pairs with every other item of its cell, class or cluster."""
        seen = counts.statistic(cls)
        both, gold, pred = (
            float(pairs) - (size - 1.0) for pairs, size in _with_sizes(counts, seen.both, seen.gold, seen.pred)
        )
        return cls(both, gold, pred, float(seen.total) - (counts.n - 1.0))

    @property
    def apart_in_pred(self) -> Number:
        """a01, joined by gold only."""
        return self.gold - self.both

    @property
    def apart_in_gold(self) -> Number:
        """a10, joined by the clustering only."""
        return self.pred - self.both

    @property
    def apart(self) -> Number:
        """a11, joined by neither."""
        return self.total - self.gold - self.pred + self.both

    @property
    def disagreements(self) -> Number:
        """a01 + a10; 0 if and only if the partitions are the same."""
        return self.gold + self.pred - 2 * self.both

    @property
    def same_if_empty(self) -> Number:
        """1 if the partitions are the same, else 0: the value of 0/0."""
        return is_zero(self.disagreements)

    @property
    def precision(self) -> Number:
        """Of the pairs that the clustering joins, the share that gold joins."""
        return ratio(self.both, self.pred, empty=self.same_if_empty)

    @property
    def recall(self) -> Number:
        """Of the pairs that gold joins, the share that the clustering joins."""
        return ratio(self.both, self.gold, empty=self.same_if_empty)


@dataclass(frozen=True)
class SquareSums(Statistic):
    """Sums of squared cells, class sizes and cluster sizes, for measures of pairs drawn with replacement."""

    cells: Number
    classes: Number
    clusters: Number
    n: Number

    @classmethod
    def of(cls, counts: Counts) -> SquareSums:
        """Defined for every table, probabilities included."""
        return cls(*counts.squares, counts.n)

    @classmethod
    def expected(cls, counts: SingleTable, chances: ExpectedSizes) -> SquareSums:
        """Expected sums of squares, from expected pair counts: h^2 is twice the number of pairs plus h."""
        pairs, n = Pairs.expected(counts, chances), counts.n
        return cls(2 * pairs.both + n, 2 * pairs.gold + n, 2 * pairs.pred + n, n)

    @classmethod
    def estimated(cls, counts: Celled) -> SquareSums:
        """Bias-corrected sums of squares, scaled from pair counts, which are unbiased."""
        return cls._scaled(counts.statistic(Pairs), float(counts.n))

    @classmethod
    def leave_one_out(cls, counts: Celled, corrected: bool) -> SquareSums:
        """Leave-one-out sums of squares, from leave-one-out pair counts."""
        pairs, n = Pairs.leave_one_out(counts, corrected), counts.n - 1.0
        if corrected:
            return cls._scaled(pairs, n)
        return cls(2 * pairs.both + n, 2 * pairs.gold + n, 2 * pairs.pred + n, n)

    @classmethod
    def _scaled(cls, pairs: Pairs, n: float) -> SquareSums:
        """Sums of squares whose shares of n^2 are the shares of pairs of two different items."""
        scale = 2 * n / (n - 1) if n > 1 else 0.0
        return cls(scale * pairs.both, scale * pairs.gold, scale * pairs.pred, n)

    @property
    def disagreements(self) -> Number:
        """Ordered pairs on which the partitions disagree."""
        return self.classes + self.clusters - 2 * self.cells


def _with_sizes(counts: Celled, *sums: Number) -> Iterator[tuple[Number, Number]]:
    """Three sums, paired with the size of each cell, of its class, and of its cluster."""
    yield from zip(
        sums, (counts.counts, counts.class_sizes[counts.rows], counts.cluster_sizes[counts.cols]), strict=True
    )


def _half(x: Number) -> Number:
    """x/2; an int stays an int, since x is then even."""
    return x // 2 if isinstance(x, int) else x * Fraction(1, 2) if isinstance(x, Fraction) else x / 2


@measure(
    title="Rand index",
    better="higher",
    perfect=1,
    swap="itself",
    paper="rand1971",
    breaks=("rag_bag", "size_quantity"),
    definition="(a00 + a11) / M",
    tex=r"\frac{a_{00} + a_{11}}{M}",
    elsewhere=("sklearn.metrics.rand_score: the same",),
)
def rand(pairs: Pairs) -> Number:
    """The share of pairs on which gold and the clustering agree.

    With many classes most pairs are apart in both, so it is high even for random clusterings.

    >>> import karat
    >>> round(karat.rand([0, 0, 1, 1], [0, 0, 1, 2]), 4)
    0.8333
    """
    return 1 - ratio(pairs.disagreements, pairs.total, empty=0)


@measure(
    title="Adjusted Rand index",
    better="higher",
    bounds=(-0.5, 1),
    perfect=1,
    chance=0,
    swap="itself",
    paper="hubert1985",
    equation="eq. 5",
    breaks=("homogeneity", "rag_bag", "size_quantity"),
    panel=True,
    definition="(a00 - E) / ((a0. + a.0)/2 - E), with E = a0. a.0 / M",
    tex=r"\frac{a_{00} - E}{(a_{0\cdot} + a_{\cdot 0}) / 2 - E}, \quad E = \frac{a_{0\cdot}\,a_{\cdot 0}}{M}",
    elsewhere=(
        "sklearn.metrics.adjusted_rand_score: the same",
        "torchmetrics, NetworKit: overflow from 100,000 items, -682 at a million",
        "igraph, genieclust, mclust, aricode: nan where all items are alone or together in both",
    ),
)
def ari(pairs: Pairs) -> Number:
    """Pairs joined by both, rescaled so that shuffling the predicted labels averages 0 and gold gives 1.

    >>> import karat
    >>> karat.ari([0, 0, 1, 1], [0, 1, 0, 1])
    -0.5
    """
    # (both - expected) / (mean - expected), over total; written as 1 - error so that nothing large cancels
    error = pairs.total * pairs.disagreements
    spread = pairs.gold * (pairs.total - pairs.pred) + pairs.pred * (pairs.total - pairs.gold)
    return 1 - ratio(error, spread, empty=0)


@measure(
    title="Jaccard index",
    better="higher",
    perfect=1,
    swap="itself",
    paper="benhur2002",
    breaks=("homogeneity", "rag_bag", "size_quantity"),
    definition="a00 / (a00 + a01 + a10)",
    tex=r"\frac{a_{00}}{a_{00} + a_{01} + a_{10}}",
    elsewhere=("clusim, CDlib jaccard_index: 0 instead of 1 where all items are alone in both",),
)
def jaccard(pairs: Pairs) -> Number:
    """Pairs joined by both, out of the pairs joined by either.

    >>> import karat
    >>> karat.jaccard([0, 0, 1, 1], [0, 0, 1, 2])
    0.5
    """
    return ratio(pairs.both, pairs.gold + pairs.pred - pairs.both, empty=1)


@measure(
    title="Fowlkes-Mallows index",
    better="higher",
    perfect=1,
    swap="itself",
    paper="fowlkes1983",
    breaks=("homogeneity", "rag_bag", "size_quantity"),
    definition="a00 / sqrt(a0. a.0)",
    tex=r"\frac{a_{00}}{\sqrt{a_{0\cdot}\,a_{\cdot 0}}}",
    elsewhere=(
        "sklearn.metrics.fowlkes_mallows_score, torchmetrics, river: 0 instead of 1 where all items are alone in both",
    ),
)
def fowlkes_mallows(pairs: Pairs) -> Number:
    """The geometric mean of pair precision and pair recall."""
    # written as linear in the pairs joined by both, so that its expectation is exact, and exactly 1 for gold itself
    return pairs.precision * sqrt(unless_zero(pairs.pred) / unless_zero(pairs.gold))


@measure(
    title="Hubert's Gamma",
    better="higher",
    bounds=(-1, 1),
    perfect=1,
    chance=0,
    swap="itself",
    paper="hubert1985",
    breaks=("homogeneity", "rag_bag", "size_quantity"),
    definition="(M a00 - a0. a.0) / sqrt(a0. a.0 (M - a0.) (M - a.0))",
    tex=(
        r"\frac{M\,a_{00} - a_{0\cdot}\,a_{\cdot 0}}{\sqrt{a_{0\cdot}\,a_{\cdot 0}\,(M - a_{0\cdot})\,(M - "
        r"a_{\cdot 0})}}"
    ),
    elsewhere=("clusim pearson correlation: without the square root",),
)
def gamma(pairs: Pairs) -> Number:
    """The correlation, over pairs, of being together in gold with being together in the clustering."""
    # a00 a11 - a01 a10 = total a00 - a0. a.0; each product on the left is at most the root of the variances
    variances = larger(pairs.gold * pairs.pred * (pairs.total - pairs.gold) * (pairs.total - pairs.pred), 0)
    covariance = zero_if_rounding(pairs.both * pairs.apart - pairs.apart_in_pred * pairs.apart_in_gold, sqrt(variances))
    sign = ratio(covariance, abs(covariance), empty=1)
    return sign * sqrt(ratio(covariance * covariance, variances, empty=pairs.same_if_empty))


@measure(
    title="Mirkin distance",
    better="lower",
    bounds=(0, inf),
    perfect=0,
    swap="itself",
    paper="mirkin1996",
    breaks=("rag_bag", "size_quantity"),
    definition="2 (a01 + a10)",
    tex=r"2\,(a_{01} + a_{10})",
)
def mirkin(squares: SquareSums) -> Number:
    """Twice the number of pairs on which gold and the clustering disagree."""
    return squares.disagreements


@measure(
    title="Mirkin distance over n squared",
    better="lower",
    perfect=0,
    swap="itself",
    paper="meila2007",
    breaks=("rag_bag", "size_quantity"),
    definition="(sum of h(c)^2 + sum of h(k)^2 - 2 sum of h(c,k)^2) / n^2",
    tex=r"\frac{1}{n^2} \left( \sum_{c} h(c)^2 + \sum_{k} h(k)^2 - 2 \sum_{c,k} h(c,k)^2 \right)",
)
def mirkin_normalised(squares: SquareSums) -> Number:
    """The probability that gold and the clustering disagree about two items drawn with replacement."""
    return ratio(squares.disagreements, squares.n * squares.n, empty=0)


@measure(
    title="Pair precision",
    better="higher",
    perfect=1,
    swap="pair_recall",
    paper="manning2008",
    equation="section 16.3",
    breaks=("homogeneity", "completeness", "rag_bag", "size_quantity"),
    definition="a00 / a.0",
    tex=r"P = \frac{a_{00}}{a_{\cdot 0}}",
    elsewhere=("extclustval, permetrics: 0 instead of 1 where all items are alone in both",),
)
def pair_precision(pairs: Pairs) -> Number:
    """Of the pairs that the clustering joins, the share that gold joins."""
    return pairs.precision


@measure(
    title="Pair recall",
    better="higher",
    perfect=1,
    swap="pair_precision",
    paper="manning2008",
    equation="section 16.3",
    breaks=("homogeneity", "rag_bag", "size_quantity"),
    definition="a00 / a0.",
    tex=r"R = \frac{a_{00}}{a_{0\cdot}}",
)
def pair_recall(pairs: Pairs) -> Number:
    """Of the pairs that gold joins, the share that the clustering joins."""
    return pairs.recall


@measure(
    title="Pair F",
    better="higher",
    perfect=1,
    paper="manning2008",
    equation="section 16.3",
    swap=inverse_beta,
    breaks=("homogeneity", "rag_bag", "size_quantity"),
    panel=True,
    definition="(1 + beta^2) P R / (beta^2 P + R), with P = pair_precision, R = pair_recall",
    tex=(
        r"F_\beta = \frac{(1 + \beta^2)\,P\,R}{\beta^2 P + R}, \quad P = \frac{a_{00}}{a_{\cdot 0}}, \quad R "
        r"= \frac{a_{00}}{a_{0\cdot}}"
    ),
)
def pair_f(pairs: Pairs, *, beta: float = 1) -> Number:
    """The harmonic mean of pair precision and recall; with beta > 1 recall weighs beta squared times.

    >>> import karat
    >>> round(karat.pair_f([0, 0, 1, 1], [0, 0, 1, 2]), 4)
    0.6667
    """
    if beta == math.inf:  # recall, and 0 where gold joins no pair but pred does, as in the limit
        return ratio(pairs.both, pairs.gold + is_zero(pairs.gold) * pairs.pred, empty=pairs.same_if_empty)
    weight = beta * beta
    return ratio((1 + weight) * pairs.both, weight * pairs.gold + pairs.pred, empty=pairs.same_if_empty)
