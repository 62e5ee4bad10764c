"""The ids of a few example items of each cell."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from karat.output.layout import shortened, shown
from karat.scoring.evaluation import Evaluation

EACH = 5  # example items of a cell, at most
WIDE = 40  # characters of an id, at most


def examples_of(ev: Evaluation, system: str) -> dict[int, tuple[str, ...]]:
    """The ids of the first few items of each cell, by index of the cell; {} without ids."""
    if not ev.has_items or ev.aligned.items is None or ev.aligned.counts is not None:
        return {}
    items, cells = ev.items, ev.item_cells(system)
    order = np.argsort(cells, kind="stable")
    starts = np.searchsorted(cells[order], np.arange(ev.tables[system].counts.size + 1)).tolist()
    return {
        cell: tuple(_text(items[row]) for row in order[start : min(end, start + EACH)].tolist())
        for cell, (start, end) in enumerate(pairwise(starts))
    }


def _text(item: object) -> str:
    return shortened(shown(item), WIDE)
