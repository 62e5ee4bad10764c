"""Measures rescaled by what chance gives."""

from __future__ import annotations

from karat.arithmetic import Number, ratio, settle
from karat.measures.information import Chance, Entropies, Norm
from karat.registry import measure


@measure(
    title="Adjusted mutual information",
    better="higher",
    bounds=(-1, 1),
    perfect=1,
    chance=0,
    swap="itself",
    paper="vinh2010",
    equation="eq. 8",
    breaks=("homogeneity", "rag_bag"),
    panel=True,
)
def ami(entropies: Entropies, chance: Chance, *, norm: Norm = "sum") -> Number:
    """Mutual information rescaled so that shuffling the predicted labels averages 0 and gold gives 1.

    The expectation is exact. Every item alone scores 0, whatever the norm.

    >>> import karat
    >>> karat.ami([0, 0, 1, 1], [0, 1, 2, 3])
    0.0
    """
    bound = entropies.norm(norm)
    gain = settle(entropies.mutual - chance.mutual, bound)
    return ratio(gain, settle(bound - chance.mutual, bound), empty=entropies.same_if_empty)
