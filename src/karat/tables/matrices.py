"""Contingency matrices, dense, sparse or as a crosstab frame, converted to cells."""

from __future__ import annotations

import math
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karat.errors import TableError, brief
from karat.kernels.objects import types_of
from karat.labels.encoding import mask_of
from karat.labels.names import as_array, check_names, plain_values

Ints = NDArray[np.int64]
Cells = tuple[Ints, Ints, NDArray[Any], list[Any], list[Any]]


def matrix_cells(matrix: Any, classes: Sequence[Any] | None, clusters: Sequence[Any] | None) -> Cells:
    """Row and column indices and values of the non-zero cells, and a name for every row and column."""
    if hasattr(matrix, "columns") and hasattr(matrix, "to_numpy"):  # a frame: its labels are the names
        rows_of_frame, columns_of_frame, matrix = _frame(matrix)
        classes = rows_of_frame if classes is None else classes
        clusters = columns_of_frame if clusters is None else clusters
    if hasattr(matrix, "tocoo"):
        sparse = matrix.tocoo()
        _check_shape(sparse.shape)
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


def _frame(frame: Any) -> tuple[list[Any] | None, list[Any], NDArray[Any]]:
    """The names of rows (None if there are none) and columns of a frame, and its cells."""
    columns = list(frame.columns)
    if hasattr(frame, "index"):  # of pandas
        classes: list[Any] | None = list(frame.index)
        cells = _cells_of(frame)
        _check_margins(classes, columns, cells)
        return classes, columns, cells
    first = frame[:, 0].to_list() if columns and frame.shape[0] else []
    if first and all(isinstance(value, str) for value in first):  # a pivot of Polars: its first column names the rows
        return first, columns[1:], _cells_of(frame[:, 1:])
    return None, columns, _cells_of(frame)


def _cells_of(frame: Any) -> NDArray[Any]:
    """The cells of a frame; as objects where a column of integers would be rounded beside one of fractions."""
    cells = np.asarray(frame.to_numpy())
    if cells.dtype.kind != "f" or not (np.abs(cells) >= 1 << 53).any():
        return cells
    columns = (getattr(frame, "iloc", frame)[:, index] for index in range(cells.shape[1]))
    return np.array([column.to_list() for column in columns], dtype=object).T


def _check_margins(classes: Any, clusters: list[Any], cells: NDArray[Any]) -> None:
    """Refuse a crosstab whose last row and column, of the same name, are the sums of the others."""
    if min(cells.shape, default=0) < 2 or type(classes[-1]) is not type(clusters[-1]) or classes[-1] != clusters[-1]:
        return
    inner = cells[:-1, :-1]
    try:
        sums = (inner.sum(0) == cells[-1, :-1]).all() and (inner.sum(1) == cells[:-1, -1]).all()
        margins = bool(sums) and inner.sum() == cells[-1, -1]
    except TypeError:  # cells that are not numbers are refused later
        return
    if margins:
        raise TableError(
            f"the row and the column {brief(classes[-1])} are the sums of the others; leave them out (margins=False)."
        )


def _is_nested(row: Any) -> bool:
    """Whether a cell of a row is a list, which NumPy would search to any depth."""
    return isinstance(row, (list, tuple)) and any(issubclass(kind, (list, tuple)) for kind in types_of(row))


def _dense(matrix: Any) -> NDArray[Any]:
    if isinstance(matrix, (list, tuple)) and any(_is_nested(row) for row in matrix):
        raise TableError("the table has lists in its cells; give a list of rows of numbers.")
    try:
        dense = as_array(matrix, "the table")
    except ValueError:
        raise TableError("the rows of the table have different lengths; pad them with 0.") from None
    _check_shape(dense.shape)
    if dense.dtype.kind == "O":  # checked here, since nonzero() takes None and "" for 0
        clean_counts(dense.ravel())
    if dense.dtype.kind == "f" and isinstance(matrix, (list, tuple)):
        check_precision(matrix)
    mask = mask_of(matrix)
    if mask is not None and mask.any():
        raise TableError("the table has masked cells; fill them, as in matrix.filled(0).")
    return dense


def check_precision(cells: Any) -> None:
    """Refuse integers that would be rounded beside a fraction, in a list of cells or of lists of them."""
    for cell in cells:
        if isinstance(cell, (list, tuple)):
            check_precision(cell)
        elif isinstance(cell, int) and abs(cell) > 1 << 53 and _rounded(cell) != cell:
            raise TableError(
                f"the table has the cell {brief(cell)} beside fractions, where it would be rounded; give whole "
                "numbers only, or smaller ones."
            )


def _rounded(cell: int) -> float:
    try:
        return float(cell)
    except OverflowError:
        return math.inf


def _check_shape(shape: tuple[int, ...]) -> None:
    if len(shape) != 2:
        raise TableError(f"the table has shape {shape}; give a matrix, rows for classes and columns for clusters.")


def clean_counts(values: NDArray[Any]) -> NDArray[Any]:
    """Cells as int64 or float64; TableError for one that is not a finite non-negative number."""
    values = exact_numbers(values)
    if values.dtype.kind not in "biuf":
        odd = next((v for v in values.tolist() if not isinstance(v, Real)), None)
        raise TableError(f"the table has the cell {brief(odd)}; cells are counts or weights, so give numbers.")
    with np.errstate(over="ignore"):
        finite = np.isfinite(values.astype(np.float64))
    bad = np.flatnonzero(~finite | (values < 0))
    if bad.size:
        raise TableError(f"the table has the cell {values[bad[0]]}; give finite cells, none negative.")
    integral = values.dtype.kind in "bi" or (values.dtype.kind == "u" and values.max(initial=0) < 1 << 62)
    return values.astype(np.int64 if integral else np.float64)


def exact_numbers(values: NDArray[Any]) -> NDArray[Any]:
    """Objects and extended floats as int64 if all are integral, else as float64; others as they are.

    So are objects of which one is no number. TableError for an integer that would be rounded beside a fraction.
    """
    if values.dtype.kind != "O" and not (values.dtype.kind == "f" and values.dtype.itemsize > 8):
        return values
    cells = [*values.flat]
    if not all(isinstance(cell, (Real, Decimal)) for cell in cells):
        return values
    numbers = [_number(cell) for cell in cells]
    if any(isinstance(number, float) for number in numbers):
        check_precision(numbers)
    return np.array(numbers).reshape(values.shape)


def _number(value: Any) -> int | float:
    """An integer if the value is one and not too large, else a float; NaN or infinite if it is not finite."""
    try:
        rounded = float(value)
        return int(value) if abs(rounded) <= 1 << 62 and value == int(value) and abs(value) < 1 << 62 else rounded
    except OverflowError:
        return math.inf
    except ValueError:  # a signalling NaN
        return math.nan


def _names(given: Sequence[Any] | None, size: int, what: str, lines: str) -> list[Any]:
    if given is None:
        return list(range(size))
    if isinstance(given, AbstractSet):
        raise TableError(f"{what} is a set, which has no order; give a list of names.")
    try:
        names = list(given)
    except TypeError:
        raise TableError(f"{what} is {brief(given)}; give a list of names.") from None
    if len(names) != size:
        raise TableError(f"{what} has {len(names)} names but the table has {size} {lines}; give one for each.")
    check_names(names, what)
    return list(plain_values(names, what))
