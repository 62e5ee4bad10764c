"""Bias-corrected entropy of a population, estimated from a sample, and leave-one-out entropies.

The entropy of a sample underestimates that of its population, since rare categories are missing from the sample. The
estimator of Chao, Wang & Jost (2013, eq. 7) adds a term for the unseen categories, estimated from the numbers of
categories that were seen once and twice.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from karat.tables.profile import Sizes

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

EULER = 0.5772156649015329
SERIES = 16  # arguments from which six terms of the asymptotic series are exact to double precision
FEW = 20_000  # the most terms that are summed directly; longer sums are approximated by an integral


class Sample(NamedTuple):
    """A sample of n items: the distinct sizes of its categories, and how many categories have each size."""

    size: Ints
    times: Ints
    n: int

    @classmethod
    def of(cls, sizes: Sizes) -> Sample:
        """The sample whose categories have these sizes."""
        return cls(*sizes.arrays, sizes.total)

    def entropy(self) -> float:
        """The bias-corrected estimate of the population's entropy, in nats."""
        seen = float(self.times @ _unbiased(self.size, self.n)) / self.n
        return seen + _unseen(self._number(1), self._number(2), self.n)

    def leave_one_out(self, corrected: bool) -> Floats:
        """Leave-one-out entropies in nats: element i is without one item of a category of size[i].

        corrected: the bias-corrected estimate in place of the sample's entropy.
        """
        left = self.n - 1
        if left == 0:
            return np.zeros(self.size.shape)
        term = _unbiased if corrected else _plain
        terms, after = term(self.size, left), term(self.size - 1, left)
        entropies = (float(self.times @ terms) - terms + after) / left
        return entropies + self._unseen_leave_one_out(left) if corrected else np.asarray(entropies)

    def leave_one_out_for(self, sizes: Ints, corrected: bool) -> Floats:
        """leave_one_out() looked up for an array of sizes, each of which is the size of some category."""
        entropies = self.leave_one_out(corrected)
        largest = int(self.size[-1])
        if largest > sizes.size:
            return np.asarray(entropies[np.searchsorted(self.size, sizes)])
        by_size = np.zeros(largest + 1)  # a lookup is faster than a search
        by_size[self.size] = entropies
        return np.asarray(by_size[sizes])

    def _unseen_leave_one_out(self, left: int) -> Floats:
        """The unseen part of the leave-one-out estimates.

        It depends on the numbers of categories seen once and twice, so only sizes 1, 2 and 3 change it.
        """
        once, twice = self._number(1), self._number(2)
        changed = {1: (once - 1, twice), 2: (once + 1, twice - 1), 3: (once, twice + 1)}
        unseen = np.full(self.size.shape, _unseen(once, twice, left))
        for index, size in enumerate(self.size[:3].tolist()):  # in increasing order
            if size in changed:
                unseen[index] = _unseen(*changed[size], left)
        return unseen

    def second_difference(self) -> Floats:
        """Second differences of the estimated entropy in a category's size, one for each distinct size."""
        first, second = np.maximum(self.size - 1, 0), np.maximum(self.size - 2, 0)
        terms = [_unbiased(size, self.n) for size in (self.size, first, second)]
        differences = (terms[0] - 2 * terms[1] + terms[2]) / self.n
        once, twice = self._number(1), self._number(2)
        for index, size in enumerate(self.size[:4].tolist()):
            if size == 1:
                differences[index] = 0.0  # there is no second item to remove
            if 2 <= size <= 4:
                rare = [((left == 1) - (size == 1), (left == 2) - (size == 2)) for left in (size, size - 1, size - 2)]
                unseen = [_unseen(once + more, twice + less, self.n) for more, less in rare]
                differences[index] += unseen[0] - 2 * unseen[1] + unseen[2]
        return np.asarray(differences)

    def _number(self, size: int) -> int:
        return int(self.times[self.size == size].sum())


def _plain(size: Ints, n: int) -> Floats:
    """n times a category's term of the sample's entropy, for each size."""
    return np.asarray(size * np.log(n / np.maximum(size, 1)))


def _unbiased(size: Ints, n: int) -> Floats:
    """n times a category's term of the entropy, for each size, unbiased for the observed part."""
    return np.asarray(size * (_digamma(np.array([n])) - _digamma(np.maximum(size, 1))))


def _digamma(x: Ints) -> Floats:
    """The digamma function at positive integers: sums of reciprocals, or the asymptotic series."""
    small = np.cumsum([-EULER, *(1 / k for k in range(1, SERIES))])  # at 1, 2, ...
    y = np.maximum(x, SERIES).astype(np.float64)
    r = 1 / (y * y)
    series = np.log(y) - 0.5 / y - r * (1 / 12 - r * (1 / 120 - r * (1 / 252 - r * (1 / 240 - r / 132))))
    return np.where(x < SERIES, small[np.minimum(x, SERIES) - 1], series)


def _unseen(once: int, twice: int, n: int) -> float:
    """The entropy of unseen categories, estimated from the numbers of categories seen once and twice."""
    if once <= 0 or n < 2:
        return 0.0
    rare = (twice, once) if twice > 0 else (1, once - 1)  # if none was seen twice, assume that one was
    share = 2 * rare[0] / ((n - 1) * rare[1] + 2 * rare[0])
    return once / n * (1 - share) * _tail(share, n) if share < 1 else 0.0


def _tail(share: float, n: int) -> float:
    """The sum over j >= 0 of (1 - share)^j / (n + j)."""
    rest = math.log1p(-share)  # negative
    if -45 / rest < FEW:
        j = np.arange(math.ceil(-45 / rest) + 1)
        return float((np.exp(rest * j) / (n + j)).sum())
    # Euler-Maclaurin: the integral, e^z E1(z) with z = -n log(1 - share), half the first term, and a derivative term
    return _scaled_e1(-n * rest) + 0.5 / n - (rest - 1 / n) / (12 * n)


def _scaled_e1(z: float) -> float:
    """e^z E1(z) without overflow or underflow: a power series for z < 1, else a continued fraction."""
    if z < 1:
        term, total = 1.0, -EULER - math.log(z)
        for k in range(1, 25):
            term *= -z / k
            total -= term / k
        return math.exp(z) * total
    fraction = 0.0
    for k in range(200, 0, -1):
        fraction = k * k / (z + 2 * k + 1 - fraction)
    return 1 / (z + 1 - fraction)
