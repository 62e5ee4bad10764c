"""Pairs of items that gold, the clustering or both join: the statistics of the pair-counting measures."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from karat.errors import TableError
from karat.measures.arithmetic import Number, is_zero, positive_sum, ratio
from karat.tables.counts import Counts, ExpectedSizes, SingleTable, Statistic
from karat.tables.moves import Moves
from karat.tables.table import Table


@dataclass(frozen=True)
class Pairs(Statistic):
    """Numbers of pairs of items joined by gold and by the clustering, as integers that cannot overflow."""

    both: Number  # a00, joined by both
    gold: Number  # a0., joined by gold
    pred: Number  # a.0, joined by the clustering
    total: Number  # all pairs, n(n-1)/2

    @classmethod
    def of(cls, counts: Counts) -> Pairs:
        """Pair counts: h items make h(h-1)/2 pairs, also for real-valued h."""
        ordered, n = counts.ordered_pairs, counts.n
        too_small = ordered.cells < 0
        if too_small is not False and np.any(too_small):
            raise TableError(
                f"cells that add up to {float(np.min(n)):.4g} are too small to hold pairs of items; "
                "scale the weights to average 1."
            )
        both, gold, pred, total = map(_half, (*ordered, n * (n - 1)))
        return cls(both, gold, pred, total)

    @classmethod
    def expected(cls, counts: SingleTable, chances: ExpectedSizes) -> Pairs:
        """Expected pair counts: the two sides join a pair independently (Hubert & Arabie 1985)."""
        seen = counts.statistic(cls)
        gold, pred = (
            pairs if sizes is None else (sizes.squares - counts.n) / 2
            for sizes, pairs in ((chances.classes, seen.gold), (chances.clusters, seen.pred))
        )
        product = gold * pred
        if isinstance(product, int) and seen.total:  # exact, so that equal quantities cancel to 0
            return replace(seen, both=Fraction(product, seen.total))
        return cls(ratio(product, seen.total, empty=0), gold, pred, seen.total)

    @classmethod
    def with_joined_pairs(cls, table: SingleTable, both: int) -> Pairs:
        """The pair counts with another number of pairs joined by both sides."""
        return replace(table.statistic(cls), both=both)

    @classmethod
    def after(cls, moves: Moves) -> Pairs:
        """Pair counts after each move; differences of floats lose precision, so small ones are set to 0."""
        seen, (mixed, split) = moves.table.statistic(cls), moves.pairs()

        def changed(pairs: Number, change: Number) -> Number:
            return float(pairs) + change if moves.exact else positive_sum(float(pairs), change)

        return MovedPairs(
            both=changed(seen.both, -split),
            gold=float(seen.gold),
            pred=changed(seen.pred, mixed - split),
            total=float(seen.total),
            only_gold=changed(seen.gold_only, split),
            only_pred=changed(seen.pred_only, mixed),
            joined_by_neither=changed(seen.neither, -mixed),
        )

    @classmethod
    def estimated(cls, table: Table) -> Pairs:
        """The statistic unchanged: the share of pairs is an unbiased estimate of the population's."""
        return table.statistic(cls)

    @classmethod
    def leave_one_out(cls, table: Table, corrected: bool) -> Pairs:
        """Leave-one-out pair counts: an item pairs with every other item of its cell, class or cluster."""
        seen, h = table.statistic(cls), table.counts
        a, b = table.class_sizes[table.rows], table.cluster_sizes[table.cols]
        return MovedPairs(
            both=float(seen.both) - (h - 1.0),
            gold=float(seen.gold) - (a - 1.0),
            pred=float(seen.pred) - (b - 1.0),
            total=float(seen.total) - (table.n - 1.0),
            only_gold=float(seen.gold_only) - (a - h),
            only_pred=float(seen.pred_only) - (b - h),
            joined_by_neither=float(seen.neither) - ((table.n - a) - (b - h)),
        )

    @property
    def gold_only(self) -> Number:
        """a01, joined by gold only."""
        return self.gold - self.both

    @property
    def pred_only(self) -> Number:
        """a10, joined by the clustering only."""
        return self.pred - self.both

    @property
    def neither(self) -> Number:
        """a11, joined by neither; in this order exactly 0 if one side joins all pairs, also in floats."""
        return (self.total - self.pred) - (self.gold - self.both)

    @property
    def not_gold(self) -> Number:
        """The pairs that gold does not join."""
        return self.total - self.gold

    @property
    def not_pred(self) -> Number:
        """The pairs that the clustering does not join."""
        return self.total - self.pred

    @property
    def disagreements(self) -> Number:
        """a01 + a10; 0 if and only if the partitions are the same."""
        return self.gold + self.pred - 2 * self.both

    @property
    def same_if_empty(self) -> Number:
        """1 if the partitions are the same, else 0: the value of 0/0."""
        return is_zero(self.disagreements)

    @property
    def precision(self) -> Number:
        """Of the pairs that the clustering joins, the share that gold joins."""
        return ratio(self.both, self.pred, empty=self.same_if_empty)

    @property
    def recall(self) -> Number:
        """Of the pairs that gold joins, the share that the clustering joins."""
        return ratio(self.both, self.gold, empty=self.same_if_empty)


@dataclass(frozen=True)
class MovedPairs(Pairs):
    """Pair counts in floats, with the four kinds of pairs each on its own: their differences would lose precision."""

    only_gold: Number
    only_pred: Number
    joined_by_neither: Number

    @property
    def gold_only(self) -> Number:
        """a01, joined by gold only."""
        return self.only_gold

    @property
    def pred_only(self) -> Number:
        """a10, joined by the clustering only."""
        return self.only_pred

    @property
    def neither(self) -> Number:
        """a11, joined by neither."""
        return self.joined_by_neither

    @property
    def not_gold(self) -> Number:
        """The pairs that gold does not join."""
        return self.joined_by_neither + self.only_pred

    @property
    def not_pred(self) -> Number:
        """The pairs that the clustering does not join."""
        return self.joined_by_neither + self.only_gold

    @property
    def disagreements(self) -> Number:
        """a01 + a10."""
        return self.only_gold + self.only_pred


@dataclass(frozen=True)
class SquareSums(Statistic):
    """Sums of squared cells, class sizes and cluster sizes, for measures of pairs drawn with replacement."""

    cells: Number
    classes: Number
    clusters: Number
    n: Number

    @classmethod
    def of(cls, counts: Counts) -> SquareSums:
        """Defined for every table, probabilities included."""
        return cls(*counts.squares, counts.n)

    @classmethod
    def expected(cls, counts: SingleTable, chances: ExpectedSizes) -> SquareSums:
        """Expected sums of squares, from expected pair counts: h^2 is twice the number of pairs plus h."""
        pairs, n = Pairs.expected(counts, chances), counts.n
        return cls(2 * pairs.both + n, 2 * pairs.gold + n, 2 * pairs.pred + n, n)

    @classmethod
    def with_joined_pairs(cls, table: SingleTable, both: int) -> SquareSums:
        """The sums of squares with another number of pairs joined by both sides."""
        seen = table.statistic(cls)
        return replace(seen, cells=2 * both + seen.n)

    @classmethod
    def after(cls, moves: Moves) -> SquareSums:
        """Sums of squares after each move, from the changes of pair counts."""
        seen, (mixed, split) = moves.table.statistic(cls), moves.pairs()
        cells, clusters = float(seen.cells) - 2.0 * split, float(seen.clusters) + 2.0 * (mixed - split)
        differing = positive_sum(float(seen.disagreements), 2.0 * (mixed + split))
        return MovedSquareSums(cells, float(seen.classes), clusters, float(seen.n), differing)

    @classmethod
    def estimated(cls, table: Table) -> SquareSums:
        """Bias-corrected sums of squares, scaled from pair counts, which are unbiased."""
        return cls._scaled(table.statistic(Pairs), float(table.n))

    @classmethod
    def leave_one_out(cls, table: Table, corrected: bool) -> SquareSums:
        """Leave-one-out sums of squares, from leave-one-out pair counts."""
        pairs, n = Pairs.leave_one_out(table, corrected), table.n - 1.0
        if corrected:
            return cls._scaled(pairs, n)
        sums = (2 * pairs.both + n, 2 * pairs.gold + n, 2 * pairs.pred + n)
        return MovedSquareSums(*sums, n, differing=2 * pairs.disagreements)

    @classmethod
    def _scaled(cls, pairs: Pairs, n: float) -> SquareSums:
        """Sums of squares whose shares of n^2 are the shares of pairs of two different items."""
        scale = 2 * n / (n - 1) if n > 1 else 0.0
        return cls(scale * pairs.both, scale * pairs.gold, scale * pairs.pred, n)

    @property
    def disagreements(self) -> Number:
        """Ordered pairs on which the partitions disagree."""
        return self.classes + self.clusters - 2 * self.cells


@dataclass(frozen=True)
class MovedSquareSums(SquareSums):
    """Sums of squares in floats, with their difference on its own, which would lose precision."""

    differing: Number

    @property
    def disagreements(self) -> Number:
        """Ordered pairs on which the partitions disagree."""
        return self.differing


def _half(x: Number) -> Number:
    """x/2; an int stays an int, since x is then even."""
    return x // 2 if isinstance(x, int) else x * Fraction(1, 2) if isinstance(x, Fraction) else x / 2
