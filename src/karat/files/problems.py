"""What to say of ids and labels that do not fit; the same words, whoever read the file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from karat.errors import listed
from karat.files.roles import Pairing, Side
from karat.files.sources import Source

REMEDY = "say missing='drop', 'singletons' or 'cluster'."


def duplicates(side: Side, number: int, few: Sequence[Any]) -> str:
    """Ids that are not unique."""
    ids = "1 id" if number == 1 else f"{number:,} ids"
    where = f"{side.source.input.name!r} has {ids} more than once in column {side.item!r}"
    return f"{where}: {_some(number, few)}; make them unique."


def unmatched(pairing: Pairing, gold: tuple[int, Sequence[Any]], pred: tuple[int, Sequence[Any]]) -> str:
    """Items that one file has and the other has not, how many and a few of them."""
    names = [side.source.input.name for side in (pairing.gold, pairing.pred)]
    parts = [
        f"only {name!r} has {f'{number:,} ({_some(number, few)})' if number else 'none'}"
        for name, (number, few) in zip(names, (gold, pred), strict=True)
    ]
    return f"the files are about different items: {', '.join(parts)}; {REMEDY}"


def without_label(side: Side, number: int, noun: str, few: Sequence[Any] = ()) -> str:
    """Rows, lines or items that lack a label."""
    where = f": {_some(number, few)}" if few else ""
    return f"{side} has no label for {number:,} {noun if number == 1 else noun + 's'}{where}; {REMEDY}"


def without_value(source: Source, what: str, column: str, number: int) -> str:
    """Rows that lack an id, a weight or a group."""
    rows = "1 row" if number == 1 else f"{number:,} rows"
    return f"{source.input.name!r} has {rows} without {what} in column {column!r}; give every item one."


def without_side(pairing: Pairing, number: int) -> str:
    """Items that only the system has, so that nothing tells their group."""
    items = "1 item" if number == 1 else f"{number:,} items"
    gold, pred = (side.source.input.name for side in (pairing.gold, pairing.pred))
    return f"{pred!r} has {items} that {gold!r}, which tells the groups, has not; say missing='drop'."


def no_weight(source: Source, column: str, value: object) -> str:
    """A weight that is no number."""
    return f"{source.input.name!r} has {value!r} in column {column!r}, which is no weight; give numbers."


def _some(number: int, few: Sequence[Any]) -> str:
    return f"{listed(few)}{', ...' if number > len(few) else ''}"
