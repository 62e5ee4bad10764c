"""Several organisations of the same items as one gold standard: their product (Dom 2001, appendix C.2.2)."""

from __future__ import annotations

from typing import Any

import numpy as np

from karat.alignment import item_places, same_items
from karat.errors import LabelError
from karat.labels import Labels, read
from karat.names import Combination, encode_objects


def cross(*labelings: object) -> Labels:
    """One labeling whose classes are the combinations of several: items are together if all of them join them.

    A clustering that finds one organisation only is rewarded for what it tells about the product. Labelings are matched
    as gold and pred are: by item where all name their items, else by position. An item that lacks one label lacks all.
    A hierarchy needs no product: its lowest level tells all others.

    >>> gold = cross(["x", "x", "y"], [1, 2, 2])
    >>> gold.names, gold.values.tolist()
    ([('x', 1), ('x', 2), ('y', 2)], [0, 1, 2])
    """
    if len(labelings) < 2:
        raise LabelError(f"cross() was given {len(labelings)} labelings; give two or more to combine.")
    sides = [read(labels, f"labeling {place}") for place, labels in enumerate(labelings, 1)]
    items, keyed, columns = None, False, [_names(side) for side in sides]
    if all(side.items is not None for side in sides):
        items, keyed = sides[0].items, any(side.keyed for side in sides)
        if not all(same_items(items, side.items) for side in sides[1:]):
            items, columns = _matched(sides, columns)
    else:
        _check_positions(sides)
    combined = [_combined(labels) for labels in zip(*columns, strict=True)]
    codes, names = encode_objects(combined, "labels")
    return Labels(np.asarray(codes), names, items=items, keyed=keyed)


def combined(*columns: list[Any]) -> list[Any]:
    """The combinations of columns of equal length; None where one of them lacks a label."""
    return [_combined(labels) for labels in zip(*columns, strict=True)]


def _check_positions(sides: list[Labels]) -> None:
    for place, side in enumerate(sides, 1):
        if side.keyed:
            raise LabelError(f"labeling {place} names its items but another does not; give all as dicts, or none.")
        if len(side) != len(sides[0]):
            raise LabelError(f"labeling 1 has {len(sides[0])} labels but labeling {place} has {len(side)}; align them.")


def _names(side: Labels) -> list[Any]:
    codes, names = side.coded
    return [None if code < 0 else names[code] for code in codes.tolist()]


def _combined(labels: tuple[Any, ...]) -> Combination | None:
    absent = any(label is None or label != label for label in labels)  # NaN is not equal to itself
    return None if absent else Combination(labels)


def _matched(sides: list[Labels], columns: list[list[Any]]) -> tuple[list[Any], list[list[Any]]]:
    """All items of all sides, and the label of each on each side."""
    places = [item_places(list(side.items), f"labeling {place}") for place, side in enumerate(sides, 1)]
    items = list(dict.fromkeys(item for found in places for item in found))
    return items, [
        [column[found[item]] if item in found else None for item in items]
        for found, column in zip(places, columns, strict=True)
    ]
