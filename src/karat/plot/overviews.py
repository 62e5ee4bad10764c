"""A table reduced for drawing: the largest classes and clusters, and one line for all others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from karat.errors import KaratError, brief
from karat.kernels.tallying import add_by_code
from karat.labels.identity import Singleton
from karat.limits import DRAWN
from karat.output.numbers import several
from karat.plot.lettering import OTHER, percent
from karat.tables.table import Table

Ints = NDArray[np.int64]


class DrawnMargin(NamedTuple):
    """The classes or clusters that are drawn, and how many others there are."""

    noun: str
    names: tuple[Any, ...]
    ranks: tuple[int, ...]  # rank of each by size, from 0
    others: int = 0
    share: float = 0.0  # of the items that are in the others

    @property
    def labels(self) -> tuple[Any, ...]:
        """The names, followed by "other" if some are not drawn."""
        return (*self.names, OTHER) if self.others else self.names

    def reordered(self, order: Sequence[int]) -> DrawnMargin:
        """This side in another order; order: indices of the names."""
        return self._replace(
            names=tuple(self.names[index] for index in order), ranks=tuple(self.ranks[index] for index in order)
        )

    @property
    def rest(self) -> str:
        """How many others there are and the share of the items in them, as text."""
        return f"{several(self.others, f'other {self.noun}')}, {percent(self.share)} of the items"


@dataclass(frozen=True, eq=False)
class Overview:
    """Counts: a row for each class drawn, then one for all others, if any; columns likewise."""

    counts: NDArray[Any]
    classes: DrawnMargin
    clusters: DrawnMargin

    def shares(self, of: str) -> NDArray[np.float64]:
        """Each cell divided by the size of its class or its cluster; of: "class" or "cluster"."""
        return np.asarray(self.counts / self.counts.sum(axis=1 if of == "class" else 0, keepdims=True))

    def reordered(self, rows: Sequence[int], cols: Sequence[int]) -> Overview:
        """This overview with rows and columns reordered; the row and column for all others stay last."""
        rows, cols = _with_rest(rows, self.counts.shape[0]), _with_rest(cols, self.counts.shape[1])
        sides = [
            side.reordered(order[: len(side.names)]) for side, order in ((self.classes, rows), (self.clusters, cols))
        ]
        return replace(self, counts=self.counts[np.ix_(rows, cols)], classes=sides[0], clusters=sides[1])

    def beside(self) -> Overview:
        """Sort the clusters by their majority class, then by falling number of items in it."""
        drawn = self.counts[: len(self.classes.names), : len(self.clusters.names)]
        undrawn = drawn.max(axis=0) == 0  # all items are in classes that are not drawn
        order = np.lexsort((-drawn.max(axis=0), drawn.argmax(axis=0), undrawn))
        return self.reordered(range(len(self.classes.names)), order.tolist())

    def untangled(self, rounds: int = 8) -> Overview:
        """Order classes and clusters so that the bands of a flow diagram cross little.

        Insert class by class where crossings are fewest; then alternately sort each side by the mean row or column
        of its items (barycentre method, Sugiyama, Tagawa & Toda 1981), and take the best order.
        """
        inserted = _inserted(self.counts[: len(self.classes.names), : len(self.clusters.names)])
        return min((view for order in (inserted, inserted[::-1]) for view in self._sweeps(order, rounds)), key=_tangle)

    def _sweeps(self, order: Sequence[int], rounds: int) -> Iterator[Overview]:
        """Candidate orders: start with the given order of classes, then sort clusters and classes alternately."""
        rows, cols = range(len(self.classes.names)), range(len(self.clusters.names))
        view = self.reordered(order, cols)
        for turn in range(rounds):
            if turn % 2:
                view = view.reordered(_by_mean_row(view.counts[: len(rows)].T), cols)
            else:
                view = view.reordered(rows, _by_mean_row(view.counts[:, : len(cols)]))
            yield view


def _tangle(view: Overview) -> tuple[float, float]:
    """Sort key of an order: its crossings, then the mean row of the items, so that large classes are on top."""
    sizes = view.counts.sum(axis=1) / view.counts.sum()
    return round(crossings(view.counts), 12), float(np.arange(len(sizes)) @ sizes)


def _inserted(counts: NDArray[Any]) -> list[int]:
    """An order of the rows: each is inserted among those before it where crossings are fewest."""
    order: list[int] = []
    for row in range(counts.shape[0]):
        candidates = [[*order[:index], row, *order[index:]] for index in range(len(order) + 1)]
        order = min(candidates, key=lambda rows: crossings(counts[rows][:, _by_mean_row(counts[rows])]))
    return order


def _by_mean_row(counts: NDArray[Any]) -> list[int]:
    """The indices of the columns, sorted by the mean row of their items."""
    means = np.arange(counts.shape[0]) @ (counts / np.maximum(counts.sum(axis=0), np.finfo(float).tiny))
    return [int(column) for column in np.argsort(means, kind="stable")]


def crossings(counts: NDArray[Any]) -> float:
    """The crossings of bands in this order: the sum of products of the shares that cross."""
    flows = counts / max(counts.sum(), np.finfo(float).tiny)
    before = np.cumsum(flows, axis=1) - flows  # the row's share in columns to the left
    below = np.cumsum(before[::-1], axis=0)[::-1] - before
    return float((flows * below).sum())


def overview(given: object, most_classes: int, most_clusters: int) -> Overview:
    """The largest classes and clusters by falling size, and all others as one; a single other is drawn.

    Singletons that a policy made of noise or missing labels are among the others.
    """
    table = checked(given)
    rows, row_names = _lines(table.class_sizes, most_classes, table.classes)
    cols, col_names = _lines(table.cluster_sizes, most_clusters, table.clusters)
    shape = int(rows.max()) + 1, int(cols.max()) + 1
    codes = rows[table.rows] * shape[1] + cols[table.cols]
    if table.counts.dtype.kind == "i":
        counts = add_by_code(codes, table.counts, shape[0] * shape[1])
    else:
        counts = np.bincount(codes, table.counts, minlength=shape[0] * shape[1])
    counts = counts.reshape(shape)
    classes = _side("class", table.classes, row_names, counts.sum(axis=1))
    return Overview(counts, classes, _side("cluster", table.clusters, col_names, counts.sum(axis=0)))


def checked(given: object) -> Table:
    """The table of a result such as Scores or an Explanation; a Table is returned as it is."""
    table = getattr(given, "table", given)
    if not isinstance(table, Table):
        raise KaratError(
            f"{type(given).__name__} has no cells to draw; give a Table, such as Table.from_labels(gold, pred)."
        )
    return table


def has_cells(result: object) -> bool:
    """Whether a result, or a Table, has the cells that checked() gives."""
    return isinstance(getattr(result, "table", result), Table)


def at_most(most: object) -> int:
    """Validate the greatest number of classes or clusters to draw."""
    if not isinstance(most, Integral) or isinstance(most, bool) or most < 1:
        raise KaratError(f"most={brief(most)} is not a number of classes or clusters; give an integer from 1 on.")
    DRAWN.check(int(most), "most")
    return int(most)


def by_size(sizes: NDArray[Any], names: Sequence[Any]) -> Ints:
    """Indices of classes or clusters by falling size; singletons that a policy made come last."""
    singletons = np.fromiter((isinstance(name, Singleton) for name in names), bool, len(names))
    return np.lexsort((-sizes, singletons))


def _lines(sizes: NDArray[Any], most: int, names: Sequence[Any]) -> tuple[Ints, Ints]:
    """The row or column that each class or cluster is drawn in, and the indices of those with one of their own."""
    order = by_size(sizes, names)
    most = min(most, sum(not isinstance(name, Singleton) for name in names) or 1)
    drawn_indices = order if order.size <= most + 1 else order[:most]
    lines = np.full(order.size, drawn_indices.size, dtype=np.int64)
    lines[drawn_indices] = np.arange(drawn_indices.size)
    return lines, drawn_indices


def _side(noun: str, names: tuple[Any, ...], drawn_indices: Ints, sizes: NDArray[Any]) -> DrawnMargin:
    drawn = tuple(names[index] for index in drawn_indices.tolist())
    others = len(names) - len(drawn)
    return DrawnMargin(noun, drawn, tuple(range(len(drawn))), others, float(sizes[-1] / sizes.sum()) if others else 0.0)


def _with_rest(order: Sequence[int], size: int) -> list[int]:
    return [*order, *range(len(order), size)]
