"""Explanations: contributions add up, and every value promised for a change is that of the changed clustering."""

from __future__ import annotations

import math
import pickle
import warnings
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings

import karat
from karat.explanations import candidates, explain
from shared import enough
from strategies import labelings, real_tables, tables

RANKED = ("v_measure", "vi", "ari", "bcubed_f", "pair_f")
JUDGES = [m for m in karat.list_measures() if m.better is not None]
SMOOTH = [m for m in JUDGES if explain([0, 0, 1], [0, 1, 1], m).every_repair]  # tried with every change
OTHERS = [m for m in JUDGES if m not in SMOOTH]


def random_labels(seed: int, n: int = 30) -> tuple[list[int], list[int]]:
    """Clusters that are mostly, not always, parts of classes."""
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, 5, n)
    pred = np.where(rng.random(n) < 0.6, gold + 5 * rng.integers(0, 2, n), rng.integers(0, 12, n))
    return gold.tolist(), pred.tolist()


def gathered(gold: list[Any], pred: list[Any], label: Any) -> list[Any]:
    return ["new" if g == label else p for g, p in zip(gold, pred, strict=True)]


def parted(gold: list[Any], pred: list[Any], cluster: Any) -> list[Any]:
    return [("new", g) if p == cluster else p for g, p in zip(gold, pred, strict=True)]


def merged(pred: list[Any], left: Any, right: Any) -> list[Any]:
    return [left if p == right else p for p in pred]


def taken(gold: list[Any], pred: list[Any], label: Any, cluster: Any) -> list[Any]:
    return ["new" if (g, p) == (label, cluster) else p for g, p in zip(gold, pred, strict=True)]


def near(value: float) -> Any:
    return pytest.approx(value, rel=1e-9, abs=1e-9)


@given(tables)
def test_contributions_add_up(table: karat.Table) -> None:
    found = explain(table)
    classes, clusters = found.classes, found.clusters
    assert math.fsum([*classes.vi, *clusters.vi]) == pytest.approx(karat.vi(table), rel=1e-12, abs=1e-14)
    assert classes.pairs.sum() + clusters.pairs.sum() == pytest.approx(karat.mirkin(table) / 2, rel=1e-12)
    assert math.fsum(classes.bcubed) == near(1 - karat.bcubed_recall(table))
    assert math.fsum(clusters.bcubed) == near(1 - karat.bcubed_precision(table))
    for side in (classes, clusters):
        assert (side.vi >= 0).all()
        assert (side.bcubed >= 0).all()
        assert ((side.vi == 0) == (side.parts == 1)).all()


@given(real_tables)
def test_contributions_of_real_tables_add_up(table: karat.Table) -> None:
    found = explain(table, measure="mirkin")
    assert math.fsum([*found.classes.vi, *found.clusters.vi]) == near(karat.vi(table))
    assert found.classes.pairs.sum() + found.clusters.pairs.sum() == pytest.approx(karat.mirkin(table) / 2, rel=1e-9)


@pytest.mark.parametrize("measure", SMOOTH, ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_every_value_is_that_of_the_changed_clustering(measure: karat.Measure, seed: int) -> None:
    gold, pred = random_labels(seed)
    check_values(gold, pred, measure)


def check_values(gold: list[Any], pred: list[Any], measure: karat.Measure) -> None:
    found = explain(gold, pred, measure, top=10**6)
    assert found.every_merge
    assert found.value == measure(gold, pred)
    for label, value in zip(found.classes.names, found.classes.repaired, strict=True):
        assert value == near(measure(gold, gathered(gold, pred, label)))
    for cluster, value in zip(found.clusters.names, found.clusters.repaired, strict=True):
        assert value == near(measure(gold, parted(gold, pred, cluster)))
    for merge in found.merges:
        assert merge.value == near(measure(gold, merged(pred, merge.left, merge.right)))
    for split in found.splits:
        assert split.value == near(measure(gold, taken(gold, pred, split.label, split.cluster)))


@settings(max_examples=enough(15))
@given(labelings(12))
@example(([0, 0, 0, 1], [0, 0, 1, 0]))
def test_values_hold_in_degenerate_clusterings(pair: tuple[list[int], list[int]]) -> None:
    for measure in SMOOTH:
        check_values(*pair, measure)


@pytest.mark.parametrize("name", ["v_measure", "nmi(norm=min)", "ari", "bcubed_f", "van_dongen_normalised", "q2", "vi"])
def test_weighted_tables_are_explained(name: str) -> None:
    gold, pred = random_labels(4)
    weights = [1 + (place % 7) / 3 for place in range(len(gold))]
    found = explain(gold, pred, name, weights=weights)
    measure = karat.parse(name)
    for label, value in zip(found.classes.names, found.classes.repaired, strict=True):
        assert value == near(measure(gold, gathered(gold, pred, label), weights=weights))
    for best in found.merges:
        assert best.value == near(measure(gold, merged(pred, best.left, best.right), weights=weights))
    for first in found.splits:
        assert first.value == near(measure(gold, taken(gold, pred, first.label, first.cluster), weights=weights))
    assert found.splits


@pytest.mark.parametrize("name", RANKED)
@pytest.mark.parametrize("seed", range(6))
def test_the_best_merge_and_split_are_the_best_of_all(name: str, seed: int) -> None:
    gold, pred = random_labels(seed, 24)
    measure = karat.parse(name)
    sign = 1 if measure.better == "higher" else -1
    found = explain(gold, pred, name, top=3)
    merges = [measure(gold, merged(pred, *pair)) for pair in combinations(sorted(set(pred)), 2)]
    cells = set(zip(gold, pred, strict=True))
    splits = [measure(gold, taken(gold, pred, *cell)) for cell in cells]
    for listed, values in ((found.merges, merges), (found.splits, splits)):
        gains = sorted((sign * (v - found.value) for v in values), reverse=True)
        assert sign * listed[0].change == near(gains[0])
        assert all(sign * move.change > 0 for move in listed)
        assert [sign * m.change for m in listed] == sorted((sign * m.change for m in listed), reverse=True)


@pytest.mark.parametrize("name", ["v_measure", "vi", "ari", "pair_f"])
def test_the_most_promising_parts_hold_the_best_merge(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    gold = np.where(rng.random(600) < 0.7, 0, rng.integers(1, 200, 600))  # one class, in all of the clusters
    pred = (rng.integers(0, 60, 600) * rng.random(600)).astype(int)
    best = explain(gold, pred, name)
    for limit, value in (("LARGEST", 2), ("PAIRS", 1200)):
        monkeypatch.setattr(candidates, limit, value)
    some = explain(gold, pred, name, top=2)
    assert best.every_merge
    assert not some.every_merge
    assert some.merges == best.merges[:2]
    assert "most promising" in str(some)
    monkeypatch.setattr(candidates, "PAIRS", 3)  # fewer than the first layer has
    monkeypatch.setattr(candidates, "LOOKUPS", 2)
    few = explain(gold, pred, name, top=2)
    assert not few.every_merge
    for merge in few.merges:
        assert merge.value == near(karat.parse(name)(gold, merged(pred.tolist(), merge.left, merge.right)))


@pytest.mark.parametrize("name", RANKED)
def test_clusters_that_share_no_class_need_not_be_tried(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    gold, pred = random_labels(5)
    every = explain(gold, pred, name)
    monkeypatch.setattr(candidates, "LARGEST", 2)
    sharing = explain(gold, pred, name)
    assert sharing.every_merge
    assert sharing.merges == every.merges


def test_looking_up_in_chunks_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    gold, pred = random_labels(3)
    whole = explain(gold, pred).merges
    monkeypatch.setattr(candidates, "CHUNK", 5)
    assert explain(gold, pred).merges == whole


@pytest.mark.parametrize("measure", OTHERS, ids=str)
def test_measures_without_a_closed_form_are_counted_again(measure: karat.Measure) -> None:
    gold, pred = random_labels(2)
    found = explain(gold, pred, measure, top=2)
    assert not found.every_repair
    assert np.isfinite(found.classes.repaired).sum() == 4
    for label, value in zip(found.classes.names, found.classes.repaired, strict=True):
        assert math.isnan(value) or value == near(measure(gold, gathered(gold, pred, label)))
    for cluster, value in zip(found.clusters.names, found.clusters.repaired, strict=True):
        assert math.isnan(value) or value == near(measure(gold, parted(gold, pred, cluster)))
    for merge in found.merges:
        assert merge.value == near(measure(gold, merged(pred, merge.left, merge.right)))
    for split in found.splits:
        assert split.value == near(measure(gold, taken(gold, pred, split.label, split.cluster)))
    assert "no closed form" in str(found)
    assert None in [record["value"] for record in found.records()]


def test_adjusted_measures_and_plain_functions_can_judge() -> None:
    gold, pred = [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 2]
    assert explain(gold, pred, "adjusted(purity)").problems[0].startswith("Class 0")
    share = karat.wrap(lambda g, p: len(set(zip(g, p, strict=True))), name="cells", better="lower")
    assert explain(gold, pred, share).classes.repaired.tolist() == [3, 3]


def test_a_class_is_described_in_plain_words() -> None:
    gold = ["sports"] * 10 + ["art"] * 4
    pred = [1] * 6 + [2] * 3 + [3] + [4] * 4
    found = explain(gold, pred, "ari")
    assert found.problems == (
        "Class 'sports' (10 items) is spread over 3 clusters; its largest part, 60%, is in cluster 1. Gathered in "
        "one cluster of its own, ari would rise from 0.4387 to 1.0000.",
    )
    assert found.merges[0][:5] == (1, 2, (6, 3), "sports", (6, 3))
    assert found.classes.largest_parts(1) == [(1, 0.6), (2, 0.3), (3, 0.1)]
    assert found.classes.parts.tolist() == [1, 3]
    assert found.classes.shares.tolist() == [1.0, 0.6]


def test_a_cluster_is_described_in_plain_words() -> None:
    found = explain([0, 0, 0, 1, 2, 2], ["x", "x", "x", "x", "y", "y"], "vi")
    assert found.problems == (
        "Cluster 'x' (4 items) mixes 2 classes; the largest, 75%, is 0. Split into one cluster per class, vi would "
        "fall from 0.3749 to 0.0000.",
    )
    assert found.odd_ones == ((1, "x", 1, 4, 0),)
    assert found.splits[0][:4] == (1, "x", 1, 4)


def test_merges_and_splits_are_problems_where_repairs_help_less() -> None:
    gold = ["a"] * 8 + ["b"] * 8 + ["c"] * 9
    pred = [1] * 4 + [2] * 4 + [1] * 4 + [2] * 4 + [1, 2, 3] * 3
    text = " ".join(explain(gold, pred, "inverse_purity").problems)
    assert "Clusters 1 and 2 (11 and 11 items) share class" in text
    assert "Merged, inverse_purity would rise" in text
    couples = karat.wrap(lambda g, p: int((np.bincount(p) == 2).sum()) - (np.bincount(p) == 1).sum(), name="couples")
    assert explain(list("aabcad"), [1, 1, 1, 1, 2, 2], couples).problems == (
        "Cluster 1 (4 items) holds 2 of class 'a'. With these in a cluster of their own, couples would rise from "
        "1.0000 to 3.0000.",
    )


def test_clusters_without_a_class_in_common_are_merged_if_clusters_cost() -> None:
    found = explain([0, 0, 1, 2], [0, 1, 2, 3], "q0_asymptotic")
    assert found.merges[0][:4] == (0, 1, (1, 1), 0)
    assert found.merges[1][3:5] == (None, (0, 0))
    assert "Clusters 1 and 2 (1 and 1 items) have no class in common." in found.problems[1]
    assert "–" in str(found)


def test_no_class_or_cluster_is_named_twice() -> None:
    for seed in range(5):
        sentences = explain(*random_labels(seed)).problems
        subjects = [tuple(sentence.split(" (")[0].split()) for sentence in sentences]
        assert len(set(subjects)) == len(subjects) <= 3


def test_nothing_is_wrong_with_gold_itself() -> None:
    found = explain(["a", "a", "b"], [1, 1, 2])
    assert found.problems == ("Nothing is wrong.",)
    assert not found.merges
    assert not found.splits
    assert not found.odd_ones
    assert "Nothing is wrong." in str(found)
    assert len(found.layouts()) == 1


def test_what_a_measure_does_not_see_is_said() -> None:
    found = explain(["a", "a", "b"], [1, 2, 3], "homogeneity")
    assert found.problems == ("No repair, merge or split would make homogeneity better.",)


@pytest.mark.parametrize(
    ("gold", "pred"),
    [([0], [0]), ([0, 0, 0], [1, 2, 3]), ([0, 1, 2], [0, 0, 0]), ([0, 0, 1, 1], [0, 1, 2, 3]), ([0, 1], [1, 1])],
)
def test_trivial_clusterings_are_explained(gold: list[int], pred: list[int]) -> None:
    for name in RANKED:
        found = explain(gold, pred, name)
        assert str(found)
        assert found.to_dict()["value"] == karat.parse(name)(gold, pred)
        assert np.isfinite(found.classes.repaired).all()


def test_one_cluster_is_best_split_by_class() -> None:
    found = explain([0, 0, 1, 1, 2, 2], [0] * 6)
    assert found.clusters.repaired.tolist() == [1.0]
    assert found.merges == ()
    assert [split.label for split in found.splits] == [0, 1, 2]


def test_ties_go_to_the_larger_and_then_to_the_order_of_labels() -> None:
    gold = ["a", "a", "b", "b", "c", "c"]
    pred = [1, 2, 3, 4, 5, 6]
    found = explain(gold, pred, "pair_f")
    assert [merge[:2] for merge in found.merges] == [(1, 2), (3, 4), (5, 6)]
    assert found.classes.worst(3) == [0, 1, 2]
    again = explain(gold[::-1], pred[::-1], "pair_f")
    assert again.merges == found.merges
    assert again.to_dict() == found.to_dict()


def test_lower_is_better_for_distances() -> None:
    found = explain([0, 0, 0, 1, 1], [0, 0, 1, 1, 2], "vi")
    assert all(move.change < 0 for move in (*found.merges, *found.splits))
    assert "would fall" in found.problems[0]
    assert (found.classes.changes <= 0).any()


def test_labels_are_shown_safely() -> None:
    gold = ["bad\x1b[31m\u202e", "bad\x1b[31m\u202e", ("t", 1), ("t", 1), "x" * 200, "x" * 200]
    found = explain(gold, [("p", "\n"), 0, 0, 1, 1, ("p", "\n")])
    text = str(found)
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "x" * 50 not in text
    assert max(len(line) for line in text.split("\n") if "|log:" not in line) <= 100
    assert found.records()[0]["class"] in gold


def test_missing_and_noise_are_for_the_caller_to_decide() -> None:
    gold, pred = ["a", None, "b", "b"], [1, 1, 2, -1]
    with pytest.raises(karat.LabelError, match="missing"):
        explain(gold, pred)
    dropped = explain(gold, pred, missing="drop", noise=-1, noise_as="singletons")
    assert dropped.table.n == 3
    assert "(1 dropped)" in str(dropped)
    assert "dropped:1" in dropped.signature
    assert explain(gold, pred, missing="cluster").table.n == 4


def test_odd_ones_are_few_items_in_a_cluster_that_is_otherwise_pure() -> None:
    table = karat.Table.from_matrix(
        [[100, 0, 3, 1, 0], [4, 20, 3, 0, 0], [0, 1, 0, 0, 9], [0, 0, 0, 1, 2], [0, 0, 0, 0, 1]]
    )
    found = explain(table)
    assert found.odd_ones == ((1, 0, 4, 104, 0), (2, 1, 1, 21, 1))
    assert explain(table, top=1).odd_ones == found.odd_ones[:1]


def test_records_and_frames_hold_every_class_and_cluster() -> None:
    gold, pred = random_labels(0)
    found = explain(gold, pred, top=2)
    records = found.records()
    kinds = [record["kind"] for record in records]
    assert kinds.count("class") == len(set(gold))
    assert kinds.count("cluster") == len(set(pred))
    assert kinds.count("merge") == kinds.count("split") == 2
    assert sum(record["vi"] or 0 for record in records) == near(karat.vi(gold, pred))
    for backend in ("pandas", "polars"):
        assert len(found.to_frame(backend)) == len(records)
    document = found.to_dict()
    assert document["problems"] == list(found.problems)
    assert len(document["classes"]) == len(set(gold))
    assert repr(found).startswith("<Explanation: ami=0.")
    assert str(pickle.loads(pickle.dumps(found))) == str(found)


def test_tables_of_very_many_items_are_explained() -> None:
    table = karat.Table.from_matrix([[10**12, 1, 0], [0, 10**12, 5], [3, 0, 10**11]])
    found = explain(table, measure="ari")
    changed = karat.Table.from_matrix([[10**12, 0, 0, 1], [0, 10**12, 5, 0], [3, 0, 10**11, 0]])
    split = next(split for split in found.splits if split[:2] == (0, 1))
    assert split.value == near(karat.ari(changed))


def test_mistakes_are_told_in_one_sentence() -> None:
    gold, pred = [0, 0, 1], [0, 1, 1]
    with pytest.raises(karat.KaratError, match="top=0"):
        explain(gold, pred, top=0)
    with pytest.raises(karat.MeasureError, match="2 measures were given"):
        explain(gold, pred, "ari,vi")
    with pytest.raises(karat.MeasureError, match="neither end of class_entropy is better"):
        explain(gold, pred, "class_entropy")
    with pytest.raises(karat.MeasureError, match="did you mean"):
        explain(gold, pred, "v_mesure")
    with pytest.raises(karat.TableError, match="pred is missing"):
        explain(gold)
    with pytest.raises(karat.MeasureError, match="returned nan"):
        explain(gold, pred, karat.wrap(lambda g, p: float("nan"), name="nothing"))


def test_cells_far_below_others_are_explained() -> None:
    table = karat.Table.from_cells(["a", "a", "b"], ["x", "y", "y"], [1e-320, 1.0, 2.0])
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        assert karat.explain(table).records()
        assert "What to fix first" in karat.report(table).html()


def test_the_main_measure_is_explained_where_none_is_named() -> None:
    gold, pred = random_labels(0)
    assert str(explain(gold, pred).measure) == "ami"
    assert str(explain(gold, pred, weights=[1.5] * len(gold)).measure) == "v_measure"  # ami takes counts only
    assert str(karat.compare(gold, {"one": pred, "other": gold}).main) == "ami"
    assert str(karat.compare(gold, {"one": pred, "other": gold}, ["ari", "ami"]).main) == "ari"
    systems = karat.report(gold, pred, ["purity", "ami"]).systems, karat.report(gold, pred).systems
    assert [str(system.explanation.measure) for (system,) in systems] == ["purity", "ami"]
