"""Results as frames: labels are not rounded, and options of other types are refused in a sentence."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import karat

LABELS: dict[str, list[Any]] = {
    "attoseconds": [np.datetime64(1, "as"), np.datetime64(2, "as")],
    "units of seven": [np.datetime64(1, "7us"), np.datetime64(2, "7us")],
    "years": [np.timedelta64(1, "Y"), np.timedelta64(2, "Y")],
    "long beside a fraction": [2**53, 2**53 + 1, 0.5],
    "days": [np.datetime64("2024-01-31"), np.datetime64("2024-02-01")],
}


@pytest.mark.parametrize("name", LABELS)
def test_a_frame_has_as_many_labels_as_the_table(name: str) -> None:
    labels = LABELS[name]
    frame = karat.Table.from_labels(labels, list(range(len(labels)))).to_frame("pandas")
    assert len(set(frame["gold"])) == len(labels)


def test_times_of_day_of_pandas_differ_by_nanoseconds() -> None:
    times = pd.Series(pd.array([1, 1, 2, None], dtype=pd.ArrowDtype(pa.time64("ns"))))
    table = karat.Table.from_labels(times, list("xyzz"), missing="drop")
    assert table.classes == (np.timedelta64(1, "ns"), np.timedelta64(2, "ns"))
    assert table.class_sizes.tolist() == [2, 1]


SCORES = karat.score(list("aab"), [1, 1, 2], ["ari", "purity"])


@pytest.mark.parametrize("odd", [-1, 10**9, 10**30, 1.5, "x", [], np.zeros((2, 2)), pd.DataFrame({"a": [1]}), object()])
def test_options_of_printing_are_whole_numbers(odd: Any) -> None:
    for call in (SCORES.to_markdown, SCORES.to_latex, SCORES.to_json, SCORES.layout):
        with pytest.raises(karat.KaratError, match="; give a whole number from 0 to 100"):
            call(odd)  # type: ignore[operator]
    with pytest.raises(karat.KaratError, match="there is no data frame library"):
        SCORES.to_frame(odd)


@pytest.mark.parametrize("odd", [-1, 10**30, 1.5, "x", np.zeros((2, 2))])
def test_the_number_of_cells_is_a_whole_number(odd: Any) -> None:
    with pytest.raises(karat.KaratError, match="; give a whole number"):
        SCORES.table.top_cells(odd)


@pytest.mark.parametrize("other", [np.zeros(0), pd.DataFrame({"a": [1]}), Decimal("sNaN"), 0.5])
def test_what_is_added_to_a_table_is_a_table(other: Any) -> None:
    assert SCORES.table.__radd__(other) is NotImplemented
    assert sum([SCORES.table, SCORES.table]).n == 6  # type: ignore[attr-defined]


def test_messages_have_one_line_whatever_is_given() -> None:
    for odd in (np.zeros((2, 2)), pd.DataFrame({"a": [1]})):
        for call in (karat.read, karat.meta.Family, SCORES.plot):
            with pytest.raises(karat.KaratError) as raised:
                call(odd) if call is not SCORES.plot else call(ax=odd)
            assert "\n" not in str(raised.value)


@pytest.mark.parametrize("odd", [0, "x", [], "purity"])
def test_a_ranking_is_by_a_measure_that_was_scored(odd: Any) -> None:
    groups = karat.score(list("aabb"), [1, 1, 2, 1], ["ari"], by=list("xxyy"))
    with pytest.raises(karat.MeasureError, match="was not scored; scored are 'ari'"):
        groups.ranking(odd)


def test_a_page_is_saved_under_a_name() -> None:
    with pytest.raises(karat.KaratError, match="None is no path; give the name of a file"):
        karat.report(list("aab"), [1, 1, 2], ["ari"]).save(None)  # type: ignore[arg-type]
