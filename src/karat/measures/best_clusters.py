"""The F-measure of Larsen & Aone: each class is mapped to the cluster that fits it best."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from karat.measures.arithmetic import Number, choose
from karat.measures.majorities import best_cells, nonempty_best_cells
from karat.measures.registry import measure
from karat.tables.counts import CellFormula, Counts, Half, Statistic
from karat.tables.profile import Totals
from karat.tables.table import Table

__all__ = ["f_measure", "f_measure_macro"]  # the measures, for karat's completion


def _f_by_items(h: Number, a: Number, b: Number, total: Totals) -> Number:
    """F of a class and a cluster, times the size of the class."""
    return 2 * h * (a / (a + b))


def _f_by_classes(h: Number, a: Number, b: Number, total: Totals) -> Number:
    """F of a class and a cluster."""
    return 2 * h / (a + b)


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
        classes, clusters = counts.shape
        same = (counts.nonempty_cells == classes) & (counts.nonempty_cells == clusters)
        by_items, by_classes = counts.class_best(_f_by_items), counts.class_best(_f_by_classes)
        # exactly the best values, which the sums of rounded terms may miss
        return cls(choose(same, counts.n, by_items), choose(same, classes, by_classes), counts.n, classes)

    @classmethod
    def leave_one_out(cls, table: Table, corrected: bool) -> BestF:
        """Leave-one-out values, assuming that each class keeps its best cluster."""
        by_items, by_classes = (_leave_one_out_of_best(table, f) for f in (_f_by_items, _f_by_classes))
        return cls(by_items, by_classes, table.n - 1, table.shape[0])

    @classmethod
    def cross_fitted(cls, choosing: Half, judging: Half) -> BestF:
        """F on one half of the items, with each class's best cluster chosen on the other half."""
        with np.errstate(divide="ignore", invalid="ignore"):
            f = [2 * h.counts / (h.class_sizes[h.rows] + h.cluster_sizes[h.cols]) for h in (choosing, judging)]
        chosen = nonempty_best_cells(choosing.rows, np.nan_to_num(f[0]), len(choosing.class_sizes))
        best, sizes = np.nan_to_num(f[1])[chosen], judging.class_sizes[judging.rows[chosen]]
        classes = int((judging.class_sizes > 0).sum())
        return cls(float(sizes @ best), float(best.sum()), float(judging.n), classes)


def _leave_one_out_of_best(table: Table, f: CellFormula) -> Any:
    """Leave-one-out values of the sum over classes of f of their best cell, with the best cells fixed.

    Removing an item of cell (c, k) makes class c and cluster k smaller: f changes for the best cell of c, and for the
    best cells of other classes that lie in k.
    """
    h, rows, cols = table.counts.astype(float), table.rows, table.cols
    a, b = table.class_sizes[rows].astype(float), table.cluster_sizes[cols].astype(float)
    totals = table.totals
    values = f(h, a, b, totals)
    best = best_cells(rows, values, len(table.class_sizes))
    home, total = cols[best], values[best].sum()
    # the change if an item of another class leaves the best cluster
    smaller = f(h[best], a[best], b[best] - 1, totals) - values[best]
    with np.errstate(divide="ignore", invalid="ignore"):
        inside = f(h[best] - 1, a[best] - 1, b[best] - 1, totals)  # without an item of the best cell
        elsewhere = f(h[best], a[best] - 1, b[best], totals)  # without an item of another cell of the class
    by_cluster = np.bincount(home, smaller, minlength=len(table.cluster_sizes))
    own = home[rows] == cols
    change = np.where(own, np.where(np.isfinite(inside), inside, 0.0)[rows], elsewhere[rows]) - values[best][rows]
    return total + change + by_cluster[cols] - np.where(own, smaller[rows], 0.0)


@measure(
    title="F-measure",
    family="matching",
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
    family="matching",
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
