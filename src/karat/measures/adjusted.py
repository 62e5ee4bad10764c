"""Measures adjusted for chance."""

from __future__ import annotations

from math import inf
from typing import Literal

from karat.measures.arithmetic import Number, larger, ratio, smaller
from karat.measures.entropies import Entropies
from karat.measures.expected_entropies import ExpectedEntropies
from karat.measures.registry import measure

__all__ = ["ami"]  # the measures, for karat's completion


@measure(
    title="Adjusted mutual information",
    family="adjusted",
    better="higher",
    bounds=(-inf, 1),
    perfect=1,
    chance=0,
    swap="itself",
    paper="vinh2010",
    equation="eq. 8",
    breaks=("homogeneity", "rag_bag"),
    definition="(I - E[I]) / (N - E[I]), N as for nmi, E over all shuffles of the predicted labels",
    tex=(
        r"\frac{I(C;K) - \mathrm{E}[I]}{N - \mathrm{E}[I]}, \quad \mathrm{E} \text{ over all shuffles of the "
        r"predicted labels}"
    ),
    elsewhere=(
        "sklearn.metrics.adjusted_mutual_info_score: the same with norm=sum; wrong for norm=min and singletons",
        "aricode AMI: norm=max",
        "torchmetrics: 0 instead of 1 for one cluster in both",
        "ELKI: E[I] = 0 above 10,000 items",
    ),
)
def ami(
    entropies: Entropies, expected: ExpectedEntropies, *, norm: Literal["min", "sqrt", "sum", "max"] = "sum"
) -> Number:
    """Mutual information rescaled so that shuffling the predicted labels averages 0 and gold gives 1.

    The expectation is exact. Singletons score 0, whatever the norm.

    >>> import karat
    >>> karat.ami([0, 0, 1, 1], [0, 1, 2, 3])
    0.0
    """
    # (I - E[I]) / (norm - E[I]), from conditional entropies: H(C) - E[I] = E[H(C|K)] and H(K) - E[I] = E[H(K|C)]
    # do not cancel where nearly all clusters are singletons, and are exactly 0 where all are
    low, high = (f(expected.gold_given_pred, expected.pred_given_gold) for f in (smaller, larger))
    gain = low - smaller(entropies.gold_given_pred, entropies.pred_given_gold)
    room = {
        "min": low,
        "sqrt": ratio(expected.mutual * (low + high) + low * high, expected.mutual + entropies.norm("sqrt"), empty=0),
        "sum": (low + high) / 2,
        "max": high,
    }
    same = entropies.same_if_empty  # then the expectations are equal as well, up to rounding
    return same + (1 - same) * ratio(gain, room[norm], empty=0)
