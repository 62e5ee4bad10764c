"""match(): the items of gold and systems, by item id or by position."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from karat.errors import LabelError, Option, Sentence, brief, listed
from karat.kernels.counting import first_seen
from karat.labels.encoding import Labels
from karat.labels.identity import keys_of, numbered
from karat.labels.policy import KEEP_OR_DROP
from karat.labels.rows import AnyInts, Ints


class Matched(NamedTuple):
    """The items of all sides, and the index of each item in every side."""

    items: Any  # ids of the items, None if only their positions are known
    at: Mapping[str, Ints | None]  # index of each item in a side, -1 if the side lacks it; None: same order
    by_item: bool
    size: int
    given: bool = False  # the ids were given separately from the labels
    index: Any = None  # the index of the sides' Series, if the ids were given separately
    same_order: bool = False  # every side has all items, in the same order


def match(
    sides: Mapping[str, Labels], names: Mapping[str, str], *, items: Sequence[Any] | None = None, strict: bool = False
) -> Matched:
    """Match the sides by item id if all have ids, else by position.

    names: how messages refer to each side. items: ids of the positions. strict: raise LabelError if a side lacks items.
    """
    first = next(iter(sides.values()))
    same: dict[str, Ints | None] = dict.fromkeys(sides)
    known = [side.items for side in sides.values() if side.items is not None]
    if items is not None or len(known) < len(sides):
        _check_positions(sides, names, items)
        index = known[0] if known else None
        return Matched(index if items is None else items, same, False, len(first), items is not None, index, True)
    if all(same_items(first.items, other) for other in known):
        return Matched(first.items, same, True, len(first), same_order=True)
    at, union = numbered_items({name: side.items for name, side in sides.items()}, names)
    if strict and any((indices < 0).any() for indices in at.values()):
        lacking = {names[name]: [union[i] for i in np.flatnonzero(indices < 0)] for name, indices in at.items()}
        raise LabelError(different_items(lacking))
    return Matched(union, dict(at), True, len(union))


def numbered_items(items: Mapping[str, Any], names: Mapping[str, str]) -> tuple[dict[str, Ints], list[Any]]:
    """The index of every item in each side, -1 where a side lacks it, and the union of all items."""
    columns = [_as_column(column) for column in items.values()]
    codes: AnyInts
    union: list[Any]
    if all(isinstance(column, np.ndarray) for column in columns):
        codes, distinct = first_seen(np.concatenate(columns).astype(np.int64).view(np.uint64))
        union = distinct.view(np.int64).tolist()
    else:
        codes, union = numbered([item for column in columns for item in _as_list(column)])
    parts = np.split(codes.astype(np.int64), np.cumsum([len(column) for column in columns])[:-1])
    at = {}
    for name, part in zip(items, parts, strict=True):
        at[name] = np.full(len(union), -1, np.int64)
        at[name][part] = np.arange(part.size)
        if np.count_nonzero(at[name] >= 0) < part.size:
            twice = union[int(np.argmax(np.bincount(part) > 1))]
            raise LabelError(
                f"{names[name]} has item {brief(twice)} more than once, so it cannot be aligned; make its ids unique."
            )
    return at, list(union)


def _as_column(items: Any) -> Any:
    """Items as an integer array if they are integers, else as a list."""
    if hasattr(items, "to_numpy") and str(getattr(items, "dtype", "")).startswith("int"):  # an index of pandas
        return np.asarray(items.to_numpy())
    integers = isinstance(items, np.ndarray) and items.dtype.kind == "i"
    return items if integers else _as_list(items)


def _as_list(items: Any) -> list[Any]:
    return items.tolist() if isinstance(items, np.ndarray) else list(items)


def _check_positions(sides: Mapping[str, Labels], names: Mapping[str, str], items: Sequence[Any] | None) -> None:
    start, first = next(iter(sides.items()))
    for name, side in sides.items():
        if side.keyed and items is not None:
            raise LabelError(f"{names[name]} names its items already; leave out ", Option("id", bare=True), ".")
        if side.keyed:
            other = next(n for n, s in sides.items() if s.items is None)
            raise LabelError(
                f"{names[name]} names its items but {names[other]} does not; "
                "give both as dicts, sets or Series, or neither."
            )
    for name, side in sides.items():
        if len(side) != len(first):
            raise LabelError(
                f"{names[start]} has {len(first)} labels but {names[name]} has {len(side)}; "
                "give both as dicts {item: label} or as Series with an index, so that they can be aligned."
            )
        if side.shape != first.shape:
            raise LabelError(
                f"{names[start]} has shape {_shape(first)} but {names[name]} has shape {_shape(side)}; "
                "give label images of the same shape."
            )
    if items is not None and len(items) != len(first):
        raise LabelError(f"there are {len(items)} items but {len(first)} labels; give a name for each.")


def _shape(side: Labels) -> tuple[int, ...]:
    return side.shape or (len(side),)


def same_items(left: Any, right: Any) -> bool:
    """Whether two sequences of items are equal, including their order."""
    if left is right:
        return True
    if hasattr(left, "equals") and hasattr(right, "equals"):
        return bool(left.equals(right))
    return len(left) == len(right) and keys_of(list(left)) == keys_of(list(right))


def index_of_items(items: list[Any], side: str) -> dict[Any, int]:
    """The index of each item, by its key; LabelError if an item occurs twice."""
    keys = keys_of(items)
    indices = {key: index for index, key in enumerate(keys)}
    if len(indices) < len(items):
        twice = next(items[index] for index, key in enumerate(keys) if indices[key] != index)
        raise LabelError(
            f"{side} has item {brief(twice)} more than once, so it cannot be aligned; make its item ids unique."
        )
    return indices


def look_up(items: list[Any], indices: dict[Any, int]) -> Ints:
    """The index of each item, -1 where it has none."""
    return np.fromiter((indices.get(key, -1) for key in keys_of(items)), dtype=np.int64, count=len(items))


def take(codes: Ints, indices: Ints | None) -> Ints:
    """The codes at these indices, -1 where the index is negative; all codes if indices is None."""
    return codes if indices is None else np.where(indices >= 0, codes[indices], -1)


def different_items(lacking: Mapping[str, Sequence[Any]], numbers: Mapping[str, int] | None = None) -> Sentence:
    """The message for sides with different items. lacking: items that each side lacks; numbers: how many, if more."""

    def few(name: str) -> str:
        values = list(lacking[name])
        number = len(values) if numbers is None else numbers[name]
        return listed([*values, *[None] * (number - len(values))], 3) if number else "none"

    called = list(lacking)
    if len(called) == 2:
        first, second = called
        details = f"only {first} has {few(second)}, only {second} has {few(first)}"
        return Sentence(f"{first} and {second} are about different items: {details}; say ", KEEP_OR_DROP, ".")
    details = "; ".join(f"{name} lacks {few(name)}" for name in called if lacking[name])
    return Sentence(f"{called[0]} and the others are about different items: {details}; say ", KEEP_OR_DROP, ".")
