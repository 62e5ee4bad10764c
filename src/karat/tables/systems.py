"""Gold and several systems as tables: from labels in memory, or counted elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

from karat.errors import LabelError, NothingLeftError, Option, brief
from karat.kernels.tallying import FEW
from karat.labels.names import ByLabel
from karat.labels.rows import Aligned, Coded, rows_of
from karat.tables.counts import SingleTable
from karat.tables.table import Table


class Groups(ByLabel[Mapping[str, Table]]):
    """The tables of all systems by group of items, and the groups that have no items left."""

    def __init__(self, tables: Iterable[tuple[Any, Mapping[str, Table] | None]]) -> None:
        given = list(tables)
        super().__init__((group, systems) for group, systems in given if systems is not None)
        self.empty = tuple(group for group, systems in given if systems is None)
        if not len(self):
            raise NothingLeftError(
                f"no item is left in any of {len(given)} groups; keep some, with ",
                Option("missing", ("singletons",)),
                ".",
            )


class Systems(Protocol):
    """One or more systems, each counted against gold on the same items."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the systems."""

    @property
    def tables(self) -> Mapping[str, SingleTable]:
        """The table of each system, or its counts where the cells stay in an engine."""

    @property
    def groups(self) -> Groups | None:
        """The tables of each group, or None if items are not grouped."""

    @property
    def aligned(self) -> Aligned | None:
        """The labels of each item, or None if they are not in memory."""

    @property
    def dropped(self) -> int:
        """The number of items that are left out for all systems."""

    @property
    def dropped_by(self) -> Mapping[str, int]:
        """The number of items that are left out on account of gold and of each system."""

    def collected(self) -> Systems:
        """These systems with all their cells in memory."""


@dataclass(frozen=True, eq=False)
class AlignedSystems:
    """Systems whose labels are in memory."""

    labels: Aligned

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the systems."""
        return tuple(self.labels.systems)

    @property
    def aligned(self) -> Aligned:
        """The labels of each item."""
        return self.labels

    @cached_property
    def tables(self) -> Mapping[str, Table]:
        """The table of each system."""
        return {name: Table.of_aligned(self.labels, name) for name in self.names}

    @cached_property
    def groups(self) -> Groups | None:
        """The tables of each group."""
        groups = self.labels.groups
        if groups is None:
            return None
        names = list(groups.names or ())
        return Groups(
            (name, self._group(code, rows) if rows.size else None)
            for code, (name, rows) in enumerate(zip(names, rows_of(groups.codes, len(names)), strict=True))
        )

    def _group(self, code: int, rows: Any) -> Mapping[str, Table]:
        labels = self.labels
        totals = None if labels.totals is None else labels.totals[rows]
        if totals is not None and not totals.any():
            raise LabelError(zero_group((labels.groups.names or ())[code] if labels.groups is not None else code))
        gold = None if labels.gold is None else with_few_names(labels.gold.at(rows))
        return {
            name: Table.of_codes(gold, with_few_names(side.at(rows)), totals, labels.group_policies[name][code])
            for name, side in labels.systems.items()
        }

    def collected(self) -> AlignedSystems:
        """Return self: all cells are in memory already."""
        return self

    @property
    def dropped(self) -> int:
        """The number of items left out for all systems."""
        return self.labels.dropped

    @property
    def dropped_by(self) -> Mapping[str, int]:
        """The number of items left out on account of gold and of each system."""
        return self.labels.dropped_by


def zero_group(name: Any) -> str:
    """The message for a group without a positive weight."""
    return f"all weights in group {brief(name)} are 0; give at least one of its items a positive weight."


def with_few_names(side: Coded) -> Coded:
    """A side recoded to the labels that occur: a small group need not carry all names."""
    if side.names is None:
        return side
    import numpy as np

    if side.codes.size > FEW:
        present, codes = np.unique(side.codes, return_inverse=True)
        return Coded(codes, [side.names[code] for code in present.tolist()])
    given = side.codes.tolist()
    new = {code: index for index, code in enumerate(sorted(set(given)))}
    return Coded(np.array([new[code] for code in given], dtype=np.int64), [side.names[code] for code in new])


@dataclass(frozen=True, eq=False)
class CountedSystems:
    """Systems of which only the tables are known, not the labels of items."""

    tables: Mapping[str, SingleTable]
    groups: Groups | None = None
    dropped: int = 0
    dropped_by: Mapping[str, int] = field(default_factory=dict)
    aligned: None = None

    def collected(self) -> CountedSystems:
        """Return self: the cells are in memory already, or not available."""
        return self

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the systems."""
        if self.groups is not None:
            return tuple(next(iter(self.groups.values())))
        return tuple(self.tables)
