"""No number has changed since 0.1.0, but those that were wrong."""

from __future__ import annotations

import pytest

import karat
import record
from shared import THOROUGH


@pytest.mark.parametrize("section", [name for name in record.SECTIONS if THOROUGH or name != "ways in"])
def test_numbers_are_those_of_the_record(section: str) -> None:
    assert not record.changes(section)


def test_a_changed_formula_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(karat.Measure, "__call__", lambda self, *labels, **options: 0.5)
    changed = record.changes("measures")
    assert len(changed) > 2000


def test_every_known_fault_is_in_the_record_and_has_a_reason() -> None:
    for fault in record.faults():
        assert set(fault) == {"why", "mended", "right"}
        assert len(fault["why"]) > 20
        assert fault["right"]
        for section, right in fault["right"].items():
            values = record.values(section)
            assert all(not record.alike(values[key], value) for key, value in right.items())
