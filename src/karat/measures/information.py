"""Measures built on entropies: what knowing the cluster tells about the class, and the reverse.

C are the gold classes, K the predicted clusters; entropies are in nats.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Literal

import numpy as np

from karat.errors import TableError
from karat.kernels.expected import expected_information, expected_lines
from karat.measures.arithmetic import Number, f_mean, is_zero, larger, log, ratio, smaller, sqrt
from karat.measures.registry import inverse_beta, measure
from karat.tables.counts import Celled, Counts, ExpectedSizes, SingleTable, Statistic
from karat.tables.entropies import Sample
from karat.tables.profile import Sizes

__all__ = [  # the measures, for karat's completion
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
]  # fmt: skip

LARGE = 1_000_000  # items
FEW_SIZES = 12  # class or cluster sizes at which the expected information is evaluated; others are interpolated
Norm = Literal["min", "sqrt", "sum", "max", "joint"]


@dataclass(frozen=True)
class Entropies(Statistic):
    """Entropies of the two partitions, and how many items, classes and clusters there are."""

    gold: Number  # H(C)
    pred: Number  # H(K)
    joint: Number  # H(C,K)
    gold_given_pred: Number  # H(C|K)
    pred_given_gold: Number  # H(K|C)
    mutual: Number  # I(C;K)
    n: Number
    classes: Number
    clusters: Number

    @classmethod
    def of(cls, counts: Counts) -> Entropies:
        """The entropies of the table, which depend on the sizes of cells, classes and clusters alone."""
        return cls(*counts.information, counts.n, *counts.shape)

    @classmethod
    def expected(cls, counts: SingleTable, chances: ExpectedSizes) -> Entropies:
        """Expected entropies; H(C) and H(K) change only if the null model changes the sizes."""
        seen, chance = counts.statistic(cls), Chance.expected(counts, chances)
        gold = seen.gold if chances.classes is None else _entropy(chances.classes)
        pred = seen.pred if chances.clusters is None else _entropy(chances.clusters)
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
    def estimated(cls, counts: Celled) -> Entropies:
        """Bias-corrected entropies of the population, with a term for unseen categories (see entropies.py)."""
        profile = counts.profile
        gold, pred, joint = (Sample.of(sizes).entropy() for sizes in (profile.classes, profile.clusters, profile.cells))
        return cls._from(gold, pred, joint, counts.n, *counts.shape)

    @classmethod
    def leave_one_out(cls, counts: Celled, corrected: bool) -> Entropies:
        """Leave-one-out entropies, looked up by the sizes of each cell, its class and its cluster."""
        profile = counts.profile
        gold, pred, joint = (
            Sample.of(sizes).without_one_of(each, corrected)
            for sizes, each in (
                (profile.classes, counts.class_sizes),
                (profile.clusters, counts.cluster_sizes),
                (profile.cells, counts.counts),
            )
        )
        return cls._from(gold[counts.rows], pred[counts.cols], joint, counts.n - 1, *counts.shape)

    @classmethod
    def second_difference(cls, counts: Celled) -> Entropies:
        """Second differences of the joint entropy; those of the larger classes and clusters are negligible."""
        joint, no = Sample.of(counts.profile.cells).second_difference(), 0.0
        return cls(no, no, joint, joint, joint, -joint, no, no, no)

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
        return 1 - ratio(self.gold_given_pred, self.gold, empty=0)

    @property
    def completeness(self) -> Number:
        """1 - H(K|C)/H(K), 1 if there is one cluster."""
        return 1 - ratio(self.pred_given_gold, self.pred, empty=0)

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


@dataclass(frozen=True)
class Chance(Statistic):
    """Expected mutual information and conditional entropies under shuffled predicted labels, in nats."""

    mutual: Number  # E[I]
    gold_given_pred: Number  # E[H(C|K)]
    pred_given_gold: Number  # E[H(K|C)]

    @classmethod
    def of(cls, counts: Counts) -> Chance:
        """Exact expectations, from the distinct class and cluster sizes (Vinh, Epps & Bailey 2010, eq. 24a)."""
        counts.need_counts("the mutual information expected by chance")
        values = counts.each(lambda table: _expected(table.profile.classes, table.profile.clusters))
        return cls(*(values if isinstance(values, tuple) else values.T))

    @classmethod
    def leave_one_out(cls, counts: Celled, corrected: bool) -> Chance:
        """Leave-one-out expectations; the effects of the class's and the cluster's smaller size are added."""
        profile = counts.profile
        classes, clusters = _less_one(profile.classes), _less_one(profile.clusters)
        if counts.n > LARGE:  # one item in so many changes little but the terms of its own class and cluster
            full = counts.statistic(cls)
            base = full.mutual, full.gold_given_pred, full.pred_given_gold
        else:
            base = _expected(classes, clusters)  # without an item of the largest class and the largest cluster
        by_class = _less_one_of(profile.classes, counts.class_sizes, clusters)
        by_cluster = _less_one_of(profile.clusters, counts.cluster_sizes, classes)[[0, 2, 1]]
        values = (by_class + np.array(base)[:, None]).take(counts.rows, axis=1)
        values += by_cluster.take(counts.cols, axis=1)
        return cls(*values)

    @classmethod
    def expected(cls, counts: SingleTable, chances: ExpectedSizes) -> Chance:
        """Expectations under the null model, which depend on the expected sizes only."""
        if chances == ExpectedSizes():
            return counts.statistic(cls)
        return cls(*_expected(*chances.of(counts)))


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
    def estimated(cls, counts: Celled) -> LogSize:
        """The statistic unchanged: it depends on the number of items only."""
        return counts.statistic(cls)

    @classmethod
    def leave_one_out(cls, counts: Celled, corrected: bool) -> LogSize:
        """Leave-one-out: log(n - 1) for every cell."""
        return cls(log(max(counts.n - 1, 1)))

    @classmethod
    def expected(cls, counts: SingleTable, chances: ExpectedSizes) -> LogSize:
        """The statistic unchanged: the null model does not change the number of items."""
        return counts.statistic(cls)


def _expected(classes: Sizes, clusters: Sizes) -> tuple[float, float, float]:
    return expected_information(*classes.arrays, *clusters.arrays, round(classes.total))


def _less_one(sizes: Sizes) -> Sizes:
    """The histogram of sizes after one item is removed from a largest class or cluster."""
    times, size = dict(zip(sizes.size, sizes.times, strict=True)), sizes.size[-1]
    times[size] -= 1
    times[size - 1] = times.get(size - 1, 0) + 1
    left = sorted((s, t) for s, t in times.items() if s and t)
    return Sizes(tuple(s for s, _ in left), tuple(t for _, t in left))


def _less_one_of(sizes: Sizes, given: Number, others: Sizes) -> Number:
    """Change of E[I], E[H(C|K)], E[H(K|C)] if a class of a given size, not the largest, loses an item.

    Each is a sum over classes, so only the class's own term changes. It is evaluated at FEW_SIZES sizes at most and
    interpolated linearly in between. For clusters, swap the roles of sizes and others.
    """
    chosen = np.array(sorted({sizes.size[round(x)] for x in np.linspace(0, len(sizes.size) - 1, FEW_SIZES)}))
    n = round(others.total)
    both = np.concatenate([chosen, np.maximum(chosen - 1, 1)])
    before, after = np.split(expected_lines(both, *others.arrays, n) / n, 2, axis=1)
    change = np.where(chosen > 1, after, 0.0) - before  # a class of one item vanishes
    return np.array([np.interp(given, chosen, row - row[-1]) for row in change])


def _entropy(sizes: Sizes) -> float:
    """The expected entropy, in nats, of a partition with these expected sizes."""
    size, times = sizes.arrays
    n: int = round(sizes.total)
    return float((times * size * np.log(n / size)).sum()) / n


@measure(
    title="Class entropy",
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
    better="higher",
    perfect=1,
    swap="completeness",
    paper="rosenberg2007",
    equation="eq. 1",
    panel=True,
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
    better="higher",
    perfect=1,
    swap="homogeneity",
    paper="rosenberg2007",
    equation="eq. 2",
    panel=True,
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
    better="higher",
    perfect=1,
    paper="rosenberg2007",
    equation="section 2",
    panel=True,
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

    The weight is beta itself, not its square as in F-measures. With beta=1 it equals nmi(norm=sum).

    >>> import karat
    >>> round(karat.v_measure([0, 0, 1, 1], [0, 1, 2, 3]), 4)
    0.6667
    """
    return f_mean(entropies.homogeneity, entropies.completeness, beta)


@measure(
    title="Normalised mutual information",
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
