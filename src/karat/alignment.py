"""Two sides' labels brought together item by item, under one policy for what is missing or noise."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from karat.errors import LabelError, brief, listed
from karat.labels import Labels, mask_of, read
from karat.names import MISSING, Singleton, as_array, encode_objects, is_missing, plain

Ints = NDArray[np.int64]
AnyInts = NDArray[Any]  # of any integer type

Missing: TypeAlias = Literal["raise", "drop", "singletons", "cluster"]
NoiseAs: TypeAlias = Literal["cluster", "singletons", "drop"]


@dataclass(frozen=True)
class Policy:
    """How items without a label and noise were treated, and how many there were: part of a signature."""

    missing: Missing = "raise"
    noise: Any = None  # a label; meaningful when noise_as is given
    noise_as: NoiseAs | None = None
    weighted: bool = False
    matched: str = "positions"  # how gold and pred were brought together: by "items" or by "positions"
    missing_items: int = 0
    noise_items: int = 0

    def __post_init__(self) -> None:
        if not isinstance(self.missing, str) or self.missing not in get_args(Missing):
            raise LabelError(f"missing={self.missing!r} is not a policy; use one of {listed(get_args(Missing))}.")
        if self.noise_as is not None and not (isinstance(self.noise_as, str) and self.noise_as in get_args(NoiseAs)):
            raise LabelError(f"noise_as={self.noise_as!r} is not a policy; use one of {listed(get_args(NoiseAs))}.")
        if self.noise is not None and self.noise_as is None:
            raise LabelError(
                f"noise={self.noise!r} needs noise_as='cluster', 'singletons' or 'drop': the score depends on it."
            )
        if self.noise is not None and is_missing(self.noise):
            raise LabelError(f"noise={self.noise!r} is not a label; items without a label follow missing=.")
        if self.noise_as is not None and self.noise is None:
            raise LabelError(f"noise_as={self.noise_as!r} needs the label that marks noise, such as noise=-1.")

    @property
    def dropped(self) -> int:
        """Items left out of the table."""
        missing = self.missing_items if self.missing == "drop" else 0
        return missing + (self.noise_items if self.noise_as == "drop" else 0)

    def __str__(self) -> str:
        noise = "noise kept" if self.noise_as is None else f"noise={self.noise!r} as {self.noise_as}"
        return f"missing={self.missing!r}, {noise}, {'with' if self.weighted else 'without'} weights"

    def __add__(self, other: Policy) -> Policy | None:
        """The policy of two tables added together, or None when they were made under different ones."""
        if str(self) != str(other):
            return None
        return replace(
            self,
            matched=self.matched if self.matched == other.matched else "mixed",
            missing_items=self.missing_items + other.missing_items,
            noise_items=self.noise_items + other.noise_items,
        )


class Aligned(NamedTuple):
    """A class code and a cluster code for every item that is scored, with names, weights and the policy."""

    gold: AnyInts
    pred: AnyInts
    classes: list[Any] | None  # None if the codes are themselves the labels
    clusters: list[Any] | None
    weights: NDArray[Any] | None
    policy: Policy


def align(
    gold: object,
    pred: object,
    *,
    weights: object = None,
    missing: Missing = "raise",
    noise: object = None,
    noise_as: NoiseAs | None = None,
) -> Aligned:
    """Read both sides, match them on item ids where they have them, and apply the policy."""
    policy = Policy(missing, plain(noise), noise_as, weights is not None)
    left, right = read(gold, "gold"), read(pred, "pred")
    items, gold_at, pred_at = _match(left, right, missing)
    if left.items is not None and right.items is not None:
        policy = replace(policy, matched="items")
    weight = None if weights is None else _read_weights(weights, items, left, gold_at)
    if gold_at is None and noise_as is None and left.complete and right.complete:
        return Aligned(left.values, right.values, left.names, right.names, weight, policy)
    (gold_codes, classes), (pred_codes, clusters) = left.coded, right.coded
    noisy = take(pred_codes, pred_at) == noise_code(clusters, policy)
    aligned = Aligned(
        take(gold_codes, gold_at), take(pred_codes, pred_at), list(classes), list(clusters), weight, policy
    )
    return _apply_policy(aligned, noisy, items)


def _apply_policy(aligned: Aligned, noisy: NDArray[np.bool_], items: Any) -> Aligned:
    """Drop, or give a label to, the items that lack one, and those that are noise."""
    gold, pred, classes, clusters, weights, policy = aligned
    classes, clusters = classes or [], clusters or []
    absent = (gold < 0) | (pred < 0)
    if policy.missing == "raise" and absent.any():
        raise LabelError(_missing_message(gold, pred, items))
    kept = ~absent if policy.missing == "drop" else np.ones(absent.size, dtype=bool)
    noisy = noisy & kept  # an item without a gold label is dropped once, as missing
    policy = replace(policy, missing_items=int(absent.sum()), noise_items=int(noisy.sum()))
    if policy.noise_as == "drop":
        kept = kept & ~noisy
    if not kept.any():
        raise LabelError(f"no item is left to score: all {kept.size} were dropped as missing or noise; keep some.")
    for codes, names in ((gold, classes), (pred, clusters)):
        settle(codes, np.flatnonzero((codes < 0) & kept), names, items, alone=policy.missing == "singletons")
    if policy.noise_as == "singletons":
        settle(pred, np.flatnonzero(noisy & kept), clusters, items, alone=True)
    if not kept.all():
        gold, pred, weights = gold[kept], pred[kept], None if weights is None else weights[kept]
    return Aligned(gold, pred, classes, clusters, weights, policy)


def noise_code(names: list[Any], policy: Policy) -> int:
    """The code of the noise label, -2 if there is none; a label that only looks like it is worth a word."""
    if policy.noise_as is None:
        return -2
    codes, _ = encode_objects([policy.noise, *names], "noise")
    same = np.flatnonzero(codes[1:] == codes[0])
    if same.size:
        return int(same[0])
    alike = [name for name in names if str(name) == str(policy.noise)]
    if alike:
        found = alike[0]
        raise LabelError(f"noise={policy.noise!r} is not among pred's labels, but {found!r} is; give noise={found!r}.")
    return -2


def take(codes: Ints, places: Ints | None) -> Ints:
    """The codes at some places, -1 where there is none; or a copy of all."""
    return codes.copy() if places is None else np.where(places >= 0, codes[places], -1)


def settle(codes: Ints, places: Ints, names: list[Any], items: Any, *, alone: bool) -> None:
    """Give the items at these places a label: each its own, or one for all."""
    if places.size:
        new = [Singleton(_item(items, place)) for place in places.tolist()] if alone else [MISSING]
        codes[places] = len(names) + (np.arange(places.size) if alone else 0)
        names.extend(new)


def _item(items: Any, place: int) -> Any:
    return place if items is None else items[place]


def _match(left: Labels, right: Labels, missing: Missing) -> tuple[Any, Ints | None, Ints | None]:
    """The items of both sides, and the place of each in gold and in pred (-1 where it is absent); None if as given."""
    if left.items is None or right.items is None:
        _check_positions(left, right)
        return (right.items if left.items is None else left.items), None, None
    if same_items(left.items, right.items):
        return left.items, None, None
    gold_items, pred_items = list(left.items), list(right.items)
    gold_at, pred_at = item_places(gold_items, "gold"), item_places(pred_items, "pred")
    only_gold = [item for item in gold_items if item not in pred_at]
    only_pred = [item for item in pred_items if item not in gold_at]
    if missing == "raise" and (only_gold or only_pred):
        raise LabelError(
            f"gold and pred are about different items: only gold has {_few(only_gold)}, "
            f"only pred has {_few(only_pred)}; say missing='drop', 'singletons' or 'cluster'."
        )
    items = gold_items + only_pred
    return items, look_up(items, gold_at), look_up(items, pred_at)


def _few(items: list[Any]) -> str:
    return listed(items, 3) if items else "none"


def _check_positions(left: Labels, right: Labels) -> None:
    for side, other, labels in (("gold", "pred", left), ("pred", "gold", right)):
        if labels.keyed:
            raise LabelError(
                f"{side} names its items but {other} does not; give both as dicts, sets or Series, or neither."
            )
    if len(left) != len(right):
        raise LabelError(
            f"gold has {len(left)} labels but pred has {len(right)}; "
            "give both as dicts {item: label} or as Series with an index, so that they can be aligned."
        )


def same_items(left: Any, right: Any) -> bool:
    """Whether two lists of items are the same, in the same order."""
    if hasattr(left, "equals") and hasattr(right, "equals"):
        return bool(left.equals(right))
    return len(left) == len(right) and list(left) == list(right)


def item_places(items: list[Any], side: str) -> dict[Any, int]:
    """Where each item is; one that is there twice is refused."""
    places = {item: place for place, item in enumerate(items)}
    if len(places) < len(items):
        twice = next(item for place, item in enumerate(items) if places[item] != place)
        raise LabelError(
            f"{side} has item {twice!r} more than once, so it cannot be aligned; make its item ids unique."
        )
    return places


def look_up(items: list[Any], places: dict[Any, int]) -> Ints:
    """The place of each item, -1 where it has none."""
    return np.fromiter((places.get(item, -1) for item in items), dtype=np.int64, count=len(items))


def _missing_message(gold: Ints, pred: Ints, items: Any) -> str:
    parts = []
    for side, codes in (("gold", gold), ("pred", pred)):
        places = np.flatnonzero(codes < 0)
        if places.size:
            noun = "position" if items is None else "item"
            plural = "" if places.size == 1 else "s"
            which = listed([_item(items, place) for place in places.tolist()])
            parts.append(f"{side} has {places.size} missing label{plural}, at {noun}{plural} {which}")
    return " and ".join(parts) + "; say missing='drop', 'singletons' or 'cluster'."


def _read_weights(weights: Any, items: Any, left: Labels, gold_at: Ints | None) -> NDArray[Any]:
    """One finite, non-negative number per item, int64 or float64, in the order of the items."""
    keyed = isinstance(weights, Mapping)
    index = list(weights) if keyed else getattr(weights, "index", None)
    if keyed and items is None:
        raise LabelError("weights names its items but gold and pred do not; give weights as a list.")
    if items is not None and index is not None and not callable(index):
        at = look_up(list(items), item_places(list(index), "weights"))
        if (at < 0).any():
            lacking = _item(items, int(np.argmin(at)))
            raise LabelError(f"weights has no weight for item {lacking!r}; give one for every item.")
        return check_weights(weights.values() if keyed else weights, None)[at]
    array = check_weights(weights, len(left))
    if gold_at is None:
        return array
    if (gold_at < 0).any():
        raise LabelError("weights are by position, but pred has items that gold lacks; give a dict {item: weight}.")
    return array[gold_at]


def check_weights(values: Any, size: int | None) -> NDArray[Any]:
    """Weights as a clean int64 or float64 array, or an error that shows the first bad one."""
    if isinstance(values, (str, bytes, Set)) or not (hasattr(values, "__array__") or isinstance(values, Iterable)):
        raise LabelError(f"weights is {brief(values)}; give a list of numbers, one for each item.")
    array = _numbers(values if hasattr(values, "__array__") else list(values))
    if array.ndim != 1 or (size is not None and array.size != size):
        raise LabelError(f"weights has shape {array.shape} but there are {size} items; give one weight per item.")
    bad = np.flatnonzero(~np.isfinite(array) | (array < 0))
    if bad.size:
        raise LabelError(f"weights has {array[bad[0]]} at position {bad[0]}; give finite weights, none negative.")
    if not array.any():
        raise LabelError("all weights are 0; give at least one item a positive weight.")
    return array


def _numbers(values: Any) -> NDArray[Any]:
    try:
        array = as_array(values, "weights")
    except LabelError:
        raise
    except ValueError:  # rows of different lengths
        array = np.array(None)
    mask = mask_of(values)
    if mask is not None and mask.any():
        raise LabelError(f"weights has a masked value at position {np.argmax(mask)}; give every item a weight.")
    if array.dtype.kind in "bi" or (array.dtype.kind == "u" and array.max(initial=0) < 1 << 62):
        return array.astype(np.int64)
    if array.dtype.kind in "uf":
        return array.astype(np.float64)
    for place, value in enumerate(values):
        if not isinstance(value, Real) or isinstance(value, np.timedelta64):
            raise LabelError(
                f"weights has {brief(value)} at position {place}, which is not a number; give only numbers."
            )
    return np.array([_float(value) for value in values])


def _float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf
