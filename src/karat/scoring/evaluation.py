"""Evaluation: gold and one or more systems, matched once, on the same items and under one policy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from karat.errors import KaratError, LabelError, Option, Sentence, TableError, brief, listed
from karat.labels.alignment import align
from karat.labels.policy import Missing, NoiseAs, Policy
from karat.labels.rows import PRED, Aligned
from karat.output.layout import shown
from karat.output.numbers import several
from karat.scoring.joint import Joint, cells_of_rows
from karat.tables.counts import SingleTable
from karat.tables.systems import AlignedSystems, CountedSystems, Groups, Systems
from karat.tables.table import Table


class Evaluation:
    """Gold and one or more named systems on the same items, under one policy; score() and all other verbs accept it.

    gold: labels of any kind, such as a list or a dict {item: label}. systems: labels of one system, a dict of systems
    by name, or a frame with a column for each system. id: the names of the items, where labels do not name them. by:
    the group of each item. weights: one number for each item. missing: what becomes of an item that gold or a system
    lacks: "raise", "drop" (for all systems), "singletons" or "cluster". noise, noise_as: a predicted label that marks
    noise, and what it means: "cluster", "singletons" or "drop" (for all systems). ignore: a gold label whose items are
    left out.

    >>> ev = Evaluation({"d0": "x", "d1": "x", "d2": "o"}, {"a": {"d0": 1, "d1": 1, "d2": 2}, "b": {"d2": 5, "d1": 4,
    ...     "d0": 4, "d9": 4}}, missing="drop")
    >>> ev.systems, ev.n, ev.dropped, list(ev.items)
    (('a', 'b'), 3, 1, ['d0', 'd1', 'd2'])
    """

    def __init__(
        self,
        gold: object,
        systems: object,
        *,
        by: object = None,
        weights: object = None,
        id: Iterable[Any] | None = None,
        missing: Missing = "raise",
        noise: object = None,
        noise_as: NoiseAs | None = None,
        ignore: object = None,
    ) -> None:
        from karat.scoring.arguments import ids_of, named_systems

        policy = Policy.of(missing, noise, noise_as, ignore)
        given = named_systems(systems, gold)
        aligned = align(gold, given.systems, policy, weights=weights, groups=by, items=ids_of(id))
        self._set(AlignedSystems(aligned), named=given.named, by=_group_name(by))

    def _set(self, source: Systems, *, named: bool, by: str | None = None, notes: Sequence[Sentence] = ()) -> None:
        self._source, self.named, self.by, self.notes = source, named, by, tuple(notes)
        if not source.names:
            raise KaratError("there are no systems; give at least one.")

    @classmethod
    def of(cls, source: Systems, *, named: bool, by: str | None = None, notes: Sequence[Sentence] = ()) -> Evaluation:
        """The evaluation of systems that were matched or counted already.

        source: their tables and labels. named: whether systems were given by name. by: the name of the groups. notes:
        how the data was read.
        """
        evaluation = cls.__new__(cls)
        evaluation._set(source, named=named, by=by, notes=notes)
        return evaluation

    @classmethod
    def from_frame(
        cls,
        frame: object,
        other: object = None,
        *,
        gold: str | Sequence[str],
        pred: str | Sequence[str],
        id: str | None = None,
        by: str | None = None,
        weights: str | None = None,
        count: str | None = None,
        missing: Missing = "raise",
        noise: object = None,
        noise_as: NoiseAs | None = None,
        ignore: object = None,
    ) -> Evaluation:
        """An evaluation of named columns of a frame of any engine; several columns of pred are systems.

        gold, pred, id, by, weights: names of columns, as explained at Evaluation; of several gold columns, classes are
        the combinations. other: a second frame that has the columns of pred, matched with the first on id. count: the
        column with the number of items of each row, if rows are cells of a table. missing, noise, noise_as, ignore: as
        at Evaluation.
        """
        from karat.scoring.frames import from_columns

        policy = Policy.of(missing, noise, noise_as, ignore)
        return from_columns(
            frame, other, gold=gold, pred=pred, id=id, by=by, weights=weights, count=count, policy=policy
        )

    @classmethod
    def from_tables(cls, tables: Table | Mapping[str, Table]) -> Evaluation:
        """An evaluation of contingency tables, one for each system, whose items are not known."""
        one = isinstance(tables, SingleTable)
        if not one and not (isinstance(tables, Mapping) and all(isinstance(t, SingleTable) for t in tables.values())):
            raise TableError(f"{brief(tables)} is not a table; give a Table, or a dict of tables by name.")
        return cls.of(CountedSystems({PRED: tables} if one else dict(tables)), named=not one)  # type: ignore[dict-item, arg-type]

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems."""
        return self._source.names

    @cached_property
    def tables(self) -> Mapping[str, Table]:
        """The contingency table of each system; the cells may stay in an engine."""
        return self._source.tables  # type: ignore[return-value]

    @cached_property
    def groups(self) -> Groups | None:
        """The tables of each system in each group of items; None if items are not in groups."""
        return self._source.groups

    @property
    def aligned(self) -> Aligned:
        """The gold and predicted labels of the items that are scored."""
        aligned = self._source.aligned
        if aligned is None:
            raise TableError("only tables are known here, not their items; give the labels instead.")
        return aligned

    @property
    def has_items(self) -> bool:
        """Whether the labels of items are known, not only tables."""
        return self._source.aligned is not None

    @property
    def items(self) -> Any:
        """The ids of the items that are scored, or their positions where they have no ids."""
        aligned = self.aligned
        if aligned.items is not None:
            return aligned.items
        size = next(iter(aligned.systems.values())).codes.size
        return range(size) if aligned.positions is None else aligned.positions.tolist()

    @property
    def n(self) -> Any:
        """The number of items that are scored, or their total weight."""
        if self.groups is not None:
            first = self.systems[0]
            return sum(tables[first].n for tables in self.groups.values())
        n = next(iter(self.tables.values())).n
        return n if isinstance(n, int) else float(n)

    @property
    def dropped(self) -> int:
        """The number of items that gold or a system has and that are not scored."""
        return self._source.dropped

    @property
    def dropped_by(self) -> Mapping[str, int]:
        """The number of items that are left out on account of gold and of each system."""
        return self._source.dropped_by

    @property
    def policy(self) -> Policy:
        """How items without a label, noise and ignored items were treated."""
        tables: Any = self.tables if self.groups is None else next(iter(self.groups.values()))
        return next(iter(tables.values())).policy  # type: ignore[no-any-return]

    @cached_property
    def joint(self) -> Joint:
        """The number of items of each combination of gold and predicted labels."""
        return Joint.of(self.aligned, self.tables)

    def item_cells(self, system: str) -> Any:
        """The index of each item's cell in a system's table."""
        return cells_of_rows(self.aligned, system, self.tables[system])

    @property
    def cautions(self) -> list[str]:
        """Cautions about the items: that systems lack different items, if they do."""
        lost = {name: number for name, number in self.dropped_by.items() if name != "gold"}
        if len(lost) < 2 or len(set(lost.values())) == 1:
            return []
        counts = ", ".join(f"{shown(name)} {number:,}" for name, number in lost.items())
        return [f"Systems lack different items, which are left out for all: {counts}."]

    def collected(self) -> Evaluation:
        """The evaluation with all cells in memory, however many an engine holds."""
        source = self._source.collected()
        return self if source is self._source else Evaluation.of(source, named=self.named, by=self.by, notes=self.notes)

    def only(self) -> Table:
        """The table of the only system, whose items are in no groups."""
        if len(self.systems) > 1 or self.groups is not None:
            what = f"{len(self.systems)} systems, {listed(self.systems)}" if len(self.systems) > 1 else "groups"
            raise LabelError(f"there are {what}; give one system, without ", Option("by", bare=True), ".")
        return next(iter(self.tables.values()))

    def __repr__(self) -> str:
        names = ", ".join(map(shown, self.systems))
        return f"<Evaluation: {several(len(self.systems), 'system')} ({names}) on {several(self.n, 'item')}>"


def _group_name(by: object) -> str | None:
    """The name of the groups: the name of a Series, if it has one; else "group"."""
    if by is None:
        return None
    name = getattr(by, "name", None)
    return name if isinstance(name, str) and name else "group"
