"""The exact mean, variance and skewness of the number of pairs joined by both sides when labels are shuffled.

Hubert & Arabie (1985) give the first two. All follow from one identity: a power of a00 counts ordered choices of pairs
of items, and the pairs chosen make up a small graph; a graph with v vertices lies within the classes in inj(A) ways,
within the clusters in inj(B) ways, and after a shuffle within both in inj(A) inj(B) / (n (n-1) ... (n-v+1)) on average.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

from karat.tables.profile import Sizes


class Moments(NamedTuple):
    """Mean, variance and skewness of a random integer; exact, except for the rounding of the skewness."""

    mean: Fraction
    variance: Fraction
    skewness: float

    def upper_tail(self, value: Fraction | int) -> float:
        """P(X >= value), by the gamma distribution with these three moments (Pearson type III)."""
        return self._tail(value - Fraction(1, 2), upper=True)  # with continuity correction

    def lower_tail(self, value: Fraction | int) -> float:
        """P(X <= value), by the gamma distribution with these three moments."""
        return self._tail(value + Fraction(1, 2), upper=False)

    def _tail(self, value: Fraction, *, upper: bool) -> float:
        if not self.variance:
            return float((value <= self.mean) == upper)
        from scipy.special import gammainc, gammaincc, ndtr

        z = float(value - self.mean) / math.sqrt(self.variance)
        if abs(self.skewness) < 1e-5:
            return float(ndtr(-z if upper else z))
        shape = 4 / self.skewness**2
        x = max(0.0, shape + z * math.copysign(math.sqrt(shape), self.skewness))
        return float(gammaincc(shape, x) if (self.skewness > 0) == upper else gammainc(shape, x))


def joined_pairs(classes: Sizes, clusters: Sizes) -> Moments:
    """The moments of a00 over all shuffles of labels with these class and cluster sizes."""
    n = classes.total
    graphs = list(zip(_ways(classes), _ways(clusters), _VERTICES, _WEIGHTS, strict=True))
    powers = [
        sum((Fraction(w[power] * a * b, 48 * _falling(n, v)) for a, b, v, w in graphs if n >= v), Fraction())
        for power in range(3)
    ]
    mean, square, cube = powers
    variance = square - mean**2
    third = cube - 3 * mean * square + 2 * mean**3
    return Moments(mean, variance, float(third) / float(variance) ** 1.5 if variance else 0.0)


# Graphs of one to three edges: an edge, a path of two, two disjoint edges, a triangle, a star, a path of three, a path
# of two and a disjoint edge, three disjoint edges. Each row of weights is 48 times the number of ordered choices of
# one, two and three edges that make up the graph, divided by the number of its symmetries.
_VERTICES = (2, 3, 4, 3, 4, 4, 5, 6)
_WEIGHTS = (
    (24, 24, 24),
    (0, 48, 144),
    (0, 12, 36),
    (0, 0, 48),
    (0, 0, 48),
    (0, 0, 144),
    (0, 0, 72),
    (0, 0, 6),
)


def _ways(sizes: Sizes) -> list[int]:
    """inj of each graph: injections of its vertices into the groups with every edge within one group."""
    pairs = list(zip(*sizes, strict=True))

    def total(*vertices: int) -> int:
        return sum(times * math.prod(_falling(size, v) for v in vertices) for size, times in pairs)

    two, three, four = total(2), total(3), total(4)
    two_disjoint = two * two - total(2, 2) + four
    path_and_edge = three * two - total(3, 2) + total(5)
    three_disjoint = two**3 - 3 * two * total(2, 2) + 2 * total(2, 2, 2) + 3 * (four * two - total(4, 2)) + total(6)
    return [two, three, two_disjoint, three, four, four, path_and_edge, three_disjoint]


def _falling(x: int, v: int) -> int:
    """x (x-1) ... (x-v+1)."""
    return math.prod(range(x - v + 1, x + 1)) if x >= v else 0
