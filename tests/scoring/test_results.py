"""Scores: the default panel, what they print, their signature."""

from __future__ import annotations

import datetime as dt
import json
import math
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given

import karat
from karat.chance.expectations import expected
from karat.examples import textbook
from karat.kernels.tallying import FEW
from karat.measures.arithmetic import larger
from karat.measures.pair_counts import Pairs
from karat.tables.trivial import OneCluster, Singletons
from strategies import tables

SCORES = karat.score(*textbook())


def test_the_printed_panel() -> None:
    assert str(SCORES).splitlines()[:6] == [
        "17 items in 3 classes and 3 clusters",
        "",
        "measure          score  one cluster  singletons  shuffled",
        "homogeneity  ↑  0.3715       0.0000      1.0000    0.1438",
        "completeness ↑  0.3579       1.0000      0.3724    0.1385",
        "v_measure    ↑  0.3646       0.0000      0.5427    0.1411",
    ]
    assert repr(SCORES).startswith("<Scores: homogeneity=0.3715, completeness=0.3579")


def test_scores_are_a_frozen_mapping_of_plain_floats() -> None:
    assert dict(SCORES)["ari"] == SCORES["ari"] == SCORES[karat.ari] == karat.ari(*textbook())  # type: ignore[index]
    assert all(type(value) is float for value in SCORES.values())
    with pytest.raises(AttributeError):
        SCORES.table = None  # type: ignore[misc]
    with pytest.raises(TypeError):
        SCORES["ari"] = 1  # type: ignore[index]
    assert dict(pickle.loads(pickle.dumps(SCORES))) == dict(SCORES)
    assert len(SCORES) == 11
    assert SCORES["v_measure(beta=1)"] == SCORES["v_measure"]
    with pytest.raises(KeyError, match="puriti is not a measure; scored are 'homogeneity', 'completeness'"):
        SCORES["puriti"]
    with pytest.raises(KeyError, match=r"nmi was not scored; ask for it: karat\.score"):
        SCORES["nmi"]
    assert "nmi" not in SCORES


def test_a_table_can_be_scored_in_place_of_labels() -> None:
    table = karat.Table.from_labels(*textbook())
    assert karat.score(table) == SCORES
    with pytest.raises(karat.KaratError, match="so there is no pred; measures are given as"):
        karat.score(table, ["ari"])
    with pytest.raises(karat.KaratError, match="give the Stack to a measure"):
        karat.score(karat.Stack([[[1, 2]]]))
    with pytest.raises(karat.KaratError, match="leave out weights"):
        karat.score(table, weights=np.ones(17))
    with pytest.raises(karat.KaratError, match="leave out missing"):
        karat.score(table, missing="drop")
    with pytest.raises(
        karat.KaratError, match=r"pred is missing; give the predicted labels, or karat\.Table\.from_matrix"
    ):
        karat.score([1, 2])


def test_measures_can_be_named_in_many_ways() -> None:
    assert list(karat.score([0, 1], [0, 1], "ari")) == ["ari"]
    assert list(karat.score([0, 1], [0, 1], "ari, nmi(norm=max),v_measure")) == ["ari", "nmi(norm=max)", "v_measure"]
    assert list(karat.score([0, 1], [0, 1], karat.ari)) == ["ari"]
    assert list(karat.score([0, 1], [0, 1], ["ari", karat.nmi(norm="max"), "ari"])) == ["ari", "nmi(norm=max)"]
    assert len(karat.score([0, 1], [0, 1], "all")) == len(karat.list_measures())
    with pytest.raises(karat.MeasureError, match="measures is empty"):
        karat.score([0, 1], [0, 1], [])


def test_the_result_as_a_dict_is_json() -> None:
    stored = json.loads(json.dumps(SCORES.to_dict()))
    assert (stored["n"], stored["classes"], stored["clusters"], stored["dropped"]) == (17, 3, 3, 0)
    assert stored["scores"]["purity"] == {
        "score": pytest.approx(12 / 17),
        "error": None,
        "better": "higher",
        "one_cluster": pytest.approx(8 / 17),
        "singletons": 1.0,
        "shuffled": None,
    }
    assert stored["signature"] == SCORES.signature


def test_the_result_as_a_frame() -> None:
    frame = SCORES.to_frame("pandas")
    assert isinstance(frame, pd.DataFrame)
    assert frame.columns.tolist() == ["measure", "score", "error", "better", "one_cluster", "singletons", "shuffled"]
    assert isinstance(SCORES.to_frame("polars"), pl.DataFrame)
    assert isinstance(SCORES.to_frame(), pd.DataFrame)


def test_the_result_in_a_notebook_is_escaped() -> None:
    hostile = karat.wrap(lambda gold, pred: 0.5, name="<script>alert(1)</script>")
    html = karat.score([0, 1], [0, 1], ["ari", hostile])._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
    assert ">1.0000</td>" in html


def test_the_signature_says_how() -> None:
    assert karat.score([0, 1], [0, 1], ["v_measure", "vi", "q0"]).signature == (
        "measures:v_measure(beta=1),vi,q0|log:e+2|n:2|matched:positions|missing:raise|noise:none|weights:no|dropped:0|"
        f"karat:{karat.__version__}"
    )
    assert "|log:any|" in karat.score([0, 1], [0, 1], ["ari", "nmi"]).signature


DIFFERENT: list[dict[str, Any]] = [
    {},
    {"measures": "v_measure"},
    {"measures": "v_measure(beta=2)"},
    {"missing": "drop"},
    {"missing": "singletons"},
    {"missing": "cluster"},
    {"weights": [1, 2, 1, 1]},
    *({"noise": noise, "noise_as": how} for noise in (-1, 0) for how in ("drop", "singletons", "cluster")),
    {"noise": "a|b", "noise_as": "cluster"},
]


def test_runs_that_could_differ_have_different_signatures() -> None:
    signatures = [karat.score([0, 0, 1, 1], [0, 0, 1, -1], **options).signature for options in DIFFERENT]
    assert len(set(signatures)) == len(DIFFERENT)
    assert all(len(s.split("|")) == 9 for s in signatures)


@given(tables)
def test_trivial_clusterings_are_scored_as_if_they_were_real(table: karat.Table) -> None:
    if table.n > 2000:
        return
    gold, _ = table.expand()
    together = karat.Table.from_labels(gold, [0] * len(gold))
    apart = karat.Table.from_labels(gold, range(len(gold)))
    for measure in karat.list_measures():
        assert measure(OneCluster(table.profile)) == pytest.approx(measure(together), abs=1e-12, rel=1e-12), str(
            measure
        )
        assert measure(Singletons(table.profile)) == pytest.approx(measure(apart), abs=1e-12, rel=1e-12), str(measure)


def test_a_wrapped_function_has_baselines_too() -> None:
    size = karat.wrap(lambda gold, pred: len(set(pred.tolist())), name="clusters")
    baseline = karat.score([0, 0, 1], [0, 0, 1], size).baselines["clusters"]
    assert baseline == (1, 3, None)


def test_scores_of_a_real_valued_table_say_what_is_left_out() -> None:
    scores = karat.score([0, 0, 1, 1], [0, 0, 1, 1], weights=[1.5, 1, 1, 1])
    assert "ami" not in scores
    assert list(scores.omitted) == ["ami"]
    assert "ami is left out: the mutual information expected by chance needs integer counts of items" in str(scores)
    assert scores.n == 4.5
    assert str(scores).startswith("4.5 items in 2 classes and 2 clusters")
    assert scores.baselines["ari"] == (0, None, None)
    with pytest.raises(karat.TableError, match="needs integer counts"):
        karat.score([0, 0, 1, 1], [0, 0, 1, 1], "ami", weights=[1.5, 1, 1, 1])


def test_a_table_of_probabilities_is_scored_by_what_is_defined_for_it() -> None:
    scores = karat.score(karat.Table.from_matrix([[0.4, 0.1], [0.1, 0.4]]))
    assert set(scores.omitted) == {"ami", "ari", "pair_f"}
    assert scores["purity"] == 0.8
    assert karat.mirkin_normalised(scores.table) == pytest.approx(0.5 + 0.5 - 2 * 0.34)


def test_items_matched_by_id_and_by_position_are_told_apart() -> None:
    gold, pred = pd.Series([0, 0, 1, 1], index=list("abcd")), pd.Series([0, 1, 0, 1], index=list("acbd"))
    by_item, by_position = karat.score(gold, pred, "ari"), karat.score(gold, pred.tolist(), "ari")
    assert (by_item["ari"], by_position["ari"]) == (1, -0.5)
    assert "|matched:items|" in by_item.signature
    assert "|matched:positions|" in by_position.signature


def test_a_function_that_fails_on_trivial_clusterings_is_still_printed() -> None:
    fragile = karat.wrap(lambda gold, pred: 1 / (len(set(pred.tolist())) - 1), name="fragile|n:99")
    scores = karat.score([0, 0, 1], [0, 0, 1], fragile)
    assert scores.baselines["fragile|n:99"].one_cluster is None
    assert "fragile" in str(scores)
    assert r"fragile\x7cn:99" in scores.signature


def test_a_measure_with_a_kink_has_no_expectation() -> None:
    @karat.measure(title="Cut", better="higher")
    def cut(pairs: Pairs) -> Any:
        """The adjusted Rand index, never below 0."""
        return larger(karat.ari.formula(pairs), 0)

    assert karat.score([0, 0, 1, 1], [0, 0, 1, 1], "cut").baselines["cut"].shuffled is None


def test_numbers_print_without_a_minus_zero() -> None:
    from karat.output.layout import decimals

    assert [decimals(x) for x in (-1e-17, 0.0, -0.5, 12345678.9, math.inf, None)] == [
        "0.0000", "0.0000", "-0.5000", "1.23457e+07", "inf", "–",
    ]  # fmt: skip


def test_what_shuffling_gives_is_exact_for_large_tables() -> None:
    for matrix in ([[10**12, 1], [1, 1]], [[10**12, 1], [1, 0]], [[10**9, 3], [2, 1]]):
        table = karat.Table.from_matrix(matrix)
        assert expected(karat.ari, table) == expected(karat.gamma, table) == 0
    assert expected(karat.v_measure(beta=0), karat.Table.from_matrix([[3, 1]])) == 0


def test_one_item_reads_well() -> None:
    assert str(karat.score([0], [0])).startswith("1 item in 1 class and 1 cluster\n")


def all_shuffles(gold: list[int], pred: list[int], measure: karat.Measure) -> float:
    from itertools import permutations

    values = [measure(gold, list(p)) for p in set(permutations(pred))]
    return sum(values) / len(values)


@pytest.mark.parametrize(
    ("gold", "pred"),
    [
        ([0, 0, 0, 1, 1, 2], [0, 0, 1, 1, 2, 2]),
        ([0, 0, 1, 1], [0, 0, 0, 1]),
        ([0, 0, 0, 0], [0, 1, 1, 2]),
        ([0, 1, 2], [2, 1, 0]),
        ([0], [0]),
    ],
)
def test_the_shuffled_column_is_the_average_over_all_shuffles(gold: list[int], pred: list[int]) -> None:
    table = karat.Table.from_labels(gold, pred)
    known = {str(m): expected(m, table) for m in karat.list_measures()}
    for text, value in known.items():
        if value is not None:
            assert value == pytest.approx(all_shuffles(gold, pred, karat.parse(text)), abs=1e-12), text
    assert {"ari", "ami", "v_measure", "rand", "vi", "bcubed_precision", "q0"} <= {
        k for k, v in known.items() if v is not None
    }
    if (
        len(set(pred)) < len(pred) and len(set(gold)) > 1
    ):  # else shuffling changes nothing, and every expectation is known
        assert known["jaccard"] is known["bcubed_f"] is known["purity"] is known["q2"] is None


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_half_a_character_is_escaped_in_frames(backend: str) -> None:
    gold, pred = ["a", "\ud800", "b"], ["\udfff", "x", "x"]
    results = [karat.table(gold, pred), karat.match(gold, pred), karat.score(gold, {"\ud800": pred, "b": pred}, "ari")]
    for result in results:
        assert "\\ud" in str(result.to_frame(backend))


@pytest.mark.parametrize("label", [b"x", ("a", 1, b"y"), float("inf"), 3 + 4j, dt.date(2024, 1, 2), 2**70, "é", True])
def test_labels_of_any_kind_are_plain_in_dicts_and_json(label: Any) -> None:
    gold, pred = [label, label, "other"], [label, "other", "other"]
    table = karat.Table.from_labels(gold, pred)
    grouped = karat.explain(gold, pred, by=gold)
    for result in (karat.explain(table), karat.match(table), karat.score(gold, pred, "ari", by=gold), grouped):
        plain = json.loads(json.dumps(result.to_dict(), allow_nan=False))
        assert plain == result.to_dict() == json.loads(result.to_json())
    names = [row["class"] for row in karat.match(table).to_dict()["classes"]]
    assert len(set(map(str, names))) == 2
    assert None not in names


def test_a_group_whose_weights_are_zero_is_named() -> None:
    gold, pred, weights, by = [1, 1, 2, 2], [1, 2, 2, 2], [1.0, 2.0, 0.0, 0.0], ["u", "u", "v", "v"]
    frame = pl.DataFrame({"g": gold, "p": pred, "w": weights, "b": by})
    asked: list[Any] = [lambda: karat.score(gold, pred, weights=weights, by=by)]
    asked += [
        lambda given=given: dict(karat.score(given, gold="g", pred="p", weights="w", by="b"))
        for given in (frame, frame.lazy(), frame.to_pandas())
    ]
    for ask in asked:
        with pytest.raises(karat.LabelError, match=r"^all weights in group 'v' are 0; give at least one of its items"):
            ask()


@pytest.mark.parametrize("noise", [-1, -1.0])
def test_noise_has_one_name_whether_its_column_has_gaps_or_not(noise: float, tmp_path: Path) -> None:
    gaps = pd.DataFrame({"g": [1, 2, 3, 1], "p": [1, -1, None, 2]})
    policy: Any = {"missing": "drop", "noise": noise, "noise_as": "singletons"}
    for frame in (gaps, gaps.astype("Int64"), pl.from_pandas(gaps), pl.from_pandas(gaps).lazy()):
        assert "|noise:-1=singletons(1)|" in karat.score(frame, gold="g", pred="p", **policy).signature
    gaps.to_parquet(tmp_path / "gaps.parquet")
    read = karat.read(tmp_path / "gaps.parquet", gold="g", pred="p", **{**policy, "noise": "-1"})
    assert "|noise:-1=singletons(1)|" in karat.score(read).signature


def test_groups_that_python_takes_for_equal_are_printed_apart() -> None:
    by = [True, 1, True, 1]
    scores = karat.score([1, 2, 1, 2], [1, 2, 1, 1], ["ari"], by=by)
    assert len(scores) == len(karat.table([1, 2, 1, 2], [1, 2, 1, 1], by=by)) == 2
    assert [line.split()[0] for line in str(scores).splitlines()[3:7]] == ["1", "True", "macro", "micro"]


def test_json_can_be_written_as_utf_8_whatever_the_names() -> None:
    names = ["a\ud800b", "é\udfff", "\U0001f600"]
    board = karat.score(["x", "y"], {name: [1, 2] for name in names}, "ari")
    text = board.to_json()
    assert [system["system"] for system in json.loads(text.encode("utf-8"))["systems"]] == names
    assert "é" in text


def test_groups_of_any_size_have_the_table_of_their_own_items() -> None:
    sizes = (1, 2, FEW - 1, FEW, FEW + 1, 3 * FEW)
    by = [group for group, size in enumerate(sizes) for _ in range(size)]
    gold, pred = [f"g{i * 7 % 5}" for i in range(len(by))], [f"p{i * 11 % 6}" for i in range(len(by))]
    groups = karat.score(gold, pred, "ari", by=by)
    for group in range(len(sizes)):
        rows = [i for i, other in enumerate(by) if other == group]
        alone = karat.Table.from_labels([gold[i] for i in rows], [pred[i] for i in rows])
        assert groups[group].table == alone
