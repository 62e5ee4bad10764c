"""Entropies of a population, estimated from the sizes in a sample of it, and those of the sample less one item.

The entropy of a sample is below that of its population, since what is rare has not been seen yet. The estimator of
Chao, Wang & Jost (2013, eq. 7) adds what the sizes that occur once or twice tell about the unseen.
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
SERIES = 16  # from which on six terms have all digits
FEW = 20_000  # terms that are added up; of more, the sum is hardly different from an integral


class Sample(NamedTuple):
    """Distinct sizes, how often each occurs, and how many items there are."""

    size: Ints
    times: Ints
    n: int

    @classmethod
    def of(cls, sizes: Sizes) -> Sample:
        """The sample with these sizes."""
        return cls(*sizes.arrays, sizes.total)

    def entropy(self) -> float:
        """The estimated entropy of the population, in nats."""
        seen = float(self.times @ _unbiased(self.size, self.n)) / self.n
        return seen + _unseen(self._number(1), self._number(2), self.n)

    def leave_one_out(self, corrected: bool) -> Floats:
        """The entropy after an item of each size is taken away: that of the sample, or the estimated one."""
        left = self.n - 1
        if left == 0:
            return np.zeros(self.size.shape)
        term = _unbiased if corrected else _plain
        terms, after = term(self.size, left), term(self.size - 1, left)
        found = (float(self.times @ terms) - terms + after) / left
        return found + self._unseen_without_one(left) if corrected else np.asarray(found)

    def without_one_of(self, held: Ints, corrected: bool) -> Floats:
        """The same for each of the sizes held."""
        found = self.leave_one_out(corrected)
        largest = int(self.size[-1])
        if largest > held.size:
            return np.asarray(found[np.searchsorted(self.size, held)])
        by_size = np.zeros(largest + 1)  # to be looked up, which is faster than a search
        by_size[self.size] = found
        return np.asarray(by_size[held])

    def _unseen_without_one(self, left: int) -> Floats:
        """A size of 1 vanishes, one of 2 becomes 1, one of 3 becomes 2; others leave the rare sizes as they are."""
        once, twice = self._number(1), self._number(2)
        changed = {1: (once - 1, twice), 2: (once + 1, twice - 1), 3: (once, twice + 1)}
        found = np.full(self.size.shape, _unseen(once, twice, left))
        for place, size in enumerate(self.size[:3].tolist()):  # in increasing order
            if size in changed:
                found[place] = _unseen(*changed[size], left)
        return found

    def second_difference(self) -> Floats:
        """The second differences of the estimated entropy as items of each size are taken away."""
        first, second = np.maximum(self.size - 1, 0), np.maximum(self.size - 2, 0)
        terms = [_unbiased(size, self.n) for size in (self.size, first, second)]
        found = (terms[0] - 2 * terms[1] + terms[2]) / self.n
        once, twice = self._number(1), self._number(2)
        for place, size in enumerate(self.size[:4].tolist()):
            if size == 1:
                found[place] = 0.0  # has no second item
            if 2 <= size <= 4:
                rare = [((left == 1) - (size == 1), (left == 2) - (size == 2)) for left in (size, size - 1, size - 2)]
                unseen = [_unseen(once + more, twice + less, self.n) for more, less in rare]
                found[place] += unseen[0] - 2 * unseen[1] + unseen[2]
        return np.asarray(found)

    def _number(self, size: int) -> int:
        return int(self.times[self.size == size].sum())


def _plain(size: Ints, n: int) -> Floats:
    """The part of the sample's entropy that a size has, n times."""
    return np.asarray(size * np.log(n / np.maximum(size, 1)))


def _unbiased(size: Ints, n: int) -> Floats:
    """The same, with an expectation that is right for all that has been seen."""
    return np.asarray(size * (_digamma(np.array([n])) - _digamma(np.maximum(size, 1))))


def _digamma(x: Ints) -> Floats:
    """The derivative of log-gamma at positive integers: sums of reciprocals, or their asymptotic series."""
    small = np.cumsum([-EULER, *(1 / k for k in range(1, SERIES))])  # at 1, 2, ...
    y = np.maximum(x, SERIES).astype(np.float64)
    r = 1 / (y * y)
    series = np.log(y) - 0.5 / y - r * (1 / 12 - r * (1 / 120 - r * (1 / 252 - r * (1 / 240 - r / 132))))
    return np.where(x < SERIES, small[np.minimum(x, SERIES) - 1], series)


def _unseen(once: int, twice: int, n: int) -> float:
    """The entropy of what has not been seen, judged by how many sizes occur once and twice."""
    if once <= 0 or n < 2:
        return 0.0
    rare = (twice, once) if twice > 0 else (1, once - 1)  # as if there were one, where none occurs twice
    share = 2 * rare[0] / ((n - 1) * rare[1] + 2 * rare[0])
    return once / n * (1 - share) * _tail(share, n) if share < 1 else 0.0


def _tail(share: float, n: int) -> float:
    """The sum over j >= 0 of (1 - share)^j / (n + j)."""
    rest = math.log1p(-share)  # negative
    if -45 / rest < FEW:
        j = np.arange(math.ceil(-45 / rest) + 1)
        return float((np.exp(rest * j) / (n + j)).sum())
    # Euler and Maclaurin: the integral, which is e^z E1(z) with z = -n log(1 - share), half the first term, its slope
    return _scaled_e1(-n * rest) + 0.5 / n - (rest - 1 / n) / (12 * n)


def _scaled_e1(z: float) -> float:
    """e^z E1(z), which neither overflows nor underflows: a power series, or a continued fraction from far within."""
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
