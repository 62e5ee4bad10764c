"""Columns in memory, brought together row by row, item by item or by position, and counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from karat.alignment import Missing, NoiseAs
from karat.errors import FileError
from karat.files import problems
from karat.files.roles import Pairing, Side
from karat.files.sources import Source
from karat.labels import Labels
from karat.names import canonical_order
from karat.tables import Table


@dataclass(frozen=True)
class Task:
    """What is to be read of the files, besides gold and pred, and how it is to be treated."""

    by: str | None
    weights: str | None
    counted: bool  # the weights are the counts of a table's cells
    missing: Missing
    noise: Any
    noise_as: NoiseAs | None

    def table(self, gold: Any, pred: Any, weights: Any = None) -> Table:
        """Two columns of labels counted."""
        noise = None if self.noise is None else _as_label(self.noise, pred)
        table = Table.from_labels(
            gold, pred, weights=weights, missing=self.missing, noise=noise, noise_as=self.noise_as
        )
        return unweighted(table) if self.counted else table


def unweighted(table: Table) -> Table:
    """A table whose weights were counts."""
    return replace(table, policy=replace(table.policy, weighted=False))


def _as_label(noise: Any, pred: Any) -> Any:
    """The noise label in the kind that pred has: "-1" is the number -1 where labels are numbers."""
    if not isinstance(noise, str):
        return noise
    sample = pred.names if isinstance(pred, Labels) else pred
    if isinstance(sample, np.ndarray) and sample.dtype.kind in "iuf":
        kinds: set[type] = {int}
    else:
        kinds = {type(label) for label in (sample.values() if isinstance(sample, Mapping) else sample or [])}
    if str in kinds or not kinds & {int, float}:
        return noise
    try:
        return int(noise)
    except ValueError:
        pass
    try:
        return float(noise)
    except ValueError:
        return noise


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
        return {
            group: task.table(_some(labels[0], rows), _some(labels[1], rows), _some(weights, rows))
            for group, rows in groups.items()
        }
    sides = _by_item(gold), _by_item(pred)
    _check_match(pairing, sides, task)
    by_item = None if weights is None else dict(zip(sides[0], weights, strict=True))
    if groups is None:
        return task.table(*sides, by_item)
    tables = {}
    items = list(sides[0])
    for group, rows in groups.items():
        chosen = [items[row] for row in rows]
        part = {item: sides[1].get(item) for item in chosen}
        left = {item: sides[0][item] for item in chosen}
        tables[group] = task.table(left, part, by_item)
    return tables


def _some(values: list[Any] | None, rows: list[int]) -> list[Any] | None:
    return None if values is None else [values[row] for row in rows]


def _by_item(side: Side) -> dict[Any, Any]:
    """The label of each item; items are compared as text, so that 1 in one file is "1" in another."""
    column = str(side.item)
    items = side.source.values(column)
    lacking = [row for row, item in enumerate(items, 1) if item is None]
    if lacking:
        raise FileError(problems.without_value(side.source, "an id", column, len(lacking)))
    texts = [item if isinstance(item, str) else _item_text(item) for item in items]
    labels = dict(zip(texts, side.source.values(side.label), strict=True))
    if len(labels) < len(texts):
        twice = sorted(item for item, times in Counter(texts).items() if times > 1)
        raise FileError(problems.duplicates(side, len(twice), twice[:3]))
    return labels


def _item_text(item: Any) -> str:
    """An id as DuckDB would write it."""
    return str(item).lower() if isinstance(item, bool) else str(item)


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


def _groups(source: Source, task: Task) -> dict[Any, list[int]]:
    """The rows of each group, in the order of their names."""
    column = source.values(str(task.by))
    found: dict[Hashable, list[int]] = {}
    for row, group in enumerate(column):
        found.setdefault(None if _absent(group) else group, []).append(row)
    lacking = found.pop(None, [])
    if lacking:
        raise FileError(problems.without_value(source, "a group", str(task.by), len(lacking)))
    return {group: found[group] for group in ordered(found)}


def ordered(names: Mapping[Any, Any]) -> list[Any]:
    """Names in the order in which labels are listed."""
    labels = list(names)
    return [labels[place] for place in canonical_order(labels)]


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
