"""Columns of a frame as systems: label combinations are collected if few, else cells stay in the engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import narwhals as nw
import numpy as np

from karat.errors import LabelError, Option, TableError
from karat.labels.encoding import column_labels
from karat.labels.policy import KEEP_OR_DROP, Policy
from karat.labels.rows import Aligned, Coded, Rows
from karat.labels.treatment import apply_policy, label_code
from karat.sources.engines.cells import Cells, LazyCells
from karat.sources.engines.counts import EngineCounts
from karat.sources.engines.dialects import Lazy, engine_errors
from karat.sources.engines.duckdb import is_relation, relation_cells, relation_labels, relation_rows
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
from karat.tables.counts import SingleTable
from karat.tables.systems import AlignedSystems, Groups
from karat.tables.table import check_total

COLLECTED = 2_000_000  # label combinations that are collected from the engine, at most


@dataclass(frozen=True)
class Columns:
    """The columns of gold and the systems, in one frame or in two frames matched on id."""

    frame: Any
    other: Any
    gold: str
    preds: Mapping[str, str]  # the column of each system, by name
    id: str | None = None
    by: str | None = None
    weights: str | None = None
    count: str | None = None
    gaps: bool = True  # whether items that gold lacks are dropped or refused, so that they need no weight

    def __post_init__(self) -> None:
        if self.count is not None and self.weights is not None:
            raise TableError(Option("count", (self.count,)), " says that rows are counted already; leave out weights.")
        if self.other is not None and self.id is None:
            raise LabelError("two frames are matched on ", Option("id"), "; give the column that names the items.")

    @property
    def engine(self) -> str:
        """The name of the frame's engine."""
        return "duckdb" if is_relation(self.frame) else Frame.of(self.frame).engine

    def rows(self, systems: Sequence[str]) -> Any:
        """Labels of gold and some systems, with groups and weights, one row per item: a relation or a lazy frame."""
        preds = dict(zip(pred_names(len(systems)), ((self.preds[name], "pred") for name in systems), strict=True))
        optional = {GROUP: (self.by, "by"), WEIGHT: (self.weights, "weights"), COUNT: (self.count, "count")}
        extra = {ours: (name, role) for ours, (name, role) in optional.items() if name is not None}
        if self.other is None:
            return _selected(self.frame, {GOLD: (self.gold, "gold"), **preds, **extra})
        item = (str(self.id), "id")
        sides = [
            _lazy(frame, {ITEM: item, **columns})
            for frame, columns in ((self.frame, {GOLD: (self.gold, "gold"), **extra}), (self.other, preds))
        ]
        return joined(sides[0], sides[1], str(self.id), gaps=self.gaps)

    def cells(self, systems: Sequence[str]) -> Cells:
        """The number of items with each combination of labels."""
        rows = self.rows(systems)
        return relation_cells(rows) if is_relation(rows) else LazyCells(cells_of(rows))


def _selected(frame: Any, columns: Mapping[str, tuple[str, str]]) -> Any:
    return relation_rows(frame, columns) if is_relation(frame) else selected(Frame.of(frame), columns)


def _lazy(frame: Any, columns: Mapping[str, tuple[str, str]]) -> Lazy:
    return relation_labels(frame, columns) if is_relation(frame) else selected(Frame.of(frame), columns)


class FrameSystems:
    """Systems in columns of a frame, counted by its engine when their tables are first used.

    everything: collect all combinations of labels, even if there are more than COLLECTED; otherwise cells then stay
    in the engine.
    """

    def __init__(self, columns: Columns, policy: Policy, *, everything: bool = False) -> None:
        self.columns, self.policy, self.everything = columns, policy, everything
        self.names = tuple(columns.preds)
        if columns.other is not None:
            self.policy = replace(policy, matched="items")
        with engine_errors(columns.frame):
            if not is_relation(columns.frame):
                Frame.of(columns.frame)  # fail now if the frame is of an unknown kind

    def collected(self) -> FrameSystems:
        """These systems with all cells collected, however many there are."""
        return FrameSystems(self.columns, self.policy, everything=True)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the collected labels, since a frame of a database cannot leave this process."""
        counted: Any = self.collected()._counted
        return AlignedSystems, (counted.labels,)

    @cached_property
    def _counted(self) -> AlignedSystems | Mapping[str, SingleTable]:
        """The systems with collected labels, or a table per system where combinations are too many to collect."""
        with engine_errors(self.columns.frame):
            cells = self.columns.cells(self.names)
            used_later = False
            try:
                if self.everything or cells.number() <= COLLECTED:
                    return AlignedSystems(self._aligned(cells.columns()))
                if len(self.names) == 1 and self.columns.by is None:
                    counts = self._engine_counts(cells)
                    used_later = True  # later statistics query the cells
                    return {self.names[0]: counts}
            finally:
                if not used_later:
                    cells.close()
            return {name: self._one_system(name) for name in self.names}

    def _one_system(self, name: str) -> SingleTable:
        """The table of one of several systems whose label combinations are too many to collect."""
        policy = self.policy
        if self.columns.by is not None:
            raise TableError("groups need combinations of labels, which are too many to collect; score fewer systems.")
        if policy.missing == "drop" or policy.noise_as == "drop" or policy.ignore is not None:
            raise TableError(
                f"the {len(self.names)} systems have too many combinations of labels to find the items that all have; "
                "score one system at a time."
            )
        single = replace(self.columns, preds={name: self.columns.preds[name]})
        return FrameSystems(single, self.policy).tables[name]

    def _aligned(self, collected: Mapping[str, Any]) -> Aligned:
        """The collected label combinations, with the policy applied."""
        counts = np.asarray(collected[COUNT])
        if not counts.size:
            raise LabelError("the frame has no rows; give at least one.")
        names = pred_names(len(self.names))
        columns = {"": collected[GOLD], **{name: collected[ours] for name, ours in zip(self.names, names, strict=True)}}
        called = {"": "gold", **{name: "pred" if len(self.names) == 1 else repr(name) for name in self.names}}
        sides = {name: Coded(*column_labels(values, called[name]).coded) for name, values in columns.items()}
        groups = self._groups(collected[GROUP]) if GROUP in collected else None
        weights = np.asarray(collected[WEIGHT]) if WEIGHT in collected else None
        if counts.dtype.kind == "f" and (counts % 1).any():
            raise TableError(
                Option("count", (self.columns.count,)), " has fractions; give whole numbers of items, or use weights."
            )
        check_total(float(counts.sum(dtype=np.float64)))
        policy = replace(self.policy, weighted=WEIGHT in collected)
        self._check_singletons(sides, counts, weights, policy)
        return apply_policy(Rows(sides, None, counts.astype(np.int64), weights, groups), policy, called)

    def _groups(self, values: Any) -> Coded:
        codes, names = column_labels(values, "by").coded
        if self.columns.other is None and (codes < 0).any():
            raise LabelError(f"by has no value for {int((codes < 0).sum()):,} items; give every item a group.")
        return Coded(codes, names)

    def _check_singletons(self, sides: Mapping[str, Coded], counts: Any, weights: Any, policy: Policy) -> None:
        """Refuse singletons from rows of several items, whose individual weights are no longer known."""
        if weights is None:
            return
        single = np.zeros(counts.size, bool)
        for name, side in sides.items():
            single |= (side.codes < 0) & (policy.missing == "singletons")
            if name and policy.noise_as == "singletons":
                single |= side.codes == label_code(side.names or (), policy.noise, "noise", "pred")
        if (single & (counts > 1)).any():
            raise TableError(
                "singletons need the weight of each item, but the engine has summed them; collect the frame, "
                "or drop those items."
            )

    def _engine_counts(self, cells: Cells) -> EngineCounts:
        """Counts whose cells stay in the engine, where missing labels and noise are filtered."""
        policy = replace(self.policy, weighted=self.columns.weights is not None)
        cells = cells.weighted() if self.columns.weights is not None else cells
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
        # a number is not compared with text: such noise cannot occur
        comparable = policy.noise_as is not None and cells.numeric == isinstance(policy.noise, (int, float))
        other = _other_type(policy.noise)
        if policy.noise_as is not None and not comparable and other is not None and cells.items_in(other):
            raise LabelError(
                Option("noise", (policy.noise,)),
                f" is not among pred's labels, but {other!r} is; give ",
                Option("noise", (other,)),
                ".",
            )
        noise = cells.items_in(policy.noise) if comparable else 0
        if comparable and policy.noise_as == "drop":
            cells = cells.without(policy.noise)
        policy = replace(policy, missing_items=missing, noise_items=noise)
        return EngineCounts(cells, policy, self.columns.engine)

    @property
    def aligned(self) -> Aligned | None:
        """The labels of each combination, or None if they were not collected."""
        return self._counted.aligned if isinstance(self._counted, AlignedSystems) else None

    @property
    def tables(self) -> Mapping[str, SingleTable]:
        """The table of each system; an EngineCounts if its cells stay in the engine."""
        return self._counted.tables if isinstance(self._counted, AlignedSystems) else self._counted

    @property
    def groups(self) -> Groups | None:
        """The tables of each group, or None without groups."""
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
        """The number of items left out because of gold and of each system; empty if unknown."""
        return self._counted.dropped_by if isinstance(self._counted, AlignedSystems) else {}


def _other_type(noise: Any) -> Any:
    """A noise label with its type changed: a number as text, numeric text as an integer; else None."""
    if not isinstance(noise, str):
        return str(noise)
    try:
        return int(noise)
    except ValueError:
        return None


def native(frame: Any) -> Any:
    """The native frame that a narwhals frame wraps; other frames unchanged."""
    return nw.to_native(frame, pass_through=True)


__all__ = ["COLLECTED", "PRED", "Columns", "FrameSystems", "native"]
