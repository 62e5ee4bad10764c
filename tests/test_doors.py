"""One number for one set of labels, whatever the way in."""

from __future__ import annotations

from pathlib import Path

import pytest

import karat
from doors import DOORS, Case, Door, every_door, variants
from shared import THOROUGH

PLAIN = [
    Case(["a", "a", "a", "b", "b", "c", "c", "c", "c"], ["x", "x", "y", "y", "y", "z", "z", "x", "w"]),
    Case([1, 1, 1, 2, 2, 3, 3, -4, 2**30], [0, 0, 1, 1, 1, 2, 2, 0, 3]),
    Case([1.5, 1.5, 2.0, 2.0, 0.25], [1.0, 1.0, 1.0, -2.5, -2.5]),
    Case([True, True, False, False, True], [False, False, True, True, True]),
    Case(["b", "a", "c", "c", "c"], ["x", "x", "x", "x", "x"]),
    Case(["only"], ["one"]),
    Case(["it's", 'q"q', "a,b", "; DROP TABLE t", "ü", "日本", "it's"], ["x y", "x y", "1", "01", "1.0", "NA", "NA"]),
    Case([1, 1, "1", "1", True, True], ["a", "a", "a", 0, 0, False]),
]
GAPS = [
    Case(["a", None, "a", "b", "b", None, "c", "c"], ["x", "x", None, "y", "y", None, "y", "z"]),
    Case([1, 1, 2, None, 2, 3], [0, 0, 1, 1, None, 1]),
]
NOISE = [
    Case(["a", "a", "b", "b", "b", "c"], [0, -1, 1, 1, -1, -1], noise=-1),
    Case(["a", "a", "b", "b", "b", "c"], ["x", "noise", "y", "y", "noise", "noise"], noise="noise"),
    Case(["a", None, "b", "b", "b", "c"], [0, -1, 1, 1, -1, -1], noise=-1),
    Case(["a", None, None, None, "b", "b", "a"], [1, -1, -1, -1, -1, 1, 1], noise=-1),
]
WEIGHTS = [
    Case(["a", "a", "b", "b", "c"], ["x", "x", "x", "y", "y"], weights=[1, 2, 0, 5, 1]),
    Case(["a", "a", "b", "b", "c"], [1, 1, 1, 2, 2], weights=[0.5, 2.25, 1.0, 5.0, 0.125], measures=("vi", "purity")),
]


def check_all(door: Door, cases: list[Case], folder: Path) -> None:
    """All cases that fit through a door under all policies; in the README's test command some of them."""
    tried = door.fitting(variant for case in cases for variant in variants(case))
    for case in tried if THOROUGH else tried[:4]:
        door.check(case, folder)


@every_door(PLAIN)
def test_the_score_is_the_same_whatever_the_way_in(door: Door, tmp_path: Path) -> None:
    check_all(door, PLAIN, tmp_path)


@every_door(GAPS)
def test_missing_labels_are_treated_alike_whatever_the_way_in(door: Door, tmp_path: Path) -> None:
    check_all(door, GAPS, tmp_path)


@every_door(NOISE)
def test_noise_is_treated_alike_whatever_the_way_in(door: Door, tmp_path: Path) -> None:
    check_all(door, NOISE, tmp_path)


@every_door(WEIGHTS)
def test_weights_count_alike_whatever_the_way_in(door: Door, tmp_path: Path) -> None:
    check_all(door, WEIGHTS, tmp_path)


def test_a_door_that_changes_a_label_is_found(tmp_path: Path) -> None:
    broken = Door("broken", lambda case, _: karat.score(["?", *case.gold[1:]], list(case.pred)), lambda case: True)
    with pytest.raises(AssertionError, match="broken"):
        broken.check(PLAIN[0], tmp_path)


def test_every_case_fits_through_some_door_and_every_door_takes_some_case() -> None:
    cases = [*PLAIN, *GAPS, *NOISE, *WEIGHTS]
    assert all(any(door.carries(variant) for door in DOORS) for case in cases for variant in variants(case))
    assert all(door.fitting(cases) for door in DOORS)
    assert len({door.name for door in DOORS}) == len(DOORS)
