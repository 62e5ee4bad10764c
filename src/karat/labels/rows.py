"""Gold and systems as rows of codes, before a policy is applied (Rows) and after (Aligned).

A side is gold, or one of the systems.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from karat.labels.identity import Singleton
from karat.labels.policy import Policy

Ints = NDArray[np.int64]
AnyInts = NDArray[Any]  # of any integer type
Mask = NDArray[np.bool_]

PRED = "pred"  # the default name of a system


class Coded(NamedTuple):
    """The labels of one side: the code of each item, and the label of each code."""

    codes: AnyInts
    names: Sequence[Any] | None  # None if the codes are the labels

    def at(self, rows: Any) -> Coded:
        """The labels of some of the items."""
        return Coded(self.codes[rows], self.names)


class Rows(NamedTuple):
    """All sides before a policy is applied, with code -1 where a label is missing; gold is the side ''."""

    sides: dict[str, Coded]
    items: Any = None
    counts: Ints | None = None
    weights: NDArray[Any] | None = None
    groups: Coded | None = None
    even: bool = False  # items of one row that may become singletons have the same weight

    def at(self, indices: Ints) -> Rows:
        """The rows at these indices, which may repeat."""
        return Rows(
            {name: side.at(indices) for name, side in self.sides.items()},
            some_ids(self.items, indices),
            None if self.counts is None else self.counts[indices],
            None if self.weights is None else self.weights[indices],
            None if self.groups is None else self.groups.at(indices),
            self.even,
        )


@dataclass(frozen=True, eq=False)
class Aligned:
    """Gold and systems on the same items, each item with a label on every side.

    A row is an item, or counts[row] items that have the same labels on all sides.
    """

    gold: Coded | None
    systems: Mapping[str, Coded]
    policies: Mapping[str, Policy]  # of each system
    items: Any = None  # the ids of the rows, None if only their positions are known
    positions: Ints | None = None  # positions of the rows in the input; None: all, in order
    counts: Ints | None = None  # number of items that each row stands for; None: one each
    weights: NDArray[Any] | None = None
    groups: Coded | None = None
    union: int = 0  # number of items in gold or in any system
    labelled: int = 0  # number of items that have a gold label
    dropped: int = 0  # number of items that are not scored
    dropped_by: Mapping[str, int] = field(default_factory=dict)  # number of items dropped because of each side
    group_policies: Mapping[str, Sequence[Policy]] = field(default_factory=dict)  # for each system, by code of group

    @property
    def totals(self) -> NDArray[Any] | None:
        """The weight of each row, or the number of items it stands for; None if every row counts 1."""
        return self.counts if self.weights is None else self.weights


def rows_of(codes: NDArray[Any], number: int) -> list[Ints]:
    """For each code below number, the indices of the rows that have it."""
    order = np.argsort(codes, kind="stable")
    return np.split(order, np.searchsorted(codes[order], np.arange(number + 1)))[1:-1] if number else []


def in_order_of_cells(side: Coded, other: Coded) -> Coded:
    """A side with its singletons renumbered by the codes of the other side, singletons of both last.

    The cells of a table, and resamples of them, then do not depend on the order of items, on the engine that listed
    them, or on the other systems.
    """
    first, others = _singletons(side), _singletons(other)
    if first is None or side.names is None:
        return side
    rows = np.flatnonzero(side.codes >= first)
    there = other.codes[rows]
    keys = there if others is None else np.where(there >= others, np.iinfo(np.int64).max, there)
    order = rows[np.argsort(keys, kind="stable")]
    names = list(side.names)
    names[first:] = [side.names[code] for code in side.codes[order].tolist()]
    codes = side.codes.copy()
    codes[order] = first + np.arange(order.size)
    return Coded(codes, names)


def _singletons(side: Coded) -> int | None:
    """The first code of the singletons, which come last; None if there are none."""
    names = side.names or ()
    number = 0
    while number < len(names) and type(names[-1 - number]) is Singleton:
        number += 1
    return len(names) - number if number else None


def id_of(items: Any, row: int) -> Any:
    """The id of a row; its index if rows have no ids."""
    return row if items is None else items[row]


def some_ids(items: Any, rows: Ints | None) -> Any:
    """The ids of some rows, or of all if rows is None."""
    if items is None or rows is None:
        return items
    return items[rows] if hasattr(items, "take") else [items[row] for row in rows.tolist()]
