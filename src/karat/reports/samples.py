"""The ids of some items of each cell, to be looked up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karat.alignment import Policy, item_places, look_up, noise_code, same_items
from karat.errors import KaratError
from karat.labels import Labels
from karat.names import ByLabel, Singleton
from karat.rendering import shortened, shown
from karat.tables import Table

EACH = 5  # items of a cell
WIDE = 40  # columns of an id


@dataclass(frozen=True, eq=False)
class Items:
    """The names of the items that all systems are scored on, and the codes of their labels on each side."""

    names: Sequence[Any]
    gold: NDArray[Any]
    systems: Mapping[str, NDArray[Any]]
    labels: tuple[Sequence[Any], Mapping[str, Sequence[Any]]]  # that codes stand for, in gold and in each system
    rows: Sequence[Any] | None = None  # the names of all rows, where rows are what a policy tells apart

    @classmethod
    def of(cls, gold: Labels, systems: Mapping[str, Labels], items: Sequence[Any] | None, policy: Policy) -> Items:
        """Items that have names, matched as the tables are; those that a policy leaves out are not among them."""
        sides = [gold, *systems.values()]
        names, places = _matched(sides, items)
        codes = [
            side.coded[0] if at is None else _at(side.coded[0], at) for side, at in zip(sides, places, strict=True)
        ]
        kept = np.ones(len(names), dtype=bool)
        if policy.missing == "drop":
            kept &= np.all([c >= 0 for c in codes], axis=0)
        if policy.noise_as == "drop":
            noisy = [c == noise_code(list(s.coded[1]), policy) for s, c in zip(sides[1:], codes[1:], strict=True)]
            kept &= ~np.any(noisy, axis=0)
        chosen = np.flatnonzero(kept)
        by_system = dict(zip(systems, (c[chosen] for c in codes[1:]), strict=True))
        labels = gold.coded[1], {name: side.coded[1] for name, side in systems.items()}
        rows = None if items is None else names
        return cls([names[place] for place in chosen.tolist()], codes[0][chosen], by_system, labels, rows)

    def samples(self, system: str, table: Table) -> dict[int, tuple[str, ...]]:
        """The first few items of each cell of a system's table, by the place of the cell."""
        rows = _codes_in(table.classes, self.gold, self.labels[0])
        cols = _codes_in(table.clusters, self.systems[system], self.labels[1][system])
        keys = np.where((rows < 0) | (cols < 0), -1, rows * len(table.clusters) + cols)
        held = table.rows * np.int64(len(table.clusters)) + table.cols  # in increasing order
        order = np.argsort(keys, kind="stable")
        starts = np.searchsorted(keys[order], held).tolist()
        ends = np.searchsorted(keys[order], held, side="right").tolist()
        apart: dict[int, Any] = {
            col: name.item for col, name in enumerate(table.clusters) if isinstance(name, Singleton)
        }
        alone = {col: (_text(item if self.rows is None else self.rows[item]),) for col, item in apart.items()}
        found: dict[int, tuple[str, ...]] = {
            place: alone[col] for place, col in enumerate(table.cols.tolist()) if col in alone and self.names
        }
        for place, (start, end) in enumerate(zip(starts, ends, strict=True)):
            some = order[start : min(end, start + EACH)].tolist()
            if some:
                found[place] = tuple(_text(self.names[item]) for item in some)
        return found


def _matched(sides: Sequence[Labels], items: Sequence[Any] | None) -> tuple[list[Any], list[Any]]:
    """The names of the items, and where they are on each side; None if they are there in the same order."""
    same = [None] * len(sides)
    if items is not None:
        if any(side.keyed for side in sides):
            raise KaratError("the labels name their items already; leave out items.")
        if any(len(side) != len(items) for side in sides):
            raise KaratError(f"there are {len(items)} items but {len(sides[0])} labels; give a name for each.")
        return list(items), same
    held = [side.items for side in sides]
    if any(names is None for names in held):
        return [], [np.zeros(0, np.int64)] * len(sides)
    if all(same_items(held[0], names) for names in held):
        return list(held[0]), same
    names = list(held[0])
    return names, [look_up(names, item_places(list(side), "labels")) for side in held]


def _at(codes: NDArray[Any], places: NDArray[np.int64]) -> NDArray[Any]:
    """Codes at some places, -1 where there is no place."""
    return np.where(places < 0, -1, codes[np.maximum(places, 0)]) if places.size else places


def _codes_in(names: Sequence[Any], codes: NDArray[Any], labels: Sequence[Any]) -> NDArray[np.int64]:
    """Codes of a side as those of a table, -1 for labels that it has not."""
    where = ByLabel((name, code) for code, name in enumerate(names))
    to = np.array([*(where.get(name, -1) for name in labels), -1], np.int64)  # the last for no label
    return np.asarray(to[codes])


def _text(item: object) -> str:
    return shortened(shown(item), WIDE)
