"""What is found: lines of the table with what they add and what repairing them would do, moves, odd ones out."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from karat.explanations.anatomy import Anatomy, Floats, Ints, Lines
from karat.explanations.moves import MergeClusters, SplitOff
from karat.measures.registry import Measure

STEP = 1e-13  # relative to the value, or to 1: what differs by less is a tie
ODD = 0.05  # the largest share of a cluster that is still odd in it


class Merge(NamedTuple):
    """Two clusters to join, the items in each, and the class of which they would bring most items together."""

    left: Any
    right: Any
    items: tuple[Any, Any]
    shared: Any  # None if they have no class in common
    of_shared: tuple[Any, Any]
    value: float
    change: float


class Split(NamedTuple):
    """A class to take out of a cluster, how many items that are, and of how many."""

    label: Any
    cluster: Any
    items: Any
    of: Any
    value: float
    change: float


class OddOne(NamedTuple):
    """Few items of one class in a cluster that is otherwise of another."""

    label: Any
    cluster: Any
    items: Any
    of: Any
    otherwise: Any


@dataclass(frozen=True, eq=False, repr=False)
class Side:
    """All classes or all clusters: arrays of a number for each."""

    names: tuple[Any, ...]
    others: tuple[Any, ...]  # the names of the other side
    lines: Lines
    vi: Floats  # what each adds to the variation of information, in nats
    pairs: NDArray[Any]  # pairs of a class that are split, or of a cluster that are not of one class
    bcubed: Floats  # what each adds to 1 - BCubed recall (classes) or precision (clusters)
    repaired: Floats  # the measure's value if this one were repaired; NaN where it was not tried
    changes: Floats

    @classmethod
    def of(cls, anatomy: Anatomy, repaired: Floats, value: float, *, gold: bool) -> Side:
        """The classes, or the clusters."""
        table, lines = anatomy.table, anatomy.classes if gold else anatomy.clusters
        names = (table.classes, table.clusters) if gold else (table.clusters, table.classes)
        vi, bcubed = lines.weighted_log_ratio / anatomy.n, lines.foreign_shares / anatomy.n
        return cls(*names, lines, vi, lines.foreign_pairs, bcubed, repaired, repaired - value)

    @property
    def sizes(self) -> NDArray[Any]:
        """The items of each, or their weight."""
        return self.lines.sizes

    @property
    def parts(self) -> Ints:
        """Over how many clusters each class is spread, or how many classes each cluster mixes."""
        return self.lines.parts

    @cached_property
    def shares(self) -> Floats:
        """The share of the largest part in each."""
        return np.asarray(self.lines.largest / self.lines.sizes)

    def largest_parts(self, place: int, most: int = 3) -> list[tuple[Any, float]]:
        """The labels of the other side that have most of this one, and their shares of it."""
        cells = self.lines.of(place, most)
        shares = (self.lines.counts[cells] / self.lines.sizes[place]).tolist()
        return [
            (self.others[other], share) for other, share in zip(self.lines.across[cells].tolist(), shares, strict=True)
        ]

    def worst(self, most: int) -> list[int]:
        """The places of those that add most to VI; ties go to the larger, then to the order of labels."""
        order = ranked(np.round(self.vi, 12), self.sizes)
        return [place for place in order[:most].tolist() if self.parts[place] > 1]


def ranked(gains: Floats, sizes: NDArray[Any]) -> Ints:
    """Places by falling gain; ties go to the larger, then to the order of labels."""
    return np.lexsort((-sizes, -gains))


def gains(measure: Measure, value: float, after: Floats) -> Floats:
    """How much better each value is than the present one, in steps below which all is rounding; NaN if not known."""
    known = np.where(np.isfinite(after), after, np.nan)
    gain = known - value if measure.better == "higher" else value - known
    step = STEP * max(1.0, abs(value))
    return np.asarray(np.round(gain / step) * step)


def best(gain: Floats, sizes: NDArray[Any], top: int) -> list[int]:
    """The places of the best gains above 0."""
    some = np.flatnonzero(gain > 0)
    return [int(place) for place in some[ranked(gain[some], sizes[some])[:top]]]


def best_merges(joined: MergeClusters, after: Floats, measure: Measure, value: float, top: int) -> tuple[Merge, ...]:
    """The pairs of clusters that gain most by being joined."""
    anatomy, names = joined.anatomy, joined.anatomy.table.clusters
    sizes = anatomy.clusters.sizes
    left, right = sizes[joined.left], sizes[joined.right]
    found = []
    for place in best(gains(measure, value, after), left + right, top):
        i, j = int(joined.left[place]), int(joined.right[place])
        shared, of_shared = _most_shared(joined, place)
        items = (sizes[i].item(), sizes[j].item())
        new = float(after[place])
        found.append(Merge(names[i], names[j], items, shared, of_shared, new, new - value))
    return tuple(found)


def _most_shared(joined: MergeClusters, place: int) -> tuple[Any, tuple[Any, Any]]:
    """The class of which a merge brings most pairs of items together, and its items in either cluster."""
    at = np.arange(*np.searchsorted(joined.pair, [place, place + 1]))
    if not at.size:
        return None, (0, 0)
    most = at[np.lexsort((joined.shared[at], -(joined.in_left[at] * joined.in_right[at])))[0]]
    name = joined.anatomy.table.classes[joined.shared[most]]
    return name, (joined.in_left[most].item(), joined.in_right[most].item())


def best_splits(taken: SplitOff, after: Floats, measure: Measure, value: float, top: int) -> tuple[Split, ...]:
    """The classes that gain most by being taken out of a cluster."""
    table, k = taken.anatomy.table, taken.anatomy.clusters
    found = []
    for place in best(gains(measure, value, after), k.counts[taken.cells], top):
        cell, new = taken.cells[place], float(after[place])
        names = table.classes[k.across[cell]], table.clusters[k.codes[cell]]
        found.append(Split(*names, k.counts[cell].item(), k.own[cell].item(), new, new - value))
    return tuple(found)


def odd_ones(anatomy: Anatomy, top: int) -> tuple[OddOne, ...]:
    """The smaller parts of clusters of two classes: one item, or a twentieth; most items first, of largest clusters."""
    k, table = anatomy.clusters, anatomy.table
    few = (k.second <= 1) | (k.second <= ODD * k.sizes)
    places = np.flatnonzero((k.parts == 2) & few & (k.second < k.largest))
    order = places[np.lexsort((-k.sizes[places], -k.second[places]))[:top]]
    found = []
    for place in order.tolist():
        larger, smaller = k.across[k.of(place)].tolist()
        items, of = k.second[place].item(), k.sizes[place].item()
        found.append(OddOne(table.classes[smaller], table.clusters[place], items, of, table.classes[larger]))
    return tuple(found)
