"""Weights of every kind of number: added without rounding error, in any order."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import karat
from karat.errors import LabelError
from karat.labels.weights import check_weights

CASES: list[tuple[list[Any], Any]] = [
    ([Decimal("1.10")] * 10 + [Decimal("3.30")], 14.3),
    ([Fraction(1, 3)] * 3, 1),
    ([Decimal(2), Decimal(3)], 5),
    ([1.5, Decimal("0.5")], 2),
    ([0.1] * 10, 1.0),
    ([2**62 - 2, 1], 2**62 - 1),
]


@pytest.mark.parametrize(("weights", "total"), CASES, ids=lambda case: str(case)[:40])
def test_weights_add_up(weights: list[Any], total: Any) -> None:
    for given_weights in (weights, weights[::-1]):
        table = karat.table(["a"] * len(weights), [1] * len(weights), weights=given_weights)
        assert table.counts.tolist() == [total]


@given(st.lists(st.decimals(0, 1000, places=3), min_size=1, max_size=20).filter(any))
def test_decimal_weights_are_rounded_once(weights: list[Decimal]) -> None:
    table = karat.table(["a"] * len(weights), [1] * len(weights), weights=weights)
    assert table.counts.tolist() == [float(sum(map(Fraction, weights)))]


@pytest.mark.parametrize(
    "bad", [Decimal("NaN"), Decimal("Infinity"), Decimal(-1), Decimal("1e999999"), Fraction(-1, 2)]
)
def test_weights_that_are_no_amounts_are_refused(bad: Any) -> None:
    with pytest.raises(karat.LabelError, match="at position 1; give finite weights, none negative"):
        karat.ari(["a", "b"], [1, 2], weights=[Decimal(1), bad])


@pytest.mark.parametrize("weight", [Decimal("1e-390"), Fraction(1, 10**390)])
def test_weights_too_small_for_floats_are_refused(weight: Any) -> None:
    with pytest.raises(karat.LabelError, match=r"position 1.*scale the weights"):
        karat.score([0, 0, 1], [1, 2, 2], weights=[1, weight, 1])


def test_decimals_of_arrow_are_weights() -> None:
    pa = pytest.importorskip("pyarrow")
    weights = [Decimal("0.1"), Decimal("0.2"), Decimal("0.3")]
    expected = karat.score([0, 0, 1], [1, 2, 2], weights=weights)
    assert dict(karat.score([0, 0, 1], [1, 2, 2], weights=pa.array(weights))) == dict(expected)


@pytest.mark.parametrize(
    "weights",
    [[2**53 + 1, 0.5], (np.int64(2**53 + 1), 0.5), [2**53 + 1, np.float32(0.5)], [np.longdouble(2**53) + 1, 0.5]],
    ids=["list", "tuple of NumPy's", "float32", "longdouble"],
)
def test_integers_beside_floats_are_not_rounded(weights: Any) -> None:
    assert check_weights(weights, 2).tolist() == [2**53 + 1, Fraction(1, 2)]


def test_weights_in_lists_are_refused() -> None:
    nested: Any = (1,)
    for _ in range(60):
        nested = (nested, nested)
    for weights in ([[1], [2]], nested):
        with pytest.raises(LabelError, match="at position 0, which is not a number"):
            check_weights(weights, 2)
