"""Whatever is given, what goes wrong is one sentence of karat's own."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import karat
import karat.sklearn
from karat.meta.families import Family

GOLD, PRED = ["a", "a", "b"], [1, 1, 2]
TABLE = karat.Table.from_labels(GOLD, PRED)


def scored(frame: Any, **options: Any) -> Any:
    return karat.score(frame, gold="g", pred="p", **options)


def closed_connection() -> Any:
    connection = duckdb.connect()
    relation = connection.sql("SELECT 1 AS g, 2 AS p")
    connection.close()
    return scored(relation)


def aborted_transaction() -> Any:
    connection = duckdb.connect()
    connection.execute("CREATE TABLE t AS SELECT 1 AS g, 2 AS p")
    relation = connection.sql("SELECT * FROM t")
    connection.execute("BEGIN")
    with pytest.raises(duckdb.Error):
        connection.execute("SELECT error('x')").fetchall()
    return scored(relation)


def nested() -> Any:
    label: Any = 0
    for _ in range(100_000):
        label = (label,)
    return label


class FewerLabels(dict[str, int]):
    def values(self) -> Any:
        return [1]


def with_weights(kind: Callable[..., Any], weights: list[Any]) -> Callable[[], Any]:
    return lambda: scored(kind({"g": GOLD, "p": PRED, "w": weights}), weights="w")


def by(function: Callable[..., Any]) -> Callable[[], Any]:
    return lambda: karat.score(GOLD, PRED, [karat.wrap(function, name="odd")])


REFUSED: dict[str, Callable[[], Any]] = {
    "no path to load": lambda: karat.Table.load(None),
    "no batches": lambda: karat.Table.from_batches(None),
    "a number of batches": lambda: karat.Table.from_batches(3),
    "a path with NUL": lambda: karat.read("a\0b"),
    "a long path": lambda: karat.read("x" * 300),
    "a table with NUL": lambda: karat.Table.load("a\0b.json"),
    "a long name of a table": lambda: karat.Table.load("x" * 300 + ".json"),
    "saving under NUL": lambda: TABLE.save("a\0b.json"),
    "saving under a long name": lambda: TABLE.save("x" * 300 + ".json"),
    "dates without a unit": lambda: karat.ari(np.zeros(3, "M8"), PRED),
    "dates by no seconds": lambda: karat.ari(np.zeros(3, "i8").view("M8[0s]"), PRED),
    "times by no seconds": lambda: karat.ari(np.zeros(3, "i8").view("m8[0s]"), PRED),
    "lists in a frame of Arrow": lambda: scored(pa.table({"g": [[1], [1], [2]], "p": PRED})),
    "lists in a frame of Polars": lambda: scored(pl.DataFrame({"g": [[1], [1], [2]], "p": PRED})),
    "lists in DuckDB": lambda: scored(duckdb.sql("SELECT [1] AS g, 2 AS p")),
    "before Christ": lambda: scored(duckdb.sql("SELECT '0044-03-15 (BC)'::TIMESTAMP AS g, 1 AS p")),
    "after 9999": lambda: scored(duckdb.sql("SELECT '10000-03-15'::TIMESTAMP AS g, 1 AS p")),
    "text as weights, pandas": with_weights(pd.DataFrame, ["x", "y", "z"]),
    "text as weights, Polars": with_weights(pl.DataFrame, ["x", "y", "z"]),
    "text as weights, Arrow": with_weights(pa.table, ["x", "y", "z"]),
    "text as weights, DuckDB": lambda: scored(duckdb.sql("SELECT 1 AS g, 2 AS p, 'x' AS w"), weights="w"),
    "dates as weights": with_weights(pl.DataFrame, [dt.date(2020, 1, 1)] * 3),
    "dates as weights, DuckDB": lambda: scored(
        duckdb.sql("SELECT 1 AS g, 2 AS p, DATE '2020-01-01' AS w"), weights="w"
    ),
    "no rows with weights": lambda: scored(
        pl.DataFrame({"g": [], "p": [], "w": []}, schema={"g": pl.String, "p": pl.Int64, "w": pl.Float64}), weights="w"
    ),
    "no rows with weights, DuckDB": lambda: scored(
        duckdb.sql("SELECT 1 AS g, 2 AS p, 1.0 AS w WHERE false"), weights="w"
    ),
    "no tables": lambda: karat.Evaluation.from_tables([1, 2]),
    "labels inside labels": lambda: karat.ari([nested(), 1, 2], PRED),
    "fields that are masked": lambda: karat.ari(
        np.ma.array(np.zeros(3, dtype=[("a", "i4"), ("b", "f8")]), mask=[(0, 1), (0, 0), (0, 0)]), PRED
    ),
    "a view of a matrix": lambda: karat.ari(memoryview(np.zeros((2, 2))), PRED),
    "integers that Python does not write": lambda: karat.score(GOLD, [10**5000, 1, 1], noise=-1, noise_as="drop"),
    "fractions that Python does not write": lambda: karat.ari(GOLD, [Fraction(10**5000, 3), 1, 1]),
    "tuples that Python does not write": lambda: karat.ari(GOLD, [(10**5000,), 1, 1]),
    "a dict whose labels are fewer": lambda: karat.ari(FewerLabels(a=1, b=2, c=3), {"a": 1, "b": 1, "c": 2}),
    "noise that is a column": lambda: karat.ari(GOLD, PRED, noise=pl.Series([object()]), noise_as="drop"),
    "an array as a column": lambda: karat.score(pd.DataFrame({"g": GOLD, "p": PRED}), gold="g", pred="p", by=np.eye(9)),
    "a page of a thousand systems": lambda: karat.report(GOLD, {f"s{place}": PRED for place in range(1000)}, ["ari"]),
    "a number of properties": lambda: karat.audit("ari", 5),  # type: ignore[arg-type]
    "columns of one name": lambda: scored(pd.DataFrame([[1, 2, 3], [1, 3, 3]], columns=["g", "p", "p"])),
    "columns called by numbers": lambda: karat.score(pd.DataFrame([[1, 2], [1, 3]]), gold="0", pred="1"),
    "a closed connection": closed_connection,
    "an aborted transaction": aborted_transaction,
    "a query that fails": lambda: scored(duckdb.sql("SELECT 1 AS g, error('boom') AS p")),
    "a plan that fails": lambda: scored(
        pl.LazyFrame({"g": ["1", "x"], "p": [1, 2]}).with_columns(pl.col("g").cast(pl.Int64))
    ),
    "a function that raises": by(lambda gold, pred: 1 / 0),
    "a function that returns text": by(lambda gold, pred: "x"),
    "a function that returns too much": by(lambda gold, pred: 10**400),
    "a function of something else": lambda: karat.score(GOLD, PRED, ["os:system"]),
    "a function that raises, compared": lambda: karat.compare(
        GOLD, {"a": PRED, "b": PRED}, [karat.wrap(lambda gold, pred: 1 / 0, name="odd")]
    ),
    "a stack that no memory holds": lambda: karat.Stack.of(
        [karat.Table.from_labels(np.arange(60000), np.arange(60000))]
    ),
    "a list that no memory holds": lambda: karat.wrap(lambda gold, pred: 0.5, name="w")(
        karat.Table.from_matrix([[10**12]])
    ),
}


@pytest.mark.parametrize("ask", REFUSED.values(), ids=list(REFUSED))
def test_bad_input_is_refused_in_one_sentence(ask: Callable[[], Any]) -> None:
    with pytest.raises(karat.KaratError) as told:
        ask()
    text = str(told.value)
    assert "\n" not in text
    assert len(text) < 400
    assert text.endswith((".", "?"))


RIGHT: dict[str, Callable[[], Any]] = {
    "half floats of Arrow": lambda: karat.ari(pa.array(np.array([1, 1, 2], dtype=np.float16)), PRED),
    "long decimals of Arrow": lambda: karat.ari(
        pa.array([Decimal(1), Decimal(1), Decimal(2)], pa.decimal256(50, 2)), PRED
    ),
    "long decimals in a frame": lambda: scored(
        pa.table({"g": pa.array([Decimal(1), Decimal(1), Decimal(2)], pa.decimal256(50, 2)), "p": PRED}), measures="ari"
    )["ari"],
    "long integers of Polars": lambda: scored(
        pl.DataFrame({"g": pl.Series([1, 1, 2], dtype=pl.Int128), "p": PRED}), measures="ari"
    )["ari"],
    "nullable numbers with noise": lambda: karat.ari(
        pd.Series([1, 1, 2, 2], dtype="Int64"), pd.Series([0, 0, 1, None], dtype="Int64"), missing="drop", noise=7,
        noise_as="drop",
    ),
    "ids of different lengths": lambda: karat.ari(
        karat.table(
            pa.table({"i": pa.array([1, 2, 3], pa.int32()), "g": GOLD}), pa.table({"i": [3, 1, 2], "p": [2, 1, 1]}),
            gold="g", pred="p", id="i",
        )
    ),
    "a matrix of NumPy, which has two dimensions always": lambda: karat.ari(
        np.asarray([[1, 1, 2]]).view(np.matrix), np.array([[1, 1, 2]])
    ),
    "the longest floats of NumPy": lambda: karat.ari(np.array([1, 1, 2], dtype=np.longdouble), PRED),
}  # fmt: skip


@pytest.mark.parametrize("ask", RIGHT.values(), ids=list(RIGHT))
def test_odd_types_of_labels_are_read_as_they_are(ask: Callable[[], Any]) -> None:
    assert ask() == 1


ODD: list[Any] = [[], {"a": 1}, np.array([1, 2]), pd.NA, 2.5, b"x", object()]
LABELS: tuple[Any, Any] = ([0, 0, 1, 1], [0, 1, 1, 1])


@pytest.mark.parametrize("value", [*ODD, "x", 2], ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("option", ["missing", "unit", "method", "corrected"])
def test_options_with_choices_take_nothing_else(option: str, value: Any) -> None:
    for interval in (0.9, None):  # an option is refused also where nothing depends on it
        for verb in (karat.score, karat.compare, karat.report):
            with pytest.raises(karat.KaratError, match=f"^{option}="):
                verb(*LABELS, interval=interval, **{option: value})


@pytest.mark.parametrize("value", [*ODD, "x", -1, True], ids=lambda value: type(value).__name__)
def test_seeds_are_whole_numbers(value: Any) -> None:
    for ask in (
        lambda: karat.score(*LABELS, seed=value),
        lambda: karat.relate(*LABELS, seed=value),
        lambda: Family().sample(10, seed=value),
    ):
        with pytest.raises(karat.KaratError, match=r"^seed=.* is not a seed; give a whole number, 0 or more\.$"):
            ask()


@pytest.mark.parametrize("verb", [karat.explain, karat.relate, karat.table, karat.match], ids=lambda v: v.__name__)
def test_a_verb_without_intervals_has_no_options_of_them(verb: Callable[..., Any]) -> None:
    with pytest.raises(TypeError, match="has no option 'corrected'"):
        verb(*LABELS, corrected=True)


@pytest.mark.parametrize("value", ODD, ids=lambda value: type(value).__name__)
def test_pictures_and_papers_are_named_by_text(value: Any) -> None:
    pytest.importorskip("matplotlib")
    comparison = karat.compare(LABELS[0], {"k2": LABELS[1], "k3": LABELS[0]}, resamples=10)
    asked: list[Callable[[], Any]] = [
        lambda: karat.score(*LABELS).plot(value),
        lambda: karat.plot.heatmap(karat.table(*LABELS), share=value),
        lambda: karat.plot.plane(comparison, zoom=value),
        lambda: karat.plot.sweep(comparison, value),
        lambda: karat.reproduce(value),
        lambda: karat.reproduce("dom2001", value),
        lambda: karat.reproduce("dom2001", corpus=value),
        lambda: karat.datasets.path(value),
    ]
    for ask in asked:
        with pytest.raises(karat.KaratError) as refused:
            ask()
        assert len(str(refused.value)) < 300


class Unprintable:
    """An object that compares by value, and cannot be printed."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Unprintable)

    def __hash__(self) -> int:
        return 1

    def __repr__(self) -> str:
        raise RuntimeError("no text")


def doubled(times: int = 60) -> Any:
    """Tuples in tuples, with more members than can be counted."""
    label: Any = (1,)
    for _ in range(times):
        label = (label, label)
    return label


@pytest.mark.parametrize("value", [Unprintable(), doubled()], ids=["unprintable", "doubled"])
def test_what_cannot_be_printed_is_refused_at_every_door(value: Any) -> None:
    scores, board = karat.score(*LABELS), karat.score(LABELS[0], {"a": LABELS[1], "b": LABELS[0]})
    asked: list[Callable[[], Any]] = [
        *(lambda verb=verb: verb([value] * 4, LABELS[1]) for verb in (karat.score, karat.table, karat.explain)),
        lambda: karat.ari(LABELS[0], [(value, 1), (value, 2), 1, 1]),
        lambda: karat.score(*LABELS, noise=value, noise_as="drop"),
        lambda: karat.score(*LABELS, ignore=value),
        lambda: karat.score(*LABELS, missing=value),
        lambda: karat.score(*LABELS, measures=value),
        lambda: karat.score(*LABELS, weights=value),
        lambda: karat.Table.from_matrix([[value, 1], [1, 2]]),
        lambda: karat.Table.from_batches([value]),
        lambda: karat.adjusted("purity", null=value),
        lambda: karat.adjusted("purity", sides=value),
    ]
    for ask in asked:
        with pytest.raises(karat.KaratError) as refused:
            ask()
        assert len(str(refused.value)) < 300
    if isinstance(value, Unprintable):
        for result in (scores, board):
            with pytest.raises(KeyError, match="a value of type Unprintable"):
                result[value]


@pytest.mark.parametrize("value", [None, 1, "x", [], {"a": 1}, pd.NA], ids=str)
def test_formulas_and_keys_of_other_types_are_refused(value: Any) -> None:
    table, stack = karat.table(*LABELS), karat.Stack.of([karat.table(*LABELS)])
    methods = ("cell_total", "class_best", "cluster_best", "class_total", "cluster_total", "each", "statistic")
    asked = [
        lambda counts=counts, name=name: getattr(counts, name)(value) for counts in (table, stack) for name in methods
    ]
    asked += [
        lambda: karat.f_mean("x", value),
        lambda: karat.f_mean(0.5, 0.5, "x"),
        lambda: karat.ratio("x", "y", empty=0),
        lambda: karat.plot.curves([1], {"a": [value, value]}),
        lambda: karat.plot.curves(None, {"a": [1]}),
        lambda: karat.sklearn.contingency_matrix(*LABELS, dtype="no type"),
        lambda: karat.sklearn.contingency_matrix(*LABELS, eps="x"),
        lambda: karat.score(*LABELS, interval=10**400),
    ]
    for ask in asked:
        with pytest.raises(karat.KaratError) as refused:
            ask()
        assert len(str(refused.value)) < 300


def test_a_key_without_a_hash_is_no_system_or_group() -> None:
    board = karat.score(LABELS[0], {"a": LABELS[1], "b": LABELS[0]})
    groups = karat.score(*LABELS, by=["x", "x", "y", "y"])
    for result in (board, groups):
        with pytest.raises(KeyError, match="there are"):
            result[[]]  # type: ignore[index]
    assert "a" in board


def test_a_number_of_too_many_digits_is_told_without_advice_about_python(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"gold": %s, "pred": 1}\n' % ("9" * 5000))
    table = tmp_path / "a.json"
    table.write_text('{"karat": %s}' % ("9" * 5000))
    for ask in (lambda: karat.read(path), lambda: karat.Table.load(table)):
        with pytest.raises(karat.KaratError, match="a number of more than 4,300 digits"):
            ask()


def test_a_frame_with_two_columns_of_one_name_is_refused_in_a_sentence() -> None:
    frame = pd.DataFrame([[1, 2]], columns=["a", "a"])
    for data in (frame, pa.table([[1], [2]], names=["a", "a"])):
        with pytest.raises(karat.LabelError, match="gold is a table with columns 'a', 'a'; give one of its columns"):
            karat.ari(data, [1])
    with pytest.raises(karat.LabelError, match="'a' 2 times"):
        karat.table(frame, gold="a", pred="a")


def test_ids_that_are_too_deep_to_print_are_shown_by_their_type() -> None:
    deep: Any = 1
    for _ in range(5000):
        deep = (deep,)
    assert "a deep tuple" in karat.report(["a", "a", "b"], [1, 2, 2], id=[deep] * 3).html()
