"""The value of a measure after each of many moves: statistics are updated in closed form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from karat.explanations.anatomy import Floats
from karat.explanations.moves import Array, Moves
from karat.kernels.expected import expected_lines
from karat.kernels.logarithm import log_binomial
from karat.measures.arithmetic import zero_if_rounding
from karat.measures.bcubed import Elements
from karat.measures.coding import BIT, CodeLengths
from karat.measures.information import Chance, Entropies, LogSize
from karat.measures.matching import Majorities
from karat.measures.pairs import Pairs, SquareSums
from karat.measures.registry import Measure
from karat.measures.variation import vi
from karat.tables.counts import Statistic
from karat.tables.table import Table


def values_after(measure: Measure, moves: Moves, tried: int) -> Floats:
    """The measure's value after each move.

    Without a closed form, only the `tried` moves that lower VI most are evaluated; the others are NaN.
    """
    if can_update(measure):
        statistics = [UPDATES[kind](moves, moves.anatomy.table.statistic(kind)) for kind in measure.statistics]
        return np.array(np.broadcast_to(np.asarray(measure.value(statistics)), moves.clusters.shape), dtype=np.float64)
    values = np.full(moves.clusters.size, np.nan)
    for index in np.argsort(np.round(values_after(vi, moves, tried), 12), kind="stable")[:tried].tolist():
        table = moves.anatomy.table
        changed = Table.from_cells(table.rows, moves.columns(index), table.counts)
        values[index] = float(measure.of(changed))
    return values


def can_update(measure: Measure) -> bool:
    """Whether all statistics of the measure can be updated in closed form."""
    return measure.inner is None and all(kind in UPDATES for kind in measure.statistics)


def _entropies(moves: Moves, seen: Entropies) -> Entropies:
    n = float(seen.n)
    mixed, split = moves.entropies()
    clusters = seen.clusters + moves.clusters
    some = (clusters > 1).astype(np.float64)  # one cluster gives no information, exactly 0
    several = float(seen.classes > 1)
    given_pred = seen.gold + some * (_left(seen.gold_given_pred, mixed / n) - seen.gold)
    given_gold = some * _left(seen.pred_given_gold, split / n)
    return Entropies(
        gold=seen.gold,
        pred=some * _left(seen.pred, (split - mixed) / n),
        joint=seen.gold + given_gold,
        gold_given_pred=several * given_pred,
        pred_given_gold=given_gold,
        mutual=several * some * _left(seen.mutual, -mixed / n),
        n=n,
        classes=seen.classes,
        clusters=clusters,
    )


def _left(seen: Any, added: Array) -> Array:
    """A sum of positive terms after a change; 0 where only rounding error is left."""
    return np.asarray(np.maximum(zero_if_rounding(seen + added, seen + abs(added)), 0.0))


class ClusterParts:
    """The part that a cluster of each size has in E[I], E[H(K|C)] and E[H(C|K)], times n; each computed once."""

    def __init__(self, table: Table) -> None:
        self.classes = table.profile.classes
        self.n = round(self.classes.total)
        self.sizes = np.zeros(1, np.int64)  # in increasing order
        self.parts = np.zeros((3, 1))  # a column for each size; an empty cluster has no part

    def of(self, sizes: Array) -> Array:
        """An array with the three parts of clusters of these sizes as its rows."""
        new = np.setdiff1d(sizes, self.sizes)
        if new.size:
            order = np.argsort(np.concatenate([self.sizes, new]))
            self.parts = np.hstack([self.parts, expected_lines(new, *self.classes.arrays, self.n)])[:, order]
            self.sizes = np.concatenate([self.sizes, new])[order]
        return np.asarray(self.parts[:, np.searchsorted(self.sizes, sizes)])


def _chance(moves: Moves, seen: Chance) -> Chance:
    """Expectations are sums over clusters of a part that depends on the cluster's size and the class sizes."""
    table = moves.anatomy.table
    parts = table.remember("cluster parts", lambda: ClusterParts(table))

    def change(row: int) -> Array:
        return np.asarray(moves.bits(lambda sizes: parts.of(sizes)[row]) / parts.n)

    return Chance(
        mutual=_left(seen.mutual, change(0)),
        gold_given_pred=_left(seen.gold_given_pred, change(2)),
        pred_given_gold=_left(seen.pred_given_gold, change(1)),
    )


def _log_size(moves: Moves, seen: LogSize) -> LogSize:
    return seen


def _pairs(moves: Moves, seen: Pairs) -> Pairs:
    mixed, split = moves.pairs()
    both, pred = float(seen.both) - split, float(seen.pred) + (mixed - split)
    if moves.anatomy.counts.dtype.kind == "f":  # float sums leave rounding error where the result should be 0
        both, pred = _left(float(seen.both), -split), _left(float(seen.pred), mixed - split)
    return Pairs(both, float(seen.gold), pred, float(seen.total))


def _square_sums(moves: Moves, seen: SquareSums) -> SquareSums:
    mixed, split = moves.pairs()
    cells, clusters = float(seen.cells) - 2.0 * split, float(seen.clusters) + 2.0 * (mixed - split)
    return SquareSums(cells, float(seen.classes), clusters, float(seen.n))


def _elements(moves: Moves, seen: Elements) -> Elements:
    precision, recall = moves.elements()
    return Elements(float(seen.precision) + precision, float(seen.recall) + recall, float(seen.n))


def _majorities(moves: Moves, seen: Majorities) -> Majorities:
    added = moves.largest()
    by_cluster, by_class = float(seen.by_cluster) + added.by_cluster, float(seen.by_class) + added.by_class
    return Majorities(by_cluster, by_class, float(seen.largest_class), added.cluster.astype(np.float64), float(seen.n))


def _code_lengths(moves: Moves, seen: CodeLengths) -> CodeLengths:
    more = moves.anatomy.classes.sizes.size - 1.0

    def length(sizes: Array) -> Array:
        return log_binomial(sizes, more) / BIT

    return CodeLengths(seen.clusters + moves.bits(length), seen.classes, seen.whole)


UPDATES: dict[type[Statistic], Callable[[Moves, Any], Statistic]] = {
    Entropies: _entropies,
    Chance: _chance,
    LogSize: _log_size,
    Pairs: _pairs,
    SquareSums: _square_sums,
    Elements: _elements,
    Majorities: _majorities,
    CodeLengths: _code_lengths,
}
