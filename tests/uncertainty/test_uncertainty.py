"""Intervals: what each item adds, what the unseen adds, and how often the truth is inside."""

from __future__ import annotations

import json
import math
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import karat
from karat.measures.entropy_estimates import Sample, _tail
from karat.tables.profile import Sizes
from karat.uncertainty.influence import Jackknife
from karat.uncertainty.intervals import intervals
from karat.uncertainty.reference import Reference
from karat.uncertainty.resamples import Resampled, drawn
from karat.uncertainty.sampling import Sampling
from shared import enough

MATRICES = st.lists(st.lists(st.integers(0, 6), min_size=3, max_size=3), min_size=2, max_size=4).filter(
    lambda rows: sum(map(sum, rows)) > 3
)
TABLE = karat.Table.from_matrix([[30, 4, 1, 0], [3, 25, 2, 6], [1, 0, 18, 2]])
SMOOTH = [
    m
    for m in karat.list_measures()
    if all(kind.smooth and kind.leave_one_out(TABLE, False) is not None for kind in m.statistics)
]


def without(table: karat.Table, place: int) -> karat.Table:
    counts = table.counts.copy()
    counts[place] -= 1
    return karat.Table.from_cells(table.rows, table.cols, counts)


@settings(deadline=None, max_examples=enough(40))
@given(MATRICES)
def test_the_scores_without_one_item_are_those_of_the_table_without_it(matrix: list[list[int]]) -> None:
    table = karat.Table.from_matrix(matrix)
    jackknife = Jackknife(table, corrected=False)
    left = [without(table, place) for place in range(table.counts.size)]
    shapes = {t.shape for t in left}
    for measure in SMOOTH:
        if measure.name == "ami":
            continue  # below
        if measure.name in ("entropy", "q0", "q1", "q2", "q0_asymptotic", "vi_log_k") and shapes != {table.shape}:
            continue  # they count classes, which an item cannot take away by half
        scores = np.array([float(measure(t)) for t in left])
        found = jackknife.influence(measure)
        if not np.isfinite(scores).all():
            continue
        assert found is not None
        wanted = (table.n - 1) * (float(table.counts @ scores) / table.n - scores)
        assert found.values == pytest.approx(wanted, abs=1e-7)
        assert found.estimate == pytest.approx(float(measure(table)))


def test_the_standard_error_is_the_jackknife_over_items() -> None:
    gold, pred = TABLE.expand()
    for text in ("v_measure", "ari", "bcubed_f", "vi", "pair_f"):
        measure = karat.parse(text)
        scores = np.array([float(measure(np.delete(gold, i), np.delete(pred, i))) for i in range(TABLE.n)])
        wanted = math.sqrt((TABLE.n - 1) / TABLE.n * ((scores - scores.mean()) ** 2).sum())
        assert Jackknife(TABLE, corrected=False).influence(measure).error() == pytest.approx(wanted)


@pytest.mark.parametrize(
    "matrix",
    [
        [[30, 4, 1, 0], [3, 25, 2, 6], [1, 0, 18, 2]],
        [[20, 0, 0, 9], [0, 30, 0, 0], [0, 0, 7, 0]],
        np.eye(12, 40, dtype=int) + 1,
    ],
)
def test_what_chance_gives_changes_with_the_sizes(matrix: list[list[int]]) -> None:
    table = karat.Table.from_matrix(matrix)
    left = np.array([float(karat.ami(without(table, place))) for place in range(table.counts.size)])
    spread = left - float(table.counts @ left) / table.n
    wanted = math.sqrt((table.n - 1) / table.n * float(table.counts @ spread**2))
    assert Jackknife(table).influence(karat.ami).error() == pytest.approx(wanted, rel=0.02)


def test_of_very_many_items_nothing_is_lost_in_rounding() -> None:
    small, large = (karat.Table.from_matrix(np.array([[3, 1], [1, 2]]) * 2**power) for power in (20, 58))
    for text in ("v_measure", "rand", "ari"):
        errors = [Jackknife(t).influence(karat.parse(text)).error() * math.sqrt(t.n) for t in (small, large)]
        assert errors[1] == pytest.approx(errors[0], rel=1e-3)


def test_a_random_system_has_an_interval_of_some_width() -> None:
    rng = np.random.default_rng(2)
    for _ in range(20):
        found = karat.score(rng.integers(0, 5, 400), rng.integers(0, 5, 400), "v_measure", interval=0.95)
        assert found.intervals["v_measure"].standard_error > 1e-4


def test_the_bootstrap_takes_away_what_resampling_adds() -> None:
    tied = karat.Table.from_matrix([[40, 38, 0], [0, 0, 50]])
    scores = karat.score(tied, measures="one_to_one", interval=0.95)
    assert scores.intervals["one_to_one"].estimate < scores["one_to_one"]  # of two equal cells the larger is taken


def test_the_error_of_whole_classes_adds_up_their_items() -> None:
    found = Jackknife(TABLE, corrected=False).influence(karat.ari)
    sums = [float((TABLE.counts * found.values)[TABLE.rows == row].sum()) for row in range(3)]
    wanted = math.sqrt(sum(x * x for x in sums) * 3 / 2) / TABLE.n
    assert found.error("classes") == pytest.approx(wanted)


def test_the_unseen_is_that_of_chao_wang_and_jost() -> None:
    sizes = [1, 1, 1, 2, 2, 5, 9]
    n, once, twice = 21, 3, 2
    share = mpmath.mpf(2 * twice) / ((n - 1) * once + 2 * twice)
    seen = sum(mpmath.mpf(x) / n * sum(mpmath.mpf(1) / k for k in range(x, n)) for x in sizes)
    rest = mpmath.mpf(once) / n * (1 - share) ** (1 - n)
    rest *= -mpmath.log(share) - sum((1 - share) ** r / mpmath.mpf(r) for r in range(1, n))  # eq. 7
    assert Sample.of(Sizes.of(np.array(sizes))).entropy() == pytest.approx(float(seen + rest), rel=1e-12)


@pytest.mark.parametrize(("share", "n"), [(0.5, 3), (0.01, 50), (1e-4, 5000), (1e-7, 10**6), (1e-3, 10**5)])
def test_the_tail_of_the_unseen_is_a_hypergeometric_sum(share: float, n: int) -> None:
    wanted = mpmath.hyp2f1(1, n, n + 1, 1 - mpmath.mpf(share)) / n
    assert _tail(share, n) == pytest.approx(float(wanted), rel=1e-8)


@settings(deadline=None, max_examples=enough(50))
@given(st.lists(st.integers(1, 12), min_size=1, max_size=9).filter(lambda sizes: sum(sizes) > 1))
def test_entropies_without_one_item_are_those_of_the_other_sizes(sizes: list[int]) -> None:
    sample = Sample.of(Sizes.of(np.array(sizes)))
    for corrected in (True, False):
        found = sample.leave_one_out(corrected)
        for value, size in zip(found, sample.size.tolist(), strict=True):
            left = [s for s in [*sizes[: sizes.index(size)], size - 1, *sizes[sizes.index(size) + 1 :]] if s]
            other = Sample.of(Sizes.of(np.array(left)))
            n = sum(left)
            wanted = other.entropy() if corrected else sum(s / n * math.log(n / s) for s in left)
            assert value == pytest.approx(wanted, abs=1e-10)


def test_many_resamples_are_scored_as_tables_one_by_one() -> None:
    counts = np.array([[5, 0, 3, 1, 7], [2, 2, 0, 0, 9], [1, 1, 1, 1, 1]], float)
    rows, cols = np.array([0, 0, 1, 1, 2]), np.array([0, 1, 0, 2, 2])
    stack = Resampled(rows, cols, counts)
    tables = [karat.Table.from_cells(rows, cols, row) for row in counts]
    for measure in karat.list_measures():
        assert measure.of(stack) == pytest.approx([float(measure(t)) for t in tables], abs=1e-9), measure
    with pytest.raises(karat.TableError):
        stack.expand()


def test_resamples_do_not_depend_on_how_many_are_drawn_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = np.concatenate(list(drawn(TABLE.counts, TABLE.rows, Sampling(resamples=20, seed=3))))
    monkeypatch.setattr("karat.uncertainty.resamples.AT_ONCE", 25)
    assert np.array_equal(np.concatenate(list(drawn(TABLE.counts, TABLE.rows, Sampling(resamples=20, seed=3)))), whole)
    assert (whole.sum(axis=1) == TABLE.n).all()
    assert not np.array_equal(
        np.concatenate(list(drawn(TABLE.counts, TABLE.rows, Sampling(resamples=20, seed=4)))), whole
    )


@pytest.mark.parametrize("scale", [1, 100])  # by items, and by cells
def test_resamples_have_the_spread_of_a_multinomial(scale: int) -> None:
    counts = TABLE.counts * scale
    values = np.concatenate(list(drawn(counts, TABLE.rows, Sampling(resamples=4000, seed=0))))
    n = counts.sum()
    assert values.mean(axis=0) == pytest.approx(counts, rel=0.05, abs=0.2 * math.sqrt(scale))
    assert values.var(axis=0) == pytest.approx(counts * (1 - counts / n), rel=0.15)


def test_whole_classes_are_resampled_with_all_their_items() -> None:
    values = np.concatenate(list(drawn(TABLE.counts, TABLE.rows, Sampling(unit="classes", resamples=50))))
    for row in range(3):
        times = values[:, TABLE.rows == row] / TABLE.counts[TABLE.rows == row]
        assert (times == times[:, :1]).all()


def test_scores_print_their_intervals_and_keep_their_definition() -> None:
    scores = karat.score(TABLE, measures=["v_measure", "ari", "purity"], interval=0.9)
    assert scores["v_measure"] == karat.v_measure(TABLE)
    assert "90% interval" in str(scores)
    assert {name: found.method for name, found in scores.intervals.items()} == {
        "v_measure": "jackknife", "ari": "jackknife", "purity": "bootstrap",
    }  # fmt: skip
    for name, found in scores.intervals.items():
        assert found.low < found.estimate < found.high, name
        assert found.estimate in found
    assert scores.records()[0]["low"] == scores.intervals["v_measure"].low
    assert "90% interval" in scores._repr_html_()
    wider = karat.score(TABLE, measures="ari", interval=0.99).intervals["ari"]
    assert wider.low < scores.intervals["ari"].low


def test_without_correction_intervals_are_around_the_score() -> None:
    scores = karat.score(TABLE, measures=["v_measure", "purity"], interval=0.95, corrected=False)
    for name, found in scores.intervals.items():
        assert found.estimate == scores[name]


def test_a_sparse_sample_is_said_to_look_better_than_it_is() -> None:
    rng = np.random.default_rng(0)
    shares = np.full((50, 50), 0.3 / 2500) + np.diag(np.full(50, 0.7 / 50))
    table = karat.Table.from_matrix(rng.multinomial(1000, shares.ravel()).reshape(50, 50))
    scores = karat.score(table, measures="v_measure", interval=0.95)
    found = scores.intervals["v_measure"]
    assert scores["v_measure"] > found.high
    assert float(karat.v_measure(karat.Table.from_matrix(shares * 1e9))) in found  # the truth
    text = " ".join(str(scores).split())
    assert "v_measure: outside the interval" in text
    assert "in cells of one item: it may be too wide" in text


def test_few_items_and_ties_are_said_to_be_doubtful() -> None:
    assert "17 items, which are few" in str(karat.score(*karat.examples.textbook(), measures="ari", interval=0.95))
    tied = karat.Table.from_matrix([[40, 38, 0], [0, 0, 50]])
    assert (
        "nearly as good" in karat.score(tied, measures="one_to_one", interval=0.95).intervals["one_to_one"].caution.text
    )


def test_of_many_items_no_resamples_are_drawn() -> None:
    large = karat.Table.from_matrix(np.array([[300, 40], [20, 500]]) * 10_000)
    found = karat.score(large, measures=["purity", "one_to_one"], interval=0.95).intervals
    share = 800 / 860
    for interval in found.values():
        assert interval.method == "jackknife"
        assert interval.standard_error == pytest.approx(math.sqrt(share * (1 - share) / large.n), rel=1e-3)


def test_a_perfect_clustering_has_no_width_and_says_so() -> None:
    found = karat.score([0, 0, 1, 1] * 20, [0, 0, 1, 1] * 20, "ari", interval=0.95).intervals["ari"]
    assert (found.low, found.high) == (1, 1)
    assert "it may be too narrow" in found.caution.text


@pytest.mark.parametrize(
    "options",
    [
        {"interval": 95},
        {"interval": 0},
        {"interval": "x"},
        {"interval": 0.9, "unit": "x"},
        {"interval": 0.9, "resamples": 1},
        {"interval": 0.9, "seed": -1},
    ],
)
def test_intervals_that_cannot_be_are_refused(options: dict) -> None:
    with pytest.raises(karat.MeasureError):
        karat.score(TABLE, measures="purity", **options)


def test_items_of_different_weight_have_no_intervals() -> None:
    with pytest.raises(karat.TableError, match="leave out weights"):
        karat.score([0, 1, 1], [0, 1, 0], "ari", weights=[1, 2, 1], interval=0.95)
    with pytest.raises(karat.TableError, match="leave out weights"):
        karat.score(karat.Table.from_matrix([[1.5, 1], [0, 3]]), measures="ari", interval=0.95)


@pytest.mark.parametrize("text", ["v_measure", "ari", "bcubed_f", "vi", "q2"])
def test_most_intervals_hold_the_truth(text: str) -> None:
    # 300 samples: 95 % would miss by more than 4 points only once in a thousand such tests; bench/coverage.py has more
    rng = np.random.default_rng(7)
    shares = np.full((4, 6), 0.3 / 24)
    for k in range(6):
        shares[k % 4, k] += 0.7 / 6
    items = 400 if text == "q2" else 10**9
    truth = float(karat.parse(text)(karat.Table.from_matrix(shares * items)))
    inside = 0
    for _ in range(300):
        table = karat.Table.from_matrix(rng.multinomial(400, shares.ravel()).reshape(4, 6))
        inside += truth in intervals(table, [karat.parse(text)], Sampling())[text]
    assert 0.91 * 300 <= inside <= 0.99 * 300


def test_slopes_give_nearly_the_errors_of_every_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    gold = rng.integers(0, 40, 60_000)
    table = karat.Table.from_labels(gold, np.where(rng.random(60_000) < 0.6, gold, rng.integers(0, 50, 60_000)))
    panel = [m for m in karat.list_measures() if m.panel and all(kind.smooth for kind in m.statistics)]
    one_by_one = intervals(table, panel, Sampling())
    monkeypatch.setattr("karat.uncertainty.influence.MANY", 10)
    for name, found in intervals(table, panel, Sampling()).items():
        assert found.standard_error == pytest.approx(one_by_one[name].standard_error, rel=1e-3)
        assert found.estimate == one_by_one[name].estimate


def test_one_item_has_an_interval_of_no_width() -> None:
    scores = karat.score([1], [1], interval=0.95)
    assert all(found.low == found.high for found in scores.intervals.values())


def test_second_differences_are_those_of_the_entropy_of_fewer_items() -> None:
    sizes = [1, 1, 1, 2, 2, 3, 3, 4, 7, 30]
    n = sum(sizes)
    whole = Sample.of(Sizes.of(sizes))

    def entropy(size: int, left: int) -> float:
        rest = [s for s in sizes if s != size] + [size] * (sizes.count(size) - 1) + [left] * (left > 0)
        return Sample.of(Sizes.of(rest))._replace(n=n).entropy()

    for size, found in zip(whole.size.tolist(), whole.second_difference().tolist(), strict=True):
        wanted = 0.0 if size == 1 else entropy(size, size) - 2 * entropy(size, size - 1) + entropy(size, size - 2)
        assert found == pytest.approx(wanted, abs=1e-14)


def test_equal_systems_with_few_errors_are_told_apart_as_often_as_they_should_be() -> None:
    rng = np.random.default_rng(5)
    found = 0
    for _ in range(400):
        gold = rng.integers(0, 5, 400)
        systems = {name: np.where(rng.random(400) < 0.1, rng.integers(0, 7, 400), gold) for name in "ab"}
        found += karat.compare(gold, systems, ["v_measure"]).difference("a", "b", "v_measure").p < 0.05
    assert 14 <= found <= 32  # it is 12 if what pairs of items do to each other is counted twice


@pytest.mark.parametrize("measures", [["ari"], ["purity"], ["ari", "one_to_one"]], ids=",".join)
@pytest.mark.parametrize("options", [{"seed": 4}, {"resamples": 50}, {"unit": "classes"}, {"interval": 0.9}], ids=str)
def test_intervals_that_differ_have_signatures_that_differ(measures: list[str], options: dict[str, Any]) -> None:
    rng = np.random.default_rng(1)
    gold = rng.integers(0, 40, 200)
    pred = np.where(rng.random(200) < 0.4, rng.integers(0, 40, 200), gold)
    base: dict[str, Any] = {"interval": 0.95, "resamples": 40, "seed": 3}
    for make in (
        lambda **given: karat.score(gold, pred, measures, **given),
        lambda **given: karat.compare(gold, {"a": pred, "b": gold}, measures, **given),
    ):
        one, again, other = make(**base), make(**base), make(**{**base, **options})
        spans = [[(record["low"], record["high"]) for record in found.records()] for found in (one, again, other)]
        assert (spans[0], one.signature) == (spans[1], again.signature)
        assert spans[0] == spans[2] or one.signature != other.signature


def test_whole_classes_are_complete_so_no_bias_is_corrected() -> None:
    """Classes drawn at random: the score of a sample of classes is right on average as it is."""
    rng = np.random.default_rng(8)
    sizes = rng.integers(2, 7, 4000)
    hits = 0
    truth = float(np.mean(np.repeat([_recall_of(s) for s in sizes], sizes)))
    for _ in range(40):
        drawn = rng.choice(4000, 80)
        gold = np.repeat(np.arange(80), sizes[drawn])
        pred = np.concatenate([np.where(np.arange(sizes[c]) == 0, 2 * i, 2 * i + 1) for i, c in enumerate(drawn)])
        for measure in ("bcubed_recall",):
            scores = karat.score(gold, pred, [measure], interval=0.95, unit="classes")
            found = scores.intervals[measure]
            assert found.estimate == pytest.approx(scores[measure], abs=1e-12)
            hits += truth in found
    assert hits >= 34
    assert "less bias" not in str(scores)


def _recall_of(size: int) -> float:
    """BCubed recall of a class of which one item is alone and the others are together."""
    return (1 + (size - 1) ** 2) / size**2


@pytest.fixture
def many_cells() -> tuple[Any, Any]:
    """As many classes and clusters as would take minutes to resample."""
    items = np.arange(120_000)
    return items // 2, (items + (items % 7 == 0)) // 2


def test_tables_that_are_too_large_to_resample_have_intervals_at_once(many_cells: tuple[Any, Any]) -> None:
    scores = karat.score(*many_cells, ["ari", "purity", "f_measure", "one_to_one"], interval=0.95)
    assert {found.method for found in scores.intervals.values()} == {"jackknife"}
    assert all(found.low <= found.high for found in scores.intervals.values())
    compared = karat.compare(many_cells[0], {"a": many_cells[1], "b": many_cells[0] // 2}, ["purity", "one_to_one"])
    assert all(verdicts.differences[0].tested for verdicts in compared.verdicts.values())


def test_what_would_have_to_be_resampled_says_at_once_that_it_is_too_large(many_cells: tuple[Any, Any]) -> None:
    odd = karat.wrap(lambda gold, pred: 0.5, name="odd")
    scores = karat.score(*many_cells, [odd], interval=0.95)
    assert "cells are too many for 1,000 resamples; give fewer resamples" in " ".join(str(scores).split())
    assert scores.to_dict()["scores"]["odd"]["low"] is None
    assert "nan" not in str(scores)
    compared = karat.compare(many_cells[0], {"a": many_cells[1], "b": many_cells[0]}, [odd, "ari"])
    assert not compared.verdicts["odd"].differences[0].tested
    assert "NaN" not in json.dumps(compared.to_dict())
    few = karat.score(*many_cells, [odd], interval=0.95, resamples=3)
    assert few.intervals["odd"].method == "bootstrap"


def test_measures_are_related_by_as_many_resamples_as_can_be_afforded(many_cells: tuple[Any, Any]) -> None:
    table = karat.Table.from_labels(*many_cells)
    found = karat.relate(table, measures=["ari", "v_measure", "bcubed_f"], resamples=1_000_000)
    assert "resamples (1,000,000 would take too long for" in found.of
    assert len(found.values) < 1000


@pytest.mark.parametrize("freedom", [None, 400])
def test_the_p_value_of_a_difference_is_never_zero(freedom: int | None) -> None:
    assert Reference(0.95, freedom).p(1.0, 1e-6) == (1e-300 if freedom is None else pytest.approx(0, abs=1e-299))
    assert Reference(0.95, freedom).p(1.0, 1e-6) > 0
