"""Measures that map classes to clusters one-to-one, and count the items that fit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from karat.kernels.assignment import best_matching, greedy_matching
from karat.measures.arithmetic import Number
from karat.measures.registry import measure
from karat.tables.counts import Counts, Half, Statistic
from karat.tables.table import Table

__all__ = ["one_to_one", "one_to_one_greedy"]  # the measures, for karat's completion


@dataclass(frozen=True)
class Matched(Statistic):
    """Items in the maximum-weight one-to-one matching of classes and clusters."""

    smooth = False

    items: Number
    n: Number

    @classmethod
    def of(cls, counts: Counts) -> Matched:
        """Solved by sparse assignment over the non-empty cells."""
        return cls(counts.matched(), counts.n)

    @classmethod
    def leave_one_out(cls, table: Table, corrected: bool) -> Matched:
        """Leave-one-out values, assuming that the best matching remains so."""
        chosen = np.zeros(table.counts.size)
        chosen[best_matching(table.rows, table.cols, table.counts)] = 1
        return cls(float(table.statistic(cls).items) - chosen, table.n - 1)

    @classmethod
    def cross_fitted(cls, choosing: Half, judging: Half) -> Matched:
        """Items of one half in the best matching of the other half."""
        return cls(_matched_elsewhere(best_matching, choosing, judging), float(judging.n))


def _matched_elsewhere(matching: Callable[[Any, Any, Any], Any], choosing: Half, judging: Half) -> float:
    """The number of items of one half in the matching chosen on the other half."""
    nonempty = np.flatnonzero(choosing.counts)
    chosen = nonempty[matching(choosing.rows[nonempty], choosing.cols[nonempty], choosing.counts[nonempty])]
    return float(judging.counts[chosen].sum())


@dataclass(frozen=True)
class GreedilyMatched(Statistic):
    """Items in the greedy one-to-one matching, which takes the largest free cell first."""

    smooth = False

    items: Number
    n: Number

    @classmethod
    def of(cls, counts: Counts) -> GreedilyMatched:
        """Computed by one pass over the cells in decreasing order."""
        return cls(counts.matched(greedy=True), counts.n)

    @classmethod
    def leave_one_out(cls, table: Table, corrected: bool) -> GreedilyMatched:
        """Leave-one-out values, assuming that the matching does not change."""
        chosen = np.zeros(table.counts.size)
        chosen[greedy_matching(table.rows, table.cols, table.counts)] = 1
        return cls(float(table.statistic(cls).items) - chosen, table.n - 1)

    @classmethod
    def cross_fitted(cls, choosing: Half, judging: Half) -> GreedilyMatched:
        """Items of one half in the greedy matching of the other half."""
        return cls(_matched_elsewhere(greedy_matching, choosing, judging), float(judging.n))


@measure(
    title="One-to-one accuracy",
    family="matching",
    better="higher",
    perfect=1,
    swap="itself",
    paper="meila2001",
    breaks=("homogeneity", "completeness", "rag_bag"),
    definition="max over one-to-one maps f of classes to clusters of sum over c of h(c,f(c)) / n",
    tex=r"\frac{1}{n} \max_{f} \sum_{c} h(c, f(c)), \quad f \text{ one-to-one from classes to clusters}",
    elsewhere=("scipy.optimize.linear_sum_assignment on the dense table: the same",),
)
def one_to_one(matched: Matched) -> Number:
    """The share of items that fit under the best one-to-one matching of classes and clusters.

    >>> import karat
    >>> karat.one_to_one([0, 0, 1, 1], [0, 0, 0, 1])
    0.75
    """
    return matched.items / matched.n


@measure(
    title="Greedy one-to-one accuracy",
    family="matching",
    better="higher",
    perfect=1,
    swap="itself",  # by rows or by columns, ties among equal cells end in the same map
    paper="meila2001",
    breaks=("homogeneity", "completeness", "rag_bag", "relabelling"),
    definition="sum over c of h(c,f(c)) / n, f by repeatedly taking the largest cell whose class and cluster are free",
    tex=(
        r"\frac{1}{n} \sum_{c} h(c, f(c)), \quad f \text{ by repeatedly taking the largest cell whose class and "
        r"cluster are free}"
    ),
)
def one_to_one_greedy(matched: GreedilyMatched) -> Number:
    """The share of items that fit when classes and clusters are matched greedily, largest cell first.

    Ties go to the lowest class, then the lowest cluster, so renaming labels can change it.
    """
    return matched.items / matched.n
