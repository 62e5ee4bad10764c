"""Term vectors of documents: stems, tf-idf weights, and selection of the highest-weighted terms."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from karat.errors import KaratError
from karat.papers.synth.documents import tf_idf

_MARKS = "".join(chr(code) for code in range(0x300, 0x10000) if unicodedata.category(chr(code)).startswith("M"))
WORD = re.compile(rf"(?:[^\W\d_][{_MARKS}]*)+")  # letters of any script, with combining marks


class Vectors(NamedTuple):
    """A row of weights for each document, a column for each term."""

    weights: Any  # a SciPy sparse array
    terms: Sequence[str]
    vocabulary: int  # number of terms before selection


def vectors(texts: Sequence[str]) -> Vectors:
    """tf-idf vectors over stems; only terms that have the highest weight in some document are kept."""
    counts, terms = _counts(texts)
    weights = tf_idf(counts)
    chosen = _highest(weights)
    if not chosen.size:
        raise KaratError(
            "no word distinguishes the documents: they have none, or all the same; give texts that differ."
        )
    return Vectors(weights[:, chosen].tocsr(), [terms[index] for index in chosen], len(terms))


def unit_length(weights: Any) -> Any:
    """Rows divided by their Euclidean lengths; zero rows are unchanged."""
    from scipy.sparse import diags_array

    lengths = np.sqrt(np.asarray(weights.multiply(weights).sum(axis=1)).ravel())
    return (diags_array(1 / np.where(lengths > 0, lengths, 1)) @ weights).tocsr()


def stems(text: str) -> list[str]:
    """The words of a text in lower case, stemmed (Porter 1980), without digits and single letters a to z."""
    stem = _stemmer()
    words = WORD.findall(unicodedata.normalize("NFC", text).lower())
    return [stem(word) for word in words if len(word) > 1 or not word.isascii()]


@cache
def _stemmer() -> Callable[[str], str]:
    try:
        import snowballstemmer
    except ImportError:
        raise KaratError(
            "Porter's stemmer is needed for documents, and is not installed; pip install snowballstemmer."
        ) from None
    return cache(snowballstemmer.stemmer("porter").stemWord)


def _counts(texts: Sequence[str]) -> tuple[Any, list[str]]:
    from scipy.sparse import csr_array

    columns_of: dict[str, int] = {}
    counters = [Counter(stems(text)) for text in texts]
    columns = [columns_of.setdefault(term, len(columns_of)) for counter in counters for term in counter]
    numbers = [float(number) for counter in counters for number in counter.values()]
    starts = np.cumsum([0, *map(len, counters)])
    return csr_array((numbers, columns, starts), shape=(len(texts), len(columns_of))), list(columns_of)


def _highest(weights: Any) -> Any:
    """The columns that have the highest weight of some row, including ties."""
    rows = weights.tocsr()
    if not rows.nnz:
        return np.zeros(0, dtype=np.int64)
    highest = rows.max(axis=1).toarray().ravel()
    owners = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
    return np.unique(rows.indices[(rows.data == highest[owners]) & (rows.data > 0)])
