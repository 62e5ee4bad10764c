"""Heat map of the largest classes and clusters, as an HTML table whose cells have tooltips."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from karat.output.numbers import several
from karat.plot.lettering import brief, count_text, percent
from karat.plot.overviews import DrawnMargin, Overview, by_size, overview
from karat.reports.content import System
from karat.reports.explorer import label
from karat.tables.table import Table

MOST = 24  # classes and clusters, at most
FEW = 12  # on a page of several systems
FEWEST = 8  # on a page of many systems
STEPS = 10  # shades of colour


class Cell(NamedTuple):
    """A cell: its text, its shade from 0 (empty) to STEPS, and its tooltip."""

    text: str
    shade: int
    tooltip: str


class Line(NamedTuple):
    """A row: the class, its size, and its cells."""

    name: str
    size: str
    cells: tuple[Cell, ...]


class Heat(NamedTuple):
    """The heat map: its columns, its rows, and notes on classes and clusters that are not shown."""

    clusters: tuple[tuple[str, str, int], ...]  # name, size, and index in the explorer or -1
    lines: tuple[Line, ...]
    notes: tuple[str, ...]


def heat_of(system: System, kept: NDArray[np.int64], most: int = MOST) -> Heat:
    """The heat map of a system's largest classes and clusters; the shade is the share of the class.

    kept: the index of each cluster in the page's explorer, -1 if it is not there.
    """
    view = overview(system.table, most, most).beside()
    table = system.table
    rows = _codes(view.classes, table.class_sizes, table.classes)
    cols = _codes(view.clusters, table.cluster_sizes, table.clusters)
    shares, of_cluster = view.shares("class"), view.shares("cluster")
    indices = _cell_indices(table, rows, cols)
    lines = []
    for i, row in enumerate(rows):
        cells = [_cell(system, view, (i, j), indices.get((row, col)), shares, of_cluster) for j, col in enumerate(cols)]
        lines.append(Line(_name(view.classes, i), count_text(view.counts[i].sum()), tuple(cells)))
    links = [int(kept[col]) if col >= 0 else -1 for col in cols]
    clusters = tuple((_name(view.clusters, j), count_text(view.counts[:, j].sum()), links[j]) for j in range(len(cols)))
    notes = tuple(f"The last {line}: {side.rest}." for line, side in _rests(view))
    return Heat(clusters, tuple(lines), notes)


def _cell_indices(table: Table, rows: list[int], cols: list[int]) -> dict[tuple[int, int], int]:
    """The index in the table of each drawn, non-empty cell, by row and column."""
    keys = table.rows * np.int64(table.shape[1]) + table.cols  # in increasing order
    pairs = [(row, col) for row in rows for col in cols if row >= 0 and col >= 0]
    wanted = np.array([row * table.shape[1] + col for row, col in pairs], np.int64)
    nearest = np.minimum(np.searchsorted(keys, wanted), keys.size - 1)
    return {pair: int(at) for pair, at, key in zip(pairs, nearest, wanted, strict=True) if keys[at] == key}


def _rests(view: Overview) -> list[tuple[str, DrawnMargin]]:
    return [(line, side) for line, side in (("row", view.classes), ("column", view.clusters)) if side.others]


def _codes(side: DrawnMargin, sizes: NDArray[Any], names: Sequence[Any]) -> list[int]:
    """The index in the table of each drawn class or cluster, then -1 if there are others."""
    order = by_size(sizes, names)
    return [*(int(order[rank]) for rank in side.ranks), *([-1] if side.others else [])]


def _name(side: DrawnMargin, index: int) -> str:
    return label(side.names[index]) if index < len(side.names) else f"{side.others:,} others"


def _cell(system: System, view: Overview, at: tuple[int, int], index: int | None, shares: Any, of_cluster: Any) -> Cell:
    count = view.counts[at]
    if not count:
        return Cell("", 0, "")
    share = float(shares[at])
    tooltip = (
        f"class {_name(view.classes, at[0])}, cluster {_name(view.clusters, at[1])}: {several(count, 'item')}, "
        f"{percent(share)} of the class, {percent(float(of_cluster[at]))} of the cluster"
    )
    some = () if index is None else system.examples.get(index, ())
    if some:
        more = ", …" if count > len(some) else ""
        tooltip += f"; for example {', '.join(some)}{more}" if more else f": {', '.join(some)}"
    return Cell(brief(float(count)), 1 + min(STEPS - 1, int(share * STEPS)), tooltip)
