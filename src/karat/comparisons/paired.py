"""The scores of several systems on the same items, and how they would vary together on others of their kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from karat.bars import bar
from karat.joint import Joint
from karat.registry import Measure
from karat.uncertainty.influence import Jackknife, by_class
from karat.uncertainty.intervals import bootstrapped, by_jackknife, cautions
from karat.uncertainty.resamples import Lines, Resampled, drawn
from karat.uncertainty.sampling import Interval, Sampling

Floats = NDArray[np.float64]

LONG = 1 << 28  # counts to be drawn, for which somebody may have to wait
AT_ONCE = 1 << 22  # influences that are held in memory


class Paired(NamedTuple):
    """One measure of all systems: scores, intervals, and the covariances of their estimates."""

    measure: Measure
    scores: Floats
    intervals: tuple[Interval, ...]
    covariances: Floats
    method: str

    @property
    def estimates(self) -> Floats:
        """What the scores of the population are likely to be."""
        return np.array([interval.estimate for interval in self.intervals])


def paired(joint: Joint, measures: Sequence[Measure], sampling: Sampling) -> list[Paired]:
    """Each measure of all systems: by leaving items out where it is smooth, else by resamples, the same for all."""
    jackknives = {name: Jackknife(table, corrected=sampling.corrected) for name, table in joint.tables.items()}
    places = {name: joint.cells(name) for name in joint.codes}
    found: dict[str, Paired] = {}
    rest = []
    for measure in measures:
        smooth = all(by_jackknife(measure, table) for table in joint.tables.values())
        influences = [jackknives[name].influence(measure) if smooth else None for name in joint.codes]
        columns = [(i.values, places[name]) for i, name in zip(influences, joint.codes, strict=True) if i is not None]
        if len(columns) < len(influences):
            rest.append(measure)
            continue
        covariances = _covariances(joint, columns, sampling)
        errors = np.sqrt(np.diag(covariances)).tolist()
        if sampling.unit == "items":
            covariances = _eased(covariances, [jackknives[name].overstated(measure) for name in joint.codes])
        intervals = tuple(
            sampling.over(i.table).around(measure, i.estimate, error, "jackknife", cautions(measure, i.table, sampling))
            for i, error in zip(influences, errors, strict=True)
            if i is not None
        )
        scores = np.array([float(measure.of(table)) for table in joint.tables.values()])
        found[str(measure)] = Paired(measure, scores, intervals, covariances, "jackknife")
    if rest:
        found.update(_by_resamples(joint, rest, sampling))
    return [found[str(measure)] for measure in measures]


def _covariances(joint: Joint, columns: Sequence[tuple[Floats, NDArray[np.int64]]], sampling: Sampling) -> Floats:
    """Of influences over the same items, a few combinations of labels at a time."""
    number = len(columns)
    total = np.zeros((number, number))
    by_classes = np.zeros((len(joint.classes), number))
    step = max(1, AT_ONCE // number)
    for low in range(0, joint.counts.size, step):
        part = slice(low, low + step)
        values = np.column_stack([influence[cells[part]] for influence, cells in columns])
        weighted = joint.counts[part, None] * values
        if sampling.unit == "items":
            total += weighted.T @ values
        else:
            by_classes += by_class(joint.rows[part], len(joint.classes), weighted)
    n = float(joint.n)
    if sampling.unit == "items":
        return np.asarray(total / (n * max(n - 1, 1)))
    classes = int((joint.class_sizes > 0).sum())
    return np.asarray(by_classes.T @ by_classes * (classes / max(classes - 1, 1)) / (n * n))


def _eased(covariances: Floats, overstated: Sequence[float]) -> Floats:
    """Without what is overstated of the variances, at most half; correlations stay. Intervals keep it, to be safe."""
    variances = np.maximum(np.diag(covariances), 1e-300)
    left = np.sqrt(1 - np.minimum(np.array(overstated) / variances, 0.5))
    return covariances * np.outer(left, left)


def _by_resamples(joint: Joint, measures: Sequence[Measure], sampling: Sampling) -> dict[str, Paired]:
    """Bootstrap: a draw of items serves every measure and every system."""
    cells = [joint.cells(name) for name in joint.codes]
    lines = [(Lines(table.rows), Lines(table.cols)) for table in joint.tables.values()]
    parts: dict[str, list[Floats]] = {str(m): [] for m in measures}
    draws = drawn(joint.counts, joint.rows, sampling.resamples, sampling.seed, sampling.unit)
    long = joint.counts.size * sampling.resamples * len(cells) > LONG
    with bar("resampling", sampling.resamples if long else 0) as advance:
        for counts in draws:
            stacks = [
                Resampled(table.rows, table.cols, _gathered(counts, into, table.counts.size), both)
                for table, into, both in zip(joint.tables.values(), cells, lines, strict=True)
            ]
            for measure in measures:
                parts[str(measure)].append(np.column_stack([np.asarray(measure.of(stack)) for stack in stacks]))
            advance(len(counts))
    return {str(m): _bootstrapped(joint, m, np.concatenate(parts[str(m)]), sampling) for m in measures}


def _gathered(counts: Floats, cells: NDArray[np.int64], number: int) -> Floats:
    """The counts of a system's cells, from those of combinations."""
    return np.array([np.bincount(cells, row, minlength=number) for row in counts])


def _bootstrapped(joint: Joint, measure: Measure, values: Floats, sampling: Sampling) -> Paired:
    tables = joint.tables.values()
    intervals = tuple(
        bootstrapped(measure, table, column, sampling) for table, column in zip(tables, values.T, strict=True)
    )
    scores = np.array([float(measure.of(table)) for table in tables])
    return Paired(measure, scores, intervals, np.atleast_2d(np.cov(values.T)), "bootstrap")
