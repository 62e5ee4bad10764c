"""Files opened by Polars or Spark, on this machine or wherever they read from."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from karat.errors import FileError, KaratError


@contextmanager
def opened_by(engine: str, path: str, *, master: str | None = None, memory: str | None = None) -> Iterator[Any]:
    """A file, a folder or a pattern of Parquet or CSV files as a frame of an engine, while it runs."""
    kind = _kind(path)
    if engine == "polars":
        yield _by_polars(path, kind)
        return
    session, ours = _spark(master, memory)
    try:
        yield _by_spark(session, path, kind)
    finally:
        if ours:
            session.stop()


def _kind(path: str) -> str:
    """What a path holds, by its ending; a folder is of Parquet."""
    name = path.rstrip("/").lower()
    for ending in (".gz", ".zst"):
        name = name.removesuffix(ending)
    if name.endswith((".csv", ".tsv")):
        return name[-3:]
    if name.endswith((".parquet", ".pq", "*")) or "." not in os.path.basename(name):
        return "parquet"
    raise FileError(f"{path!r} is neither Parquet nor CSV by its ending; give one of them, or leave out --engine.")


def _by_polars(path: str, kind: str) -> Any:
    try:
        import polars
    except ImportError:
        raise KaratError("engine 'polars' is not installed; pip install polars.") from None
    try:
        if kind == "parquet":
            frame = polars.scan_parquet(path)
        else:
            frame = polars.scan_csv(path, separator="\t" if kind == "tsv" else ",", infer_schema=False)
        frame.collect_schema()
    except (OSError, polars.exceptions.PolarsError) as problem:
        raise FileError(f"{path!r} cannot be read by polars ({_first_line(problem)}); check it.") from None
    return frame


def _spark(master: str | None, memory: str | None) -> tuple[Any, bool]:
    """The running session, or one of our own, which is to be stopped."""
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise KaratError("engine 'spark' is not installed; pip install 'karat[spark]', and Java 17 or newer.") from None
    running = SparkSession.getActiveSession()
    if running is not None and master is None:
        return running, False
    builder = SparkSession.builder.appName("karat").config("spark.ui.enabled", "false")
    builder = builder.config("spark.ui.showConsoleProgress", "false")
    if master is not None:
        builder = builder.master(master)
    elif "MASTER" not in os.environ and "SPARK_HOME" not in os.environ:
        builder = builder.master("local[*]")
    if memory is not None:
        builder = builder.config("spark.driver.memory", memory.lower().removesuffix("b"))
    try:
        session = builder.getOrCreate()
    except Exception as problem:  # whatever Java, or its absence, makes of it
        raise KaratError(f"Spark did not start ({_first_line(problem)}); check Java and {master or 'local'}.") from None
    session.sparkContext.setLogLevel("ERROR")
    return session, running is None


def _by_spark(session: Any, path: str, kind: str) -> Any:
    try:
        if kind == "parquet":
            return session.read.parquet(path)
        return session.read.csv(path, header=True, sep="\t" if kind == "tsv" else ",")
    except Exception as problem:
        raise FileError(f"{path!r} cannot be read by Spark ({_first_line(problem)}); check it.") from None


def _first_line(problem: BaseException) -> str:
    lines = [line.strip() for line in str(problem).splitlines() if line.strip()]
    return lines[0][:200].rstrip(".") if lines else type(problem).__name__
