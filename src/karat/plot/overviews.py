"""A table cut down to what can be drawn: its largest classes and clusters, and one line for all others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from karat.errors import KaratError
from karat.kernels.tallying import add_by_code
from karat.labels.names import Singleton
from karat.plot.lettering import OTHER, percent
from karat.tables.table import Table, several

Ints = NDArray[np.int64]


class Side(NamedTuple):
    """The classes or the clusters that are drawn, and the others."""

    noun: str
    names: tuple[Any, ...]
    ranks: tuple[int, ...]  # their places by size, from 0 on
    others: int = 0
    share: float = 0.0  # of the items, in the others

    @property
    def labels(self) -> tuple[Any, ...]:
        """The names, and one for all others, if there are any."""
        return (*self.names, OTHER) if self.others else self.names

    def taken(self, order: Sequence[int]) -> Side:
        """The same in another order."""
        return self._replace(
            names=tuple(self.names[place] for place in order), ranks=tuple(self.ranks[place] for place in order)
        )

    @property
    def rest(self) -> str:
        """What is not drawn one by one, in words."""
        return f"{several(self.others, f'other {self.noun}')}, {percent(self.share)} of the items"


@dataclass(frozen=True, eq=False)
class Overview:
    """Counts of items: a row for each class drawn and one for the others, if any; columns for clusters likewise."""

    counts: NDArray[Any]
    classes: Side
    clusters: Side

    def shares(self, of: str) -> NDArray[np.float64]:
        """The part of its class, or of its cluster, that each cell is."""
        return np.asarray(self.counts / self.counts.sum(axis=1 if of == "class" else 0, keepdims=True))

    def taken(self, rows: Sequence[int], cols: Sequence[int]) -> Overview:
        """The same in another order; all others stay the last."""
        rows, cols = _with_rest(rows, self.counts.shape[0]), _with_rest(cols, self.counts.shape[1])
        sides = [side.taken(order[: len(side.names)]) for side, order in ((self.classes, rows), (self.clusters, cols))]
        return replace(self, counts=self.counts[np.ix_(rows, cols)], classes=sides[0], clusters=sides[1])

    def beside(self) -> Overview:
        """Clusters beside the class that most of their items are of, those with most items of it first."""
        drawn = self.counts[: len(self.classes.names), : len(self.clusters.names)]
        nowhere = drawn.max(axis=0) == 0  # all their items are of classes that are not drawn
        order = np.lexsort((-drawn.max(axis=0), drawn.argmax(axis=0), nowhere))
        return self.taken(range(len(self.classes.names)), order.tolist())

    def untangled(self, rounds: int = 8) -> Overview:
        """Classes and clusters in an order in which flows between them cross little.

        Class by class where it crosses least; then each side in turn by the mean place of what it is joined to
        (Sugiyama, Tagawa & Toda 1981), while it helps.
        """
        inserted = _inserted(self.counts[: len(self.classes.names), : len(self.clusters.names)])
        return min((view for order in (inserted, inserted[::-1]) for view in self._turned(order, rounds)), key=_tangle)

    def _turned(self, order: Sequence[int], rounds: int) -> Iterator[Overview]:
        """Orders to choose from: the classes as given, then the sides in turn."""
        rows, cols = range(len(self.classes.names)), range(len(self.clusters.names))
        held = self.taken(order, cols)
        for turn in range(rounds):
            if turn % 2:
                held = held.taken(_by_mean_place(held.counts[: len(rows)].T), cols)
            else:
                held = held.taken(rows, _by_mean_place(held.counts[:, : len(cols)]))
            yield held


def _tangle(view: Overview) -> tuple[float, float]:
    """How much crosses; then, how far down large classes are."""
    sizes = view.counts.sum(axis=1) / view.counts.sum()
    return round(crossings(view.counts), 12), float(np.arange(len(sizes)) @ sizes)


def _inserted(counts: NDArray[Any]) -> list[int]:
    """The rows, each put among those before it where least crosses."""
    order: list[int] = []
    for row in range(counts.shape[0]):
        tries = [[*order[:place], row, *order[place:]] for place in range(len(order) + 1)]
        order = min(tries, key=lambda rows: crossings(counts[rows][:, _by_mean_place(counts[rows])]))
    return order


def _by_mean_place(counts: NDArray[Any]) -> list[int]:
    """The columns by the mean row of their items."""
    means = np.arange(counts.shape[0]) @ (counts / np.maximum(counts.sum(axis=0), np.finfo(float).tiny))
    return [int(place) for place in np.argsort(means, kind="stable")]


def crossings(counts: NDArray[Any]) -> float:
    """How much crosses if rows and columns are joined in this order: the sum of products of flows that do."""
    flows = counts / max(counts.sum(), np.finfo(float).tiny)
    before = np.cumsum(flows, axis=1) - flows  # in columns to the left
    below = np.cumsum(before[::-1], axis=0)[::-1] - before
    return float((flows * below).sum())


def overview(given: object, most_classes: int, most_clusters: int) -> Overview:
    """The largest classes and clusters of a table, the largest first, and all others as one; one alone is drawn.

    Clusters of one item each that a policy made, of noise or of missing labels, are among the others.
    """
    table = checked(given)
    rows, row_names = _places(table.class_sizes, most_classes, table.classes)
    cols, col_names = _places(table.cluster_sizes, most_clusters, table.clusters)
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
    """A table, or that of scores or of an explanation."""
    table = getattr(given, "table", given)
    if not isinstance(table, Table):
        raise KaratError(
            f"{type(given).__name__} has no cells to draw; give a Table, such as Table.from_labels(gold, pred)."
        )
    return table


def at_most(most: object) -> int:
    """A number of lines to draw."""
    if not isinstance(most, Integral) or isinstance(most, bool) or most < 1:
        raise KaratError(f"most={most!r} is not a number of lines to draw; give a whole number from 1 on.")
    return int(most)


def by_size(sizes: NDArray[Any], names: Sequence[Any]) -> Ints:
    """Classes or clusters, the largest first, and last those that a policy made of single items."""
    made = np.fromiter((isinstance(name, Singleton) for name in names), bool, len(names))
    return np.lexsort((-sizes, made))


def _places(sizes: NDArray[Any], most: int, names: Sequence[Any]) -> tuple[Ints, Ints]:
    """The line that each class or cluster is drawn in, and those that have one of their own."""
    order = by_size(sizes, names)
    most = min(most, sum(not isinstance(name, Singleton) for name in names) or 1)
    kept = order if order.size <= most + 1 else order[:most]
    places = np.full(order.size, kept.size, dtype=np.int64)
    places[kept] = np.arange(kept.size)
    return places, kept


def _side(noun: str, names: tuple[Any, ...], kept: Ints, sizes: NDArray[Any]) -> Side:
    drawn = tuple(names[place] for place in kept.tolist())
    others = len(names) - len(drawn)
    return Side(noun, drawn, tuple(range(len(drawn))), others, float(sizes[-1] / sizes.sum()) if others else 0.0)


def _with_rest(order: Sequence[int], size: int) -> list[int]:
    return [*order, *range(len(order), size)]
