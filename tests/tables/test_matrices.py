"""Contingency tables given as matrices: exact, with their names, or refused."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import karat

LARGE = 2**53 + 1  # not a double


@pytest.mark.parametrize(
    "matrix",
    [
        [[LARGE, 0], [0, 1]],
        np.array([[LARGE, 0], [0, 1]], dtype=object),
        [[Fraction(LARGE), 0], [0, 1]],
        [[Decimal(LARGE), 0], [0, 1]],
    ],
)
def test_large_counts_are_exact(matrix: Any) -> None:
    assert karat.Table.from_matrix(matrix).n == LARGE + 1


@pytest.mark.parametrize("matrix", [[[LARGE, 0.5], [0, 1]], [[Fraction(LARGE), Fraction(1, 2)], [0, 1]]])
def test_counts_that_would_be_rounded_are_refused(matrix: Any) -> None:
    with pytest.raises(karat.TableError, match="the cell 9007199254740993 beside fractions, where it would be rounded"):
        karat.Table.from_matrix(matrix)


def test_decimal_cells_are_weights() -> None:
    assert karat.Table.from_matrix([[Decimal("1.5"), Decimal(2)], [0, 1]]).counts.tolist() == [1.5, 2.0, 1.0]


@pytest.mark.parametrize("names", [{"a", "b"}, frozenset(["a", "b"])])
def test_names_without_an_order_are_refused(names: Any) -> None:
    with pytest.raises(karat.TableError, match="classes is a set, which has no order"):
        karat.Table.from_matrix([[1, 2], [3, 4]], classes=names)


def test_margins_are_not_items() -> None:
    classes, clusters = pd.Series(["a", "b", "b"]), pd.Series([1, 2, 1])
    for name in ("All", "total"):
        with pytest.raises(karat.TableError, match=f"the row and the column '{name}' are the sums of the others"):
            karat.Table.from_matrix(pd.crosstab(classes, clusters, margins=True, margins_name=name))
    assert karat.Table.from_matrix(pd.crosstab(classes, clusters)).n == 3


def test_frames_of_polars_name_clusters_and_classes() -> None:
    plain = karat.Table.from_matrix(pl.DataFrame({"x": [1, 2], "y": [3, 4]}))
    assert (plain.classes, plain.clusters) == ((0, 1), ("x", "y"))
    pivot = pl.DataFrame({"class": ["a", "b"], "x": [1, 2], "y": [3, 4]})
    named = karat.Table.from_matrix(pivot)
    assert (named.classes, named.clusters) == (("a", "b"), ("x", "y"))
    assert named.counts.tolist() == [1, 3, 2, 4]
