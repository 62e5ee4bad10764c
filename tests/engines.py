"""Frames of every engine, from columns as lists: those that come with the tests, and those of groups of their own."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import cache
from itertools import count
from typing import Any

import dask
import dask.dataframe
import duckdb
import narwhals as nw
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from karat.labels.policy import Policy
from karat.sources.engines import collecting
from postgres_server import HOST, Server

dask.config.set(scheduler="synchronous")


def counted_frame(
    frame: object, other: object = None, *, gold: str, pred: str, most: int | None = 2_000_000, **options: Any
) -> Any:
    """The counts of two columns by the frame's own engine, where cells beyond most are left."""
    columns = {name: options.pop(name, None) for name in ("id", "by", "weights", "count")}
    native = [nw.to_native(side, pass_through=True) for side in (frame, other)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(collecting, "COLLECTED", float("inf") if most is None else most)
        asked = collecting.Columns(*native, gold, {pred: pred}, **columns)
        return collecting.FrameSystems(asked, Policy.of(**options)).tables[pred]


def duckdb_relation(frame: dict[str, list[Any]]) -> Any:
    table = pa.table(frame)
    connection = duckdb.connect()
    connection.register("t", table)
    return connection.sql("SELECT * FROM t")


NUMBERS = count()


def modin_frame(frame: dict[str, list[Any]]) -> Any:
    os.environ["MODIN_ENGINE"] = "python"  # in this process; asked for before Modin looks for Ray and Dask
    from modin.pandas import DataFrame

    return DataFrame(frame)


@cache
def ibis_connection(backend: str) -> Any:
    import ibis

    return getattr(ibis, backend).connect()


def ibis_memtable(frame: dict[str, list[Any]]) -> Any:
    import ibis

    return ibis.memtable(pa.table(frame))


def ibis_polars(frame: dict[str, list[Any]]) -> Any:
    return ibis_connection("polars").create_table(f"t{next(NUMBERS)}", pl.DataFrame(frame))


def ibis_sqlite(frame: dict[str, list[Any]]) -> Any:
    return created(ibis_connection("sqlite"), "?", {"int64": "INTEGER", "double": "REAL"}, frame)


def ibis_duckdb(frame: dict[str, list[Any]]) -> Any:
    return created(ibis_connection("duckdb"), "?", {"int64": "BIGINT", "double": "DOUBLE"}, frame)


def ibis_postgres(frame: dict[str, list[Any]]) -> Any:
    return created(postgres()[1], "%s", {"int64": "BIGINT", "double": "DOUBLE PRECISION"}, frame)


def created(connection: Any, mark: str, types: dict[str, str], frame: dict[str, list[Any]]) -> Any:
    """A table made by the database itself: not every sqlglot lets Ibis make tables."""
    name = f"t{next(NUMBERS)}"
    kinds = [types.get(str(column.type), "TEXT") for column in pa.table(frame).columns]
    columns = ", ".join('"{}" {}'.format(c.replace('"', '""'), kind) for c, kind in zip(frame, kinds, strict=True))
    cursor = connection.con.cursor()
    cursor.execute(f"CREATE TABLE {name} ({columns})")
    marks = ", ".join([mark] * len(frame))
    cursor.executemany(f"INSERT INTO {name} VALUES ({marks})", list(zip(*frame.values(), strict=True)))
    connection.con.commit()
    return connection.table(name)


@cache
def postgres() -> tuple[Server, Any]:
    """A server, and Ibis's connection to it."""
    import ibis

    server = Server().__enter__()
    return server, ibis.postgres.connect(host=HOST, port=server.port, user="karat", database="postgres")


@cache
def spark_session() -> Any:
    from pyspark.sql import SparkSession

    session = SparkSession.builder.remote("local[2]").getOrCreate()  # which starts a server
    session.conf.set("spark.sql.shuffle.partitions", "2")
    return session


def close_engines() -> None:
    """End the servers that were started for tests of this process."""
    if spark_session.cache_info().currsize:
        spark_session().stop()
        spark_session.cache_clear()
    if postgres.cache_info().currsize:
        server, connection = postgres()
        connection.disconnect()
        server.close()
        postgres.cache_clear()


ENGINES: dict[str, Callable[[dict[str, list[Any]]], Any]] = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "polars lazy": pl.LazyFrame,
    "pyarrow": pa.table,
    "duckdb": duckdb_relation,
    "dask": lambda frame: dask.dataframe.from_pandas(pd.DataFrame(frame), npartitions=2),
    "modin": modin_frame,
    "ibis memtable": ibis_memtable,
    "ibis polars": ibis_polars,
    "ibis sqlite": ibis_sqlite,
    "ibis duckdb": ibis_duckdb,
    "ibis postgres": ibis_postgres,
    "spark connect": lambda frame: spark_session().createDataFrame(pa.table(frame)),
}
SLOW = ("dask", "modin", "spark connect")  # which take a second for each measure
GROUPS = {
    "modin": "engines",
    "ibis": "engines",
    "spark": "connect",
}  # the marks of those that need more to be installed


def engine_params() -> Iterator[Any]:
    """Engines that come with the tests, and those that are tested in a group of their own."""
    for name in ENGINES:
        group = GROUPS.get(name.split()[0])
        marks = [getattr(pytest.mark, group), pytest.mark.filterwarnings("ignore")] if group else []
        yield pytest.param(name, marks=[*marks, pytest.mark.xdist_group(name)])
