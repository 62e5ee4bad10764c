"""One label or two: the same answer for lists, columns, sums of tables and item ids."""

from __future__ import annotations

import pickle
import subprocess
import sys
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import polars as pl
import pytest

import karat
from karat.errors import LabelError
from karat.labels.identity import label_key

BERLIN = ZoneInfo("Europe/Berlin")
SUMMER, WINTER = (datetime(2024, 10, 27, 2, 30, tzinfo=BERLIN, fold=fold) for fold in (0, 1))
NOON = datetime(2024, 1, 31, 12, tzinfo=UTC)

ONE: list[list[Any]] = [
    [1, 1.0, np.int8(1), Decimal(1), Fraction(1)],
    [0.0, -0.0, 0],
    [True, np.bool_(True)],
    [date(2024, 1, 31), np.datetime64("2024-01-31")],
    [datetime(2024, 1, 31), np.datetime64("2024-01-31T00"), np.datetime64("2024-01-31T00:00:00", "ns")],
    [datetime(2024, 1, 31), pd.Timestamp("2024-01-31")],
    [NOON, NOON.astimezone(BERLIN), pd.Timestamp(NOON), NOON.astimezone(timezone(timedelta(hours=-3)))],
    [timedelta(1), np.timedelta64(1, "D"), np.timedelta64(86400, "s"), pd.Timedelta("1D")],
    [np.timedelta64(1, "Y"), np.timedelta64(12, "M")],
    [time(1, 30), timedelta(minutes=90)],
    [(1, "a"), (1.0, "a")],
    [(NOON, 1), (NOON.astimezone(BERLIN), 1)],
]
TWO: list[tuple[Any, Any]] = [
    (1, True), (0, False), (1, "1"), ("1", "01"), ("a", b"a"), ("a", "A"), ("a", "a "), ("a", "a\0"),
    ("\u00e9", "e\u0301"), (SUMMER, WINTER), (date(2024, 1, 31), datetime(2024, 1, 31)),
    (np.datetime64(1000, "ns"), np.datetime64(1001, "ns")), (np.timedelta64(1, "ns"), np.timedelta64(2, "ns")),
    (NOON, NOON.replace(tzinfo=None)), (np.timedelta64(1, "M"), np.timedelta64(30, "D")), ((1,), (True,)),
    (((1,),), ((True,),)), (2**53, 2.0**53 + 2), (2**53 + 1, 2.0**53), (0.1, Decimal("0.1")),
    (pd.Timestamp(NOON) + pd.Timedelta(1, "ns"), pd.Timestamp(NOON)),
    (time(1, tzinfo=UTC), time(1)),
]  # fmt: skip


@pytest.mark.parametrize("labels", ONE, ids=str)
def test_labels_that_are_one(labels: list[Any]) -> None:
    assert karat.table(labels, [1] * len(labels)).shape == (1, 1)
    assert len({label_key(label) for label in labels}) == 1
    added = karat.Table.from_batches(karat.table([label], [1]) for label in labels)
    assert added.shape == (1, 1)


@pytest.mark.parametrize("labels", TWO, ids=str)
def test_labels_that_are_two(labels: tuple[Any, Any]) -> None:
    assert karat.table(list(labels), [1, 1]).shape == (2, 1)
    added = karat.table([labels[0]], [1]) + karat.table([labels[1]], [1])
    assert added.shape == (2, 1)
    items = karat.table([{labels[0]}, {labels[1]}], [{labels[1]}, {labels[0]}])
    assert items.shape == (2, 2)


@pytest.mark.parametrize("unit", ["us", "ns"])
def test_instants_in_columns_are_two_if_they_differ(unit: Any) -> None:
    step = 1 if unit == "ns" else 1000
    start = int(SUMMER.timestamp()) * 10**9
    ticks = [start, start + step, start + 3600 * 10**9, start]
    moments = pl.Series(np.array(ticks, dtype="M8[ns]")).cast(pl.Datetime(unit)).dt.replace_time_zone("UTC")
    zoned = pl.DataFrame({"gold": moments.dt.convert_time_zone("Europe/Berlin"), "pred": [1, 2, 3, 1]})
    for frame in (zoned, zoned.lazy(), zoned.to_arrow(), zoned.to_pandas()):
        table = karat.table(frame, gold="gold", pred="pred")
        assert sorted(table.class_sizes.tolist()) == [1, 1, 2]


def test_true_and_one_are_two_items() -> None:
    gold = [{True: "a", 2: "b"}, {1: "x", 2: "y"}]
    with pytest.raises(karat.LabelError, match="only gold has True, only pred has 1"):
        karat.ari(*gold)


@pytest.mark.parametrize(
    "labels",
    [
        [date(1970, 1, 1), ("date", 0)],
        [datetime(1970, 1, 1), ("time", 0)],
        [timedelta(0), ("duration", 0)],
        [True, (bool, 1)],
    ],
)
def test_no_tuple_is_the_same_label_as_a_date_a_time_or_a_boolean(labels: list[Any]) -> None:
    assert len(karat.encode(labels).coded[1]) == 2


@pytest.mark.parametrize("gap", [float("nan"), np.float64("nan"), Decimal("NaN"), np.datetime64("NaT"), pd.NaT, None])
def test_tuples_that_lack_the_same_member_are_one_label(gap: Any, tmp_path: Any) -> None:
    labels = [(float("nan"), 1), (gap, 1), (gap, 2), (type(gap)(gap) if isinstance(gap, float) else gap, 2)]
    assert karat.encode(labels).coded[0].tolist() in ([0, 0, 1, 1], [1, 1, 0, 0])


def test_durations_without_a_unit_are_nanoseconds_in_lists_as_in_arrays() -> None:
    durations = np.array([5, 6, 5], "m8")
    assert karat.ari(list(durations), durations) == 1
    assert str(karat.match(list(durations), durations))


def test_dates_far_beyond_the_calendar_stay_apart() -> None:
    keys = {label_key(np.datetime64(2**62 + step, unit)) for step in (0, 2**55, 2**61) for unit in ("Y", "M", "W", "D")}
    assert len(keys) == 12
    assert label_key(np.datetime64(2**62, "W")) != label_key(np.datetime64(-(2**62), "D"))  # 7 * 2**62 in 64 bits
    for text in ("2024-03-01", "2023-03-01", "1900-03-01", "2000-02-01", "1969-12-01", "-0004-03-01"):
        assert label_key(np.datetime64(text, "M")) == label_key(np.datetime64(text, "D")), text
    assert label_key(np.datetime64("1601", "Y")) == label_key(date(1601, 1, 1))
    assert label_key(np.datetime64("2024-01-04", "W")) == label_key(date(2024, 1, 4))


def test_results_find_their_labels_after_pickling_in_another_process(tmp_path: Path) -> None:
    groups = [True, True, 1, 1, date(2024, 1, 31), date(2024, 1, 31)]
    scores = karat.score([1, 1, 2, 2, 3, 3], [1, 1, 2, 3, 3, 3], "purity", by=groups)
    (tmp_path / "scores").write_bytes(pickle.dumps(scores))
    code = (
        "import pickle, sys, datetime; scores = pickle.load(open(sys.argv[1], 'rb')); "
        "print([scores[group]['purity'] for group in (True, 1, datetime.date(2024, 1, 31))])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "scores")], capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == "[1.0, 1.0, 1.0]", done.stderr


def test_labels_that_change_their_own_list_while_they_are_compared_are_refused() -> None:
    class Destroyer:
        def __hash__(self) -> int:
            return 1

        def __eq__(self, other: object) -> bool:
            labels.clear()
            return False

    labels = [Destroyer() for _ in range(10)]
    with pytest.raises(LabelError, match="gold cannot be read: the labels changed"):
        karat.ari(labels, range(10))
