"""Anything label-like, read into dense integer codes.

Two labels are one label if they are equal under Python's == and of the same kind. Numbers are one kind
(1 and 1.0 are the same label), text is another ("1" is not 1), and so are bytes and booleans (True is not
1). None, NaN, NaT and NA are not labels: they mark an item whose label is missing, code -1.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karat.errors import LabelError, TableError, listed
from karat.kernels.counting import encode_integers

Ints = NDArray[np.int64]


class Singleton:
    """The label of an item that stands alone; equal to no other label, not even one that prints alike."""

    __slots__ = ("item",)

    def __init__(self, item: object) -> None:
        self.item = item

    def __repr__(self) -> str:
        return f"<alone: {self.item!r}>"


class _Missing:
    """The label that missing="cluster" gives to every item without one."""

    def __repr__(self) -> str:
        return "<missing>"

    def __reduce__(self) -> str:
        return "MISSING"


MISSING = _Missing()


@dataclass(frozen=True, eq=False)
class Labels:
    """One side's labels: a code per item (-1 if missing), what each code stands for, the items if known."""

    codes: Ints
    names: list[Any]
    items: Any = None  # a pandas Index, a list of keys, or None when only positions are known
    keyed: bool = False  # the items came as explicit keys: never to be matched by position


def read(labels: object, side: str) -> Labels:
    """Labels of any supported kind as codes; side names them in messages ("gold" or "pred")."""
    result = _read(labels, side)
    if result.codes.size == 0:
        raise LabelError(f"{side} is empty; give one label per item.")
    return result


def _read(labels: Any, side: str) -> Labels:
    if isinstance(labels, (str, bytes, bytearray)):
        raise LabelError(
            f"{side} is the text {labels[:60]!r}, not labels; give a list of labels, or read the file first."
        )
    if isinstance(labels, np.ndarray):
        return Labels(*encode_array(labels, side))
    if isinstance(labels, Mapping):
        if _all_sets(labels.values()):
            return _from_clusters(list(labels), list(labels.values()), side)
        return Labels(*encode_objects(list(labels.values()), side), items=list(labels), keyed=True)
    if isinstance(labels, (list, tuple)):
        if _all_sets(labels):
            return _from_clusters(list(range(len(labels))), labels, side)
        return Labels(*encode_objects(labels, side))
    if isinstance(labels, AbstractSet):
        raise LabelError(f"{side} is a set, which has no order; give a list of labels, or a list of sets of items.")
    if not isinstance(labels, Iterable) and not hasattr(labels, "__array__"):
        raise LabelError(
            f"{side} is {labels!r}, not labels; give a list, an array, a Series or a dict of item to label."
        )
    if hasattr(labels, "__array__") or hasattr(labels, "__len__"):
        return _from_column(labels, side)
    return _read(list(labels), side)


def _all_sets(values: Iterable[object]) -> bool:
    kinds = set(map(type, values))
    return bool(kinds) and all(issubclass(kind, AbstractSet) for kind in kinds)


def _from_clusters(names: Sequence[Any], clusters: Iterable[AbstractSet[Any]], side: str) -> Labels:
    """A list of sets of items: each set is a cluster, named by its place or its key."""
    home: dict[Any, int] = {}
    for place, members in enumerate(clusters):
        for item in members:
            if home.setdefault(item, place) != place:
                first = names[home[item]]
                raise LabelError(
                    f"{side} has item {item!r} in cluster {first!r} and in cluster {names[place]!r}; "
                    "karat scores partitions, so keep each item in one cluster."
                )
    codes, kept = encode_objects([names[place] for place in home.values()], side)
    return Labels(codes, kept, items=list(home), keyed=True)


def _from_column(labels: Any, side: str) -> Labels:
    """A Series, an Arrow array, a tensor or any other sequence that is not a list."""
    import narwhals as nw

    if hasattr(labels, "dictionary_encode") and not nw.dependencies.is_into_series(labels):
        import pyarrow as pa

        labels = pa.chunked_array([labels])
    if nw.dependencies.is_into_series(labels):
        return _from_series(nw.from_native(labels, series_only=True), side)
    if nw.dependencies.is_into_dataframe(labels):
        columns = listed(nw.from_native(labels, eager_only=True).columns) or "none"
        raise LabelError(f"{side} is a table with columns {columns}; give one of its columns.")
    if hasattr(labels, "toarray"):
        raise LabelError(
            f"{side} is a matrix of shape {labels.shape}; for a contingency table use karat.Table.from_matrix."
        )
    if hasattr(labels, "__array__"):
        return Labels(*encode_array(np.asarray(labels), side))
    return Labels(*encode_objects(list(labels), side))


def _from_series(series: Any, side: str) -> Labels:
    import narwhals as nw

    index = nw.maybe_get_index(series)
    simple = series.dtype.is_numeric() or series.dtype == nw.Boolean
    if not simple or series.dtype in (nw.Decimal, nw.Int128, nw.UInt128):
        return Labels(*encode_objects(series.to_list(), side), items=index)
    present = ~series.is_null().to_numpy().astype(bool)
    codes = np.full(present.size, -1, dtype=np.int64)
    known, names = encode_array(series.drop_nulls().to_numpy(), side)
    codes[present] = known
    return Labels(codes, names, items=index)


def encode_array(values: NDArray[Any], side: str) -> tuple[Ints, list[Any]]:
    """Codes and names of a NumPy array of any dtype."""
    if values.ndim != 1:
        raise LabelError(f"{side} has shape {values.shape}; give one label per item, in one dimension.")
    if isinstance(values, np.ma.MaskedArray):
        return _encode_present(values.data, ~np.ma.getmaskarray(values), side)
    kind = values.dtype.kind
    if values.size == 0:
        return np.zeros(0, dtype=np.int64), []
    if kind in "iu":
        codes, distinct = encode_integers(values)
        return codes, distinct.tolist()
    if kind in "fcmM":
        missing = np.isnat(values) if kind in "mM" else np.isnan(values)
        if missing.any():
            return _encode_present(values, ~missing, side)
    if kind in "bfcSUmM":
        distinct, codes = np.unique(values, return_inverse=True)
        return codes.astype(np.int64, copy=False), list(distinct) if kind in "mM" else distinct.tolist()
    return encode_objects(values.tolist(), side)


def _encode_present(values: NDArray[Any], present: NDArray[np.bool_], side: str) -> tuple[Ints, list[Any]]:
    codes = np.full(values.size, -1, dtype=np.int64)
    known, names = encode_array(values[present], side)
    codes[present] = known
    return codes, names


def encode_objects(values: Sequence[Any], side: str) -> tuple[Ints, list[Any]]:
    """Codes and names of Python objects, in one pass of hashing; names in canonical order."""
    if any(kind.__module__.startswith("pyarrow") for kind in set(map(type, values))):
        values = [v.as_py() if hasattr(v, "as_py") else v for v in values]
    keys = _keys(values)
    try:
        first = {key: place for place, key in reversed(list(enumerate(keys)))}
    except TypeError:
        raise LabelError(_unhashable(values, side)) from None
    names = [plain(values[place]) for place in first.values()]
    order = canonical_order(names)
    code_of = dict.fromkeys(first, -1)
    distinct = list(first)
    for code, place in enumerate(order):
        code_of[distinct[place]] = code
    codes = np.fromiter(map(code_of.__getitem__, keys), dtype=np.int64, count=len(keys))
    return codes, [names[place] for place in order]


_TRUE, _FALSE = object(), object()


def _keys(values: Sequence[Any]) -> Sequence[Hashable]:
    """The values themselves, with stand-ins for booleans where they would equal numbers."""
    kinds = set(map(type, values))
    booleans = {kind for kind in kinds if issubclass(kind, (bool, np.bool_))}
    if booleans and booleans != kinds:
        return [(_TRUE if v else _FALSE) if isinstance(v, (bool, np.bool_)) else v for v in values]
    return values


def _unhashable(values: Iterable[Any], side: str) -> str:
    place, value = next((p, v) for p, v in enumerate(values) if not _hashable(v))
    kind = type(value).__name__
    remedy = "give clusters as sets of items, [set(c) for c in clusters], or one plain label per item."
    return f"{side} has the {kind} {str(value)[:60]} at position {place}, which cannot be a label; {remedy}"


def _hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def plain(label: Any) -> Any:
    """NumPy's and pandas' scalars as Python's (dates as NumPy's), so that names print and save as themselves."""
    if isinstance(label, np.timedelta64):
        return label
    if isinstance(label, (np.number, np.bool_, np.str_, np.bytes_)):
        return label.item()
    if hasattr(label, "to_datetime64"):  # a pandas Timestamp
        return label.to_datetime64() if label.tzinfo is None else label.to_pydatetime(warn=False)
    return label


def is_missing(label: Any) -> bool:
    """None, NaN, NaT and NA: the last three are not equal to themselves, or will not say."""
    if label is None:
        return True
    try:
        return bool(label != label)
    except (TypeError, ValueError):
        return type(label).__name__ == "NAType"


def canonical_order(names: Sequence[Any]) -> list[int]:
    """Positions of the labels that are not missing: numbers, then text, then the rest, each sorted."""
    ranked = [(_rank(name), place) for place, name in enumerate(names) if not is_missing(name)]
    return [place for _, place in sorted(ranked)]


def _rank(name: Any) -> tuple[int, Any, str]:
    if isinstance(name, (Real, Decimal)) and not isinstance(name, bool):
        return (0, name if isinstance(name, (int, float)) else _exactly(name), "")
    if isinstance(name, str):
        return (1, 0, name)
    return (2, 0, f"{type(name).__name__} {name!r}")


def _exactly(number: Any) -> Any:
    """A number that can be compared with any other: Decimal and Fraction do not know each other."""
    return Fraction(number) if math.isfinite(number) else float(number)


def comparable(name: Any) -> Any:
    """A value that is equal for equal labels of one kind, and for lone items that stand for the same item."""
    if isinstance(name, Singleton):
        return (Singleton, name.item)
    return (bool, name) if isinstance(name, bool) else name


def check_names(names: Sequence[Any], what: str) -> None:
    """Refuse names that could not be labels: missing, unhashable, or the same twice."""
    try:
        codes, kept = encode_objects(names, what)
    except LabelError as problem:
        raise TableError(str(problem)) from None
    if (codes < 0).any():
        raise TableError(
            f"{what} has the name {names[int(np.argmin(codes))]!r}, which stands for a missing label; rename it."
        )
    if len(kept) < len(names):
        twice = next(name for place, name in enumerate(names) if (codes[:place] == codes[place]).any())
        raise TableError(f"{what} has the name {twice!r} twice; give each its own.")


def merge_names(lists: Sequence[Sequence[Any]]) -> tuple[list[Any], list[Ints]]:
    """One list of names for several, and for each list the code of each of its names in it."""
    # lone items of different tables, or of one table twice, are different items: each gets a label of its own
    together = [Singleton(name.item) if isinstance(name, Singleton) else name for names in lists for name in names]
    codes, names = encode_objects(together, "labels")
    ends = np.cumsum([len(names) for names in lists])
    return names, np.split(codes, ends[:-1])
