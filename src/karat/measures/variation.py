"""The variation of information, a distance between partitions, and ways to normalise it."""

from __future__ import annotations

from math import inf

from karat.measures.arithmetic import Number, larger, log, ratio, unless_zero
from karat.measures.entropies import Entropies, LogSize
from karat.measures.registry import measure

__all__ = ["nvi", "nvik", "vi", "vi_log_k", "vi_log_n"]  # the measures, for karat's completion


@measure(
    title="Variation of information",
    family="variation",
    better="lower",
    bounds=(0, inf),
    perfect=0,
    unit="nats",
    swap="itself",
    paper="meila2007",
    equation="eq. 15",
    breaks=("rag_bag",),
    definition="VI = H(C|K) + H(K|C)",
    tex=r"\mathrm{VI} = H(C \mid K) + H(K \mid C)",
    elsewhere=(
        "igraph compare_communities(method='vi'), aricode, Clustering.jl: the same",
        "clusim, CDlib, mclustcomp, ClusterR: in bits",
    ),
)
def vi(entropies: Entropies) -> Number:
    """H(C|K) + H(K|C), a true distance between partitions, at most log n.

    >>> import karat
    >>> round(karat.vi([0, 0, 1, 1], [0, 0, 0, 0]), 4)
    0.6931
    """
    return entropies.distance


@measure(
    title="Normalised variation of information",
    family="variation",
    better="lower",
    bounds=(0, inf),
    perfect=0,
    swap="nvik",
    paper="reichart2009",
    equation="section 4",
    breaks=("rag_bag",),
    definition="VI / H(C); H(K) if H(C) = 0",
    tex=r"\frac{\mathrm{VI}}{H(C)}, \quad H(K) \text{ if } H(C) = 0",
    elsewhere=(
        "aricode NVI, clue, ELKI: VI / H(C,K), another measure",
        "graph-tool: VI / log n, which is vi_log_n here",
        "clusim: a similarity",
    ),
)
def nvi(entropies: Entropies) -> Number:
    """VI/H(C): gold scores 0, one cluster scores 1, and a smaller VI a lower score.

    Other libraries give this name to VI over the joint entropy, or over log n.

    >>> import karat
    >>> karat.nvi([0, 0, 1, 1], [0, 0, 0, 0])
    1.0
    """
    return entropies.distance / unless_zero(entropies.gold)  # with one class the distance is H(K)


@measure(
    title="Variation of information over H(K)",
    family="variation",
    better="lower",
    bounds=(0, inf),
    perfect=0,
    swap="nvi",
    paper="reichart2009",
    equation="section 4",
    breaks=("completeness", "rag_bag"),
    definition="VI / H(K); H(C) if H(K) = 0",
    tex=r"\frac{\mathrm{VI}}{H(K)}, \quad H(C) \text{ if } H(K) = 0",
)
def nvik(entropies: Entropies) -> Number:
    """VI/H(K), the normalisation that Reichart & Rappoport tried and found to favour many clusters."""
    return entropies.distance / unless_zero(entropies.pred)


@measure(
    title="Variation of information over log n",
    family="variation",
    better="lower",
    perfect=0,
    swap="itself",
    paper="meila2007",
    equation="section 4",
    breaks=("rag_bag",),
    definition="VI / log n",
    tex=r"\frac{\mathrm{VI}}{\log n}",
    elsewhere=("graph-tool variation_information(norm=True): the same, but it drops the label -1",),
)
def vi_log_n(entropies: Entropies, size: LogSize) -> Number:
    """VI/log n, a distance between 0 and 1 that shrinks as items are added."""
    return ratio(entropies.distance, size.log_n, empty=0)


@measure(
    title="Variation of information over 2 log k",
    family="variation",
    better="lower",
    perfect=0,
    swap="itself",
    paper="meila2007",
    equation="section 4",
    breaks=("completeness", "rag_bag", "size_quantity"),
    definition="VI / (2 log max(|C|, |K|, k))",
    tex=r"\frac{\mathrm{VI}}{2 \log \max(|C|, |K|, k)}",
)
def vi_log_k(entropies: Entropies, *, k: int | None = None) -> Number:
    """VI/(2 log k), k the largest number of classes or clusters compared: this table's or k if larger."""
    most = larger(larger(entropies.classes, entropies.clusters), k or 1)
    return ratio(entropies.distance, 2 * log(most), empty=0)
