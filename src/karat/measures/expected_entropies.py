"""Expected mutual information and conditional entropies under shuffled predicted labels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from karat.kernels.expected import expected_information, expected_parts
from karat.measures.arithmetic import Number, positive_sum
from karat.tables.counts import Counts, ExpectedSizes, SingleTable, Statistic
from karat.tables.moves import Moves
from karat.tables.profile import Sizes
from karat.tables.table import Table

LARGE = 1_000_000  # items
FEW_SIZES = 12  # class or cluster sizes at which the expected information is evaluated; others are interpolated


@dataclass(frozen=True)
class ExpectedEntropies(Statistic):
    """Expected mutual information and conditional entropies under shuffled predicted labels, in nats."""

    needs_counts = True

    mutual: Number  # E[I]
    gold_given_pred: Number  # E[H(C|K)]
    pred_given_gold: Number  # E[H(K|C)]

    @classmethod
    def of(cls, counts: Counts) -> ExpectedEntropies:
        """Exact expectations, from the distinct class and cluster sizes (Vinh, Epps & Bailey 2010, eq. 24a)."""
        counts.need_counts("the mutual information expected by chance")
        values = counts.each(lambda table: _expected(table.profile.classes, table.profile.clusters))
        return cls(*(values if isinstance(values, tuple) else values.T))

    @classmethod
    def leave_one_out(cls, table: Table, corrected: bool) -> ExpectedEntropies:
        """Leave-one-out expectations; the effects of the class's and the cluster's smaller size are added."""
        profile = table.profile
        classes, clusters = _less_one(profile.classes), _less_one(profile.clusters)
        if table.n > LARGE:  # one item in so many changes little but the terms of its own class and cluster
            full = table.statistic(cls)
            base = full.mutual, full.gold_given_pred, full.pred_given_gold
        else:
            base = _expected(classes, clusters)  # without an item of the largest class and the largest cluster
        by_class = _less_one_of(profile.classes, table.class_sizes, clusters)
        by_cluster = _less_one_of(profile.clusters, table.cluster_sizes, classes)[[0, 2, 1]]
        values = (by_class + np.array(base)[:, None]).take(table.rows, axis=1)
        values += by_cluster.take(table.cols, axis=1)
        return cls(*values)

    @classmethod
    def after(cls, moves: Moves) -> ExpectedEntropies:
        """Expectations after each move: sums over clusters of a part that depends on the cluster's size."""
        seen, table = moves.table.statistic(cls), moves.table
        parts = table.remember("cluster parts", lambda: ClusterParts(table))

        def change(row: int) -> Number:
            return moves.cluster_total(lambda sizes: parts.of(sizes)[row]) / parts.n

        return cls(
            mutual=positive_sum(seen.mutual, change(0)),
            gold_given_pred=positive_sum(seen.gold_given_pred, change(2)),
            pred_given_gold=positive_sum(seen.pred_given_gold, change(1)),
        )

    @classmethod
    def expected(cls, counts: SingleTable, chances: ExpectedSizes) -> ExpectedEntropies:
        """Expectations under the null model, which depend on the expected sizes only."""
        if chances == ExpectedSizes():
            return counts.statistic(cls)
        return cls(*_expected(*chances.of(counts)))


class ClusterParts:
    """The part that a cluster of each size has in E[I], E[H(K|C)] and E[H(C|K)], times n; each computed once."""

    def __init__(self, table: Table) -> None:
        self.classes = table.profile.classes
        self.n = round(self.classes.total)
        self.sizes = np.zeros(1, np.int64)  # in increasing order
        self.parts = np.zeros((3, 1))  # a column for each size; an empty cluster has no part

    def of(self, sizes: Number) -> Number:
        """An array with the three parts of clusters of these sizes as its rows."""
        new = np.setdiff1d(sizes, self.sizes)
        if new.size:
            order = np.argsort(np.concatenate([self.sizes, new]))
            self.parts = np.hstack([self.parts, expected_parts(new, *self.classes.arrays, self.n)])[:, order]
            self.sizes = np.concatenate([self.sizes, new])[order]
        return np.asarray(self.parts[:, np.searchsorted(self.sizes, sizes)])


def _expected(classes: Sizes, clusters: Sizes) -> tuple[float, float, float]:
    return expected_information(*classes.arrays, *clusters.arrays, round(classes.total))


def _less_one(sizes: Sizes) -> Sizes:
    """The histogram of sizes after one item is removed from a largest class or cluster."""
    times, size = dict(zip(sizes.size, sizes.times, strict=True)), sizes.size[-1]
    times[size] -= 1
    times[size - 1] = times.get(size - 1, 0) + 1
    left = sorted((s, t) for s, t in times.items() if s and t)
    return Sizes(tuple(s for s, _ in left), tuple(t for _, t in left))


def _less_one_of(sizes: Sizes, given: Number, others: Sizes) -> Number:
    """Change of E[I], E[H(C|K)], E[H(K|C)] if a class of a given size, not the largest, loses an item.

    Each is a sum over classes, so only the class's own term changes. It is evaluated at FEW_SIZES sizes at most and
    interpolated linearly in between. For clusters, swap the roles of sizes and others.
    """
    chosen = np.array(sorted({sizes.size[round(x)] for x in np.linspace(0, len(sizes.size) - 1, FEW_SIZES)}))
    n = round(others.total)
    both = np.concatenate([chosen, np.maximum(chosen - 1, 1)])
    before, after = np.split(expected_parts(both, *others.arrays, n) / n, 2, axis=1)
    change = np.where(chosen > 1, after, 0.0) - before  # a class of one item vanishes
    return np.array([np.interp(given, chosen, row - row[-1]) for row in change])


def expected_entropy(sizes: Sizes) -> float:
    """The expected entropy, in nats, of a partition with these expected sizes."""
    size, times = sizes.arrays
    n: int = round(sizes.total)
    return float((times * size * np.log(n / size)).sum()) / n
