"""Items with a class and numeric features, read from a table."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from karat.errors import FileError
from karat.papers.corpora.columns import gold_column, is_item, open_table, values


class Numbers(NamedTuple):
    """The features of items, a row for each, and their classes."""

    name: str
    gold: Sequence[Any]
    features: NDArray[np.float64]
    remarks: tuple[str, ...] = ()


def read_numbers(path: str, *, gold: str | None = None) -> Numbers:
    """Read a table: one column is the classes, all others but ids are features."""
    with open_table(path) as source:
        classes = gold_column(source, gold)
        labels = values(source, classes)
        names = [name for name in source.columns if name != classes and not is_item(name)]
        columns = [_numbers(path, name, values(source, name)) for name in names]
    if not columns:
        raise FileError(f"{path!r} has no columns but {classes!r} and ids; give columns of numbers.")
    if None in labels or len(set(labels)) < 2:
        what = "items without a class" if None in labels else f"items of class {labels[0]!r} only"
        raise FileError(f"{path!r} has {what} in column {classes!r}; give each item one of two classes or more.")
    remarks = (f"classes are column {classes!r}, features {', '.join(map(repr, names))}",)
    return Numbers(os.path.basename(path), labels, np.column_stack(columns), remarks)


def _numbers(path: str, name: str, column: list[Any]) -> NDArray[np.float64]:
    values = np.full(len(column), np.nan)
    for row, value in enumerate(column):
        try:
            values[row] = float(value)
        except (TypeError, ValueError):
            values[row] = np.nan
        if not np.isfinite(values[row]):
            raise FileError(
                f"{path!r} has {value!r} in column {name!r}, row {row + 1}, which is no number; "
                "mend it, or leave that column out."
            )
    return values
