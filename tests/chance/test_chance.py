"""What chance gives: against all shuffles, all partitions, and many draws."""

from __future__ import annotations

import itertools
import math
import pickle
import time
import tracemalloc
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import hypergeom, kstest

import karat
from karat.chance import nulls
from karat.chance.draws import Draws
from karat.chance.expectations import expected
from karat.chance.moments import joined_pairs
from karat.chance.nulls import Model, _sizes_of_all, _sizes_of_number
from karat.output import bars
from karat.tables.counts import ExpectedSizes
from karat.tables.profile import Sizes
from shared import enough

GOLD = [0, 0, 0, 1, 1]
PRED = [0, 0, 1, 1, 2]
MODELS = [Model(null, sides) for null in ("margins", "number", "all") for sides in (1, 2)]  # type: ignore[arg-type]


def partitions(n: int) -> Iterator[list[int]]:
    """Every partition of n items, as labels that count up from 0."""

    def grow(labels: list[int]) -> Iterator[list[int]]:
        if len(labels) == n:
            yield labels
            return
        for label in range(max(labels, default=-1) + 2):
            yield from grow([*labels, label])

    return grow([])


def randomised(labels: list[int], null: str) -> list[list[int]]:
    """Every clustering that the model may draw in place of this one, each as often as any other."""
    if null == "margins":
        sizes = sorted(Counter(labels).values())
        return [p for p in partitions(len(labels)) if sorted(Counter(p).values()) == sizes]
    return [p for p in partitions(len(labels)) if null == "all" or max(p) == len(set(labels)) - 1]


@cache
def tables(model: Model) -> list[tuple[karat.Table, int]]:
    """Every table that the model may draw, and from how many clusterings."""
    golds = randomised(GOLD, model.null) if model.sides == 2 else [GOLD]
    found = Counter(
        frozenset(Counter(zip(gold, pred, strict=True)).items())
        for gold in golds
        for pred in randomised(PRED, model.null)
    )
    cells = {key: [(g, p, count) for (g, p), count in key] for key in found}
    return [(karat.Table.from_cells(*zip(*cells[key], strict=True)), times) for key, times in found.items()]


def average(measure: karat.Measure, model: Model, f: Any = float) -> float:
    total = math.fsum(times * f(measure(table)) for table, times in tables(model))
    return total / sum(times for _, times in tables(model))


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_known_expectations_are_averages_over_all_clusterings(model: Model) -> None:
    table = karat.Table.from_labels(GOLD, PRED)
    known = {m: expected(m, table, model) for m in [*karat.list_measures(), karat.nmi(norm="max")]}
    for measure, value in known.items():
        if value is not None:
            assert value == pytest.approx(average(measure, model), abs=1e-11), str(measure)
    some = {m.name for m, value in known.items() if value is not None}
    assert {"rand", "mutual_information", "vi", "bcubed_precision"} <= some
    assert ({"v_measure", "nmi", "pair_precision", "homogeneity"} <= some) == (model.null == "margins")
    assert ("homogeneity" in some) == (model.null == "margins" or model.sides == 1)
    assert not {"purity", "bcubed_f", "jaccard"} & some


@pytest.mark.parametrize("model", MODELS, ids=str)
@pytest.mark.parametrize("name", ["purity", "v_measure", "ari", "bcubed_f"])
def test_drawn_clusterings_average_what_all_clusterings_do(model: Model, name: str) -> None:
    table, measure = karat.Table.from_labels(GOLD, PRED), karat.parse(name)
    values = Draws(model, 4000, 1).values(measure, table)
    error = float(values.std()) / math.sqrt(values.size)
    assert abs(values.mean() - average(measure, model)) < 5 * error + 1e-12
    second = average(measure, model, lambda v: v * v)
    squares = values**2
    assert abs(squares.mean() - second) < 5 * float(squares.std()) / math.sqrt(values.size) + 1e-12


@pytest.mark.parametrize("n", [300, 3000])
def test_both_ways_to_draw_a_table_agree_with_the_exact_moments(n: int) -> None:  # by items, and cell by cell
    rng = np.random.default_rng(5)
    table = karat.Table.from_labels(rng.integers(0, 4, n), rng.integers(0, 5, n))
    moments = joined_pairs(table.profile.classes, table.profile.clusters)
    drawn = np.concatenate([(s.tables * (s.tables - 1) / 2).sum(axis=(1, 2)) for s in Model().draw(table, 4000, 2)])  # type: ignore[union-attr]
    assert abs(drawn.mean() - moments.mean) < 5 * math.sqrt(moments.variance / 4000)
    assert drawn.var() == pytest.approx(float(moments.variance), rel=0.15)


def test_tables_too_large_for_a_stack_are_drawn_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    table = karat.Table.from_labels(GOLD, PRED)
    monkeypatch.setattr(nulls, "SPARSE", 1)
    drawn = list(Model("all", 2).draw(table, 50, 0))
    assert all(isinstance(t, karat.Table) and t.n == table.n for t in drawn)
    values = Draws(Model(), 2000, 1).values(karat.purity, table)
    assert abs(values.mean() - average(karat.purity, Model())) < 5 * float(values.std()) / math.sqrt(2000)


@pytest.mark.parametrize("measure", ["ari", "rand", "jaccard", "fowlkes_mallows", "mirkin", "pair_f"])
def test_pairs_are_counted_in_the_clusterings_that_other_measures_are_drawn_from(measure: str) -> None:
    rng = np.random.default_rng(5)
    table = karat.Table.from_labels(rng.integers(0, 12, 90), rng.integers(0, 9, 90))
    drawn = [t for some in Model().draw(table, 40, 3) for t in (some if isinstance(some, karat.Stack) else [some])]
    wanted = [karat.parse(measure).of(t) for t in drawn]
    assert Draws(Model(), 40, 3).values(karat.parse(measure), table) == pytest.approx(wanted, abs=1e-12)


def test_many_clusters_are_never_counted_in_a_dense_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nulls, "_by_items", None)  # 16 million cells for each of 20,000 items' clusterings
    labels = np.random.default_rng(0).integers(0, 4000, (2, 20_000))
    assert 0 < karat.p_value(*labels, "nmi", samples=3) <= 1
    assert 0 < karat.p_value(*labels, "ari", samples=3) <= 1


def test_long_draws_show_their_stage_in_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    stages: list[str] = []
    real = bars._drawn
    monkeypatch.setattr(bars, "PATIENCE", -1)
    monkeypatch.setattr(bars, "watched", lambda: True)
    monkeypatch.setattr(bars, "_drawn", lambda what, total: stages.append(what) or real(what, total))
    karat.adjusted("purity", samples=20)(GOLD, PRED)
    karat.p_value(GOLD, PRED, "ari", samples=20)
    karat.score(GOLD, PRED, ["purity"], interval=0.95, resamples=20)
    karat.relate(karat.Table.from_labels(GOLD, PRED), measures=["ari", "nmi", "purity"], resamples=20)
    karat.audit("ari", "symmetry", tries=1)
    assert stages == [
        "drawing random clusterings", "drawing random clusterings", "resampling", "resampling", "auditing measures"
    ]  # fmt: skip


@pytest.mark.parametrize("n", [1, 2, 3, 8, 30])
def test_expected_sizes_are_ratios_of_bell_and_stirling_numbers(n: int) -> None:
    bell, stirling = [1], {(0, 0): 1}
    for m in range(1, n + 1):
        bell.append(sum(math.comb(m - 1, k) * bell[k] for k in range(m)))
        for k in range(m + 1):
            stirling[m, k] = k * stirling.get((m - 1, k), 0) + stirling.get((m - 1, k - 1), 0)
    for size, times in zip(*_sizes_of_all(n), strict=True):
        assert times == pytest.approx(math.comb(n, size) * bell[n - size] / bell[n], rel=1e-12)
    for k in range(1, n + 1):
        found = dict(zip(*_sizes_of_number(n, k), strict=True))
        for size in range(1, n + 1):
            right = math.comb(n, size) * stirling.get((n - size, k - 1), 0) / stirling[n, k]
            assert found.get(size, 0) == pytest.approx(right, rel=1e-9, abs=1e-12)


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=6))
@settings(max_examples=enough(30))
def test_moments_of_joined_pairs_are_those_of_all_shuffles(items: list[tuple[int, int]]) -> None:
    gold, pred = zip(*items, strict=True)
    values = [
        sum(math.comb(c, 2) for c in Counter(zip(gold, shuffled, strict=True)).values())
        for shuffled in itertools.permutations(pred)
    ]
    found = joined_pairs(Sizes.of(Counter(gold).values()), Sizes.of(Counter(pred).values()))
    mean = Fraction(sum(values), len(values))
    variance = sum((v - mean) ** 2 for v in values) / len(values)
    assert (found.mean, found.variance) == (mean, variance)
    third = float(sum((v - mean) ** 3 for v in values) / len(values))
    assert found.skewness == pytest.approx(third / float(variance) ** 1.5 if variance else 0, abs=1e-12)


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1))
def test_adjusting_gives_the_adjusted_measures_that_are_known(items: list[tuple[int, int]]) -> None:
    table = karat.Table.from_labels(*zip(*items, strict=True))
    for inner, known in (
        ("rand", karat.ari),
        ("mirkin", karat.ari),
        ("v_measure", karat.ami),
        ("nmi(norm=max)", karat.ami(norm="max")),
        ("nmi(norm=min)", karat.ami(norm="min")),
    ):
        assert karat.adjusted(inner)(table) == pytest.approx(known(table), abs=1e-9), inner
    assert karat.adjusted("ari")(table) == pytest.approx(karat.ari(table), abs=1e-9)


@pytest.mark.parametrize("name", ["purity", "vi", "bcubed_f", "q2", "mutual_information", "one_to_one"])
@pytest.mark.parametrize("null", ["margins", "number", "all"])
def test_adjusted_measures_give_gold_one_and_chance_nothing(name: str, null: str) -> None:
    rng = np.random.default_rng(3)
    gold = rng.integers(0, 4, 200)
    measure = karat.adjusted(name, null=null, samples=300)  # type: ignore[arg-type]
    assert measure(gold, gold + 7) == pytest.approx(1)
    if null == "margins":
        random = [measure(gold, rng.permutation(gold)) for _ in range(50)]
        assert abs(np.mean(random)) < 0.02


def test_adjusted_measures_are_measures_like_any_other() -> None:
    measure = karat.adjusted("v_measure(beta=2)", null="all", samples=50, seed=3)
    assert str(measure) == "adjusted(v_measure(beta=2), null=all, samples=50, seed=3)"
    assert karat.parse(str(measure)) == measure == pickle.loads(pickle.dumps(measure))
    assert karat.parse(measure.full_text) == measure
    assert hash(karat.parse(str(measure))) == hash(measure)
    assert measure != karat.adjusted("v_measure", null="all", samples=50, seed=3)
    scores = karat.score(GOLD, PRED, f"{measure},ari")
    assert list(scores) == [str(measure), "ari"]
    assert scores[measure] == measure(GOLD, PRED) == measure(karat.Table.from_labels(GOLD, PRED))
    assert measure(GOLD, PRED) != measure(GOLD, PRED, seed=4)
    assert measure(karat.Stack([[[5, 1], [1, 5]], [[3, 3], [3, 3]]])).shape == (2,)
    assert 0 < scores.errors[str(measure)] < 0.2
    assert "is an estimate, by random draws; its standard error is" in " ".join(str(scores).split())
    assert karat.adjusted("rand").error(karat.Table.from_labels(GOLD, PRED)) == 0
    nested = karat.adjusted(karat.standardized("purity", samples=20), samples=20)
    assert karat.parse(str(nested)) == nested
    assert math.isfinite(nested(GOLD, PRED))


def test_the_reported_error_is_that_of_other_seeds() -> None:
    table = karat.Table.from_labels(GOLD, PRED)
    for measure in (karat.adjusted("purity", samples=200), karat.standardized("purity", samples=200)):
        values = [measure(table, seed=seed) for seed in range(100)]
        assert np.std(values) == pytest.approx(measure.error(table), rel=0.5)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: karat.adjusted("class_entropy"), "neither higher nor lower is better"),
        (lambda: karat.adjusted("rand", null="some"), "cannot have null='some'"),
        (lambda: karat.adjusted("rand", sides=3)(GOLD, PRED), "sides=3 cannot be"),
        (lambda: karat.adjusted("purity", samples=1)(GOLD, PRED), "samples=1 are too few"),
        (lambda: karat.parse("adjusted"), "does not say of which measure"),
        (lambda: karat.parse("adjusted(null=all)"), "does not say of which measure"),
        (lambda: karat.parse("ari(rand)"), "'rand' is no parameter"),
        (lambda: karat.adjusted("rand")(karat.Table.from_matrix([[0.5, 1]])), "needs integer counts"),
        (lambda: karat.p_value(GOLD, PRED), "measure is missing"),
        (lambda: karat.p_value(GOLD, PRED, "ari", samples="x"), "cannot have samples='x'"),
        (lambda: karat.p_value(GOLD, PRED, "ari", seed=-1), "cannot have seed=-1"),
        (lambda: karat.p_value(GOLD, PRED, "ari", other=1), "no such option; leave out other"),
        (lambda: karat.p_value(karat.Table.from_labels(GOLD, PRED), None, "ari", missing="drop"), "leave out missing"),
        (lambda: karat.p_value(GOLD, PRED, karat.wrap(lambda g, p: math.nan, name="nan")), "nan returned nan"),
        (lambda: karat.adjusted("purity").error(3), "is of a Table or a Stack"),  # type: ignore[arg-type]
        (lambda: karat.parse("adjusted(" * 2000 + "rand" + ")" * 2000), "2,000 is the most"),
        (
            lambda: karat.p_value(karat.Table.from_matrix([[2 * 10**9, 1], [1, 9]]), measure="purity"),
            "too many to draw",
        ),
    ],
)
def test_what_cannot_be_adjusted_is_explained(call: Any, message: str) -> None:
    with pytest.raises(karat.KaratError, match=message):
        call()


def test_standardized_rand_is_exact() -> None:
    values = [karat.rand(GOLD, list(p)) for p in itertools.permutations(PRED)]
    right = (karat.rand(GOLD, PRED) - np.mean(values)) / np.std(values)
    assert karat.standardized("rand")(GOLD, PRED) == pytest.approx(right)
    assert karat.standardized("mirkin")(GOLD, PRED) == pytest.approx(right)
    assert karat.standardized("rand")(GOLD, [0] * 5) == 0


def test_p_values_are_the_share_of_shuffles_that_do_as_well() -> None:
    gold, pred = [0, 0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 2, 2]
    shuffles = list(itertools.permutations(pred))
    for measure in map(karat.parse, ("ari", "vi", "purity", "jaccard")):
        score = measure(gold, pred)
        sign = 1 if measure.better == "higher" else -1
        right = np.mean([sign * measure(gold, list(s)) >= sign * score - 1e-12 for s in shuffles[::13]])
        found = karat.significance(gold, pred, measure)
        assert found.p == pytest.approx(right, abs=5 * found.error + 0.02)
        assert found.p == karat.p_value(karat.Table.from_labels(gold, pred), measure=measure)
        assert found.z > 0


@pytest.mark.parametrize("measure", ["ari", "mirkin", "purity", "v_measure"])
def test_p_values_are_uniform_under_the_null(measure: str) -> None:
    rng = np.random.default_rng(11)
    gold, pred = rng.integers(0, 4, 250), rng.integers(0, 5, 250)
    p = [karat.p_value(gold, rng.permutation(pred), measure, samples=199, seed=seed) for seed in range(300)]
    # purity takes few values, so its p-values are coarse, and lean upwards, as they should
    assert kstest(p, "uniform", alternative="greater").pvalue > 0.01
    if measure != "purity":
        assert kstest(p, "uniform").pvalue > 0.01


def test_exact_moments_and_draws_give_nearly_the_same_p_values() -> None:
    rng = np.random.default_rng(4)
    gold = rng.integers(0, 5, 400)
    pred = np.where(rng.random(400) < 0.08, gold, rng.integers(0, 6, 400))
    table = karat.Table.from_labels(gold, pred)
    for measure in ("mirkin", "jaccard", "ari"):
        exact = karat.significance(table, measure=measure)
        assert exact.error == 0
        values = Draws(Model(), 4000, 0).values(karat.parse(measure), table)
        score = karat.parse(measure)(table)
        as_good = values <= score if measure == "mirkin" else values >= score
        assert exact.p == pytest.approx(as_good.mean(), abs=0.01)
    assert "gamma distribution" in str(exact)


@pytest.mark.parametrize("sizes", [(10, 10, 1), (30, 30, 3), (20, 300, 10), (500, 500, 260), (500, 500, 235)])
def test_p_values_of_tables_of_two_by_two_are_those_of_the_hypergeometric_distribution(sizes: tuple[int, ...]) -> None:
    a, b, both = sizes
    table = karat.Table.from_matrix([[both, a - both], [b - both, 1000 - a - b + both]])
    x = np.arange(max(0, a + b - 1000), min(a, b) + 1)
    values = [karat.rand(karat.Table.from_matrix([[i, a - i], [b - i, 1000 - a - b + i]])) for i in x.tolist()]
    right = hypergeom.pmf(x, 1000, a, b)[np.array(values) >= karat.rand(table) - 1e-12].sum()
    found = karat.significance(table, measure="rand")
    assert found.p == pytest.approx(right, abs=5 * found.error + 0.015)


@pytest.mark.parametrize("null", ["number", "all"])
@pytest.mark.parametrize("sides", [1, 2])
def test_drawing_takes_little_memory(null: str, sides: int) -> None:
    table = karat.Table.from_matrix([[1000, 500], [700, 800]])
    tracemalloc.start()
    karat.adjusted("purity", null=null, sides=sides, samples=100)(table)  # type: ignore[arg-type]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 400e6
    many = karat.Table.from_matrix([[10**8, 10**7], [10**7, 10**8]])
    value = karat.adjusted("rand", null=null, sides=sides)(many)  # type: ignore[arg-type]
    assert (0 < value < 1) == (
        null == "number" or sides == 1
    )  # else two clusterings into many small clusters do better
    assert math.isfinite(value)


def test_a_kink_far_from_the_probes_is_seen() -> None:
    rng = np.random.default_rng(2)
    table = karat.Table.from_labels(rng.integers(0, 3, 60), rng.integers(0, 5, 60))
    measure = karat.parse("vi_log_k(k=20)")
    assert expected(measure, table, Model("all")) is None
    assert expected(measure, table, Model("number")) == pytest.approx(
        float(Draws(Model("number"), 4000, 0).values(measure, table).mean()), rel=0.01
    )


def test_only_the_model_that_a_measure_was_adjusted_for_is_known_to_give_nothing() -> None:
    table = karat.Table.from_labels(GOLD, PRED)
    assert expected(karat.adjusted("rand"), table) == 0
    assert expected(karat.adjusted("rand", null="all"), table) is None
    assert expected(karat.adjusted("rand", null="all"), table, Model("all")) == 0
    assert expected(karat.adjusted("purity"), table) is None


def test_where_chance_never_varies_no_score_stands_out() -> None:
    alone, thirds = list(range(24)), [i % 3 for i in range(24)]
    for name in ("v_measure", "purity", "bcubed_f", "jaccard"):
        for pair in ((alone, thirds), (thirds, alone), ([0] * 24, thirds), (thirds, [0] * 24)):
            assert karat.standardized(name, samples=50)(*pair) == 0
            assert karat.significance(*pair, name, samples=50).z == 0


@pytest.mark.parametrize("gold", [[0, 1], [0, 0], [0, 1, 2, 3], [0, 0, 0, 0]])
@pytest.mark.parametrize("null", ["number", "all"])
def test_gold_without_pairs_or_without_differences_is_not_expected_wrongly(gold: list[int], null: str) -> None:
    pred = [0] * (len(gold) - 1) + [1]
    table = karat.Table.from_labels(gold, pred)
    for measure in karat.list_measures():
        found = expected(measure, table, Model(null))  # type: ignore[arg-type]
        if found is not None:
            right = np.mean([measure(gold, p) for p in randomised(pred, null)])
            assert found == pytest.approx(right, abs=1e-11), str(measure)


def test_a_table_with_one_free_cell_is_not_taken_for_a_varied_one() -> None:
    gold = [0] * 70 + list(range(1, 71))
    pred = [0] * 41 + [1] * 29 + [0] * 29 + [1] * 41
    found = karat.significance(gold, pred, "ari")
    assert found.p == pytest.approx(0.0626, abs=5 * found.error + 0.003)


def test_wide_sizes_are_expected_at_steps_without_loss() -> None:
    table = karat.Table.from_matrix([[900, 700], [800, 600]])  # clusters of 1500 +- 27
    model = Model("number", 1)
    for name in ("vi", "mutual_information", "rand"):
        measure = karat.parse(name)
        values = Draws(model, 4000, 3).values(measure, table)
        exact = expected(measure, table, model)
        assert exact == pytest.approx(values.mean(), abs=5 * float(values.std()) / math.sqrt(4000))


def test_callables_without_a_hash_can_be_adjusted() -> None:
    @dataclass
    class Agreement:
        share: float = 1.0

        def __call__(self, gold: Any, pred: Any) -> float:
            return self.share

    assert karat.adjusted(karat.wrap(Agreement(), name="agreement"))(GOLD, PRED) == 0
    assert karat.adjusted("purity").error(karat.Stack([[[2, 1], [0, 3]]])).shape == (1,)  # type: ignore[attr-defined]


def test_ten_billion_items_have_a_p_value() -> None:
    table = karat.Table.from_matrix([[2_500_100_000, 2_499_900_000], [2_499_900_000, 2_500_100_000]])
    assert karat.p_value(table, measure="ari") < 1e-3
    assert karat.standardized("rand")(table) > 3


SHUFFLED = [([0, 0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 2, 0]), ([0, 0, 1, 1, 2, 2, 2], [0, 0, 1, 1, 1, 1, 2])]


@pytest.mark.parametrize("m", karat.list_measures(), ids=str)
def test_no_formula_hides_that_its_expectation_is_known(m: karat.Measure) -> None:
    """Exact over all shuffles; a formula that gives it at the expected statistics must be seen to be linear."""
    hidden = []
    for gold, pred in SHUFFLED:
        table = karat.Table.from_labels(gold, pred)
        values = [m(gold, list(shuffled)) for shuffled in set(itertools.permutations(pred))]
        mean = math.fsum(values) / len(values)
        known = expected(m, table)
        if known is not None:
            assert known == pytest.approx(mean, abs=1e-12)
        statistics = [kind.expected(table, ExpectedSizes()) for kind in m.statistics]
        given = all(statistic is not None for statistic in statistics)
        hidden.append(known is None and given and math.isclose(float(m.value(statistics)), mean, abs_tol=1e-12))
    assert not all(hidden)


@pytest.mark.parametrize(
    ("matrix", "value", "z"),
    [([[5, 1, 2], [1, 4, 0], [0, 1, 3]], 0.24331392753929332, 2.827641777757638),
     ([[3, 0, 1], [0, 1, 0], [0, 1, 0], [1, 0, 0]], 0.22317738680020682, 0.8918825850158448)],
)  # fmt: skip
def test_fowlkes_mallows_is_adjusted_exactly(matrix: list[list[int]], value: float, z: float) -> None:
    """E = sqrt(gold pred) / total, since a pair that one side joins is joined by the other as often as any."""
    table = karat.Table.from_matrix(matrix)
    for made, right in ((karat.adjusted("fowlkes_mallows"), value), (karat.standardized("fowlkes_mallows"), z)):
        assert made(table) == pytest.approx(right, abs=1e-12)
        assert made.error(table) == 0
    assert karat.score(table, measures=["fowlkes_mallows"]).baselines["fowlkes_mallows"].shuffled is not None


def test_the_p_value_of_ari_of_many_clusters_takes_seconds() -> None:
    """Which took a quarter of a minute; the time is that of this process, whatever else the machine does."""
    draw = np.random.default_rng(0)
    gold, pred = draw.integers(0, 5000, 50_000), draw.integers(0, 5000, 50_000)
    start = time.process_time()
    assert 0 < karat.p_value(gold, pred, "ari") <= 1
    assert time.process_time() - start < 9


@settings(max_examples=enough(24), deadline=None)
@given(st.lists(st.integers(0, 2), min_size=5, max_size=6), st.lists(st.integers(0, 2), min_size=6, max_size=6))
def test_the_null_of_a_measure_that_depends_on_label_order_keeps_it(gold: list[int], pred: list[int]) -> None:
    pred = pred[: len(gold)]
    scores = [float(karat.one_to_one_greedy(gold, shuffled)) for shuffled in itertools.permutations(pred)]
    mean = float(np.mean(scores))
    measure = karat.adjusted("one_to_one_greedy", samples=3000)
    table = karat.Table.from_labels(gold, pred)
    wanted = (float(karat.one_to_one_greedy(table)) - mean) / (1 - mean) if mean < 1 else measure(table)
    assert measure(table) == pytest.approx(wanted, abs=5 * measure.error(table) + 1e-12)


def small_tables() -> list[karat.Table]:
    """Tables of at most five items in two rows and up to three columns."""
    cells = itertools.chain(itertools.product(range(3), repeat=4), itertools.product(range(2), repeat=6))
    matrices = (np.reshape(some, (2, -1)) for some in cells if 0 < sum(some) <= 5)
    return [karat.Table.from_matrix(matrix) for matrix in matrices]


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_adjusted_measures_stay_within_their_bounds(model: Model) -> None:
    tables = small_tables()
    for number, measure in enumerate(m for m in karat.list_measures() if m.better is not None):
        adjusted = karat.adjusted(measure, null=model.null, sides=model.sides, samples=3)
        for table in tables[number % 7 :: 7]:
            low, high = adjusted.bounds
            value = float(adjusted(table))
            assert low <= value <= high, f"{adjusted} of {table.top_cells()}"
            if table.nonempty_cells == table.shape[0] == table.shape[1]:
                assert value == 1


def test_what_may_beat_gold_is_not_bounded_by_it() -> None:
    table = karat.Table.from_matrix([[1], [2]])
    measure = karat.adjusted("q0", null="all", sides=2, samples=5)
    assert measure(table) > 1
    assert measure.bounds == (-math.inf, math.inf)
    assert karat.adjusted("rand").bounds == karat.adjusted("vi").bounds == (-math.inf, 1)


def test_a_p_value_is_never_zero() -> None:
    table = karat.Table.from_matrix([[10**11, 5], [7, 10**11]])
    for measure in ("ari", "mirkin"):
        found = karat.significance(table, measure=measure)
        assert found.p == 1e-300
        assert "p < 1e-300" in str(found)


@pytest.mark.parametrize(("clusters", "size"), [(4, 20), (5, 50), (8, 20), (12, 20)])
def test_a_p_value_is_at_least_the_probability_of_the_table(clusters: int, size: int) -> None:
    found = karat.significance(karat.Table.from_matrix(size * np.eye(clusters, dtype=int)), measure="ari")
    assert found.method.startswith("gamma")
    ways = math.factorial(clusters * size) // math.factorial(size) ** clusters  # of which one gives this table
    assert found.p >= float(Fraction(1, ways)) * (1 - 1e-9)
