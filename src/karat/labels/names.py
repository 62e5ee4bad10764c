"""What counts as one label, and in which order labels are listed.

Two labels are one label if they are equal under Python's == and of the same kind. Numbers are one kind
(1 and 1.0 are the same label), text is another ("1" is not 1), and so are bytes and booleans (True is not
1). None, NaN, NaT and NA are not labels: they mark an item whose label is missing, code -1. A scalar of an array
library (a tensor of no dimensions) is the number it holds. Objects that are equal only to themselves are refused,
since each would be a label of its own.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from functools import lru_cache
from numbers import Real
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from karat.errors import LabelError, TableError
from karat.foreign import first_line
from karat.kernels.objects import number_objects

Ints = NDArray[np.int64]
T = TypeVar("T")

HUGE = 5000  # digits before or after the point
LONG = 13_300  # bits of an integer: 4,000 digits, somewhat fewer than Python writes


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


def encode_objects(values: Sequence[Any], side: str) -> tuple[Ints, list[Any]]:
    """Codes and names of Python objects, in one pass of hashing; names in canonical order."""
    values = plain_values(values, side)
    try:
        codes, distinct = number_objects(_keys(values))
    except TypeError:
        raise LabelError(_unhashable(values, side)) from None
    names: list[Any] = list(distinct)
    if not set(map(type, names)) <= {str, int}:
        names = [plain(_STOOD_FOR.get(id(key), key)) for key in distinct]
    _check_length(names, side)
    order = canonical_order(names)
    ranks = np.full(len(names), -1, dtype=np.int64)
    ranks[order] = np.arange(len(order))
    return ranks[codes], [names[place] for place in order]


def _check_length(names: Sequence[Any], side: str) -> None:
    """Refuse integers that Python does not write, in messages and tables."""
    if set(map(type, names)) != {str} and any(map(_is_long, names)):
        raise LabelError(f"{side} has an integer of more than 4,000 digits as a label; give it a shorter name.")


def _is_long(name: Any) -> bool:
    if isinstance(name, int):
        return name.bit_length() > LONG
    try:
        return isinstance(name, (tuple, frozenset, Fraction)) and not str(name)
    except ValueError:
        return True


def plain_values(values: Sequence[Any], side: str) -> Sequence[Any]:
    """The values with scalars of other libraries as Python's; arrays, and objects without equality, are refused."""
    strange = {kind for kind in set(map(type, values)) if not _is_plain(kind)}
    if not strange:
        return values
    return [_plain_value(v, place, side) if type(v) in strange else v for place, v in enumerate(values)]


@lru_cache(maxsize=1000)
def _is_plain(kind: Any) -> bool:
    """Whether values of a type are compared by what they hold."""
    if issubclass(kind, (np.generic, Enum, type, Singleton, _Missing, type(None))):
        return True
    if issubclass(kind, (tuple, frozenset)):  # whose members are looked at
        return False
    array = hasattr(kind, "__array__") or hasattr(kind, "__dlpack__") or hasattr(kind, "__jax_array__")
    if hasattr(kind, "as_py") or array:  # a scalar of Arrow; of an array library
        return False
    return kind.__eq__ is not object.__eq__


def _plain_value(value: Any, place: int, side: str) -> Any:
    if isinstance(value, (tuple, frozenset)):
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
        except Exception as problem:  # whatever another library raises
            reason = str(problem).split("\n", 1)[0][:120].rstrip(".")
            raise LabelError(
                f"{side} has the {_name(value)} {_brief(value)} at position {place}, which cannot be read ({reason}); "
                "give plain labels."
            ) from None
    if shape is not None and hasattr(value, "__len__"):
        join = "torch.cat" if type(value).__module__.startswith("torch") else "concatenate"
        raise LabelError(
            f"{side} has the {_name(value)} of shape {tuple(shape)} at position {place}, which holds several labels; "
            f"join such batches with {join} first, or give clusters as sets of items, [set(c) for c in clusters]."
        )
    raise LabelError(
        f"{side} has the {_name(value)} {_brief(value)} at position {place}, which equals nothing but itself, so that "
        "every item would be a cluster of its own; give what identifies it, such as its name."
    )


def as_array(values: Any, what: str) -> NDArray[Any]:
    """An array, or a list of numbers, of any library as an array of NumPy; tensors on a device or with a gradient too.

    Rows of different lengths raise ValueError, as in NumPy.
    """
    if isinstance(values, (list, tuple)) and any(hasattr(kind, "__array__") for kind in set(map(type, values))):
        if any(value is np.ma.masked for value in values):
            raise LabelError(f"{what} has a masked value; give every item one.")
        values = [as_array(value, what) if hasattr(value, "__array__") else value for value in values]
    try:
        return np.asarray(values)
    except Exception as problem:  # whatever that library raises
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
    return " ".join(str(value).split())[:60]


_TRUE, _FALSE = object(), object()
_STOOD_FOR = {id(_TRUE): True, id(_FALSE): False}


def _keys(values: Sequence[Any]) -> list[Hashable]:
    """The values themselves, with stand-ins for booleans where they would equal numbers."""
    kinds = set(map(type, values))
    booleans = {kind for kind in kinds if issubclass(kind, (bool, np.bool_))}
    if booleans and booleans != kinds:
        return [(_TRUE if v else _FALSE) if isinstance(v, (bool, np.bool_)) else v for v in values]
    return values if isinstance(values, list) else list(values)


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
    """A scalar of NumPy, pandas or another library as Python has it (dates as NumPy has them), to print and save."""
    if isinstance(label, np.timedelta64):
        return label
    if isinstance(label, (np.number, np.bool_, np.str_, np.bytes_)):
        return label.item()
    kind: Any = type(label)
    if not _is_plain(kind) and getattr(label, "shape", None) == ():
        return _plain_value(label, 0, "a label")
    if hasattr(label, "to_datetime64"):  # a pandas Timestamp
        if label.tzinfo is None:
            return label.to_datetime64()
        return label if label.nanosecond else label.to_pydatetime(warn=False)  # Python's have microseconds only
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
    if set(map(type, names)) in ({str}, {int}):  # the common cases, quickly
        return sorted(range(len(names)), key=names.__getitem__)
    ranked = [(_rank(name), place) for place, name in enumerate(names) if not is_missing(name)]
    return [place for _, place in sorted(ranked)]


def _rank(name: Any) -> tuple[int, Any, str]:
    if isinstance(name, np.timedelta64):  # which NumPy counts among the integers
        return (2, int(name.astype(np.int64)), str(name.dtype))
    if isinstance(name, (Real, Decimal)) and not isinstance(name, bool):
        return (0, name, "") if isinstance(name, (int, float)) else (0, _exactly(name), str(name))
    if isinstance(name, str):
        return (1, 0, name)
    return (2, 0, f"{type(name).__name__} {name!r}")


def _exactly(number: Any) -> Any:
    """A number that can be compared with any other: Decimal and Fraction do not know each other.

    A Decimal far beyond floats counts as infinite or 0 here, since its digits would fill the memory.
    """
    if isinstance(number, Decimal) and number.is_finite() and abs(number.adjusted()) > HUGE:
        return math.copysign(math.inf if number.adjusted() > 0 else 0.0, number)
    finite = isinstance(number, Fraction) or math.isfinite(number)  # fractions always are, also beyond floats
    return Fraction(*number.as_integer_ratio()) if finite else float(number)


def label_key(name: Any) -> Any:
    """A value that is equal for equal labels of one kind, and for lone items that stand for the same item."""
    if isinstance(name, Singleton):
        return (Singleton, name.item)
    return (bool, name) if isinstance(name, bool) else name


class Combination(tuple[Any, ...]):
    """Several labels taken together; equal to another if all of them are, and True is not 1 inside either."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, tuple) and tuple(map(label_key, self)) == tuple(map(label_key, other))

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(tuple(map(label_key, self)))


class ByLabel(Mapping[Any, T]):
    """Values by label, in order; True and 1, which are one key of a dict, are two labels here too."""

    def __init__(self, pairs: Iterable[tuple[Any, T]]) -> None:
        self._found = {label_key(label): (label, value) for label, value in pairs}

    def __getitem__(self, label: Any) -> T:
        return self._found[label_key(label)][1]

    def __iter__(self) -> Iterator[Any]:
        return (label for label, _ in self._found.values())

    def __len__(self) -> int:
        return len(self._found)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {len(self)}>"


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
        first = np.unique(codes, return_index=True)[1]
        twice = names[int(np.setdiff1d(np.arange(len(names)), first)[0])]
        raise TableError(f"{what} has the name {twice!r} twice; give each its own.")


def merge_names(lists: Sequence[Sequence[Any]]) -> tuple[list[Any], list[Ints]]:
    """One list of names for several, and for each list the code of each of its names in it."""
    # lone items of different tables, or of one table twice, are different items: each gets a label of its own
    together = [name for names in lists for name in names]
    if Singleton in set(map(type, together)):
        together = [Singleton(name.item) if isinstance(name, Singleton) else name for name in together]
    codes, names = encode_objects(together, "labels")
    ends = np.cumsum([len(names) for names in lists])
    return names, np.split(codes, ends[:-1])
