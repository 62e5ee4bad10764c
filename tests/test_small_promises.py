"""Promises that no other test would miss: each was found by breaking one thing in a room on purpose."""

from __future__ import annotations

import asyncio
import io
import math
import pickle
import subprocess
import sys
from collections.abc import AsyncIterator, Iterable
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import product
from pathlib import Path
from statistics import correlation
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pytest
from rich.progress import Progress

import karat
from app_server import body_of
from karat.chance.draws import Draws
from karat.chance.moments import Moments
from karat.chance.nulls import Model
from karat.machine.caches import cache_path
from karat.measures.cards import card
from karat.measures.pair_counts import Pairs
from karat.measures.registry import measure as declared
from karat.meta.audit import judge
from karat.meta.properties import PROPERTIES
from karat.output import bars
from karat.output.bars import bar
from karat.output.frames import frame
from karat.output.layout import grid, width
from karat.papers.corpora.prosody import Contour, _voices
from karat.papers.sweeps import Curve, falls_faster
from karat.papers.synth import DocumentModel
from karat.reports.app.serving import _received
from karat.reports.app.workers import RefusedError
from karat.scoring.boards import Board
from karat.tables.stack import Stack


def test_all_parts_of_a_wide_table_fit_the_terminal() -> None:
    for columns in range(7, 30):
        text = grid(["a", "bbbb", "cccc", "dddd", "eeee"], [["x"] * 5], columns)
        assert all(width(line) <= columns for line in text.split("\n"))


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_bar_goes_on_where_work_was_left_and_is_not_drawn_for_none(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = []
    update = Progress.update
    monkeypatch.setattr(bars, "PATIENCE", -1)
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setattr(
        Progress,
        "update",
        lambda self, task, *, completed: shown.append(completed) or update(self, task, completed=completed),
    )
    with bar("work", 10, done=4) as advance:
        advance()
        with bar("work within work", 3) as advance_within:
            advance_within()
    with bar("work", 10, done=10) as advance:
        advance()
    assert shown == [5]


def test_quick_work_has_no_bar_and_a_closed_standard_error_is_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    for stream in (Terminal(), None):
        monkeypatch.setattr(sys, "stderr", stream)
        with bar("work", 10) as advance:
            advance()
        assert stream is None or stream.getvalue() == ""
        bars.say("a note")


def test_an_empty_setting_of_the_cache_means_the_default(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", "")
    assert cache_path("data") == str(tmp_path / ".cache" / "karat" / "data")


def test_products_keep_the_items_of_all_labelings() -> None:
    gold = karat.cross({"a": 1, "b": 2}, pd.Series([1, 2], index=["a", "b"]))
    with pytest.raises(karat.LabelError, match="names its items"):
        karat.ari(gold, [1, 2])
    gold = karat.cross({"a": 1, "b": 2}, {"b": 1, "c": 2})
    assert list(gold.items) == ["a", "b", "c"]
    assert gold.values.tolist() == [-1, 0, -1]


def test_huge_and_tiny_cells_lose_no_digit() -> None:
    cells = [[2**61, 1], [3, 2**60]]
    with localcontext(prec=80):  # digits

        def xlogx(values: Iterable[int]) -> Decimal:
            return sum((Decimal(x) * Decimal(x).ln() for x in values), Decimal(0))

        rows, cols = map(sum, cells), map(sum, zip(*cells, strict=True))
        right = float((xlogx(rows) + xlogx(cols) - 2 * xlogx(x for row in cells for x in row)) / sum(map(sum, cells)))
    assert abs(karat.vi(karat.Table.from_matrix(cells)) - right) <= math.ulp(right)


def test_a_library_that_is_loaded_is_preferred_and_long_integers_become_text() -> None:
    code = "import polars, karat; print(type(karat.Table.from_labels([1, 2], [1, 2]).to_frame()).__module__)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.startswith("polars")
    assert frame({"x": [1 << 63, -1]}, "polars")["x"].to_list() == [str(1 << 63), "-1"]


def test_subtracting_takes_away_what_was_missing_and_noise() -> None:
    a = karat.Table.from_labels([1, None, 2], [1, 1, -1], missing="drop", noise=-1, noise_as="drop")
    b = karat.Table.from_labels([1, None, 2], [1, 1, -1], missing="drop", noise=-1, noise_as="drop")
    assert ((a + b) - b).policy == a.policy


def test_tails_of_mirrored_distributions_add_up() -> None:
    mean, variance = Fraction(10), Fraction(25)
    for skewness in (0.0, 0.3, 1.0):
        up, down = Moments(mean, variance, skewness), Moments(mean, variance, -skewness)
        for k in (-3, 0, 4):  # 10 + k or more of one is 10 - k or less of its mirror
            assert math.isclose(up.upper_tail(mean + k), 1 - down.upper_tail(mean - k + 1), rel_tol=1e-9)


def test_a_truth_value_is_no_number() -> None:
    with pytest.raises(karat.MeasureError, match="beta=True"):
        karat.v_measure(beta=True)


def test_a_value_far_beyond_its_bounds_is_left_to_be_seen() -> None:
    odd = karat.wrap(lambda gold, pred: 2.0, name="odd", bounds=(0, 1))
    assert odd.of(Stack([[[1, 1], [0, 1]]])).tolist() == [2.0] == [odd([0, 0, 1], [0, 1, 1])]


def test_a_wrapped_function_keeps_its_promises_when_pickled() -> None:
    made = karat.wrap(correlation, name="x", bounds=(-1, 1), better="lower")
    again = pickle.loads(pickle.dumps(made))
    assert again == made
    assert again.bounds == (-1, 1)


def test_gold_varies_too_if_both_sides_are_drawn() -> None:
    gold, pred = [0, 0, 0, 1, 1, 1], [0] * 6
    two = [c for c in product([0, 1], repeat=6) if len(set(c)) == 2]  # each partition into two, twice
    mean = sum(karat.rand(c, pred) for c in two) / len(two)
    found = karat.adjusted("rand", null="number", sides=2)(gold, pred)
    assert math.isclose(found, (karat.rand(gold, pred) - mean) / (1 - mean))


def test_what_was_seen_counts_in_both_tails() -> None:

    @declared(title="t", better="lower")
    def together(pairs: Pairs) -> Any:
        return pairs.both / pairs.total

    rng = np.random.default_rng(0)
    gold, pred = rng.integers(0, 4, (2, 200))
    up, down = karat.significance(gold, pred, "rand"), karat.significance(gold, pred, together)
    assert up.error == down.error == 0
    assert up.p + down.p > 1.0001  # what was seen is as good as itself in both directions
    assert math.isclose(up.z, -down.z)


def test_baselines_are_shown_for_the_same_gold_only() -> None:
    board = Board(
        {"a": karat.score([0, 0, 1, 1], [0, 1, 1, 1], "ari"), "b": karat.score([0, 0, 0, 1], [0, 1, 1, 1], "ari")}
    )
    assert board.layout().headings == ["measure", "a", "b"]


def test_cards_say_what_breaks_and_that_nothing_does() -> None:
    for m in karat.list_measures():
        assert ">>>" not in card(m)
        assert bool(m.breaks) != ("breaks       nothing" in card(m))


def test_differences_between_systems_are_not_resampling() -> None:
    rng = np.random.default_rng(0)
    gold = rng.integers(0, 4, 200)
    tables = [
        karat.Table.from_labels(gold, np.where(rng.random(200) < q, gold, rng.integers(0, 4, 200))) for q in (0.2, 0.9)
    ]
    found = karat.relate(tables, measures=["ari", "purity", "vi"], resamples=50)
    assert np.allclose(found.values.reshape(2, 50, 3).mean(axis=1), 0)  # systems differ, resamples are about each
    assert (found.correlations > 0).all()  # the sign of vi is changed


def test_infinite_values_keep_no_property() -> None:
    endless = karat.wrap(lambda gold, pred: math.inf, name="endless")
    verdict = karat.audit([endless], ["bounds"], tries=1)["endless"]["bounds"]
    assert verdict.kept == 0
    assert not verdict.holds


def test_the_counterexample_is_the_smallest() -> None:
    for measure in map(karat.parse, ("purity", "rand", "vi", "q0", "bcubed_f", "jaccard")):
        for item in PROPERTIES:
            found = judge(measure, item, 10)
            if found.example is not None:
                cases = item.tried(10)
                kept = item.kept(item.score(measure, cases), measure, cases)
                sizes = [sum(int(t.sum()) for t in case) for case, good in zip(cases, kept, strict=True) if not good]
                assert sum(int(t.sum()) for t in found.example.tables) == min(sizes)


def test_frequencies_are_cut_as_was_asked() -> None:
    model = {
        "sizes": (2,),
        "specific": 0,
        "general": 3,
        "general_mean": (2.6, 0.0),
        "general_deviation": 0.0,
        "error": (0.0, 0.0),
    }
    assert (DocumentModel(**model, cut="rounded").generate(seed=0).counts == 3).all()
    assert (DocumentModel(**model, cut="twice").generate(seed=0).counts == 2).all()


def test_the_pitch_of_a_speaker_is_that_of_voiced_frames() -> None:
    sound = Contour(np.arange(4) / 100, np.array([0.0, 100.0, 110.0, 0.0]), np.arange(4.0), np.arange(4.0))
    assert _voices([SimpleNamespace(speaker="a")], [sound])["a"].f0 == (105.0, 5.0)


def test_what_is_lost_is_counted_from_the_peak() -> None:
    curve = Curve((1, 2, 3), {"q2": np.array([[0.2, 0.8, 0.3]]), "v_measure": np.array([[0.0, 0.9, 0.5]])})
    assert falls_faster("here", curve, "h").computed == "Q2 loses 62%, V 44%"


def test_the_limit_of_an_upload_holds_without_a_declared_length(tmp_path: Path) -> None:
    body = body_of({"a.csv": b"x" * 80})

    class Request:
        headers: ClassVar[dict[str, str]] = {}

        async def stream(self) -> AsyncIterator[bytes]:
            for start in range(0, len(body), 40):
                yield body[start : start + 40]

    with pytest.raises(RefusedError, match=f"but {len(body) - 1} is the most"):
        asyncio.run(_received(Request(), len(body) - 1, str(tmp_path)))
    assert asyncio.run(_received(Request(), len(body), str(tmp_path))).names == ("a.csv",)
    assert (tmp_path / "a.csv").read_bytes() == b"x" * 80


@pytest.mark.parametrize("measure", ["nmi", "bcubed_f", "nvi"])
def test_values_that_differ_by_rounding_are_ties(measure: str) -> None:
    chosen, beyond, seen = karat.parse(measure), [], []
    for seed in range(10):
        gold, pred = np.random.default_rng(seed).integers(0, 3, (2, 12))
        score = chosen(gold, pred)
        values = Draws(Model(), 200, 0).values(chosen, karat.Table.from_labels(gold, pred))
        gain = (values - score) * (1 if chosen.better == "higher" else -1)
        seen.append(karat.p_value(gold, pred, chosen, samples=200))
        beyond.append((1 + int((gain > -1e-9).sum())) / 201)
    assert seen == beyond


def test_real_tables_that_would_lose_digits_are_scored_one_by_one() -> None:
    rng = np.random.default_rng(0)
    worst = 0.0
    for _ in range(300):
        a, b = rng.random(3) + 0.1, rng.random(3) + 0.1
        t = np.outer(a, b) * 1e6
        t[0, 0] += 1e-2 * rng.random()
        t = np.pad(t, ((0, 1), (0, 1)))
        t[3, 3] = 0.001
        s = Stack([t])
        for m in map(karat.parse, ("mutual_information", "vi", "v_measure", "ari", "nmi")):
            one, many = m.of(s[0]), float(m.of(s)[0])
            worst = max(worst, abs(one - many) / max(abs(one), 1e-300))
    assert worst == 0
