"""Columns in memory, brought together row by row, item by item or by position, and counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from karat.alignment import Missing, NoiseAs
from karat.errors import FileError, KaratError
from karat.files import problems
from karat.files.roles import Pairing, Side
from karat.files.sources import Source, as_list
from karat.labels import Labels
from karat.names import ByLabel, encode_objects
from karat.tables import Table


class Groups(ByLabel[Table]):
    """A table for each group, and the groups of which no item is left."""

    def __init__(self, tables: Iterable[tuple[Any, Table | None]]) -> None:
        found = list(tables)
        super().__init__((name, table) for name, table in found if table is not None)
        self.empty = tuple(name for name, table in found if table is None)
        if not len(self):
            raise FileError(f"no item is left in any of {len(found)} groups; keep some, with missing='singletons'.")


class Task(NamedTuple):
    """What is to be read of the files, besides gold and pred, and how it is to be treated."""

    by: str | None
    weights: str | None
    counted: bool  # the weights are the counts of a table's cells
    missing: Missing
    noise: Any
    noise_as: NoiseAs | None

    def group(self, name: Any, gold: Any, pred: Any, weights: Any = None) -> Table | None:
        """The table of a group; None if no item of it is left. A problem is told with the name of the group."""
        try:
            return self.table(gold, pred, weights)
        except KaratError as problem:
            if str(problem).startswith("no item is left"):
                return None
            raise FileError(f"group {name!r} cannot be counted: {problem}") from None

    def table(self, gold: Any, pred: Any, weights: Any = None) -> Table:
        """Two columns of labels counted."""
        noise = None if self.noise is None else label_of_noise(self.noise, pred)
        table = Table.from_labels(
            gold, pred, weights=weights, missing=self.missing, noise=noise, noise_as=self.noise_as
        )
        return unweighted(table) if self.counted else table


def unweighted(table: Table) -> Table:
    """A table whose weights were counts."""
    return replace(table, policy=replace(table.policy, weighted=False))


def label_of_noise(noise: Any, pred: Any) -> Any:
    """The noise label as pred has it: the text "-1" stands for the number -1, if that is among the labels."""
    if not isinstance(noise, str):
        return noise
    if isinstance(pred, np.ndarray):
        pred = np.unique(pred).tolist() if pred.dtype.kind in "biufUS" else pred.tolist()
    elif isinstance(pred, Labels):
        pred = pred.names or []
    elif isinstance(pred, Mapping):
        pred = list(pred.values())
    alike = [label for label in pred if noise in (str(label), json_text(label))]
    texts = [label for label in alike if isinstance(label, str)]
    return (texts or alike or [noise])[0]


def json_text(label: Any) -> str:
    """true and false, as JSON and DuckDB write them."""
    return str(label).lower() if isinstance(label, bool) else str(label)


def in_memory(pairing: Pairing, task: Task) -> Any:
    """A table, or a table for each group, of columns that are in memory and matched by row or by item."""
    gold, pred = pairing.gold, pairing.pred
    weights = None if task.weights is None else _weights(gold.source, task.weights)
    groups = None if task.by is None else _groups(gold.source, task)
    if pairing.together:
        labels = gold.source.values(gold.label), gold.source.values(pred.label)
        _check_labels(pairing, labels, task)
        if groups is None:
            return task.table(*labels, weights)
        return Groups(
            (group, task.group(group, _some(labels[0], rows), _some(labels[1], rows), _some(weights, rows)))
            for group, rows in groups
        )
    sides = by_item(gold), by_item(pred)
    _check_match(pairing, sides, task)
    weight = None if weights is None else dict(zip(sides[0], weights, strict=True))
    if groups is None:
        return task.table(*sides, weight)
    items = list(sides[0])
    if task.missing in ("singletons", "cluster") and any(item not in sides[0] for item in sides[1]):
        raise FileError(problems.without_side(pairing, sum(item not in sides[0] for item in sides[1])))
    tables = []
    for group, rows in groups:
        chosen = [items[row] for row in rows]
        part = {item: sides[1].get(item) for item in chosen}
        left = {item: sides[0][item] for item in chosen}
        tables.append((group, task.group(group, left, part, weight)))
    return Groups(tables)


def _some(values: list[Any] | None, rows: list[int]) -> list[Any] | None:
    return None if values is None else [values[row] for row in rows]


def by_item(side: Side) -> dict[Any, Any]:
    """The label of each item; items are compared as text, so that 1 in one file is "1" in another."""
    column = str(side.item)
    items = as_list(side.source.values(column))
    lacking = [row for row, item in enumerate(items, 1) if item is None]
    if lacking:
        raise FileError(problems.without_value(side.source, "an id", column, len(lacking)))
    texts = [item if isinstance(item, str) else json_text(item) for item in items]
    labels = dict(zip(texts, as_list(side.source.values(side.label)), strict=True))
    if len(labels) < len(texts):
        twice = sorted(item for item, times in Counter(texts).items() if times > 1)
        raise FileError(problems.duplicates(side, len(twice), twice[:3]))
    return labels


def _check_match(pairing: Pairing, sides: tuple[dict[Any, Any], dict[Any, Any]], task: Task) -> None:
    if task.missing != "raise":
        return
    gold, pred = sides
    only = [item for item in gold if item not in pred], [item for item in pred if item not in gold]
    if any(only):
        raise FileError(
            problems.unmatched(pairing, (len(only[0]), sorted(only[0])[:3]), (len(only[1]), sorted(only[1])[:3]))
        )
    for side, labels in zip((pairing.gold, pairing.pred), sides, strict=True):
        lacking = [item for item, label in labels.items() if _absent(label)]
        if lacking:
            raise FileError(problems.without_label(side, len(lacking), "item", sorted(lacking)[:3]))


def _check_labels(pairing: Pairing, labels: tuple[Any, Any], task: Task) -> None:
    if task.missing != "raise":
        return
    for side, column in zip((pairing.gold, pairing.pred), labels, strict=True):
        rows = [row for row, label in enumerate(column, 1) if _absent(label)]
        if rows:
            raise FileError(problems.without_label(side, len(rows), "row", rows[:3]))


def _absent(label: Any) -> bool:
    return label is None or label != label  # NaN


def _groups(source: Source, task: Task) -> list[tuple[Any, list[int]]]:
    """The rows of each group, in the order of their names."""
    codes, names = encode_objects(source.values(str(task.by)), "by")
    lacking = int((codes < 0).sum())
    if lacking:
        raise FileError(problems.without_value(source, "a group", str(task.by), lacking))
    return [(name, rows.tolist()) for name, rows in zip(names, rows_of(codes, len(names)), strict=True)]


def rows_of(codes: NDArray[Any], number: int) -> list[NDArray[np.int64]]:
    """The rows that have each of so many codes."""
    order = np.argsort(codes, kind="stable")
    return np.split(order, np.searchsorted(codes[order], np.arange(1, number)))


def _weights(source: Source, column: str) -> list[Any]:
    """Numbers: integers if all of them are."""
    values = source.values(column)
    lacking = sum(map(_absent, values))
    if lacking:
        raise FileError(problems.without_value(source, "a weight", column, lacking))
    for kind in (int, float):
        try:
            return [kind(value) if isinstance(value, str) else value for value in values]
        except ValueError:
            continue
    bad = next(value for value in values if isinstance(value, str) and not _is_number(value))
    raise FileError(problems.no_weight(source, column, bad)) from None


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def by_position(pairing: Pairing, task: Task) -> Table:
    """Two columns of labels without ids, a part at a time where they come so."""
    if task.by is not None or task.weights is not None:
        raise FileError("by and weights need columns; give files that have them.")
    sides = pairing.gold, pairing.pred
    if all(side.source.batches is not None for side in sides):
        both = _parts(sides)
    else:
        both = iter([tuple(side.source.values(side.label) for side in sides)])
    tables, rows = [], 0
    for gold, pred in both:
        if len(gold) != len(pred):
            raise FileError(_lengths(sides))
        for side, column in zip(sides, (gold, pred), strict=True):
            if task.missing == "raise" and isinstance(column, list):
                lacking = [rows + row for row, label in enumerate(column, 1) if _absent(label)]
                if lacking:
                    raise FileError(problems.without_label(side, len(lacking), "line", lacking[:3]))
        rows += len(gold)
        tables.append(task.table(gold, pred))
    return Table.from_batches(tables)


def _parts(sides: tuple[Side, Side]) -> Iterator[tuple[Any, Any]]:
    """Parts of equal length of two columns that come in parts of any length."""
    streams = [side.source.batches() for side in sides if side.source.batches is not None]
    rest: list[Any] = [[], []]
    while True:
        for place, stream in enumerate(streams):
            if not len(rest[place]):
                rest[place] = next(stream, [])
        size = min(len(rest[0]), len(rest[1]))
        if not size:
            if len(rest[0]) or len(rest[1]):
                yield rest[0], rest[1]  # of different lengths
            return
        yield rest[0][:size], rest[1][:size]
        rest = [column[size:] for column in rest]


def _lengths(sides: tuple[Side, Side]) -> str:
    numbers = [
        sum(map(len, side.source.batches())) if side.source.batches else len(side.source.values(side.label))
        for side in sides
    ]
    names = [side.source.input.name for side in sides]
    return (
        f"{names[0]!r} has {numbers[0]:,} labels but {names[1]!r} has {numbers[1]:,}; "
        "give files with an id column, so that they can be matched."
    )
