"""From scores and their covariances to verdicts: differences, p-values, Holm's correction, ranks."""

from __future__ import annotations

import math
from functools import cached_property
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from karat.comparisons.paired import Paired
from karat.uncertainty.reference import Reference

Floats = NDArray[np.float64]

NOTHING = 1e-12  # relative variance, below which a variance is rounding error


class Gap(NamedTuple):
    """How much better one system is than another by a measure, and whether that is significant."""

    better: int  # the indices of the systems
    worse: int
    size: float  # of the difference of the tested values, in the direction of the measure
    low: float | None  # the confidence interval of the difference; None if it was not tested
    high: float | None
    p: float | None  # two-sided, if there were no difference; None: not tested
    p_holm: float | None  # adjusted for the number of pairs that were tested

    @property
    def tested(self) -> bool:
        """Whether there is a valid test for these two systems."""
        return self.p is not None

    def significant(self, level: float) -> bool:
        """Whether the difference is significant at this level of confidence; never if it was not tested."""
        return self.p_holm is not None and self.p_holm < 1 - level


class Difference(NamedTuple):
    """The score of one system minus the score of another, and whether they differ significantly."""

    system: str
    other: str
    measure: str
    value: float  # of the scores
    estimate: float  # of what is tested: bias-corrected estimates, or the scores
    low: float | None  # the confidence interval of the estimate; None if it was not tested
    high: float | None
    p: float | None  # two-sided; None: not tested
    p_holm: float | None  # adjusted for the number of pairs that were tested (Holm)
    significant: bool  # at the level of the comparison

    @property
    def tested(self) -> bool:
        """Whether there is a valid test for these two systems."""
        return self.p is not None


class Verdict(NamedTuple):
    """Which system has the best score by a measure, and how the others stand to it."""

    measure: str
    best: str  # the system with the best score; of equal ones the first
    tied: tuple[str, ...]  # systems that do not differ significantly from it
    worse: tuple[str, ...]  # systems that are significantly worse
    untested: tuple[str, ...]  # systems whose difference from it was not tested
    better: tuple[str, ...] = ()  # systems that are significantly better once bias is corrected


class Verdicts:
    """The tests of all pairs of systems by one measure, the ranks, and which system beats which."""

    def __init__(self, paired: Paired, reference: Reference) -> None:
        self.paired = paired
        self.reference = reference if paired.freedom is None else reference._replace(freedom=paired.freedom)

    @property
    def sign(self) -> int:
        """1 if higher is better, -1 if lower is."""
        return -1 if self.paired.measure.better == "lower" else 1

    @cached_property
    def differences(self) -> list[Gap]:
        """Every two systems, the better one first; p-values are adjusted by Holm's method."""
        gaps = [self._difference(a, b) for a, b in combinations(range(len(self.paired.scores)), 2)]
        tested = sorted((d.p, index) for index, d in enumerate(gaps) if d.p is not None)
        highest = 0.0
        for rank, (p, index) in enumerate(tested):
            highest = max(highest, min(1.0, (len(tested) - rank) * p))
            gaps[index] = gaps[index]._replace(p_holm=highest)
        return gaps

    def _difference(self, a: int, b: int) -> Gap:
        values, covariances = self.sign * self.paired.values, self.paired.covariances
        first, second = (a, b) if (values[a], -a) >= (values[b], -b) else (b, a)
        gap = float(values[first] - values[second])
        if not (self.paired.testable[a] and self.paired.testable[b]):
            return Gap(first, second, gap, None, None, None, None)
        scale = covariances[a, a] + covariances[b, b]
        variance = scale - 2 * covariances[a, b]
        error = math.sqrt(variance) if variance > NOTHING * scale else 0.0
        if error == 0 and gap > 0:  # the difference has no variance: assume that of a single differing item
            error = (abs(values[a]) + abs(values[b])) / math.sqrt(self.paired.items)
        gaps = [gap, *self._crossed_gap(first, second)]
        reach = self.reference.z * error
        # scores of largest cells favour systems with many clusters, cross-fitted scores the opposite: both must agree
        p = max(self.reference.p(max(value, 0.0), error) for value in gaps)
        return Gap(first, second, gap, min(gaps) - reach, max(gaps) + reach, p, p)

    def _crossed_gap(self, first: int, second: int) -> list[float]:
        """The difference of cross-fitted scores in a list, empty if the measure uses no largest cells."""
        crossed = self.paired.crossed
        return [] if crossed is None else [float(self.sign * (crossed[first] - crossed[second]))]

    @cached_property
    def beats(self) -> list[list[int]]:
        """For each system, the indices of the systems that it is significantly better than."""
        beaten: list[list[int]] = [[] for _ in self.paired.scores]
        for difference in self.differences if self.paired.measure.better is not None else ():
            if difference.significant(self.reference.level):
                beaten[difference.better].append(difference.worse)
        return [sorted(worse) for worse in beaten]

    @cached_property
    def ranks(self) -> list[float | None]:
        """The rank of each system, 1 for the best; ties get their mean rank; None if no end is better."""
        if self.paired.measure.better is None:
            return [None] * len(self.paired.scores)
        values = np.where(np.isnan(self.paired.scores), -np.inf, self.sign * self.paired.scores)
        return [1 + float((values > v).sum()) + (float((values == v).sum()) - 1) / 2 for v in values]

    @property
    def best(self) -> list[int]:
        """The systems with the best score."""
        lowest = min((rank for rank in self.ranks if rank is not None), default=None)
        return [index for index, rank in enumerate(self.ranks) if rank == lowest]

    def equals(self, index: int) -> list[int]:
        """The systems that were tested against this one without a significant difference."""
        different = {index, *self.beats[index], *self.beaten_by(index), *self.untested(index)}
        return [other for other in range(len(self.paired.scores)) if other not in different]

    def untested(self, index: int) -> list[int]:
        """The systems that were not tested against this one."""
        untested_pairs = [{d.better, d.worse} for d in self.differences if not d.tested]
        return [
            other for other in range(len(self.paired.scores)) if {index, other} in untested_pairs and other != index
        ]

    def beaten_by(self, index: int) -> list[int]:
        """The systems that are significantly better than this one."""
        return [other for other, worse in enumerate(self.beats) if index in worse]

    def stability(self, index: int, draws: int = 4000) -> float:
        """The estimated probability that a system has the best score in the population."""
        rng = np.random.default_rng(0)
        crossed = self.paired.values if self.paired.crossed is None else self.paired.crossed
        means = self.sign * (self.paired.values + crossed) / 2
        values = _drawn(rng, means, self.paired.covariances, draws)
        return float((values.argmax(axis=1) == index).mean())


def kendall(left: Any, right: Any) -> float | None:
    """Kendall's tau-b of two rankings: 1 if they agree, -1 if reversed; None if one is constant."""
    a, b = (np.sign(np.subtract.outer(ranks, ranks)) for ranks in (np.asarray(left), np.asarray(right)))
    scale = math.sqrt(float((a * a).sum()) * float((b * b).sum()))
    return float((a * b).sum()) / scale if scale else None


def _drawn(rng: np.random.Generator, means: Floats, covariances: Floats, draws: int) -> Floats:
    """Draws from a multivariate normal distribution whose covariance matrix may be singular."""
    values, vectors = np.linalg.eigh((covariances + covariances.T) / 2)
    scale = vectors * np.sqrt(np.maximum(values, 0))
    return np.asarray(means + rng.standard_normal((draws, means.size)) @ scale.T)
