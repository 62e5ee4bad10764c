"""Gold and systems in files that DuckDB reads, joined on their ids and fetched as codes in large batches."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from karat.errors import FileError
from karat.labels.rows import Coded
from karat.sources.files import messages
from karat.sources.files.codes import NO_ITEM, NO_LABEL, Names, numbered
from karat.sources.files.database import Database
from karat.sources.files.options import Name, Reading
from karat.sources.files.roles import ColumnRef, Pairing
from karat.sources.files.selecting import selected, selected_rows
from karat.sources.files.sources import Source

FEW = 1 << 22  # possible cells up to which the database counts them
INTEGERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT")


class Batch(NamedTuple):
    """A batch of items with their labels on each side; with counts, a row stands for several items."""

    sides: Mapping[str, Coded]  # gold is ''
    by: Coded | None
    weights: NDArray[Any] | None
    counts: NDArray[np.int64] | None
    items: NDArray[Any] | None
    absent: Mapping[str, int]  # number of items that each side lacks
    groupless: int = 0  # number of items without a group


class Plan(NamedTuple):
    """The rows of files that a query joins, and which of their columns hold the labels of each side."""

    rows: Mapping[str, str]  # the rows of each file by alias: l has gold, r0, r1, … the systems of other files
    roles: Mapping[str, str]  # the alias of the rows that each column of labels is in
    joined: str  # the FROM clause: all rows, joined
    item: str  # SQL of the id of an item
    sides: Mapping[str, str]  # the column of each side; gold is ''
    together: bool
    size: int  # total number of rows


def batches(database: Database, pairings: Sequence[Pairing], reading: Reading, *, one_batch: bool) -> Iterator[Batch]:
    """The items of gold and all systems in a few large batches, counted if combinations of labels are few.

    one_batch: combine all batches of integer labels into one.
    """
    gold = pairings[0].gold
    about = gold.source.input.name
    by, weights, ids = reading.options["by"], reading.total, reading.keeps_ids
    plan = _plan(database, pairings, reading)
    if plan.together and by is None and weights is None and not ids and _are_integers(database, plan.rows["l"], about):
        counted = database.stored(f"SELECT *, count(*)::BIGINT AS n FROM {plan.rows['l']} GROUP BY ALL", about)
        parts = database.batches(counted, about)
        yield from (_counted(part, plan) for part in (_concatenated(list(parts)) if one_batch else parts))
        return
    names, codes, joins = _encoded(database, plan, about)
    items = f"{plan.joined} {' '.join(joins)}"
    possible = math.prod(len(known.labels) + 2 for known in names.values())
    if weights is None and not ids and possible <= FEW:
        query = f"SELECT *, count(*)::BIGINT AS n FROM (SELECT {', '.join(codes)} {items}) GROUP BY ALL"
        yield _batch(database.arrays(query, about), names, plan)
        return
    codes += [] if weights is None else [_weight(database, plan.rows["l"], weights, gold.source)]
    order = ""
    if ids:
        codes.append(f"{plan.item} AS item")
        order = "ORDER BY l.position NULLS LAST, item"
    query = f"SELECT {', '.join(codes)} {items} {order}"
    if database.is_one_batch(plan.size):
        yield _batch(database.arrays(query, about), names, plan)
        return
    for part in database.batches(database.stored(query, about), about):
        yield _batch(part, names, plan)


def _encoded(database: Database, plan: Plan, about: str) -> tuple[dict[str, Names], list[str], list[str]]:
    """The labels of each column, SQL of their codes, and SQL of the joins with temporary tables of the codes."""
    names, codes, joins = {}, [], []
    for role, alias in plan.roles.items():
        names[role], numbers = numbered(database, f"SELECT {role} AS label FROM {plan.rows[alias]}", about)
        joins.append(f"LEFT JOIN {numbers} d_{role} ON {alias}.{role} = d_{role}.label")
        absent = "" if plan.together else f"WHEN {alias}.item IS NULL THEN {NO_ITEM} "
        code = f"CASE {absent}WHEN d_{role}.code IS NULL THEN {NO_LABEL} ELSE d_{role}.code END"
        codes.append(f"({code})::UINTEGER AS {role}")
    return names, codes, joins


def _plan(database: Database, pairings: Sequence[Pairing], reading: Reading) -> Plan:
    """How gold and systems are joined."""
    gold, together, ids = pairings[0].gold, pairings[0].together, reading.keeps_ids
    preds: dict[str, tuple[str, Name]] = {p.name: (f"p{i}", p.pred.label) for i, p in enumerate(pairings)}
    extra = {"by_": reading.options["by"], "weight": reading.total}
    left: dict[str, Name] = {"gold": gold.label, **{role: name for role, name in extra.items() if name is not None}}
    has_ids = not together or (ids and gold.item is not None)
    if has_ids:
        left["item"] = str(gold.item)
    if together:
        left |= dict(preds.values())
    rows = {"l": _checked(database, gold, left, ordered=ids, unique=not together)}
    roles = {role: "l" for role in left if role not in ("item", "weight")}
    joined, keys = f"FROM {rows['l']} l", ["l.item"]
    for index, group in enumerate([] if together else _by_file(pairings)):
        alias = f"r{index}"
        columns: dict[str, Name] = {"item": str(group[0].pred.item), **dict(preds[p.name] for p in group)}
        rows[alias] = _checked(database, group[0].pred, columns, ordered=False, unique=True)
        key = keys[0] if len(keys) == 1 else f"coalesce({', '.join(keys)})"
        joined += f" FULL JOIN {rows[alias]} {alias} ON {key} = {alias}.item"
        keys.append(f"{alias}.item")
        roles |= {preds[p.name][0]: alias for p in group}
    item = f"coalesce({', '.join(keys)})" if has_ids else "NULL"
    sides = {"": "gold", **{name: role for name, (role, _) in preds.items()}}
    size = sum(database.count(part, gold.source.input.name) for part in rows.values())
    return Plan(rows, roles, joined, item, sides, together, size)


def _by_file(pairings: Sequence[Pairing]) -> list[list[Pairing]]:
    """The systems of each file."""
    by_source: dict[int, list[Pairing]] = {}
    for pairing in pairings:
        by_source.setdefault(id(pairing.pred.source), []).append(pairing)
    return list(by_source.values())


def _checked(database: Database, side: ColumnRef, columns: dict[str, Name], *, ordered: bool, unique: bool) -> str:
    """Some columns of a file; refused without rows, or if ids are missing, or not unique though they must be."""
    about = side.source.input.name
    rows = selected_rows(database, side.source, columns) if not ordered else _numbered_rows(database, side, columns)
    if not database.count(rows, about):
        raise FileError(f"{about!r} has no rows; give a file with labels in it.")
    if "item" in columns:
        lacking = database.all(f"SELECT count(*) - count(item) FROM {rows}", about)[0][0]
        if lacking:
            raise messages.without_value(side.source, "an id", str(side.item), lacking)
        repeated = f"SELECT item FROM {rows} GROUP BY item HAVING count(*) > 1"
        number, few = _number_and_few(database, repeated, about) if unique else (0, [])
        if number:
            raise messages.duplicates(side, number, few)
    return rows


def _numbered_rows(database: Database, side: ColumnRef, columns: dict[str, Name]) -> str:
    """Some columns of a file in a temporary table, with the position of each row in the file."""
    query = selected(database, side.source, columns)
    with database.file_order():
        return database.stored(f"SELECT *, row_number() OVER () AS position FROM ({query})", side.source.input.name)


def _are_integers(database: Database, rows: str, about: str) -> bool:
    """Whether all columns are integers, which are counted without encoding."""
    return all(kind.removeprefix("U") in INTEGERS for _, kind, *_ in database.all(f"DESCRIBE FROM {rows}", about))


def _weight(database: Database, rows: str, column: str, source: Source) -> str:
    """SQL of the weights: integers if all are, else doubles; anything but finite numbers of at least 0 is refused."""
    about = source.input.name
    integer, number = "try_cast(weight AS BIGINT)", "try_cast(weight AS DOUBLE)"
    integral = f"count(CASE WHEN {integer} = {number} THEN 1 END)"
    bad = f"min({number}) FILTER (NOT isfinite({number}) OR {number} < 0)"
    query = f"SELECT count(*), count(weight), count({number}), {integral}, {bad} FROM {rows}"
    size, given, numbers, integers, bad_weight = database.all(query, about)[0]
    if given < size:
        raise messages.without_value(source, "a weight", column, size - given)
    if numbers < given:
        text = database.all(f"SELECT weight FROM {rows} WHERE {number} IS NULL LIMIT 1", about)
        raise messages.no_weight(source, column, text[0][0])
    if bad_weight is not None:
        raise messages.bad_weight(source, column, bad_weight)
    return f"{integer if integers == size else number} AS weight"


def lacking(database: Database, sides: Mapping[str, ColumnRef]) -> dict[str, tuple[int, list[str]]]:
    """The number of items that each side lacks and another has, with a few examples."""
    items = {name: selected(database, side.source, {"item": str(side.item)}) for name, side in sides.items()}
    union = " UNION ".join(f"SELECT item FROM ({query})" for query in items.values())
    return {
        name: _number_and_few(database, f"SELECT item FROM ({union}) EXCEPT SELECT item FROM ({query})", name)
        for name, query in items.items()
    }


def without_label(database: Database, side: ColumnRef) -> list[str]:
    """A few of the items that have no label."""
    if side.item is None:
        return []
    query = selected(database, side.source, {"item": side.item, "label": side.label})
    return _number_and_few(database, f"SELECT item FROM ({query}) WHERE label IS NULL", side.source.input.name)[1]


def _number_and_few(database: Database, items: str, about: str) -> tuple[int, list[str]]:
    """The number of rows of a query of items, and the first three."""
    number = database.count(f"({items})", about)
    few = database.all(f"SELECT item FROM ({items}) ORDER BY item LIMIT 3", about)
    return number, [row[0] for row in few]


def _batch(part: dict[str, Any], names: Mapping[str, Names], plan: Plan) -> Batch:
    counts = part.get("n")
    absent = {name: _items(part[role] == NO_ITEM, counts) for name, role in plan.sides.items()}
    groupless = _items(part["by_"] == NO_LABEL, counts) if "by_" in part else 0
    coded = {role: Coded(known.codes(part[role]), known.labels) for role, known in names.items()}
    sides = {name: coded[role] for name, role in plan.sides.items()}
    return Batch(sides, coded.get("by_"), part.get("weight"), counts, part.get("item"), absent, groupless)


def _concatenated(parts: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The parts of a result as one."""
    if len(parts) < 2:
        return list(parts)
    join: Any = np.ma.concatenate  # which NumPy does not annotate
    return [{role: join([part[role] for part in parts]) for role in parts[0]}]


def _items(rows: NDArray[Any], counts: NDArray[np.int64] | None) -> int:
    return int(rows.sum() if counts is None else counts[rows].sum())


def _counted(part: dict[str, Any], plan: Plan) -> Batch:
    """A batch of integer labels that are counted already."""
    sides = {name: Coded(*_coded(part[role])) for name, role in plan.sides.items()}
    return Batch(sides, None, None, np.asarray(part["n"]), None, dict.fromkeys(plan.sides, 0))


def _coded(values: NDArray[Any]) -> tuple[NDArray[np.int32], list[int]]:
    """Integers as codes of their sorted distinct values, -1 where masked."""
    present = ~np.ma.getmaskarray(values) if isinstance(values, np.ma.MaskedArray) else None
    data = np.asarray(values) if present is None else np.asarray(values)[present]
    names, codes = np.unique(data, return_inverse=True)
    if present is None:
        return codes.astype(np.int32), names.tolist()
    indices = np.full(values.size, -1, np.int32)
    indices[present] = codes
    return indices, names.tolist()
