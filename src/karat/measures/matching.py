"""Measures that map clusters to classes, many-to-one or one-to-one, and count the items that fit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np

from karat.kernels.assignment import best_matching, greedy_matching
from karat.measures.arithmetic import Number, f_mean, ratio
from karat.measures.registry import measure
from karat.tables.counts import Celled, CellFormula, Counts, Half, Statistic, count_itself

__all__ = [  # the measures, for karat's completion
    "classification_error",
    "f_measure",
    "f_measure_macro",
    "hamming",
    "inverse_purity",
    "one_to_one",
    "one_to_one_greedy",
    "purity",
    "purity_f",
    "van_dongen",
    "van_dongen_normalised",
]  # fmt: skip


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
    def leave_one_out(cls, counts: Celled, corrected: bool) -> Majorities:
        """Leave-one-out values, assuming that the largest cells, class and cluster remain the largest."""
        seen = counts.statistic(cls)
        largest = []
        for codes, number in ((counts.cols, len(counts.cluster_sizes)), (counts.rows, len(counts.class_sizes))):
            chosen = np.zeros(counts.counts.size)
            chosen[_best_cells(codes, counts.counts, number)] = 1
            largest.append(chosen)
        sizes = (counts.class_sizes, counts.rows), (counts.cluster_sizes, counts.cols)
        in_largest = [codes == sizes.argmax() for sizes, codes in sizes]
        values = (seen.by_cluster, seen.by_class, seen.largest_class, seen.largest_cluster)
        masks = (*largest, *in_largest)
        by_cluster, by_class, one, other = (float(x) - mask for x, mask in zip(values, masks, strict=True))
        return cls(by_cluster, by_class, one, other, counts.n - 1)

    @classmethod
    def cross_fitted(cls, choosing: Half, judging: Half) -> Majorities:
        """Items of one half in the cells that are largest in the other half."""
        by_cluster, by_class = (
            float(judging.counts[_chosen(codes, choosing.counts, size)].sum())
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


@dataclass(frozen=True)
class BestF(Statistic):
    """Sums over items and over classes of the F of each class's best cluster."""

    smooth = False

    by_items: Number
    by_classes: Number
    n: Number
    classes: Number

    @classmethod
    def of(cls, counts: Counts) -> BestF:
        """F of a class and a cluster is 2 h(c,k) / (h(c) + h(k))."""
        by_items = counts.class_best(lambda h, a, b: 2 * h * (a / (a + b)))
        by_classes = counts.class_best(lambda h, a, b: 2 * h / (a + b))
        return cls(by_items, by_classes, counts.n, counts.shape[0])

    @classmethod
    def leave_one_out(cls, counts: Celled, corrected: bool) -> BestF:
        """Leave-one-out values, assuming that each class keeps its best cluster."""
        by_items = _without_one_of_best(counts, lambda h, a, b: 2 * h * (a / (a + b)))
        by_classes = _without_one_of_best(counts, lambda h, a, b: 2 * h / (a + b))
        return cls(by_items, by_classes, counts.n - 1, counts.shape[0])

    @classmethod
    def cross_fitted(cls, choosing: Half, judging: Half) -> BestF:
        """F on one half of the items, with each class's best cluster chosen on the other half."""
        with np.errstate(divide="ignore", invalid="ignore"):
            f = [2 * h.counts / (h.class_sizes[h.rows] + h.cluster_sizes[h.cols]) for h in (choosing, judging)]
        chosen = _chosen(choosing.rows, np.nan_to_num(f[0]), len(choosing.class_sizes))
        best, sizes = np.nan_to_num(f[1])[chosen], judging.class_sizes[judging.rows[chosen]]
        classes = int((judging.class_sizes > 0).sum())
        return cls(float(sizes @ best), float(best.sum()), float(judging.n), classes)


def _best_cells(codes: Any, values: Any, number: int) -> Any:
    """The index of the cell with the largest value in each class, or in each cluster; of equal ones, the first."""
    order = np.argsort(-values, kind="stable")[::-1]
    best = np.zeros(number, np.int64)
    best[codes[order]] = order  # of several writes to one element the last one stays
    return best


def _chosen(codes: Any, values: Any, number: int) -> Any:
    """The best non-empty cell of each class or cluster that has items."""
    best = _best_cells(codes, values, number)
    return best[values[best] > 0]


def _without_one_of_best(counts: Celled, f: CellFormula) -> Any:
    """Leave-one-out values of the sum over classes of f of their best cell, with the best cells fixed.

    Removing an item of cell (c, k) makes class c and cluster k smaller: f changes for the best cell of c, and for the
    best cells of other classes that lie in k.
    """
    h, rows, cols = counts.counts.astype(float), counts.rows, counts.cols
    a, b = counts.class_sizes[rows].astype(float), counts.cluster_sizes[cols].astype(float)
    values = f(h, a, b)
    best = _best_cells(rows, values, len(counts.class_sizes))
    home, total = cols[best], values[best].sum()
    smaller = f(h[best], a[best], b[best] - 1) - values[best]  # change if another class's item leaves the best cluster
    with np.errstate(divide="ignore", invalid="ignore"):
        inside = f(h[best] - 1, a[best] - 1, b[best] - 1)  # without an item of the best cell
        elsewhere = f(h[best], a[best] - 1, b[best])  # without an item of another cell of the class
    by_cluster = np.bincount(home, smaller, minlength=len(counts.cluster_sizes))
    own = home[rows] == cols
    change = np.where(own, np.where(np.isfinite(inside), inside, 0.0)[rows], elsewhere[rows]) - values[best][rows]
    return total + change + by_cluster[cols] - np.where(own, smaller[rows], 0.0)


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
    def leave_one_out(cls, counts: Celled, corrected: bool) -> Matched:
        """Leave-one-out values, assuming that the best matching remains so."""
        chosen = np.zeros(counts.counts.size)
        chosen[best_matching(counts.rows, counts.cols, counts.counts)] = 1
        return cls(float(counts.statistic(cls).items) - chosen, counts.n - 1)

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
    def leave_one_out(cls, counts: Celled, corrected: bool) -> GreedilyMatched:
        """Leave-one-out values, assuming that the matching does not change."""
        chosen = np.zeros(counts.counts.size)
        chosen[greedy_matching(counts.rows, counts.cols, counts.counts)] = 1
        return cls(float(counts.statistic(cls).items) - chosen, counts.n - 1)

    @classmethod
    def cross_fitted(cls, choosing: Half, judging: Half) -> GreedilyMatched:
        """Items of one half in the greedy matching of the other half."""
        return cls(_matched_elsewhere(greedy_matching, choosing, judging), float(judging.n))


@measure(
    title="Purity",
    better="higher",
    perfect=1,
    swap="inverse_purity",
    paper="manning2008",
    equation="eq. 182",
    panel=True,
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


@measure(
    title="F-measure",
    better="higher",
    perfect=1,
    paper="larsen1999",
    breaks=("completeness",),
    definition="sum over c of h(c)/n max over k of 2 h(c,k) / (h(c) + h(k))",
    tex=r"\sum_{c} \frac{h(c)}{n} \max_{k} \frac{2\,h(c,k)}{h(c) + h(k)}",
)
def f_measure(best: BestF) -> Number:
    """For each class the F of its best cluster, averaged over items.

    >>> import karat
    >>> karat.f_measure([0, 0, 1, 1], [0, 0, 1, 1])
    1.0
    """
    return best.by_items / best.n


@measure(
    title="F-measure, macro average",
    better="higher",
    perfect=1,
    paper="meila2007",
    breaks=("completeness", "rag_bag"),
    definition="sum over c of max over k of 2 h(c,k) / (h(c) + h(k)), over |C|",
    tex=r"\frac{1}{|C|} \sum_{c} \max_{k} \frac{2\,h(c,k)}{h(c) + h(k)}",
    elsewhere=("CDlib f1: each F rounded to two decimals, and in both directions",),
)
def f_measure_macro(best: BestF) -> Number:
    """For each class the F of its best cluster, averaged over classes whatever their size."""
    return best.by_classes / best.classes


@measure(
    title="One-to-one accuracy",
    better="higher",
    perfect=1,
    swap="itself",
    paper="meila2001",
    breaks=("homogeneity", "completeness", "rag_bag"),
    panel=True,
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
