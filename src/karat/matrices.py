"""Matrices of counts, dense, sparse or as a crosstab frame, taken apart into cells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karat.errors import TableError

Ints = NDArray[np.int64]
Cells = tuple[Ints, Ints, NDArray[Any], list[Any], list[Any]]


def matrix_cells(matrix: Any, classes: Sequence[Any] | None, clusters: Sequence[Any] | None) -> Cells:
    """Rows, columns and values of the non-zero cells, and a name for every row and column."""
    if hasattr(matrix, "index") and hasattr(matrix, "columns"):  # a crosstab: its labels are the names
        classes = list(matrix.index) if classes is None else classes
        clusters = list(matrix.columns) if clusters is None else clusters
        matrix = matrix.to_numpy()
    if hasattr(matrix, "tocoo"):
        sparse = matrix.tocoo()
        rows, cols, values, shape = sparse.row, sparse.col, sparse.data, sparse.shape
    else:
        dense = _dense(matrix)
        rows, cols = np.nonzero(dense)
        values, shape = dense[rows, cols], dense.shape
    values = clean_counts(values)
    if not values.any():
        raise TableError(f"the table of shape {shape} has no items; give at least one positive cell.")
    return (
        rows.astype(np.int64),
        cols.astype(np.int64),
        values,
        _names(classes, shape[0], "classes", "rows"),
        _names(clusters, shape[1], "clusters", "columns"),
    )


def _dense(matrix: Any) -> NDArray[Any]:
    try:
        dense = np.asarray(matrix)
    except ValueError:
        raise TableError("the rows of the table have different lengths; pad them with 0.") from None
    if dense.ndim != 2:
        raise TableError(
            f"the table has shape {dense.shape}; give a matrix, rows for classes and columns for clusters."
        )
    return dense


def clean_counts(values: NDArray[Any]) -> NDArray[Any]:
    """Cells as int64 or float64, or an error that shows the first bad one."""
    if values.dtype.kind not in "biuf":
        try:
            values = np.array([int(v) if v == int(v) else float(v) for v in values.tolist()])
        except (TypeError, ValueError, OverflowError):
            raise TableError(f"the table has cells of type {values.dtype}; cells are counts or weights.") from None
    bad = np.flatnonzero(~np.isfinite(values.astype(np.float64)) | (values < 0))
    if bad.size:
        raise TableError(f"the table has the cell {values[bad[0]]}; cells are finite and not negative.")
    return values.astype(
        np.int64
        if values.dtype.kind in "bi" or (values.max(initial=0) < 1 << 62 and values.dtype.kind == "u")
        else np.float64
    )


def _names(given: Sequence[Any] | None, size: int, what: str, lines: str) -> list[Any]:
    names = list(range(size)) if given is None else list(given)
    if len(names) != size:
        raise TableError(f"{what} has {len(names)} names but the table has {size} {lines}; give one for each.")
    if len(set(names)) < size:
        raise TableError(f"{what} names {next(x for x in names if names.count(x) > 1)!r} twice; names are unique.")
    return names
