"""Weights and groups, matched to the items that have them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karat.errors import LabelError, brief
from karat.labels.encoding import to_labels
from karat.labels.matching import Matched, index_of_items, look_up, same_items, take
from karat.labels.policy import DROP
from karat.labels.rows import Coded, Ints, Mask, id_of
from karat.labels.weights import check_weights


def weights_of(weights: Any, matched: Matched, *, gaps: bool) -> NDArray[Any]:
    """The weight of each item; gaps: allow items without a weight, given -1, which must then be dropped."""
    keyed = isinstance(weights, Mapping)
    index = list(weights) if keyed else getattr(weights, "index", None)
    at = _index_in(None if callable(index) else index, keyed, matched, "weights", gaps=gaps)
    array = check_weights(list(weights.values()) if keyed else weights, None if at is not None else matched.size)
    return array if at is None else np.where(at >= 0, array[at], -1)


def counts_of(counts: Ints, matched: Matched, *, gaps: bool) -> Ints:
    """The number of items at each position; gaps: allow items that gold lacks, which count as one and are dropped."""
    at = _index_in(None, False, matched, "counts", gaps=gaps)
    return counts if at is None else np.where(at >= 0, counts[at], 1)


def groups_of(groups: Any, matched: Matched) -> Coded:
    """The group code of each item; -1 for items without a group, such as those that gold lacks."""
    labels = to_labels(groups, "by")
    codes, names = labels.coded
    at = _index_in(labels.items, labels.keyed, matched, "by", gaps=True)
    if at is None and codes.size != matched.size:
        raise LabelError(f"by has {codes.size} values but there are {matched.size} items; give each item a group.")
    if (codes < 0).any():
        raise LabelError(f"by has no value for {int((codes < 0).sum()):,} items; give every item a group.")
    return Coded(take(codes, at), names)


def _index_in(index: Any, keyed: bool, matched: Matched, what: str, *, gaps: bool = False) -> Ints | None:
    """The index of each item in weights or groups, by item id if they have ids; None: by position."""
    if keyed and matched.items is None:
        raise LabelError(f"{what} names its items but gold and pred do not; give {what} as a list.")
    if matched.items is not None and index is not None and (keyed or not _is_by_position(index, matched)):
        at = look_up(list(matched.items), index_of_items(list(index), what))
        if (at < 0).any() and not gaps:
            lacking = id_of(matched.items, int(np.argmin(at)))
            raise LabelError(f"{what} has no weight for item {brief(lacking)}; give one for every item.")
        return at
    gold = next(iter(matched.at.values()))
    if gold is not None and (gold < 0).any() and not gaps:
        raise LabelError(f"{what} are by position, but pred has items that gold lacks; give a dict {{item: weight}}.")
    return gold


def _is_by_position(index: Any, matched: Matched) -> bool:
    """Whether a Series is by position: ids were given separately, and its index is gold's or 0..n-1."""
    if not matched.given or len(index) != matched.size:
        return False
    own = range(matched.size) if matched.index is None else matched.index
    return same_items(index, own)


def check_attributes(
    weights: Any, groups: Coded | None, kept: Mask, absent: Mask | None, items: Any, names: Mapping[str, str]
) -> None:
    """Raise LabelError if a scored item has no weight or no group."""
    if weights is not None and ((weights < 0) & kept).any():
        lacking = id_of(items, int(np.argmax((weights < 0) & kept)))
        raise LabelError(f"weights has no weight for item {brief(lacking)}; give one for every item.")
    if groups is None:
        return
    without = (groups.codes < 0) & kept
    known = without if absent is None else without & ~absent
    if known.any():
        lacking = id_of(items, int(np.argmax(known)))
        raise LabelError(f"by has no group for item {brief(lacking)}; give every item a group.")
    if without.any():
        number = "1 item" if without.sum() == 1 else f"{int(without.sum()):,} items"
        raise LabelError(f"{number} of the systems have no group, since {names['']} lacks them; say ", DROP, ".")
