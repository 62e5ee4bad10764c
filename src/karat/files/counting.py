"""Columns that DuckDB reads, counted."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from karat.errors import FileError
from karat.files import problems
from karat.files.matching import Groups, Task, rows_of, unweighted
from karat.files.queries import Database, Piece
from karat.files.roles import Pairing
from karat.labels import Labels
from karat.tables import Table


def queried(pairing: Pairing, task: Task, database: Database) -> Table | Groups:
    """A table, or a table for each group, of columns that are matched by row or by item."""
    tables: dict[int, list[Table]] = {}  # by the place of the group among all
    names: list[Any] = [""]
    nowhere = 0
    lacking = {"gold": 0, "pred": 0, "unmatched": 0}
    pieces = database.pieces(pairing.gold, pairing.pred, task.by, task.weights, whole=task.noise is None)
    for piece in pieces:
        if task.missing == "raise":
            lacking["unmatched"] += piece.unmatched
            for role, labels in (("gold", piece.gold), ("pred", piece.pred)):
                lacking[role] += 0 if labels.complete else int((labels.values < 0).sum())
        nowhere += piece.only_pred
        names = names if piece.by is None else piece.by.coded[1]
        if not any(lacking.values()):
            for group, rows in _groups(piece, pairing, task):
                made = _table(task, piece, rows, None if task.by is None else (names[group],))
                tables.setdefault(group, []).extend([] if made is None else [made])
    if lacking["unmatched"]:
        sides = pairing.gold, pairing.pred
        raise FileError(problems.unmatched(pairing, database.only_in(*sides), database.only_in(*sides[::-1])))
    for side, number in ((pairing.gold, lacking["gold"]), (pairing.pred, lacking["pred"])):
        if number:
            few = database.without_label(side)
            raise FileError(problems.without_label(side, number, "row" if pairing.together else "item", few))
    if task.by is not None and nowhere and task.missing in ("singletons", "cluster"):
        raise FileError(problems.without_side(pairing, nowhere))
    if task.by is None:
        return _matched(tables[0], pairing)
    return Groups(
        (names[place], _matched(tables[place], pairing) if tables[place] else None) for place in sorted(tables)
    )


def _groups(piece: Piece, pairing: Pairing, task: Task) -> list[tuple[int, Any]]:
    """The places of the groups of a piece, and their rows."""
    if piece.by is None:
        return [(0, slice(None))]
    codes, names = piece.by.coded
    lacking = int((codes < 0).sum())
    if lacking:
        raise FileError(problems.without_value(pairing.gold.source, "a group", str(task.by), lacking))
    return [(place, rows) for place, rows in enumerate(rows_of(codes, len(names))) if rows.size]


def _table(task: Task, piece: Piece, rows: Any, group: tuple[Any] | None) -> Table | None:
    gold, pred = (Labels(side.values[rows], side.names) for side in (piece.gold, piece.pred))
    counts = piece.weights if piece.counts is None else piece.counts
    weights = None if counts is None else counts[rows]
    made = task.table(gold, pred, weights) if group is None else task.group(group[0], gold, pred, weights)
    return made if made is None or piece.counts is None else unweighted(made)


def _matched(tables: list[Table], pairing: Pairing) -> Table:
    table = Table.from_batches(tables)
    return table if pairing.together else replace(table, policy=replace(table.policy, matched="items"))
