"""Several organisations of the same items as one gold standard: their product (Dom 2001, appendix C.2.2)."""

from __future__ import annotations

from typing import Any

from karat.errors import LabelError
from karat.labels import Labels, read


def cross(*labelings: object) -> Any:
    """One labeling whose classes are the combinations of several: items are together if all of them join them.

    A clustering that finds one organisation only is rewarded for what it tells about the product. Labelings are matched
    as gold and pred are: by item where all name their items, else by position. An item that lacks one label lacks all.
    A hierarchy needs no product: its lowest level tells all others.

    >>> cross(["x", "x", "y"], [1, 2, 2])
    [('x', 1), ('x', 2), ('y', 2)]
    """
    if len(labelings) < 2:
        raise LabelError(f"cross() was given {len(labelings)} labelings; give two or more to combine.")
    sides = [read(labels, f"labeling {place}") for place, labels in enumerate(labelings, 1)]
    if all(side.items is not None for side in sides):
        return _by_item(sides)
    for place, side in enumerate(sides, 1):
        if side.keyed:
            raise LabelError(f"labeling {place} names its items but another does not; give all as dicts, or none.")
        if len(side) != len(sides[0]):
            raise LabelError(f"labeling 1 has {len(sides[0])} labels but labeling {place} has {len(side)}; align them.")
    return [_joined(labels) for labels in zip(*map(_names, sides), strict=True)]


def _names(side: Labels) -> list[Any]:
    codes, names = side.coded
    return [None if code < 0 else names[code] for code in codes.tolist()]


def _joined(labels: tuple[Any, ...]) -> tuple[Any, ...] | None:
    return None if any(label is None for label in labels) else labels


def _by_item(sides: list[Labels]) -> dict[Any, Any]:
    tables = [dict(zip(side.items, _names(side), strict=True)) for side in sides]
    items = dict.fromkeys(item for table in tables for item in table)
    return {item: _joined(tuple(table.get(item) for table in tables)) for item in items}
