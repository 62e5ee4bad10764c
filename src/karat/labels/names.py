"""Lists of distinct labels: encoded, in canonical order, checked and merged; identity.py defines which are the same.

A scalar of an array library (a tensor of no dimensions) is the number it holds. Objects that compare by identity are
refused, since each would be a different label.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from functools import lru_cache
from numbers import Real
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from karat.errors import LabelError, TableError, brief
from karat.foreign import first_line, translated
from karat.kernels.objects import types_of
from karat.labels.identity import Singleton, is_hashable, is_missing, is_temporal, label_key, numbered, temporal
from karat.limits import MEMBERS

Ints = NDArray[np.int64]
T = TypeVar("T")

HUGE = 5000  # digits before or after the decimal point
PRINTED = {str, float, bool, type(None)}  # types whose values always have a text
LONG = 13_300  # bits of an integer: 4,000 digits, below Python's default limit of 4,300 for conversion to text


class _Missing:
    """The label that missing="cluster" gives to every item without a label."""

    def __repr__(self) -> str:
        return "<missing>"

    def __reduce__(self) -> str:
        return "MISSING"


MISSING = _Missing()


def encode_objects(values: Sequence[Any], side: str) -> tuple[Ints, list[Any]]:
    """The code of each object, -1 if missing, and the distinct labels in canonical order."""
    values = plain_values(values, side)
    try:
        codes, names = numbered(values)
    except TypeError:
        raise LabelError(_unhashable(values, side)) from None
    except RuntimeError as problem:  # comparing two labels runs their own code, which may change the list
        raise LabelError(f"{side} cannot be read: {problem}; give a copy of them.") from None
    if not types_of(names) <= {str, int}:
        names = list(map(plain, names))
    _check_text(names, side)
    order = canonical_order(names)
    ranks = np.full(len(names), -1, dtype=np.int64)
    ranks[order] = np.arange(len(order))
    return ranks[codes], [names[index] for index in order]


def _check_text(names: Sequence[Any], side: str) -> None:
    """Raise LabelError for labels that cannot be printed: integers that are too long, and objects that fail."""
    kinds = types_of(names) - PRINTED
    for name in names if kinds else ():
        if type(name) is int:
            if name.bit_length() > LONG:
                raise LabelError(f"{side} has an integer of more than 4,000 digits as a label; give it a shorter name.")
        elif type(name) in kinds:
            _check_printed(name, side)


def _check_printed(name: Any, side: str) -> None:
    kind = _name(name)
    sentence = "{} has a label of type {} that cannot be printed ({}); give text or numbers."
    with translated(lambda reason: sentence.format(side, kind, reason), LabelError):
        str(name), repr(name)


def plain_values(values: Sequence[Any], side: str) -> Sequence[Any]:
    """Values with other libraries' scalars converted; arrays and objects without equality are refused."""
    strange = {kind for kind in types_of(values) if not _is_plain(kind)}
    if not strange:
        return values
    return [_plain_value(v, position, side) if type(v) in strange else v for position, v in enumerate(values)]


@lru_cache(maxsize=1000)
def _is_plain(kind: Any) -> bool:
    """Whether values of a type are compared by value, and need no conversion."""
    if issubclass(kind, (np.generic, Enum, type, Singleton, _Missing, type(None))):
        return True
    if issubclass(kind, (tuple, frozenset)):  # their members are checked one by one
        return False
    array = hasattr(kind, "__array__") or hasattr(kind, "__dlpack__") or hasattr(kind, "__jax_array__")
    if hasattr(kind, "as_py") or array:  # an Arrow scalar, or an array
        return False
    return kind.__eq__ is not object.__eq__


def _plain_value(value: Any, position: int, side: str) -> Any:
    if isinstance(value, (tuple, frozenset)):
        check_members(value, side)
        members = list(plain_values(list(value), side))
        same = all(new is old for new, old in zip(members, value, strict=True))
        return value if same else (frozenset if isinstance(value, frozenset) else tuple)(members)
    if value is np.ma.masked:
        return None
    if hasattr(value, "as_py"):
        return value.as_py()
    shape = getattr(value, "shape", None)
    if isinstance(shape, tuple) and not shape:  # also torch.Size, which is a tuple
        try:
            return value.item() if hasattr(value, "item") else np.asarray(value).item()
        except Exception as problem:  # another library may raise anything
            reason = str(problem).split("\n", 1)[0][:120].rstrip(".")
            raise LabelError(
                f"{side} has the {_name(value)} {_brief(value)} at position {position}, which cannot be read "
                f"({reason}); give plain labels."
            ) from None
    if shape is not None and hasattr(value, "__len__"):
        join = "torch.cat" if type(value).__module__.startswith("torch") else "concatenate"
        raise LabelError(
            f"{side} has the {_name(value)} of shape {tuple(shape)} at position {position}, which holds several "
            f"labels; join such batches with {join} first, or give clusters as sets of items, [set(c) for c in "
            "clusters]."
        )
    raise LabelError(
        f"{side} has the {_name(value)} {_brief(value)} at position {position}, which equals nothing but itself, so "
        "that every item would be a cluster of its own; give what identifies it, such as its name."
    )


def check_members(label: Any, side: str) -> None:
    """Refuse a label of too many members: tuples in tuples can have more than could ever be counted."""
    number, inner = 0, [label] if isinstance(label, (tuple, frozenset)) else []
    while inner:
        members = inner.pop()
        number += len(members)
        if number > MEMBERS.now:
            MEMBERS.refuse(side, LabelError)
        inner.extend(member for member in members if isinstance(member, (tuple, frozenset)))


def as_array(values: Any, what: str) -> NDArray[Any]:
    """A NumPy array from a list or any library's array, also a tensor on a device or with a gradient.

    Rows of different lengths raise ValueError, as in NumPy.
    """
    if isinstance(values, (list, tuple)) and any(hasattr(kind, "__array__") for kind in types_of(values)):
        if any(value is np.ma.masked for value in values):
            raise LabelError(f"{what} has a masked value; give every item one.")
        values = [as_array(value, what) if hasattr(value, "__array__") else value for value in values]
    try:
        return np.asarray(values)
    except Exception as problem:  # another library may raise anything
        if isinstance(problem, ValueError) and isinstance(values, (list, tuple)):
            raise
        tensor = values
        try:
            for step in ("detach", "cpu"):  # no copy of the graph; to this machine's memory
                tensor = getattr(tensor, step)()
            return np.asarray(tensor if str(tensor.dtype) != "torch.bfloat16" else tensor.float())  # which is exact
        except Exception:
            raise LabelError(
                f"{what} is a {_name(values)} that cannot be read ({first_line(problem)}); give its values as a list "
                "or a NumPy array."
            ) from problem


def _name(value: Any) -> str:
    return type(value).__name__


def _brief(value: Any) -> str:
    try:
        return " ".join(str(value).split())[:60]
    except Exception:  # a foreign class
        return "without a text"


def _unhashable(values: Iterable[Any], side: str) -> str:
    position, value = next((p, v) for p, v in enumerate(values) if not is_hashable(v))
    kind = type(value).__name__
    remedy = "give clusters as sets of items, [set(c) for c in clusters], or one plain label per item."
    return f"{side} has the {kind} {_brief(value)} at position {position}, which cannot be a label; {remedy}"


def plain(label: Any) -> Any:
    """Any library's scalar as a Python value, and dates as NumPy's, to print and save."""
    if isinstance(label, np.timedelta64):  # without a unit it has no hash, and is in nanoseconds as in arrays
        return label.astype("m8[ns]") if np.datetime_data(label.dtype)[0] == "generic" else label
    if isinstance(label, (np.number, np.bool_, np.str_, np.bytes_)):
        return label.item()
    kind: Any = type(label)
    if not _is_plain(kind) and getattr(label, "shape", None) == ():
        return _plain_value(label, 0, "a label")
    if hasattr(label, "to_datetime64"):  # a pandas Timestamp
        if label.tzinfo is None:
            return label.to_datetime64()
        return label if label.nanosecond else label.to_pydatetime(warn=False)  # Python's have microseconds only
    return label.to_timedelta64() if hasattr(label, "to_timedelta64") else label  # a pandas Timedelta


def canonical_order(names: Sequence[Any]) -> list[int]:
    """Indices that sort the labels that are not missing: numbers, then text, then the rest."""
    if types_of(names) in ({str}, {int}):  # a fast path for the common cases
        return sorted(range(len(names)), key=names.__getitem__)
    ranked = [(_rank(name), index) for index, name in enumerate(names) if not is_missing(name)]
    return [index for _, index in sorted(ranked)]


def _rank(name: Any) -> tuple[int, Any, str]:
    if is_temporal(name):
        kind, amount = temporal(name)
        return (2, amount, kind)
    if isinstance(name, (Real, Decimal)) and not isinstance(name, bool):
        return (0, name, "") if isinstance(name, (int, float)) else (0, _exactly(name), str(name))
    if isinstance(name, str):
        return (1, 0, name)
    return (2, 0, f"{type(name).__name__} {name!r}")


def _exactly(number: Any) -> Any:
    """An exact number that compares with any other, which Decimal and Fraction do not.

    A Decimal far beyond the range of floats becomes infinite or 0, since its digits would exhaust the memory.
    """
    if isinstance(number, Decimal) and number.is_finite() and abs(number.adjusted()) > HUGE:
        return math.copysign(math.inf if number.adjusted() > 0 else 0.0, number)
    finite = isinstance(number, Fraction) or math.isfinite(number)  # isfinite() overflows for large fractions
    return Fraction(*number.as_integer_ratio()) if finite else float(number)


class ByLabel(Mapping[Any, T]):
    """An ordered mapping by label, in which True and 1 are different keys."""

    def __init__(self, pairs: Iterable[tuple[Any, T]]) -> None:
        self._entries = {label_key(label): (label, value) for label, value in pairs}

    def __getitem__(self, label: Any) -> T:
        return self._entries[label_key(label)][1]

    def __iter__(self) -> Iterator[Any]:
        return (label for label, _ in self._entries.values())

    def __len__(self) -> int:
        return len(self._entries)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {len(self)}>"


def check_names(names: Sequence[Any], what: str) -> None:
    """Raise TableError for names that cannot be labels: missing, unhashable, or repeated."""
    try:
        codes, distinct = encode_objects(names, what)
    except LabelError as problem:
        raise TableError(str(problem)) from None
    if (codes < 0).any():
        raise TableError(
            f"{what} has the name {brief(names[int(np.argmin(codes))])}, which stands for a missing label; rename it."
        )
    if len(distinct) < len(names):
        first = np.unique(codes, return_index=True)[1]
        twice = names[int(np.setdiff1d(np.arange(len(names)), first)[0])]
        raise TableError(f"{what} has the name {brief(twice)} twice; give each its own.")


def merge_names(lists: Sequence[Sequence[Any]]) -> tuple[list[Any], list[Ints]]:
    """Merge several lists of names into one, and give for each list the new code of each of its names."""
    # singletons of different tables are different clusters, even for equal item ids: each gets its own label
    return coded_names(
        [
            [Singleton(name.item) if isinstance(name, Singleton) else name for name in names]
            if Singleton in types_of(names)
            else names
            for names in lists
        ]
    )


def coded_names(lists: Sequence[Sequence[Any]]) -> tuple[list[Any], list[Ints]]:
    """The distinct names of several lists, and for each list the code of each of its names."""
    codes, names = encode_objects([name for names in lists for name in names], "labels")
    ends = np.cumsum([len(names) for names in lists])
    return names, np.split(codes, ends[:-1])
