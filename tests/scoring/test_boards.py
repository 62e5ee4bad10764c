"""Scores side by side."""

from __future__ import annotations

import numpy as np
import pytest

import karat

GOLD = [0, 0, 1, 1, 1, 2]
SYSTEMS = {"good": [5, 5, 6, 6, 6, 7], "poor": [1, 2, 1, 2, 1, 2]}


def board() -> karat.Board:
    return karat.Board({name: karat.score(GOLD, pred, ["ari", "vi"]) for name, pred in SYSTEMS.items()})


def test_a_board_has_a_column_for_each_system() -> None:
    found = board()
    assert list(found) == ["good", "poor"]
    assert found["good"]["ari"] == 1
    lines = str(found).split("\n")
    assert lines[0] == "2 systems on 6 items"
    assert lines[2].split() == ["measure", "good", "poor", "one", "cluster", "singletons"]
    assert [record["system"] for record in found.records()] == ["good", "good", "poor", "poor"]
    assert repr(found) == "<Board: good, poor>"
    assert found.to_frame("polars").shape == (4, 11)


def test_systems_on_different_items_have_no_common_baselines() -> None:
    found = karat.Board({"a": karat.score(GOLD, GOLD, "ari"), "b": karat.score(GOLD[:4], GOLD[:4], "ari")})
    assert "singletons" not in str(found).split("\n")[2]
    assert str(found).startswith("2 systems on 4 to 6 items")
    assert "a: measures:ari" in str(found)


def test_a_measure_that_only_one_system_has_is_a_dash_for_the_other() -> None:
    found = karat.Board({"a": karat.score(GOLD, GOLD, "ari"), "b": karat.score(GOLD, GOLD, "vi")})
    assert [row[1:3] for row in found.layout().rows] == [["1.0000", "–"], ["–", "0.0000"]]


def groups() -> karat.GroupScores:
    tables = {"x": ([0, 0, 1], [0, 0, 1]), "y": ([0, 1, 1, 1, 1, 1], [0, 0, 1, 1, 1, 1])}
    scores = {name: {"pred": karat.score(*labels, "purity,ari")} for name, labels in tables.items()}
    return karat.GroupScores("word", scores)


def test_macro_counts_groups_and_micro_counts_items() -> None:
    found = groups()
    purity = found["y"]["purity"]
    assert found.macro["purity"] == (1 + purity) / 2
    assert found.micro["purity"] == (3 * 1 + 6 * purity) / 9
    assert [row[0] for row in found.layout().rows] == ["x", "y", "macro", "micro"]
    assert str(found).startswith("2 groups by word\n")
    assert repr(found) == "<GroupScores: 2 groups by word>"
    assert len(found.records()) == 8
    assert [record["kind"] for record in found.records()] == ["group"] * 4 + ["mean"] * 4
    assert found.to_frame("pandas").columns.tolist() == ["by", "kind", "group", "items", "measure", "score", "better"]
    assert "by:word|groups:2|measures:purity,ari|log:any|n:9|matched:positions" in str(found)
    assert (len(found), list(found)) == (2, ["x", "y"])


def test_nothing_to_show_is_an_error() -> None:
    with pytest.raises(karat.KaratError, match="there are no systems"):
        karat.Board({})
    with pytest.raises(karat.KaratError, match="there are no groups"):
        karat.GroupScores("word", {})


def test_groups_that_treat_the_same_data_differently_have_different_signatures() -> None:
    gold, pred = [0, 0, 1, 1], [0, -1, 1, -1]

    def scored(how: str) -> karat.GroupScores:
        options = {"noise": -1, "noise_as": how}
        words = ["x"] * 4 + ["y"] * 3
        return karat.score(gold + gold[:3], pred + pred[:3], "ari", by=words, **options)

    signatures = [scored(how).signature for how in ("cluster", "singletons", "drop")]
    assert "noise:-1=drop(3)" in signatures[2]
    assert len(set(signatures)) == 3
    assert scored("drop").dropped == 3
    assert "(3 items dropped)" in str(scored("drop"))


def test_what_is_left_out_or_estimated_is_said_beside_several_systems() -> None:
    weights = [0.3, 1.4, 1, 1, 1, 1]
    found = karat.Board({name: karat.score(GOLD, pred, weights=weights) for name, pred in SYSTEMS.items()})
    assert "ami is left out" in " ".join(str(found).split())
    assert "ami" in found.to_dict()["systems"][0]["omitted"]


def test_measures_that_go_together_are_grouped() -> None:
    table = karat.Table.from_matrix([[30, 5, 2], [4, 25, 6], [3, 2, 23]])
    measures = ["ari", "jaccard", "fowlkes_mallows", "nmi", "v_measure", "vi", "purity"]
    found = karat.relate(table, measures=measures, resamples=300)
    names = [str(m) for m in found.measures]
    assert found.correlations[names.index("nmi"), names.index("v_measure")] == pytest.approx(1)
    assert found.correlations[names.index("vi"), names.index("v_measure")] > 0.9  # its sign is changed
    assert sum(map(len, found.groups())) == 7
    assert len(found.advice()) == 3
    assert "One measure can stand for each group" in str(found)
    assert found.to_frame("polars").shape == (21, 3)
    assert set(found.to_dict()) == {"observations", "correlations", "groups", "advice", "signature"}
    again = karat.relate([table], measures=["ari", "jaccard", "purity"], resamples=50)
    assert repr(again) == "<Relation: 3 measures over 50 resamples>"


def test_many_systems_are_related_as_they_are() -> None:
    systems = {f"s{i}": karat.Table.from_labels(GOLD, np.random.default_rng(i).integers(0, 3, 6)) for i in range(8)}
    assert karat.relate(systems).of == "8 systems"
    with pytest.raises(karat.KaratError, match="pred is missing"):
        karat.relate([])
    with pytest.raises(karat.KaratError, match="cannot be grouped"):
        karat.relate(systems, measures="ari")
    with pytest.raises(karat.KaratError, match="too few"):
        karat.relate(next(iter(systems.values())), resamples=2)
    with pytest.raises(karat.TableError, match="cannot be resampled"):
        karat.relate(karat.Table.from_matrix([[0.5, 1.2], [1, 2]]))


def test_a_group_called_macro_is_no_mean() -> None:
    gold, pred = [0, 0, 1, 1, 0, 0, 1, 1], [0, 0, 1, 1, 0, 1, 0, 1]
    records = karat.score(gold, pred, "purity", by=["macro"] * 4 + ["micro"] * 4).records()
    scores = {(record["kind"], record["group"]): record["score"] for record in records}
    assert scores == {
        ("group", "macro"): 1, ("group", "micro"): 0.5, ("mean", "macro"): 0.75, ("mean", "micro"): 0.75,
    }  # fmt: skip


def test_each_group_has_the_interval_that_it_has_alone() -> None:
    gold, pred = list("aabbcc") * 12, list("112233112322") * 6
    by = ["u"] * 30 + ["v"] * 42
    grouped = karat.score(gold, pred, ["ari", "purity"], by=by, interval=0.9, seed=3)
    alone = karat.score(gold[:30], pred[:30], ["ari", "purity"], interval=0.9, seed=3)
    assert grouped["u"].intervals == alone.intervals
    low, high = alone.interval("purity")[:2]
    assert f"{low:.4f} to {high:.4f}" in str(grouped)
    records = {(r["kind"], r["group"], r["measure"]): r for r in grouped.records()}
    assert records["group", "u", "purity"]["low"] == low
    assert records["mean", "macro", "purity"]["low"] is None
    assert grouped.to_dict()["groups"][0]["intervals"]["purity"]["high"] == high
    assert grouped.signature.endswith("|interval:0.9(jackknife+bootstrap,items,resamples=1000,seed=3)")
    assert "Means over groups have no interval." in str(grouped)
