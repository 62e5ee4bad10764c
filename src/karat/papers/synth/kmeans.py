"""k-means by Lloyd's algorithm."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from karat.errors import KaratError
from karat.kernels.counting import first_seen

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LARGEST = 1e100  # greatest value, so that sums of squares are finite
AT_ONCE = 4_000_000  # distances in memory, at most


class KMeans:
    """k-means of rows, dense or SciPy sparse, by squared Euclidean distance; scikit-learn's conventions.

    k: number of clusters. start: "k-means++", or an array of k centres. seed: of k-means++. passes: at most. An empty
    cluster takes the item farthest from its centre; there are fewer than k if fewer items differ.

    >>> KMeans(2).fit_predict([[0], [9], [1], [10]]).tolist()
    [0, 1, 0, 1]
    """

    labels_: Ints  # numbered in the order in which clusters first occur
    inertia_: float  # the sum of squared distances to the centres
    n_iter_: int

    def __init__(self, k: int, *, start: Any = "k-means++", seed: Any = 0, passes: int = 300) -> None:
        self.k, self.start, self.seed, self.passes = k, start, seed, passes

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name."""
        return {name: getattr(self, name) for name in ("k", "start", "seed", "passes")}

    def set_params(self, **params: Any) -> KMeans:
        """Change some parameters."""
        for name, value in params.items():
            setattr(self, name, value)
        return self

    def fit(self, x: Any, y: object = None, sample_weight: Any = None) -> KMeans:
        """Cluster the rows; sample_weight: positive weights of the rows."""
        rows, middle = _centred(_rows(x))
        number = rows.shape[0]
        if not isinstance(self.k, (int, np.integer)) or not 1 <= self.k <= number:
            raise KaratError(f"k={self.k!r} clusters cannot be formed from {number} items; give 1 to {number}.")
        weights = np.ones(number) if sample_weight is None else np.asarray(sample_weight, np.float64)
        if weights.shape != (number,) or not np.all(weights > 0) or not np.isfinite(weights).all():
            raise KaratError(f"sample_weight must hold {number} positive numbers, one for each item; correct it.")
        lengths = _dot(rows, rows)
        centres = self._first(rows, middle, lengths, weights)
        labels = np.full(number, -1)
        self.n_iter_ = 0
        while self.n_iter_ < max(self.passes, 1):
            self.n_iter_ += 1
            nearest, distances = _nearest(rows, lengths, centres)
            nearest = _fill_empty(nearest, distances, self.k)
            if np.array_equal(nearest, labels):
                break
            labels = nearest
            centres = _means(rows, weights, labels, centres)
        products = _dot(rows, centres[labels])
        squares = np.einsum("ij,ij->i", centres, centres)[labels]
        self.labels_ = first_seen(labels.view(np.uint64))[0].astype(np.int64)
        self.inertia_ = float(weights @ _zero_if_rounding(lengths - 2 * products + squares, lengths))
        return self

    def fit_predict(self, x: Any, y: object = None, sample_weight: Any = None) -> Ints:
        """Cluster the rows, and return the cluster of each."""
        return self.fit(x, y, sample_weight).labels_

    def _first(self, rows: Any, middle: Floats, lengths: Floats, weights: Floats) -> Floats:
        if isinstance(self.start, str):
            if self.start != "k-means++":
                raise KaratError(f"start={self.start!r} is not known; give 'k-means++' or an array of centres.")
            return _dense(rows[_spread(rows, lengths, weights, self.k, np.random.default_rng(self.seed))])
        centres = np.asarray(self.start, np.float64)
        if centres.shape != (self.k, rows.shape[1]) or not np.isfinite(centres).all():
            raise KaratError(
                f"start has shape {centres.shape}; give {self.k} finite centres of {rows.shape[1]} values."
            )
        return np.asarray(centres - middle)


def _rows(x: Any) -> Any:
    """Validate rows as a CSR matrix or an array of finite numbers."""
    rows = x.tocsr().astype(np.float64) if hasattr(x, "tocsr") else np.ascontiguousarray(x, np.float64)
    values: Any = rows.data if hasattr(rows, "tocsr") else rows
    if rows.ndim != 2 or not np.isfinite(values).all() or (values.size and np.abs(values).max() > LARGEST):
        raise KaratError(
            f"k-means takes a table of numbers up to {LARGEST:g}, a row for each item; drop or scale the others."
        )
    return rows


def _centred(rows: Any) -> tuple[Any, Floats]:
    """Rows less their mean, so that distances keep precision far from 0; sparse rows stay sparse."""
    if hasattr(rows, "tocsr"):
        return rows, np.zeros(rows.shape[1])
    middle = rows.mean(axis=0)
    return rows - middle, middle


def _zero_if_rounding(squares: Floats, lengths: Floats) -> Floats:
    """Squared distances, set to 0 where they are within the rounding error of the squared lengths."""
    return np.where(squares > 64 * np.finfo(float).eps * max(float(lengths.max()), 0.0), squares, 0.0)


def _dense(rows: Any) -> Floats:
    return np.asarray(rows.toarray() if hasattr(rows, "toarray") else rows, np.float64)


def _dot(a: Any, b: Any) -> Floats:
    """The dot products of corresponding rows."""
    if hasattr(a, "tocsr"):
        return np.asarray(a.multiply(b).sum(axis=1), np.float64).ravel()
    return np.asarray(np.einsum("ij,ij->i", a, b))


def _spread(rows: Any, lengths: Floats, weights: Floats, k: int, rng: np.random.Generator) -> Ints:
    """Initial centres by k-means++ with the greedy choice of Arthur & Vassilvitskii (2007, section 5).

    Candidates are drawn by squared distance to the nearest centre so far, and the best of a few is chosen.
    """
    number = len(weights)
    chosen = [int(rng.choice(number, p=weights / weights.sum()))]
    distances = _squares(rows, lengths, chosen)[0]
    candidates = 2 + int(np.log(k))
    while len(chosen) < k:
        distances[chosen] = 0
        steps = np.cumsum(distances * weights)
        if not steps[-1] > 0:  # no other item differs
            others = np.setdiff1d(np.arange(number), chosen)
            return np.array(chosen + rng.permutation(others)[: k - len(chosen)].tolist())
        drawn = np.searchsorted(steps, rng.random(candidates) * steps[-1], side="right").clip(max=number - 1)
        closer = np.minimum(distances, _squares(rows, lengths, drawn))
        best = int((closer @ weights).argmin())
        chosen.append(int(drawn[best]))
        distances = closer[best]
    return np.array(chosen)


def _squares(rows: Any, lengths: Floats, indices: Any) -> Floats:
    """Squared distances from some items, a row for each, to all items."""
    centres = _dense(rows[indices])
    products = np.asarray(rows @ centres.T).T
    return _zero_if_rounding(lengths - 2 * products + lengths[indices][:, None], lengths)


def _nearest(rows: Any, lengths: Floats, centres: Floats) -> tuple[Ints, Floats]:
    """The index of the centre nearest to each item, the first of equals, and its squared distance."""
    number = rows.shape[0]
    labels, distances = np.empty(number, np.int64), np.empty(number)
    squares = np.einsum("ij,ij->i", centres, centres)
    step = max(1, AT_ONCE // len(centres))
    for low in range(0, number, step):
        part = slice(low, low + step)
        offsets = squares - 2 * np.asarray(rows[part] @ centres.T)
        labels[part] = offsets.argmin(axis=1)
        distances[part] = np.take_along_axis(offsets, labels[part, None], axis=1)[:, 0] + lengths[part]
    return labels, _zero_if_rounding(distances, lengths)


def _fill_empty(labels: Ints, distances: Floats, k: int) -> Ints:
    """Move the items farthest from their centres to empty clusters, unless all lie on their centres."""
    sizes = np.bincount(labels, minlength=k)
    empty = np.flatnonzero(sizes == 0)
    if not empty.size:
        return labels
    labels = labels.copy()
    far = iter(np.argsort(-distances, kind="stable"))
    for cluster in empty:
        index = next((p for p in far if sizes[labels[p]] > 1 and distances[p] > 0), None)
        if index is None:
            break
        sizes[labels[index]] -= 1
        sizes[cluster] = 1
        labels[index] = cluster
    return labels


def _means(rows: Any, weights: Floats, labels: Ints, centres: Floats) -> Floats:
    """The mean of each cluster's items; an empty one keeps its centre."""
    from scipy.sparse import csr_array

    number = len(labels)
    member = csr_array((weights, (labels, np.arange(number))), shape=(len(centres), number))
    totals = np.bincount(labels, weights, minlength=len(centres))
    sums = _dense(member @ rows)
    nonempty = totals > 0
    return np.where(nonempty[:, None], sums / np.where(nonempty, totals, 1)[:, None], centres)
