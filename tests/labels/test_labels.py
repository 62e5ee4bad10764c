"""What counts as labels, and when two labels are one."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import karat
from karat.labels.encoding import to_labels

WORDS = ["b", "a", "b", "c"]
NUMBERS = [20, 10, 20, 30]
DATES = [
    np.datetime64("2024-02-01"),
    np.datetime64("2024-01-01"),
    np.datetime64("2024-02-01"),
    np.datetime64("2024-03-01"),
]

KINDS: dict[str, Any] = {
    "list": WORDS,
    "tuple": tuple(WORDS),
    "generator": lambda: (w for w in WORDS),
    "iterator": lambda: iter(WORDS),
    "numpy text": np.array(WORDS),
    "numpy bytes": np.array(WORDS, dtype="S"),
    "numpy objects": np.array(WORDS, dtype=object),
    "numpy dates": np.array(DATES),
    "numpy complex": np.array(NUMBERS, dtype=complex),
    **{f"numpy {t}": np.array(NUMBERS, dtype=t) for t in ("int8", "uint8", "int64", "uint64", "float16", "float64")},
    "numpy durations": np.array(NUMBERS, dtype="m8[s]"),
    "list of durations": list(np.array(NUMBERS, dtype="m8[s]")),
    "numpy long floats": np.array(NUMBERS, dtype=np.longdouble) / 3,
    "numpy durations without a unit": np.array(NUMBERS, dtype="m8"),
    "wide integers": np.array(NUMBERS, dtype=np.int64) * 10**15,
    "very wide integers": np.array([2**63, 0, 2**63, 2**64 - 1], dtype=np.uint64),
    "extreme int8": np.array([100, -128, 100, 127], dtype=np.int8),
    "masked array": np.ma.MaskedArray(NUMBERS),
    "pandas": pd.Series(WORDS),
    "pandas category": pd.Series(WORDS, dtype="category"),
    "pandas Int64": pd.Series(NUMBERS, dtype="Int64"),
    "pandas dates": pd.Series(pd.to_datetime(["2024-02-01", "2024-01-01", "2024-02-01", "2024-03-01"])),
    "pandas index": pd.Index(WORDS),
    "pandas Categorical": pd.Categorical(WORDS),
    "pandas Arrow dictionary": pd.Series(WORDS, dtype=pd.ArrowDtype(pa.dictionary(pa.int32(), pa.string()))),
    "pandas string": pd.Series(WORDS, dtype="string[pyarrow]"),
    "polars": pl.Series(WORDS),
    "polars category": pl.Series(WORDS, dtype=pl.Categorical),
    "polars Enum": pl.Series(WORDS, dtype=pl.Enum(["a", "b", "c", "unused"])),
    "polars nanoseconds": pl.Series(NUMBERS).cast(pl.Datetime("ns")),
    "polars durations": pl.Series(NUMBERS).cast(pl.Duration("ns")),
    "polars times": pl.Series(NUMBERS).cast(pl.Time),
    "arrow times": pa.array(NUMBERS).cast(pa.time64("ns")),
    "pandas nanoseconds": pd.Series([pd.Timestamp("2000-01-01", tz="UTC") + pd.Timedelta(x) for x in NUMBERS]),
    "polars integers": pl.Series(NUMBERS, dtype=pl.UInt8),
    "arrow": pa.array(WORDS),
    "arrow dictionary": pa.array(WORDS).dictionary_encode(),
    "arrow dictionary with doubles": pa.DictionaryArray.from_arrays(pa.array([1, 2, 0, 3]), pa.array([*"bbac"])),
    "arrow views": pa.array(WORDS, type=pa.string_view()),
    "arrow chunks": pa.chunked_array([WORDS[:1], WORDS[1:]]),
    "arrow chunks with different dictionaries": pa.chunked_array(
        [pa.array(WORDS[:1]).dictionary_encode(), pa.array(WORDS[1:]).dictionary_encode()]
    ),
    "arrow integers": pa.array(NUMBERS, type=pa.int16()),
    "Decimal": [Decimal(x) for x in NUMBERS],
    "Fraction": [Fraction(x, 3) for x in NUMBERS],
    "tuples": [(w, 1) for w in WORDS],
    "dates": [dt.date(2024, 2, 1), dt.date(2024, 1, 1), dt.date(2024, 2, 1), dt.date(2024, 3, 1)],
    "range": lambda: (x for x in NUMBERS),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_labels_gives_the_same_codes(kind: str) -> None:
    labels = KINDS[kind]() if callable(KINDS[kind]) else KINDS[kind]
    codes, names = to_labels(labels, "gold").coded
    assert codes.tolist() == [1, 0, 1, 2]
    assert len(names) == 3


MISSING: dict[str, Any] = {
    "None": ["a", None, "b"],
    "NaN": [1.0, float("nan"), 2.0],
    "pandas NA in a list": ["a", pd.NA, "b"],
    "Decimal NaN": [Decimal(1), Decimal("NaN"), Decimal(2)],
    "numpy NaN": np.array([1.0, np.nan, 2.0]),
    "numpy NaT": np.array(["2024-01-01", "NaT", "2024-01-02"], dtype="datetime64[D]"),
    "numpy objects": np.array(["a", None, "b"], dtype=object),
    "masked": np.ma.MaskedArray([1, 99, 2], mask=[False, True, False]),
    "pandas object": pd.Series(["a", None, "b"], dtype=object),
    "pandas string": pd.Series(["a", None, "b"], dtype="string"),
    "pandas category": pd.Series(["a", None, "b"], dtype="category"),
    "pandas Int64": pd.Series([1, None, 2], dtype="Int64"),
    "pandas boolean": pd.Series([True, None, False], dtype="boolean"),
    "pandas dates": pd.Series(pd.to_datetime(["2024-01-01", None, "2024-01-02"])),
    "polars": pl.Series(["a", None, "b"]),
    "polars times": pl.Series([1, None, 2]).cast(pl.Time),
    "arrow times": pa.array([1, None, 2]).cast(pa.time64("us")),
    "polars integers": pl.Series([2**62, None, 2**62 + 1]),
    "polars NaN": pl.Series([1.0, float("nan"), 2.0]),
    "arrow": pa.array([1, None, 2]),
}


@pytest.mark.parametrize("kind", MISSING)
def test_missing_labels_are_refused_with_their_positions_or_follow_a_policy(kind: str) -> None:
    with pytest.raises(karat.LabelError, match=r"gold has 1 missing label, at (position|item) 1; say missing="):
        karat.ari(MISSING[kind], [0, 1, 2])
    assert karat.score(MISSING[kind], [0, 1, 2], "ari", missing="drop").n == 2
    assert karat.Table.from_labels(MISSING[kind], [0, 1, 2], missing="cluster").shape == (3, 3)


def test_large_integers_beside_a_missing_one_stay_apart() -> None:
    table = karat.Table.from_labels(pl.Series([2**62, None, 2**62 + 1]), [0, 0, 1], missing="drop")
    assert table.classes == (2**62, 2**62 + 1)


@pytest.mark.parametrize(
    ("labels", "classes"),
    [
        ([1, "1"], 2),
        ([1, 1.0], 1),
        ([1, True], 2),
        ([0, False, 0.0], 2),
        ([True, False, True], 2),
        (["a", b"a"], 2),
        ([np.int64(1), 1, np.float32(1)], 1),
        ([np.str_("a"), "a"], 1),
        ([np.bool_(True), True, 1], 2),
        ([Decimal(1), 1, Fraction(1)], 1),
        ([0.0, -0.0], 1),
        (["001", "1"], 2),
        (["\u00e9", "e\u0301"], 2),
        ([(1, "a"), (1.0, "a")], 1),
    ],
)
def test_labels_are_one_if_equal_and_of_one_kind(labels: list[Any], classes: int) -> None:
    assert karat.Table.from_labels(labels, [0] * len(labels)).shape[0] == classes


def test_names_come_back_as_plain_python_values() -> None:
    table = karat.Table.from_labels(np.array([2, 1], dtype=np.int8), np.array(["x", "y"]))
    assert [type(x) for x in (*table.classes, *table.clusters)] == [int, int, str, str]


def test_sets_of_items_are_clusters() -> None:
    gold, pred = [{"a", "b"}, {"c"}], [frozenset("c"), frozenset("ba")]
    assert karat.ari(gold, pred) == 1
    assert karat.ari({"x": {"a", "b"}, "y": {"c"}}, {"a": 0, "b": 0, "c": 1}) == 1
    with pytest.raises(karat.LabelError, match="gold has item 'b' in cluster 0 and in cluster 1"):
        karat.ari([{"a", "b"}, {"b"}], pred)


@given(st.lists(st.one_of(st.integers(), st.text(max_size=2), st.booleans(), st.floats(allow_nan=False)), min_size=1))
def test_codes_follow_the_rule_whatever_the_labels(labels: list[Any]) -> None:
    codes = to_labels(labels, "gold").coded[0].tolist()

    def kind(x: Any) -> str:
        return "text" if isinstance(x, str) else "truth" if isinstance(x, bool) else "number"

    for i, x in enumerate(labels):
        for j, y in enumerate(labels[:i]):
            assert (codes[i] == codes[j]) == (x == y and kind(x) == kind(y))


@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1))
def test_arrays_and_lists_of_integers_give_the_same_codes(values: list[int]) -> None:
    assert to_labels(np.array(values), "gold").coded[0].tolist() == to_labels(values, "gold").coded[0].tolist()


def test_arrow_nulls_and_wide_integers_are_read_right() -> None:
    assert karat.Table.from_labels(list(pa.array([1, None, 1])), [0, 0, 0], missing="drop").n == 2
    assert to_labels(pl.Series([2**100, 1, 2**100], dtype=pl.Int128), "gold").coded[0].tolist() == [1, 0, 1]
    assert karat.Table.from_labels([np.timedelta64(1, "ns"), 1], [0, 0]).shape == (2, 1)


def test_the_order_of_classes_does_not_depend_on_the_order_of_items() -> None:
    for labels in ([1, Decimal(1), "a", Fraction(1, 2)], [Fraction(1, 2), Decimal(1), 1, "a"]):
        assert karat.Table.from_labels(labels, labels).classes == (Fraction(1, 2), 1, "a")


class Tensor:
    """Anything with __array__, such as a tensor of another library."""

    def __init__(self, values: list[int]) -> None:
        self.values = values

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray[Any, Any]:
        return np.array(self.values, dtype=dtype)


def test_tensors_are_read_as_arrays() -> None:
    assert karat.ari(Tensor([0, 0, 1]), Tensor([1, 1, 0])) == 1


BAD: dict[str, tuple[Any, str]] = {
    "nothing": ([], "gold is empty; give one label per item."),
    "an empty array": (np.array([]), "gold is empty; give one label per item."),
    "text": ("gold.csv", "gold is the text 'gold.csv', not labels; give a list of labels, or read the file first."),
    "bytes": (b"abc", "gold is the text b'abc', not labels; give a list of labels, or read the file first."),
    "a number": (5, "gold is 5, not labels; give a list, an array, a Series or a dict of item to label."),
    "None": (None, "gold is None, not labels; give a list, an array, a Series or a dict of item to label."),
    "a set": ({1, 2, 3}, "gold is a set, which has no order; give a list of labels, or a list of sets of items."),
    "three dimensions": (np.zeros((2, 2, 2)), "gold has shape (2, 2, 2); give one label per item, in one dimension."),
    "no dimension": (np.array(3), "gold has shape (); give one label per item, in one dimension."),
    "a column": (np.zeros((3, 1)), "gold has shape (3, 1); give one label per item, in one dimension."),
    "a frame": (pd.DataFrame({"a": [1], "b": [2]}), "gold is a table with columns 'a', 'b'; give one of its columns."),
    "lists": (
        [["a", "b"], ["c"]],
        "gold names its items but pred does not; give both as dicts, sets or Series, or neither.",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_not_labels_is_refused_in_one_sentence(case: str) -> None:
    labels, message = BAD[case]
    with pytest.raises(karat.LabelError) as caught:
        karat.ari(labels, [0, 1, 2])
    assert str(caught.value) == message


def test_encoded_labels_cannot_be_changed() -> None:
    encoded = karat.encode(["a", "b", None])
    assert repr(encoded) == "<Labels: 3 items>"
    with pytest.raises(ValueError, match="read-only"):
        encoded.values[0] = 7
    assert karat.ari(encoded, [1, 2, 3], missing="drop") == 1
    assert karat.ari(np.array([0, 2, 2, 0], dtype=np.uint8).view(bool), [1, 2, 2, 1]) == 1


def test_nanoseconds_survive_adding_tables() -> None:
    gold = pd.Series([pd.Timestamp("2000-01-01", tz="UTC") + pd.Timedelta(i % 2) for i in range(6)])
    table = karat.Table.from_labels(gold, [0, 1] * 3)
    assert karat.ari(table) == karat.ari(table + table) == 1


class Document:
    """Compared by identity, as objects are."""


class Coded:
    """Compared by what it holds."""

    def __init__(self, code: int) -> None:
        self.code = code

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Coded) and other.code == self.code

    def __hash__(self) -> int:
        return hash(self.code)


class Colour(Enum):
    RED = 1
    BLUE = 2


DOORS_OF_OBJECTS = [
    lambda labels: karat.ari([0] * len(labels), labels),
    lambda labels: karat.ari(labels, [0] * len(labels)),
    lambda labels: karat.ari(dict(enumerate(labels)), dict.fromkeys(range(len(labels)), 0)),
    lambda labels: karat.score(pd.Series(labels, dtype=object), [0] * len(labels)),
    lambda labels: karat.score(np.array(labels, dtype=object), [0] * len(labels)),
    lambda labels: karat.encode(labels),
    lambda labels: karat.sklearn.adjusted_rand_score(labels, [0] * len(labels)),
    lambda labels: karat.compare([0] * len(labels), {"a": labels, "b": labels}),
]


@pytest.mark.parametrize("door", DOORS_OF_OBJECTS, ids=range(len(DOORS_OF_OBJECTS)))
def test_objects_that_equal_nothing_but_themselves_are_refused(door: Callable[[list[Any]], Any]) -> None:
    with pytest.raises(karat.LabelError, match=r"Document .* at position 0, which equals nothing but itself"):
        door([Document(), Document(), Document()])
    with pytest.raises(karat.LabelError, match=r"object .* at position 1, which equals nothing but itself"):
        door(["a", object(), "a"])


def test_objects_that_are_compared_by_what_they_hold_are_labels() -> None:
    assert karat.ari([Coded(1), Coded(1), Coded(2)], ["a", "a", "b"]) == 1
    assert karat.ari([Colour.RED, Colour.RED, Colour.BLUE], [int, int, str]) == 1
    assert karat.ari([(1, "a"), (1, "a"), (2, "b")], [Decimal("1.5"), Decimal("1.50"), Decimal(2)]) == 1


def test_items_that_equal_nothing_but_themselves_are_refused() -> None:
    with pytest.raises(karat.LabelError, match="equals nothing but itself"):
        karat.ari({Document(): 1, Document(): 2}, {"a": 1, "b": 2})
    with pytest.raises(karat.LabelError, match="equals nothing but itself"):
        karat.ari([{Document()}, {Document()}], {"a": 1, "b": 2})


def test_arrays_of_no_dimensions_are_the_numbers_they_hold() -> None:
    scalars = [np.array(label) for label in (3, 3, 5)]
    assert karat.encode(scalars).names == [3, 5]
    assert karat.ari(scalars, ["a", "a", "b"]) == 1
    assert karat.ari(["a", "a", "b"], [1, 1, 0], noise=np.array(0), noise_as="cluster") == 1


def test_a_list_of_arrays_names_what_joins_them() -> None:
    for labels in ([np.array([1, 2]), np.array([3])], [np.array([1]), np.array([3])], [np.zeros((2, 2))] * 2):
        with pytest.raises(karat.LabelError, match=r"several labels; join such batches with concatenate .*set\(c\)"):
            karat.ari([0, 1], labels)


class Hashed:
    """Compared by identity, though it has a hash of its own."""

    def __hash__(self) -> int:
        return 1


@pytest.mark.parametrize(
    "labels",
    [[Hashed(), Hashed()], [lambda: 0, lambda: 0], [iter("a"), iter("a")], [(1, Document()), (1, Document())],
     [frozenset([Document()]), "a"]],
    ids=["hash", "functions", "iterators", "in tuples", "in sets"],
)  # fmt: skip
def test_identity_is_found_wherever_it_hides(labels: list[Any]) -> None:
    with pytest.raises(karat.LabelError, match="equals nothing but itself"):
        karat.ari(labels, [0, 1])


def test_members_of_tuples_are_compared_by_what_they_hold() -> None:
    pairs = [(np.array(1), "a"), (np.array(1), "a"), (np.array(2), "a")]
    assert karat.ari(pairs, [0, 0, 1]) == 1
    assert karat.encode(pairs).names == [(1, "a"), (2, "a")]


def test_masked_scalars_are_missing_labels_and_no_weights() -> None:
    masked = list(np.ma.array([0, 0, 1, 1, 0, 0], mask=[0, 0, 0, 0, 1, 1]))
    gold = [0, 0, 1, 1, 0, 1]
    with pytest.raises(karat.LabelError, match="2 missing labels"):
        karat.ari(gold, masked)
    assert karat.score(gold, masked, ["ari"], missing="drop").n == 4
    assert karat.ari(dict(enumerate(gold)), dict(enumerate(masked)), missing="drop") == 1
    with pytest.raises(karat.LabelError, match="masked"):
        karat.vi([0, 1], [0, 1], weights=masked[3:5])


@dataclass(frozen=True)
class Shaped:
    shape: str


class Sized(NamedTuple):
    shape: int


class Form(Enum):
    shape = 1
    other = 2


@pytest.mark.parametrize("make", [Shaped, Sized, lambda n: Form(n)], ids=["dataclass", "named tuple", "enum"])
def test_labels_may_have_an_attribute_called_shape(make: Callable[[int], Any]) -> None:
    assert karat.ari([make(1), make(1), make(2)], ["a", "a", "b"]) == 1


@pytest.mark.parametrize("dtype", ["object", "string", "string[python]"])
def test_text_of_pandas_is_compared_beyond_a_nul_character(dtype: Any) -> None:
    labels = ["a", "a\0", "a\0b", None, "a\0"]
    table = karat.Table.from_labels(pd.Series(labels, dtype=dtype), [1, 2, 3, 4, 2], missing="drop")
    assert (table.classes, karat.ari(table)) == (("a", "a\0", "a\0b"), 1)
