"""read_together(): gold and all systems of some files as labels of the same items, to be compared item by item."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from karat.errors import FileError
from karat.files.inputs import find
from karat.files.matching import by_item, label_of_noise
from karat.files.reading import by_duckdb, is_saved, notes_on, taken_away
from karat.files.roles import Pairing, Side, pair
from karat.files.sources import as_list, needs_query, open_source
from karat.foreign import of_files

if TYPE_CHECKING:
    from karat.files.queries import Database


class NoLabelsError(FileError):
    """Files that are tables already, or have their items in groups."""


class Together(NamedTuple):
    """The labels of gold and of each system, and what was taken for what."""

    gold: Any
    systems: Mapping[str, Any]
    noise: Any  # as the systems have it
    notes: tuple[str, ...]
    items: Any = None  # their names, where rows have some that labels are not matched by


def read_together(
    *paths: str,
    gold: Any = None,
    pred: str | Sequence[str] = (),
    id: str | None = None,
    noise: Any = None,
    input: Any = None,
    encoding: str = "utf-8",
    header: bool = True,
    delimiter: str | None = None,
    memory: str = "2GB",
    threads: int | None = None,
) -> Together:
    """Labels of the same items from several files, or several columns of one; the options are those of read()."""
    copies: list[str] = []
    with of_files(), taken_away(copies):
        inputs = [
            find(path, input, encoding=encoding, header=header, delimiter=delimiter, copies=copies) for path in paths
        ]
        if any(source.kind in ("table", "matrix", "senseval") or is_saved(source) for source in inputs):
            raise NoLabelsError(f"{paths[0]!r} has no labels of items to compare; give gold and systems as labels.")
        golds = gold if gold is None or isinstance(gold, str) else gold[0] if len(gold) == 1 else tuple(gold) or None
        preds = [pred] if isinstance(pred, str) else list(pred)

        def labels(database: Database | None) -> Together:
            sources = [open_source(source, database if needs_query(source) else None) for source in inputs]
            return _labels(pair(sources, golds, preds, id, []), noise)

        return by_duckdb(inputs, labels, memory, threads) if any(map(needs_query, inputs)) else labels(None)


def _labels(pairings: Sequence[Pairing], noise: Any) -> Together:
    first = pairings[0]
    gold = _column(first.gold, first)
    systems = {pairing.name: _column(pairing.pred, pairing) for pairing in pairings}
    for pairing in pairings:
        if noise is not None:
            noise = label_of_noise(noise, systems[pairing.name])
    named = first.together and first.gold.item is not None
    items = as_list(first.gold.source.values(str(first.gold.item))) if named else None
    return Together(gold, systems, noise, tuple(notes_on(pairings)), items)


def _column(side: Side, pairing: Pairing) -> Any:
    """The labels of a side, by item if files are matched by item."""
    if pairing.together or side.item is None:
        return side.source.values(side.label)
    return by_item(side)
