"""Inputs on which other libraries return something wrong or surprising, with the right value.

The systems named were run in the versions given; the right values are exact fractions or 50-digit arithmetic, or follow
from the rule for 0/0.
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

import karat
from karat import sklearn

ONE, APART = [0] * 8, list(range(8))
SAME = [0, 0, 0, 1, 1, 2]


def score(measure: str, gold: object, pred: object, **options: object) -> float:
    return float(karat.parse(measure)(gold, pred, **options))


@pytest.mark.parametrize(
    ("measure", "right"),
    [("nmi", 0.5158), ("nmi(norm=max)", 0.4206), ("nmi(norm=sqrt)", 0.5295), ("ami", 0.2988), ("ami(norm=max)", 0.2250),
     ("vi", 0.8676), ("purity", 0.8333), ("inverse_purity", 0.6667)],
)  # fmt: skip
def test_names_that_mean_different_things_elsewhere_are_spelt_out_here(measure: str, right: float) -> None:
    assert round(score(measure, [0, 0, 0, 1, 1, 1], [2, 2, 3, 3, 4, 4]), 4) == right


def test_what_others_call_nvi_is_had_by_other_names() -> None:
    gold, pred = [0, 0, 0, 1, 1, 1], [2, 2, 3, 3, 4, 4]
    vi = score("vi", gold, pred)
    assert round(vi / math.log(2), 4) == 1.2516  # in bits, as clusim, CDlib and mclustcomp give it
    assert (
        round(vi / score("joint_entropy", gold, pred), 4)
        == 0.6525
        == round(1 - score("nmi(norm=joint)", gold, pred), 4)
    )
    assert round(score("vi_log_n", gold, pred), 4) == 0.4842
    assert score("nvi", gold, pred) == pytest.approx(vi / math.log(2))  # over H(C), as Reichart & Rappoport define it


def test_bcubed_counts_an_item_with_itself() -> None:
    gold, pred = [0, 0, 0, 0, 1, 1], [0, 0, 0, 1, 1, 1]
    assert round(score("bcubed_precision", gold, pred), 4) == 0.7778
    assert score("bcubed_recall", gold, pred) == 0.75
    assert score("bcubed_f", SAME, SAME) == 1


@pytest.mark.parametrize(
    ("n", "right"), [(10**5, 0.6399965439), (2 * 10**5, 0.6399982720), (10**6, 0.6399996544)]
)  # torchmetrics 1.9.0: .9163, -.6658, -681.66; NetworKit 11.2.2: .8127 at 2*10^5 (products of pair sums overflow)
def test_ari_does_not_overflow(n: int, right: float) -> None:
    gold = np.repeat([0, 1], n // 2)
    pred = gold.copy()
    pred[: n // 10] = 1
    assert score("ari", gold, pred) == pytest.approx(right, abs=1e-10)


def test_bcubed_does_not_overflow() -> None:  # ELKI: -.718
    gold = np.repeat([0, 1], 50_000)
    assert score("bcubed_precision", gold, gold) == score("bcubed_f", gold, gold) == 1


def test_mutual_information_of_large_and_of_real_tables() -> None:  # scikit-learn 1.9.1: nan, and cells cut to integers
    huge = karat.Table.from_matrix([[4 * 10**9, 0], [0, 4 * 10**9]])
    assert karat.mutual_information(huge) == pytest.approx(math.log(2), abs=1e-15)
    assert sklearn.mutual_info_score(contingency=[[4 * 10**9, 0], [0, 4 * 10**9]]) == pytest.approx(math.log(2))
    assert round(sklearn.mutual_info_score(contingency=[[1.5, 0.5], [0.5, 1.5]]), 6) == 0.130812


def test_ami_min_with_every_item_alone_is_0() -> None:  # scikit-learn 1.9.1: from -2.0 to 3.5
    rng = np.random.default_rng(0)
    for _ in range(300):
        n = int(rng.integers(2, 200))
        gold = rng.integers(0, rng.integers(1, n), n)
        if len(set(gold.tolist())) < n:
            for norm in ("min", "sqrt", "sum", "max"):
                assert score(f"ami(norm={norm})", gold, range(n)) == 0
    assert sklearn.adjusted_mutual_info_score([0] * 5 + [1] * 5, range(10), average_method="min") == 0


def test_ami_of_equal_partitions_is_1() -> None:  # scikit-learn up to 1.6.1: 0
    assert score("ami", [1, 2], [3, 4]) == score("ami", [1, 2, 3, 4], [5, 6, 7, 8]) == 1


@pytest.mark.parametrize("n", [10, 469, 10**5])
def test_nmi_with_one_class_is_0(n: int) -> None:  # scikit-learn before 1.1: 3.99
    assert score("nmi", [0] * n, [1] + [0] * (n - 1)) == 0


@pytest.mark.parametrize(
    "measure", ["fowlkes_mallows", "ari", "nmi", "ami", "jaccard", "pair_precision", "pair_recall", "pair_f", "gamma",
                "v_measure", "homogeneity", "completeness", "rand", "f_measure", "one_to_one", "bcubed_f", "q2"]
)  # fmt: skip
@pytest.mark.parametrize(
    "partition", [APART, ONE, [0], SAME, [5, 5, 5, 3, 3, 9]], ids=["apart", "one", "single", "000112", "gaps"]
)
def test_a_partition_equals_itself(measure: str, partition: list[int]) -> None:
    # 0 or nan for all apart or all together: scikit-learn, torchmetrics, permetrics, river, clusim, CDlib, genieclust,
    # igraph, mclustcomp, clue, ClusterR, fpc, aricode, mclust; not 1 for 000112: mclustcomp F, permetrics tau, clusim
    renamed = [f"label {x}" for x in partition]
    assert score(measure, partition, renamed) == pytest.approx(1, abs=1e-15)


@pytest.mark.parametrize("measure", ["vi", "nvi", "nvik", "vi_log_n", "vi_log_k", "mirkin", "van_dongen", "entropy"])
@pytest.mark.parametrize("partition", [APART, ONE, [0], SAME])
def test_a_partition_is_at_distance_0_from_itself(measure: str, partition: list[int]) -> None:
    assert score(measure, partition, partition) == 0  # mclustcomp and ClusterR: 1 for all together; mclustcomp: 11


def test_v_is_0_when_nothing_fits() -> None:  # torchmetrics 1.9.0: 1; Clustering.jl: NaN
    assert score("v_measure", [0, 0, 1, 1], [0, 1, 0, 1]) == 0


def test_independence_is_exactly_0() -> None:  # torchmetrics: 1.9e-6; ELKI: -2.6e-15
    table = karat.Table.from_matrix(np.full((10, 10), 10_000))
    assert karat.mutual_information(table) == karat.nmi(table) == karat.homogeneity(table) == 0
    assert karat.nmi(karat.Table.from_matrix([[5000, 5000], [5000, 5000]])) == 0


def test_classes_are_not_taken_for_clusters() -> None:  # permetrics: homogeneity 1, V .5922, entropy 1
    gold, pred = [0, 0, 1, 1, 0, 1], [0, 0, 1, 1, 2, 2]
    assert score("homogeneity", gold, pred) == pytest.approx(2 / 3)
    assert round(score("v_measure", gold, pred), 4) == 0.5158
    assert score("class_entropy_given_cluster", gold, pred) / math.log(2) == pytest.approx(1 / 3)


def test_gamma_is_a_correlation() -> None:  # clusim and others: .0227 for equal partitions
    gold, pred = [0, 0, 0, 1, 1, 2], [0, 0, 1, 1, 2, 2]
    pairs = [(i, j) for i in range(6) for j in range(i)]
    x, y = ([float(labels[i] == labels[j]) for i, j in pairs] for labels in (gold, pred))
    assert score("gamma", gold, pred) == pytest.approx(np.corrcoef(x, y)[0, 1])


def test_purity_looks_at_clusters() -> None:  # clusim: .125
    assert score("purity", ONE, APART) == 1


def test_mean_best_f_is_not_rounded_on_the_way() -> None:  # CDlib: .6175
    gold, pred = [{0, 1, 2}, {3, 4}, {5}], [{0, 1}, {2, 3}, {4, 5}]
    # best F of each class: 4/5, 1/2, 2/3; of each cluster: 4/5, 1/2, 2/3
    assert score("f_measure_macro", gold, pred) == pytest.approx((4 / 5 + 1 / 2 + 2 / 3) / 3)


def test_any_label_values_will_do() -> None:  # genieclust: an error for 20000; aricode merges 1.2 and 1.7, "01" and "1"
    assert score("ari", [0, 0, 20_000], [10**18, 10**18, -(10**18)]) == 1
    assert score("ari", [1.2, 1.7, 2.2, 2.2], [1, 2, 3, 3]) == 1
    assert score("ari", ["01", "1", "b", "b"], [1, 2, 3, 3]) == 1


def test_entropy_is_of_classes_in_clusters() -> None:  # ClusterR: 1 (its table is transposed)
    assert score("entropy", [1, 1, 1, 1, 2, 2, 2, 2], [1, 1, 2, 2, 3, 3, 4, 4]) == 0


@pytest.mark.parametrize(
    ("policy", "right"),
    [({}, 0.7337), ({"noise": -1, "noise_as": "cluster"}, 0.7337), ({"noise": -1, "noise_as": "singletons"}, 0.6475),
     ({"noise": -1, "noise_as": "drop"}, 1.0)],
)  # fmt: skip
def test_noise_is_a_label_like_any_other_unless_one_says_otherwise(policy: dict[str, object], right: float) -> None:
    # graph-tool 2.45 drops -1 silently
    assert round(score("nmi", [0, 0, 1, 1, 1, 1], [0, 0, 1, 1, -1, -1], **policy), 4) == right


def test_different_lengths_are_refused() -> None:  # graph-tool 2.45: .6365
    with pytest.raises(karat.LabelError, match="gold has 3 labels but pred has 2"):
        score("nmi", [0, 1, 1], [0, 1])


@pytest.mark.parametrize(("cell", "right"), [(500, 2.5018767e-4), (5000, 2.5001875e-5)])
def test_expected_mutual_information_does_not_underflow(cell: int, right: float) -> None:  # ELKI: 0
    matrix = [[cell, cell], [cell, cell]]
    assert sklearn.expected_mutual_information(matrix, 4 * cell) == pytest.approx(right, rel=1e-7)


def test_code_lengths_are_in_one_unit() -> None:  # river-extra: Q0 1.3804, Q2 .3979, and nan for clusters of 200
    small = [1, 1, 2, 2, 3, 3], [1, 1, 1, 2, 2, 2]
    assert round(score("q0", *small), 6) == 2.025605
    assert round(score("q0", *small) * math.log(2), 6) == 1.404043
    assert round(score("q2", *small), 6) == 0.638072
    large = [1] * 100 + [2] * 100 + [1] * 200, [1] * 200 + [2] * 200
    assert round(score("q0", *large) * math.log(2), 6) == 0.373090
    assert round(score("q2", *large), 6) == 0.069167


def test_coverage_is_never_ignored() -> None:  # bcubed 1.x: P = R = 1 for one item of nine
    gold = {item: item // 3 for item in range(9)}
    with pytest.raises(karat.LabelError, match=r"only gold has 1, 2, 3, \.\.\. \(8 in all\), only pred has none"):
        score("bcubed_f", gold, {0: 0})
    kept = karat.score(gold, {0: 0}, "bcubed_f", missing="drop")
    assert (kept["bcubed_f"], kept.n, kept.dropped) == (1, 1, 8)
    assert "dropped:8" in kept.signature
    assert score("bcubed_recall", gold, {0: 0}, missing="singletons") == pytest.approx(1 / 3)


def test_text_never_equals_a_number() -> None:  # scikit-learn 1.9.1: 0
    assert score("ari", [1, "1", 2, "2"], [0, 1, 2, 3]) == 1
    assert sklearn.adjusted_rand_score([1, "1", 2, "2"], [0, 1, 2, 3]) == 1


def test_series_are_matched_by_index() -> None:  # scikit-learn: by position
    gold = pd.Series([0, 0, 1, 1], index=["a", "b", "c", "d"])
    pred = pd.Series([0, 1, 0, 1], index=["a", "c", "b", "d"])
    assert score("ari", gold, pred) == sklearn.adjusted_rand_score(gold, pred) == 1


def test_the_signature_names_the_norm() -> None:  # CDlib's documentation says geometric, its code arithmetic
    assert "nmi(norm=sum)" in karat.score([0, 1], [0, 1], "nmi").signature


def test_one_cluster_per_instance_has_no_adjusted_information() -> None:  # SemEval-2010 task 14: .186, ranked first
    rng = np.random.default_rng(14)
    for _ in range(100):
        gold = rng.zipf(1.5, 80) % 7
        assert score("ami", gold, range(80)) == 0


def test_split_join_distance() -> None:  # the igraph report that expected another value was wrong
    assert score("van_dongen", [0] * 50 + [1] * 50, [0] * 76 + [1] * 24) == 50
