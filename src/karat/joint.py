"""Gold and several systems on the same items: how many items there are of each combination of labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karat.alignment import Missing, NoiseAs, Policy, item_places, look_up, noise_code, same_items, settle, take
from karat.errors import LabelError, listed
from karat.kernels.counting import encode_integers
from karat.labels import Labels, read
from karat.names import plain
from karat.tables import Table

Ints = NDArray[np.int64]

GOLD = "\0gold"  # the name of gold among systems, of which one may be called so


@dataclass(frozen=True, eq=False)
class Joint:
    """Distinct combinations of a class and a cluster of each system, and how many items have each."""

    rows: Ints  # the class of each combination
    codes: Mapping[str, Ints]  # its cluster in each system
    counts: Ints
    classes: tuple[Any, ...]
    clusters: Mapping[str, tuple[Any, ...]]
    policy: Policy
    items: int  # that gold or a system has
    labelled: int  # of which gold has a label

    @property
    def n(self) -> int:
        """The number of items that are scored."""
        return int(self.counts.sum())

    @cached_property
    def class_sizes(self) -> Ints:
        """Items in each class."""
        return np.bincount(self.rows, self.counts, minlength=len(self.classes)).astype(np.int64)

    @cached_property
    def tables(self) -> Mapping[str, Table]:
        """The table of each system."""
        return {name: self._table(name) for name in self.codes}

    def _table(self, name: str) -> Table:
        return Table._count(self.rows, self.codes[name], self.counts, self.classes, self.clusters[name], self.policy)

    def cells(self, name: str) -> Ints:
        """The cell of a system's table that each combination is in."""
        table, codes = self.tables[name], self.codes[name]
        keys = table.rows * np.int64(len(table.clusters)) + table.cols  # in increasing order
        classes, clusters = _codes_in(self.classes, self.rows), _codes_in(self.clusters[name], codes)
        return np.searchsorted(keys, classes * np.int64(len(table.clusters)) + clusters)


def _codes_in(names: tuple[Any, ...], codes: Ints) -> Ints:
    """The codes of a table that keeps only what occurs."""
    used = np.bincount(codes, minlength=len(names)) > 0
    return np.asarray((np.cumsum(used) - 1)[codes], np.int64)


def join(
    gold: object,
    systems: Mapping[str, object],
    *,
    missing: Missing = "raise",
    noise: object = None,
    noise_as: NoiseAs | None = None,
) -> Joint:
    """Bring gold, if there is one, and several systems together on the same items.

    With missing="drop" only items that gold and all systems have labels for are kept.
    """
    policy = Policy(missing, plain(noise), noise_as)
    for name in systems:
        if not isinstance(name, str) or (name == "gold" and gold is not None):
            raise LabelError(f"a system is called {name!r}; give it another name, as text.")
    sides = {} if gold is None else {GOLD: read(gold, "gold")}
    sides |= {name: read(pred, name) for name, pred in systems.items()}
    items, places = _match(sides, missing)
    coded = {name: (take(side.coded[0], places[name]), list(side.coded[1])) for name, side in sides.items()}
    if gold is None:  # all items are of one class
        coded = {GOLD: (np.zeros(len(next(iter(coded.values()))[0]), np.int64), [None]), **coded}
    noisy = {name: codes == noise_code(names, policy) for name, (codes, names) in coded.items() if name != GOLD}
    absent = np.any([codes < 0 for codes, _ in coded.values()], axis=0)
    labelled = int((coded[GOLD][0] >= 0).sum())
    if missing == "raise" and absent.any():
        raise LabelError(_without_labels(coded))
    kept = _settled(coded, noisy, absent, policy, items)
    marked = np.any(list(noisy.values()), axis=0)
    if missing == "drop":  # an item without a label is dropped once, as missing
        marked = marked & ~absent
    noise_items = int(marked.sum()) if noise_as else 0
    policy = replace(
        policy,
        matched="positions" if items is None else "items",
        missing_items=int(absent.sum()),
        noise_items=noise_items,
    )
    return _joined(
        {name: (codes[kept], names) for name, (codes, names) in coded.items()}, policy, absent.size, labelled
    )


def _match(sides: Mapping[str, Labels], missing: Missing) -> tuple[Any, dict[str, Ints | None]]:
    """The items of all sides, and the place of each in every side; None if they are as given."""
    start, first = next(iter(sides.items()))
    if any(side.items is None for side in sides.values()):
        for name, side in sides.items():
            if side.keyed:
                other = next(n for n, s in sides.items() if s.items is None)
                raise LabelError(
                    f"{_called(name)} names its items but {_called(other)} does not; give all as dicts, or none."
                )
            if len(side) != len(first):
                raise LabelError(
                    f"{_called(start)} has {len(first)} labels but {_called(name)} has {len(side)}; give all as dicts."
                )
        return None, dict.fromkeys(sides)
    if all(same_items(first.items, side.items) for side in sides.values()):
        return first.items, dict.fromkeys(sides)
    at = {name: item_places(list(side.items), name.lstrip("\0")) for name, side in sides.items()}
    items = list(dict.fromkeys(item for side in sides.values() for item in side.items))
    for name, found in at.items():
        if missing == "raise" and len(found) < len(items):
            lacking = [item for item in items if item not in found]
            raise LabelError(
                f"{_called(name)} lacks {listed(lacking, 3)}; say missing='drop', 'singletons' or 'cluster'."
            )
    return items, {name: look_up(items, found) for name, found in at.items()}


def _called(name: str) -> str:
    """A side as messages name it."""
    return "gold" if name == GOLD else repr(name)


def _without_labels(coded: Mapping[str, tuple[Ints, list[Any]]]) -> str:
    counted = {name: int((codes < 0).sum()) for name, (codes, _) in coded.items()}
    told = ", ".join(f"{number:,} in {_called(name)}" for name, number in counted.items() if number)
    return f"there are items without a label: {told}; say missing='drop', 'singletons' or 'cluster'."


def _settled(
    coded: dict[str, tuple[Ints, list[Any]]], noisy: Mapping[str, Any], absent: Any, policy: Policy, items: Any
) -> NDArray[np.bool_]:
    """Which items are kept; those without a label, and noise, are given one if they are."""
    kept = ~absent if policy.missing == "drop" else np.ones(absent.size, dtype=bool)
    if policy.noise_as == "drop":
        kept &= ~np.any(list(noisy.values()), axis=0)
    if not kept.any():
        raise LabelError(f"no item is left to score: all {kept.size} were dropped as missing or noise; keep some.")
    for name, (codes, names) in coded.items():
        settle(codes, np.flatnonzero((codes < 0) & kept), names, items, alone=policy.missing == "singletons")
        if policy.noise_as == "singletons" and name != GOLD:
            settle(codes, np.flatnonzero(noisy[name] & kept), names, items, alone=True)
    return kept


def _joined(coded: Mapping[str, tuple[Ints, list[Any]]], policy: Policy, items: int, labelled: int) -> Joint:
    """One code for each combination, made side by side."""
    (combined, _), *others = coded.values()
    for codes, names in others:
        combined = encode_integers(combined * np.int64(len(names)) + codes)[0]
    counts = np.bincount(combined)
    first = np.empty(counts.size, np.int64)
    first[combined[::-1]] = np.arange(combined.size)[::-1]
    by_system = {name: codes[first] for name, (codes, _) in coded.items()}
    clusters = {name: tuple(names) for name, (_, names) in coded.items()}
    rows, classes = by_system.pop(GOLD), clusters.pop(GOLD)
    return Joint(rows, by_system, counts, classes, clusters, policy, items, labelled)
