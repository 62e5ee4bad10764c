"""Families of tables, and how measures respond to their parameters."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import karat
from karat.measures.pair_counts import Pairs
from karat.meta import constraints
from karat.meta.desiderata import DESIDERATA, P1, P2, P3, P4, P5, response
from karat.meta.families import Expected, Family, Grid, match
from karat.meta.partitions import crossed, partitions
from shared import THOROUGH

DOM = {"useful": range(2, 12), "noise": range(7), "error_1": [0, 1 / 15, 2 / 15, 0.2], "error_2": [0, 0.1, 0.2, 0.3]}


def test_the_ceiling_rule_matches_both_ways() -> None:
    assert match(5, 5).tolist() == np.eye(5, dtype=bool).tolist()
    assert match(5, 7).sum(axis=1).tolist() == [2, 2, 1, 1, 1]
    assert match(5, 7).sum(axis=0).tolist() == [1] * 7
    assert match(5, 3).sum(axis=0).tolist() == [2, 2, 1]
    assert match(3, 1).tolist() == [[True], [True], [True]]


def test_dom_table_3() -> None:
    p = Family(classes=5, useful=5, noise=3, error_1=0.2, error_2=0.3).distribution
    expected = np.full((5, 5), 0.01) + 0.09 * np.eye(5)
    assert np.allclose(p, np.hstack([expected, np.full((5, 3), 0.02)]), atol=1e-15)


def test_every_member_is_a_distribution_and_dom_gives_classes_the_same_share() -> None:
    for member in Grid.of(500, **DOM).members:
        assert member.distribution.sum() == pytest.approx(1, abs=1e-12)
        assert np.allclose(member.distribution.sum(axis=1), 1 / 5)


def test_expected_pairs_are_those_of_random_draws() -> None:
    member = Family(classes=2, useful=2, noise=1, error_1=0.1, error_2=0.2)
    expected = Expected(30 * member.distribution[None])
    pairs = expected.statistic(Pairs)
    total = Fraction(30 * 29, 2)
    assert pairs.both[0] == pytest.approx(float(total) * (member.distribution**2).sum())
    drawn = member.sample(30, seed=1, times=20_000).statistic(Pairs)
    for kind in ("both", "gold", "pred", "total"):
        assert np.mean(getattr(drawn, kind)) == pytest.approx(getattr(pairs, kind)[0], rel=0.01)


def test_a_sample_has_n_items_and_the_seed_decides() -> None:
    member = Family(error_1=0.2)
    assert (member.sample(100, seed=3, times=4).n == 100).all()
    assert (member.sample(100, seed=3).tables == member.sample(100, seed=3).tables).all()
    assert member.table(500).n == 500


@pytest.mark.parametrize(
    ("measure", "p12", "p3", "p5"),
    [
        ("q2", 0, 0, 0), ("rand", 12, 120, 28), ("fowlkes_mallows", 0, 103, 0), ("gamma", 0, 120, 0),
        ("jaccard", 0, 80, 0), ("hamming", 2, 120, 0),
    ],
)  # fmt: skip
def test_dom_counts_of_failed_sequences(measure: str, p12: int, p3: int, p5: int) -> None:
    grid = Grid.of(500, **DOM)
    assert len(grid) == 760
    m = karat.parse(measure)
    assert response(grid, m, P1, P2)[2:4] == (p12, 76)
    assert response(grid, m, P3)[2:4] == (p3, 120)
    assert response(grid, m, P4)[2:4] == (0, 190)
    assert response(grid, m, P5)[2:4] == (p5, 240)


def test_what_cannot_be_a_family_is_refused() -> None:
    for options in ({"useful": 0}, {"error_1": 0.7, "error_2": 0.4}, {"error_3": -0.1}, {"spread": "rows"}):
        with pytest.raises(karat.KaratError):
            Family(**options)
    with pytest.raises(karat.MeasureError, match="neither end of class_entropy is better"):
        response(Grid.of(500, useful=range(2, 5)), karat.parse("class_entropy"), P1)


def test_responses_name_the_first_wrong_step() -> None:
    grid = Grid.of(500, useful=[5], noise=range(1, 4), error_2=[0.1])
    found = response(grid, karat.parse("rand"), P3)
    assert (found.right, found.steps, found.rate) == (0, 2, 0.0)
    assert found.example is not None
    assert [member.noise for member in found.example] == [1, 2]
    assert [d.name for d in DESIDERATA] == ["P1", "P2", "P3", "P4", "P5", "P6", "P7"]


def test_all_partitions_are_listed_once() -> None:
    assert [len(partitions(n)) for n in range(1, 8)] == [1, 2, 5, 15, 52, 203, 877]
    assert len(set(partitions(6))) == 203
    assert crossed((0, 0, 1), (0, 1, 1)).tolist() == [[1, 1], [0, 1]]


def test_the_steps_of_an_audit_are_whole_items() -> None:
    for desideratum in DESIDERATA:
        for worse, better in constraints.steps(desideratum):
            assert worse.sum() == better.sum() == constraints.STEP_ITEMS


def test_every_property_has_a_measure_that_keeps_it_and_one_that_breaks_it() -> None:
    names = [
        "v_measure",
        "ari",
        "vi",
        "mirkin",
        "q0",
        "inverse_purity",
        "rand",
        "van_dongen",
        "bcubed_f",
        "completeness",
    ]
    found = karat.audit([*names, karat.wrap(_number_of_clusters, name="few", better="lower", bounds=(0, 1))], tries=20)
    for item in found.properties:
        assert {True, False} <= {verdicts[item.name].holds for verdicts in found.values()}, item.name
    assert repr(found) == f"<Audit: 11 measures, {len(found.properties)} properties>"


def _number_of_clusters(gold: list[int], pred: list[int]) -> float:
    return len(set(pred))


@pytest.mark.parametrize(
    ("measure", "kept", "broken"),
    [
        ("vi", ["symmetry", "triangle", "n_invariance", "convex_additivity", "only_gold"], ["baseline"]),
        ("ari", ["symmetry", "baseline"], ["n_invariance", "size_quantity"]),
        ("v_measure", ["P1", "P2", "P3", "P4", "P5", "P6", "P7", "n_invariance"], ["singletons", "rag_bag"]),
        ("nvi", ["n_invariance", "singletons"], ["symmetry"]),
        ("purity", ["bounds"], ["singletons", "only_gold"]),
    ],
)
def test_what_the_papers_say_of_measures(measure: str, kept: list[str], broken: list[str]) -> None:
    verdicts = karat.audit(measure, kept + broken, tries=20)[measure]
    assert [name for name in kept if not verdicts[name].holds] == []
    assert [name for name in broken if verdicts[name].holds] == []


def test_a_counterexample_is_small_and_true() -> None:
    verdict = karat.audit("purity", ["only_gold"])["purity"]["only_gold"]
    assert verdict.example is not None
    worse, better = verdict.example.tables
    assert worse.sum() == 2
    assert karat.purity(karat.Table.from_matrix(worse)) == karat.purity(karat.Table.from_matrix(better)) == 1
    assert str(verdict.example) == "worse 1.0000    better 1.0000\n1 1             2"


def test_anybodys_function_can_be_put_on_trial() -> None:
    def agreement(gold: list[int], pred: list[int]) -> float:
        pairs = [(i, j) for i in range(len(gold)) for j in range(i)]
        same = sum((gold[i] == gold[j]) == (pred[i] == pred[j]) for i, j in pairs)
        return same / len(pairs) if pairs else 1.0

    names = ["symmetry", "only_gold", "triangle"]
    found = karat.audit([karat.wrap(agreement, name="mine"), "sklearn.metrics:fowlkes_mallows_score"], names, tries=5)
    mine, theirs = found.values()
    assert [mine[name].holds for name in names] == [True, True, True]
    assert theirs["only_gold"].holds is False  # 0 for singletons that are gold

    def broken(gold: list[int], pred: list[int]) -> float:
        raise ZeroDivisionError("no")

    wrapped = karat.wrap(broken, name="broken")
    verdict = karat.audit([wrapped], ["symmetry"])["broken"]["symmetry"]
    assert (verdict.holds, verdict.problem) == (None, "ZeroDivisionError no")
    assert str(verdict) == "–"
    assert "could not be tried on symmetry: ZeroDivisionError no" in " ".join(
        str(karat.audit([wrapped], ["symmetry"])).split()
    )


def test_audits_can_be_kept(tmp_path: Path) -> None:
    found = karat.audit(["ari"], ["symmetry", "n_invariance"], tries=2)
    assert found.to_frame("pandas")["holds"].tolist() == [True, False]
    assert set(found.to_dict()) == {"properties", "verdicts"}
    assert "ari breaks n_invariance" in found.examples()


def test_a_descriptive_measure_is_not_judged_by_what_is_better() -> None:
    verdicts = karat.audit("class_entropy", ["homogeneity", "bounds"])["class_entropy"]
    assert (verdicts["homogeneity"].holds, verdicts["bounds"].holds) == (None, True)


def test_the_product_of_gold_standards() -> None:
    a, b = ["x", "x", "y", None], [1, 2, 2, 2]
    found = karat.cross(a, b)
    assert (found.names, found.values.tolist()) == ([("x", 1), ("x", 2), ("y", 2)], [0, 1, 2, -1])
    keyed = karat.cross({"i": "x", "j": "y"}, {"j": 1, "i": 2})
    assert karat.ari(keyed, {"i": 0, "j": 1}) == 1
    assert keyed.names == [("x", 2), ("y", 1)]
    assert len(karat.cross([1, True, "1"], ["a", "a", "a"]).names) == 3
    series = pd.Series([1, 1, 2], index=[0, 0, 1])
    assert karat.cross(series, series).values.tolist() == [0, 0, 1]
    assert karat.ari(karat.cross(series, series), [5, 5, 6]) == 1
    with pytest.raises(karat.LabelError, match="more than once"):
        karat.cross(series, pd.Series([1, 2, 3]))
    assert karat.q2(karat.cross([0, 0, 1, 1], [0, 1, 0, 1]), [0, 0, 1, 1]) > karat.q2(
        karat.cross([0, 0, 1, 1], [0, 1, 0, 1]), [0, 0, 0, 0]
    )
    for wrong in ((a,), (a, [1]), (a, {"i": 1})):
        with pytest.raises(karat.LabelError):
            karat.cross(*wrong)


def test_the_likelihood_of_held_out_items_prefers_the_true_number_of_clusters() -> None:
    from sklearn.cluster import KMeans
    from sklearn.mixture import GaussianMixture

    rng = np.random.default_rng(0)
    x = np.concatenate([rng.normal(place, 1, size=(100, 2)) for place in (0, 8, 16)])
    found = {k: karat.meta.validated_likelihood(GaussianMixture(k, random_state=0), x, folds=5) for k in (1, 3)}
    assert found[3].mean > found[1].mean + 3 * found[1].error
    assert len(found[3].folds) == 5
    assert "nats per held-out item, in 5 folds" in str(found[3])
    one = GaussianMixture(1, random_state=0).fit(x[50:]).score_samples(x[:50]).mean()
    assert np.isfinite(one)
    for model, folds in ((KMeans(2), 5), (GaussianMixture(2), 1), (GaussianMixture(2), 1000)):
        with pytest.raises(karat.KaratError):
            karat.meta.validated_likelihood(model, x, folds=folds)


def test_a_share_that_no_cell_can_hold_is_refused() -> None:
    for options in ({"useful": 1, "error_1": 0.2}, {"classes": 1, "error_1": 0.2}, {"error_2": 0.3}):
        member = Family(**options)  # type: ignore[arg-type]
        assert not member.valid
        with pytest.raises(karat.KaratError, match="no cells that could hold it"):
            member.table(10)
    full = Family(noise=1, noise_classes=1, error_2=0.8, error_3=0.2)
    assert full.distribution.min() == 0
    assert full.sample(10, seed=0).n[0] == 10
    with pytest.raises(karat.KaratError, match="no combination"):
        Grid.of(100, noise=[2]).values(karat.ari)
    for wrong in ({"n": 0}, {"n": 10, "times": 1.5}):
        with pytest.raises(karat.KaratError):
            full.sample(seed=0, **wrong)
    with pytest.raises(karat.KaratError, match="one parameter"):
        response(Grid.of(100, useful=[2, 3]), karat.parse("ari"), P1, P3)


def test_the_scale_of_a_measure_does_not_decide_about_its_baseline() -> None:
    from sklearn.metrics import adjusted_rand_score, v_measure_score

    large = karat.wrap(lambda g, p: 100 * adjusted_rand_score(g, p), name="large")
    small = karat.wrap(lambda g, p: 0.01 * v_measure_score(g, p), name="small")
    found = karat.audit([large, small], ["baseline"])
    assert [found[name]["baseline"].holds for name in ("large", "small")] == [True, False]
    if THOROUGH:  # ten seconds of draws
        (drawn,) = karat.audit("standardized(purity, samples=100)", ["baseline"]).values()
        assert drawn["baseline"].holds


def test_shuffling_is_tried_at_a_fixed_number_of_items() -> None:
    for worse, better in constraints.shuffled(0):
        assert worse.sum() == better.sum()
    assert karat.audit("mirkin", "shuffled, n_invariance")["mirkin"]["shuffled"].holds
    for wrong in ({"properties": []}, {"tries": -1}):
        with pytest.raises(karat.KaratError):
            karat.audit("ari", **wrong)  # type: ignore[arg-type]


def test_a_module_that_fails_cannot_be_audited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "leaves_at_once.py").write_text("import sys; sys.exit(3)")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(karat.MeasureError, match="cannot be imported"):
        karat.audit("leaves_at_once:f")


@pytest.mark.parametrize("seed", [None, -1, 1.5, "x", [], complex(1, 2)])
def test_relate_refuses_what_is_no_seed(seed: Any) -> None:
    with pytest.raises(karat.MeasureError, match="is not a seed; give a whole number, 0 or more"):
        karat.relate(list("aabbc"), [1, 1, 2, 3, 3], ["ari", "purity", "v_measure"], resamples=20, seed=seed)
