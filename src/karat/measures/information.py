"""Measures built on entropies: what knowing the cluster tells about the class, and the reverse.

C are the gold classes, K the predicted clusters; entropies are in nats.
"""

from __future__ import annotations

from math import inf

from karat.measures.arithmetic import Number, f_mean, log, ratio
from karat.measures.entropies import Entropies, Norm
from karat.measures.registry import inverse_beta, measure

__all__ = [
    "class_entropy",
    "class_entropy_given_cluster",
    "cluster_entropy",
    "cluster_entropy_given_class",
    "completeness",
    "entropy",
    "homogeneity",
    "joint_entropy",
    "mutual_information",
    "nmi",
    "v_measure",
]  # the measures, for karat's completion


@measure(
    title="Class entropy",
    family="information",
    better=None,
    bounds=(0, inf),
    unit="nats",
    swap="cluster_entropy",
    paper="rosenberg2007",
    equation="eq. 1",
    definition="H(C) = -sum over c of h(c)/n log h(c)/n",
    tex=r"H(C) = -\sum_{c} \frac{h(c)}{n} \log \frac{h(c)}{n}",
)
def class_entropy(entropies: Entropies) -> Number:
    """H(C), how evenly the items are spread over the gold classes.

    >>> import karat
    >>> round(karat.class_entropy([0, 0, 1, 1], [0, 0, 0, 0]), 4)
    0.6931
    """
    return entropies.gold


@measure(
    title="Cluster entropy",
    family="information",
    better=None,
    bounds=(0, inf),
    unit="nats",
    swap="class_entropy",
    paper="rosenberg2007",
    equation="eq. 2",
    definition="H(K) = -sum over k of h(k)/n log h(k)/n",
    tex=r"H(K) = -\sum_{k} \frac{h(k)}{n} \log \frac{h(k)}{n}",
)
def cluster_entropy(entropies: Entropies) -> Number:
    """H(K), how evenly the items are spread over the predicted clusters."""
    return entropies.pred


@measure(
    title="Joint entropy",
    family="information",
    better=None,
    bounds=(0, inf),
    unit="nats",
    swap="itself",
    paper="meila2007",
    definition="H(C,K) = -sum over cells of h(c,k)/n log h(c,k)/n",
    tex=r"H(C,K) = -\sum_{c,k} \frac{h(c,k)}{n} \log \frac{h(c,k)}{n}",
)
def joint_entropy(entropies: Entropies) -> Number:
    """H(C,K), how evenly the items are spread over the cells of the table."""
    return entropies.joint


@measure(
    title="Class entropy given cluster",
    family="information",
    better="lower",
    bounds=(0, inf),
    perfect=0,
    unit="nats",
    paper="rosenberg2007",
    equation="eq. 1",
    swap="cluster_entropy_given_class",
    breaks=("completeness", "rag_bag", "size_quantity"),
    definition="H(C|K) = H(C,K) - H(K)",
    tex=r"H(C \mid K) = H(C,K) - H(K)",
)
def class_entropy_given_cluster(entropies: Entropies) -> Number:
    """H(C|K), the uncertainty about an item's class that remains once its cluster is known."""
    return entropies.gold_given_pred


@measure(
    title="Cluster entropy given class",
    family="information",
    better="lower",
    bounds=(0, inf),
    perfect=0,
    unit="nats",
    paper="rosenberg2007",
    equation="eq. 2",
    swap="class_entropy_given_cluster",
    breaks=("homogeneity", "rag_bag"),
    definition="H(K|C) = H(C,K) - H(C)",
    tex=r"H(K \mid C) = H(C,K) - H(C)",
)
def cluster_entropy_given_class(entropies: Entropies) -> Number:
    """H(K|C), the uncertainty about an item's cluster that remains once its class is known."""
    return entropies.pred_given_gold


@measure(
    title="Mutual information",
    family="information",
    better="higher",
    bounds=(0, inf),
    unit="nats",
    swap="itself",
    paper="manning2008",
    equation="eq. 184",
    breaks=("completeness", "rag_bag", "size_quantity"),
    definition="I(C;K) = sum over cells of h(c,k)/n log n h(c,k) / (h(c) h(k))",
    tex=r"I(C;K) = \sum_{c,k} \frac{h(c,k)}{n} \log \frac{n\,h(c,k)}{h(c)\,h(k)}",
    elsewhere=(
        "sklearn.metrics.mutual_info_score: the same; of a table, nan above 2^31 items a cell and fractions cut off",
        "torchmetrics mutual_info_score: float32, so 2e-6 instead of 0",
    ),
)
def mutual_information(entropies: Entropies) -> Number:
    """I(C;K), the information that an item's cluster gives about its class.

    Splitting a cluster never lowers it, so singletons reach the maximum, H(C).

    >>> import karat
    >>> round(karat.mutual_information([0, 0, 1, 1], [0, 1, 2, 3]), 4)
    0.6931
    """
    return entropies.mutual


@measure(
    title="Homogeneity",
    family="information",
    better="higher",
    perfect=1,
    swap="completeness",
    paper="rosenberg2007",
    equation="eq. 1",
    breaks=("completeness", "rag_bag", "size_quantity"),
    definition="h = 1 - H(C|K)/H(C); 1 if H(C) = 0",
    tex=r"h = 1 - \frac{H(C \mid K)}{H(C)}, \quad 1 \text{ if } H(C) = 0",
    elsewhere=("sklearn.metrics.homogeneity_score: the same", "permetrics: takes class ids for cluster ids"),
)
def homogeneity(entropies: Entropies) -> Number:
    """1 - H(C|K)/H(C), the share of class entropy that knowing the cluster removes.

    Singletons score 1. If gold is one class, every clustering scores 1.

    >>> import karat
    >>> karat.homogeneity([0, 0, 1, 1], [0, 1, 2, 3])
    1.0
    """
    return entropies.homogeneity


@measure(
    title="Completeness",
    family="information",
    better="higher",
    perfect=1,
    swap="homogeneity",
    paper="rosenberg2007",
    equation="eq. 2",
    breaks=("homogeneity", "rag_bag"),
    definition="c = 1 - H(K|C)/H(K); 1 if H(K) = 0",
    tex=r"c = 1 - \frac{H(K \mid C)}{H(K)}, \quad 1 \text{ if } H(K) = 0",
    elsewhere=("sklearn.metrics.completeness_score: the same",),
)
def completeness(entropies: Entropies) -> Number:
    """1 - H(K|C)/H(K), the share of cluster entropy that knowing the class removes.

    >>> import karat
    >>> karat.completeness([0, 0, 1, 1], [0, 1, 2, 3])
    0.5
    """
    return entropies.completeness


@measure(
    title="V-measure",
    family="information",
    better="higher",
    perfect=1,
    paper="rosenberg2007",
    equation="section 2",
    swap=inverse_beta,
    breaks=("rag_bag",),
    definition="(1 + beta) h c / (beta h + c); 0 if h = c = 0",
    tex=r"V_\beta = \frac{(1 + \beta)\,h\,c}{\beta\,h + c}, \quad 0 \text{ if } h = c = 0",
    elsewhere=(
        "sklearn.metrics.v_measure_score: the same",
        "torchmetrics v_measure_score: 1 instead of 0 if h = c = 0",
        "Clustering.jl vmeasure: NaN if h = c = 0",
    ),
)
def v_measure(entropies: Entropies, *, beta: float = 1) -> Number:
    """The harmonic mean of homogeneity and completeness; with beta > 1 completeness weighs more.

    The weight is beta, not its square as in F-measures. With beta=1 it equals nmi(norm=sum).

    >>> import karat
    >>> round(karat.v_measure([0, 0, 1, 1], [0, 1, 2, 3]), 4)
    0.6667
    """
    return f_mean(entropies.homogeneity, entropies.completeness, beta)


@measure(
    title="Normalised mutual information",
    family="information",
    better="higher",
    perfect=1,
    swap="itself",
    paper="kvalseth1987",
    breaks=("rag_bag",),
    definition="I(C;K) / N, with N = min or max of H(C), H(K); sqrt(H(C) H(K)); (H(C) + H(K))/2; H(C,K)",
    tex=(
        r"\frac{I(C;K)}{N}, \quad N = \begin{matrix} \min(H(C), H(K)) & \text{min} \\ \sqrt{H(C)\,H(K)} & \text{sqrt} "
        r"\\ (H(C) + H(K)) / 2 & \text{sum} \\ \max(H(C), H(K)) & \text{max} \\ H(C,K) & \text{joint} \end{matrix}"
    ),
    elsewhere=(
        "sklearn.metrics.normalized_mutual_info_score: the same with norm=sum, or average_method",
        "igraph, genieclust, graph-tool, clusim: norm=sum; nan or 0 for one cluster in both",
        "aricode NMI: norm=max",
        "clue, mclustcomp nmi1: norm=sqrt",
        "CDlib: norm=sum, although its documentation says sqrt",
    ),
)
def nmi(entropies: Entropies, *, norm: Norm = "sum") -> Number:
    """I(C;K) over an upper bound of it: min, sqrt, sum (arithmetic mean), max or joint entropy.

    Libraries differ in the default: scikit-learn and igraph use sum, aricode max, clue sqrt.

    >>> import karat
    >>> karat.nmi([0, 0, 1, 1], [0, 1, 2, 3], norm="max")
    0.5
    """
    return ratio(entropies.mutual, entropies.norm(norm), empty=entropies.same_if_empty)


@measure(
    title="Entropy",
    family="information",
    better="lower",
    perfect=0,
    paper="zhao2004",
    equation="section 3.2",
    breaks=("completeness", "rag_bag", "size_quantity"),
    definition="H(C|K) / log |C|; 0 if |C| = 1",
    tex=r"\frac{H(C \mid K)}{\log |C|}, \quad 0 \text{ if } |C| = 1",
)
def entropy(entropies: Entropies) -> Number:
    """H(C|K)/log|C|, how mixed the clusters are, between 0 and 1; singletons score 0.

    >>> import karat
    >>> karat.entropy([0, 0, 1, 1], [0, 0, 0, 0])
    1.0
    """
    return ratio(entropies.gold_given_pred, log(entropies.classes), empty=0)
