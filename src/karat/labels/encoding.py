"""Anything that holds labels, as integer codes; names.py says what counts as one label."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karat.errors import LabelError, brief, listed
from karat.foreign import translated
from karat.kernels.counting import encode_integers, first_seen
from karat.labels.clusters import Clusters, clusters_in, home_of_items, membership_in
from karat.labels.names import as_array, encode_objects, label_key, plain_values

Ints = NDArray[np.int64]
AnyInts = NDArray[Any]  # of any integer type


@dataclass(frozen=True, eq=False, repr=False)
class Labels:
    """One side's labels: an integer per item, what each integer stands for, the items if known.

    >>> gold = encode(["x", "x", "o"])
    >>> gold.names, gold.values.tolist()
    (['o', 'x'], [1, 1, 0])
    """

    values: AnyInts  # of any integer type: a place in names, -1 if missing; or the labels themselves
    names: list[Any] | None = None  # None if the values are themselves the labels
    items: Any = None  # a pandas Index, a list of keys, or None when only positions are known
    keyed: bool = False  # the items came as explicit keys: never to be matched by position
    shape: tuple[int, ...] | None = None  # of a label image, whose pixels are the items

    @cached_property
    def complete(self) -> bool:
        """Whether every item has a label."""
        return self.names is None or self.values.dtype.kind == "u" or bool(self.values.min() >= 0)

    @cached_property
    def coded(self) -> tuple[Ints, list[Any]]:
        """A code for each item, -1 if it has no label, and what the codes stand for."""
        if self.names is None:
            codes, distinct = encode_integers(self.values)
            return codes, distinct.tolist()
        return self.values.astype(np.int64), self.names

    @classmethod
    def of_batches(cls, batches: Iterable[Any], side: str) -> Labels:
        """The labels of a long column that comes in parts, each numbered when it comes."""
        parts: list[AnyInts] = []
        names: list[Any] = []
        found: dict[Any, int] = {}
        for batch in batches:
            codes, own = column_labels(batch, side).coded if len(batch) else (np.zeros(0, np.int64), [])
            for name in own:
                if label_key(name) not in found:
                    found[label_key(name)] = len(names)
                    names.append(name)
            to = np.array([*(found[label_key(name)] for name in own), -1])  # -1 indexes the appended -1
            parts.append(to[codes].astype(np.int32))
        if not parts:
            raise LabelError(f"{side} is empty; give one label per item.")
        return _recoded(np.concatenate(parts), names, side)

    def __len__(self) -> int:
        return int(self.values.size)

    def __repr__(self) -> str:
        return f"<Labels: {len(self)} items>"


def encode(labels: object) -> Labels:
    """Labels read once, to be given in place of the labels any number of times: one gold, many systems.

    >>> import karat
    >>> gold = karat.encode(["x", "x", "o"])
    >>> [karat.ari(gold, system) for system in ([1, 1, 2], [1, 2, 2])]
    [1.0, -0.5]
    """
    given = to_labels(labels, "labels")
    codes, names = given.coded
    narrow = np.min_scalar_type(len(names) if given.complete else -1 - len(names))
    values = codes.astype(narrow)
    values.setflags(write=False)
    return replace(given, values=values, names=names)


def to_labels(labels: object, side: str) -> Labels:
    """Labels of any supported kind as integers; side names them in messages ("gold" or "pred")."""
    try:
        result = labels if isinstance(labels, Labels) else _read(labels, side)
    except RecursionError:
        raise LabelError(f"{side} has labels inside labels, too deep to compare; give plain labels.") from None
    if not len(result):
        raise LabelError(f"{side} is empty; give one label per item.")
    return result


def column_labels(values: Any, side: str) -> Labels:
    """The values of a column as labels, one for each row: a list in it is no cluster, but no label either."""
    return _read_list(values, side) if isinstance(values, list) else to_labels(values, side)


def _read(labels: Any, side: str) -> Labels:
    if isinstance(labels, (str, bytes, bytearray)):
        raise LabelError(
            f"{side} is the text {labels[:60]!r}, not labels; give a list of labels, or read the file first."
        )
    if isinstance(labels, memoryview) and labels.ndim != 1:
        labels = np.asarray(labels)
    if isinstance(labels, np.ndarray):
        return _read_array(labels, side)
    clusters = clusters_in(labels, side)
    if clusters is not None:
        return _from_clusters(clusters, side)
    if isinstance(labels, Mapping):
        items, held = list(plain_values(list(labels), side)), list(labels.values())
        if len(items) != len(held):
            raise LabelError(f"{side} has {len(items)} items but {len(held)} labels; give each item one label.")
        return replace(_read_list(held, side), items=items, keyed=True)
    if isinstance(labels, (list, tuple)):
        return _read_list(labels, side)
    membership = membership_in(labels, side)
    if membership is not None:
        return replace(_read_list(membership[0], side), items=membership[1])
    if not isinstance(labels, Iterable) and not hasattr(labels, "__array__"):
        raise LabelError(
            f"{side} is {brief(labels)}, not labels; give a list, an array, a Series or a dict of item to label."
        )
    if hasattr(labels, "__array__") or hasattr(labels, "__len__"):
        return _from_column(labels, side)
    return _read(list(labels), side)


def _from_clusters(clusters: Clusters, side: str) -> Labels:
    """Clusters given by their items: each is named by its place or its key."""
    home = home_of_items(clusters, side)
    codes, kept = encode_objects([clusters.names[index] for index in home.values()], side)
    return Labels(codes, kept, items=list(home), keyed=True)


def _from_column(labels: Any, side: str) -> Labels:
    """A Series, an Arrow array, a tensor or any other sequence that is not a list."""
    import narwhals as nw

    if hasattr(labels, "dictionary_encode") and not nw.dependencies.is_into_series(labels):
        import pyarrow as pa

        labels = pa.chunked_array([labels])
    if nw.dependencies.is_into_series(labels):
        remedy = "give its values as a list or a NumPy array"
        kind = type(labels).__name__
        with translated(lambda reason: f"{side} is a {kind} that cannot be read ({reason}); {remedy}.", LabelError):
            return _from_series(nw.from_native(labels, series_only=True), side)
    if nw.dependencies.is_into_dataframe(labels):
        columns = listed(nw.from_native(labels, eager_only=True).columns) or "none"
        raise LabelError(f"{side} is a table with columns {columns}; give one of its columns.")
    if hasattr(labels, "toarray"):
        raise LabelError(
            f"{side} is a matrix of shape {labels.shape}; for a contingency table use karat.Table.from_matrix."
        )
    if hasattr(labels, "__array__"):
        return _read_array(as_array(labels, side), side)
    return _read_list(list(labels), side)


def _from_series(series: Any, side: str) -> Labels:
    import narwhals as nw

    index = nw.maybe_get_index(series)
    if series.dtype in (nw.String, nw.Categorical, nw.Enum):
        return replace(_recoded(*_dictionary(series), side), items=index)
    if series.dtype == nw.Duration or (series.dtype == nw.Datetime and series.dtype.time_zone is None):
        return replace(_read_array(series.to_numpy(), side), items=index)  # to the nanosecond, as Python's are not
    if series.dtype == nw.Time:
        return replace(_read_array(times(series), side), items=index)
    simple = series.dtype.is_numeric() or series.dtype == nw.Boolean
    if not simple or series.dtype in (nw.Decimal, nw.Int128, nw.UInt128):
        return replace(_read_list(series.to_list(), side), items=index)
    if not series.null_count():
        return replace(_read_array(series.to_numpy(), side), items=index)
    present = ~series.is_null().to_numpy().astype(bool)
    return replace(_read_present(series.drop_nulls().to_numpy(), present, side), items=index)


def times(series: Any) -> NDArray[Any]:
    """Times of day, as durations since midnight, NaT where there is none."""
    native = series.to_native()
    if series.implementation.is_polars():
        whole, unit = native.to_physical(), "ns"
        return np.asarray(whole.fill_null(np.iinfo(np.int64).min).to_numpy()).astype(f"m8[{unit}]")
    if series.implementation.is_pyarrow():
        unit = native.type.unit
        whole = native.cast(f"int{native.type.bit_width}").cast("int64").fill_null(np.iinfo(np.int64).min)
        return np.asarray(whole.to_numpy()).astype(f"m8[{unit}]")
    return np.array(series.to_list(), dtype=object)


def _dictionary(series: Any) -> tuple[AnyInts, list[Any]]:
    """A text column's own dictionary encoding: a code for each item, -1 if it is null, and what they stand for."""

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
    codes, distinct = native.factorize()
    return codes, distinct.tolist()


def _arrow_dictionary(column: Any) -> tuple[AnyInts, list[Any]]:
    """The same of an Arrow column, whose chunks may have dictionaries of their own."""
    import pyarrow as pa

    encoded = (column if pa.types.is_dictionary(column.type) else column.dictionary_encode()).unify_dictionaries()
    if not encoded.num_chunks:
        return np.zeros(0, dtype=np.int64), []
    indices = pa.chunked_array([chunk.indices for chunk in encoded.chunks])
    codes = indices.cast(pa.int64()).fill_null(-1) if indices.null_count else indices
    return codes.to_numpy(), encoded.chunk(0).dictionary.to_pylist()


def mask_of(values: Any) -> NDArray[np.bool_] | None:
    """Which values of a masked array are masked; None for other arrays. NumPy loads these when they are first used."""
    if "numpy.ma" not in sys.modules or not isinstance(values, np.ma.MaskedArray):
        return None
    return np.ma.getmaskarray(values)


def _read_array(values: NDArray[Any], side: str) -> Labels:
    """A NumPy array of any dtype; integers as they are."""
    if values.ndim > 1 and values.dtype.kind in "iub" and values.size and mask_of(values) is None:
        return replace(_read_array(np.asarray(values).reshape(-1), side), shape=values.shape)  # a label image
    if values.ndim != 1:
        raise LabelError(f"{side} has shape {values.shape}; give one label per item, in one dimension.")
    if (mask := mask_of(values)) is not None:
        if mask.dtype.names:
            raise LabelError(f"{side} is a masked array of {values.dtype}; give one of its fields.")
        data: NDArray[Any] = np.asarray(values)
        return _read_present(data[~mask], ~mask, side) if mask.any() else _read_array(data, side)
    kind = values.dtype.kind
    if kind in "iu" and values.dtype.itemsize <= 8:
        return Labels(values)
    if kind == "b":
        return Labels((values.view(np.uint8) != 0).view(np.uint8), [False, True])
    if kind == "f" and values.dtype.itemsize <= 8:
        return _hashed(values.astype(np.float64) + 0.0, side)  # -0.0 is 0.0
    if kind in "mM":
        return _hashed(values, side)
    return _read_list(values.tolist(), side)


def _hashed(values: NDArray[Any], side: str) -> Labels:
    """Eight bytes an item, equal if their bits are."""
    native = np.ascontiguousarray(values, dtype=values.dtype.newbyteorder("="))
    if native.dtype == np.dtype("m8"):  # a duration without a unit
        native = native.astype("m8[ns]")
    if native.dtype.kind in "mM" and (native.dtype == np.dtype("M8") or not np.datetime_data(native.dtype)[1]):
        raise LabelError(f"{side} has dates of type {native.dtype}, which has no unit; give them one, such as 'M8[s]'.")
    codes, distinct = first_seen(native.view(np.uint64))
    named = distinct.view(native.dtype)
    return _recoded(codes, list(named) if native.dtype.kind in "mM" else named.tolist(), side)


def _read_present(known: NDArray[Any], present: NDArray[np.bool_], side: str) -> Labels:
    """The labels of the items that have one."""
    codes = np.full(present.size, -1, dtype=np.int64)
    if not known.size:
        return Labels(codes, [])
    codes[present], names = _read_array(known, side).coded
    return Labels(codes, names)


def _recoded(codes: AnyInts, names: Sequence[Any], side: str) -> Labels:
    """Codes for names in canonical order, from codes (-1 if missing) for names in any, some of them perhaps missing."""
    places, kept = encode_objects(names, side)
    if np.array_equal(places, np.arange(places.size)):
        return Labels(codes, kept)
    # -1 indexes the appended -1, so missing stays missing
    return Labels(np.append(places, -1).astype(np.min_scalar_type(-1 - places.size))[codes], kept)


def _read_list(values: Sequence[Any], side: str) -> Labels:
    if set(map(type, values)) == {int}:
        try:
            return Labels(np.array(values, dtype=np.int64))
        except OverflowError:  # beyond 64 bits
            pass
    return Labels(*encode_objects(values, side))
