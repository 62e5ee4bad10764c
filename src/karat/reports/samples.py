"""The ids of some items of each cell, to be looked up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karat.alignment import item_places, look_up
from karat.labels import Labels, read
from karat.names import ByLabel, Singleton
from karat.rendering import shortened, shown
from karat.tables import Table

EACH = 5  # items of a cell
WIDE = 40  # columns of an id


def samples(gold: object, pred: object, items: Sequence[Any] | None, table: Table) -> dict[int, tuple[str, ...]]:
    """The first few items of each cell of a table, by the place of the cell; none if items have no names."""
    sides = read(gold, "gold"), read(pred, "pred")
    if items is None and any(side.items is None for side in sides):
        return {}
    if items is not None:
        names, codes = list(items), [np.asarray(side.coded[0]) for side in sides]
    else:
        names, codes = _matched(sides)
    rows = _codes_in(table.classes, codes[0], sides[0])
    cols = _codes_in(table.clusters, codes[1], sides[1])
    keys = np.where((rows < 0) | (cols < 0), -1, rows * len(table.clusters) + cols)
    held = table.rows * np.int64(len(table.clusters)) + table.cols  # in increasing order
    order = np.argsort(keys, kind="stable")
    starts = np.searchsorted(keys[order], held)
    ends = np.searchsorted(keys[order], held, side="right")
    alone = {col: (_text(name.item),) for col, name in enumerate(table.clusters) if isinstance(name, Singleton)}
    found: dict[int, tuple[str, ...]] = {
        place: alone[col] for place, col in enumerate(table.cols.tolist()) if col in alone
    }
    for place, (start, end) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True)):
        some = order[start : min(end, start + EACH)].tolist()
        if some:
            found[place] = tuple(_text(names[item]) for item in some)
    return found


def _text(item: object) -> str:
    return shortened(shown(item), WIDE)


def _matched(sides: tuple[Labels, Labels]) -> tuple[list[Any], list[NDArray[Any]]]:
    """The items that both sides have, and the codes of their labels."""
    held: list[list[Any]] = [[] if side.items is None else list(side.items) for side in sides]
    names, at = held[0], [item_places(items, "labels") for items in held]
    places = [look_up(names, found) for found in at]
    both = np.flatnonzero((places[0] >= 0) & (places[1] >= 0))
    codes = [np.asarray(side.coded[0])[place[both]] for side, place in zip(sides, places, strict=True)]
    return [names[item] for item in both.tolist()], codes


def _codes_in(names: Sequence[Any], codes: NDArray[Any], side: Labels) -> NDArray[np.int64]:
    """Codes of a side as those of a table, -1 for labels that it has not."""
    where = ByLabel((name, code) for code, name in enumerate(names))
    to = np.array([*(where.get(name, -1) for name in side.coded[1]), -1], np.int64)  # the last for no label
    return np.asarray(to[codes])
