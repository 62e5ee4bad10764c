"""The product of several labelings of the same items, as one gold standard (Dom 2001, app. C.2.2)."""

from __future__ import annotations

from typing import Any

import numpy as np

from karat.errors import LabelError
from karat.labels.encoding import Labels, to_labels
from karat.labels.matching import match
from karat.labels.names import encode_objects


def cross(*labelings: object) -> Labels:
    """The product of labelings: two items are together if they are together in all of them.

    A clustering that finds only one of the labelings is rewarded for its information about the product. Labelings are
    matched as gold and pred are: by item id if all have ids, else by position. An item that lacks a label in one of
    them has none in the product. A hierarchy needs no product: its lowest level determines all others.

    >>> gold = cross(["x", "x", "y"], [1, 2, 2])
    >>> gold.names, gold.values.tolist()
    ([('x', 1), ('x', 2), ('y', 2)], [0, 1, 2])
    """
    if len(labelings) < 2:
        raise LabelError(f"cross() was given {len(labelings)} labelings; give two or more to combine.")
    names = {str(number): f"labeling {number}" for number in range(1, len(labelings) + 1)}
    sides = {key: to_labels(labels, name) for (key, name), labels in zip(names.items(), labelings, strict=True)}
    matched = match(sides, names)
    columns = [_labels(side, matched.at[key]) for key, side in sides.items()]
    codes, combined_names = encode_objects(combined(*columns), "labels")
    keyed = matched.by_item and any(side.keyed for side in sides.values())
    return Labels(np.asarray(codes), combined_names, items=matched.items if matched.by_item else None, keyed=keyed)


def combined(*columns: list[Any]) -> list[Any]:
    """The combination of labels in each row of columns of equal length; None where a label is missing."""
    return [_combined(labels) for labels in zip(*columns, strict=True)]


def _labels(side: Labels, at: Any) -> list[Any]:
    """The label of each item, None where it is missing."""
    codes, names = side.coded
    chosen = codes if at is None else np.where(at >= 0, codes[at], -1)
    return [None if code < 0 else names[code] for code in chosen.tolist()]


def _combined(labels: tuple[Any, ...]) -> tuple[Any, ...] | None:
    absent = any(label is None or label != label for label in labels)  # NaN is not equal to itself
    return None if absent else labels
