"""The scores of several systems on the same items, and their covariances over samples of items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from karat.measures.registry import Measure
from karat.output.bars import bar
from karat.scoring.joint import Joint
from karat.tables.counts import Half
from karat.tables.table import Table
from karat.uncertainty.influence import Jackknife, by_class
from karat.uncertainty.resamples import CellGroups, Resampled, bias_corrected, drawn
from karat.uncertainty.sampling import Sampling
from karat.uncertainty.validity import by_jackknife, too_many

Floats = NDArray[np.float64]

LONG = 1 << 28  # resampled counts, above which a progress bar is shown
AT_ONCE = 1 << 22  # influences in memory at a time
SPLITS = 10  # random splits into halves
FEW = 200  # items below which Student's t is used instead of the normal distribution


class Paired(NamedTuple):
    """One measure of all systems: their scores, and the values and covariances for tests of differences."""

    measure: Measure
    scores: Floats
    values: Floats  # the tested values: bias-corrected estimates, or scores where the measure uses largest cells
    covariances: Floats  # of the values
    testable: tuple[bool, ...]  # whether a system's value and variance can be trusted in a test
    items: int  # the number of items that are scored
    freedom: int | None = None  # degrees of freedom of Student's t, where there are few items
    crossed: Floats | None = None  # cross-fitted scores: cells chosen on one half of the items, scored on the other


def untested(measure: Measure, tables: Sequence[Any], items: int) -> Paired:
    """One measure of all systems, without tests of their differences."""
    scores = np.array([float(measure.of(table)) for table in tables])
    size = scores.size
    return Paired(measure, scores, scores, np.zeros((size, size)), (False,) * size, items)


def paired(
    joint: Joint, measures: Sequence[Measure], sampling: Sampling, jackknives: Mapping[str, Jackknife]
) -> list[Paired]:
    """Each measure of all systems, with the covariances of their scores over the items that they share.

    Smooth measures are tested by the jackknife. Measures that choose largest cells are tested with the chosen cells
    held fixed. Only other measures, such as a user's own function, need resamples.
    """
    cells = {name: joint.cells(name) for name in joint.systems}
    tables = list(joint.tables.values())
    many = too_many(joint.counts.size, sampling)
    halves = Halves(joint, cells, sampling)
    by_measure: dict[str, Paired] = {}
    rest: list[Measure] = []
    for measure in measures:
        influences = [jackknives[name].influence(measure) for name in joint.systems]
        known = [influence for influence in influences if influence is not None]
        if len(known) < len(influences):
            rest.append(measure)
            continue
        columns = [(i.values, cells[name]) for i, name in zip(known, joint.systems, strict=True)]
        covariances = _covariances(joint, columns, sampling)
        if sampling.unit == "items":
            covariances = _shrunk(covariances, [jackknives[name].overstated(measure) for name in joint.systems])
        scores = np.array([float(measure.of(table)) for table in tables])
        smooth = all(by_jackknife(measure, table) for table in tables)
        values = np.array([influence.estimate for influence in known]) if smooth else scores
        testable = tuple(np.isfinite(values).tolist())
        freedom = joint.n - 1 if not smooth and joint.n < FEW and sampling.unit == "items" else None
        crossed = None if smooth else halves.scores(measure)
        by_measure[str(measure)] = Paired(measure, scores, values, covariances, testable, joint.n, freedom, crossed)
    if many:
        by_measure.update({str(measure): untested(measure, tables, joint.n) for measure in rest})
    elif rest:
        by_measure.update(_by_resamples(joint, rest, sampling))
    return [by_measure[str(measure)] for measure in measures]


class Halves:
    """Random halves of the items for cross-fitting, shared by all systems and measures."""

    def __init__(self, joint: Joint, cells: Mapping[str, NDArray[np.int64]], sampling: Sampling) -> None:
        self.joint, self.cells, self.sampling = joint, cells, sampling

    @cached_property
    def pairs(self) -> dict[str, list[tuple[Half, Half]]]:
        """Both halves of each split, for each system."""
        counts, rng = self.joint.counts, np.random.default_rng((self.sampling.seed, SPLITS))
        first = [rng.binomial(counts, 0.5) for _ in range(SPLITS)]
        halves: dict[str, list[tuple[Half, Half]]] = {}
        for name, table in self.joint.tables.items():
            sides = [(self._half(table, name, part), self._half(table, name, counts - part)) for part in first]
            halves[name] = [(one, other) for one, other in sides if one.n and other.n]
        return halves

    def _half(self, table: Table, name: str, counts: NDArray[np.int64]) -> Half:
        sizes = np.bincount(self.cells[name], counts, minlength=table.counts.size).astype(np.int64)
        classes = np.bincount(table.rows, sizes, minlength=len(table.class_sizes)).astype(np.int64)
        clusters = np.bincount(table.cols, sizes, minlength=len(table.cluster_sizes)).astype(np.int64)
        return Half(table.rows, table.cols, sizes, classes, clusters, int(sizes.sum()))

    def scores(self, measure: Measure) -> Floats | None:
        """The cross-fitted score of each system: the mean over splits and over both roles of the halves."""
        means = []
        for pairs in self.pairs.values():
            values = []
            for one, other in pairs:
                for choosing, scoring in ((one, other), (other, one)):
                    statistics = [kind.cross_fitted(choosing, scoring) for kind in measure.statistics]
                    if any(statistic is None for statistic in statistics):
                        return None
                    values.append(float(measure.value(statistics)))
            means.append(float(np.mean(values)) if values else np.nan)
        return np.array(means)


def _covariances(joint: Joint, columns: Sequence[tuple[Floats, NDArray[np.int64]]], sampling: Sampling) -> Floats:
    """Covariances of scores from their influences, a few label combinations at a time."""
    number, classes = len(columns), joint.class_sizes.size
    total = np.zeros((number, number))
    by_classes = np.zeros((classes, number))
    step = max(1, AT_ONCE // number)
    for low in range(0, joint.counts.size, step):
        part = slice(low, low + step)
        values = np.column_stack([influence[cells[part]] for influence, cells in columns])
        weighted = joint.counts[part, None] * values
        if sampling.unit == "items":
            total += weighted.T @ values
        else:
            by_classes += by_class(joint.rows[part], classes, weighted)
    n = float(joint.n)
    if sampling.unit == "items":
        return np.asarray(total / (n * max(n - 1, 1)))
    return np.asarray(by_classes.T @ by_classes * (classes / max(classes - 1, 1)) / (n * n))


def _shrunk(covariances: Floats, overstated: Sequence[float]) -> Floats:
    """Shrink variances by the jackknife's excess, at most by half, keeping correlations.

    Intervals are not shrunk: they stay conservative.
    """
    variances = np.maximum(np.diag(covariances), 1e-300)
    factors = np.sqrt(1 - np.minimum(np.array(overstated) / variances, 0.5))
    return covariances * np.outer(factors, factors)


def _by_resamples(joint: Joint, measures: Sequence[Measure], sampling: Sampling) -> dict[str, Paired]:
    """Covariances by the bootstrap; each resample of items serves every measure and every system."""
    cells = [joint.cells(name) for name in joint.systems]
    groups = [(CellGroups(table.rows), CellGroups(table.cols)) for table in joint.tables.values()]
    parts: dict[str, list[Floats]] = {str(m): [] for m in measures}
    draws = drawn(joint.counts, joint.rows, sampling)
    long = joint.counts.size * sampling.resamples * len(cells) > LONG
    with bar("resampling", sampling.resamples if long else 0) as advance:
        for counts in draws:
            stacks = [
                Resampled(table.rows, table.cols, _cell_counts(counts, into, table.counts.size), both)
                for table, into, both in zip(joint.tables.values(), cells, groups, strict=True)
            ]
            for measure in measures:
                parts[str(measure)].append(np.column_stack([np.asarray(measure.of(stack)) for stack in stacks]))
            advance(len(counts))
    return {str(m): _bootstrapped(joint, m, np.concatenate(parts[str(m)]), sampling) for m in measures}


def _cell_counts(counts: Floats, cells: NDArray[np.int64], number: int) -> Floats:
    """The counts of a system's cells, from the counts of label combinations; a row for each resample."""
    return np.array([np.bincount(cells, row, minlength=number) for row in counts])


def _bootstrapped(joint: Joint, measure: Measure, values: Floats, sampling: Sampling) -> Paired:
    """One measure of all systems, with the covariances of its resampled scores."""
    tables = joint.tables.values()
    scores = np.array([float(measure.of(table)) for table in tables])
    pairs = zip(scores.tolist(), values.T, strict=True)
    estimates = np.array([bias_corrected(measure, score, column, sampling) for score, column in pairs])
    # where resampling shifts a score by more than half its standard error, the bootstrap variance cannot be trusted
    with np.errstate(invalid="ignore"):
        shifts = np.abs(values.mean(axis=0) - scores)
        testable = np.isfinite(values).all(axis=0) & (shifts <= values.std(axis=0, ddof=1) / 2)
    covariances = np.atleast_2d(np.cov(values.T))
    return Paired(measure, scores, estimates, covariances, tuple(testable.tolist()), joint.n)
