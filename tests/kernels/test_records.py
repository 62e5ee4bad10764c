"""Delimited text that is not unusual: the csv module finds records of equal length in it, and no stray quotes."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.kernels.records import ends_well, new_scan, scan_records


def is_usual(*parts: str, delimiter: str = ",") -> bool:
    state = new_scan()
    for part in parts:
        scan_records(part.encode(), ord(delimiter), state)
    return ends_well(state)


@pytest.mark.parametrize(
    "text",
    ["", "a,b\nc,d", "a,b\nc,d\n", "a,b\r\nc,d\r\n", "\n\na,b\n\nc,d\n",
     '"a","b"\n"c,""\n",d\n', 'a"b,c\nd,e"\n', "a\nb\n",
     " a , b \nc,d\n", ",\n,\n", "a,b\rc,d\r"],
)  # fmt: skip
def test_usual_text(text: str) -> None:
    assert is_usual(text)
    assert is_usual(*text)  # also if it comes byte by byte


@pytest.mark.parametrize(
    "text",
    ['a, "b"\nc,d\n', '"a" ,b\nc,d\n', '"a"b,c\n', "a,b\nc\n", "a,b\nc,d,\n", '"a,b\nc,d\n',
     'a,b\n\t"c",d\n', "a\nb,\n", "a,b\nc"],
)  # fmt: skip
def test_unusual_text(text: str) -> None:
    assert not is_usual(text)


@given(st.text('a", \n', max_size=12))
def test_usual_text_has_records_of_equal_length(text: str) -> None:
    if not is_usual(text):
        return
    rows = [row for row in csv.reader(io.StringIO(text, newline=""), strict=True) if row]
    assert len({len(row) for row in rows}) <= 1
