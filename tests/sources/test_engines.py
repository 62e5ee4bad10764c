"""Data where it lives: one test body for every engine, equal to what is counted in memory."""

from __future__ import annotations

import copy
import gc
import json
import math
import pickle
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import karat
from engines import ENGINES, SLOW, counted_frame, engine_params
from karat.cli import main
from karat.sources.engines import collecting
from karat.sources.engines.counts import EngineCounts
from shared import enough

engines = pytest.mark.parametrize("engine", list(engine_params()))

LABELS = {
    "text": st.sampled_from(["a", "b", "it's", 'x"y', "; DROP", "ü", ""]),
    "integers": st.integers(-2, 3),
    "numbers": st.sampled_from([0.5, 1.0, -2.25]),
}
COLUMNS = st.sampled_from(["class", "a b", "x.y", "`t`", 'q"uote', "sel;ect --", "größe", "karat_gold"])


@st.composite
def frames(draw: st.DrawFn) -> tuple[dict[str, list[Any]], str, str]:
    size = draw(st.integers(1, 12))
    gold, pred = draw(st.lists(COLUMNS, min_size=2, max_size=2, unique=True))
    found = {}
    for name in (gold, pred):
        labels = LABELS[draw(st.sampled_from(sorted(LABELS)))]
        found[name] = draw(st.lists(labels, min_size=size, max_size=size))
    return found, gold, pred


@engines
@settings(deadline=None, max_examples=enough(12), suppress_health_check=[HealthCheck.too_slow])
@given(frames())
def test_every_engine_counts_what_is_counted_in_memory(engine: str, drawn: tuple) -> None:
    frame, gold, pred = drawn
    wanted = karat.Table.from_labels(frame[gold], frame[pred])
    native = ENGINES[engine](frame)
    assert karat.table(native, gold=gold, pred=pred) == wanted
    there = counted_frame(native, gold=gold, pred=pred, most=0)
    assert isinstance(there, EngineCounts)
    few = [karat.parse(text) for text in ("v_measure", "bcubed_f", "purity", "f_measure", "q2", "one_to_one")]
    for measure in few if engine in SLOW else karat.list_measures():
        if measure.name in ("one_to_one", "one_to_one_greedy"):
            with pytest.raises(karat.TableError, match="one-to-one map needs all"):
                measure.of(there)
            continue
        value, right = float(measure.of(there)), float(measure.of(wanted))
        assert math.isclose(value, right, rel_tol=1e-12, abs_tol=1e-12), (measure, engine)


MISSING = {"class": ["a", None, "b", "b", "a", "a"], "cluster": [1, 2, 2, None, 1, -1]}


@engines
@pytest.mark.parametrize("missing", ["drop", "singletons", "cluster"])
@pytest.mark.parametrize("noise_as", [None, "drop", "singletons", "cluster"])
def test_missing_labels_and_noise_are_treated_as_in_memory(engine: str, missing: Any, noise_as: Any) -> None:
    noise = {} if noise_as is None else {"noise": -1, "noise_as": noise_as}
    wanted = karat.Table.from_labels(MISSING["class"], MISSING["cluster"], missing=missing, **noise)
    options = {"gold": "class", "pred": "cluster", "missing": missing, **noise}
    found = karat.table(ENGINES[engine](MISSING), **options)
    assert found.policy == wanted.policy
    for text in ("v_measure", "ari", "bcubed_f", "purity"):
        assert karat.parse(text)(found) == pytest.approx(karat.parse(text)(wanted), abs=1e-12)
    if missing == "drop" and noise_as in (None, "drop", "cluster"):
        there = counted_frame(ENGINES[engine](MISSING), **options, most=0)
        assert there.policy == wanted.policy
        assert float(karat.v_measure.of(there)) == pytest.approx(karat.v_measure(wanted), abs=1e-12)
    else:
        with pytest.raises(karat.TableError, match="too many to collect; drop those items instead"):
            counted_frame(ENGINES[engine](MISSING), **options, most=0)


@engines
def test_items_without_a_label_are_refused(engine: str) -> None:
    for most in (0, None):
        with pytest.raises(karat.LabelError, match="missing='drop'"):
            counted_frame(ENGINES[engine](MISSING), gold="class", pred="cluster", most=most)


@engines
def test_nan_is_missing_and_not_a_label(engine: str) -> None:
    frame = {"class": [1.0, math.nan, 2.0, 2.0, math.nan], "cluster": ["x", "x", "y", "y", "y"]}
    found = karat.table(ENGINES[engine](frame), gold="class", pred="cluster", missing="drop")
    assert (found.n, found.policy.missing_items) == (3, 2)
    there = counted_frame(ENGINES[engine](frame), gold="class", pred="cluster", missing="drop", most=0)
    assert (there.n, there.policy.missing_items) == (3, 2)


@engines
def test_counts_and_weights_are_columns(engine: str) -> None:
    frame = {
        "class": ["a", "a", "b", "a"],
        "cluster": [1, 2, 2, 1],
        "count": [3, 1, 2, 4],
        "weight": [0.5, 1.5, 2.0, 1.0],
    }
    native = ENGINES[engine](frame)
    counted = karat.table(native, gold="class", pred="cluster", count="count")
    assert counted == karat.Table.from_cells(frame["class"], frame["cluster"], frame["count"])
    assert not counted.policy.weighted
    weighted = karat.score(native, gold="class", pred="cluster", weights="weight", measures="v_measure")
    wanted = karat.v_measure(frame["class"], frame["cluster"], weights=frame["weight"])
    assert weighted["v_measure"] == pytest.approx(wanted, abs=1e-12)
    assert weighted.table.policy.weighted
    with pytest.raises(karat.TableError, match="fractional weights"):
        counted_frame(native, gold="class", pred="cluster", weights="weight", most=0)
    with pytest.raises(karat.TableError, match="leave out weights"):
        karat.table(native, gold="class", pred="cluster", count="count", weights="weight")


@engines
@pytest.mark.parametrize(
    ("bad", "message"), [(None, "no count or weight"), (-1.0, "is -1"), (math.nan, "no count or weight")]
)
def test_counts_that_a_sum_would_hide_are_refused(engine: str, bad: float | None, message: str) -> None:
    native = ENGINES[engine]({"class": ["a", "a", "b"], "cluster": [1, 1, 2], "weight": [2.0, bad, 1.0]})
    with pytest.raises(karat.TableError, match=message):
        karat.table(native, gold="class", pred="cluster", weights="weight")


@engines
@pytest.mark.parametrize("option", ["count", "weights"])
@pytest.mark.parametrize("much", [2**62, 1e19])
def test_counts_beyond_64_bits_are_refused_before_they_wrap(engine: str, option: str, much: float) -> None:
    native = ENGINES[engine]({"class": ["a", "a", "b", "b"], "cluster": [1, 1, 2, 2], "much": [much] * 4})
    with pytest.raises(karat.TableError, match="the cells add up to"):
        karat.table(native, gold="class", pred="cluster", **{option: "much"})


@engines
def test_an_evaluation_of_a_frame_can_be_pickled(engine: str) -> None:
    native = ENGINES[engine]({"class": ["a", "a", "b"], "cluster": [1, 2, 2], "other": [1, 1, 2], "g": [0, 0, 1]})
    for options in ({}, {"by": "g"}):
        made = karat.Evaluation.from_frame(native, gold="class", pred=["cluster", "other"], **options)
        back = pickle.loads(pickle.dumps(made))
        assert str(karat.score(back, measures="ari")) == str(karat.score(made, measures="ari"))


@engines
def test_nan_is_no_id(engine: str) -> None:
    gold = ENGINES[engine]({"id": [1.0, math.nan, 3.0], "class": ["a", "a", "b"]})
    pred = ENGINES[engine]({"id": [1.0, math.nan, 3.0], "cluster": [1, 1, 2]})
    with pytest.raises(karat.LabelError, match="1 rows of gold have no 'id'"):
        karat.table(gold, pred, gold="class", pred="cluster", id="id", missing="drop")


@engines
def test_cells_of_no_items_are_no_cells(engine: str) -> None:
    native = ENGINES[engine]({"class": ["a", "a", "b"], "cluster": [1, 2, 2], "count": [2, 0, 1]})
    for most in (0, None):
        found = counted_frame(native, gold="class", pred="cluster", count="count", most=most)
        assert (found.nonempty_cells, found.n) == (2, 3)


@engines
def test_two_frames_are_matched_on_an_id(engine: str) -> None:
    left = {"id": [1, 2, 3, 4], "class": ["a", "a", "b", "b"]}
    right = {"id": [4, 2, 5, 1], "cluster": ["x", "y", "x", "y"]}
    frames = ENGINES[engine](left), ENGINES[engine](right)
    options = {"gold": "class", "pred": "cluster", "id": "id"}
    found = karat.table(*frames, **options, missing="drop")
    assert found == karat.Table.from_labels(["a", "a", "b"], ["y", "y", "x"])
    assert (found.policy.matched, found.policy.missing_items) == ("items", 2)
    with pytest.raises(karat.LabelError, match="missing"):
        karat.table(*frames, **options)
    twice = ENGINES[engine]({"id": [1, 1], "cluster": ["x", "y"]})
    with pytest.raises(karat.LabelError, match="pred has item 1 more than once"):
        karat.table(frames[0], twice, **options)
    lacking = ENGINES[engine]({"id": ["1", None], "cluster": ["x", "y"]})
    text = ENGINES[engine]({"id": ["1", "2"], "class": ["a", "b"]})
    with pytest.raises(karat.LabelError, match="1 rows of pred have no 'id'"):
        karat.table(text, lacking, **options)
    with pytest.raises(karat.LabelError, match="two frames are matched on id="):
        karat.table(*frames, gold="class", pred="cluster")


@engines
def test_columns_that_are_not_there_are_told(engine: str) -> None:
    native = ENGINES[engine]({"class": [1], "cluster": [2]})
    with pytest.raises(karat.LabelError, match="pred='clusters' is no column of the frame; did you mean cluster"):
        karat.table(native, gold="class", pred="clusters")


def test_score_takes_frames_labels_and_tables() -> None:
    frame = pl.DataFrame({"class": ["a", "a", "b"], "cluster": [1, 1, 2]})
    assert karat.score(frame, gold="class", pred="cluster", measures="ari")["ari"] == 1
    assert karat.score(gold=["a", "a", "b"], pred=[1, 1, 2], measures="ari")["ari"] == 1
    with pytest.raises(karat.LabelError, match="name both as text"):
        karat.score(frame, gold="class", pred=[1, 1, 2])
    with pytest.raises(karat.LabelError, match="is no frame that karat knows"):
        karat.score(object(), gold="class", pred="cluster")
    with pytest.raises(karat.LabelError, match="gold is empty"):
        karat.table(frame.head(0), gold="class", pred="cluster")


def test_two_frames_of_two_engines_are_refused() -> None:
    frame = {"id": [1, 2], "class": ["a", "b"]}
    with pytest.raises(karat.LabelError, match=r"gold is a frame of polars and pred of dask; give two of the same\."):
        karat.table(pl.LazyFrame(frame), ENGINES["dask"](frame), gold="class", pred="class", id="id")


def test_frames_in_memory_of_two_libraries_are_matched_on_an_id() -> None:
    left, right = {"id": [1, 2, 3], "class": ["a", "a", "b"]}, {"id": [3, 1, 2], "cluster": [5, 6, 6]}
    found = karat.score(pl.DataFrame(left), pd.DataFrame(right), "ari", gold="class", pred="cluster", id="id")
    assert found["ari"] == 1


@pytest.mark.engines
@pytest.mark.filterwarnings("ignore")
def test_two_connections_of_ibis_are_not_taken_for_one() -> None:
    import ibis

    tables = []
    for labels in ("('a', 1), ('a', 2), ('b', 3)", "('x', 1), ('y', 2), ('y', 3)"):
        connection = ibis.sqlite.connect()
        connection.con.execute("CREATE TABLE t (class TEXT, id INTEGER)")
        connection.con.execute(f"INSERT INTO t VALUES {labels}")
        tables.append(connection.table("t"))
    with pytest.raises(karat.LabelError, match="two connections of Ibis; take both from the same"):
        karat.table(*tables, gold="class", pred="class", id="id")
    connection.con.execute("DROP TABLE t")
    with pytest.raises(karat.KaratError, match=r"Ibis failed \(no such table: t\); check its session"):
        karat.table(tables[1], gold="class", pred="id")


def test_columns_may_be_called_as_what_tells_engines_apart() -> None:
    names = ["aggregate", "fetchnumpy", "unify_dictionaries", "toDF", "sparkSession", "persist", "toArrow"]
    for engine in ("pandas", "polars", "pyarrow"):
        native = ENGINES[engine]({name: ["a", "a", "b"] for name in names})
        assert karat.table(native, gold="toDF", pred="persist").n == 3


def test_frames_of_narwhals_are_those_that_they_wrap() -> None:
    for engine in ("pandas", "polars lazy", "duckdb"):
        wrapped = nw.from_native(ENGINES[engine]({"class": ["a", "a", "b"], "cluster": [1, 1, 2]}))
        assert karat.score(wrapped, gold="class", pred="cluster", measures="ari")["ari"] == 1


def test_many_cells_stay_in_the_engine_and_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    frame = pl.LazyFrame({"class": rng.integers(0, 9, 500), "cluster": rng.integers(0, 20, 500)})
    wanted = karat.score(karat.table(frame, gold="class", pred="cluster"))
    there = counted_frame(frame, gold="class", pred="cluster", most=10)
    scores = karat.score(there)
    assert "The cells stayed in polars" in str(scores)
    assert "one_to_one is left out" in str(scores)
    for name, value in scores.items():
        assert value == pytest.approx(wanted[name], abs=1e-12)
    assert repr(there) == "<EngineCounts: 500 items in 171 cells, in polars>" or "cells, in polars>" in repr(there)
    with pytest.raises(karat.TableError, match="leave out interval"):
        karat.score(there, interval=0.95)
    with pytest.raises(karat.TableError, match="collect them first"):
        there.expand()


def test_sums_do_not_wrap_where_lengths_are_32_bits() -> None:
    size = 70_000
    frame = pl.LazyFrame({"class": np.zeros(size, int), "cluster": np.arange(size) % 2})
    there = counted_frame(frame, gold="class", pred="cluster", most=0)
    assert there.squares == karat.table(frame, gold="class", pred="cluster").squares
    assert there.squares.classes == size * size


def test_arrow_chunks_with_different_dictionaries_are_one_column() -> None:
    chunks = [pa.array(["a", "b"]).dictionary_encode(), pa.array(["c", "a"]).dictionary_encode()]
    frame = pa.table({"class": pa.chunked_array(chunks), "cluster": [1, 2, 3, 1]})
    wanted = karat.Table.from_labels(["a", "b", "c", "a"], [1, 2, 3, 1])
    assert karat.table(frame, gold="class", pred="cluster") == wanted


def test_a_batch_is_taken_away_again() -> None:
    first = karat.Table.from_labels(["a", "a", "b"], [1, 2, 2])
    second = karat.Table.from_labels(["c", "a"], [1, 1])
    assert first + second - second == first
    assert (first + second) - first == second
    with pytest.raises(karat.TableError, match="subtract only what was added"):
        first - second
    with pytest.raises(karat.TableError, match="fractional"):
        first - karat.Table.from_matrix([[0.5, 1], [1, 1]])
    with pytest.raises(TypeError):
        first - 1


@pytest.fixture
def parquet(tmp_path: Path) -> Path:
    rng = np.random.default_rng(1)
    columns = {name: rng.integers(0, high, 60) for name, high in (("class", 3), ("a", 4), ("b", 5))}
    frame = pl.DataFrame({"id": np.arange(60), **columns})
    frame.write_parquet(tmp_path / "all.parquet")
    frame.write_csv(tmp_path / "all.csv")
    frame.select("id", "class").write_parquet(tmp_path / "gold.parquet")
    frame.select("id", "a").reverse().write_parquet(tmp_path / "a.parquet")
    return tmp_path


def test_narrow_counts_do_not_wrap() -> None:
    columns = {"gold": ["a", "a", "b"] * 4, "pred": [1, 1, 2] * 4, "n": [1 << 30] * 12}
    for frame in (
        pl.DataFrame(columns, schema_overrides={"n": pl.Int32}),
        pl.LazyFrame(columns).cast({"n": pl.UInt32}),
    ):
        assert karat.table(frame, gold="gold", pred="pred", count="n").n == 12 << 30


def test_the_command_scores_by_polars(parquet: Path, capsys: pytest.CaptureFixture[str]) -> None:
    columns = ["--gold", "class", "--pred", "a"]
    assert main(["score", str(parquet / "all.parquet"), *columns, "-m", "ari", "--format", "json"]) == 0
    wanted = json.loads(capsys.readouterr().out)["systems"][0]["scores"]["ari"]["score"]
    for files in (["all.parquet"], ["all.csv"], ["gold.parquet", "a.parquet"]):
        paths = [str(parquet / name) for name in files]
        match = ["--id", "id"] if len(files) == 2 else []
        assert main(["score", *paths, *columns, *match, "-m", "ari", "--engine", "polars", "--format", "json"]) == 0
        assert json.loads(capsys.readouterr().out)["systems"][0]["scores"]["ari"]["score"] == wanted
    assert main(["score", str(parquet / "all.parquet"), *columns, "--pred", "b", "--engine", "polars"]) == 0
    assert "2 systems on 60 items" in capsys.readouterr().out
    for arguments, message, status in (
        (["all.parquet"], "and the columns: --gold", 2),
        (["none.parquet", *columns], "cannot be read by polars", 1),
        (["all.txt", *columns], "neither Parquet nor CSV", 1),
        (["all.parquet", *columns, "--interval"], "leave them out", 2),
    ):
        path, *rest = arguments
        assert main(["score", str(parquet / path), *rest, "--engine", "polars"]) == status
        assert message in capsys.readouterr().err


def test_tables_of_days_are_saved_merged_and_taken_away(parquet: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for column in ("a", "b"):
        arguments = ["--gold", "class", "--pred", column, "--save", str(parquet / f"{column}.json")]
        assert main(["table", str(parquet / "all.parquet"), *arguments]) == 0
    days = [str(parquet / f"{column}.json") for column in ("a", "b")]
    assert main(["merge", *days, "--save", str(parquet / "both.parquet")]) == 0
    assert karat.Table.load(parquet / "both.parquet") == sum(karat.Table.load(day) for day in days)
    assert main(["merge", str(parquet / "both.parquet"), "--without", days[1], "-m", "ari", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)["systems"][0]["scores"]["ari"]["score"]
    assert found == karat.ari(karat.Table.load(days[0]))
    assert main(["merge", days[0], "--without", str(parquet / "both.parquet")]) == 1
    assert "subtract only what was added" in capsys.readouterr().err


def test_text_for_a_weight_is_told_in_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.csv").write_text("class,cluster,weight\na,1,two\n")
    columns = ["--gold", "class", "--pred", "cluster", "--weights", "weight", "--engine", "polars"]
    assert main(["score", str(tmp_path / "a.csv"), *columns]) == 1
    told = capsys.readouterr().err
    assert "two" in told
    assert told.count("\n") == 1


def test_cells_of_a_relation_stay_in_duckdb_and_are_given_back(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    frame = {"class": [i % 50 for i in range(3000)], "cluster": [i % 70 for i in range(3000)]}
    wanted = karat.Table.from_labels(frame["class"], frame["cluster"])
    with counted_frame(ENGINES["duckdb"](frame), gold="class", pred="cluster", most=10) as there:
        assert isinstance(there, EngineCounts)
        assert list(tmp_path.glob("karat-*/*"))
        assert float(karat.f_measure.of(there)) == pytest.approx(karat.f_measure(wanted), abs=1e-12)
        assert float(karat.purity.of(there)) == karat.purity(wanted)
    assert not list(tmp_path.glob("karat-*/*"))
    there = counted_frame(ENGINES["duckdb"](frame), gold="class", pred="cluster", most=10)
    assert list(tmp_path.glob("karat-*/*"))
    del there
    gc.collect()
    assert not list(tmp_path.glob("karat-*/*"))


def test_a_relation_with_many_cells_is_not_read_as_a_whole() -> None:
    """In a process of its own, so that what DuckDB prints when the program ends is seen too."""
    code = """
import duckdb, karat
from karat.sources.engines import collecting
from karat.sources.engines.counts import EngineCounts
relation = duckdb.connect(config={"memory_limit": "200MB"}).sql(
    "SELECT (i % 3000000)::INTEGER AS a, (i % 3000001)::INTEGER AS b FROM range(3000000) t(i)")
scores = karat.score(relation, gold="a", pred="b", measures=["ari", "v_measure", "purity"])
assert isinstance(scores.table, EngineCounts), scores.table
assert dict(scores) == {"ari": 1.0, "v_measure": 1.0, "purity": 1.0}, scores
assert "stayed in duckdb" in str(scores)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@engines
@pytest.mark.parametrize("missing", ["drop", "singletons", "cluster"])
@pytest.mark.parametrize("noise_as", ["drop", "singletons", "cluster"])
def test_items_that_are_both_missing_and_noise_are_counted_as_in_memory(
    engine: str, missing: Any, noise_as: Any
) -> None:
    gold, pred = ["a", None, None, None, "b", "b", "a"], [1, -1, -1, -1, -1, 1, 1]
    options = {"missing": missing, "noise": -1, "noise_as": noise_as}
    made = karat.table(ENGINES[engine]({"g": gold, "p": pred}), gold="g", pred="p", **options)
    right = karat.Table.from_labels(gold, pred, **options)
    assert (made.policy, made.shape) == (right.policy, right.shape)
    assert karat.v_measure(made) == pytest.approx(karat.v_measure(right), abs=1e-12)


def test_noise_that_only_looks_like_a_label_is_told_however_many_cells_there_are() -> None:
    text = pl.LazyFrame({"g": ["a", "b", "b", "a"], "p": ["1", "-1", "3", "3"]})
    numbers = pl.LazyFrame({"g": ["a", "b", "b", "a"], "p": [1, -1, 3, 3]})
    for most in (1, None):
        with pytest.raises(karat.LabelError, match="noise=-1 is not among pred's labels, but '-1' is"):
            counted_frame(text, gold="g", pred="p", noise=-1, noise_as="drop", most=most)
        with pytest.raises(karat.LabelError, match="noise='-1' is not among pred's labels, but -1 is"):
            counted_frame(numbers, gold="g", pred="p", noise="-1", noise_as="drop", most=most)
    none = counted_frame(numbers, gold="g", pred="p", noise="noise", noise_as="drop", most=1)
    assert (none.n, none.policy.noise_items) == (4, 0)


def test_cells_in_duckdb_answer_several_threads_and_say_when_they_are_gone() -> None:
    frame = {"class": [i % 50 for i in range(3000)], "cluster": [i % 70 for i in range(3000)]}
    wanted = karat.Table.from_labels(frame["class"], frame["cluster"])
    there = counted_frame(ENGINES["duckdb"](frame), gold="class", pred="cluster", most=10)
    measures = list(map(karat.parse, ["f_measure", "purity", "bcubed_f", "inverse_purity", "bcubed_recall"] * 4))
    with ThreadPoolExecutor(8) as pool:
        values = list(pool.map(lambda m: float(m.of(there)), measures))
    assert values == pytest.approx([m(wanted) for m in measures], abs=1e-12)
    assert copy.copy(there) is there
    with pytest.raises(karat.TableError, match="cannot be pickled"):
        pickle.dumps(there)
    there.close()
    with pytest.raises(karat.TableError, match=r"released by close\(\); score the frame again"):
        there.class_best(lambda h, a, b, total: h / a)


def test_cells_of_lazy_frames_can_be_pickled() -> None:
    frame = pl.LazyFrame({"class": ["a", "a", "b"], "cluster": [1, 2, 2]})
    there = counted_frame(frame, gold="class", pred="cluster", most=1)
    assert pickle.loads(pickle.dumps(there)).n == 3


def test_integral_counts_in_a_csv_file_stay_integral(tmp_path: Path) -> None:
    from karat.sources.engines.paths import opened_by

    (tmp_path / "a.csv").write_text("g,p,c\na,1,3\nb,2,5\n")
    with opened_by("polars", str(tmp_path / "a.csv"), numbers=["c"]) as frame:
        assert counted_frame(frame, gold="g", pred="p", count="c", most=0).n == 8
    (tmp_path / "b.csv").write_text("g,p,c\na,1,0.5\nb,2,5\n")
    with opened_by("polars", str(tmp_path / "b.csv"), numbers=["c"]) as frame:
        assert float(counted_frame(frame, gold="g", pred="p", weights="c").n) == 5.5


FORMULAS = {
    "the count": lambda h, a, b, n: h * h, "the class": lambda h, a, b, n: h * (h / a),
    "the cluster": lambda h, a, b, n: h / b,
    "both": lambda h, a, b, n: h * h / (a * b), "a threshold": lambda h, a, b, n: h * (b > 20),
    "equality": lambda h, a, b, n: h * (a == 12), "a choice": lambda h, a, b, n: np.where(h == a, a, 0),
    "a function": lambda h, a, b, n: np.minimum(h, np.sqrt(a)),
}  # fmt: skip


@pytest.mark.parametrize("f", FORMULAS.values(), ids=list(FORMULAS))
def test_totals_of_cells_that_stay_in_the_engine_are_those_of_the_table(
    f: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collecting, "COLLECTED", 0)
    gold, pred = ["x"] * 30 + ["y"] * 12, ["k"] * 25 + ["l"] * 10 + ["m"] * 7
    frame = pl.LazyFrame({"g": gold, "p": pred})
    (counts,) = karat.Evaluation.from_frame(frame, gold="g", pred="p").tables.values()
    assert isinstance(counts, EngineCounts)
    assert counts.cell_total(f) == pytest.approx(karat.Table.from_labels(gold, pred).cell_total(f), rel=1e-12)


def in_duckdb(frame: pl.DataFrame) -> Any:
    """The frame as a relation."""
    return duckdb.from_arrow(frame.to_arrow())


FOR_ITEMS: dict[str, tuple[list[int], list[int]]] = {
    "the same items": ([4, 3, 2, 1], [1, 2, 2, 2]),
    "more": ([4, 3, 9, 2, 1], [1, 2, 1, 2, 2]),
    "fewer": ([4, 3, 2], [1, 2, 2]),
}


@pytest.mark.parametrize("missing", ["raise", "drop", "singletons", "cluster"])
@pytest.mark.parametrize("total", ["weights", "count"])
@pytest.mark.parametrize("items", FOR_ITEMS)
def test_weights_of_two_frames_are_the_same_in_memory_and_in_engines(items: str, total: str, missing: Any) -> None:
    gold = pl.DataFrame({"i": [1, 2, 3, 4], "g": [1, 1, 2, 2], "weights": [1.0, 2.0, 1.5, 0.5], "count": [1, 2, 3, 4]})
    pred = pl.DataFrame(dict(zip(("i", "p"), FOR_ITEMS[items], strict=True)))
    found = []
    for kind in (
        lambda frame: frame,
        pl.DataFrame.lazy,
        pl.DataFrame.to_pandas,
        lambda frame: duckdb.from_arrow(frame.to_arrow()),
    ):
        try:
            options = {"gold": "g", "pred": "p", "id": "i", "missing": missing, total: total}
            scores = karat.score(kind(gold), kind(pred), ["ari", "purity"], **options)
            found.append((dict(scores), scores.signature))
        except karat.LabelError:
            found.append("refused")
    assert found == [found[0]] * 4
    refused = (items != "the same items" and missing == "raise") or (items == "more" and missing != "drop")
    assert (found[0] == "refused") == refused


def _in_nanoseconds(kind: Any, ids: list[int], **others: list[int]) -> pa.Table:
    return pa.table({"t": pa.array(ids, pa.int64()).cast(kind), **others})


@pytest.mark.parametrize("kind", [pa.timestamp("ns"), pa.timestamp("ns", "UTC"), pa.duration("ns"), pa.time64("ns")])
@pytest.mark.parametrize("frame", [lambda t: t, pl.from_arrow, lambda t: pl.from_arrow(t).lazy()])
def test_times_that_differ_by_a_nanosecond_are_different_ids_and_labels(kind: Any, frame: Any) -> None:
    first = frame(_in_nanoseconds(kind, [1, 2, 3, 4], g=[0, 0, 1, 1]))
    second = frame(_in_nanoseconds(kind, [4, 2, 3, 1], p=[0, 0, 1, 1]))
    table = karat.table(first, second, gold="g", pred="p", id="t")
    assert table.to_sparse().toarray().tolist() == [[1, 1], [1, 1]]
    assert karat.table(first, gold="t", pred="g").shape == (4, 2)


@pytest.mark.parametrize("frame", [pa.table, pl.DataFrame])
def test_decimal_counts_with_fractions_are_refused(frame: Any) -> None:
    cells = frame({"g": [0, 1], "p": [0, 1], "n": [Decimal("1.5"), Decimal("2")]})
    with pytest.raises(karat.TableError, match="has fractions"):
        karat.table(cells, gold="g", pred="p", count="n")
    assert karat.table(cells, gold="g", pred="p", weights="n").n == 3.5


def test_integers_of_128_bits_are_ids_counts_and_weights() -> None:
    long = pl.Series("n", [3, 4], dtype=pl.Int128)
    cells = pl.DataFrame({"g": [0, 1], "p": [0, 1], "n": long})
    assert karat.table(cells, gold="g", pred="p", count="n").n == 7
    assert karat.table(cells, gold="g", pred="p", weights="n").n == 7
    assert karat.table(cells, cells[::-1], gold="g", pred="p", id="n").n == 2


@pytest.mark.parametrize("frame", [lambda t: t, pl.from_arrow])
def test_ids_that_python_cannot_hold_are_refused_in_one_sentence(frame: Any) -> None:
    far = pa.table({"t": pa.array([2**31 - 1, 5], pa.int32()).cast(pa.date32()), "g": [0, 1]})
    with pytest.raises(karat.LabelError, match="ids cannot be read"):
        karat.table(frame(far), frame(far), gold="g", pred="g", id="t")


def test_ids_that_occur_twice_are_refused_in_whatever_order() -> None:
    frame = pd.DataFrame({"i": ["x", "x", "y"], "g": [0, 0, 1], "p": [0, 1, 1]})
    with pytest.raises(karat.LabelError, match="'x' more than once"):
        karat.table(frame, frame, gold="g", pred="p", id="i")
