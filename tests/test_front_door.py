"""One front door: the same data through every way in and every verb gives the same numbers, drops and messages."""

from __future__ import annotations

import json
import math
import pickle
import random
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import karat
from karat.cli import main
from shared import enough

Sides = dict[str, dict[str, Any]]  # gold, a and b: labels by item

MEASURES = ["ari", "purity", "vi"]


# The ways in: each gives the arguments of a verb


def columns(sides: Sides) -> dict[str, list[Any]]:
    """The sides as columns of the same rows, None where an item is lacking."""
    items = list(dict.fromkeys(item for side in sides.values() for item in side))
    return {"id": items, **{name: [side.get(item) for item in items] for name, side in sides.items()}}


def lists(sides: Sides, _: Path) -> tuple[tuple[Any, ...], dict[str, Any]]:
    found = columns(sides)
    return (found["gold"], {"a": found["a"], "b": found["b"]}), {"id": found["id"]}


def dicts(sides: Sides, _: Path) -> tuple[tuple[Any, ...], dict[str, Any]]:
    mixed = {name: dict(random.Random(name).sample(list(side.items()), len(side))) for name, side in sides.items()}
    return (mixed.pop("gold"), mixed), {}


def series(sides: Sides, _: Path) -> tuple[tuple[Any, ...], dict[str, Any]]:
    made = {name: pd.Series(side, dtype=object) for name, side in sides.items()}
    return (made.pop("gold"), made), {}


def framed(make: Callable[[dict[str, list[Any]]], Any]) -> Any:
    def door(sides: Sides, _: Path) -> tuple[tuple[Any, ...], dict[str, Any]]:
        return (make(columns(sides)),), {"gold": "gold", "pred": ["a", "b"], "id": "id"}

    return door


def relation(found: dict[str, list[Any]]) -> Any:
    connection = duckdb.connect()
    connection.register("t", pa.table(found))
    return connection.sql("SELECT * FROM t")


def evaluation(sides: Sides, folder: Path) -> tuple[tuple[Any, ...], dict[str, Any]]:
    (gold, systems), _ = dicts(sides, folder)
    return (gold, systems), {"evaluation": True}


def files(ending: str) -> Any:
    def door(sides: Sides, folder: Path) -> tuple[tuple[Any, ...], dict[str, Any]]:
        paths = []
        for name, side in sides.items():
            path = folder / f"{'truth' if name == 'gold' else name}.{ending}"
            frame = pl.DataFrame({"id": list(side), "label": [None if v is None else str(v) for v in side.values()]})
            (frame.write_csv if ending == "csv" else frame.write_parquet)(path)
            paths.append(str(path))
        return tuple(paths), {"files": True}

    return door


DOORS: dict[str, Any] = {
    "lists": lists, "dicts": dicts, "Series": series, "Evaluation": evaluation,
    "pandas": framed(lambda found: pd.DataFrame(found, dtype=object)), "polars": framed(pl.DataFrame),
    "lazy": framed(pl.LazyFrame), "arrow": framed(pa.table), "duckdb": framed(relation),
    "csv": files("csv"), "parquet": files("parquet"),
}  # fmt: skip


def asked(verb: Callable[..., Any], door: str, sides: Sides, policy: dict[str, Any], **options: Any) -> Any:
    """A verb's answer for the sides that come through a door."""
    with tempfile.TemporaryDirectory() as folder:
        given, named = DOORS[door](sides, Path(folder))
        if named.pop("files", False):
            return verb(karat.read(*given, gold="label", id="id", **policy), **options)
        if named.pop("evaluation", False):
            return verb(karat.Evaluation(*given, **named, **policy), **options)
        return verb(*given, **named, **policy, **options)


VERBS: dict[str, Callable[..., dict[str, Any]]] = {
    "score": lambda *given, **options: numbers(karat.score(*given, measures=MEASURES, **options)),
    "compare": lambda *given, **options: numbers(karat.compare(*given, measures=MEASURES, resamples=20, **options)),
    "explain": lambda *given, **options: {
        name: found.value for name, found in karat.explain(*given, measure="ari", **options).items()
    },
    "relate": lambda *given, **options: {
        str(pair["measure"]) + str(pair["other"]): pair["r"]
        for pair in karat.relate(*given, measures=MEASURES, resamples=20, **options).records()
    },
    "table": lambda *given, **options: {
        name: sorted(count for _, _, count in table.top_cells())
        for name, table in karat.table(*given, **options).items()
    },
    "report": lambda *given, **options: {
        system.name: [system.scores[m] for m in MEASURES]
        for system in karat.report(*given, measures=MEASURES, interval=None, **options).systems
    },
}


def numbers(found: Any) -> dict[str, Any]:
    return {
        "dropped": found.dropped, "n": found.n,
        **{f"{system} {m}": found[system][m] for system in found for m in MEASURES},
    }  # fmt: skip


def outcome(verb: str, door: str, sides: Sides, policy: dict[str, Any]) -> Any:
    """What a verb gives, or the sentence that it says, with the names of sides that all doors have."""
    try:
        return asked(VERBS[verb], door, sides, policy)
    except karat.KaratError as problem:
        return said(str(problem))


def said(message: str) -> str:
    """A message with sides called as they are in memory, and without where the labels are."""
    message = re.sub(r"'[^']*truth\.\w+'(, column 'label')?", "gold", message)
    message = re.sub(r"'[^']*/([ab])\.\w+'(, column 'label')?", r"'\1'", message)
    return re.sub(r", at (item|position|row|line)s? .*(?=;)", "", message)


labels = st.sampled_from(["x", "y", "z"])
some_labels = st.dictionaries(st.sampled_from([f"i{n}" for n in range(7)]), labels | st.none(), min_size=1)


@settings(max_examples=enough(40))
@given(
    st.fixed_dictionaries({"gold": some_labels, "a": some_labels, "b": some_labels}),
    st.sampled_from(
        [{"missing": how} for how in ("drop", "singletons", "cluster")]
        + [
            {"missing": how, "noise": "z", "noise_as": noise}
            for how in ("drop", "cluster")
            for noise in ("drop", "singletons")
        ]
        + [{"missing": "drop", "ignore": "y"}]
    ),
    st.sampled_from(list(VERBS)),
    st.sampled_from(list(DOORS)),
)
def test_every_door_and_every_verb_say_the_same(sides: Sides, policy: dict[str, Any], verb: str, door: str) -> None:
    ordered = {name: sides[name] for name in ("gold", "a", "b")}
    wanted, found = (rounded(outcome(verb, name, ordered, policy)) for name in ("dicts", door))
    assert found == wanted


def rounded(value: Any) -> Any:
    """Numbers without their last digits."""
    if isinstance(value, dict):
        return {key: rounded(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [rounded(inner) for inner in value]
    return round(value, 9) + 0.0 if isinstance(value, float) else value


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("door", DOORS)
def test_every_door_says_the_same_of_a_missing_label(door: str, verb: str) -> None:
    sides = {"gold": {"i1": "x", "i2": "y"}, "a": {"i1": "x", "i2": None}, "b": {"i1": "x", "i2": "y"}}
    assert outcome(verb, door, sides, {}) == "'a' has 1 missing label; say missing='drop', 'singletons' or 'cluster'."


@pytest.mark.parametrize("door", ["dicts", "Series", "Evaluation", "csv", "parquet"])
def test_every_door_says_the_same_of_different_items(door: str) -> None:
    sides = {"gold": {"i1": "x", "i2": "y"}, "a": {"i1": "x", "i2": "y"}, "b": {"i1": "x", "i3": "y"}}
    message = outcome("score", door, sides, {})
    assert message == (
        "gold and the others are about different items: gold lacks 'i3'; 'a' lacks 'i3'; 'b' lacks 'i2'; "
        "say missing='drop', 'singletons' or 'cluster'."
    )


# Items: the same for gold and all systems


def test_items_that_any_side_lacks_are_dropped_for_all() -> None:
    gold = {"i1": "x", "i2": "x", "i3": "y", "i4": "y"}
    systems = {"whole": {"i1": 1, "i2": 1, "i3": 2, "i4": 2}, "part": {"i1": 1, "i2": 2, "i9": 2, "i4": 2}}
    ev = karat.Evaluation(gold, systems, missing="drop")
    assert (list(ev.items), ev.n, ev.dropped) == (["i1", "i2", "i4"], 3, 2)
    assert ev.dropped_by == {"gold": 1, "whole": 1, "part": 1}
    board = karat.score(ev, measures=["ari"])
    alone = karat.score(gold, systems["whole"], ["ari"], missing="drop")
    assert (board["whole"].n, alone.n) == (3, 4)
    assert board["whole"].table == karat.Table.from_labels(["x", "x", "y"], [1, 1, 2])


def test_systems_that_lose_different_items_are_told() -> None:
    gold = [0, 0, 1, 1]
    board = karat.score(gold, {"a": [0, None, 1, 1], "b": [0, 0, None, None]}, ["ari"], missing="drop")
    assert "Systems lack different items, which are left out for all: a 1, b 2." in str(board)


def test_ignored_items_are_left_out_and_counted() -> None:
    scores = karat.score(["x", "void", "y", "y"], [1, 2, 3, 3], ["ari"], ignore="void")
    assert (scores.n, scores.dropped, scores["ari"]) == (3, 1, 1)
    assert "|ignore:'void'(1)|" in scores.signature
    with pytest.raises(karat.LabelError, match="ignore='1' is not among gold's labels, but 1 is"):
        karat.score([1, 2], [1, 2], ignore="1")


def test_dropped_counts_items_never_weights() -> None:
    scores = karat.score([0, 0, 1], [0, None, 1], ["ari"], weights=[2.5, 7, 1], missing="drop")
    assert (scores.n, scores.dropped) == (3.5, 1)


# Groups


def test_what_only_one_file_has_and_groups_that_vanish_are_counted_as_dropped(tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "g.csv").write_text("id,class,word\n1,a,x\n2,a,x\n3,b,y\n4,b,z\n")
    (tmp_path / "p.csv").write_text("id,cluster\n1,k\n2,k\n3,m\n7,m\n8,m\n")
    files = [str(tmp_path / name) for name in ("g.csv", "p.csv")]
    ev = karat.read(*files, by="word", missing="drop")
    found = karat.score(ev, measures=["ari"])
    assert (list(found), found.empty, found.dropped) == (["x", "y"], ("z",), 3)
    assert main(["score", *files, "--by", "word", "--missing", "drop", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["systems"][0]["dropped"] == 3


def test_groups_of_several_systems_have_a_ranking_and_means() -> None:
    gold, by = [0, 0, 1, 1, 0, 0, 1, 1, 1, 1], ["u"] * 4 + ["v"] * 6
    systems = {"poor": [0, 1] * 5, "good": [0, 0, 1, 1, 0, 0, 1, 1, 1, 0]}
    found = karat.score(gold, systems, ["ari", "purity"], by=by)
    assert found["u"]["good"]["ari"] == 1
    assert found.ranking("ari") == ["good", "poor"]
    purities = [found[group]["good"]["purity"] for group in found]
    assert found.macro["good"]["purity"] == pytest.approx(sum(purities) / 2)
    assert found.micro["good"]["purity"] == pytest.approx((4 * purities[0] + 6 * purities[1]) / 10)
    assert karat.compare(gold, systems, ["ari", "purity"], by=by) == found
    assert list(karat.explain(gold, systems, by=by)["v"]) == ["poor", "good"]
    assert "good" in karat.report(gold, systems, ["ari"], by=by).html()


def test_senseval_keys_are_compared_and_explained_word_by_word(tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "gold.key").write_text("bank bank.1 a\nbank bank.2 a\nbank bank.3 b\nrun run.1 c\nrun run.2 d\n")
    (tmp_path / "one.key").write_text("bank bank.1 1\nbank bank.2 1\nbank bank.3 2\nrun run.1 1\nrun run.2\n")
    files = [str(tmp_path / name) for name in ("gold.key", "one.key", "one.key")]
    for command in ("compare", "explain"):
        assert main([command, *files[:2], "--missing", "cluster"]) == 0
        assert "bank" in capsys.readouterr().out
    assert main(["score", *files[:2]]) == 1
    assert "missing label" in capsys.readouterr().err


# Results


def numbers_of(seed: int) -> tuple[Any, dict[str, Any]]:
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, 4, 120)
    return gold, {
        name: np.where(rng.random(120) < p, gold, rng.integers(0, 6, 120))
        for name, p in zip("abc", (0.8, 0.6, 0.3), strict=True)
    }


EVERY = ["purity", "one_to_one", "f_measure", "ari", "v_measure", "ami"]


def test_an_interval_does_not_depend_on_the_systems_beside_it_or_their_order() -> None:
    gold, systems = numbers_of(0)
    whole = karat.compare(gold, systems, EVERY, resamples=50)
    turned = karat.compare(gold, {"c": systems["c"], "a": systems["a"]}, EVERY, resamples=50)
    alone = karat.score(gold, systems["a"], EVERY, interval=True, resamples=50)
    for measure in EVERY:
        assert whole.interval("a", measure) == turned.interval("a", measure) == alone.interval(measure)


@settings(max_examples=enough(40))
@given(st.lists(st.tuples(labels | st.none(), labels | st.none(), labels | st.none()), min_size=2, max_size=12))
def test_items_are_in_the_cells_of_their_labels(rows: list[tuple[Any, Any, Any]]) -> None:
    gold, a, b = (list(column) for column in zip(*rows, strict=True))
    ev = karat.Evaluation(gold, {"a": a, "b": b}, missing="singletons", id=[f"i{n}" for n in range(len(rows))])
    for system, labels_of in (("a", a), ("b", b)):
        table, cells = ev.tables[system], ev.item_cells(system)
        for row, cell in enumerate(cells.tolist()):
            names = table.classes[table.rows[cell]], table.clusters[table.cols[cell]]
            for name, label in zip(names, (gold[row], labels_of[row]), strict=True):
                assert name == label if label is not None else name.item == f"i{row}"
        assert np.array_equal(np.bincount(ev.joint.cells(system), ev.joint.counts), table.counts)


def results() -> dict[str, Any]:
    gold, systems = numbers_of(1)
    by = ["u", "v"] * 60
    return {
        "Scores": karat.score(gold, systems["a"], EVERY, interval=0.9, resamples=20),
        "Board": karat.score(gold, systems, EVERY),
        "GroupScores": karat.score(gold, systems, EVERY, by=by),
        "Comparison": karat.compare(gold, systems, EVERY, resamples=20),
        "Explanation": karat.explain(gold, systems["a"]),
        "Explanations": karat.explain(gold, systems),
        "Match": karat.match(gold, systems["a"]),
        "Relation": karat.relate(gold, systems, EVERY, resamples=20),
        "Agreement": karat.agreement(systems),
    }  # fmt: skip


@pytest.mark.parametrize(
    "kind",
    ["Scores", "Board", "GroupScores", "Comparison", "Explanation", "Explanations", "Match", "Relation", "Agreement"],
)
def test_results_are_alike(kind: str) -> None:
    result = results()[kind]
    assert type(result).__name__ == kind
    assert isinstance(result, karat.Result)
    again = pickle.loads(pickle.dumps(result))
    assert again == result
    assert str(again) == str(result)
    assert json.loads(result.to_json())
    assert len(result.to_frame("polars")) == len(result.records()) > 0
    assert result.to_markdown().count("|") > 4
    assert r"\begin{tabular}" in result.to_latex()
    assert "<table>" in result._repr_html_()
    assert "karat:" in result.signature
    other = numbers_of(2)
    assert result != karat.score(*other, EVERY)
    assert "nan" not in result.to_json().lower()


def test_results_draw_themselves() -> None:
    import matplotlib.pyplot as plt

    found = results()
    for kind in ("Scores", "Board", "Comparison", "Explanation", "Relation"):
        axes = found[kind].plot()
        assert axes.has_data(), kind
        plt.close(axes.figure)
    with pytest.raises(karat.KaratError, match="Agreement has no picture"):
        found["Agreement"].plot()


def test_signatures_name_the_seed_where_something_was_drawn() -> None:
    gold, systems = numbers_of(3)
    drawn = [karat.score(gold, systems["a"], ["purity"], interval=True, seed=seed, resamples=30) for seed in (3, 4)]
    assert drawn[0].signature != drawn[1].signature
    exact = [karat.score(gold, systems["a"], ["ari"], interval=True, seed=seed) for seed in (3, 4)]
    assert exact[0].signature == exact[1].signature
    assert exact[0] == exact[1]
    tested = [karat.compare(gold, systems, ["purity"], seed=seed, resamples=30).signature for seed in (3, 4)]
    assert tested[0] != tested[1]


def test_a_flat_dict_has_names_without_brackets() -> None:
    gold, systems = numbers_of(4)
    scores = karat.score(gold, systems["a"], ["nmi(norm=max)", "ari"], interval=True)
    assert list(scores.to_flat_dict()) == [
        "nmi.norm-max",
        "nmi.norm-max.low",
        "nmi.norm-max.high",
        "ari",
        "ari.low",
        "ari.high",
    ]
    assert list(karat.score(gold, systems, ["ari"]).to_flat_dict()) == ["a.ari", "b.ari", "c.ari"]


# What is what


def test_a_dict_of_single_labels_is_one_clustering_and_any_other_dict_is_systems() -> None:
    gold = {"p": 0, "q": 0, "r": 1}
    assert isinstance(karat.score(gold, {"p": 5, "q": 5, "r": 6}), karat.Scores)
    assert isinstance(karat.score(gold, {"k": {"p": 5, "q": 5, "r": 6}}), karat.Board)
    assert isinstance(karat.score([0, 0, 1], {"k": [5, 5, 6]}), karat.Board)
    assert isinstance(karat.score([0, 0, 1], {"k": (5, 5, 6)}), karat.Board)
    assert isinstance(karat.score(gold, {item: (label, 1) for item, label in gold.items()}), karat.Scores)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: karat.score({"p": 0, "q": 1}, {"c": {"p", "q"}}), "a dict of sets could be clusters or systems"),
        (lambda: karat.score({"p": 0, "q": 1}, {"p": 0, "q": [1]}), "beside values that are not single labels"),
        (lambda: karat.score(pd.Series([0, 1]), {"a": (0, 1)}), "could be labels of items or systems"),
        (lambda: karat.ari([["p", "q"], ["q"]], {"p": 0, "q": 1}), "overlap are a cover"),
        (lambda: karat.ari([["p", "p"]], {"p": 0}), "twice in cluster 0"),
        (lambda: karat.ari([[0, 1], [2]], [0, 0, 1]), "gold names its items but pred does not"),
        (lambda: karat.ari([np.array([0, 1]), np.array([2])], [0, 0, 1]), "concatenate"),
        (lambda: karat.score([0, 1], [0, 1], wieghts=[1, 1]), "did you mean weights"),
        (lambda: karat.score(karat.Evaluation([0, 1], [0, 1]), missing="drop"), "leave out missing"),
        (lambda: karat.score([0, 1], [0, 1], gold=[0, 1]), "gold was given twice"),
        (lambda: karat.score(pl.DataFrame({"a": [1]})), "name its columns: gold="),
        (lambda: karat.score([0, 1], pl.LazyFrame({"a": [0, 1]})), "collect it first"),
        (lambda: karat.score([0, 1], [0, 1], id="doc"), "is a column of a frame"),
        (lambda: karat.Evaluation.from_frame(pd.DataFrame({"a": [1]}), gold=None, pred="a"), "gold is None; name a"),
        (lambda: karat.Table.from_batches(np.array(3)), "are no batches"),
        (lambda: karat.score([0, 1], [0, 1], np.array("ari")), "give names of measures"),
        (lambda: karat.ari(type("Own", (), {"membership": 5, "graph": 5})(), [1, 2]), "not labels"),
    ],
)  # fmt: skip
def test_what_could_mean_two_things_is_refused(call: Callable[[], Any], message: str) -> None:
    with pytest.raises((karat.KaratError, TypeError), match=message) as caught:
        call()
    assert len(str(caught.value)) < 300


def test_clusters_in_a_set_are_numbered_by_their_smallest_items() -> None:
    assert karat.match({"b": 0, "a": 0, "c": 1}, {frozenset("ab"), frozenset("c")}).map == {0: 0, 1: 1}
    assert karat.ari([["u", "v"], ["w"]], {"u": 1, "v": 1, "w": 2}) == 1


def test_label_images_are_scored_pixel_by_pixel() -> None:
    image = np.arange(12).reshape(3, 4) // 3
    assert karat.ari(image, image + 5) == 1
    with pytest.raises(karat.LabelError, match=r"gold has shape \(3, 4\) but pred has shape \(4, 3\)"):
        karat.ari(image, image.T)


def test_a_frame_of_predictions_has_a_system_in_each_column() -> None:
    gold, systems = numbers_of(5)
    for frame in (pd.DataFrame(systems), pl.DataFrame(systems), pa.table({k: pa.array(v) for k, v in systems.items()})):
        assert dict(karat.score(gold, frame, ["ari"])["b"]) == dict(karat.score(gold, systems["b"], ["ari"]))
    numbered = pd.DataFrame(np.column_stack(list(systems.values())))
    assert karat.compare(gold, numbered, ["ari"]).systems == ("0", "1", "2")


def test_an_infinite_beta_is_recall_or_completeness() -> None:
    gold, systems = numbers_of(6)
    pred = systems["b"]
    assert karat.v_measure(gold, pred, beta=math.inf) == karat.completeness(gold, pred)
    assert karat.pair_f(gold, pred, beta=math.inf) == karat.pair_recall(gold, pred)
    assert karat.bcubed_f(gold, pred, beta=math.inf) == karat.bcubed_recall(gold, pred)
    for name in ("v_measure", "pair_f", "bcubed_f"):
        near = float(karat.parse(f"{name}(beta=1e50)")(gold, pred))
        assert karat.parse(f"{name}(beta=inf)")(gold, pred) == pytest.approx(near)
        assert str(karat.parse(f"{name}(beta=inf)")) == f"{name}(beta=inf)"


def test_gold_and_pred_may_be_keywords() -> None:
    gold, systems = numbers_of(7)
    assert karat.v_measure(gold=gold, pred=systems["a"]) == karat.v_measure(gold, systems["a"])
    assert karat.v_measure(gold, pred=systems["a"], beta=2) == karat.v_measure(gold, systems["a"], beta=2)
    assert karat.score(gold=gold, pred=systems, measures="ari") == karat.score(gold, systems, "ari")


def test_a_report_of_one_file_that_duckdb_reads_has_its_items(tmp_path: Path) -> None:
    path = tmp_path / "d.parquet"
    pl.DataFrame({"id": ["p", "q", "r"], "gold": ["x", "x", "y"], "pred": [1, 1, 1]}).write_parquet(path)
    page = tmp_path / "page.html"
    assert main(["report", str(path), "-o", str(page), "-q"]) == 0
    made = karat.report(karat.read(str(path), items=True), measures=["ari"])
    assert made.systems[0].examples == {0: ("p", "q"), 1: ("r",)}


def test_the_kind_of_input_means_the_same_in_every_command(tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "gold.csv").write_text("id,class\n1,x\n2,x\n3,y\n")
    for name in ("one", "two"):
        (tmp_path / f"{name}.txt").write_text("1 2\n3\n")
    paths = [str(tmp_path / name) for name in ("gold.csv", "one.txt", "two.txt")]
    for command in ("score", "compare", "relate"):
        assert main([command, *paths, "--input", "communities", "-m", "ari,purity,vi"]) == 0, capsys.readouterr().err
