"""Files opened by Polars or Spark, local or remote."""

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
    """Open Parquet or CSV files (a path, a folder or a pattern) as a frame of an engine, for a with block.

    Columns of CSV files are text, except those in numbers (counts and weights); an empty field, quoted or not, is a
    missing value.
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
                with suppress(Exception):  # it may have ended; Java ends with this process
                    session.stop()


@contextmanager
def _quiet() -> Iterator[None]:
    """Suppress what PySpark and py4j print besides errors; restore the settings afterwards.

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
    """The file format, by the ending of a path; a folder holds Parquet files."""
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
    pattern = not os.path.isfile(path)  # [ in the name of a file is no pattern
    try:
        if kind == "parquet":
            frame = polars.scan_parquet(path, glob=pattern)
        else:
            separator = "\t" if kind == "tsv" else ","
            frame = polars.scan_csv(path, separator=separator, infer_schema=False, glob=pattern)
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
    """The active session, or a new one, and whether it is new and so must be stopped."""
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
    except Exception as problem:  # Java missing, too old, or failing
        raise KaratError(f"Spark did not start ({first_line(problem)}); check Java and {master or 'local'}.") from None


def _java(conf: Any) -> Any:
    """Start the Java gateway of Spark with its log kept off the terminal; if it fails, raise the reason."""
    from pyspark import java_gateway

    launch: Any = java_gateway.launch_gateway
    with tempfile.TemporaryFile() as written, _undisturbed():
        try:
            return launch(conf, {"stderr": written})
        except Exception as problem:  # it says that Java has ended; the log says why
            written.seek(0)
            lines = written.read().decode(errors="replace").splitlines()
            errors = [line for line in lines if any(word in line for word in ("JAVA_HOME", "Error:", "Exception:"))]
            reason = errors[0].rpartition("Exception: ")[2].strip() if errors else first_line(problem)
            raise KaratError(reason) from None


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Postpone signals to the end of the block, unless they come twice: an interrupted start leaves Java running."""
    if threading.current_thread() is not threading.main_thread():  # signals reach the main thread only
        yield
        return
    received: list[int] = []

    def postpone(number: int, frame: Any) -> None:
        if received:
            before[number](number, frame)
        received.append(number)

    numbers = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before: dict[int, Any] = {n: signal.getsignal(n) for n in numbers if callable(signal.getsignal(n))}
    for number in before:
        signal.signal(number, postpone)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        if received:
            signal.raise_signal(received[0])


def _check_master(master: str | None) -> None:
    """Refuse standalone masters if none of them accepts a connection."""
    if master is None or not master.startswith("spark://"):
        return
    problem = "it names no host and port"
    for address in master.removeprefix("spark://").split(","):
        host, _, port = address.rpartition(":")
        try:
            socket.create_connection((host.strip("[]"), int(port)), PATIENCE).close()
            return
        except OSError as failure:
            problem = failure.strerror or str(failure)
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
