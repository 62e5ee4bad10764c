"""Counts that a float cannot hold: exact in every table and stack, or refused."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import karat
from karat import Stack, Table

ODD = (1 << 53) + 1  # no float is equal to it
MOST = (1 << 62) - 1  # items


@pytest.mark.parametrize(
    "matrix",
    [
        [[ODD, 1], [1, 3]],
        np.array([[ODD, 1], [1, 3]], dtype=np.uint64),
        np.array([[ODD, 1], [1, 3]], dtype=object),
        np.array([[Fraction(ODD), 1.0], [np.int32(1), Decimal(3)]], dtype=object),
        np.array([[ODD, 1], [1, 3]], dtype=np.longdouble),
    ],
)
def test_integers_are_exact_in_tables_and_stacks(matrix: Any) -> None:
    if np.finfo(np.longdouble).nmant < 63 and getattr(matrix, "dtype", None) == np.longdouble:
        pytest.skip("extended floats are doubles here")
    assert Table.from_matrix(matrix).counts.tolist() == [ODD, 1, 1, 3]
    stack = Stack([matrix]) if isinstance(matrix, list) else Stack(matrix[None])
    assert stack[0].counts.tolist() == [ODD, 1, 1, 3]
    assert Stack.of([Table.from_matrix(matrix)])[0].counts.tolist() == [ODD, 1, 1, 3]
    assert karat.van_dongen(Stack([[[ODD - 1, ODD]]]))[0] == ODD - 1


@pytest.mark.parametrize("kind", [int, object, np.uint64, Fraction, Decimal])
def test_as_many_items_as_can_be_counted_are_accepted(kind: Any) -> None:
    cells = np.array([[MOST - 1, 1]], dtype=kind if kind in (int, object, np.uint64) else object)
    if cells.dtype == object:
        cells = np.array([[kind(int(x)) if kind is not object else int(x) for x in cells[0]]], dtype=object)
    assert Table.from_matrix(cells).n == Stack(cells[None])[0].n == MOST
    assert Table.from_labels(["a", "a"], [1, 2], weights=cells[0]).n == MOST
    cells[0, 1] = cells[0, 1] + cells[0, 1]
    for refused in (Table.from_matrix, lambda given: Stack(given[None])):
        with pytest.raises(karat.TableError, match=r"2\^62"):
            refused(cells)


def test_integers_that_would_be_rounded_beside_fractions_are_refused() -> None:
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    columns = {"x": [ODD, 1], "y": [0.5, 1.0]}
    for refused in (
        lambda: Table.from_matrix([[ODD, 0.5]]),
        lambda: Table.from_matrix(pd.DataFrame(columns)),
        lambda: Table.from_matrix(pl.DataFrame(columns)),
        lambda: Stack([[[ODD, 0.5]]]),
        lambda: Stack(np.array([[[ODD, 0.5]]], dtype=object)),
        lambda: Stack.of([Table.from_matrix([[ODD]]), Table.from_matrix([[0.5]])]),
    ):
        with pytest.raises(karat.TableError, match="9007199254740993 beside fractions, where it would be rounded"):
            refused()
    whole = Table.from_matrix(pd.DataFrame({"x": [ODD, 1], "y": [2.0, 1.0]}))
    assert whole.counts.tolist() == [ODD, 2, 1, 1]


def test_a_large_weight_beside_fractions_is_rounded_once() -> None:
    table = Table.from_labels(["a", "a", "b"], [1, 1, 2], weights=[ODD, 1.0, 0.5])
    assert table.counts.tolist() == [float(ODD + 1), 0.5]
    assert Table.from_labels(["a", "b"], [1, 2], weights=[ODD, 1.0]).counts.tolist() == [ODD, 1]


def test_equal_stacks_compare_equal() -> None:
    stack = Stack([[[1, 2], [0, 1]]])
    assert stack == Stack(np.array([[[1.0, 2.0], [0.0, 1.0]]]))
    assert stack == Stack.of(list(stack))
    assert stack != Stack([[[1, 2], [1, 1]]])
    assert stack != Stack([[[1, 2], [0, 1]], [[1, 2], [0, 1]]])
    assert Stack([[[ODD]]]) == Stack([[[ODD]]]) != Stack([[[ODD - 1]]])
    assert stack != stack.tables.tolist()
    with pytest.raises(TypeError, match="unhashable"):
        hash(stack)
