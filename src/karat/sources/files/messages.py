"""Error messages about ids and labels, shared by all file readers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from karat.errors import FileError, Sentence, brief, listed
from karat.labels.matching import different_items
from karat.labels.policy import DROP, KEEP_OR_DROP
from karat.labels.treatment import missing_labels
from karat.sources.files.roles import ColumnRef, Pairing
from karat.sources.files.sources import Source


def duplicates(side: ColumnRef, number: int, few: Sequence[Any]) -> FileError:
    """The error for duplicate ids; few are examples."""
    ids = "1 id" if number == 1 else f"{number:,} ids"
    where = f"{side.source.input.name!r} has {ids} more than once in column {side.item!r}"
    return FileError(f"{where}: {_some(number, few)}; make them unique.")


def unmatched(pairings: Sequence[Pairing], lacking: Mapping[str, tuple[int, Sequence[Any]]]) -> FileError:
    """The error for items that some files lack; lacking: their number and examples, for gold ('') and each system."""
    names = {"": repr(pairings[0].gold.source.input.name), **{p.name: repr(p.pred.source.input.name) for p in pairings}}
    few = {names[side]: values for side, (_, values) in lacking.items()}
    return FileError(different_items(few, {names[side]: number for side, (number, _) in lacking.items()}))


def without_label(side: ColumnRef, number: int, noun: str, few: Sequence[Any] = ()) -> Sentence:
    """The message for rows, lines or items (noun) without a label; few are examples."""
    if not few:
        plural = "" if number == 1 else "s"
        return Sentence(f"{side} has {number:,} missing label{plural}; say ", KEEP_OR_DROP, ".")
    shown = listed([*few, *[None] * (number - len(few))], len(few))
    return Sentence(f"{side} has {missing_labels(number, noun)} {shown}; say ", KEEP_OR_DROP, ".")


def without_value(source: Source, what: str, column: str, number: int) -> FileError:
    """The error for rows without an id, a weight or a group."""
    rows = "1 row" if number == 1 else f"{number:,} rows"
    return FileError(f"{source.input.name!r} has {rows} without {what} in column {column!r}; give every item one.")


def without_side(pairing: Pairing, number: int) -> FileError:
    """The error for items that gold lacks, so that their group is unknown."""
    items = "1 item" if number == 1 else f"{number:,} items"
    gold = pairing.gold.source.input.name
    return FileError(f"{items} of the systems have no group, since {gold!r} lacks them; say ", DROP, ".")


def no_weight(source: Source, column: str, value: object) -> FileError:
    """The error for a weight that is not a number."""
    return FileError(f"{source.input.name!r} has {value!r} in column {column!r}, which is no weight; give numbers.")


def bad_weight(source: Source, column: str, value: float) -> FileError:
    """The error for a weight that is negative, infinite or NaN."""
    number = brief(value) if isinstance(value, int) else f"{value:g}"
    remedy = "give finite weights, none negative"
    return FileError(f"{source.input.name!r} has the weight {number} in column {column!r}; {remedy}.")


def lengths(sides: Sequence[ColumnRef], numbers: Sequence[int]) -> FileError:
    """The error for columns of different lengths, which cannot be matched by position."""
    other = next(index for index, number in enumerate(numbers) if number != numbers[0])
    names = [sides[index].source.input.name for index in (0, other)]
    return FileError(
        f"{names[0]!r} has {numbers[0]:,} labels but {names[1]!r} has {numbers[other]:,}; "
        "give files with an id column, so that they can be matched."
    )


def _some(number: int, few: Sequence[Any]) -> str:
    return f"{listed(few)}{', ...' if number > len(few) else ''}"
