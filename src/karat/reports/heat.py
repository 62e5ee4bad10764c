"""The table of the largest classes and clusters, as cells of HTML that can be pointed at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from karat.plot.lettering import brief, count_text, percent
from karat.plot.overviews import Overview, by_size, overview
from karat.plot.overviews import Side as Drawn
from karat.reports.content import System
from karat.reports.explorer import label
from karat.tables.table import Table, several

MOST = 24  # classes and clusters
FEW = 12  # of each of several systems
FEWEST = 8  # of each of many
STEPS = 10  # shades


class Cell(NamedTuple):
    """A cell: what is written in it, how dark it is, and what is told about it."""

    text: str
    shade: int
    told: str


class Line(NamedTuple):
    """A class, its size, and its cells."""

    name: str
    size: str
    cells: tuple[Cell, ...]


class Heat(NamedTuple):
    """Rows of cells under the names of clusters; and what is not shown one by one."""

    clusters: tuple[tuple[str, str, int], ...]  # name, size, and where more is told about it
    lines: tuple[Line, ...]
    notes: tuple[str, ...]


def heat_of(system: System, places: NDArray[np.int64], most: int = MOST) -> Heat:
    """The largest classes and clusters, clusters beside the class that they are of; darker is more of the class.

    places: where the page tells more about each cluster, -1 where it does not.
    """
    view = overview(system.table, most, most).beside()
    table = system.table
    rows = _codes(view.classes, table.class_sizes, table.classes)
    cols = _codes(view.clusters, table.cluster_sizes, table.clusters)
    shares, of_cluster = view.shares("class"), view.shares("cluster")
    held = _held(table, rows, cols)
    lines = []
    for i, row in enumerate(rows):
        cells = [_cell(system, view, (i, j), held.get((row, col)), shares, of_cluster) for j, col in enumerate(cols)]
        lines.append(Line(_name(view.classes, i), count_text(view.counts[i].sum()), tuple(cells)))
    more = [int(places[col]) if col >= 0 else -1 for col in cols]
    clusters = tuple((_name(view.clusters, j), count_text(view.counts[:, j].sum()), more[j]) for j in range(len(cols)))
    notes = tuple(f"The last {line}: {side.rest}." for line, side in _rests(view))
    return Heat(clusters, tuple(lines), notes)


def _held(table: Table, rows: list[int], cols: list[int]) -> dict[tuple[int, int], int]:
    """The places of the cells that are drawn, among those of the table."""
    keys = table.rows * np.int64(table.shape[1]) + table.cols  # in increasing order
    pairs = [(row, col) for row in rows for col in cols if row >= 0 and col >= 0]
    wanted = np.array([row * table.shape[1] + col for row, col in pairs], np.int64)
    places = np.minimum(np.searchsorted(keys, wanted), keys.size - 1)
    return {pair: int(at) for pair, at, key in zip(pairs, places, wanted, strict=True) if keys[at] == key}


def _rests(view: Overview) -> list[tuple[str, Drawn]]:
    return [(line, side) for line, side in (("row", view.classes), ("column", view.clusters)) if side.others]


def _codes(side: Drawn, sizes: NDArray[Any], names: Sequence[Any]) -> list[int]:
    """The places in the table of the lines that are drawn, -1 for all others."""
    order = by_size(sizes, names)
    return [*(int(order[rank]) for rank in side.ranks), *([-1] if side.others else [])]


def _name(side: Drawn, place: int) -> str:
    return label(side.names[place]) if place < len(side.names) else f"{side.others:,} others"


def _cell(system: System, view: Overview, at: tuple[int, int], held: int | None, shares: Any, of_cluster: Any) -> Cell:
    count = view.counts[at]
    if not count:
        return Cell("", 0, "")
    share = float(shares[at])
    told = (
        f"class {_name(view.classes, at[0])}, cluster {_name(view.clusters, at[1])}: {several(count, 'item')}, "
        f"{percent(share)} of the class, {percent(float(of_cluster[at]))} of the cluster"
    )
    some = () if held is None else system.examples.get(held, ())
    if some:
        more = ", …" if count > len(some) else ""
        told += f"; for example {', '.join(some)}{more}" if more else f": {', '.join(some)}"
    return Cell(brief(float(count)), 1 + min(STEPS - 1, int(share * STEPS)), told)
