"""Numbers beyond 64 bits as labels: the same label if they are equal, and no way to make them slow."""

from __future__ import annotations

import itertools
from decimal import Decimal
from fractions import Fraction
from typing import Any
from uuid import UUID

import numpy as np
import pytest

import karat
from karat.kernels.counting import first_seen
from karat.labels.identity import Singleton, keys_of, label_key

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


CRAFTED: dict[str, list[Any]] = {
    "tuples of -1 and -2, which have one hash": list(itertools.product((-1, -2), repeat=9)),
    "tuples in tuples": [(("x", pair),) for pair in itertools.product((-1, -2), repeat=9)],
    "complex numbers": [complex(-1000003 * i, i) for i in range(1, 501)],
    "UUIDs": [UUID(int=i * PRIME) for i in range(1, 501)],
    "decimals of many digits": [Decimal(i * PRIME).scaleb(6000) for i in range(10**9, 10**9 + 500)],
    "singletons": [Singleton(pair) for pair in itertools.product((-1, -2), repeat=9)],
}


@pytest.mark.parametrize("labels", CRAFTED.values(), ids=list(CRAFTED))
def test_labels_chosen_to_have_one_hash_have_keys_of_many(labels: list[Any]) -> None:
    members = [label.item if isinstance(label, Singleton) else label for label in labels]
    assert len(set(map(hash, members))) == 1
    assert len({hash(label_key(label)) for label in labels}) > 490


def test_integers_chosen_to_share_a_slot_are_numbered_in_linear_time() -> None:
    """With a fixed multiplier as hash, these took an hour; the codes do not depend on the hash."""
    inverse = pow(0x9E3779B97F4A7C15, -1, 1 << 64)
    values = np.arange(1_000_000, dtype=np.uint64) * np.uint64(inverse)
    codes, distinct = first_seen(values)
    assert np.array_equal(codes, np.arange(values.size))
    assert np.array_equal(distinct, values)


MEMBERS: list[tuple[Any, Any, bool]] = [
    ((1, "a"), (1.0, "a"), True), ((1,), (True,), False), (("1",), (1,), False), (("a,b",), ("a", "b"), False),
    (("'",), ('"',), False), ((("a",), "b"), ("a", ("b",)), False), ((None,), (float("nan"),), True),
    ((1 + 0j,), (1,), True), ((1 + 2j,), ("(1+2j)",), False), ((b"a",), ("a",), False), (("b'a'",), (b"a",), False),
    ((Decimal("0.5"),), (0.5,), True), ((Fraction(1, 3),), (1 / 3,), False), ((2**64,), (2.0**64,), True),
    ((2**64 + 1,), (2.0**64,), False), ((np.float32(0.5), np.str_("a")), (0.5, "a"), True), ((), ((),), False),
    (frozenset({1, "a"}), frozenset({"a", 1.0}), True), (frozenset({1}), (1,), False), (("!(True,)",), (True,), False),
    ((0.0,), (-0.0,), True), ((float("inf"),), ("inf",), False), (1 + 0j, 1.0, True), (2j, complex(-0.0, 2), True),
]  # fmt: skip


@pytest.mark.parametrize(("one", "other", "same"), MEMBERS)
def test_tuples_are_the_same_label_if_their_members_are(one: Any, other: Any, same: bool) -> None:
    assert (label_key(one) == label_key(other)) is same
    assert karat.table([one, other, "text"], [1, 1, 1]).shape == (2 if same else 3, 1)  # sets alone would be clusters


def test_tables_are_compared_cell_by_cell_in_any_order() -> None:
    gold, pred = [(1, 2), "a", 1, "a", 1], [1, True, 1, 1, 2.5]
    table = karat.table(gold, pred)
    assert table == karat.table(gold[::-1], pred[::-1])
    assert table != karat.table(gold, [1, 1, 1, 1, 2.5])
    assert table != karat.table(gold * 2, pred * 2)
    assert table != karat.table(gold, pred, weights=[1, 1, 1, 1, 1.5])
    assert karat.table(["a", "b"], [1, 2]) != karat.table(["a", "b"], [2, 1])
