"""Identity of labels: a hashable key for each label, equal for two labels if and only if they are the same label.

Two labels are the same if they are equal and of the same kind. The kinds are numbers (1 and 1.0 are the same label),
text ("1" is not 1), bytes, booleans (True is not 1), dates, times without a zone, instants (times with a zone, in any
zone), durations, and objects of any other type that compare by value. Tuples and frozensets are compared member by
member. None, NaN, NaT and NA are not labels: they mark an item whose label is missing; as members of a tuple they are
one.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from karat.kernels.objects import number_objects, types_of

EPOCH = date(1970, 1, 1).toordinal()
DAY = 86_400
ATTO = 10**18  # attoseconds in a second: the finest unit of NumPy's dates
UNITS = {
    "W": 7 * DAY * ATTO, "D": DAY * ATTO, "h": 3600 * ATTO, "m": 60 * ATTO, "s": ATTO, "ms": ATTO // 10**3,
    "us": ATTO // 10**6, "ns": ATTO // 10**9, "ps": ATTO // 10**12, "fs": ATTO // 10**15, "as": 1,
}  # fmt: skip
COMPLEX = (complex, np.complexfloating)
KEYED = (
    np.bool_, date, time, timedelta, np.datetime64, np.timedelta64, tuple, frozenset, np.longdouble, UUID, *COMPLEX
)  # fmt: skip
LONGEST = 1 << 64  # integers of this size and more, and of less than its negative, have keys of their own
DIGITS = 5000  # of a decimal before or after its point, up to which it is written out
MONTHS = (0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334)  # days of a common year before each month


class Key:
    """Begins the keys made here, so that none equals a tuple that is a label; a class, since keys are pickled."""


TRUE, FALSE, GAP = (Key, True), (Key, False), (Key, None)


class Singleton:
    """The label of a singleton cluster; equal to no other label, not even one that prints alike."""

    __slots__ = ("item",)

    def __init__(self, item: object) -> None:
        self.item = item

    def __repr__(self) -> str:
        try:
            return f"<singleton: {self.item!r}>"
        except Exception:  # of any type, in a class of the user's
            return f"<singleton: a value of type {type(self.item).__name__}>"


def label_key(label: Any) -> Any:
    """A key that is equal for the same label, and for singletons of the same item."""
    return (Singleton, _key(label.item)) if isinstance(label, Singleton) else _key(label)


def keys_of(labels: Sequence[Any]) -> list[Hashable]:
    """The keys of labels; every singleton is a key of its own."""
    kinds = types_of(labels)
    special = {kind for kind in kinds if _needs_key(kind)}
    if int in kinds and _any_long(labels if len(kinds) == 1 else [n for n in labels if type(n) is int]):
        special.add(int)
    if not special:
        return labels if isinstance(labels, list) else list(labels)
    return [_key(label) if type(label) in special else label for label in labels]


def numbered(labels: Sequence[Any]) -> tuple[NDArray[np.int64], list[Any]]:
    """The code of each label, in order of first occurrence, and the distinct labels; TypeError if one has no hash."""
    keys = keys_of(labels)
    codes, distinct = number_objects(keys)
    if keys is labels:
        return codes, list(distinct)
    first = np.zeros(len(distinct), dtype=np.int64)
    first[codes[::-1]] = np.arange(codes.size - 1, -1, -1)
    return codes, [labels[index] for index in first.tolist()]


@lru_cache(maxsize=1000)
def _needs_key(kind: Any) -> bool:
    """Whether labels of a type are not their own keys."""
    if issubclass(kind, (int, Decimal, Fraction)):
        return kind is not int
    return issubclass(kind, KEYED)


def _any_long(numbers: Sequence[int]) -> bool:
    """Whether an integer is longer than 64 bits."""
    return _is_long(max(numbers)) or _is_long(min(numbers))


def _key(label: Any) -> Any:
    if isinstance(label, (bool, np.bool_)):
        return TRUE if label else FALSE
    if isinstance(label, (int, Decimal, Fraction, np.longdouble)):
        return _key_of_number(label)
    if isinstance(label, (tuple, frozenset)):
        return _key_of_members(label)
    if not _needs_key(label.__class__) or label != label:  # NaT
        return label
    if isinstance(label, COMPLEX):
        return _key_of_complex(complex(label)) if np.dtype(type(label)).itemsize <= 16 else label
    if isinstance(label, UUID):
        return (Key, str(label))
    return (Key, *temporal(label))


def _key_of_number(label: Any) -> Any:
    """An integer of 64 bits, a float, or the text of a number that neither can hold.

    Python hashes numbers modulo 2**61 - 1, so a file can hold many long ones of the same hash, and to number n of them
    would take n**2 steps; the hash of a text differs in every process. Tuples, complex numbers and UUIDs have hashes
    made of those of numbers, so that their keys are texts as well.
    """
    if isinstance(label, int):
        return _key_of_ratio(label, 1) if _is_long(label) else label
    if isinstance(label, Decimal):
        return _key_of_far(label) if abs(label.adjusted()) > DIGITS else _key_of_decimal(str(label))
    return _key_of_ratio(*label.as_integer_ratio()) if label - label == 0 else label  # infinity and NaN have no ratio


@lru_cache(maxsize=100_000)
def _key_of_decimal(text: str) -> Any:
    number = Decimal(text)
    return _key_of_ratio(*number.as_integer_ratio()) if number.is_finite() else number


def _key_of_ratio(numerator: int, denominator: int) -> Any:
    """The key of a fraction in lowest terms."""
    if denominator == 1 and -LONGEST <= numerator < LONGEST:
        return numerator
    try:
        nearest = numerator / denominator
    except OverflowError:
        nearest = 0.0
    exact = nearest.as_integer_ratio() == (numerator, denominator)
    return nearest if exact else (Key, f"{numerator:x}/{denominator:x}")


def _key_of_far(number: Decimal) -> Any:
    """The key of a decimal of very many digits before or after its point, which are not written out."""
    sign, digits, exponent = number.as_tuple()
    if not isinstance(exponent, int):  # infinity
        return number
    text = "".join(map(str, digits))
    short = text.rstrip("0")
    return (Key, f"{'-' * sign}{short.lstrip('0')}e{exponent + len(text) - len(short)}")


def _key_of_complex(number: complex) -> Any:
    return number.real if number.imag == 0 else (Key, repr(number + 0.0))  # -0.0 is 0.0


def _key_of_members(label: tuple[Any, ...] | frozenset[Any]) -> Any:
    """The key of a tuple or a frozenset: a text if its members have one, else the keys of its members."""
    text = _text_of_members(label)
    if text is not None:
        return (Key, text)
    keys = [GAP if is_missing(member) else _key(member) for member in label]
    return (frozenset if isinstance(label, frozenset) else tuple)(keys)


def _text_of_members(label: tuple[Any, ...] | frozenset[Any]) -> str | None:
    texts = [_text(member) for member in label]
    if None in texts:
        return None
    if isinstance(label, frozenset):
        return f"{{{','.join(sorted(map(str, texts)))}}}"
    return f"({','.join(map(str, texts))})"


def _text(member: Any) -> str | None:
    """A text that is the same for the same labels, and for no others; None for a label of a type that has none."""
    kind: Any = member.__class__
    if kind is str or (kind is int and not _is_long(member)):
        return repr(member)
    if isinstance(member, (tuple, frozenset)):
        return _text_of_members(member)
    key = GAP if is_missing(member) else _key(member)
    if isinstance(key, tuple):
        return f"!{key[1:]}"
    if isinstance(key, (np.number, np.str_, np.bytes_)):
        key = key.item()
    if isinstance(key, float) and -LONGEST <= key < LONGEST and key.is_integer():
        key = int(key)
    kind = key.__class__
    write = _writer(kind)
    return None if write is None else write(key)


@lru_cache(maxsize=1000)
def _writer(kind: Any) -> Callable[[Any], str] | None:
    """The repr of numbers and text, unless a type derived from them has an equality of its own."""
    base: Any = next((base for base in (int, float, str, bytes) if issubclass(kind, base)), None)
    return base.__repr__ if base is not None and kind.__eq__ is base.__eq__ else None


def _is_long(number: int) -> bool:
    return not -LONGEST <= number < LONGEST


def is_temporal(label: Any) -> bool:
    """Whether a label is a date, a time or a duration."""
    return isinstance(label, (date, time, timedelta, np.datetime64, np.timedelta64))


def temporal(label: Any) -> tuple[str, int]:
    """The kind of a date, a time or a duration, and its amount: days for a date, months, or else attoseconds."""
    if hasattr(label, "to_datetime64"):  # a Timestamp of pandas, which has nanoseconds
        if label.tzinfo is None:
            return temporal(label.to_datetime64())
        return "instant", temporal(label.tz_convert("UTC").tz_localize(None).to_datetime64())[1]
    if hasattr(label, "to_timedelta64"):  # a Timedelta of pandas
        return temporal(label.to_timedelta64())
    if isinstance(label, (np.datetime64, np.timedelta64)):
        return _of_numpy(label)
    if isinstance(label, datetime):
        since = _microseconds(timedelta(label.toordinal() - EPOCH)) + _of_day(label)
        offset = label.utcoffset()
        if offset is None:
            return "time", since * UNITS["us"]
        return "instant", (since - _microseconds(offset)) * UNITS["us"]
    if isinstance(label, date):
        return "date", label.toordinal() - EPOCH
    if isinstance(label, time):  # the duration since midnight, as columns of times are read
        offset = label.utcoffset()
        since = _of_day(label) - (0 if offset is None else _microseconds(offset))
        return ("duration" if offset is None else "time of day", since * UNITS["us"])
    return "duration", _microseconds(label) * UNITS["us"]


def _of_numpy(label: Any) -> tuple[str, int]:
    unit, number = np.datetime_data(label.dtype)
    amount = int(label.astype(np.int64)) * number
    if isinstance(label, np.timedelta64):
        if unit in ("Y", "M"):  # no number of seconds
            return "months", amount * (12 if unit == "Y" else 1)
        return "duration", amount * UNITS["ns" if unit == "generic" else unit]  # as in arrays
    if unit in ("Y", "M"):
        return "date", _days(amount * (12 if unit == "Y" else 1))
    if unit in ("W", "D"):
        return "date", amount * (7 if unit == "W" else 1)
    return "time", amount * UNITS[unit]


def _days(months: int) -> int:
    """The days from 1970 to the first day of a month, counted from January 1970; NumPy's would overflow."""
    year, month = 1970 + months // 12, months % 12
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    before = year - 1
    days = before * 365 + before // 4 - before // 100 + before // 400 + MONTHS[month] + (leap and month > 1)
    return days + 1 - EPOCH


def _of_day(clock: datetime | time) -> int:
    """Microseconds since midnight."""
    return ((clock.hour * 60 + clock.minute) * 60 + clock.second) * 10**6 + clock.microsecond


def _microseconds(duration: timedelta) -> int:
    return (duration.days * DAY + duration.seconds) * 10**6 + duration.microseconds


def is_hashable(label: Any) -> bool:
    """Whether a label has a hash; a list, a Series or a writable memoryview has none."""
    try:
        hash(label)
    except Exception:  # of any type, in a class of the user's
        return False
    return True


def is_missing(label: Any) -> bool:
    """Whether a label is None, NaN, NaT or NA: NaN and NaT differ from themselves, comparing NA raises."""
    if label is None:
        return True
    try:
        return bool(label != label)
    except (TypeError, ValueError, ArithmeticError):  # a signalling NaN raises the last
        return type(label).__name__ == "NAType"
