"""Is A better than B? Paired differences, letters, ranks, sweeps, and systems without gold."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import karat
from karat.cli import main
from karat.comparisons.paired import paired
from karat.comparisons.sweeps import sweep_of
from karat.comparisons.verdicts import kendall
from karat.scoring.evaluation import Evaluation
from karat.uncertainty.influence import Jackknife
from karat.uncertainty.reference import Reference
from karat.uncertainty.sampling import Sampling
from shared import enough


def noisy(rng: np.random.Generator, gold: np.ndarray, share: float, clusters: int = 6) -> np.ndarray:
    return np.where(rng.random(gold.size) < share, rng.integers(0, clusters, gold.size), gold)


@pytest.fixture(scope="module")
def data() -> tuple[np.ndarray, dict[str, np.ndarray]]:
    rng = np.random.default_rng(0)
    gold = rng.integers(0, 4, 400)
    good = noisy(rng, gold, 0.2)
    return gold, {"good": good, "same": good.copy(), "poor": noisy(rng, gold, 0.5), "near": noisy(rng, gold, 0.22)}


def test_combinations_of_labels_give_every_system_its_table(data: tuple) -> None:
    gold, systems = data
    joint = Evaluation(gold, systems).joint
    assert joint.n == 400
    for name, pred in systems.items():
        assert joint.tables[name] == karat.Table.from_labels(gold, pred)
        assert np.array_equal(np.bincount(joint.cells(name), joint.counts), joint.tables[name].counts)


def test_items_are_matched_by_name_and_those_without_a_label_are_left_out_for_all() -> None:
    gold = {"a": 1, "b": 1, "c": 2, "d": None, "e": 2}
    systems = {"x": {"e": 5, "c": 5, "a": 6, "b": 6, "d": 6}, "y": {"a": 1, "b": 2, "c": 2, "d": 2, "e": None}}
    joint = Evaluation(gold, systems, missing="drop")
    assert (joint.n, joint.aligned.union, joint.aligned.labelled, joint.policy.missing_items) == (3, 5, 4, 2)
    assert joint.tables["x"] == karat.Table.from_labels([1, 1, 2], [6, 6, 5])
    with pytest.raises(karat.LabelError, match=r"gold has 1 missing label, at item 'd' and 'y' has 1 missing label"):
        Evaluation(gold, systems)
    alone = Evaluation(gold, systems, missing="singletons")
    assert alone.n == 5
    assert len(alone.tables["y"].clusters) == 3
    assert Evaluation(gold, systems, missing="cluster").n == 5
    with pytest.raises(karat.LabelError, match=r"'y' lacks 'a'"):
        Evaluation({"a": 1, "b": 2}, {"x": {"a": 1, "b": 1}, "y": {"b": 1}})


def test_noise_is_treated_for_each_system() -> None:
    gold, systems = [0, 0, 1, 1], {"x": [-1, 5, 6, 6], "y": [5, 5, -1, -1]}
    assert Evaluation(gold, systems, noise=-1, noise_as="drop").n == 1
    joint = Evaluation(gold, systems, noise=-1, noise_as="singletons")
    assert [len(table.clusters) for table in joint.tables.values()] == [3, 3]
    assert Evaluation(gold, systems, noise=-1, noise_as="cluster").tables["y"].policy.noise_items == 2


@pytest.mark.parametrize(
    ("gold", "systems", "message"),
    [
        ([0, 1], {"x": [0, 1], "y": [0]}, "'y' has 1"),
        ([0, 1], {1: [0, 1], "1": [0, 1]}, "two systems are called '1'"),
        ([0, 1], {"x": {"a": 0, "b": 1}, "y": [0, 1]}, "names its items"),
        ([0, 1], {"gold": [0, 1], "y": [0, 1]}, "called 'gold'"),
        ([0, 1], {}, "pred is an empty dict"),
        ([0, 1], [[0, 1], [1, 0]], "in cluster 0 and in cluster 1"),
        ([None, None], {"x": [0, 1], "y": [0, 1]}, "gold has 2 missing labels"),
    ],
)
def test_systems_that_cannot_be_compared_are_refused(gold: object, systems: object, message: str) -> None:
    with pytest.raises(karat.KaratError, match=message):
        karat.compare(gold, systems, "ari")  # type: ignore[arg-type]


def test_paired_errors_are_the_jackknife_of_the_differences(data: tuple) -> None:
    gold, systems = data
    chosen = {"good": systems["good"], "poor": systems["poor"]}
    found = karat.compare(gold, chosen, ["v_measure", "ari"], corrected=False)
    for text in ("v_measure", "ari"):
        measure = karat.parse(text)
        gaps = np.array([
            float(measure(np.delete(gold, i), np.delete(chosen["good"], i)))
            - float(measure(np.delete(gold, i), np.delete(chosen["poor"], i)))
            for i in range(gold.size)
        ])  # fmt: skip
        error = math.sqrt((gold.size - 1) / gold.size * ((gaps - gaps.mean()) ** 2).sum())
        difference = found.difference("poor", "good", text)
        assert difference.high - difference.estimate == pytest.approx(1.959964 * error, rel=1e-6)
        assert difference.estimate == pytest.approx(difference.value) == found["poor"][text] - found["good"][text]
        turned = found.difference("good", "poor", text)
        assert (turned.value, turned.low, turned.high) == (-difference.value, -difference.high, -difference.low)


def test_resampled_differences_agree_with_the_jackknife(data: tuple, monkeypatch: pytest.MonkeyPatch) -> None:
    gold, systems = data
    ev, measures = Evaluation(gold, systems), [karat.ari, karat.bcubed_f]
    jackknives = {name: Jackknife(table, corrected=False) for name, table in ev.tables.items()}
    smooth = paired(ev.joint, measures, Sampling(corrected=False), jackknives)
    monkeypatch.setattr("karat.comparisons.paired.by_jackknife", lambda *_: False)
    monkeypatch.setattr(Jackknife, "influence", lambda *_: None)
    drawn = paired(ev.joint, measures, Sampling(corrected=False, resamples=3000), jackknives)
    for a, b in zip(smooth, drawn, strict=True):
        assert b.covariances == pytest.approx(a.covariances, rel=0.2, abs=1e-4)


def test_identical_systems_are_never_called_different(data: tuple) -> None:
    gold, systems = data
    found = karat.compare(gold, systems, "all", resamples=50)
    for measure in found.measures:
        difference = found.difference("good", "same", measure)
        assert (difference.estimate, difference.p, difference.p_holm) == (0, 1, 1), measure
        ranks = dict(zip(found.systems, found.verdicts[str(measure)].ranks, strict=True))
        assert ranks["good"] == ranks["same"] or measure.better is None


def test_lower_is_better_where_the_measure_says_so(data: tuple) -> None:
    found = karat.compare(*data, ["vi", "v_measure"])
    for name in ("vi", "v_measure"):
        assert found.difference("good", "poor", name).estimate * (1 if karat.parse(name).better == "higher" else -1) > 0
        assert found.verdicts[name].ranks[found.systems.index("poor")] == 4
        assert found.systems.index("poor") in found.verdicts[name].beats[0]


def test_p_values_are_corrected_by_holm(data: tuple) -> None:
    differences = karat.compare(*data, "ari").verdicts["ari"].differences
    raw = sorted(d.p for d in differences)
    number = len(raw)
    wanted = np.minimum(1, np.maximum.accumulate([(number - i) * p for i, p in enumerate(raw)]))
    assert sorted(d.p_holm for d in differences) == pytest.approx(wanted)
    assert Reference(0.95).p(1.96, 1.0) == pytest.approx(2 * stats.norm.sf(1.96))
    assert Reference(0.95, 4).p(1.96, 1.0) == pytest.approx(2 * stats.t.sf(1.96, 4))
    assert Reference(0.95, 4).z == pytest.approx(stats.t.ppf(0.975, 4))
    without_variation = [Reference(0.95).p(*pair) for pair in ((0, 0), (1, 0), (math.nan, 1))]
    assert without_variation == [1, 1, 1]


@pytest.mark.parametrize(
    ("a", "b"), [([1, 2, 3, 4], [1, 3, 2, 4]), ([1, 2.5, 2.5, 4], [4, 3, 2, 1]), ([1, 2, 3], [1, 2, 3])]
)
def test_kendalls_tau_is_scipys(a: list[float], b: list[float]) -> None:
    assert kendall(a, b) == pytest.approx(stats.kendalltau(a, b).statistic)
    assert kendall([1, 1], [1, 2]) is None


def test_the_table_tells_who_is_best_and_who_may_be_as_good(data: tuple) -> None:
    found = karat.compare(*data, ["v_measure", "ari"])
    text = str(found)
    assert "4 systems on 400 items in 4 classes" in text
    assert "may be as good" in text
    assert "significantly better than" in text
    assert "95% intervals" in text
    assert "Kendall's tau" in text
    latex = found.to_latex()
    assert r"\textbf{" in latex
    assert "$^{c}$" in latex
    assert "<sup>c</sup>" in found.to_markdown()
    assert "**0." in found.to_markdown()
    frame = found.to_frame("pandas")
    assert len(frame) == 8
    assert set(frame.columns) >= {"system", "measure", "score", "low", "high", "rank", "better_than"}
    assert json.loads(json.dumps(found.to_dict()))["n"] == 400
    assert len(found.differences()) == 12
    assert repr(found) == "<Comparison: good, same, poor, near by v_measure, ari>"
    with pytest.raises(karat.KaratError, match="'other' is not compared"):
        found.difference("good", "other", "ari")
    with pytest.raises(karat.KaratError, match="purity was not compared"):
        found.interval("good", "purity")


def test_the_best_is_best_again_as_often_as_it_is_better() -> None:
    rng = np.random.default_rng(3)
    gold = rng.integers(0, 3, 500)
    clear = karat.compare(gold, {"a": noisy(rng, gold, 0.1), "b": noisy(rng, gold, 0.6)}, "ari")
    assert clear.verdicts["ari"].stability(0) == 1
    assert clear.verdicts["ari"].stability(1) == 0
    lower = karat.compare(gold, {"a": noisy(rng, gold, 0.1), "b": noisy(rng, gold, 0.6)}, "vi")
    assert lower.verdicts["vi"].stability(0) == 1
    level = karat.compare(gold, {"a": noisy(rng, gold, 0.4), "b": noisy(rng, gold, 0.4)}, "ari").verdicts["ari"]
    (difference,) = level.differences
    assert level.stability(difference.better) == pytest.approx(1 - difference.p / 2, abs=0.04)


def test_the_best_score_is_not_called_best_if_another_system_is_better() -> None:
    rng = np.random.default_rng(5)
    gold = rng.integers(0, 5, 400)
    found = karat.compare(gold, {"good": noisy(rng, gold, 0.5, 5), "pieces": rng.integers(0, 300, 400)}, "v_measure")
    assert found["pieces"]["v_measure"] > found["good"]["v_measure"]
    text = " ".join(str(found).split())
    assert "pieces has the best score, but good would be better on more items" in text
    assert (
        found.difference("good", "pieces", "v_measure").estimate
        * (1 if karat.parse("v_measure").better == "higher" else -1)
        > 0
    )


def test_too_few_items_tell_nothing_apart() -> None:
    found = karat.compare(["a", "b"], {"x": [0, 1], "y": [0, 0]}, "all", resamples=20)
    assert not any(found.verdicts[str(m)].beats[0] for m in found.measures)
    assert "the best score, significantly better" not in " ".join(str(found).split())


def test_scores_that_are_no_numbers_are_refused() -> None:
    odd = karat.wrap(lambda gold, pred: math.nan if len(set(pred)) == 2 else 0.5, name="odd")
    with pytest.raises(karat.MeasureError, match="odd returned nan, which is no finite number"):
        karat.compare([0, 1] * 20, {"a": [0, 1] * 20, "b": [0] * 40}, odd, resamples=10)


def test_measures_without_a_direction_have_no_letters(data: tuple) -> None:
    found = karat.compare(*data, "cluster_entropy")
    assert found.records()[0]["rank"] is None
    assert {record["better_than"] for record in found.records()} == {""}
    with pytest.raises(karat.KaratError, match="is no distance"):
        karat.agreement(data[1], "cluster_entropy")


def test_more_systems_than_letters_are_numbered(data: tuple) -> None:
    gold, systems = data
    many = {f"good {i}x": systems["good"] for i in range(27)} | {"poor": systems["poor"]}
    layout = karat.compare(gold, many, "ari").layout()
    assert layout.rows[0][0] == "1"
    assert layout.rows[0][2].letters == "28"


def test_noise_counts_alike_in_every_order_of_systems() -> None:
    systems = {"a": [-1, 0, 0, 1, 1], "b": [0, 0, 1, 1, -1], "c": [0, 1, 1, 0, 0]}
    one = karat.agreement(systems, noise=-1, noise_as="drop")
    other = karat.agreement(dict(reversed(systems.items())), noise=-1, noise_as="drop")
    assert one.n == other.n == 3
    assert one.values == pytest.approx(other.values[::-1, ::-1])
    assert karat.agreement({"gold": [0, 1], "b": [0, 1]}).values.tolist() == [[0, 0], [0, 0]]
    near = karat.agreement({"a": [0, 0, 1, 1] * 5, "x": [0, 1] * 10, "b": [0, 0, 1, 1] * 5}, "ari")
    assert abs(near.order.index(0) - near.order.index(2)) == 1  # those that go together, also where higher is closer


def test_a_default_panel_and_whole_classes_as_the_unit(data: tuple) -> None:
    gold, systems = data
    found = karat.compare(gold, systems, unit="classes", resamples=30)
    assert "classes" in found.signature
    assert "4 classes, which are few" in " ".join(str(found).split())
    with pytest.raises(karat.MeasureError, match="two classes or more"):
        karat.compare([0] * 40, {"a": [0, 1] * 20, "b": [1] * 40}, "vi", unit="classes")
    few = karat.compare(gold, systems, "ari", unit="classes", corrected=False)
    as_items = karat.compare(gold, systems, "ari", corrected=False).interval("poor", "ari")
    for name in systems:
        table = karat.Table.from_labels(gold, systems[name])
        influence = Jackknife(table, corrected=False).influence(karat.ari)
        assert few.interval(name, "ari").standard_error == pytest.approx(influence.error("classes"))
    assert as_items.standard_error != few.interval("poor", "ari").standard_error
    assert {str(m) for m in found.measures} >= {"v_measure", "ari", "purity"}


def test_systems_that_differ_in_a_number_are_a_sweep(data: tuple) -> None:
    gold, systems = data
    found = karat.compare(gold, {"k=10": systems["good"], "k=2": systems["poor"], "k=5": systems["near"]}, "ari")
    assert [point[0] for point in found.curve("ari")] == [2, 5, 10]
    assert found.curve("ari")[2][1] == found["k=10"]["ari"]
    rows = [row[1] for row in found.layout().rows]
    assert rows == ["k=2", "k=5", "k=10"]
    assert sweep_of(["run-1", "run-2", "other-3"]) is None
    assert sweep_of(["k=1", "k=2"]) is None
    assert sweep_of(["k=1", "k=1.0", "k=2"]) is None
    assert sweep_of(["20 topics", "30 topics", "5 topics"]).name == "topics"
    with pytest.raises(karat.KaratError, match="do not differ in one number"):
        karat.compare(gold, systems, "ari").curve("ari")


def test_systems_without_gold_are_compared_with_each_other(data: tuple) -> None:
    found = karat.agreement(data[1])
    assert found.values == pytest.approx(found.values.T)
    assert found.values[0, 1] == 0
    assert found.values[0, 2] == karat.vi(data[1]["good"], data[1]["poor"])
    assert "Closest: good and same" in str(found)
    assert {found.order.index(0), found.order.index(1)} in ({0, 1}, {1, 2}, {2, 3})
    assert len(found.to_frame("pandas")) == 16
    homogeneous = karat.agreement(data[1], "homogeneity")
    assert homogeneous.values[0, 2] == karat.homogeneity(data[1]["good"], data[1]["poor"])
    assert homogeneous.values[2, 0] == karat.homogeneity(data[1]["poor"], data[1]["good"])
    with pytest.raises(karat.KaratError, match="two systems or more"):
        karat.agreement({"x": [0, 1]})


def test_equal_systems_are_told_apart_as_often_as_the_level_says() -> None:
    rng = np.random.default_rng(11)
    found = 0
    for _ in range(300):
        gold = rng.integers(0, 4, 300)
        pair = {"a": noisy(rng, gold, 0.4), "b": noisy(rng, gold, 0.4)}
        found += karat.compare(gold, pair, "v_measure").difference("a", "b", "v_measure").p < 0.05
    assert 0.02 * 300 <= found <= 0.09 * 300


@pytest.fixture
def files(data: tuple, tmp_path: Path) -> Path:
    gold, systems = data
    (tmp_path / "gold.csv").write_text("id,class\n" + "".join(f"{i},{c}\n" for i, c in enumerate(gold)))
    for name in ("good", "poor"):
        rows = list(enumerate(systems[name]))[::-1]
        (tmp_path / f"{name}.csv").write_text("id,cluster\n" + "".join(f"{i},{c}\n" for i, c in rows))
    return tmp_path


def test_the_command_compares_files_matched_on_id(files: Path, data: tuple, capsys: pytest.CaptureFixture[str]) -> None:
    paths = [str(files / f"{name}.csv") for name in ("gold", "good", "poor")]
    assert main(["compare", *paths, "-m", "ari", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    wanted = karat.compare(data[0], {name: data[1][name] for name in ("good", "poor")}, "ari")
    assert [record["score"] for record in found["scores"]] == [wanted["good"]["ari"], wanted["poor"]["ari"]]
    assert found["differences"][0]["p"] == pytest.approx(wanted.difference("good", "poor", "ari").p)
    assert main(["compare", *paths, "-m", "ari", "--differences"]) == 0
    assert "p (Holm)" in capsys.readouterr().out
    assert main(["compare", *paths, "--pairwise"]) == 0
    assert "vi between 3 systems" in capsys.readouterr().out
    assert main(["compare", *paths[:2]]) == 1
    assert "use karat score" in capsys.readouterr().err
    assert main(["compare", *paths, "--pairwise", "--differences"]) == 2
    assert "leave out --pairwise" in capsys.readouterr().err
    assert main(["score", *paths[:2], "-m", "ari", "--interval"]) == 0
    assert "95% interval" in capsys.readouterr().out


def test_large_files_and_columns_are_read_too(files: Path, data: tuple) -> None:
    import duckdb

    path = files / "all.parquet"
    joined = " JOIN ".join(
        f"(SELECT id, {column} AS {name} FROM read_csv('{files / name}.csv')) AS {name} USING (id)" if place else
        f"(SELECT id, {column} AS {name} FROM read_csv('{files / name}.csv')) AS {name}"
        for place, (name, column) in enumerate((("gold", "class"), ("good", "cluster"), ("poor", "cluster")))
    )  # fmt: skip
    duckdb.sql(f"COPY (SELECT * FROM {joined} ORDER BY id) TO '{path}' (FORMAT parquet)")
    found = karat.read(str(path), gold="gold", pred="*oo*")
    assert found.systems == ("good", "poor")
    compared = karat.compare(found, measures="ari")
    assert compared["good"]["ari"] == karat.ari(*(data[0], data[1]["good"]))


def test_what_has_no_items_or_has_weights_is_scored_and_not_tested(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (files / "table.csv").write_text("1,2\n3,4\n")
    (files / "other.csv").write_text("3,0\n0,7\n")
    tables = [str(files / "table.csv"), str(files / "other.csv")]
    assert main(["compare", *tables, "--input", "matrix"]) == 0
    assert "Differences were not tested" in capsys.readouterr().out
    paths = [str(files / f"{name}.csv") for name in ("gold", "good", "poor")]
    assert main(["compare", *paths, "--weights", "id"]) == 0
    assert "Differences were not tested" in capsys.readouterr().out


LARGEST = ["purity", "inverse_purity", "f_measure", "f_measure_macro", "one_to_one", "one_to_one_greedy", "van_dongen"]


@pytest.mark.parametrize("measure", LARGEST)
def test_largest_cells_that_are_nearly_tied_are_tested_all_the_same(measure: str) -> None:
    rng = np.random.default_rng(3)
    gold = rng.integers(0, 10, 200)
    poor = rng.integers(0, 4, 200)  # whose cells are all alike
    found = karat.compare(gold, {"good": noisy(rng, gold, 0.1), "poor": poor}, measure, resamples=50)
    difference = found.difference("good", "poor", measure)
    assert difference.tested
    assert found.verdict(measure).best == "good"
    assert difference.p < 0.001
    assert difference.low * difference.high > 0
    assert difference.estimate == pytest.approx(difference.value) == found["good"][measure] - found["poor"][measure]
    assert "significantly better than all others" in " ".join(str(found).split())
    level = found.verdicts[measure]
    assert level.untested(0) == level.equals(0) == []


def test_the_fixed_map_test_is_the_test_of_items_that_fit() -> None:
    """With clear maps the difference of purities is a difference of two shares of the same items: McNemar's z."""
    rng = np.random.default_rng(4)
    gold = rng.integers(0, 4, 600)
    a, b = noisy(rng, gold, 0.2), noisy(rng, gold, 0.3)
    majority = [{k: np.bincount(gold[side == k]).argmax() for k in set(side.tolist())} for side in (a, b)]
    fits = [np.array([m[k] for k in side.tolist()]) == gold for m, side in zip(majority, (a, b), strict=True)]
    gap = fits[0].astype(float) - fits[1]
    z = gap.mean() / (gap.std(ddof=1) / math.sqrt(gap.size))
    found = karat.compare(gold, {"a": a, "b": b}, "purity", resamples=20).difference("a", "b", "purity")
    alone = 2 * stats.norm.sf(abs(z))
    assert alone * (1 - 1e-9) <= found.p < 2 * alone  # the larger of this one and that of cross-fitted scores
    assert found.low <= gap.mean() <= found.high


def test_what_cannot_be_tested_is_a_state_of_its_own() -> None:
    """A function that jumps: its resamples say nothing of it."""
    steps = karat.wrap(lambda gold, pred: float(len(set(zip(gold.tolist(), pred.tolist(), strict=True)))), name="steps")
    rng = np.random.default_rng(5)
    gold = rng.integers(0, 6, 60)
    systems = {"a": noisy(rng, gold, 0.3), "b": noisy(rng, gold, 0.9)}
    found = karat.compare(gold, systems, [steps, "ari"], resamples=40)
    difference = found.difference("a", "b", "steps")
    assert not difference.tested
    assert (difference.p, difference.p_holm, difference.low, difference.high) == (None,) * 4
    assert not difference.significant
    verdicts = found.verdicts["steps"]
    assert (verdicts.untested(0), verdicts.equals(0), verdicts.beats) == ([1], [], [[], []])
    text = " ".join(str(found).split())
    assert "was not tested" in text
    assert "steps: b has the best score, but a may be as good" not in text
    rows = found.table_of_differences().rows
    assert [row[-3:] for row in rows if row[0] == "steps"] == [["–", "–", "not tested"]]
    records = json.loads(json.dumps(found.to_dict()))["differences"]
    assert records[0]["p"] is None
    assert found.verdicts["ari"].differences[0].tested


def test_a_gap_that_no_item_varies_is_not_tested() -> None:
    found = karat.compare([0, 1] * 20, {"a": [0, 1] * 20, "b": [0] * 40}, "van_dongen, ari", resamples=20)
    for d in (d for v in found.verdicts.values() for d in v.differences):
        assert d.tested is (d.p is not None)
        assert d.p != 1 or d.difference == 0


def test_an_estimated_probability_is_never_said_to_be_certain() -> None:
    rng = np.random.default_rng(3)
    gold = rng.integers(0, 3, 60)
    systems = {f"s{i}": noisy(rng, gold, 0.3 + 0.02 * i) for i in range(4)}
    assert "100%" not in str(karat.compare(gold, systems, [*LARGEST, "ari"], resamples=20))


@pytest.mark.parametrize(("k", "other"), [(5, 200), (20, 40)])
def test_many_clusters_do_not_win_by_chance(k: int, other: int) -> None:
    """Random clusters have the same purity in the population however many they are; in a sample many look purer."""
    rng = np.random.default_rng(7)
    told = 0
    for _ in range(enough(160)):
        gold = rng.integers(0, 10, 1000)
        systems = {"few": rng.integers(0, k, 1000), "many": rng.integers(0, other, 1000)}
        found = karat.compare(gold, systems, ["purity"], resamples=2)
        told += found.difference("few", "many", "purity").p < 0.05
    assert told <= max(2, 0.1 * enough(160))


def test_clusters_split_at_random_do_not_win() -> None:
    rng = np.random.default_rng(8)
    gold = rng.integers(0, 10, 2000)
    one = noisy(rng, gold, 0.7)
    split = one * 20 + rng.integers(0, 20, 2000)
    found = karat.compare(gold, {"one": one, "split": split}, ["purity"], resamples=2)
    assert found["split"]["purity"] > found["one"]["purity"]
    assert not found.difference("one", "split", "purity").significant


def test_a_perfect_system_is_better_than_one_cluster() -> None:
    gold = [0, 1, 2, 3] * 25
    found = karat.compare(gold, {"perfect": gold, "one": [0] * 100}, ["v_measure", "ari"])
    for measure in ("v_measure", "ari"):
        assert found.difference("perfect", "one", measure).significant


def test_an_item_that_is_missing_and_noise_is_dropped_once() -> None:
    gold = ["a", None, "a", "b", "b", None, "b", "a", "a"]
    a, b = [1, -1, 1, 2, -1, 2, 2, 1, None], [1, -1, 1, 2, 2, -1, 2, 1, 1]
    found = karat.compare(gold, {"a": a, "b": b}, ["ari"], missing="drop", noise=-1, noise_as="drop", resamples=2)
    assert (found.n, found.dropped) == (5, 4)
