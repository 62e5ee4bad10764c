"""Columns of text and of times in pandas, Polars and PyArrow, as codes and NumPy arrays."""

from __future__ import annotations

from datetime import UTC
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karat.kernels.objects import number_objects

AnyInts = NDArray[Any]  # of any integer type


def instant(time: np.datetime64, zone: str) -> Any:
    """A time in UTC, converted to Python's or pandas' time in a zone; unchanged if Python has no such time or zone."""
    from zoneinfo import ZoneInfo

    if time == time.astype("M8[us]"):
        try:
            plain = time.astype("M8[us]").item()
            return plain.replace(tzinfo=UTC).astimezone(ZoneInfo(zone))
        except (AttributeError, OverflowError, ValueError, OSError, KeyError):  # a year or a zone unknown to Python
            return time
    try:
        import pandas as pd
    except ImportError:
        return time
    return pd.Timestamp(time).tz_localize("UTC").tz_convert(zone)


def times(series: Any) -> NDArray[Any]:
    """Times of day as durations since midnight, NaT where missing."""
    native = series.to_native()
    if series.implementation.is_polars():
        ticks, unit = native.to_physical(), "ns"
        return np.asarray(ticks.fill_null(np.iinfo(np.int64).min).to_numpy()).astype(f"m8[{unit}]")
    if series.implementation.is_pandas() and hasattr(native.dtype, "pyarrow_dtype"):
        import pyarrow as pa

        native = pa.chunked_array(native.array.__arrow_array__())
    if series.implementation.is_pyarrow() or hasattr(native, "num_chunks"):
        unit = native.type.unit
        ticks = native.cast(f"int{native.type.bit_width}").cast("int64").fill_null(np.iinfo(np.int64).min)
        return np.asarray(ticks.to_numpy()).astype(f"m8[{unit}]")
    return np.array(series.to_list(), dtype=object)


def dictionary(series: Any) -> tuple[AnyInts, list[Any]]:
    """Dictionary encoding of a text column: the code of each item, -1 for null, and the distinct values."""

    native = series.to_native()
    if series.implementation.is_polars():
        import polars as pl

        text = native.cast(pl.String)
        distinct = text.unique().drop_nulls().sort()
        physical = text.cast(pl.Enum(distinct)).to_physical()
        codes = physical.cast(pl.Int64).fill_null(-1) if physical.null_count() else physical
        return codes.to_numpy(), distinct.to_list()
    if series.implementation.is_pyarrow():
        return _arrow_dictionary(native)
    if type(native.dtype).__name__ == "CategoricalDtype":
        return native.cat.codes.to_numpy(), native.cat.categories.tolist()
    if isinstance(getattr(native.array, "_ndarray", native.array), np.ndarray) or native.dtype == object:
        codes, distinct = number_objects(native.tolist())  # pandas would compare text up to its first NUL
        return codes, distinct
    codes, distinct = native.factorize()
    return codes, distinct.tolist()


def _arrow_dictionary(column: Any) -> tuple[AnyInts, list[Any]]:
    """The dictionary encoding of an Arrow column; the dictionaries of its chunks are unified."""
    import pyarrow as pa

    encoded = (column if pa.types.is_dictionary(column.type) else column.dictionary_encode()).unify_dictionaries()
    if not encoded.num_chunks:
        return np.zeros(0, dtype=np.int64), []
    indices = pa.chunked_array([chunk.indices for chunk in encoded.chunks])
    codes = indices.cast(pa.int64()).fill_null(-1) if indices.null_count else indices
    return codes.to_numpy(), encoded.chunk(0).dictionary.to_pylist()
