"""From scores and their covariances to verdicts: differences, p-values, Holm's correction, ranks."""

from __future__ import annotations

import math
from functools import cached_property
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from karat.comparisons.paired import Paired
from karat.uncertainty.sampling import Sampling

Floats = NDArray[np.float64]

NOTHING = 1e-12  # of a variance, that is rounding


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
    """What a measure says of all pairs of systems."""

    def __init__(self, paired: Paired, sampling: Sampling) -> None:
        self.paired = paired
        self.sampling = sampling if paired.freedom is None else sampling._replace(freedom=paired.freedom)

    @property
    def sign(self) -> int:
        """1 if higher is better, -1 if lower is."""
        return -1 if self.paired.measure.better == "lower" else 1

    @cached_property
    def differences(self) -> list[Gap]:
        """Every two systems, the better one first; p-values are adjusted by Holm's method."""
        found = [self._difference(a, b) for a, b in combinations(range(len(self.paired.scores)), 2)]
        tested = sorted((d.p, place) for place, d in enumerate(found) if d.p is not None)
        highest = 0.0
        for rank, (p, place) in enumerate(tested):
            highest = max(highest, min(1.0, (len(tested) - rank) * p))
            found[place] = found[place]._replace(p_holm=highest)
        return found

    def _difference(self, a: int, b: int) -> Gap:
        values, covariances = self.sign * self.paired.values, self.paired.covariances
        first, second = (a, b) if (values[a], -a) >= (values[b], -b) else (b, a)
        gap = float(values[first] - values[second])
        if not (self.paired.testable[a] and self.paired.testable[b]):
            return Gap(first, second, gap, None, None, None, None)
        scale = covariances[a, a] + covariances[b, b]
        variance = scale - 2 * covariances[a, b]
        error = math.sqrt(variance) if variance > NOTHING * scale else 0.0
        if error == 0 and gap > 0:  # no item varies it: as if one did
            error = (abs(values[a]) + abs(values[b])) / math.sqrt(self.paired.items)
        gaps = [gap, *self._crossed_gap(first, second)]
        reach = self.sampling.z * error
        # largest cells flatter systems with many clusters, cells that others chose do the opposite: both must agree
        p = max(self.sampling.p(max(found, 0.0), error) for found in gaps)
        return Gap(first, second, gap, min(gaps) - reach, max(gaps) + reach, p, p)

    def _crossed_gap(self, first: int, second: int) -> list[float]:
        """The difference of cross-fitted scores, if the measure looks at largest cells."""
        crossed = self.paired.crossed
        return [] if crossed is None else [float(self.sign * (crossed[first] - crossed[second]))]

    @cached_property
    def beats(self) -> list[list[int]]:
        """For each system those that it is significantly better than."""
        found: list[list[int]] = [[] for _ in self.paired.scores]
        for difference in self.differences if self.paired.measure.better is not None else ():
            if difference.significant(self.sampling.level):
                found[difference.better].append(difference.worse)
        return [sorted(worse) for worse in found]

    @cached_property
    def ranks(self) -> list[float | None]:
        """1 for the best score, the mean of their ranks for equal ones; None where neither end is better."""
        if self.paired.measure.better is None:
            return [None] * len(self.paired.scores)
        values = np.where(np.isnan(self.paired.scores), -np.inf, self.sign * self.paired.scores)
        return [1 + float((values > v).sum()) + (float((values == v).sum()) - 1) / 2 for v in values]

    @property
    def best(self) -> list[int]:
        """The systems with the best score."""
        lowest = min((rank for rank in self.ranks if rank is not None), default=None)
        return [place for place, rank in enumerate(self.ranks) if rank == lowest]

    def equals(self, place: int) -> list[int]:
        """The systems that were tested against this one without a significant difference."""
        apart = {place, *self.beats[place], *self.beaten_by(place), *self.untested(place)}
        return [other for other in range(len(self.paired.scores)) if other not in apart]

    def untested(self, place: int) -> list[int]:
        """The systems that were not tested against this one."""
        found = [{d.better, d.worse} for d in self.differences if not d.tested]
        return [other for other in range(len(self.paired.scores)) if {place, other} in found and other != place]

    def beaten_by(self, place: int) -> list[int]:
        """The systems that are significantly better than this one."""
        return [other for other, worse in enumerate(self.beats) if place in worse]

    def stability(self, place: int, draws: int = 4000) -> float:
        """The estimated probability that a system has the best score in the population."""
        rng = np.random.default_rng(0)
        crossed = self.paired.values if self.paired.crossed is None else self.paired.crossed
        means = self.sign * (self.paired.values + crossed) / 2
        values = _drawn(rng, means, self.paired.covariances, draws)
        return float((values.argmax(axis=1) == place).mean())


def kendall(left: Any, right: Any) -> float | None:
    """Kendall's tau-b of two rankings; 1 if they agree on every two systems, -1 if on none; None if one is constant."""
    a, b = (np.sign(np.subtract.outer(ranks, ranks)) for ranks in (np.asarray(left), np.asarray(right)))
    scale = math.sqrt(float((a * a).sum()) * float((b * b).sum()))
    return float((a * b).sum()) / scale if scale else None


def _drawn(rng: np.random.Generator, means: Floats, covariances: Floats, draws: int) -> Floats:
    """Normal draws, also where systems do not differ at all."""
    values, vectors = np.linalg.eigh((covariances + covariances.T) / 2)
    scale = vectors * np.sqrt(np.maximum(values, 0))
    return np.asarray(means + rng.standard_normal((draws, means.size)) @ scale.T)
