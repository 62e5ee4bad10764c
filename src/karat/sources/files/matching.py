"""Columns in memory, aligned: gold and systems in the same rows, matched on ids, or by position."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from karat.errors import FileError
from karat.labels.alignment import align
from karat.labels.encoding import Labels, to_labels
from karat.labels.rows import Aligned
from karat.sources.files import messages
from karat.sources.files.options import Reading
from karat.sources.files.roles import ColumnRef, Pairing
from karat.sources.files.sources import Source, as_list
from karat.tables.totals import LIMIT, check_counts


def matched_in_memory(pairings: Sequence[Pairing], reading: Reading) -> Aligned:
    """Align gold and all systems on the same items, with the policy applied."""
    gold = pairings[0].gold
    sides = {"": gold, **{pairing.name: pairing.pred for pairing in pairings}}
    by = reading.options["by"]
    weights = None if reading.total is None else _weights(gold.source, reading.total)
    groups = None if by is None else _groups(gold.source, by)
    ids: Any = None
    if pairings[0].together:
        ids = None if gold.item is None else _texts(gold)
        labels: dict[str, Any] = {name: side.source.values(side.label) for name, side in sides.items()}
        _check_labels(sides, labels, reading, "row", ids)
    elif gold.item is None:
        if reading.others:
            raise FileError("by and weights need columns; give files that have them.")
        labels = {name: _column_of(side) for name, side in sides.items()}
        if len(set(map(len, labels.values()))) > 1:
            raise messages.lengths(list(sides.values()), [len(column) for column in labels.values()])
        _check_labels(sides, labels, reading, "line", None)
    else:
        labels = {name: by_item(side) for name, side in sides.items()}
        _check_items(pairings, labels, reading)
    called = {name: str(side) for name, side in sides.items()}
    count = reading.options["count"]
    options = {"weights": weights} if count is None else {"counts": check_counts(weights, None, count)}
    return align(
        labels.pop(""), labels, reading.policy, groups=groups, items=ids, called=called, noise_is_text=True, **options
    )


def _column_of(side: ColumnRef) -> Any:
    """All labels of a column; encoded batch by batch if the file is read in batches."""
    if side.source.batches is None:
        return side.source.values(side.label)
    return Labels.of_batches(side.source.batches(), str(side))


def _texts(side: ColumnRef) -> list[str]:
    """The item ids of a side as text, so that 1 in one file matches "1" in another."""
    column = str(side.item)
    items = as_list(side.source.values(column))
    lacking = sum(item is None for item in items)
    if lacking:
        raise messages.without_value(side.source, "an id", column, lacking)
    return [item if isinstance(item, str) else json_text(item) for item in items]


def json_text(label: Any) -> str:
    """A value as text, with true and false in lower case, as in JSON and DuckDB."""
    return str(label).lower() if isinstance(label, bool) else str(label)


def by_item(side: ColumnRef) -> Labels:
    """The labels of a side with the ids of its items, which must be unique."""
    texts = _texts(side)
    if len(set(texts)) < len(texts):
        twice = sorted(item for item, times in Counter(texts).items() if times > 1)
        raise messages.duplicates(side, len(twice), twice[:3])
    labels = to_labels(side.source.values(side.label), str(side))
    return replace(labels, items=texts, keyed=True)


def _check_items(pairings: Sequence[Pairing], labels: Mapping[str, Labels], reading: Reading) -> None:
    """Refuse items that some files lack, and items without a label, unless the policy handles them."""
    if reading.policy.missing != "raise":
        return
    union = {item for side in labels.values() for item in side.items}
    lacking = {name: sorted(union.difference(side.items)) for name, side in labels.items()}
    if any(lacking.values()):
        raise messages.unmatched(pairings, {name: (len(items), items[:3]) for name, items in lacking.items()})
    sides = {"": pairings[0].gold, **{pairing.name: pairing.pred for pairing in pairings}}
    for name, side in labels.items():
        _raise_missing(sides[name], side, "item", side.items, reading)


def _check_labels(
    sides: Mapping[str, ColumnRef], labels: Mapping[str, Any], reading: Reading, noun: str, ids: Sequence[Any] | None
) -> None:
    """Refuse rows without a label, unless the policy handles them."""
    if reading.policy.missing == "raise":
        for name, column in labels.items():
            side = column if isinstance(column, Labels) else None
            _raise_missing(sides[name], side or to_labels(column, str(sides[name])), noun, ids, reading)


def _raise_missing(side: ColumnRef, labels: Labels, noun: str, ids: Sequence[Any] | None, reading: Reading) -> None:
    if labels.complete:
        return
    rows = (labels.coded[0] < 0).nonzero()[0].tolist()
    few = [row + 1 for row in rows[:3]] if ids is None else sorted(ids[row] for row in rows)[:3]
    raise FileError(messages.without_label(side, len(rows), noun if ids is None else "item", few))


def _groups(source: Source, column: str) -> list[Any]:
    """The group of each row; missing groups are refused."""
    values = as_list(source.values(column))
    lacking = sum(map(_is_missing, values))
    if lacking:
        raise messages.without_value(source, "a group", column, lacking)
    return values


def _is_missing(label: Any) -> bool:
    return label is None or label != label  # NaN


def _weights(source: Source, column: str) -> list[Any]:
    """The weight of each row, text as a number: integers, exact, if all are integral, else floats as in DuckDB."""
    values = as_list(source.values(column))
    lacking = sum(map(_is_missing, values))
    if lacking:
        raise messages.without_value(source, "a weight", column, lacking)
    numbers = [_number(value) if isinstance(value, str) else value for value in values]
    if None in numbers:
        raise messages.no_weight(source, column, values[numbers.index(None)])
    bad = [number for number in numbers if isinstance(number, (int, float)) and not 0 <= number < math.inf]
    if bad:
        raise messages.bad_weight(source, column, min(bad, key=lambda number: (number != number, number)))
    if any(isinstance(number, float) and not number.is_integer() for number in numbers):  # a column of floats
        return [float(number) if isinstance(number, int) and number < LIMIT else number for number in numbers]
    return numbers


def _number(text: str) -> float | None:
    """A text as an integer if it is integral, else as a float, as DuckDB reads it; None if it is not a number."""
    if not text.isascii():
        return None
    try:
        return int(text)
    except ValueError:
        pass
    try:
        number = float(text)
    except ValueError:
        return None
    return int(number) if number.is_integer() else number
