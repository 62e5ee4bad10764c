"""Document sets with known classes: the generator of Kishida (2014), section 4.1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from karat.errors import KaratError
from karat.foreign import translated

Floats = NDArray[np.float64]
Normal: TypeAlias = tuple[float, float]  # mean and standard deviation

BALANCED = (10,) * 10
BIASED = (50, 20, 5, 5, 5, 3, 3, 3, 3, 3)


class Documents(NamedTuple):
    """Term frequencies, a row for each document, and the class of each."""

    counts: Any  # an array, or a SciPy sparse one
    classes: NDArray[np.int64]


@dataclass(frozen=True)
class DocumentModel:
    """A generator of documents: class sizes, terms, distributions of frequencies, and the error factor.

    Specific terms are frequent in the classes they belong to; general terms belong to none. negative_means: term means
    below 0 are kept ("keep"), or made positive ("absolute"). cut: frequencies are truncated to integers before and
    after the error is added ("twice", as in the paper), or rounded once, after it ("rounded").

    >>> drawn = DocumentModel(sizes=(3, 2), specific=4, general=2).generate(seed=0)
    >>> drawn.counts.shape, sorted(drawn.classes.tolist())
    ((5, 6), [0, 0, 0, 1, 1])
    """

    sizes: tuple[int, ...] = BALANCED  # documents of each class
    specific: int = 140  # specific terms
    general: int = 60
    belongs: float = 0.1  # the probability that a specific term belongs to a class
    general_mean: Normal = (3.0, 3.0)  # distribution of the mean frequency of a general term
    inside_mean: Normal = (4.0, 3.0)  # of a specific term, in documents of its classes
    outside_mean: Normal = (0.5, 1.0)  # of a specific term, in other documents
    general_deviation: float = 3.0  # standard deviation of frequencies about their mean
    inside_deviation: float = 5.0
    outside_deviation: float = 1.0
    error: Normal = (0.0, 1.0)  # distribution of the error factor; its mean is the difficulty
    negative_means: Literal["keep", "absolute"] = "keep"
    cut: Literal["twice", "rounded"] = "twice"

    def __post_init__(self) -> None:
        with translated(lambda reason: f"the options of DocumentModel are of other types ({reason}); give numbers."):
            self._check()

    def _check(self) -> None:
        if not self.sizes or min(self.sizes) < 1 or self.specific < 0 or self.general < 0:
            raise KaratError(f"sizes={self.sizes!r} with {self.specific} and {self.general} terms make no documents.")
        if self.specific + self.general < 1 or not 0 <= self.belongs <= 1:
            raise KaratError(f"belongs={self.belongs!r} is not a probability, or there are no terms; give 0 to 1.")
        if self.negative_means not in ("keep", "absolute") or self.cut not in ("twice", "rounded"):
            raise KaratError("negative_means is 'keep' or 'absolute', and cut is 'twice' or 'rounded'; choose one.")

    def generate(self, seed: Any, *, sparse: bool = False) -> Documents:
        """Draw a document set in random order; sparse and dense results are equal for the same seed."""
        rng = np.random.default_rng(seed)
        classes = rng.permutation(np.repeat(np.arange(len(self.sizes)), self.sizes))
        general = self._means(rng, self.general_mean, self.general)
        owners = self._owners(rng)
        inside = self._means(rng, self.inside_mean, self.specific)
        outside = self._means(rng, self.outside_mean, self.specific)
        own = owners[:, classes].T  # documents by specific terms
        mean = np.hstack([np.where(own, inside, outside), np.broadcast_to(general, (classes.size, general.size))])
        deviation = np.hstack(
            [
                np.where(own, self.inside_deviation, self.outside_deviation),
                np.full((classes.size, general.size), self.general_deviation),
            ]
        )
        drawn = mean + deviation * rng.standard_normal(mean.shape)
        if self.cut == "twice":
            drawn = _truncated(drawn)
        drawn = drawn + rng.normal(*self.error, size=drawn.shape)
        frequencies = _truncated(drawn) if self.cut == "twice" else np.rint(np.maximum(drawn, 0))
        counts = frequencies.astype(np.int64)
        if sparse:
            from scipy.sparse import csr_array

            return Documents(csr_array(counts), classes)
        return Documents(counts, classes)

    def _means(self, rng: np.random.Generator, normal: Normal, number: int) -> Floats:
        means = rng.normal(*normal, size=number)
        return np.abs(means) if self.negative_means == "absolute" else means

    def _owners(self, rng: np.random.Generator) -> NDArray[np.bool_]:
        """Which classes each specific term belongs to, at least one."""
        owners = rng.random((self.specific, len(self.sizes))) < self.belongs
        lone = np.flatnonzero(~owners.any(axis=1))
        owners[lone, rng.integers(0, len(self.sizes), size=lone.size)] = True
        return owners


def _truncated(frequencies: Floats) -> Floats:
    """Truncate positive values to integers; set others to 0."""
    return np.floor(np.maximum(frequencies, 0))


def tf_idf(counts: Any) -> Any:
    """Term frequency times log(N / document frequency); dense or SciPy sparse, as the counts."""
    if hasattr(counts, "tocsr"):
        from scipy.sparse import diags_array

        sparse = counts.tocsr()
        documents = np.asarray((sparse > 0).sum(axis=0)).ravel()
        return sparse @ diags_array(_weights(documents, sparse.shape[0]))
    with translated(lambda reason: f"tf_idf needs a table of documents by terms ({reason}); give one of numbers."):
        counts = np.asarray(counts, dtype=np.float64)
    if counts.ndim != 2:
        raise KaratError(f"tf_idf has counts of shape {counts.shape}; give a table of documents by terms.")
    return counts * _weights((counts > 0).sum(axis=0), counts.shape[0])


def _weights(documents: NDArray[Any], number: int) -> Floats:
    return np.asarray(np.log(number / np.maximum(documents, 1)) * (documents > 0))
