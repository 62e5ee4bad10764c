"""Pair-counting measures: whether two items are together in gold, and together in the clustering."""

from __future__ import annotations

import math
from math import inf

from karat.measures.arithmetic import Number, is_zero, larger, ratio, sqrt, unless_zero, zero_if_rounding
from karat.measures.pair_counts import Pairs, SquareSums
from karat.measures.registry import inverse_beta, measure

__all__ = [
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
]  # the measures, for karat's completion


@measure(
    title="Rand index",
    family="pairs",
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

    With many classes most pairs are separate in both, so it is high even for random clusterings.

    >>> import karat
    >>> round(karat.rand([0, 0, 1, 1], [0, 0, 1, 2]), 4)
    0.8333
    """
    return 1 - ratio(pairs.disagreements, pairs.total, empty=0)


@measure(
    title="Adjusted Rand index",
    family="pairs",
    better="higher",
    bounds=(-0.5, 1),
    perfect=1,
    chance=0,
    swap="itself",
    paper="hubert1985",
    equation="eq. 5",
    breaks=("homogeneity", "rag_bag", "size_quantity"),
    definition="(a00 - E) / ((a0. + a.0)/2 - E), with E = a0. a.0 / M",
    tex=r"\frac{a_{00} - E}{(a_{0\cdot} + a_{\cdot 0}) / 2 - E}, \quad E = \frac{a_{0\cdot}\,a_{\cdot 0}}{M}",
    elsewhere=(
        "sklearn.metrics.adjusted_rand_score: the same",
        "torchmetrics, NetworKit: overflow from 100,000 items, -682 at a million",
        "igraph, genieclust, mclust, aricode: nan if both are one cluster or both singletons",
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
    spread = pairs.gold * pairs.not_pred + pairs.pred * pairs.not_gold
    return 1 - ratio(error, spread, empty=0)


@measure(
    title="Jaccard index",
    family="pairs",
    better="higher",
    perfect=1,
    swap="itself",
    paper="benhur2002",
    breaks=("homogeneity", "rag_bag", "size_quantity"),
    definition="a00 / (a00 + a01 + a10)",
    tex=r"\frac{a_{00}}{a_{00} + a_{01} + a_{10}}",
    elsewhere=("clusim, CDlib jaccard_index: 0 instead of 1 if both are singletons",),
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
    family="pairs",
    better="higher",
    perfect=1,
    swap="itself",
    paper="fowlkes1983",
    breaks=("homogeneity", "rag_bag", "size_quantity"),
    definition="a00 / sqrt(a0. a.0)",
    tex=r"\frac{a_{00}}{\sqrt{a_{0\cdot}\,a_{\cdot 0}}}",
    elsewhere=("sklearn.metrics.fowlkes_mallows_score, torchmetrics, river: 0 instead of 1 if both are singletons",),
)
def fowlkes_mallows(pairs: Pairs) -> Number:
    """The geometric mean of pair precision and pair recall."""
    # written as linear in the pairs joined by both, so that its expectation is exact, and exactly 1 for gold itself
    return pairs.precision * sqrt(unless_zero(pairs.pred) / unless_zero(pairs.gold))


@measure(
    title="Hubert's Gamma",
    family="pairs",
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
    variances = larger((pairs.gold * pairs.not_gold) * (pairs.pred * pairs.not_pred), 0)
    covariance = zero_if_rounding(pairs.both * pairs.neither - pairs.gold_only * pairs.pred_only, sqrt(variances))
    sign = ratio(covariance, abs(covariance), empty=1)
    return sign * sqrt(ratio(covariance * covariance, variances, empty=pairs.same_if_empty))


@measure(
    title="Mirkin distance",
    family="pairs",
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
    family="pairs",
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
    family="pairs",
    better="higher",
    perfect=1,
    swap="pair_recall",
    paper="manning2008",
    equation="section 16.3",
    breaks=("homogeneity", "completeness", "rag_bag", "size_quantity"),
    definition="a00 / a.0",
    tex=r"P = \frac{a_{00}}{a_{\cdot 0}}",
    elsewhere=("extclustval, permetrics: 0 instead of 1 if both are singletons",),
)
def pair_precision(pairs: Pairs) -> Number:
    """Of the pairs that the clustering joins, the share that gold joins."""
    return pairs.precision


@measure(
    title="Pair recall",
    family="pairs",
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
    family="pairs",
    better="higher",
    perfect=1,
    paper="manning2008",
    equation="section 16.3",
    swap=inverse_beta,
    breaks=("homogeneity", "rag_bag", "size_quantity"),
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
    # the denominator is weight gold + pred, written so that it is the numerator if there is no disagreement
    top = (1 + weight) * pairs.both
    return ratio(top, top + (weight * pairs.gold_only + pairs.pred_only), empty=pairs.same_if_empty)
