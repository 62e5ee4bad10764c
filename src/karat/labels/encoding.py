"""Labels of any supported type as integer codes; names.py defines when two labels are equal."""

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
from karat.kernels.objects import types_of
from karat.labels.clusters import Clusters, clusters_in, home_of_items, membership_in
from karat.labels.columns import dictionary, instant, times
from karat.labels.identity import label_key
from karat.labels.names import as_array, encode_objects, plain_values

Ints = NDArray[np.int64]
AnyInts = NDArray[Any]  # of any integer type


@dataclass(frozen=True, eq=False, repr=False)
class Labels:
    """The labels of one side: an integer per item, the label of each integer, and the item ids if known.

    >>> gold = encode(["x", "x", "o"])
    >>> gold.names, gold.values.tolist()
    (['o', 'x'], [1, 1, 0])
    """

    values: AnyInts  # of any integer type: an index into names, -1 if missing; or the labels
    names: list[Any] | None = None  # None if the values are the labels
    items: Any = None  # a pandas Index, a list of keys, or None when only positions are known
    keyed: bool = False  # the items are explicit keys, as of a dict: never matched by position
    shape: tuple[int, ...] | None = None  # shape of a label image, whose pixels are the items

    @cached_property
    def complete(self) -> bool:
        """Whether every item has a label."""
        return self.names is None or self.values.dtype.kind == "u" or bool(self.values.min() >= 0)

    @cached_property
    def coded(self) -> tuple[Ints, list[Any]]:
        """The code of each item, -1 if it has no label, and the label of each code."""
        if self.names is None:
            codes, distinct = encode_integers(self.values)
            return codes, distinct.tolist()
        return self.values.astype(np.int64), self.names

    @classmethod
    def of_batches(cls, batches: Iterable[Any], side: str) -> Labels:
        """The labels of a long column that is read in batches, each encoded as it is read."""
        parts: list[AnyInts] = []
        names: list[Any] = []
        codes_of: dict[Any, int] = {}
        for batch in batches:
            codes, own = column_labels(batch, side).coded if len(batch) else (np.zeros(0, np.int64), [])
            for name in own:
                if label_key(name) not in codes_of:
                    codes_of[label_key(name)] = len(names)
                    names.append(name)
            to = np.array([*(codes_of[label_key(name)] for name in own), -1])  # code -1 indexes the appended -1
            parts.append(to[codes].astype(np.int32))
        if not parts:
            raise LabelError(f"{side} is empty; give one label per item.")
        return _recoded(np.concatenate(parts), names, side)

    def __len__(self) -> int:
        return int(self.values.size)

    def __repr__(self) -> str:
        return f"<Labels: {len(self)} items>"


def encode(labels: object) -> Labels:
    """Encode labels once, for repeated use in place of the labels, as for one gold and many systems.

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
    """Labels of any supported type as integers; side is their name in messages ("gold" or "pred")."""
    try:
        result = labels if isinstance(labels, Labels) else _read(labels, side)
    except RecursionError:
        raise LabelError(f"{side} has labels inside labels, too deep to compare; give plain labels.") from None
    if not len(result):
        raise LabelError(f"{side} is empty; give one label per item.")
    return result


def column_labels(values: Any, side: str) -> Labels:
    """The values of a column as labels, one per row; a list is refused, not read as a cluster."""
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
        items, values = list(plain_values(list(labels), side)), list(labels.values())
        if len(items) != len(values):
            raise LabelError(f"{side} has {len(items)} items but {len(values)} labels; give each item one label.")
        return replace(_read_list(values, side), items=items, keyed=True)
    if isinstance(labels, (list, tuple)):
        return _read_list(labels if type(labels) in (list, tuple) else list(labels), side)
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
    """Labels from clusters given by their items; a cluster's label is its index or its key."""
    items, homes = home_of_items(clusters, side)
    codes, names = encode_objects([clusters.names[index] for index in homes], side)
    return Labels(codes, names, items=items, keyed=True)


def _from_column(labels: Any, side: str) -> Labels:
    """Labels from a Series, an Arrow array, a tensor or any other sequence that is not a list."""
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
        # by its own attribute: narwhals refuses a frame with two columns of one name
        names = labels.column_names if hasattr(labels, "column_names") else labels.columns
        columns = listed(list(names)) or "none"
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
        return replace(_recoded(*dictionary(series), side), items=index)
    if series.dtype == nw.Duration or (series.dtype == nw.Datetime and series.dtype.time_zone is None):
        return replace(_read_array(series.to_numpy(), side), items=index)  # NumPy keeps nanoseconds, Python does not
    if series.dtype == nw.Datetime:
        return replace(instants(series, side), items=index)
    if series.dtype == nw.Time:
        return replace(_read_array(times(series), side), items=index)
    simple = series.dtype.is_numeric() or series.dtype == nw.Boolean
    if not simple or series.dtype in (nw.Decimal, nw.Int128, nw.UInt128):
        return replace(_read_list(series.to_list(), side), items=index)
    if not series.null_count():
        return replace(_read_array(series.to_numpy(), side), items=index)
    present = ~series.is_null().to_numpy().astype(bool)
    known = series.drop_nulls().to_numpy() if present.any() else np.zeros(0)  # Modin cannot drop all
    return replace(_read_present(known, present, side), items=index)


def instants(series: Any, side: str) -> Labels:
    """Labels from times with a time zone, which are the same if they are the same instant."""
    utc = series.dt.convert_time_zone("UTC").dt.replace_time_zone(None).to_numpy()
    labels = _read_array(utc, side)
    names = [instant(name, series.dtype.time_zone) for name in labels.names or ()]
    return replace(labels, names=names)


def mask_of(values: Any) -> NDArray[np.bool_] | None:
    """The mask of a masked array; None for other arrays."""
    # NumPy imports numpy.ma on first use: if it is not imported, there are no masked arrays
    if "numpy.ma" not in sys.modules or not isinstance(values, np.ma.MaskedArray):
        return None
    return np.ma.getmaskarray(values)


def _read_array(values: NDArray[Any], side: str) -> Labels:
    """Labels from a NumPy array of any dtype; integers are not encoded."""
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
        with np.errstate(invalid="ignore"):  # a signalling NaN
            return _hashed(values.astype(np.float64) + 0.0, side)  # -0.0 is 0.0
    if kind in "mM":
        return _hashed(values, side)
    return _read_list(values.tolist(), side)


def _hashed(values: NDArray[Any], side: str) -> Labels:
    """Labels from an array of eight-byte values that are equal if their bits are."""
    native = np.ascontiguousarray(values, dtype=values.dtype.newbyteorder("="))
    if native.dtype == np.dtype("m8"):  # a duration without a unit
        native = native.astype("m8[ns]")
    if native.dtype.kind in "mM" and (native.dtype == np.dtype("M8") or not np.datetime_data(native.dtype)[1]):
        raise LabelError(f"{side} has dates of type {native.dtype}, which has no unit; give them one, such as 'M8[s]'.")
    codes, distinct = first_seen(native.view(np.uint64))
    named = distinct.view(native.dtype)
    return _recoded(codes, list(named) if native.dtype.kind in "mM" else named.tolist(), side)


def _read_present(known: NDArray[Any], present: NDArray[np.bool_], side: str) -> Labels:
    """Labels from the values of the items that have one; the others are missing."""
    codes = np.full(present.size, -1, dtype=np.int64)
    if not known.size:
        return Labels(codes, [])
    codes[present], names = _read_array(known, side).coded
    return Labels(codes, names)


def _recoded(codes: AnyInts, names: Sequence[Any], side: str) -> Labels:
    """Recode labels to the canonical order of names; code -1 and missing names become missing labels."""
    ranks, kept = encode_objects(names, side)
    if np.array_equal(ranks, np.arange(ranks.size)):
        return Labels(codes, kept)
    # -1 indexes the appended -1, so missing stays missing
    return Labels(np.append(ranks, -1).astype(np.min_scalar_type(-1 - ranks.size))[codes], kept)


def _read_list(values: Sequence[Any], side: str) -> Labels:
    if types_of(values) == {int}:
        try:
            return Labels(np.array(values, dtype=np.int64))
        except OverflowError:  # beyond 64 bits
            pass
    return Labels(*encode_objects(values, side))
