"""Columns of a frame as systems: combinations of labels are collected if they are few, else cells stay there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import narwhals as nw
import numpy as np

from karat.errors import LabelError, Option, TableError
from karat.labels.alignment import Aligned, Coded, Rows, apply_policy, label_code
from karat.labels.encoding import column_labels
from karat.labels.policy import KEEP_OR_DROP, Policy
from karat.sources.engines.cells import Cells, LazyCells
from karat.sources.engines.counts import EngineCounts
from karat.sources.engines.dialects import Lazy, engine_errors
from karat.sources.engines.queries import (
    COUNT,
    GOLD,
    GROUP,
    ITEM,
    PRED,
    WEIGHT,
    Frame,
    cells_of,
    joined,
    pred_names,
    selected,
)
from karat.sources.engines.relations import is_relation, relation_cells, relation_labels, relation_rows
from karat.tables.counts import SingleTable
from karat.tables.systems import AlignedSystems, Groups
from karat.tables.table import check_total

COLLECTED = 2_000_000  # combinations of labels that come to where karat runs


@dataclass(frozen=True)
class Columns:
    """The columns of a frame, or of two that are matched on id, that gold and the systems are in."""

    frame: Any
    other: Any
    gold: str
    preds: Mapping[str, str]  # the column of each system, by name
    id: str | None = None
    by: str | None = None
    weights: str | None = None
    count: str | None = None

    def __post_init__(self) -> None:
        if self.count is not None and self.weights is not None:
            raise TableError(Option("count", (self.count,)), " says that rows are counted already; leave out weights.")
        if self.other is not None and self.id is None:
            raise LabelError("two frames are matched on ", Option("id"), "; give the column that names the items.")
        if self.other is not None and (self.count or self.weights) is not None:
            raise TableError("two frames are of items, one a row; leave out count and weights.")

    @property
    def engine(self) -> str:
        """The name of the frame's engine."""
        return "duckdb" if is_relation(self.frame) else Frame.of(self.frame).engine

    def rows(self, systems: Sequence[str]) -> Any:
        """The labels of gold and some systems, row by row, with groups and weights: a relation or a lazy frame."""
        preds = dict(zip(pred_names(len(systems)), ((self.preds[name], "pred") for name in systems), strict=True))
        beside = {GROUP: (self.by, "by"), WEIGHT: (self.weights, "weights"), COUNT: (self.count, "count")}
        extra = {ours: (name, role) for ours, (name, role) in beside.items() if name is not None}
        if self.other is None:
            return _selected(self.frame, {GOLD: (self.gold, "gold"), **preds, **extra})
        item = (str(self.id), "id")
        sides = [
            _lazy(frame, {ITEM: item, **columns})
            for frame, columns in ((self.frame, {GOLD: (self.gold, "gold"), **extra}), (self.other, preds))
        ]
        return joined(sides[0], sides[1], str(self.id))

    def cells(self, systems: Sequence[str]) -> Cells:
        """How many items there are of each combination of labels."""
        rows = self.rows(systems)
        return relation_cells(rows) if is_relation(rows) else LazyCells(cells_of(rows))


def _selected(frame: Any, columns: Mapping[str, tuple[str, str]]) -> Any:
    return relation_rows(frame, columns) if is_relation(frame) else selected(Frame.of(frame), columns)


def _lazy(frame: Any, columns: Mapping[str, tuple[str, str]]) -> Lazy:
    return relation_labels(frame, columns) if is_relation(frame) else selected(Frame.of(frame), columns)


class FrameSystems:
    """Systems in columns of a frame, counted by its engine when their tables are asked for.

    everything: all combinations of labels are collected; else, beyond COLLECTED of them, cells stay in the engine.
    """

    def __init__(self, columns: Columns, policy: Policy, *, everything: bool = False) -> None:
        self.columns, self.policy, self.everything = columns, policy, everything
        self.names = tuple(columns.preds)
        if columns.other is not None:
            self.policy = replace(policy, matched="items")
        with engine_errors(columns.frame):
            if not is_relation(columns.frame):
                Frame.of(columns.frame)  # a frame of an unknown kind, or without such a column, is told at once

    def collected(self) -> FrameSystems:
        """The same systems with all cells collected, however many there are."""
        return FrameSystems(self.columns, self.policy, everything=True)

    def __reduce__(self) -> tuple[Any, ...]:
        """What was counted: the frame may be a database's, which stays in this process."""
        counted: Any = self.collected()._counted
        return AlignedSystems, (counted.labels,)

    @cached_property
    def _counted(self) -> AlignedSystems | Mapping[str, SingleTable]:
        """The systems with their labels, or the counts of each where combinations are too many to collect."""
        with engine_errors(self.columns.frame):
            cells = self.columns.cells(self.names)
            kept = False
            try:
                if self.everything or cells.number() <= COLLECTED:
                    return AlignedSystems(self._aligned(cells.columns()))
                if len(self.names) == 1 and self.columns.by is None:
                    counts = self._left_there(cells)
                    kept = True  # for what is asked later
                    return {self.names[0]: counts}
            finally:
                if not kept:
                    cells.close()
            return {name: self._alone(name) for name in self.names}

    def _alone(self, name: str) -> SingleTable:
        """One of several systems, whose combinations with the others are too many."""
        policy = self.policy
        if self.columns.by is not None:
            raise TableError("groups need combinations of labels, which are too many to collect; score fewer systems.")
        if policy.missing == "drop" or policy.noise_as == "drop" or policy.ignore is not None:
            raise TableError(
                f"the {len(self.names)} systems have too many combinations of labels to find the items that all have; "
                "score one system at a time."
            )
        alone = replace(self.columns, preds={name: self.columns.preds[name]})
        return FrameSystems(alone, self.policy).tables[name]

    def _aligned(self, found: Mapping[str, Any]) -> Aligned:
        """The combinations that were collected, with the policy applied."""
        counts = np.asarray(found[COUNT])
        if not counts.size:
            raise LabelError("the frame has no rows; give at least one.")
        names = pred_names(len(self.names))
        columns = {"": found[GOLD], **{name: found[ours] for name, ours in zip(self.names, names, strict=True)}}
        called = {"": "gold", **{name: "pred" if len(self.names) == 1 else repr(name) for name in self.names}}
        sides = {name: Coded(*column_labels(values, called[name]).coded) for name, values in columns.items()}
        groups = self._groups(found[GROUP]) if GROUP in found else None
        weights = np.asarray(found[WEIGHT]) if WEIGHT in found else None
        if counts.dtype.kind == "f" and (counts % 1).any():
            raise TableError(
                Option("count", (self.columns.count,)), " has fractions; give whole numbers of items, or use weights."
            )
        check_total(float(counts.sum(dtype=np.float64)))
        policy = replace(self.policy, weighted=WEIGHT in found)
        self._check_singletons(sides, counts, weights, policy)
        return apply_policy(Rows(sides, None, counts.astype(np.int64), weights, groups), policy, called)

    def _groups(self, values: Any) -> Coded:
        codes, names = column_labels(values, "by").coded
        if self.columns.other is None and (codes < 0).any():
            raise LabelError(f"by has no value for {int((codes < 0).sum()):,} items; give every item a group.")
        return Coded(codes, names)

    def _check_singletons(self, sides: Mapping[str, Coded], counts: Any, weights: Any, policy: Policy) -> None:
        """Refuse to make single items of rows whose weights have been added up."""
        if weights is None:
            return
        single = np.zeros(counts.size, bool)
        for name, side in sides.items():
            single |= (side.codes < 0) & (policy.missing == "singletons")
            if name and policy.noise_as == "singletons":
                single |= side.codes == label_code(side.names or (), policy.noise, "noise", "pred")
        if (single & (counts > 1)).any():
            raise TableError(
                "items that stand alone need their own weights, which the engine has added up; collect the frame, "
                "or drop those items."
            )

    def _left_there(self, cells: Cells) -> EngineCounts:
        """The counts of cells that stay in the engine; labels that are missing are dropped or refused there."""
        policy = replace(self.policy, weighted=self.columns.weights is not None)
        cells = cells.weighed() if self.columns.weights is not None else cells
        if cells.fractional:
            raise TableError(
                "cells with fractional weights are too many to collect; leave out weights, or score fewer."
            )
        if policy.ignore is not None:
            raise TableError("ignore needs the cells, which are too many to collect; leave out those rows instead.")
        missing = cells.unlabelled()
        if missing and policy.missing == "raise":
            raise LabelError(f"{missing:,} items have no label; say ", KEEP_OR_DROP, ".")
        if (missing and policy.missing != "drop") or policy.noise_as == "singletons":
            what = Option("missing", (policy.missing,)) if missing else Option("noise_as", ("singletons",))
            raise TableError(what, " needs the cells, which are too many to collect; drop those items instead.")
        if missing:
            cells = cells.labelled()
        there = policy.noise_as is not None and cells.numeric == isinstance(policy.noise, (int, float))  # else no label
        found = _otherwise(policy.noise)
        if policy.noise_as is not None and not there and found is not None and cells.items_in(found):
            raise LabelError(
                Option("noise", (policy.noise,)),
                f" is not among pred's labels, but {found!r} is; give ",
                Option("noise", (found,)),
                ".",
            )
        noise = cells.items_in(policy.noise) if there else 0
        if there and policy.noise_as == "drop":
            cells = cells.without(policy.noise)
        policy = replace(policy, missing_items=missing, noise_items=noise)
        return EngineCounts(cells, policy, self.columns.engine)

    @property
    def aligned(self) -> Aligned | None:
        """The labels of each combination, where they were collected."""
        return self._counted.aligned if isinstance(self._counted, AlignedSystems) else None

    @property
    def tables(self) -> Mapping[str, SingleTable]:
        """The table of each system, or its counts where the cells stay in the engine."""
        return self._counted.tables if isinstance(self._counted, AlignedSystems) else self._counted

    @property
    def groups(self) -> Groups | None:
        """The tables of each group."""
        return self._counted.groups if isinstance(self._counted, AlignedSystems) else None

    @property
    def dropped(self) -> int:
        """The number of items left out for all systems."""
        if isinstance(self._counted, AlignedSystems):
            return self._counted.dropped
        counts: Any = next(iter(self._counted.values()))
        return int(counts.policy.dropped)

    @property
    def dropped_by(self) -> Mapping[str, int]:
        """The number of items left out on account of gold and of each system, where that is known."""
        return self._counted.dropped_by if isinstance(self._counted, AlignedSystems) else {}


def _otherwise(noise: Any) -> Any:
    """A noise label as text if it is a number, as a number if it is text that says one."""
    if not isinstance(noise, str):
        return str(noise)
    try:
        return int(noise)
    except ValueError:
        return None


def native(frame: Any) -> Any:
    """A frame of narwhals as the frame that it wraps."""
    return nw.to_native(frame, pass_through=True)


__all__ = ["COLLECTED", "PRED", "Columns", "FrameSystems", "native"]
