"""Dom's measures: the bits needed to send the classes to someone who knows the clusters.

To the conditional entropy they add the cost of sending each cluster's class counts, so that clusters are not free.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf
from math import log as ln

import numpy as np

from karat.kernels.logarithm import log_binomial
from karat.measures.arithmetic import Number, ratio
from karat.measures.entropies import Entropies, LogSize
from karat.measures.registry import measure
from karat.tables.counts import Counts, ExpectedSizes, SingleTable, Statistic
from karat.tables.moves import Moves
from karat.tables.profile import Totals
from karat.tables.table import Table

__all__ = ["q0", "q0_asymptotic", "q1", "q2"]  # the measures, for karat's completion

BIT = ln(2)  # nats in a bit


@dataclass(frozen=True)
class CodeLengths(Statistic):
    """Bits to send the class counts of every cluster, of every class, and of all items at once.

    Each is a sum of log2 C(h + |C| - 1, |C| - 1), the number of ways to spread h items over |C| classes.
    """

    clusters: Number
    classes: Number
    all_items: Number

    @classmethod
    def of(cls, counts: Counts) -> CodeLengths:
        """Code lengths from the sizes; binomials of real sizes by the gamma function (Dom's footnote 11)."""

        def bits(size: Number, total: Totals) -> Number:
            return log_binomial(size, total.classes - 1) / BIT

        all_items = log_binomial(np.asarray(counts.n, dtype=np.float64), np.asarray(counts.shape[0]) - 1.0) / BIT
        return cls(
            counts.cluster_total(bits), counts.class_total(bits), all_items if all_items.ndim else float(all_items)
        )

    @classmethod
    def after(cls, moves: Moves) -> CodeLengths:
        """Code lengths after each move: only those of clusters change."""
        seen = moves.table.statistic(cls)
        more = moves.table.shape[0] - 1.0
        return replace(seen, clusters=seen.clusters + moves.cluster_total(lambda size: log_binomial(size, more) / BIT))

    @classmethod
    def estimated(cls, table: Table) -> CodeLengths:
        """The statistic unchanged: a code length is of the given items, not of a population."""
        return table.statistic(cls)

    @classmethod
    def leave_one_out(cls, table: Table, corrected: bool) -> CodeLengths:
        """Leave-one-out code lengths: only the item's own cluster and class change."""
        seen, more = table.statistic(cls), table.shape[0] - 1.0

        def change(sizes: Number) -> Number:
            before = np.asarray(sizes, dtype=np.float64)
            return (log_binomial(np.maximum(before - 1, 0), more) - log_binomial(before, more)) / BIT

        clusters = seen.clusters + change(table.cluster_sizes)[table.cols]
        classes = seen.classes + change(table.class_sizes)[table.rows]
        return cls(clusters, classes, seen.all_items + float(change([table.n])[0]))

    @classmethod
    def expected(cls, counts: SingleTable, chances: ExpectedSizes) -> CodeLengths | None:
        """Expected code lengths: they depend only on the sizes and on the number of classes."""
        if chances.classes is not None:
            return None
        seen = counts.statistic(cls)
        if chances.clusters is None:
            return seen
        bits = log_binomial(np.array(chances.clusters.size), counts.shape[0] - 1) / BIT
        return replace(seen, clusters=float(bits @ np.array(chances.clusters.times)))


@measure(
    title="Q0 (code length)",
    family="coding",
    better="lower",
    bounds=(0, inf),
    unit="bits",
    paper="dom2001",
    equation="eq. 13",
    breaks=("completeness", "rag_bag"),
    definition="H(C|K) + sum over k of log B(h(k)) / n, in bits, with B(x) = binomial(x + |C| - 1, |C| - 1)",
    tex=(
        r"Q_0 = H(C \mid K) + \frac{1}{n} \sum_{k} \log_2 B(h(k)) \text{ in bits}, \quad "
        r"B(x) = \binom{x + |C| - 1}{|C| - 1}"
    ),
    elsewhere=("river-extra Q0: mixes base 2 and e, and nan for clusters of 200",),
)
def q0(entropies: Entropies, lengths: CodeLengths) -> Number:
    """Bits per item to send the classes, given the clusters: H(C|K) and the clusters' class counts.

    >>> import karat
    >>> round(karat.q0([1, 1, 2, 2, 3, 3], [1, 1, 1, 2, 2, 2]), 4)
    2.0256
    """
    return entropies.gold_given_pred / BIT + lengths.clusters / entropies.n


@measure(
    title="Q1 (code length saved)",
    family="coding",
    better="higher",
    bounds=(-inf, inf),
    unit="bits",
    paper="dom2001",
    equation="eq. 16",
    breaks=("completeness", "rag_bag"),
    definition="I(C;K) + (log B(n) - sum over k of log B(h(k))) / n = q0 of one cluster - q0",
    tex=(
        r"Q_1 = I(C;K) + \frac{1}{n} \left( \log_2 B(n) - \sum_{k} \log_2 B(h(k)) \right) \text{ in bits}, \quad "
        r"B(x) = \binom{x + |C| - 1}{|C| - 1}"
    ),
)
def q1(entropies: Entropies, lengths: CodeLengths) -> Number:
    """Bits per item that the clusters save over sending the classes with no clusters at all."""
    return entropies.mutual / BIT + (lengths.all_items - lengths.clusters) / entropies.n


@measure(
    title="Q2 (normalised code length)",
    family="coding",
    better="higher",
    perfect=1,
    paper="dom2001",
    equation="eq. 17",
    breaks=("completeness", "rag_bag"),
    definition="sum over c of log B(h(c)) / n, over q0; 1 if |C| = 1",
    tex=(
        r"Q_2 = \frac{1}{n\,Q_0} \sum_{c} \log_2 B(h(c)), \quad 1 \text{ if } |C| = 1, \quad "
        r"B(x) = \binom{x + |C| - 1}{|C| - 1}"
    ),
    elsewhere=("river-extra Q2: takes |K| for |C|",),
)
def q2(entropies: Entropies, lengths: CodeLengths) -> Number:
    """The code length of a perfect clustering over that of this one, in (0, 1].

    >>> import karat
    >>> karat.q2([1, 1, 2, 2], [5, 5, 6, 6])
    1.0
    """
    return ratio(lengths.classes, entropies.gold_given_pred / BIT * entropies.n + lengths.clusters, empty=1)


@measure(
    title="Q0, asymptotic form",
    family="coding",
    better="lower",
    bounds=(0, inf),
    unit="bits",
    paper="dom2001",
    equation="appendix B",
    breaks=("homogeneity", "completeness", "rag_bag"),
    definition="H(C|K) + |K| (|C| - 1) log n / n, in bits",
    tex=r"H(C \mid K) + |K|\,(|C| - 1)\,\frac{\log_2 n}{n} \text{ in bits}",
)
def q0_asymptotic(entropies: Entropies, size: LogSize) -> Number:
    """H(C|K) + |K|(|C|-1) log n / n, the limit of Q0 for many items in few large clusters."""
    parameters = entropies.clusters * (entropies.classes - 1)
    return entropies.gold_given_pred / BIT + parameters * size.log_n / BIT / entropies.n
