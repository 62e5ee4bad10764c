"""What is one label, one column, one item and one sum in an engine: each as in plain Python lists."""

from __future__ import annotations

import random
from decimal import Decimal
from fractions import Fraction
from typing import Any

import duckdb
import polars as pl
import pyarrow as pa
import pytest

import karat
from engines import FROM_ARROW, counted_frame, engine_params, ibis_connection, postgres
from karat.sources.engines.sums import PARTS

LAZY = [name for name in FROM_ARROW if name not in ("pandas", "polars", "pyarrow", "pyarrow reader", "modin")]
lazy_engines = pytest.mark.parametrize("engine", list(engine_params(LAZY)))
CASES = {"G": ["a", "A", "a", "b", "B", "b", "a "], "P": ["x", "X", "x ", "x", "y", "Y", "x"]}
ibis_group = pytest.mark.engines
filtered = pytest.mark.filterwarnings("ignore")


def classes(frame: Any, **options: Any) -> set[Any]:
    """The classes, counted by the engine and by the path where cells stay in it, which must agree."""
    table = karat.table(frame, gold="G", pred="P", **options)
    kept = counted_frame(frame, gold="G", pred="P", most=0, **options)
    assert kept.shape == (len(table.classes), len(table.clusters))
    assert karat.ari(kept) == karat.ari(table)
    return set(table.classes)


@pytest.mark.parametrize("collation", ["NOCASE", "NOACCENT", "NFC"])
def test_a_collation_of_duckdb_merges_no_labels(collation: str) -> None:
    connection = duckdb.connect()
    if collation != "NFC":
        connection.execute(f"SET default_collation = '{collation}'")
    connection.execute(f"CREATE TABLE t (G VARCHAR COLLATE {collation}, P VARCHAR COLLATE {collation})")
    connection.executemany(
        "INSERT INTO t VALUES (?, ?)", [*zip(CASES["G"], CASES["P"], strict=True), ("á", "x"), ("a\u0301", "x")]
    )
    assert classes(connection.table("t")) == {*CASES["G"], "á", "a\u0301"}


@ibis_group
@filtered
@pytest.mark.parametrize("backend", ["sqlite", "duckdb", "postgres"])
def test_a_collation_behind_ibis_merges_no_labels(backend: str) -> None:
    connection = postgres()[1] if backend == "postgres" else ibis_connection(backend)
    collation, mark = {"sqlite": ("NOCASE", "?"), "duckdb": ("NOCASE", "?"), "postgres": ("caseless", "%s")}[backend]
    cursor = connection.con.cursor()
    cursor.execute("DROP TABLE IF EXISTS caseless_labels")
    if backend == "postgres":
        cursor.execute(
            "CREATE COLLATION IF NOT EXISTS caseless "
            "(provider = icu, locale = 'und-u-ks-level2', deterministic = false)"
        )
    cursor.execute(f'CREATE TABLE caseless_labels ("G" TEXT COLLATE {collation}, "P" TEXT COLLATE {collation})')
    rows = list(zip(CASES["G"], CASES["P"], strict=True))
    cursor.executemany(f"INSERT INTO caseless_labels VALUES ({mark}, {mark})", rows)
    connection.con.commit()
    assert classes(connection.table("caseless_labels")) == set(CASES["G"])


def test_a_column_of_polars_is_found_by_its_name_not_by_a_pattern() -> None:
    frame = pl.LazyFrame({"^z$": [1, 1, 2], "z": [1, 2, 2], "*": [1, 1, 2]})
    assert karat.score(frame, gold="^z$", pred="*", measures=["ari"])["ari"] == 1
    with pytest.raises(karat.LabelError, match=r"gold='\^.\*' is no column"):
        karat.score(frame, gold="^.*", pred="z")


def test_a_column_of_duckdb_is_found_in_its_own_case() -> None:
    rows = "(VALUES (1, 1, 7), (1, 2, 7), (2, 2, 8)) AS t(a, b, c)"
    relation = duckdb.connect().sql(f'SELECT a AS g, b AS "G", c AS p FROM {rows}')
    assert karat.score(relation, gold="g", pred="p", measures=["ari"])["ari"] == 1
    assert karat.score(relation, gold="G", pred="p", measures=["ari"])["ari"] == -0.5
    with pytest.raises(karat.LabelError, match="pred='P' is no column"):
        karat.score(relation, gold="g", pred="P")


@ibis_group
@filtered
def test_columns_that_a_database_confuses_are_refused() -> None:
    import ibis

    frame = ibis.memtable({"Z": [1, 1, 2], "z": [1, 2, 2], "p": [1, 1, 2]})
    with pytest.raises(karat.LabelError, match="columns 'Z' and 'z', which duckdb does not tell apart; rename one"):
        karat.score(frame, gold="Z", pred="p")


@lazy_engines
def test_singletons_keep_their_own_weights(engine: str) -> None:
    gold, pred, weights = ["a", "a", None, "b", None, None], ["1", "1", "2", "2", "2", "2"], [1, 1, 3, 1, 3, 2]
    frame = FROM_ARROW[engine](pa.table({"G": gold, "P": pred, "W": weights}))
    expected = karat.Table.from_labels(gold, pred, weights=weights, missing="singletons")
    found = karat.table(frame, gold="G", pred="P", weights="W", missing="singletons")
    assert (found.n, len(found.classes), sorted(found.counts.tolist())) == (11, 5, [1, 2, 2, 3, 3])
    assert found.policy == expected.policy
    assert sorted(found.counts.tolist()) == sorted(expected.counts.tolist())


@lazy_engines
def test_sums_of_weights_depend_on_no_order_and_no_engine(engine: str) -> None:
    weights = [1.1, 3.3, 0.1, 1e-9, 1e9 + 0.7] * 10
    random.Random(1).shuffle(weights)
    exact = float(sum(map(Fraction, weights)))
    frame = FROM_ARROW[engine](pa.table({"G": ["a"] * 50, "P": ["x"] * 50, "W": weights}))
    assert karat.table(frame, gold="G", pred="P", weights="W").counts.tolist() == [exact]


@pytest.mark.parametrize("engine", ["polars lazy", "duckdb"])
def test_decimal_weights_are_added_exactly(engine: str) -> None:
    weights = [Decimal("1.10")] * 10 + [Decimal("3.30")]
    frame = FROM_ARROW[engine](
        pa.table({"G": ["a"] * 11, "P": ["x"] * 11, "W": pa.array(weights, pa.decimal128(9, 2))})
    )
    assert karat.table(frame, gold="G", pred="P", weights="W").counts.tolist() == [14.3]


@pytest.mark.parametrize("engine", ["polars lazy", "duckdb", "dask"])
@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0, float("inf")], "infinite"),
        ([1.0, -2.5], "a count or weight is -2.5"),
        ([1.0, None], "1 rows have no count or weight"),
        ([1.0, 1e-60], "cannot be added exactly here"),
        ([1.0, 5e-324], "cannot be added exactly here"),
        ([2.0**61, 2.0**61], "add up to"),
    ],
)
def test_weights_that_have_no_exact_sum_are_refused(engine: str, weights: list[Any], message: str) -> None:
    frame = FROM_ARROW[engine](pa.table({"G": ["a", "a"], "P": ["x", "x"], "W": pa.array(weights, pa.float64())}))
    with pytest.raises(karat.TableError, match=message):
        karat.table(frame, gold="G", pred="P", weights="W")


def test_the_parts_of_a_float_hold_all_its_bits() -> None:
    values = [2.0**61 + 512, 1 - 2.0**-53, 2.0**-66, 2.0**-65 + 2.0**-117]
    frame = pl.LazyFrame({"G": range(4), "P": range(4), "W": values})
    assert PARTS == 6
    assert karat.table(frame, gold="G", pred="P", weights="W").counts.tolist() == values


@lazy_engines
def test_ids_are_matched_without_rounding(engine: str) -> None:
    large = 2**53
    gold = FROM_ARROW[engine](pa.table({"id": [large, large + 1], "G": ["a", "b"]}))
    pred = FROM_ARROW[engine](pa.table({"id": [float(large), 1.5], "P": ["x", "y"]}))
    with pytest.raises(karat.LabelError, match=r"'id' is Int64 in gold and Float64 in pred|different|String"):
        karat.score(gold, pred, gold="G", pred="P", id="id", measures=["ari"], missing="drop")


def test_small_integers_match_floats() -> None:
    gold, pred = (
        pl.LazyFrame({"id": [1, 2, 3], "G": list("aab")}),
        pl.LazyFrame({"id": [3.0, 2.0, 1.0], "P": list("yxx")}),
    )
    assert karat.score(gold, pred, gold="G", pred="P", id="id", measures=["ari"])["ari"] == 1


@lazy_engines
def test_items_are_counted_not_their_weights(engine: str) -> None:
    frame = FROM_ARROW[engine](pa.table({"G": ["a", "a", None, "b"], "P": ["x", "x", "y", "y"], "W": [2, 2, 0, 5]}))
    table = karat.table(frame, gold="G", pred="P", weights="W", missing="drop")
    kept = counted_frame(frame, gold="G", pred="P", weights="W", missing="drop", most=0)
    for counted in (table, kept):
        assert (counted.n, counted.policy.missing_items, counted.policy.dropped) == (9, 1, 1)
    with pytest.raises(karat.LabelError, match="gold has 1 missing label; say"):
        karat.table(frame, gold="G", pred="P", weights="W")


@pytest.mark.parametrize("engine", list(engine_params(name for name in LAZY if name != "ibis sqlite")))  # no booleans
def test_noise_is_of_the_type_of_the_labels_where_cells_stay_in_the_engine(engine: str) -> None:
    frame = FROM_ARROW[engine](pa.table({"G": ["a", "a", "b"], "B": [True, False, True], "N": [1, 2, 1]}))
    kept = counted_frame(frame, gold="G", pred="B", noise=True, noise_as="drop", most=0)
    assert (kept.n, kept.policy.noise_items) == (1, 2)
    assert counted_frame(frame, gold="G", pred="B", noise=1, noise_as="drop", most=0).n == 3
    assert counted_frame(frame, gold="G", pred="N", noise=1, noise_as="drop", most=0).n == 1
    with pytest.raises(karat.LabelError, match="noise='1' is not among pred's labels, but 1 is"):
        counted_frame(frame, gold="G", pred="N", noise="1", noise_as="drop", most=0)


def test_a_lazy_frame_is_read_once() -> None:
    read: list[int] = []

    def seen(frame: pl.DataFrame) -> pl.DataFrame:
        read.append(frame.height)
        return frame

    columns = {"i": range(6), "G": list("aabbab"), "P": list("xxyyxx"), "W": [1.1, 2.2, 3.3] * 2, "B": list("uvuvuv")}
    frame = pl.LazyFrame(columns).map_batches(seen)
    for options in ({}, {"weights": "W"}, {"by": "B"}, {"weights": "W", "missing": "singletons"}):
        read.clear()
        karat.score(frame, gold="G", pred="P", **options)
        assert read == [6], options
    read.clear()
    karat.score(frame, frame, gold="G", pred="P", id="i", weights="W", measures=["ari"])
    assert read == [6, 6]


@pytest.mark.parametrize("weights", [None, "W"])
def test_a_stream_that_can_be_read_once_is_enough(weights: str | None) -> None:
    table = pa.table({"G": list("aab"), "P": list("xxy"), "W": [1.5, 2.5, 3.0], "other": [1, 2, 3]})
    batches = table.to_batches(max_chunksize=2)
    reader = pa.RecordBatchReader.from_batches(table.schema, batches)
    assert karat.score(reader, gold="G", pred="P", weights=weights, measures=["ari"])["ari"] == 1
    relation = duckdb.connect().from_arrow(pa.RecordBatchReader.from_batches(table.schema, batches))
    assert karat.score(relation, gold="G", pred="P", weights=weights, measures=["ari"])["ari"] == 1
    with pytest.raises(karat.LabelError, match="gold='Q' is no column of the frame; there are 'G', 'P', 'W', 'other'"):
        karat.score(pa.RecordBatchReader.from_batches(table.schema, batches), gold="Q", pred="P")


def test_times_of_day_with_an_offset_are_refused() -> None:
    rows = "(VALUES ('12:00:00+00'::TIMETZ, 1), ('12:00:00+01'::TIMETZ, 2)) AS t(g, p)"
    with pytest.raises(karat.LabelError, match="TIME WITH TIME ZONE, whose offset is lost"):
        karat.table(duckdb.connect().sql(f"SELECT * FROM {rows}"), gold="g", pred="p")
