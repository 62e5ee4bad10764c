"""Classes, clusters and cells as the page's script reads them: the worst lines and the largest cells, within limits."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from karat.explanations.findings import Side, ranked
from karat.output.layout import shortened, shown
from karat.reports.content import System

LINES = 20_000  # classes and clusters of all systems together
CELLS = 36_000
ITEMS = 8_000  # names of items
WIDE = 40  # columns of a label

Ints = NDArray[np.int64]


class Limits(NamedTuple):
    """How much of a system a page may hold."""

    lines: int
    cells: int
    items: int

    @classmethod
    def among(cls, systems: int, share: float = 1.0) -> Limits:
        """The part of one of several systems, if all have a share of what could be."""
        each = share / systems
        return cls(max(20, int(LINES * each)), max(50, int(CELLS * each)), int(ITEMS * each))


def explored(system: System, limits: Limits) -> dict[str, Any]:
    """Arrays by name: of classes, of clusters, and of the cells between those that are kept."""
    found, table = system.explanation, system.table
    kept = [_kept(side, limits) for side in (found.classes, found.clusters)]
    places = kept_places(system, limits)
    cells = _cells(system, places, limits.cells)
    return {
        "classes": _side(found.classes, kept[0], found.totals["vi"]),
        "clusters": _side(found.clusters, kept[1], found.totals["vi"]),
        "rows": places[0][table.rows[cells]].tolist(),
        "cols": places[1][table.cols[cells]].tolist(),
        "counts": _plain(table.counts[cells]),
        "items": _items(system, cells, limits.items),
        "measure": str(found.measure),
    }


def kept_places(system: System, limits: Limits) -> list[Ints]:
    """Where each class and each cluster of the table is on the page, -1 if it is not."""
    found = system.explanation
    return [_places(_kept(side, limits), len(side.names)) for side in (found.classes, found.clusters)]


def in_script(data: Any) -> str:
    """JSON that cannot end the element it stands in."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def label(name: object) -> str:
    """A label as pages show it."""
    return shortened(shown(name), WIDE)


def _kept(side: Side, limits: Limits) -> Ints:
    """The places of the worst, which add most to VI, and then of the largest."""
    return ranked(np.round(side.vi, 12), side.sizes)[: limits.lines // 2]


def _places(kept: Ints, size: int) -> Ints:
    places = np.full(size, -1, np.int64)
    places[kept] = np.arange(kept.size)
    return places


def _cells(system: System, places: list[Ints], most: int) -> Ints:
    """Cells between lines that are kept: the largest of each line, then the largest of all."""
    table = system.table
    some = np.flatnonzero((places[0][table.rows] >= 0) & (places[1][table.cols] >= 0))
    if some.size <= most:
        return some
    order = some[np.argsort(-table.counts[some], kind="stable")]
    first = np.zeros(order.size, dtype=bool)
    for codes in (table.rows, table.cols):
        first[np.unique(codes[order], return_index=True)[1]] = True
    return np.sort(order[np.argsort(~first, kind="stable")][:most])


def _side(side: Side, kept: Ints, vi: float) -> dict[str, Any]:
    """Names, sizes, numbers of parts, shares of the largest part and of all VI, and the measure once repaired."""
    return {
        "names": [label(side.names[place]) for place in kept.tolist()],
        "sizes": _plain(side.sizes[kept]),
        "parts": side.parts[kept].tolist(),
        "pure": _rounded(side.shares[kept]),
        "vi": _rounded(side.vi[kept] / vi if vi > 0 else side.vi[kept]),
        "fixed": _rounded(side.repaired[kept]),
        "left": len(side.names) - int(kept.size),
    }


def _rounded(values: NDArray[np.float64]) -> list[float | None]:
    return [None if value != value else round(value, 4) for value in values.tolist()]


def _plain(values: NDArray[Any]) -> list[Any]:
    return values.tolist() if values.dtype.kind == "i" else [float(f"{value:.6g}") for value in values.tolist()]


def _items(system: System, cells: Ints, most: int) -> dict[str, list[str]]:
    """Names of items by the place of the cell among those that are kept; of the smallest cells first."""
    order = np.argsort(system.table.counts[cells], kind="stable").tolist()
    found: dict[str, list[str]] = {}
    for place in order:
        some = system.examples.get(int(cells[place]), ())[: max(0, most)]
        if some:
            found[str(place)] = list(some)
            most -= len(some)
    return found
