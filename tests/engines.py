"""Frames of every engine, from columns as lists: those that come with the tests, and those of groups of their own."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
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


COLUMN_TYPES = {  # of PostgreSQL and SQLite, by Arrow's
    "string": ("TEXT", "TEXT"), "int64": ("BIGINT", "INTEGER"), "double": ("DOUBLE PRECISION", "REAL"),
    "binary": ("BYTEA", "BLOB"), "bool": ("BOOLEAN", None), "date32[day]": ("DATE", None),
    "timestamp[us]": ("TIMESTAMP", None), "timestamp[us, tz=Europe/Berlin]": ("TIMESTAMPTZ", None),
    "decimal128(20, 2)": ("NUMERIC(20, 2)", None),
}  # fmt: skip


def in_database(connection: Any, mark: str, backend: int, table: Any) -> Any:
    """An Arrow table in PostgreSQL (backend 0) or SQLite (1); None if it has no such type."""
    kinds = {
        name: COLUMN_TYPES.get(str(table.schema.field(name).type), (None, None))[backend] for name in table.schema.names
    }
    if None in kinds.values():
        return None
    if backend == 1:  # SQLite does not tell g from G
        kinds.pop("g", None)
    name = f"t{next(NUMBERS)}"
    cursor = connection.con.cursor()
    cursor.execute("CREATE TABLE {} ({})".format(name, ", ".join(f'"{c}" {kind}' for c, kind in kinds.items())))
    rows = list(zip(*(table[c].to_pylist() for c in kinds), strict=True))
    cursor.executemany(f"INSERT INTO {name} VALUES ({', '.join([mark] * len(kinds))})", rows)
    connection.con.commit()
    return connection.table(name)


def duckdb_table(table: Any) -> Any:
    connection = duckdb.connect()
    connection.register("given", table)
    connection.execute("CREATE TABLE t AS SELECT * FROM given")
    return connection.table("t")


def ibis_in_duckdb(table: Any) -> Any:
    connection, name = ibis_connection("duckdb"), f"t{next(NUMBERS)}"
    connection.con.register(f"{name}_given", table)
    connection.con.execute(f"CREATE TABLE {name} AS SELECT * FROM {name}_given")
    connection.con.unregister(f"{name}_given")
    return connection.table(name)


FROM_ARROW: dict[str, Callable[[Any], Any]] = {  # frames of an Arrow table, None where an engine lacks a type
    "pandas": lambda table: table.to_pandas(types_mapper=pd.ArrowDtype),
    "polars": pl.from_arrow,
    "polars lazy": lambda table: pl.from_arrow(table).lazy(),  # type: ignore[union-attr]
    "pyarrow": lambda table: table,
    "pyarrow reader": lambda table: pa.RecordBatchReader.from_batches(table.schema, table.to_batches(3)),
    "duckdb": duckdb_table,
    "dask": lambda table: dask.dataframe.from_pandas(table.to_pandas(types_mapper=pd.ArrowDtype), npartitions=2),
    "modin": lambda table: modin_frame(table.to_pandas(types_mapper=pd.ArrowDtype)),
    "ibis polars": lambda table: ibis_connection("polars").create_table(f"t{next(NUMBERS)}", pl.from_arrow(table)),
    "ibis duckdb": ibis_in_duckdb,
    "ibis sqlite": lambda table: in_database(ibis_connection("sqlite"), "?", 1, table),
    "ibis postgres": lambda table: in_database(postgres()[1], "%s", 0, table),
    "spark connect": lambda table: spark_session().createDataFrame(table),
}


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


def engine_params(names: Iterable[str] = ENGINES) -> Iterator[Any]:
    """Engines that come with the tests, and those that are tested in a group of their own."""
    for name in names:
        group = GROUPS.get(name.split()[0])
        marks = [getattr(pytest.mark, group), pytest.mark.filterwarnings("ignore")] if group else []
        yield pytest.param(name, marks=[*marks, pytest.mark.xdist_group(name)])
