"""Spark frames, on a cluster of real processes; run with -m spark."""

from __future__ import annotations

import gc
import logging
import math
import os
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import narwhals as nw
import pytest

import doors
import karat
import spark_cluster
from doors import GAPS, NOISE, PLAIN, WEIGHTS, Door, variants, written
from engines import counted_frame
from karat.sources.engines import collecting
from karat.sources.engines.counts import EngineCounts
from karat.sources.engines.dialects import collected
from shared import ROOT

pytestmark = pytest.mark.spark

MEMORY = "512m"  # of each worker
NAN = math.nan
KINDS: dict[str, tuple[str, list[Any], list[Any]]] = {
    "text": ("string", ["a", "a", "b", None, "", "é\n", "b", "a"], ["x", "x", "y", "y", "x", "x", "None", None]),
    "integers": ("long", [1, 1, 2, None, 2, -3, 2**53, 2**53 + 1], [0, 0, 1, 1, 0, 1, -1, None]),
    "floats": ("double", [1.5, 1.5, NAN, None, 2.0, 2.0, 0.0, -0.0], [1.0, 1.0, 2.0, NAN, None, 3.0, 3.0, 3.0]),
    "bytes": ("binary", [b"a", b"a", b"b", None, b"\x00", b"", b"a"], [b"x", b"x", b"y", b"y", b"", None, b"y"]),
    "truths": ("boolean", [True, True, False, None, True, False, False, True], [True, False] * 3 + [None, True]),
}  # fmt: skip
NAMES = ["a.b", "a`b", 'a"b', "two words", "größe", "x; DROP TABLE t --", "karat_gold", "count(1)", "'", "*", "SELECT"]
GOLD = ["a", "a", "a", "b", "b", "b", "c", "c", "d", "d", "d", "d"]
PRED = [1, 1, 2, 2, 2, 3, 3, -1, -1, 4, 4, 1]


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with spark_cluster.Cluster(memory=MEMORY) as made:
        yield made


@pytest.fixture(scope="module")
def spark(cluster: Any) -> Iterator[Any]:
    with cluster.session(spark__sql__files__maxPartitionBytes="32m") as session:
        yield session


@pytest.fixture
def uncollected(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if every table had too many cells to collect."""
    monkeypatch.setattr(collecting, "COLLECTED", 0)


def framed(spark: Any, columns: dict[str, list[Any]], kinds: dict[str, str]) -> Any:
    """A Spark frame of those columns, over several partitions."""
    from pyspark.sql.types import StructType

    schema = StructType()
    for name in columns:
        schema = schema.add(name, kinds[name])
    return spark.createDataFrame(list(zip(*columns.values(), strict=True)), schema).repartition(3)


def items(spark: Any) -> Any:
    return framed(spark, {"gold": GOLD, "pred": PRED}, {"gold": "string", "pred": "integer"})


def cells(table: karat.Table) -> set[tuple[Any, Any, float]]:
    """What a table holds, whatever the order of its rows and columns."""
    return {(table.classes[r], table.clusters[c], float(n)) for r, c, n in zip(*_places(table), strict=True)}


def _places(table: karat.Table) -> tuple[Any, Any, Any]:
    found = table.to_sparse().tocoo()
    return found.row, found.col, found.data


def alike(scores: Any, expected: Any) -> bool:
    """The same measures with the same values, to twelve digits."""
    return list(scores) == list(expected) and all(
        scores[name] == pytest.approx(expected[name], rel=1e-12, abs=1e-12) for name in expected
    )


@pytest.mark.parametrize("missing", ["drop", "singletons", "cluster"])
@pytest.mark.parametrize("kind", KINDS)
def test_labels_of_every_type_make_the_table_that_they_make_in_memory(spark: Any, kind: str, missing: Any) -> None:
    column, gold, pred = KINDS[kind]
    frame = framed(spark, {"g": gold, "p": pred}, {"g": column, "p": column})
    expected = karat.Table.from_labels(gold, pred, missing=missing)
    found = karat.table(frame, gold="g", pred="p", missing=missing)
    assert alike(karat.score(found), karat.score(expected))
    assert found.policy.missing_items == sum(
        g in (None, NAN) or p in (None, NAN) for g, p in zip(gold, pred, strict=True)
    )
    if missing == "drop":
        assert cells(found) == cells(expected)


@pytest.mark.parametrize("kind", KINDS)
def test_labels_of_every_type_are_scored_in_spark_as_in_memory(spark: Any, kind: str, uncollected: None) -> None:
    column, gold, pred = KINDS[kind]
    frame = framed(spark, {"g": gold, "p": pred}, {"g": column, "p": column})
    expected = karat.score(gold, pred, "ari, v_measure", missing="drop")
    assert alike(karat.score(frame, gold="g", pred="p", measures="ari, v_measure", missing="drop"), expected)
    with pytest.raises(karat.KaratError, match="items have no label; say missing="):
        karat.score(frame, gold="g", pred="p")
    with pytest.raises(karat.KaratError, match="missing='singletons' needs the cells"):
        karat.score(frame, gold="g", pred="p", missing="singletons")


ALIKE = """
    1Y AS byte, 2S AS short, 3 AS integer, 4L AS long, 1.5f AS float, 2.5d AS double, 1.10BD AS decimal,
    true AS boolean, date'2020-01-02' AS date, timestamp'2020-07-01 12:00:00' AS timestamp,
    interval '1' day AS interval, 'x' AS string, X'00ff' AS binary, named_struct('a', 1) AS struct
"""


@pytest.mark.parametrize("column", [part.split()[0].rstrip(",") for part in ALIKE.split(" AS ")[1:]])
def test_results_are_the_values_of_rows(spark: Any, column: str) -> None:
    rows = spark.sql(f"SELECT {ALIKE}").select(column)
    both = rows.union(spark.sql(f"SELECT CAST(NULL AS {rows.schema[0].dataType.simpleString()})"))
    for frame in (rows, both):
        (found,) = collected(nw.from_native(frame)).values()
        wanted = [row[0] for row in frame.collect()]
        assert found == wanted
        assert list(map(type, found)) == list(map(type, wanted))


def test_lists_are_no_labels(spark: Any) -> None:
    with pytest.raises(karat.LabelError, match="cannot be a label"):
        karat.table(spark.sql("SELECT array(1) AS gold, 1 AS pred"), gold="gold", pred="pred")


def test_spark_forgets_the_cells_of_a_table(spark: Any) -> None:
    before = spark.sparkContext._jsc.getPersistentRDDs().size()
    karat.table(items(spark), gold="gold", pred="pred")
    assert spark.sparkContext._jsc.getPersistentRDDs().size() == before


def test_missing_labels_are_refused_unless_one_says_what_they_mean(spark: Any) -> None:
    column, gold, pred = KINDS["text"]
    frame = framed(spark, {"g": gold, "p": pred}, {"g": column, "p": column})
    with pytest.raises(karat.KaratError, match="missing="):
        karat.table(frame, gold="g", pred="p")


@pytest.mark.parametrize("name", NAMES)
def test_columns_may_have_any_name(spark: Any, name: str, uncollected: None) -> None:
    other = f"{name}.pred"
    frame = framed(spark, {name: GOLD, other: PRED, "w": [1] * 12}, {name: "string", other: "integer", "w": "integer"})
    expected = karat.Table.from_labels(GOLD, PRED)
    assert cells(karat.table(frame, gold=name, pred=other)) == cells(expected)
    assert alike(karat.score(frame, gold=name, pred=other, measures="ari"), karat.score(expected, measures="ari"))


def test_a_column_that_is_not_there_is_named(spark: Any) -> None:
    with pytest.raises(karat.KaratError, match=r"gold='golt' is no column of the frame; did you mean gold\?"):
        karat.table(items(spark), gold="golt", pred="pred")


@pytest.mark.parametrize("noise_as", ["drop", "cluster", "singletons"])
def test_noise_means_what_it_means_in_memory(spark: Any, noise_as: Any) -> None:
    expected = karat.score(GOLD, PRED, noise=-1, noise_as=noise_as)
    assert alike(karat.score(items(spark), gold="gold", pred="pred", noise=-1, noise_as=noise_as), expected)


@pytest.mark.parametrize("noise_as", ["drop", "cluster"])
def test_noise_means_in_spark_what_it_means_in_memory(spark: Any, noise_as: Any, uncollected: None) -> None:
    expected = karat.score(GOLD, PRED, "ari", noise=-1, noise_as=noise_as)
    found = karat.score(items(spark), gold="gold", pred="pred", measures="ari", noise=-1, noise_as=noise_as)
    assert alike(found, expected)


def test_weights_and_counts_are_columns(spark: Any, uncollected: None) -> None:
    whole = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8]
    parts = [w / 8 for w in whole]
    kinds = {"gold": "string", "pred": "integer", "n": "integer", "w": "double"}
    frame = framed(spark, {"gold": GOLD, "pred": PRED, "n": whole, "w": parts}, kinds)
    names = {"gold": "gold", "pred": "pred"}
    weighted = karat.Table.from_labels(GOLD, PRED, weights=whole)
    assert cells(karat.table(frame, **names, count="n")) == cells(weighted)
    assert cells(karat.table(frame, **names, weights="w")) == cells(karat.Table.from_labels(GOLD, PRED, weights=parts))
    expected = karat.score(weighted, measures="ari, v_measure")
    assert alike(karat.score(frame, **names, weights="n", measures="ari, v_measure"), expected)
    with pytest.raises(karat.KaratError, match="fractional weights are too many to collect"):
        karat.score(frame, **names, weights="w")


def test_two_frames_are_matched_on_the_ids_of_items(spark: Any) -> None:
    ids = [f"i.{i}" for i in range(12)]
    gold = framed(spark, {"the id": ids, "class": GOLD}, {"the id": "string", "class": "string"})
    pred = framed(spark, {"x": PRED[::-1], "the id": ids[::-1]}, {"x": "integer", "the id": "string"})
    whole = karat.table(gold, pred, gold="class", pred="x", id="the id")
    assert cells(whole) == cells(karat.Table.from_labels(GOLD, PRED))
    fewer = pred.filter("x <> 4")
    with pytest.raises(karat.KaratError, match="missing="):
        karat.table(gold, fewer, gold="class", pred="x", id="the id")
    kept = karat.table(gold, fewer, gold="class", pred="x", id="the id", missing="drop")
    assert (kept.n, kept.policy.missing_items) == (10, 2)
    with pytest.raises(karat.KaratError, match="more than once"):
        karat.table(gold, pred.union(pred), gold="class", pred="x", id="the id")


@pytest.mark.parametrize(
    ("wrong", "kind", "most"),
    [
        (-1, "integer", None),
        pytest.param(-1, "integer", 0),
        pytest.param(None, "integer", None),
        pytest.param(None, "integer", 0),
        pytest.param(NAN, "double", None),
    ],
)
def test_a_count_that_is_no_count_is_refused(spark: Any, wrong: Any, kind: str, most: int | None) -> None:
    columns = {"gold": ["a", "a", "b"], "pred": [1, 2, 2], "n": [4, wrong, 3]}
    if kind == "double":
        columns["n"] = [4.0, wrong, 3.0]
    frame = framed(spark, columns, {"gold": "string", "pred": "integer", "n": kind})
    with pytest.raises(karat.KaratError):
        counted_frame(frame, gold="gold", pred="pred", count="n", most=most)


def test_cells_that_count_nothing_are_no_cells(spark: Any) -> None:
    columns = {"gold": ["a", "a", "b", "c"], "pred": [1, 2, 2, 3], "n": [4, 0, 3, 0]}
    frame = framed(spark, columns, {"gold": "string", "pred": "integer", "n": "integer"})
    counts = counted_frame(frame, gold="gold", pred="pred", count="n", most=0)
    assert (counts.n, counts.nonempty_cells, counts.shape) == (7, 2, (2, 2))


def test_noise_of_another_type_than_the_labels_is_none_of_them(spark: Any, uncollected: None) -> None:
    frame = framed(spark, {"g": GOLD, "p": [f"c{p}" for p in PRED]}, {"g": "string", "p": "string"})
    found = karat.score(frame, gold="g", pred="p", measures="ari", noise=-1, noise_as="drop")
    assert alike(found, karat.score(GOLD, PRED, "ari"))


def test_ids_of_two_types_are_refused_in_a_sentence(spark: Any) -> None:
    gold = framed(spark, {"id": [1, 2], "g": ["a", "b"]}, {"id": "long", "g": "string"})
    pred = framed(spark, {"id": ["1", "x"], "p": [1, 2]}, {"id": "string", "p": "integer"})
    with pytest.raises(karat.KaratError, match="id"):
        karat.table(gold, pred, gold="g", pred="p", id="id", missing="drop")


def test_an_empty_frame_is_refused(spark: Any) -> None:
    with pytest.raises(karat.KaratError, match="no rows"):
        karat.score(items(spark).filter("1 = 0"), gold="gold", pred="pred")


def test_every_measure_that_spark_can_score_has_the_value_that_it_has_in_memory(spark: Any) -> None:
    names = {"gold": "gold", "pred": "pred"}
    expected = karat.Table.from_labels(GOLD, PRED)
    counts = counted_frame(items(spark), **names, most=0)
    assert isinstance(counts, EngineCounts)
    refused = {}
    for measure in karat.list_measures():
        try:
            value = measure.of(counts)
        except karat.TableError as problem:
            refused[str(measure)] = str(problem)
        else:
            assert value == pytest.approx(measure.of(expected), rel=1e-12, abs=1e-12), str(measure)
    assert len(refused) < len(karat.list_measures()) / 3, refused
    assert all("stay in pyspark" in reason for reason in refused.values()), refused


def test_a_file_that_has_changed_is_counted_again(spark: Any, tmp_path: Path, uncollected: None) -> None:
    import polars

    path = tmp_path / "labels.parquet"
    for pred in (GOLD, ["x"] * len(GOLD)):
        polars.DataFrame({"gold": GOLD, "pred": pred}).write_parquet(path)
        found = karat.score(spark.read.parquet(str(path)), gold="gold", pred="pred", measures="ari")
        assert alike(found, karat.score(GOLD, pred, "ari"))


ROWS = 36_000_000
LABELLED = """
COPY (
    SELECT (hash(class) >> 1)::BIGINT AS gold, (hash(cluster, 7) >> 1)::BIGINT AS pred
    FROM (
        SELECT class, CASE WHEN hash(i, 2) % 4 = 0 THEN hash(i, 3) % 2000000 ELSE class // 2 END AS cluster
        FROM (SELECT i, hash(i) % 4000000 AS class FROM range({rows}) AS t(i))
    )
) TO '{path}' (FORMAT parquet, ROW_GROUP_SIZE 1000000)
"""


def killed_midway(cluster: Any, spark: Any, done: threading.Event) -> None:
    """Kill a worker as soon as it has finished part of a stage of many tasks: what it has counted is lost."""
    tracker = spark.sparkContext.statusTracker()
    while not done.is_set():
        for stage in map(tracker.getStageInfo, tracker.getActiveStageIds()):
            if stage and stage.numTasks >= 8 and stage.numCompletedTasks >= stage.numTasks // 2:
                cluster.kill_worker(0)
                return
        time.sleep(0.02)


def test_data_larger_than_a_worker_score_the_same_when_a_worker_dies(cluster: Any, spark: Any, tmp_path: Path) -> None:
    import duckdb

    path = tmp_path / "labels.parquet"
    duckdb.execute(LABELLED.format(rows=ROWS, path=path))
    assert path.stat().st_size > 512 * 2**20, "the file should not fit into a worker"
    asked = {"gold": "gold", "pred": "pred", "measures": "ari, v_measure, purity, bcubed_f"}
    done = threading.Event()
    killer = threading.Thread(target=killed_midway, args=(cluster, spark, done))
    killer.start()
    try:
        scores = karat.score(spark.read.parquet(str(path)), **asked)
        died = cluster.workers[0].poll() is not None
    finally:
        done.set()
        killer.join()
        if cluster.workers[0].poll() is not None:
            cluster.restore_worker(0)
    assert died, "the worker was to be killed while Spark was counting"
    assert isinstance(scores.table, EngineCounts)
    expected = karat.score(duckdb.connect().read_parquet(str(path)), **asked)
    assert scores.table.profile == expected.table.profile, "all sizes, in integers"
    assert dict(scores) == dict(expected)


PEAKS = """
import resource
from spark_cluster import Cluster
from engines import counted_frame

with Cluster(workers=1) as cluster, cluster.session(spark__driver__memory="512m") as spark:
    memory = spark.sparkContext._jvm.java.lang.management.ManagementFactory.getMemoryMXBean()
    for items in (1_000, 400_000, 4_000_000):  # the first to load what any run loads
        frame = spark.range(items).selectExpr("id AS gold", "id % (1 + id % 7) AS pred")
        counts = counted_frame(frame, gold="gold", pred="pred", most=10)
        found = counts.nonempty_cells, counts.squares, counts.information
        memory.gc()
        rss = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        print(counts.nonempty_cells, rss, memory.getHeapMemoryUsage().getUsed())
"""


def alone(script: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A script in a Python of its own."""
    here = str(ROOT / "tests")
    return subprocess.run(
        [sys.executable, "-c", script, *arguments],
        env={**os.environ, "PYTHONPATH": here, **environment},
        capture_output=True, text=True, check=False, timeout=600,
    )  # fmt: skip


ORPHANED = """
from spark_cluster import Cluster
import karat

with Cluster(workers=1) as cluster:
    with cluster.session() as spark:
        frame = spark.range(100).selectExpr("id % 10 AS gold", "id % 10 AS pred")
        frame.count()
        cluster.kill_master()
        print(karat.score(frame, gold="gold", pred="pred", measures="ari")["ari"])
    try:
        karat.score(frame, gold="gold", pred="pred")
    except Exception as problem:
        print("KaratError" if isinstance(problem, karat.KaratError) else type(problem).__name__, problem)
"""


def test_the_driver_needs_no_more_memory_for_ten_times_the_cells() -> None:
    found = alone(PEAKS)
    _, (few, small, heap), (many, large, high) = (map(int, line.split()) for line in found.stdout.splitlines())
    assert many == 10 * few
    assert large - small < 8_000, "kB of Python; a list of the cells would take 400,000"
    assert high - heap < 16e6, "bytes of the JVM, after a collection of garbage"


def by_command(tmp_path: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A small file scored by the command line in Spark."""
    path = tmp_path / "labels.csv"
    path.write_text("gold,pred\na,1\na,1\nb,2\n", encoding="utf-8")
    command = "from karat.cli import main; raise SystemExit(main())"
    columns = ["--gold", "gold", "--pred", "pred"]
    return alone(command, "score", str(path), "--engine", "spark", *columns, *arguments, **environment)


def test_without_java_the_command_line_says_so_in_a_sentence(tmp_path: Path) -> None:
    found = by_command(tmp_path, PATH=str(tmp_path), JAVA_HOME="")
    assert found.returncode == 1
    assert "Traceback" not in found.stderr
    assert found.stderr.splitlines()[-1].startswith("karat: Spark did not start")


def test_without_a_master_the_command_line_says_so_in_a_sentence(tmp_path: Path) -> None:
    nobody = f"spark://127.0.0.1:{spark_cluster.free_port()}"
    found = by_command(tmp_path, "--master", nobody)
    refused = "karat: Spark did not start (Connection refused); check that a master listens at"
    assert (found.returncode, found.stderr) == (1, f"{refused} {nobody}.\n")


def test_a_master_of_no_kind_is_told_by_what_java_says(tmp_path: Path) -> None:
    found = by_command(tmp_path, "--master", "nowhere")
    assert (found.returncode, len(found.stderr.splitlines())) == (1, 1)
    assert "Master must either be" in found.stderr


def test_logging_and_warnings_are_afterwards_as_they_were_before(tmp_path: Path, spark: Any) -> None:
    from karat.sources.engines.paths import opened_by

    (tmp_path / "a.csv").write_text("gold,pred\na,1\n")
    logging.disable(logging.INFO)
    try:
        filters = list(warnings.filters)
        with opened_by("spark", str(tmp_path / "a.csv")):
            assert logging.root.manager.disable == logging.CRITICAL
        assert (logging.root.manager.disable, list(warnings.filters)) == (logging.INFO, filters)
    finally:
        logging.disable(logging.NOTSET)


def test_files_are_scored_by_spark_as_by_the_other_readers(tmp_path: Path, spark: Any) -> None:
    door = Door("command, Spark", doors.by_command("--engine", "spark"), written)
    cases = [variant for group in (PLAIN, GAPS, NOISE, WEIGHTS) for case in group for variant in variants(case)]
    for case in door.fitting(cases):
        door.check(case, tmp_path)


def test_spark_forgets_cells_that_stayed_in_it(spark: Any, uncollected: None) -> None:
    def held() -> int:
        return int(spark.sparkContext._jsc.getPersistentRDDs().size())

    before = held()
    scores = karat.score(items(spark), gold="gold", pred="pred", measures="ari")
    assert held() > before
    scores.table.close()
    assert held() == before
    scores = karat.score(items(spark), gold="gold", pred="pred", measures="ari")
    assert held() > before
    del scores
    gc.collect()
    assert held() == before


def test_the_command_line_is_silent_about_java(tmp_path: Path) -> None:
    found = by_command(tmp_path, "-m", "ari")
    assert (found.returncode, found.stderr) == (0, "")
    assert "1.0000" in found.stdout


@pytest.mark.parametrize("seconds", [1, 5])
def test_ctrl_c_leaves_no_java_behind(tmp_path: Path, seconds: float) -> None:
    path = tmp_path / "labels.csv"
    path.write_text("gold,pred\na,1\nb,2\n", encoding="utf-8")
    command = [sys.executable, "-m", "karat", "score", str(path), "--gold", "gold", "--pred", "pred"]
    # Java holds the pipes as long as it runs, so that communicate() waits for it
    with subprocess.Popen(
        [*command, "--engine", "spark"], stdout=-1, stderr=-1, text=True, start_new_session=True
    ) as run:
        time.sleep(seconds)
        os.killpg(run.pid, signal.SIGINT)
        try:
            _, told = run.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            os.killpg(run.pid, signal.SIGKILL)
            raise
    assert (run.returncode, told) == (130, "karat: interrupted; nothing was written.\n")


@pytest.fixture(scope="module")
def orphaned() -> list[str]:
    """What karat gives when the master has gone, and when the session is stopped."""
    found = alone(ORPHANED)
    assert found.returncode == 0, found.stderr[-2000:]
    return found.stdout.splitlines()


def test_scores_go_on_without_the_master_once_executors_run(orphaned: list[str]) -> None:
    assert orphaned[0] == "1.0"


def test_a_spark_that_was_stopped_is_refused_in_a_sentence(orphaned: list[str]) -> None:
    assert orphaned[1].startswith("KaratError"), orphaned


@pytest.mark.parametrize("collation", ["UTF8_LCASE", "UNICODE_CI", "UTF8_BINARY_RTRIM"])
@pytest.mark.parametrize("most", [None, 0])
def test_a_collation_merges_no_labels(spark: Any, collation: str, most: int | None) -> None:
    gold, pred = ["a", "A", "a", "b", "B", "a "], ["x", "X", "x ", "y", "Y", "x"]
    frame = framed(spark, {"gold": gold, "pred": pred}, {"gold": "string", "pred": "string"})
    collated = frame.selectExpr(*(f"collate({name}, '{collation}') AS {name}" for name in ("gold", "pred")))
    counts = counted_frame(collated, gold="gold", pred="pred", most=most)
    table = karat.Table.from_labels(gold, pred)
    assert counts.shape == (len(table.classes), len(table.clusters)) == (5, 5)
    assert karat.ari(counts) == karat.ari(table)


def test_the_hour_that_daylight_saving_repeats_is_two_hours(spark: Any) -> None:
    before = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", "Europe/Berlin")
    try:
        frame = spark.range(4).selectExpr(
            "timestamp_seconds(1729989000 + 3600 * (id % 2)) AS gold", "id % 2 AS pred"
        )  # 2024-10-27 02:30 in Berlin, twice
        for most in (None, 0):
            counts = counted_frame(frame, gold="gold", pred="pred", most=most)
            assert (counts.shape, karat.ari(counts)) == ((2, 2), 1)
        hours = {
            (label.hour, label.utcoffset().seconds) for label in karat.table(frame, gold="gold", pred="pred").classes
        }
        assert hours == {(2, 7200), (2, 3600)}
    finally:
        spark.conf.set("spark.sql.session.timeZone", before)


def test_columns_are_found_in_their_own_case(spark: Any) -> None:
    frame = spark.range(4).selectExpr("id % 2", "id DIV 2", "id % 2").toDF("z", "Z", "p")
    assert karat.score(frame, gold="z", pred="p", measures=["ari"])["ari"] == 1
    assert karat.score(frame, gold="Z", pred="p", measures=["ari"])["ari"] == -0.5
    with pytest.raises(karat.LabelError, match="'P' is no column"):
        karat.score(frame, gold="z", pred="P")
