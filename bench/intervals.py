"""How often 95 % intervals hold the truth, and how often tests of equal systems say otherwise; writes docs/coverage.md.

Samples are drawn from known class-cluster distributions; the truth of a measure is its value in the distribution: of
Q2, which depends on the number of items, its value of the expected table.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import karat
from karat.output.layout import markdown
from karat.uncertainty.intervals import intervals
from karat.uncertainty.sampling import Sampling

Floats = NDArray[np.float64]

MEASURES = ("v_measure", "nmi(norm=max)", "vi", "ari", "rand", "jaccard", "bcubed_f", "purity", "one_to_one", "q2")
PAGE = Path(__file__).parent.parent / "docs" / "coverage.md"


SAMPLES = 600  # of each distribution
PAIRS = 2000  # of systems, for the tests
TESTED = ("v_measure", "ari", "bcubed_f", "vi", "purity")


class Truth(NamedTuple):
    """A distribution over classes and clusters, each cluster of one class but for noise, and the items drawn."""

    classes: int
    clusters: int
    noise: float
    n: int
    uneven: bool = False  # the class of rank r has a share of 1/r, as words and names have

    @property
    def shares(self) -> Floats:
        """The probability of each cell."""
        classes = 1 / np.arange(1.0, self.classes + 1) if self.uneven else np.ones(self.classes)
        clusters = np.arange(max(self.classes, self.clusters)) % self.clusters
        right = np.zeros((self.classes, self.clusters))
        for place, cluster in enumerate(clusters):
            right[place % self.classes, cluster] += classes[place % self.classes]
        right /= right.sum()
        return np.asarray((1 - self.noise) * right + self.noise * np.outer(right.sum(axis=1), right.sum(axis=0)))

    def value(self, measure: str) -> float:
        """The measure in the distribution, or of the expected table."""
        items = self.n if measure == "q2" else 10**12
        return float(karat.parse(measure)(karat.Table.from_matrix(self.shares * items)))

    def __str__(self) -> str:
        return f"{self.classes} × {self.clusters}{' uneven' * self.uneven}, n = {self.n:,}, noise {self.noise:g}"


TRUTHS = (
    Truth(5, 5, 0.3, 200), Truth(5, 5, 0.05, 2000), Truth(12, 35, 0.5, 1884), Truth(20, 50, 0.6, 20000),
    Truth(50, 50, 0.3, 1000), Truth(100, 100, 0.5, 5000), Truth(2, 2, 0.02, 100), Truth(30, 60, 0.4, 1000, True),
    Truth(200, 8, 0.3, 2000, True),
)  # fmt: skip


def covered(task: tuple[Truth, int, int]) -> Floats:
    """For each measure: how often the truth is inside, how far score and estimate are off, widths, and doubts."""
    truth, samples, seed = task
    rng = np.random.default_rng((seed, truth.classes, truth.n))
    measures = [karat.parse(text) for text in MEASURES]
    right = [truth.value(text) for text in MEASURES]
    sums = np.zeros((len(MEASURES), 5))
    for _ in range(samples):
        table = karat.Table.from_matrix(rng.multinomial(truth.n, truth.shares.ravel()).reshape(truth.shares.shape))
        found = intervals(table, measures, Sampling(resamples=200))
        for place, (measure, value) in enumerate(zip(measures, right, strict=True)):
            i = found[str(measure)]
            off = float(measure(table)) - value, i.estimate - value
            sums[place] += (value in i, *off, i.high - i.low, bool(i.caution))
    return sums


def told_apart(task: tuple[float, float, int, int]) -> Floats:
    """For each measure, how often two systems with these shares of noise differ significantly at 5 %."""
    left, right, pairs, seed = task
    rng = np.random.default_rng((seed, round(1000 * left), round(1000 * right)))
    found = np.zeros(len(TESTED))
    for _ in range(pairs):
        gold = rng.integers(0, 5, 400)
        hard = rng.random(400)  # what is hard for one system is hard for the other
        systems = {name: _system(rng, gold, hard, noise) for name, noise in (("a", left), ("b", right))}
        compared = karat.compare(gold, systems, list(TESTED), resamples=200)
        tested = [compared.difference(text, "a", "b").p for text in TESTED]
        found += [p is not None and p < 0.05 for p in tested]
    return found


def _system(rng: np.random.Generator, gold: NDArray[np.int64], hard: Floats, noise: float) -> NDArray[np.int64]:
    """Gold, but for noise: half of it on the items that are hard for all, half anywhere."""
    wrong = (hard < noise / 2) | (rng.random(gold.size) < noise / 2)
    return np.where(wrong, rng.integers(0, 7, gold.size), gold)


def shared(work: Callable[[tuple[object, ...]], Floats], arguments: tuple[object, ...], times: int) -> Floats:
    """The sum of some parts of a simulation, on all cores."""
    parts = 8
    with ProcessPoolExecutor() as pool:
        return np.asarray(sum(pool.map(work, [(*arguments, times // parts, seed) for seed in range(parts)]))) / times


def coverage_table() -> str:
    """How often intervals hold the truth."""
    rows: list[Sequence[str]] = []
    for truth in TRUTHS:
        print(truth, file=sys.stderr)
        found = shared(covered, (truth,), SAMPLES)  # type: ignore[arg-type]
        for text, (inside, off, rest, width, doubt) in zip(MEASURES, found, strict=True):
            said = "yes" if doubt > 0.5 else ""
            numbers = f"{truth.value(text):.3f}", f"{off:+.3f}", f"{rest:+.3f}", f"{width:.3f}", f"{inside:.1%}"
            rows.append([str(truth), text, *numbers, said])
    headings = ["sample", "measure", "truth", "score off by", "estimate off by", "width", "covered", "cautioned"]
    return markdown(headings, rows, left=2)


def test_table() -> str:
    """How often two systems differ significantly: equal ones, and others."""
    rows = []
    for left, right in ((0.4, 0.4), (0.2, 0.2), (0.1, 0.1), (0.4, 0.36), (0.4, 0.32), (0.4, 0.28)):
        print(left, right, file=sys.stderr)
        found = shared(told_apart, (left, right), PAIRS)  # type: ignore[arg-type]
        rows.append([f"{left:g} and {right:g}", *(f"{share:.1%}" for share in found)])
    return markdown(["noise of the systems", *TESTED], rows)


def main() -> None:
    """Simulate, and write the page."""
    text = f"""# How often intervals hold the truth

Made by `bench/intervals.py`: {SAMPLES} samples of each distribution, in which every cluster is of one class but for
noise that is spread over all cells. Truth is the measure of the distribution; for Q2, which depends on the number of
items, of the expected table. A 95% interval should cover it 95 times in 100; *cautioned* is the share of intervals
with a caution that they may be too wide or too narrow. With {SAMPLES} samples a coverage is known to about two points.

{coverage_table()}

Intervals of entropies are wide where many items are in cells of one item: the jackknife overestimates how much the
estimate of the unseen varies; but with a long tail of rare classes the unseen is underestimated, and they can miss. Of
a nearly perfect clustering too few items are wrong to tell how many would be. One-to-one accuracy is missed where
several clusters share a class, so that many maps are nearly as good. In all these cases the result says so. AMI is left
out: its interval is centred on the score, since the expectation that is subtracted depends on the number of items.

## Tests

How often two systems differ significantly at 5% on 400 items in 5 classes, in {PAIRS} pairs. Half of a system's
errors are on items that are hard for both. The first three rows are equal systems, which should differ significantly 5
times in 100; the others differ.

{test_table()}
"""
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
