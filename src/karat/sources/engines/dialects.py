"""Differences between engines that narwhals does not hide: caching, collecting results, and errors."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from importlib import import_module
from typing import Any, TypeAlias
from uuid import uuid4

import narwhals as nw
import numpy as np

from karat.errors import LabelError
from karat.foreign import translated
from karat.labels.columns import times
from karat.labels.encoding import instants

Lazy: TypeAlias = Any  # narwhals' LazyFrame, which is generic in what it wraps

ENGINES = {  # by package: its name, and the remedy when a query fails
    "pyspark": ("Spark", "check its session, and try again"),
    "ibis": ("Ibis", "check its session, and try again"),
    "duckdb": ("DuckDB", "check its connection and the columns that were named"),
    "_duckdb": ("DuckDB", "check its connection and the columns that were named"),
    "polars": ("Polars", "check that its files are complete, and the columns that were named"),
    "pyarrow": ("Arrow", "check the columns that were named"),
    "pandas": ("pandas", "check the columns that were named"),
    "dask": ("Dask", "check the columns that were named"),
    "modin": ("Modin", "check the columns that were named"),
}
ALIKE = frozenset(  # Spark types whose Python values are equal by way of Arrow and of rows; not times or structs
    ("binary", "boolean", "byte", "date", "decimal", "double", "float", "integer", "long", "short", "string")
)


def comes_from(native: object, *packages: str) -> bool:
    """Whether a frame's type is defined in one of some packages.

    Attributes are not checked, since some frames offer their columns as attributes.
    """
    return any(kind.__module__.partition(".")[0] in packages for kind in type(native).__mro__)


@contextmanager
def engine_errors(native: object) -> Iterator[None]:
    """Raise the errors of an engine (Java, a lost cluster, a database) as one sentence that names it."""
    known = (entry for package, entry in ENGINES.items() if comes_from(native, package))
    name, remedy = next(known, (type(native).__name__, "check the columns that were named"))
    with translated(lambda reason: f"{name} failed ({reason}); {remedy}."):
        yield


def knows_nan(native: Any) -> bool:
    """Whether an engine has NaN; SQLite, by way of Ibis, does not."""
    if not comes_from(native, "ibis"):
        return True
    return bool(native.get_backend().has_operation(import_module("ibis.expr.operations").IsNan))


def check_together(gold: Any, pred: Any) -> None:
    """Refuse frames of two engines, or of two Ibis connections, which Ibis confuses if they look alike."""
    first, second = (nw.from_native(side).implementation for side in (gold, pred))
    if first is not second:
        raise LabelError(f"gold is a frame of {name_of(first)} and pred of {name_of(second)}; give two of the same.")
    if first.is_ibis():
        sources = {id(node.source) for side in (gold, pred) for node in side.op().find(lambda n: hasattr(n, "source"))}
        if len(sources) > 1:
            raise LabelError("gold and pred are tables of two connections of Ibis; take both from the same.")


def name_of(implementation: Any) -> str:
    """The package name of an engine in lower case, without an extra such as [connect]."""
    return str(implementation).rsplit(".", 1)[-1].partition("[")[0].lower()


def cached(cells: Lazy) -> Lazy:
    """Cells or rows cached in their engine, or in memory if it is Ibis: they are queried several times."""
    native = cells.to_native()
    if comes_from(native, "pyspark"):  # a unique filter, or Spark reuses the cached plan of a file that has changed
        with engine_errors(native):
            return nw.from_native(native.where(f"'{uuid4().hex}' IS NOT NULL").persist()).lazy()
    if cells.implementation.is_dask():
        return nw.from_native(native.persist()).lazy()
    if comes_from(native, "ibis"):
        with engine_errors(native):
            return nw.from_native(native.to_pyarrow()).lazy()
    return cells.collect().lazy() if cells.implementation.is_polars() else cells


def uncached(cells: Lazy) -> None:
    """Release cells that an engine has cached."""
    native = cells.to_native()
    if comes_from(native, "pyspark"):
        native.unpersist()


def collected(lazy: Lazy) -> dict[str, list[Any]]:
    """The columns of a result, as lists of plain values."""
    by_name = columns(lazy)
    return {
        name: values.tolist() if isinstance(values, np.ndarray) else list(values) for name, values in by_name.items()
    }


def columns(lazy: Lazy) -> dict[str, Any]:
    """The columns of a result: arrays of numbers where none is missing, else lists of plain values."""
    native = lazy.to_native()
    with engine_errors(native):
        return _of_spark(native) if comes_from(native, "pyspark") else frame_columns(lazy.collect())


def _of_spark(native: Any) -> dict[str, Any]:
    """The columns of a Spark frame, by way of Arrow, which is faster, if all types allow it."""
    if hasattr(type(native), "toArrow") and all(field.dataType.typeName() in ALIKE for field in native.schema):
        try:
            return frame_columns(nw.from_native(native.toArrow()))
        except ImportError:  # no PyArrow, or one that Spark finds too old
            pass
    rows = native.collect()
    return {name: [row[index] for row in rows] for index, name in enumerate(native.columns)}


def frame_columns(frame: Any) -> dict[str, Any]:
    """The columns of a collected frame: arrays of numbers where none is missing, else lists of plain values."""
    return {name: series_values(frame[name]) for name in frame.columns}


def is_long(series: Any) -> bool:
    """Whether the values are integers of 128 bits, a type that NumPy does not have."""
    return series.dtype in (nw.Int128, nw.UInt128)


def series_values(series: Any) -> Any:
    """The values of a column: an array of integers if none is missing, else a list of values that lose nothing."""
    if series.dtype.is_integer() and not is_long(series) and not series.null_count():
        return series.to_numpy()
    if series.dtype == nw.Time:
        return list(times(series))
    if series.dtype in (nw.Duration, nw.Datetime) and getattr(series.dtype, "time_unit", "") == "ns":
        if series.dtype == nw.Datetime and series.dtype.time_zone is not None:
            codes, names = instants(series, "column").coded
            return [None if code < 0 else names[code] for code in codes.tolist()]
        return list(series.to_numpy())  # Python's types lack nanoseconds
    values = series.to_list()
    if series.dtype == nw.Unknown and any(type(value).__name__ == "MonthDayNano" for value in values):
        return [_duration(value) for value in values]
    return values


def _duration(interval: Any) -> Any:
    """An interval of Arrow, as DuckDB gives durations; one with months, or nanoseconds, has no length in Python."""
    if interval is None or interval.months or interval.nanoseconds % 1000:
        return interval
    return timedelta(days=interval.days, microseconds=interval.nanoseconds // 1000)
