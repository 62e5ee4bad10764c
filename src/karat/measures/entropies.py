"""Entropies of the two partitions, and the logarithm of the number of items: the statistics of several families.

C are the gold classes, K the predicted clusters; entropies are in nats.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from karat.errors import TableError
from karat.measures.arithmetic import Number, is_zero, larger, log, positive_sum, ratio, smaller, sqrt
from karat.measures.entropy_estimates import Sample
from karat.measures.expected_entropies import ExpectedEntropies, expected_entropy
from karat.tables.counts import Counts, ExpectedSizes, SingleTable, Statistic
from karat.tables.moves import Moves
from karat.tables.profile import Information
from karat.tables.table import Table

Norm = Literal["min", "sqrt", "sum", "max", "joint"]


@dataclass(frozen=True)
class Entropies(Information, Statistic):
    """Entropies of the two partitions, and how many items, classes and clusters there are."""

    estimates_unseen = True

    n: Number
    classes: Number
    clusters: Number

    @classmethod
    def of(cls, counts: Counts) -> Entropies:
        """The entropies of the table, which depend on the sizes of cells, classes and clusters alone."""
        return cls(**vars(counts.information), n=counts.n, classes=counts.shape[0], clusters=counts.shape[1])

    @classmethod
    def expected(cls, counts: SingleTable, chances: ExpectedSizes) -> Entropies:
        """Expected entropies; H(C) and H(K) change only if the null model changes the sizes."""
        seen, chance = counts.statistic(cls), ExpectedEntropies.expected(counts, chances)
        gold = seen.gold if chances.classes is None else expected_entropy(chances.classes)
        pred = seen.pred if chances.clusters is None else expected_entropy(chances.clusters)
        some = 1 - is_zero(chance.mutual)  # with one class or one cluster every shuffle is the same
        pred_given_gold = pred + some * (chance.pred_given_gold - pred)
        classes, clusters = chances.of(counts)
        return Entropies(
            gold,
            pred,
            joint=gold + pred_given_gold,
            gold_given_pred=gold + some * (chance.gold_given_pred - gold),
            pred_given_gold=pred_given_gold,
            mutual=chance.mutual,
            n=seen.n,
            classes=classes.number,
            clusters=clusters.number,
        )

    @classmethod
    def estimated(cls, table: Table) -> Entropies:
        """Bias-corrected entropies of the population, with a term for unseen categories (see entropy_estimates.py)."""
        profile = table.profile
        gold, pred, joint = (Sample.of(sizes).entropy() for sizes in (profile.classes, profile.clusters, profile.cells))
        return cls._from(gold, pred, joint, table.n, *table.shape)

    @classmethod
    def leave_one_out(cls, table: Table, corrected: bool) -> Entropies:
        """Leave-one-out entropies, looked up by the sizes of each cell, its class and its cluster."""
        profile = table.profile
        gold, pred, joint = (
            Sample.of(sizes).leave_one_out_for(each, corrected)
            for sizes, each in (
                (profile.classes, table.class_sizes),
                (profile.clusters, table.cluster_sizes),
                (profile.cells, table.counts),
            )
        )
        return cls._from(gold[table.rows], pred[table.cols], joint, table.n - 1, *table.shape)

    @classmethod
    def second_difference(cls, table: Table) -> Entropies:
        """Second differences of the joint entropy; second differences of class and cluster entropies are negligible."""
        joint, no = Sample.of(table.profile.cells).second_difference(), 0.0
        return cls(no, no, joint, joint, joint, -joint, no, no, no)

    @classmethod
    def after(cls, moves: Moves) -> Entropies:
        """Entropies after each move, from changes that are sums of positive terms; H(C) does not change."""
        seen = moves.table.statistic(cls)
        n, (mixed, split) = float(seen.n), moves.entropies()
        clusters = seen.clusters + moves.clusters
        some = (clusters > 1).astype(np.float64)  # one cluster gives no information, exactly 0
        several = float(seen.classes > 1)
        given_pred = seen.gold + some * (positive_sum(seen.gold_given_pred, mixed / n) - seen.gold)
        given_gold = some * positive_sum(seen.pred_given_gold, split / n)
        return cls(
            gold=seen.gold,
            pred=some * positive_sum(seen.pred, (split - mixed) / n),
            joint=seen.gold + given_gold,
            gold_given_pred=several * given_pred,
            pred_given_gold=given_gold,
            mutual=several * some * positive_sum(seen.mutual, -mixed / n),
            n=n,
            classes=seen.classes,
            clusters=clusters,
        )

    @classmethod
    def _from(
        cls, gold: Number, pred: Number, joint: Number, n: Number, classes: Number, clusters: Number
    ) -> Entropies:
        """All entropies from H(C), H(K), H(C,K); an estimated I(C;K) may be negative and is not clipped."""
        some_gold, some_pred = 1 - is_zero(gold), 1 - is_zero(pred)  # exactly 0 for one class or one cluster
        gold_given_pred, pred_given_gold = some_gold * (joint - pred), some_pred * (joint - gold)
        return cls(gold, pred, joint, gold_given_pred, pred_given_gold, gold + pred - joint, n, classes, clusters)

    @property
    def distance(self) -> Number:
        """The variation of information, H(C|K) + H(K|C)."""
        return self.gold_given_pred + self.pred_given_gold

    @property
    def same_if_empty(self) -> Number:
        """1 if the partitions are the same, else 0: the value of 0/0."""
        return is_zero(self.distance)

    @property
    def homogeneity(self) -> Number:
        """1 - H(C|K)/H(C), 1 if there is one class."""
        return _explained(self.mutual, self.gold_given_pred, self.gold)

    @property
    def completeness(self) -> Number:
        """1 - H(K|C)/H(K), 1 if there is one cluster."""
        return _explained(self.mutual, self.pred_given_gold, self.pred)

    def norm(self, kind: Norm) -> Number:
        """The normaliser of nmi and ami: a mean of H(C) and H(K), or H(C,K)."""
        low, high = smaller(self.gold, self.pred), larger(self.gold, self.pred)
        means = {
            "min": low,
            "sqrt": smaller(larger(sqrt(low * high), low), high),  # clipped, since rounding may leave [low, high]
            "sum": (low + high) / 2,
            "max": high,
            "joint": self.joint,
        }
        return means[kind]


def _explained(mutual: Number, rest: Number, entropy: Number) -> Number:
    """The share of an entropy that is mutual information, 1 if it is 0; rest is the entropy that is left.

    A small share is I/H, and a large one 1 - rest/H, since each loses its digits where the other keeps them.
    """
    share = ratio(mutual, entropy, empty=1)
    small = 1 * (share < 0.5)
    return small * share + (1 - small) * (1 - ratio(rest, entropy, empty=0))


@dataclass(frozen=True)
class LogSize(Statistic):
    """log n, for measures that scale with the number of items."""

    log_n: Number

    @classmethod
    def of(cls, counts: Counts) -> LogSize:
        """log n; TableError if cells average less than one item, since an entropy could then exceed log n."""
        if np.any(counts.n < counts.nonempty_cells):
            total = float(np.min(counts.n))
            raise TableError(f"cells that add up to {total:.4g} are less than one item each; scale them up for log n.")
        return cls(log(counts.n))

    @classmethod
    def after(cls, moves: Moves) -> LogSize:
        """The statistic unchanged: a move does not change the number of items."""
        return moves.table.statistic(cls)

    @classmethod
    def estimated(cls, table: Table) -> LogSize:
        """The statistic unchanged: it depends on the number of items only."""
        return table.statistic(cls)

    @classmethod
    def leave_one_out(cls, table: Table, corrected: bool) -> LogSize:
        """Leave-one-out: log(n - 1) for every cell."""
        return cls(log(max(table.n - 1, 1)))

    @classmethod
    def expected(cls, counts: SingleTable, chances: ExpectedSizes) -> LogSize:
        """The statistic unchanged: the null model does not change the number of items."""
        return counts.statistic(cls)
