"""Spherical k-means by moves of single documents that raise the sum of the clusters' densities most.

The density of a cluster with the sum c of its unit vectors is |c|, the sum of their cosines with c (Kishida 2014,
appendix), so adding a document v raises it by |c + v| - |c|, and removing it lowers it by |c| - |c - v|.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from karat.errors import KaratError
from karat.kernels.moves import move_by_cosines, move_documents

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Start: TypeAlias = Literal["first", "random", "k-means++"]
Rule: TypeAlias = Literal["density", "similarity"]


FEW = 1000  # documents up to which all pairwise cosines are kept


class SphericalKMeans:
    """Spherical k-means of documents, by moves of one document at a time; scikit-learn's conventions.

    k: number of clusters. start: seeds are the first k documents, random ones, or k-means++. rule: "density" moves a
    document where the objective grows most, until no move raises it; "similarity" moves it to the cluster whose
    centroid, without the document, has the largest cosine. restarts: number of runs, if seeds are random; the best is
    kept.

    >>> SphericalKMeans(2).fit_predict([[1, 0], [0, 1], [2, 0.1], [0.1, 3]]).tolist()
    [0, 1, 0, 1]
    """

    labels_: Ints
    objective_: float  # the sum of the cosines between documents and their centroids
    n_iter_: int  # passes over the documents

    def __init__(
        self,
        k: int,
        *,
        start: Start = "first",
        rule: Rule = "density",
        seed: int = 0,
        passes: int = 100,
        restarts: int = 1,
    ) -> None:
        self.k, self.start, self.rule = k, start, rule
        self.seed, self.passes, self.restarts = seed, passes, restarts

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name."""
        return {name: getattr(self, name) for name in ("k", "start", "rule", "seed", "passes", "restarts")}

    def set_params(self, **params: Any) -> SphericalKMeans:
        """Change some parameters."""
        for name, value in params.items():
            setattr(self, name, value)
        return self

    def fit(self, x: Any, y: object = None) -> SphericalKMeans:
        """Cluster the rows of an array or a SciPy sparse matrix."""
        units = _Units.of(x)
        if not isinstance(self.k, (int, np.integer)) or not 1 <= self.k <= units.documents:
            raise KaratError(
                f"k={self.k!r} clusters cannot be formed from {units.documents} documents; give 1 to {units.documents}."
            )
        if self.start not in ("first", "random", "k-means++") or self.rule not in ("density", "similarity"):
            raise KaratError(f"start={self.start!r} or rule={self.rule!r} is not known; see help(SphericalKMeans).")
        rng = np.random.default_rng(self.seed)
        number = max(1, self.restarts if self.start != "first" else 1)
        runs = [self._once(rng, units) for _ in range(number)]
        self.labels_, self.objective_, self.n_iter_ = max(runs, key=lambda result: result[1])
        return self

    def _once(self, rng: np.random.Generator, units: _Units) -> tuple[Ints, float, int]:
        labels = units.nearest(self._seeds(rng, units))
        rule = self.k, self.passes, self.rule == "similarity"
        if units.all_cosines is not None:
            return move_by_cosines(units.all_cosines, labels, *rule)
        return move_documents(units.starts, units.terms, units.values, units.size, labels, *rule)

    def fit_predict(self, x: Any, y: object = None) -> Ints:
        """Cluster the rows, and return the cluster of each."""
        return self.fit(x, y).labels_

    def _seeds(self, rng: np.random.Generator, units: _Units) -> Ints:
        if self.start == "first":
            return np.arange(self.k)
        if self.start == "random":
            return rng.choice(units.documents, self.k, replace=False)
        chosen = [int(rng.integers(units.documents))]
        distance = np.full(units.documents, np.inf)
        while len(chosen) < self.k:
            distance = np.minimum(distance, 1 - units.cosines(chosen[-1:])[:, 0])
            weights = np.maximum(distance, 0)
            weights[chosen] = 0
            total = weights.sum()
            free = np.setdiff1d(np.arange(units.documents), chosen)
            chosen.append(int(rng.choice(units.documents, p=weights / total) if total > 0 else rng.choice(free)))
        return np.array(chosen)


class _Units(NamedTuple):
    """Unit vectors as rows of a sparse matrix, or, for few documents, their pairwise cosines; zero rows stay zero."""

    documents: int
    starts: Ints
    terms: Ints
    values: Floats
    size: int
    all_cosines: Floats | None = None

    @classmethod
    def of(cls, x: Any, few: int = FEW) -> _Units:
        """Divide the rows of a table by their Euclidean lengths."""
        if hasattr(x, "tocsr"):
            return cls._sparse(x.tocsr())
        dense = np.asarray(x, dtype=np.float64)
        if dense.ndim != 2 or not dense.size:
            raise KaratError(f"the documents have shape {dense.shape}; give a table of documents by terms.")
        _check_finite(dense)
        lengths = np.sqrt(np.einsum("ij,ij->i", dense, dense))
        dense = dense / np.where(lengths > 0, lengths, 1.0)[:, None]
        documents, size = dense.shape
        if documents <= few:
            nothing = np.zeros(0, dtype=np.int64)
            return cls(documents, nothing, nothing, np.zeros(0), size, np.ascontiguousarray(dense @ dense.T))
        rows, terms = np.nonzero(dense)
        starts = np.searchsorted(rows, np.arange(documents + 1))
        return cls(documents, starts, np.ascontiguousarray(terms), dense[rows, terms], size)

    @classmethod
    def _sparse(cls, matrix: Any) -> _Units:
        values, starts = matrix.data.astype(np.float64), matrix.indptr.astype(np.int64)
        _check_finite(values)
        terms_of_row = np.diff(starts)
        lengths = np.sqrt(np.add.reduceat(np.append(values**2, 0.0), starts[:-1])) * (terms_of_row > 0)
        values = values / np.repeat(np.where(lengths > 0, lengths, 1.0), terms_of_row)
        return cls(matrix.shape[0], starts, matrix.indices.astype(np.int64), values, int(matrix.shape[1]))

    def cosines(self, others: Any) -> Floats:
        """The cosines of all documents with some of them."""
        if self.all_cosines is not None:
            return self.all_cosines[:, others]
        from scipy.sparse import csr_array

        matrix = csr_array((self.values, self.terms, self.starts), shape=(self.documents, self.size))
        return np.asarray((matrix @ matrix[np.asarray(others)].T).toarray())

    def nearest(self, seeds: Ints) -> Ints:
        """The index of the seed with the largest cosine to each document; a seed is in its own cluster."""
        labels = self.cosines(seeds).argmax(axis=1).astype(np.int64)
        labels[seeds] = np.arange(seeds.size)
        return np.asarray(labels)


def _check_finite(values: Floats) -> None:
    if not np.isfinite(values).all():
        raise KaratError("the documents have values that are not finite; give numbers.")
