"""Sources that fail, at every door: what a library raises is one sentence, what the user's own code raises passes."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import dask.dataframe
import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import karat
from karat.cli import main
from karat.foreign import first_line, translated
from karat.sources.files import sources

GOLD, PRED = ["a", "a", "b"], [1, 1, 2]
COLUMNS = {"g": GOLD, "p": PRED, "w": [1.0, 2.0, 1.0], "i": [1, 2, 3]}


class OwnError(Exception):
    """What the user's own code raises."""


def fails(*_: Any, **__: Any) -> Any:
    raise OwnError("boom\nand a trace")


# Frames that fail when they are asked


def polars_plan() -> Any:
    return pl.LazyFrame(COLUMNS).map_batches(fails)


def polars_function() -> Any:
    return pl.LazyFrame(COLUMNS).with_columns(pl.col("p").map_elements(fails, return_dtype=pl.Int64))


def polars_file_gone(folder: Path) -> Any:
    pl.DataFrame(COLUMNS).write_parquet(folder / "gone.parquet")
    lazy = pl.scan_parquet(folder / "gone.parquet")
    (folder / "gone.parquet").unlink()
    return lazy


def dask_partition() -> Any:
    frame = pd.DataFrame(COLUMNS)
    return dask.dataframe.from_pandas(frame, npartitions=1).map_partitions(fails, meta=frame.iloc[:0])


def duckdb_closed() -> Any:
    connection = duckdb.connect()
    relation = connection.sql("SELECT 'a' AS g, 1 AS p, 1.0 AS w, 1 AS i")
    connection.close()
    return relation


def duckdb_query() -> Any:
    return duckdb.sql("SELECT 'a' AS g, error('boom') AS p, 1.0 AS w, 1 AS i")


def duckdb_aborted() -> Any:
    connection = duckdb.connect()
    connection.execute("CREATE TABLE t AS SELECT 'a' AS g, 1 AS p, 1.0 AS w, 1 AS i")
    relation = connection.sql("SELECT * FROM t")
    connection.execute("BEGIN")
    with pytest.raises(duckdb.Error):
        connection.execute("SELECT error('x')").fetchall()
    return relation


def duckdb_dropped() -> Any:
    connection = duckdb.connect()
    connection.execute("CREATE TABLE t AS SELECT 'a' AS g, 1 AS p, 1.0 AS w, 1 AS i")
    relation = connection.sql("SELECT * FROM t")
    connection.execute("DROP TABLE t")
    return relation


def duckdb_file_gone(folder: Path) -> Any:
    pl.DataFrame(COLUMNS).write_parquet(folder / "gone.parquet")
    relation = duckdb.sql(f"SELECT * FROM '{folder / 'gone.parquet'}'")
    (folder / "gone.parquet").unlink()
    return relation


def arrow_years() -> Any:
    days = pa.array([10**7, 10**7, -(10**7)], pa.int32()).view(pa.date32())
    return pa.table({**COLUMNS, "g": days})


def arrow_scale() -> Any:
    from decimal import Decimal

    return pa.table({**COLUMNS, "g": pa.array([Decimal("1e3")] * 3, pa.decimal128(5, -2))})


FRAMES: dict[str, Callable[..., Any]] = {
    "a plan of Polars": polars_plan, "a function of Polars": polars_function, "a file of Polars": polars_file_gone,
    "a partition of Dask": dask_partition, "a closed connection": duckdb_closed, "a query": duckdb_query,
    "an aborted transaction": duckdb_aborted, "a dropped table": duckdb_dropped, "a file of DuckDB": duckdb_file_gone,
    "years of Arrow": arrow_years, "a scale of Arrow": arrow_scale,
}  # fmt: skip
ASKED: dict[str, Callable[[Any], Any]] = {
    "score": lambda frame: karat.score(frame, gold="g", pred="p"),
    "weights": lambda frame: karat.score(frame, gold="g", pred="p", weights="w"),
    "counts": lambda frame: karat.table(frame, gold="g", pred="p", count="i"),
    "table": lambda frame: karat.table(frame, gold="g", pred="p"),
    "two frames": lambda frame: karat.table(frame, frame, gold="g", pred="p", id="i"),
    "as labels": lambda frame: karat.score(frame, frame),
}


def check_sentence(text: str) -> None:
    assert "\n" not in text
    assert len(text) < 400
    assert text.endswith((".", "?"))


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("asked", ASKED)
def test_a_frame_that_fails_is_told_in_one_sentence(frame: str, asked: str, tmp_path: Path) -> None:
    make = FRAMES[frame]
    source = make(tmp_path) if make.__code__.co_argcount else make()
    with pytest.raises(karat.KaratError) as told:
        ASKED[asked](source)
    check_sentence(str(told.value))


# Labels that fail when they are read


class Array:
    def __init__(self, problem: Exception) -> None:
        self.problem = problem

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise self.problem


class Subclass(pd.Series):
    def to_numpy(self, *_: Any, **__: Any) -> Any:
        return fails()

    __array__ = to_numpy

    @property
    def array(self) -> Any:
        return fails()

    values = array


LABELS: dict[str, Callable[[], Any]] = {
    "an array": lambda: Array(OwnError("boom")),
    "an array with a ValueError": lambda: Array(ValueError("boom")),
    "an array without memory": lambda: Array(MemoryError()),
    "a Series of one's own": lambda: Subclass([1, 1, 2]),
    "dates of Arrow": lambda: pa.array([10**7] * 3, pa.int32()).view(pa.date32()),
    "a closed relation": duckdb_closed,
}
READ: dict[str, Callable[[Any], Any]] = {
    "gold": lambda labels: karat.ari(labels, PRED),
    "pred": lambda labels: karat.score(PRED, labels),
    "a system": lambda labels: karat.compare(PRED, {"a": labels, "b": PRED}),
    "a table": lambda labels: karat.Table.from_labels(PRED, labels),
    "encode": karat.encode,
    "weights": lambda labels: karat.ari(PRED, PRED, weights=labels),
}


@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("read", READ)
def test_labels_of_a_library_that_fail_are_told_in_one_sentence(labels: str, read: str) -> None:
    with pytest.raises(karat.KaratError) as told:
        READ[read](LABELS[labels]())
    check_sentence(str(told.value))


def broken_off() -> Iterator[int]:
    yield 1
    fails()


class Items(dict[Any, Any]):
    __iter__ = keys = values = items = fails  # type: ignore[assignment]


class Unmeasured(list[Any]):
    __len__ = fails  # type: ignore[assignment]


OWN: dict[str, Callable[[], Any]] = {
    "a list without length": lambda: karat.ari(Unmeasured(PRED), PRED),
    "a system without length": lambda: karat.compare(PRED, {"a": Unmeasured(PRED), "b": PRED}),
    "an iterator": lambda: karat.ari(broken_off(), PRED),
    "weights": lambda: karat.ari(PRED, PRED, weights=broken_off()),
    "a dict": lambda: karat.ari(Items({1: 1}), {1: 1}),
    "a dict of systems": lambda: karat.compare(PRED, Items(a=PRED, b=PRED)),
    "tables": lambda: karat.Table.from_batches(fails() for _ in range(3)),
}


@pytest.mark.parametrize("ask", OWN.values(), ids=list(OWN))
def test_what_the_users_own_code_raises_passes_unchanged(ask: Callable[[], Any]) -> None:
    with pytest.raises(OwnError, match="boom"):
        ask()


def test_a_file_that_goes_while_it_is_read_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for ending in ("csv", "parquet"):
        path = tmp_path / f"a.{ending}"
        pl.DataFrame(COLUMNS).write_parquet(path) if ending == "parquet" else path.write_text("g,p\na,1\nb,2\n")
        real = sources.open_source

        def gone(source: Any, *more: Any, path: Path = path, real: Any = real) -> Any:
            path.unlink()
            return real(source, *more)

        with monkeypatch.context() as changed:
            changed.setattr("karat.sources.files.reading.open_source", gone)
            with pytest.raises(karat.KaratError) as told:
                karat.read(path, gold="g", pred="p")
        check_sentence(str(told.value))


def test_no_memory_and_panics_are_told_and_ctrl_c_is_not(capsys: pytest.CaptureFixture[str]) -> None:
    class PanicException(BaseException):
        pass

    for problem, reason in ((MemoryError(), "not enough memory"), (PanicException("a panic\nof Rust"), "a panic")):
        with (
            pytest.raises(karat.KaratError, match=rf"^it failed \({reason}\)\.$"),
            translated("it failed ({}).".format),
        ):
            raise problem
    with pytest.raises(KeyboardInterrupt), translated("it failed ({}).".format):
        raise KeyboardInterrupt


def test_labels_that_differ_by_a_nanosecond_stay_apart_in_frames() -> None:
    for kind in (pa.duration("ns"), pa.timestamp("ns"), pa.time64("ns")):
        table = pa.table({"g": pa.array([1, 1, 2], kind), "p": PRED})
        for frame in (table, pl.from_arrow(table), pl.from_arrow(table).lazy()):
            assert karat.score(frame, gold="g", pred="p", measures="ari")["ari"] == 1
    clock = pl.DataFrame({"g": [dt.time(1), None, dt.time(2)], "p": PRED})
    assert karat.table(clock, gold="g", pred="p", missing="drop").n == 2


def test_the_command_ends_with_1_where_a_library_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.parquet").write_bytes(b"PAR1" + b"\0" * 40 + b"PAR1")
    for engine in ("duckdb", "polars"):
        columns = ["--gold", "g", "--pred", "p"]
        assert main(["score", str(tmp_path / "a.parquet"), *columns, "--engine", engine]) == 1
        check_sentence(capsys.readouterr().err.rstrip("\n"))


def test_arrays_of_numpy_are_not_taken_for_somebody_elses() -> None:
    assert karat.ari(np.array(PRED), PRED) == 1


def test_a_reason_has_no_address_of_memory() -> None:
    assert (
        first_line(ValueError("malformed node: <ast.Name object at 0x7f12ab>")) == "malformed node: <ast.Name object>"
    )
