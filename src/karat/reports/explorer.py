"""JSON for the page's script: the worst classes and clusters and the largest cells, within limits."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from karat.explanations.findings import Margin, ranked
from karat.output.layout import shortened, shown
from karat.reports.content import System

LINES = 20_000  # classes and clusters of all systems together
CELLS = 36_000
ITEMS = 8_000  # ids of example items
WIDE = 40  # characters of a label, at most

Ints = NDArray[np.int64]


class Limits(NamedTuple):
    """The most lines (classes and clusters), cells and example items of one system on a page."""

    lines: int
    cells: int
    items: int

    @classmethod
    def among(cls, systems: int, share: float = 1.0) -> Limits:
        """The limits of one of several systems, if together they may use this share of the page's limits."""
        each = share / systems
        return cls(max(20, int(LINES * each)), max(50, int(CELLS * each)), int(ITEMS * each))


def explored(system: System, limits: Limits) -> dict[str, Any]:
    """The data of a system for the page's script: kept classes and clusters, and their cells."""
    explanation, table = system.explanation, system.table
    kept = [_kept(side, limits) for side in (explanation.classes, explanation.clusters)]
    indices = kept_indices(system, limits)
    cells = _cells(system, indices, limits.cells)
    return {
        "classes": _side(explanation.classes, kept[0], explanation.totals["vi"]),
        "clusters": _side(explanation.clusters, kept[1], explanation.totals["vi"]),
        "rows": indices[0][table.rows[cells]].tolist(),
        "cols": indices[1][table.cols[cells]].tolist(),
        "counts": _plain(table.counts[cells]),
        "items": _items(system, cells, limits.items),
        "measure": str(explanation.measure),
    }


def kept_indices(system: System, limits: Limits) -> list[Ints]:
    """The index on the page of each class and of each cluster of the table; -1 if it is not on the page."""
    explanation = system.explanation
    return [_indices(_kept(side, limits), len(side.names)) for side in (explanation.classes, explanation.clusters)]


def in_script(data: Any) -> str:
    """JSON, escaped so that it cannot close the script element around it."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def label(name: object) -> str:
    """A label as shown on the page: shortened, without control characters."""
    return shortened(shown(name), WIDE)


def _kept(side: Margin, limits: Limits) -> Ints:
    """The indices of the classes or clusters that add most to VI; among equals, the largest."""
    return ranked(np.round(side.vi, 12), side.sizes)[: limits.lines // 2]


def _indices(kept: Ints, size: int) -> Ints:
    indices = np.full(size, -1, np.int64)
    indices[kept] = np.arange(kept.size)
    return indices


def _cells(system: System, indices: list[Ints], most: int) -> Ints:
    """Indices of cells between kept lines: the largest of each row and column, then the largest of all."""
    table = system.table
    some = np.flatnonzero((indices[0][table.rows] >= 0) & (indices[1][table.cols] >= 0))
    if some.size <= most:
        return some
    order = some[np.argsort(-table.counts[some], kind="stable")]
    first = np.zeros(order.size, dtype=bool)
    for codes in (table.rows, table.cols):
        first[np.unique(codes[order], return_index=True)[1]] = True
    return np.sort(order[np.argsort(~first, kind="stable")][:most])


def _side(side: Margin, kept: Ints, vi: float) -> dict[str, Any]:
    """The kept lines: name, size, parts, share of the largest part, share of VI, the measure if repaired."""
    return {
        "names": [label(side.names[index]) for index in kept.tolist()],
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
    """Ids of example items by index of the kept cell, as text; the smallest cells are served first."""
    order = np.argsort(system.table.counts[cells], kind="stable").tolist()
    examples: dict[str, list[str]] = {}
    for index in order:
        some = system.examples.get(int(cells[index]), ())[: max(0, most)]
        if some:
            examples[str(index)] = list(some)
            most -= len(some)
    return examples
