"""Columns that DuckDB reads, counted."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from karat.errors import FileError
from karat.files import problems
from karat.files.matching import Task, ordered, unweighted
from karat.files.queries import Database, Piece
from karat.files.roles import Pairing
from karat.labels import Labels
from karat.tables import Table


def queried(pairing: Pairing, task: Task, database: Database) -> Table | dict[Any, Table]:
    """A table, or a table for each group, of columns that are matched by row or by item."""
    tables: dict[Any, list[Table]] = {}
    lacking = {"gold": 0, "pred": 0, "unmatched": 0}
    pieces = database.pieces(pairing.gold, pairing.pred, task.by, task.weights, whole=task.noise is None)
    for piece in pieces:
        if task.missing == "raise":
            lacking["unmatched"] += piece.unmatched
            for role, labels in (("gold", piece.gold), ("pred", piece.pred)):
                lacking[role] += 0 if labels.complete else int((labels.values < 0).sum())
        if not any(lacking.values()):
            for group, rows in _groups(piece, pairing, task):
                tables.setdefault(group, []).append(_table(task, piece, rows))
    if lacking["unmatched"]:
        sides = pairing.gold, pairing.pred
        raise FileError(problems.unmatched(pairing, database.only_in(*sides), database.only_in(*sides[::-1])))
    for side, number in ((pairing.gold, lacking["gold"]), (pairing.pred, lacking["pred"])):
        if number:
            few = database.without_label(side)
            raise FileError(problems.without_label(side, number, "row" if pairing.together else "item", few))
    merged = {group: _matched(Table.from_batches(tables[group]), pairing) for group in ordered(tables)}
    return merged if task.by is not None else next(iter(merged.values()))


def _groups(piece: Piece, pairing: Pairing, task: Task) -> list[tuple[Any, Any]]:
    """The rows of each group of a piece."""
    if piece.by is None:
        return [("", slice(None))]
    codes, names = piece.by.coded
    lacking = int((codes < 0).sum())
    if lacking:
        raise FileError(problems.without_value(pairing.gold.source, "a group", str(task.by), lacking))
    order = np.argsort(codes, kind="stable")
    ends = np.searchsorted(codes[order], np.arange(len(names) + 1))
    found = [(name, order[ends[place] : ends[place + 1]]) for place, name in enumerate(names)]
    return [(name, rows) for name, rows in found if rows.size]


def _table(task: Task, piece: Piece, rows: Any) -> Table:
    gold, pred = (Labels(side.values[rows], side.names) for side in (piece.gold, piece.pred))
    if piece.counts is not None:
        return unweighted(task.table(gold, pred, piece.counts[rows]))
    return task.table(gold, pred, None if piece.weights is None else piece.weights[rows])


def _matched(table: Table, pairing: Pairing) -> Table:
    return table if pairing.together else replace(table, policy=replace(table.policy, matched="items"))
