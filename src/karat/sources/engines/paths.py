"""Files opened by Polars or Spark, on this machine or wherever they read from."""

from __future__ import annotations

import logging
import os
import signal
import socket
import tempfile
import threading
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from karat.errors import FileError, KaratError
from karat.foreign import first_line

PATIENCE = 5.0  # seconds for a master to answer; Spark itself would try for a minute


@contextmanager
def opened_by(
    engine: str,
    path: str,
    *,
    numbers: Sequence[str] = (),
    master: str | None = None,
    memory: str | None = None,
) -> Iterator[Any]:
    """A file, a folder or a pattern of Parquet or CSV files as a frame of an engine, while the engine runs.

    Columns of CSV files are text, and an empty field is a missing value, quoted or not; numbers names the columns of
    counts and weights.
    """
    kind = _kind(path)
    if engine == "polars":
        yield _by_polars(path, kind, numbers)
        return
    with _quiet():
        session, ours = _spark(master, memory)
        try:
            yield _by_spark(session, path, kind, numbers)
        finally:
            if ours:
                with suppress(Exception):  # if it has gone; Java ends with us
                    session.stop()


@contextmanager
def _quiet() -> Iterator[None]:
    """Suppress what PySpark and py4j print besides errors, and restore the settings of before.

    py4j logs, with a traceback, whatever interrupts a query, Ctrl-C too, and uses the root logger. PySpark warns about
    pandas 3 when a session starts, but karat asks it for Arrow tables and rows, never for pandas.
    """
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
            yield
    finally:
        logging.disable(before)


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


def _by_polars(path: str, kind: str, numbers: Sequence[str]) -> Any:
    try:
        import polars
    except ImportError:
        raise KaratError("engine 'polars' is not installed; pip install polars.") from None
    try:
        if kind == "parquet":
            frame = polars.scan_parquet(path)
        else:
            frame = polars.scan_csv(path, separator="\t" if kind == "tsv" else ",", infer_schema=False)
            text = polars.col(polars.String)
            frame = frame.with_columns(polars.when(text != "").then(text))
            named = [polars.col(name) for name in numbers if name in frame.collect_schema()]
            integral = bool(named) and all(
                frame.select(column.str.contains(r"^\d{1,18}$").all()).collect().item() for column in named
            )
            frame = frame.with_columns(column.cast(polars.Int64 if integral else polars.Float64) for column in named)
        frame.collect_schema()
    except (OSError, polars.exceptions.PolarsError) as problem:
        raise FileError(f"{path!r} cannot be read by polars ({first_line(problem)}); check it.") from None
    return frame


def _spark(master: str | None, memory: str | None) -> tuple[Any, bool]:
    """The running session, or one of our own, which is to be stopped."""
    try:
        from pyspark import SparkConf, SparkContext
        from pyspark.sql import SparkSession
    except ImportError:
        raise KaratError("engine 'spark' is not installed; pip install 'karat[spark]', and Java 17 or newer.") from None
    running = SparkSession.getActiveSession()
    if running is not None:
        return running, False
    _check_master(master)
    conf = SparkConf().setAppName("karat").set("spark.log.level", "ERROR")
    conf = conf.set("spark.ui.enabled", "false").set("spark.ui.showConsoleProgress", "false")
    if master is not None:
        conf = conf.setMaster(master)
    elif "MASTER" not in os.environ and "SPARK_HOME" not in os.environ:
        conf = conf.setMaster("local[*]")
    if memory is not None:
        conf = conf.set("spark.driver.memory", memory.lower().removesuffix("b"))
    try:
        if SparkContext._gateway is None:
            SparkContext(conf=conf, gateway=_java(conf))
        return SparkSession.builder.config(conf=conf).getOrCreate(), True
    except Exception as problem:  # whatever Java, or its absence, makes of it
        raise KaratError(f"Spark did not start ({first_line(problem)}); check Java and {master or 'local'}.") from None


def _java(conf: Any) -> Any:
    """The Java that Spark runs in: what it logs is kept from the terminal, and told if it does not start."""
    from pyspark import java_gateway

    launch: Any = java_gateway.launch_gateway
    with tempfile.TemporaryFile() as written, _undisturbed():
        try:
            return launch(conf, {"stderr": written})
        except Exception as problem:  # which says that Java has ended, but not why
            written.seek(0)
            lines = written.read().decode(errors="replace").splitlines()
            told = [line for line in lines if any(word in line for word in ("JAVA_HOME", "Error:", "Exception:"))]
            reason = told[0].rpartition("Exception: ")[2].strip() if told else first_line(problem)
            raise KaratError(reason) from None


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Signals wait for a moment, unless they come twice: a Java whose start is broken off runs on for ever."""
    if threading.current_thread() is not threading.main_thread():  # where no signal arrives
        yield
        return
    heard: list[int] = []

    def hear(number: int, frame: Any) -> None:
        if heard:
            before[number](number, frame)
        heard.append(number)

    numbers = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before: dict[int, Any] = {n: signal.getsignal(n) for n in numbers if callable(signal.getsignal(n))}
    for number in before:
        signal.signal(number, hear)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        if heard:
            signal.raise_signal(heard[0])


def _check_master(master: str | None) -> None:
    """Refuse a standalone master that nobody can connect to; of several, one is enough."""
    if master is None or not master.startswith("spark://"):
        return
    problem = "it names no host and port"
    for address in master.removeprefix("spark://").split(","):
        host, _, port = address.rpartition(":")
        try:
            socket.create_connection((host.strip("[]"), int(port)), PATIENCE).close()
            return
        except OSError as found:
            problem = found.strerror or str(found)
        except ValueError:  # no number after the colon
            pass
    raise KaratError(f"Spark did not start ({problem}); check that a master listens at {master}.")


def _by_spark(session: Any, path: str, kind: str, numbers: Sequence[str]) -> Any:
    try:
        if kind == "parquet":
            return session.read.parquet(path)
        frame = session.read.csv(path, header=True, sep="\t" if kind == "tsv" else ",", emptyValue="", nullValue="")
        columns = {name: "`{}`".format(name.replace("`", "``")) for name in frame.columns}
        kinds = {name: "double" if name in numbers else "string" for name in columns}
        chosen = (f"CAST(NULLIF({quoted}, '') AS {kinds[name]}) AS {quoted}" for name, quoted in columns.items())
        return frame.selectExpr(*chosen)
    except Exception as problem:
        raise FileError(f"{path!r} cannot be read by Spark ({first_line(problem)}); check it.") from None
