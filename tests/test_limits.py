"""What one request may ask for."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

import karat

HOSTILE = {
    "spaces": " " * 20_000,
    "spaces inside": "ari" + " " * 20_000 + "x",
    "brackets": "(" * 100_000,
    "commas": "ari(" + "," * 100_000 + ")",
    "a long name": "a" * 700_000,
    "parameters": f"v_measure({'beta=1,' * 50_000})",
    "balanced": "ari(" + "(" * 50_000 + ")" * 50_000 + ")",
    "nested": "adjusted(" * 6 + "purity" + ")" * 6,
    "a path": "./" + "a/" * 50_000 + "x.py:f",
    "short commas": "ari(" + "," * 900 + ")",
    "short spaces": " " * 1_900 + "(",
    "twice": "v_measure(beta=1,beta=1)",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=list(HOSTILE))
def test_hostile_texts_are_refused_at_once_and_briefly(text: str) -> None:
    start = time.perf_counter()
    with pytest.raises(karat.MeasureError) as told:
        karat.parse(text)
    assert len(str(told.value)) < 300
    assert time.perf_counter() - start < 2


@pytest.mark.parametrize(
    "ask",
    [
        lambda: karat.score([0, 1], [0, 1], ["purity"], interval=0.95, resamples=10**12),
        lambda: karat.compare([0, 1], {"a": [0, 1], "b": [0, 0]}, ["purity"], resamples=10**7),
        lambda: karat.relate(karat.Table.from_matrix([[1, 2], [3, 4]]), resamples=10**12),
        lambda: karat.adjusted("purity", samples=10**13)([0, 1, 1], [0, 1, 0]),
        lambda: karat.score([0, 1, 1], [0, 1, 0], "standardized(purity, samples=10000000000000)"),
        lambda: karat.score([0, 1, 1], [0, 1, 0], "adjusted(adjusted(adjusted(purity)))"),
        lambda: karat.p_value([0, 1], [0, 1], "purity", samples=10**9),
        lambda: karat.p_value([0, 1, 1], [0, 1, 0], "adjusted(adjusted(purity))"),
        lambda: karat.parse("adjusted(adjusted(adjusted(purity)))").error(karat.Table.from_matrix([[1, 2], [3, 4]])),
        lambda: karat.score([0, 1, 1], [0, 1, 0], "adjusted(purity, samples=9999)", interval=0.9),
    ],
)
def test_more_draws_than_anybody_waits_for_are_refused(ask: Callable[[], Any]) -> None:
    with pytest.raises(karat.KaratError, match=r"but 1,000,000 is the most \(.*\); give fewer"):
        ask()


def test_more_backgrounds_than_anybody_waits_for_are_refused() -> None:
    with pytest.raises(karat.KaratError, match=r"but 100,000 is the most \(.*\); give fewer tries"):
        karat.audit("ari", tries=10**12)


@pytest.mark.parametrize(
    ("ask", "most"),
    [
        (lambda: karat.score([0, 1], {f"s{i}": [0, 1] for i in range(100_001)}, "ari"), "100,000"),
        (lambda: karat.compare([0, 1], {f"s{i}": [0, 1] for i in range(1001)}, "ari"), "1,000"),
        (lambda: karat.agreement({f"s{i}": [0, 1] for i in range(1001)}, "ari"), "1,000"),
    ],
)
def test_more_systems_than_anybody_waits_for_are_refused(ask: Callable[[], Any], most: str) -> None:
    with pytest.raises(karat.KaratError, match=rf"01 systems.*, but {most} is the most \(.*\); "):
        ask()
