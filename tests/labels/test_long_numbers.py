"""Numbers beyond 64 bits as labels: the same label if they are equal, and no way to make them slow."""

from __future__ import annotations

import itertools
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import karat
from karat.labels.identity import keys_of, label_key

PRIME = 2**61 - 1  # Python hashes numbers modulo this
NUMBERS: list[Any] = [
    *(sign * (2**power + more) for sign in (1, -1) for power in (53, 61, 63, 64, 65, 100) for more in (-1, 0, 1)),
    *(float(2**power) for power in (53, 61, 64, 65, 100)), -(2.0**64), 10**30, 1e30, Decimal("1e30"), Decimal(10**30),
    Decimal(2**64 + 1), Fraction(2**64 + 1), Decimal("0.1"), Decimal("0.10"), 0.1, Fraction(1, 10), Fraction(1, 2), 0.5,
    Decimal("0.5"), Decimal("0." + "3" * 40), Fraction(1, 3), 1 / 3, Fraction(PRIME * 5, 3), PRIME * 5, 0, -1, -2,
    Decimal("1e6000"), Decimal("-1e6000"), Decimal("1e-6000"), float("inf"), Decimal("inf"), np.uint64(2**64 - 1),
    np.int64(-5), np.longdouble(2**63) + 1, np.longdouble(0.5), Fraction(10**400, 7), 10**400,
]  # fmt: skip


def exact(number: Any) -> Any:
    """A number that compares without rounding, which those of NumPy do not."""
    if isinstance(number, np.integer):
        return int(number)
    return Fraction(*number.as_integer_ratio()) if abs(number) != float("inf") else float(number)


def test_numbers_are_the_same_label_if_they_are_equal() -> None:
    for one, other in itertools.product(NUMBERS, repeat=2):
        distinct = 1 if exact(one) == exact(other) else 2
        assert len({label_key(one), label_key(other)}) == distinct, (one, other)
        assert len(set(keys_of([one, other, "text"]))) == 1 + distinct, (one, other)


@pytest.mark.parametrize(
    "number",
    [
        lambda i: i * PRIME,
        lambda i: -i * PRIME,
        lambda i: Decimal(i * PRIME),
        lambda i: Fraction(i * PRIME, 3),
        lambda i: Fraction(1, i * PRIME),
        lambda i: (i * PRIME, "x"),
    ],
    ids=["positive", "negative", "decimal", "fraction", "no inverse", "in a tuple"],
)
def test_long_numbers_of_one_hash_have_keys_of_many(number: Any) -> None:
    labels = [number(i) for i in range(10**20, 10**20 + 500)]
    assert len(set(map(hash, labels))) == 1
    assert len(set(map(hash, keys_of(labels)))) > 490


def test_long_labels_are_counted_and_returned_as_given() -> None:
    gold = [10**30, 10**30 + 1, 10**30, "a", Decimal(10**30), Fraction(10**30 + 1)]
    table = karat.Table.from_labels(gold, list("xyxyxy"))
    assert table.classes == (10**30, 10**30 + 1, "a")
    assert sorted(table.top_cells(), key=str) == [("a", "y", 1), (10**30, "x", 3), (10**30 + 1, "y", 2)]
