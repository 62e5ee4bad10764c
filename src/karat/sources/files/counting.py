"""Gold and systems in files that DuckDB reads: matched by queries, encoded, with the policy applied."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from karat.errors import FileError, LabelError, NothingLeftError
from karat.labels.rows import Aligned, Coded, Rows, rows_of
from karat.labels.treatment import apply_policy
from karat.labels.weights import ALL_ZERO
from karat.sources.files import messages
from karat.sources.files.database import Database
from karat.sources.files.options import Reading
from karat.sources.files.queries import Batch, batches, lacking, without_label
from karat.sources.files.roles import Pairing
from karat.tables.systems import AlignedSystems, CountedSystems, Groups, Systems
from karat.tables.table import Table, check_counts

MOST_CODES = 50_000_000  # label codes in memory, of four bytes each; beyond that only tables are kept


def queried(pairings: Sequence[Pairing], reading: Reading, database: Database) -> Systems:
    """The systems of some files: with the labels of items, or only tables if there are too many items."""
    keep = True if reading.keeps_ids else reading.options["items"]
    parts: list[Rows] = []
    counts = _Tables(pairings, reading)
    violations = _Violations(pairings, reading)
    for batch in batches(database, pairings, reading, one_batch=keep is True):
        violations.add(batch)
        if violations.any:
            continue  # read to the end, so that messages give total numbers
        rows = _rows(batch, reading)
        if parts and rows.sides[""].names is not parts[0].sides[""].names:  # codes differ between parts
            keep = False
        parts.append(rows)
        size = sum(part.sides[""].codes.size for part in parts) * len(rows.sides)
        if keep is not True and (keep is False or size > MOST_CODES):
            for part in parts:
                counts.add(part)
            parts.clear()
    violations.raise_first(database)
    if parts and counts.empty:
        return AlignedSystems(_applied(_joined(parts), pairings, reading))
    for part in parts:
        counts.add(part)
    return counts.systems()


def _rows(batch: Batch, reading: Reading) -> Rows:
    weights, counts = batch.weights, batch.counts
    if reading.options["count"] is not None and weights is not None:
        weights, counts = None, check_counts(weights, None, reading.options["count"])
    return Rows(dict(batch.sides), batch.items, counts, weights, batch.by)


def _applied(rows: Rows, pairings: Sequence[Pairing], reading: Reading) -> Aligned:
    """The rows with the policy applied."""
    if rows.weights is not None and not rows.weights.any():
        raise LabelError(ALL_ZERO)
    together = pairings[0].together
    policy = replace(
        reading.policy, weighted=reading.options["weights"] is not None, matched="positions" if together else "items"
    )
    called = {"": str(pairings[0].gold), **{pairing.name: str(pairing.pred) for pairing in pairings}}
    return apply_policy(rows, policy, called, noise_is_text=True)


def _joined(parts: Sequence[Rows]) -> Rows:
    """Concatenate parts, whose codes stand for the same labels."""
    first = parts[0]
    if len(parts) == 1:
        return first

    def concat(columns: Sequence[Any]) -> Any:
        return None if columns[0] is None else np.concatenate(columns)

    sides = {
        name: Coded(concat([part.sides[name].codes for part in parts]), side.names)
        for name, side in first.sides.items()
    }
    groups = None
    if first.groups is not None:
        groups = Coded(concat([part.groups.codes for part in parts if part.groups is not None]), first.groups.names)
    return Rows(
        sides, concat([part.items for part in parts]), concat([part.counts for part in parts]),
        concat([part.weights for part in parts]), groups,
    )  # fmt: skip


class _Violations:
    """Violations of the policy, counted over all parts."""

    def __init__(self, pairings: Sequence[Pairing], reading: Reading) -> None:
        self.pairings, self.reading = pairings, reading
        self.sides = {"": pairings[0].gold, **{pairing.name: pairing.pred for pairing in pairings}}
        self.absent = dict.fromkeys(self.sides, 0)  # number of items that each side lacks
        self.missing = dict.fromkeys(self.sides, 0)  # number of items whose label each side lacks
        self.groupless = 0

    def add(self, batch: Batch) -> None:
        """Count the violations in a part."""
        self.groupless += batch.groupless
        by_gold = self.reading.options["by"] is not None and self.reading.policy.missing in ("singletons", "cluster")
        if by_gold:
            self.absent[""] += batch.absent[""]
        if self.reading.policy.missing != "raise":
            return
        for name, number in batch.absent.items():
            self.absent[name] += number
            codes = batch.sides[name].codes
            unlabelled = int((codes < 0).sum() if batch.counts is None else batch.counts[codes < 0].sum())
            self.missing[name] += unlabelled - number

    @property
    def any(self) -> bool:
        """Whether the policy is violated."""
        return bool(self.groupless) or any(self.absent.values()) or any(self.missing.values())

    def raise_first(self, database: Database) -> None:
        """Raise an error for the first kind of violation, with a few of the items."""
        if self.groupless:
            raise messages.without_value(
                self.pairings[0].gold.source, "a group", str(self.reading.options["by"]), self.groupless
            )
        if any(self.absent.values()) and self.reading.policy.missing != "raise":
            raise messages.without_side(self.pairings[0], self.absent[""])
        if any(self.absent.values()):
            raise messages.unmatched(self.pairings, lacking(database, self.sides))
        for name, side in self.sides.items():
            if self.missing[name]:
                noun, few = ("item", without_label(database, side)) if side.item is not None else ("row", [])
                raise FileError(messages.without_label(side, self.missing[name], noun, few))


class _Tables:
    """The tables of systems and groups, summed part by part."""

    def __init__(self, pairings: Sequence[Pairing], reading: Reading) -> None:
        self.pairings, self.reading = pairings, reading
        self.parts: dict[str, list[Table]] = {pairing.name: [] for pairing in pairings}
        self.groups: dict[int, dict[str, list[Table]]] = {}
        self.names: list[Any] = []
        self.dropped, self.dropped_by = 0, dict.fromkeys(["gold", *self.parts], 0)
        self.lost: dict[str, Any] = {}

    @property
    def empty(self) -> bool:
        """Whether no part has been counted."""
        return not self.groups and not any(self.parts.values()) and not self.dropped

    def add(self, rows: Rows) -> None:
        """Count a part of the items."""
        if rows.groups is not None:
            self.names = list(rows.groups.names or ())
            for code in range(len(self.names)):
                self.groups.setdefault(code, {name: [] for name in self.parts})
        try:
            aligned = _applied(rows, self.pairings, self.reading)
        except NothingLeftError:
            self.dropped += int(rows.sides[""].codes.size if rows.counts is None else rows.counts.sum())
            return
        self.dropped += aligned.dropped
        for name, number in aligned.dropped_by.items():
            self.dropped_by[name] += number
        if aligned.groups is None:
            for name in self.parts:
                self.parts[name].append(Table.of_aligned(aligned, name))
            return
        systems: Any = AlignedSystems(aligned).groups
        by_code = rows_of(aligned.groups.codes, len(self.names))
        for code, indices in enumerate(by_code):
            if indices.size:
                for name, table in systems[self.names[code]].items():
                    self.groups[code][name].append(table)

    def systems(self) -> CountedSystems:
        """The systems with the summed tables of all parts."""
        if self.groups:
            groups = Groups(
                (
                    self.names[code],
                    {n: Table.from_batches(parts) for n, parts in tables.items()} if any(tables.values()) else None,
                )
                for code, tables in sorted(self.groups.items())
            )
            return CountedSystems({}, groups, self.dropped, self.dropped_by)
        if not any(self.parts.values()):
            raise NothingLeftError(f"no item is left to score: all {self.dropped:,} were dropped; keep some.")
        tables = {name: Table.from_batches(parts) for name, parts in self.parts.items()}
        return CountedSystems(tables, None, self.dropped, self.dropped_by)
