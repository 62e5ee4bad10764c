"""Measures that map each cluster to its largest class, or each class to its largest cluster, many-to-one."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np

from karat.measures.arithmetic import Number, f_mean, ratio
from karat.measures.registry import measure
from karat.tables.counts import Counts, Half, Statistic, count_itself
from karat.tables.moves import Moves
from karat.tables.table import Table

__all__ = [
    "classification_error",
    "hamming",
    "inverse_purity",
    "purity",
    "purity_f",
    "van_dongen",
    "van_dongen_normalised",
]  # the measures, for karat's completion


@dataclass(frozen=True)
class Majorities(Statistic):
    """Items in the largest cell of their cluster and of their class, and the largest class and cluster."""

    smooth = False

    by_cluster: Number
    by_class: Number
    largest_class: Number
    largest_cluster: Number
    n: Number

    @classmethod
    def of(cls, counts: Counts) -> Majorities:
        """Sums of the largest cell of every cluster and of every class; not separable."""
        by_cluster, by_class = counts.cluster_best(count_itself), counts.class_best(count_itself)
        return cls(by_cluster, by_class, *counts.largest, counts.n)

    @classmethod
    def after(cls, moves: Moves) -> Majorities:
        """Largest cells, and the largest cluster, after each move."""
        seen, changed = moves.table.statistic(cls), moves.largest_parts()
        return cls(
            float(seen.by_cluster) + changed.by_cluster,
            float(seen.by_class) + changed.by_class,
            float(seen.largest_class),
            changed.cluster.astype(np.float64),
            float(seen.n),
        )

    @classmethod
    def leave_one_out(cls, table: Table, corrected: bool) -> Majorities:
        """Leave-one-out values, assuming that the largest cells, class and cluster remain the largest."""
        seen = table.statistic(cls)
        largest = []
        for codes, number in ((table.cols, len(table.cluster_sizes)), (table.rows, len(table.class_sizes))):
            chosen = np.zeros(table.counts.size)
            chosen[best_cells(codes, table.counts, number)] = 1
            largest.append(chosen)
        sizes = (table.class_sizes, table.rows), (table.cluster_sizes, table.cols)
        in_largest = [codes == sizes.argmax() for sizes, codes in sizes]
        values = (seen.by_cluster, seen.by_class, seen.largest_class, seen.largest_cluster)
        masks = (*largest, *in_largest)
        by_cluster, by_class, one, other = (float(x) - mask for x, mask in zip(values, masks, strict=True))
        return cls(by_cluster, by_class, one, other, table.n - 1)

    @classmethod
    def cross_fitted(cls, choosing: Half, judging: Half) -> Majorities:
        """Items of one half in the cells that are largest in the other half."""
        by_cluster, by_class = (
            float(judging.counts[nonempty_best_cells(codes, choosing.counts, size)].sum())
            for codes, size in (
                (choosing.cols, len(choosing.cluster_sizes)),
                (choosing.rows, len(choosing.class_sizes)),
            )
        )
        one = float(judging.class_sizes[choosing.class_sizes.argmax()])
        other = float(judging.cluster_sizes[choosing.cluster_sizes.argmax()])
        return cls(by_cluster, by_class, one, other, float(judging.n))

    @property
    def misfits(self) -> Number:
        """2n minus both sums of largest cells; 0 if and only if the partitions are equal."""
        return 2 * self.n - self.by_cluster - self.by_class


def best_cells(codes: Any, values: Any, number: int) -> Any:
    """The index of the cell with the largest value in each class, or in each cluster; of equal ones, the first."""
    order = np.argsort(-values, kind="stable")[::-1]
    best = np.zeros(number, np.int64)
    best[codes[order]] = order  # of several writes to one element the last one stays
    return best


def nonempty_best_cells(codes: Any, values: Any, number: int) -> Any:
    """The best non-empty cell of each class or cluster that has items."""
    best = best_cells(codes, values, number)
    return best[values[best] > 0]


@measure(
    title="Purity",
    family="matching",
    better="higher",
    perfect=1,
    swap="inverse_purity",
    paper="manning2008",
    equation="eq. 182",
    breaks=("completeness", "rag_bag", "size_quantity"),
    definition="sum over k of max over c of h(c,k) / n",
    tex=r"\frac{1}{n} \sum_{k} \max_{c} h(c,k)",
    elsewhere=(
        "extclustval, permetrics, ClusterR: the same",
        "clusim purity_index: of the side with fewer clusters",
        "clue: depends on the order of arguments",
    ),
)
def purity(majorities: Majorities) -> Number:
    """The share of items whose class is the majority of their cluster (many-to-one accuracy).

    Singletons score 1; the lowest value is the share of the largest class, not 0.

    >>> import karat
    >>> karat.purity([0, 0, 0, 1], [5, 5, 6, 6])
    0.75
    """
    return majorities.by_cluster / majorities.n


@measure(
    title="Inverse purity",
    family="matching",
    better="higher",
    perfect=1,
    swap="purity",
    paper="amigo2009",
    breaks=("homogeneity", "completeness", "rag_bag"),
    definition="sum over c of max over k of h(c,k) / n",
    tex=r"\frac{1}{n} \sum_{c} \max_{k} h(c,k)",
)
def inverse_purity(majorities: Majorities) -> Number:
    """The share of items whose cluster is the one that holds most of their class; one cluster scores 1."""
    return majorities.by_class / majorities.n


@measure(
    title="F of purities",
    family="matching",
    better="higher",
    perfect=1,
    swap="itself",
    paper="amigo2009",
    breaks=("completeness", "rag_bag"),
    definition="2 P Q / (P + Q), with P = purity, Q = inverse_purity",
    tex=(
        r"\frac{2\,P\,Q}{P + Q}, \quad P = \frac{1}{n} \sum_{k} \max_{c} h(c,k), \quad Q = \frac{1}{n} "
        r"\sum_{c} \max_{k} h(c,k)"
    ),
)
def purity_f(majorities: Majorities) -> Number:
    """The harmonic mean of purity and inverse purity."""
    return f_mean(majorities.by_cluster / majorities.n, majorities.by_class / majorities.n)


@measure(
    title="Classification error",
    family="matching",
    better="lower",
    perfect=0,
    paper="dom2001",
    equation="section 5.1",
    breaks=("completeness", "rag_bag", "size_quantity"),
    definition="1 - purity",
    tex=r"1 - \frac{1}{n} \sum_{k} \max_{c} h(c,k)",
)
def classification_error(majorities: Majorities) -> Number:
    """The share of items whose class is not the majority of their cluster, 1 - purity."""
    return (majorities.n - majorities.by_cluster) / majorities.n


@measure(
    title="Hamming similarity",
    family="matching",
    better="higher",
    perfect=1,
    swap="itself",
    paper="dom2001",
    equation="eq. 23",
    breaks=("completeness", "rag_bag"),
    definition="(purity + inverse_purity) / 2",
    tex=r"\frac{1}{2n} \left( \sum_{k} \max_{c} h(c,k) + \sum_{c} \max_{k} h(c,k) \right)",
)
def hamming(majorities: Majorities) -> Number:
    """The mean of purity and inverse purity; a similarity, although its source calls it a distance."""
    return (majorities.by_cluster + majorities.by_class) / (2 * majorities.n)


@measure(
    title="Van Dongen distance",
    family="matching",
    better="lower",
    bounds=(0, inf),
    perfect=0,
    swap="itself",
    paper="vandongen2000",
    breaks=("completeness", "rag_bag"),
    definition="2 n - sum over k of max over c of h(c,k) - sum over c of max over k of h(c,k)",
    tex=r"D = 2n - \sum_{k} \max_{c} h(c,k) - \sum_{c} \max_{k} h(c,k)",
    elsewhere=("igraph compare_communities(method='split-join'): the same",),
)
def van_dongen(majorities: Majorities) -> Number:
    """Items outside the largest cell of their cluster, plus items outside that of their class.

    >>> import karat
    >>> karat.van_dongen([0, 0, 1, 1], [0, 0, 0, 0])
    2.0
    """
    return majorities.misfits


@measure(
    title="Normalised van Dongen",
    family="matching",
    better="lower",
    perfect=0,
    swap="itself",
    paper="wu2009",
    breaks=("completeness", "rag_bag"),
    definition="van_dongen / (2 n - max over c of h(c) - max over k of h(k))",
    tex=(
        r"\frac{D}{2n - \max_{c} h(c) - \max_{k} h(k)}, \quad "
        r"D = 2n - \sum_{k} \max_{c} h(c,k) - \sum_{c} \max_{k} h(c,k)"
    ),
)
def van_dongen_normalised(majorities: Majorities) -> Number:
    """Van Dongen's distance over its maximum, given the sizes of the largest class and cluster."""
    return ratio(majorities.misfits, 2 * majorities.n - majorities.largest_class - majorities.largest_cluster, empty=0)
