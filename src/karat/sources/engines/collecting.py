"""Columns of a frame as systems: label combinations are collected if few, else cells stay in the engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

import narwhals as nw
import numpy as np

from karat.errors import LabelError, NothingLeftError, Option, TableError
from karat.labels.encoding import column_labels
from karat.labels.policy import KEEP_OR_DROP, Policy
from karat.labels.rows import Aligned, Coded, Rows
from karat.labels.treatment import apply_policy
from karat.sources.engines.cells import Cells, LazyCells
from karat.sources.engines.counts import EngineCounts
from karat.sources.engines.dialects import Lazy, engine_errors
from karat.sources.engines.duckdb import is_relation, relation_cells, relation_labels, relation_rows
from karat.sources.engines.keys import Key
from karat.sources.engines.noise import without_noise
from karat.sources.engines.queries import (
    COUNT,
    GOLD,
    GROUP,
    ITEM,
    PRED,
    WEIGHT,
    Frame,
    Split,
    cells_of,
    joined,
    keys_in,
    pred_names,
    selected,
)
from karat.sources.engines.sums import exact_sums, has
from karat.tables.counts import SingleTable
from karat.tables.systems import AlignedSystems, Groups
from karat.tables.totals import check_total

COLLECTED = 2_000_000  # label combinations that are collected from the engine, at most

Asked: TypeAlias = Mapping[str, tuple[str, str]]  # the user's name and the role of a column, by internal name


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

    def cells(self, systems: Sequence[str], split: Split = "") -> tuple[Cells, dict[str, Key]]:
        """The number of items with each combination of labels, and the keys of the columns of labels.

        split: which items are grouped by their weight too.
        """
        preds = dict(zip(pred_names(len(systems)), ((self.preds[name], "pred") for name in systems), strict=True))
        optional = {GROUP: (self.by, "by"), WEIGHT: (self.weights, "weights"), COUNT: (self.count, "count")}
        extra = {ours: (name, role) for ours, (name, role) in optional.items() if name is not None}
        gold = {GOLD: (self.gold, "gold")}
        if self.other is not None:
            return self._matched({**gold, **extra}, preds, split)
        asked = {**gold, **preds, **extra}
        if is_relation(self.frame):
            return relation_cells(relation_rows(self.frame, asked), split, COLLECTED), {}
        frame = Frame.of(self.frame)
        return LazyCells.of(cells_of(selected(frame, asked), split)), keys_in(frame, asked)

    def _matched(self, gold: Asked, preds: Asked, split: Split) -> tuple[Cells, dict[str, Key]]:
        """The cells of two frames matched on id."""
        item = {ITEM: (str(self.id), "id")}
        sides = [_lazy(frame, {**item, **asked}) for frame, asked in ((self.frame, gold), (self.other, preds))]
        keys = sides[0][1] | sides[1][1]
        rows = joined(sides[0][0], sides[1][0], str(self.id), keys.pop(ITEM, None), gaps=self.gaps)
        return LazyCells.of(cells_of(rows.rows, split), rows.sides), keys


def _lazy(frame: Any, asked: Asked) -> tuple[Lazy, dict[str, Key]]:
    if is_relation(frame):
        return relation_labels(frame, asked), {}
    known = Frame.of(frame)
    return selected(known, asked), keys_in(known, asked)


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
            cells, keys = self.columns.cells(self.names, self._split)
            used_later = False
            try:
                if self.everything or cells.number() <= COLLECTED:
                    return AlignedSystems(self._aligned(cells.columns(), keys))
                if len(self.names) == 1 and self.columns.by is None:
                    counts = self._engine_counts(cells, keys.get(PRED))
                    used_later = True  # later statistics query the cells
                    return {self.names[0]: counts}
            finally:
                if not used_later:
                    cells.close()
            return {name: self._one_system(name) for name in self.names}

    @property
    def _split(self) -> Split:
        """Which items keep their own weights, since the policy may make singletons of them."""
        if self.policy.noise_as == "singletons":
            return "all"
        return "missing" if self.policy.missing == "singletons" else ""

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

    def _aligned(self, collected: Mapping[str, Any], keys: Mapping[str, Key]) -> Aligned:
        """The collected label combinations, with the policy applied."""
        if not len(collected[GOLD]):
            raise LabelError("the frame has no rows; give at least one.")
        counts = exact_sums(collected, COUNT)
        collected = {**collected, **{name: key.labels(collected[name]) for name, key in keys.items()}}
        names = pred_names(len(self.names))
        columns = {"": collected[GOLD], **{name: collected[ours] for name, ours in zip(self.names, names, strict=True)}}
        called = {"": "gold", **{name: "pred" if len(self.names) == 1 else repr(name) for name in self.names}}
        sides = {name: Coded(*column_labels(values, called[name]).coded) for name, values in columns.items()}
        groups = self._groups(collected[GROUP]) if GROUP in collected else None
        cells = len(self.names) == 1 and groups is None and not self._split  # rows are cells: not added any further
        weights = exact_sums(collected, WEIGHT, rounded=cells) if has(collected, WEIGHT) else None
        if counts.dtype.kind == "O":
            raise TableError(
                Option("count", (self.columns.count,)), " has fractions; give whole numbers of items, or use weights."
            )
        check_total(float(counts.sum(dtype=np.float64)))
        policy = replace(self.policy, weighted=weights is not None)
        return apply_policy(Rows(sides, None, counts, weights, groups, even=bool(self._split)), policy, called)

    def _groups(self, values: Any) -> Coded:
        codes, names = column_labels(values, "by").coded
        if self.columns.other is None and (codes < 0).any():
            raise LabelError(f"by has no value for {int((codes < 0).sum()):,} items; give every item a group.")
        return Coded(codes, names)

    def _engine_counts(self, cells: Cells, key: Key | None) -> EngineCounts:
        """Counts whose cells stay in the engine, where missing labels and noise are filtered; key: of the clusters."""
        policy = replace(self.policy, weighted=self.columns.weights is not None)
        for side, role in ((GOLD, "gold"), (PRED, "pred")):
            if side in cells.nested:
                raise LabelError(f"{role} has labels of type {cells.nested[side]}; give plain ones, such as text.")
        for name in (COUNT, WEIGHT):
            cells.check(name)
        if COUNT not in cells.integral or (policy.weighted and WEIGHT not in cells.integral):
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
        noise = 0
        if policy.noise_as is not None:
            cells, noise = without_noise(cells, policy, key)
        if (missing or noise) and not cells.number():
            raise NothingLeftError("no item is left to score: all were dropped as missing or noise; keep some.")
        policy = replace(policy, missing_items=missing, noise_items=noise)
        if policy.weighted:
            cells = cells.weighted()
            if not cells.number():
                raise TableError("no item is left with a positive weight; give at least one.")
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


def native(frame: Any) -> Any:
    """The native frame that a narwhals frame wraps; other frames unchanged."""
    return nw.to_native(frame, pass_through=True)


__all__ = ["COLLECTED", "PRED", "Columns", "FrameSystems", "native"]
