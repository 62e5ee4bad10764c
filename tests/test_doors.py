"""One number for one set of labels, whatever the way in."""

from __future__ import annotations

from pathlib import Path

import pytest

import karat
from doors import DOORS, GAPS, NOISE, PLAIN, WEIGHTS, Case, Door, every_door, variants
from shared import THOROUGH


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
