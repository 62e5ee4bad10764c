"""From scores and their covariances to verdicts: differences, p-values, Holm's correction, ranks."""

from __future__ import annotations

import math
from functools import cached_property
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from karat.comparisons.paired import Paired
from karat.uncertainty.intervals import NEARLY
from karat.uncertainty.sampling import Sampling

Floats = NDArray[np.float64]

NOTHING = 1e-12  # of a variance, that is rounding


class Difference(NamedTuple):
    """How much better one system is than another by a measure, and whether that is more than chance."""

    better: int  # the places of the systems
    worse: int
    difference: float  # of the estimates, in the direction of the measure
    low: float
    high: float
    p: float  # of a difference as large in either direction, if there were none
    p_holm: float  # corrected for the number of pairs

    def significant(self, level: float) -> bool:
        """Whether it is told apart at this level of confidence."""
        return self.p_holm < 1 - level


class Verdicts:
    """What a measure says of all pairs of systems."""

    def __init__(self, paired: Paired, sampling: Sampling) -> None:
        self.paired, self.sampling = paired, sampling

    @property
    def sign(self) -> int:
        """1 if higher is better, -1 if lower is."""
        return -1 if self.paired.measure.better == "lower" else 1

    @cached_property
    def differences(self) -> list[Difference]:
        """Every two systems, the better one first."""
        found = [self._difference(a, b) for a, b in combinations(range(len(self.paired.scores)), 2)]
        order = sorted(range(len(found)), key=lambda place: found[place].p)
        highest = 0.0
        for rank, place in enumerate(order):
            highest = max(highest, min(1.0, (len(found) - rank) * found[place].p))
            found[place] = found[place]._replace(p_holm=highest)
        return found

    def _difference(self, a: int, b: int) -> Difference:
        values, covariances = self.sign * self.paired.estimates, self.paired.covariances
        first, second = (a, b) if (values[a], -a) >= (values[b], -b) else (b, a)
        gap = float(values[first] - values[second])
        scale = covariances[a, a] + covariances[b, b]
        variance = scale - 2 * covariances[a, b]
        error = math.sqrt(variance) if variance > NOTHING * scale else 0.0
        p, reach = self.sampling.p(gap, error), self.sampling.z * error
        if self.doubted(a) or self.doubted(b):
            p = 1.0
        return Difference(first, second, gap, gap - reach, gap + reach, p, p)

    def doubted(self, place: int) -> bool:
        """Whether a score's own interval is not to be trusted, so that nothing can be told by it."""
        interval = self.paired.intervals[place]
        return interval.caution == NEARLY or not math.isfinite(interval.estimate) or interval.method == "none"

    @cached_property
    def beats(self) -> list[list[int]]:
        """For each system those that it is better than, beyond chance."""
        found: list[list[int]] = [[] for _ in self.paired.scores]
        for difference in self.differences if self.paired.measure.better is not None else ():
            if difference.significant(self.sampling.level):
                found[difference.better].append(difference.worse)
        return [sorted(worse) for worse in found]

    @cached_property
    def ranks(self) -> list[float]:
        """1 for the best score; the mean of their places for those that are equal."""
        if self.paired.measure.better is None:
            return [math.nan] * len(self.paired.scores)
        values = np.where(np.isnan(self.paired.scores), -np.inf, self.sign * self.paired.scores)
        return [1 + float((values > v).sum()) + (float((values == v).sum()) - 1) / 2 for v in values]

    @property
    def best(self) -> list[int]:
        """The systems with the best score."""
        lowest = min(self.ranks)
        return [place for place, rank in enumerate(self.ranks) if rank == lowest]

    def equals(self, place: int) -> list[int]:
        """The systems from which this one cannot be told apart."""
        apart = {place, *self.beats[place], *self.beaten_by(place)}
        return [other for other in range(len(self.paired.scores)) if other not in apart]

    def beaten_by(self, place: int) -> list[int]:
        """The systems that are better than this one, beyond chance."""
        return [other for other, worse in enumerate(self.beats) if place in worse]

    def stability(self, place: int, draws: int = 4000) -> float:
        """How often a system would be the best, if other items of the same kind were drawn."""
        rng = np.random.default_rng(0)
        values = _drawn(rng, self.sign * self.paired.estimates, self.paired.covariances, draws)
        return float((values.argmax(axis=1) == place).mean())


def kendall(left: Any, right: Any) -> float:
    """Kendall's tau-b of two rankings; 1 if they agree on every two systems, -1 if on none."""
    a, b = (np.sign(np.subtract.outer(ranks, ranks)) for ranks in (np.asarray(left), np.asarray(right)))
    scale = math.sqrt(float((a * a).sum()) * float((b * b).sum()))
    return float((a * b).sum()) / scale if scale else math.nan


def _drawn(rng: np.random.Generator, means: Floats, covariances: Floats, draws: int) -> Floats:
    """Normal draws, also where systems do not differ at all."""
    values, vectors = np.linalg.eigh((covariances + covariances.T) / 2)
    scale = vectors * np.sqrt(np.maximum(values, 0))
    return np.asarray(means + rng.standard_normal((draws, means.size)) @ scale.T)
