"""Gold and systems in files that DuckDB reads: matched by queries, encoded, with the policy applied."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from karat.errors import FileError, LabelError, NothingLeftError
from karat.labels.policy import Policy
from karat.labels.rows import Aligned, Coded, Rows, rows_of
from karat.labels.treatment import apply_policy
from karat.labels.weights import ALL_ZERO
from karat.sources.files import messages
from karat.sources.files.database import Database
from karat.sources.files.options import Reading
from karat.sources.files.queries import Batch, batches, lacking, without_label
from karat.sources.files.roles import Pairing
from karat.tables.merging import with_policies
from karat.tables.systems import AlignedSystems, CountedSystems, Groups, Systems, with_few_names, zero_group
from karat.tables.table import Table
from karat.tables.totals import check_counts

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
        rows = _joined(parts)
        if rows.weights is not None and not rows.weights.any():
            raise LabelError(ALL_ZERO)
        return AlignedSystems(_applied(rows, pairings, reading))
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


class _Sum:
    """The table of one system, of all items or of a group, summed part by part."""

    def __init__(self) -> None:
        self.tables: list[Table] = []
        self.policies: list[Policy] = []  # of parts that have no table, since every item was dropped or weighs 0
        self.unweighted = False  # whether an item weighs 0

    def add(self, aligned: Aligned, system: str, rows: Any, policy: Policy) -> None:
        """Count some rows of a part; those that weigh 0 are left out."""
        totals = None if aligned.totals is None else aligned.totals[rows]
        if totals is not None and not totals.all():
            self.unweighted = True
            rows, totals = rows[totals > 0], totals[totals > 0]
        if rows.size and aligned.gold is not None:
            gold, pred = (with_few_names(side.at(rows)) for side in (aligned.gold, aligned.systems[system]))
            self.tables.append(Table.of_codes(gold, pred, totals, policy))
        else:
            self.policies.append(policy)

    def total(self, noise: Any) -> Table:
        """The sum; noise is the noise label as it was given, which parts without noise do not have in its own type."""
        policies = [*(table.policy for table in self.tables), *self.policies]
        label = next((policy.noise for policy in policies if policy.noise is not noise), noise)
        policies = [replace(policy, noise=label) for policy in policies]
        tables = [replace(table, policy=policy) for table, policy in zip(self.tables, policies, strict=False)]
        return with_policies(Table.from_batches(tables), policies[len(tables) :])


class _Tables:
    """The tables of systems and groups, summed part by part."""

    def __init__(self, pairings: Sequence[Pairing], reading: Reading) -> None:
        self.pairings, self.reading = pairings, reading
        self.sums: dict[tuple[int, str], _Sum] = {}  # by code of group, 0 if there are no groups, and system
        self.names: list[Any] | None = None  # of groups
        self.dropped, self.dropped_by = 0, dict.fromkeys(["gold", *(pairing.name for pairing in pairings)], 0)

    @property
    def empty(self) -> bool:
        """Whether no part has been counted."""
        return not self.sums

    def add(self, rows: Rows) -> None:
        """Count a part of the items."""
        if rows.groups is not None:
            self.names = list(rows.groups.names or ())
        part: Aligned | NothingLeftError
        try:
            part = aligned = _applied(rows, self.pairings, self.reading)
            self.dropped += aligned.dropped
        except NothingLeftError as problem:
            part, aligned = problem, Aligned(None, {}, {})
            self.dropped += int(rows.sides[""].codes.size if rows.counts is None else rows.counts.sum())
        for name, number in part.dropped_by.items():
            self.dropped_by[name] += number
        chosen = [np.arange(0 if aligned.gold is None else aligned.gold.codes.size)]
        if self.names is not None:
            codes = np.zeros(0, np.int64) if aligned.groups is None else aligned.groups.codes
            chosen = rows_of(codes, len(self.names))
        for name, policy in part.policies.items():
            for code, indices in enumerate(chosen):
                own = policy if self.names is None else part.group_policies[name][code]
                self.sums.setdefault((code, name), _Sum()).add(aligned, name, indices, own)

    def systems(self) -> CountedSystems:
        """The systems with the summed tables of all parts."""
        if not any(total.tables for total in self.sums.values()):
            if any(total.unweighted for total in self.sums.values()):
                raise LabelError(ALL_ZERO)
            raise NothingLeftError(f"no item is left to score: all {self.dropped:,} were dropped; keep some.")
        if self.names is None:
            return CountedSystems(self._totals(0), None, self.dropped, self.dropped_by)
        groups = Groups((name, self._group(code, name)) for code, name in enumerate(self.names))
        return CountedSystems({}, groups, self.dropped, self.dropped_by)

    def _totals(self, code: int) -> dict[str, Table]:
        noise = self.reading.policy.noise
        return {pairing.name: self.sums[code, pairing.name].total(noise) for pairing in self.pairings}

    def _group(self, code: int, name: Any) -> dict[str, Table] | None:
        """The tables of a group; None if all its items were dropped."""
        first = self.sums[code, self.pairings[0].name]  # systems have the same items
        if not first.tables and first.unweighted:
            raise LabelError(zero_group(name))
        return self._totals(code) if first.tables else None
