"""Drop-in replacements of scikit-learn's clustering measures, with its names and arguments.

    from karat.sklearn import v_measure_score

The numbers equal scikit-learn's, except, on purpose, in these cases:

- fowlkes_mallows_score of two labelings that are all singletons is 1, not 0: they are equal.
- adjusted_mutual_info_score(average_method="min") of singletons is 0, not rounding noise between -2 and 3.5.
- mutual_info_score(contingency=...) keeps real-valued cells and does not overflow.
- Labels of different types are different: 1 and "1" are two labels.
- Two pandas Series are matched by index, not by position; if their indexes differ, that is an error.
- pair_confusion_matrix counts in integers that do not overflow.
- mutual_info_score of no items is 0, not an error; a missing label (None, NaN) is an error everywhere.
- Dicts {item: label} and lists of sets of items are labels too.
"""

from __future__ import annotations

import math
import warnings
from numbers import Real
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from karat.errors import LabelError, MeasureError, TableError, brief, listed
from karat.foreign import translated
from karat.kernels.expected import expected_information
from karat.kernels.objects import types_of
from karat.limits import MATRIX
from karat.measures.declared import (
    ami,
    ari,
    class_entropy,
    completeness,
    fowlkes_mallows,
    homogeneity,
    mutual_information,
    nmi,
    rand,
    v_measure,
)
from karat.measures.registry import Measure
from karat.tables.table import Table

__all__ = [
    "adjusted_mutual_info_score",
    "adjusted_rand_score",
    "completeness_score",
    "contingency_matrix",
    "entropy",
    "expected_mutual_information",
    "fowlkes_mallows_score",
    "homogeneity_completeness_v_measure",
    "homogeneity_score",
    "mutual_info_score",
    "normalized_mutual_info_score",
    "pair_confusion_matrix",
    "rand_score",
    "v_measure_score",
]

Average = Literal["min", "geometric", "arithmetic", "max"]
_NORMS = {"min": "min", "geometric": "sqrt", "arithmetic": "sum", "max": "max"}


def rand_score(labels_true: Any, labels_pred: Any) -> float:
    """The share of pairs on which the labelings agree (karat.rand)."""
    return _score(rand, labels_true, labels_pred)


def adjusted_rand_score(labels_true: Any, labels_pred: Any) -> float:
    """The Rand index adjusted for chance (karat.ari)."""
    return _score(ari, labels_true, labels_pred)


def homogeneity_score(labels_true: Any, labels_pred: Any) -> float:
    """The share of class entropy that the clusters explain (karat.homogeneity)."""
    return _score(homogeneity, labels_true, labels_pred)


def completeness_score(labels_true: Any, labels_pred: Any) -> float:
    """The share of cluster entropy that the classes explain (karat.completeness)."""
    return _score(completeness, labels_true, labels_pred)


def v_measure_score(labels_true: Any, labels_pred: Any, *, beta: float = 1.0) -> float:
    """The harmonic mean of homogeneity and completeness (karat.v_measure)."""
    return _score(v_measure(beta=beta), labels_true, labels_pred)


def homogeneity_completeness_v_measure(
    labels_true: Any, labels_pred: Any, *, beta: float = 1.0
) -> tuple[float, float, float]:
    """Homogeneity, completeness and their harmonic mean, from one table."""
    if (table := _table(labels_true, labels_pred)) is None:
        return 1.0, 1.0, 1.0
    return homogeneity(table), completeness(table), v_measure(table, beta=beta)


def normalized_mutual_info_score(
    labels_true: Any, labels_pred: Any, *, average_method: Average = "arithmetic"
) -> float:
    """Mutual information over a mean of the two entropies (karat.nmi)."""
    return _score(nmi(norm=_norm(average_method)), labels_true, labels_pred)


def adjusted_mutual_info_score(labels_true: Any, labels_pred: Any, *, average_method: Average = "arithmetic") -> float:
    """Mutual information adjusted for chance, exactly (karat.ami)."""
    return _score(ami(norm=_norm(average_method)), labels_true, labels_pred)


def fowlkes_mallows_score(labels_true: Any, labels_pred: Any) -> float:
    """The geometric mean of pair precision and recall (karat.fowlkes_mallows); 0 if there are no items."""
    return _score(fowlkes_mallows, labels_true, labels_pred, empty=0.0)


def mutual_info_score(labels_true: Any = None, labels_pred: Any = None, *, contingency: Any = None) -> float:
    """Mutual information in nats, of two labelings or of their table (karat.mutual_information)."""
    if contingency is not None:
        return float(mutual_information(Table.from_matrix(contingency)))
    return _score(mutual_information, labels_true, labels_pred, empty=0.0)


def entropy(labels: Any) -> float:
    """The entropy of one labeling, in nats; 1 if there are no items, as in scikit-learn."""
    return _score(class_entropy, labels, labels)


def expected_mutual_information(contingency: Any, n_samples: int) -> float:
    """The expected mutual information under the permutation model (fixed margins), in nats."""
    table = Table.from_matrix(contingency)
    if table.n != n_samples:
        raise TableError(f"n_samples is {n_samples} but the table holds {float(table.n):g} items.")
    table.need_counts("the expected mutual information")
    classes, clusters = table.profile.classes, table.profile.clusters
    return float(expected_information(*classes.arrays, *clusters.arrays, int(table.n))[0])


def contingency_matrix(
    labels_true: Any, labels_pred: Any, *, eps: float | None = None, sparse: bool = False, dtype: Any = np.int64
) -> Any:
    """The contingency table (true labels as rows), dense or sparse; eps is added to each cell of a dense one."""
    with translated(lambda reason: f"dtype={brief(dtype)} is not a type of numbers ({reason}); give one.", TableError):
        if np.dtype(dtype).kind not in "iufcbO":
            raise TableError(f"dtype={brief(dtype)} is not a type of numbers; give one, such as 'int64'.")
    if not (eps is None or (isinstance(eps, Real) and math.isfinite(eps))):
        raise TableError(f"eps={brief(eps)} cannot be added to cells; give a number.")
    if eps is not None and sparse:
        raise TableError("Cannot set 'eps' when sparse=True; leave one of them out.")
    if (table := _table(labels_true, labels_pred)) is None:
        return np.zeros((0, 0), dtype=dtype)
    if sparse:
        from scipy.sparse import csr_matrix

        return csr_matrix((table.counts, (table.rows, table.cols)), shape=table.shape, dtype=dtype)
    MATRIX.check(table.shape[0] * table.shape[1], "contingency_matrix, which sparse=True avoids", TableError)
    dense = table.to_sparse().toarray().astype(dtype)
    return dense if eps is None else dense + eps


def pair_confusion_matrix(labels_true: Any, labels_pred: Any) -> Any:
    """Ordered pairs with different or equal labels, true (rows) and predicted (columns): a 2 × 2 array."""
    if (table := _table(labels_true, labels_pred)) is None:
        return np.zeros((2, 2), dtype=np.int64)
    squares, n = table.squares, table.n
    neither = n * n - squares.classes - squares.clusters + squares.cells
    joined_by_one = squares.clusters - squares.cells, squares.classes - squares.cells
    return np.array([[neither, joined_by_one[0]], [joined_by_one[1], squares.cells - n]])


def _score(measure: Measure, labels_true: Any, labels_pred: Any, empty: float = 1.0) -> float:
    table = _table(labels_true, labels_pred)
    return empty if table is None else float(measure.of(table))


def _norm(average_method: str) -> Any:
    if not isinstance(average_method, str) or average_method not in _NORMS:
        raise MeasureError(f"average_method={brief(average_method)} is not known; use one of {listed(_NORMS)}.")
    return _NORMS[average_method]


def _table(labels_true: Any, labels_pred: Any) -> Table | None:
    """The table of two labelings, or None if both are empty; errors are worded as in scikit-learn."""
    sizes = [_size(labels, name) for labels, name in ((labels_true, "labels_true"), (labels_pred, "labels_pred"))]
    if sizes[0] != sizes[1]:
        raise LabelError(
            f"Found input variables with inconsistent numbers of samples: {sizes}; give one label per item."
        )
    return Table.from_labels(labels_true, labels_pred) if sizes[0] else None


def _size(labels: Any, name: str) -> int:
    """The number of labels; anything but one-dimensional labels is refused."""
    shape = getattr(labels, "shape", None)
    if isinstance(labels, (list, tuple)) and labels and isinstance(labels[0], (list, tuple, np.ndarray)):
        shape = len(labels), len(labels[0])
    if shape is not None and len(shape) != 1:
        raise LabelError(f"{name} must be 1D: shape is {tuple(shape)}; give one label per item.")
    if not hasattr(labels, "__len__"):
        raise LabelError(f"{name} is {brief(labels)}; give a list or an array of labels.")
    if isinstance(labels, (list, tuple)) and float in types_of(labels):
        _check_floats(np.array([x if isinstance(x, float) else 0.0 for x in labels]), name)
    elif isinstance(labels, np.ndarray) and labels.dtype.kind == "f":
        _check_floats(labels, name)
    return len(labels)


def _check_floats(labels: NDArray[np.floating[Any]], name: str) -> None:
    for value, test in (("NaN", np.isnan), ("infinity", np.isinf)):
        if test(labels).any():
            raise LabelError(f"{name} contains {value} at position {np.argmax(test(labels))}; give every item a label.")
    if (labels % 1).any():
        warnings.warn(
            f"Clustering metrics expects discrete values but received continuous values for {name}.",
            UserWarning,
            stacklevel=5,
        )
