"""Findings: errors and repairs of classes and clusters, the best merges and splits, odd ones."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from karat.explanations.anatomy import Anatomy, Floats, Ints, RowsOrColumns
from karat.explanations.moves import MergeClusters, SplitOff
from karat.measures.registry import Measure

STEP = 1e-13  # relative to the value, or to 1: gains that differ by less are ties
ODD = 0.05  # the largest share of a cluster that counts as odd in it


class Merge(NamedTuple):
    """Two clusters to merge, their sizes, and the class of which the merge joins most pairs of items."""

    left: Any
    right: Any
    items: tuple[Any, Any]
    shared: Any  # None if they have no class in common
    of_shared: tuple[Any, Any]  # the items of that class in either cluster
    value: float  # of the measure after the merge
    change: float  # of the measure


class Split(NamedTuple):
    """A class to split off a cluster."""

    label: Any  # the class
    cluster: Any
    items: Any  # of the class in the cluster
    of: Any  # the size of the cluster
    value: float  # of the measure after the split
    change: float  # of the measure


class OddOne(NamedTuple):
    """A few items of one class in a cluster whose other items are all of another class."""

    label: Any  # the class of the few items
    cluster: Any
    items: Any  # of that class in the cluster
    of: Any  # the size of the cluster
    otherwise: Any  # the class of the other items


@dataclass(frozen=True, eq=False, repr=False)
class Margin:
    """All classes or all clusters: arrays with one value for each."""

    names: tuple[Any, ...]
    others: tuple[Any, ...]  # the names of the other side
    lines: RowsOrColumns
    vi: Floats  # the contribution to the variation of information, in nats
    pairs: NDArray[Any]  # pairs of a class that are split, or of a cluster that are not of one class
    bcubed: Floats  # the contribution to 1 - BCubed recall (classes) or precision (clusters)
    repaired: Floats  # the measure's value after this repair alone; NaN where it was not tried
    changes: Floats  # repaired minus the present value

    @classmethod
    def of(cls, anatomy: Anatomy, repaired: Floats, value: float, *, gold: bool) -> Margin:
        """The classes (gold=True) or the clusters of a table."""
        table, lines = anatomy.table, anatomy.classes if gold else anatomy.clusters
        names = (table.classes, table.clusters) if gold else (table.clusters, table.classes)
        vi, bcubed = lines.weighted_log_ratio / anatomy.n, lines.foreign_shares / anatomy.n
        return cls(*names, lines, vi, lines.exact_foreign_pairs, bcubed, repaired, repaired - value)

    @property
    def sizes(self) -> NDArray[Any]:
        """The number of items of each class or cluster, or their weight."""
        return self.lines.line_items

    @property
    def parts(self) -> Ints:
        """The number of clusters of each class, or the number of classes of each cluster."""
        return self.lines.parts

    @cached_property
    def shares(self) -> Floats:
        """The share of the largest part in each class or cluster."""
        return np.asarray(self.lines.largest / self.lines.sizes)

    def largest_parts(self, index: int, most: int = 3) -> list[tuple[Any, float]]:
        """The largest parts of a class or cluster: labels of the other side, and their shares of it."""
        cells = self.lines.of(index, most)
        shares = (self.lines.counts[cells] / self.lines.sizes[index]).tolist()
        return [
            (self.others[other], share) for other, share in zip(self.lines.across[cells].tolist(), shares, strict=True)
        ]

    def worst(self, most: int) -> list[int]:
        """The indices of the largest contributions to VI; ties by decreasing size, then by label order."""
        order = ranked(np.round(self.vi, 12), self.sizes)
        return [index for index in order[:most].tolist() if self.parts[index] > 1]


def ranked(gains: Floats, sizes: NDArray[Any]) -> Ints:
    """Indices by decreasing gain; ties by decreasing size, then by label order."""
    return np.lexsort((-sizes, -gains))


def gains(measure: Measure, value: float, after: Floats) -> Floats:
    """The gain of each value over the present one, rounded to STEP to make ties exact; NaN if unknown."""
    known = np.where(np.isfinite(after), after, np.nan)
    gain = known - value if measure.better == "higher" else value - known
    step = STEP * max(1.0, abs(value))
    return np.asarray(np.round(gain / step) * step)


def best(gain: Floats, sizes: NDArray[Any], top: int) -> list[int]:
    """The indices of the largest positive gains."""
    some = np.flatnonzero(gain > 0)
    return [int(index) for index in some[ranked(gain[some], sizes[some])[:top]]]


def promised_merges(moves: MergeClusters, after: Floats, measure: Measure, value: float, top: int) -> list[int]:
    """The indices of the merges that gain most."""
    sizes = moves.anatomy.table.cluster_sizes
    return best(gains(measure, value, after), sizes[moves.left] + sizes[moves.right], top)


def best_merges(moves: MergeClusters, after: Floats, measure: Measure, value: float, top: int) -> tuple[Merge, ...]:
    """The merges of two clusters that gain most."""
    names, sizes = moves.anatomy.table.clusters, moves.anatomy.table.cluster_sizes
    merges = []
    for index in promised_merges(moves, after, measure, value, top):
        i, j = int(moves.left[index]), int(moves.right[index])
        shared, of_shared = _most_shared(moves, index)
        items = (sizes[i].item(), sizes[j].item())
        new = float(after[index])
        merges.append(Merge(names[i], names[j], items, shared, of_shared, new, new - value))
    return tuple(merges)


def _most_shared(moves: MergeClusters, index: int) -> tuple[Any, tuple[Any, Any]]:
    """The class of which a merge joins most pairs of items, and its items in either cluster."""
    at = np.arange(*np.searchsorted(moves.pair, [index, index + 1]))
    if not at.size:
        return None, (0, 0)
    most = at[np.lexsort((moves.shared[at], -(moves.in_left[at] * moves.in_right[at])))[0]]
    label = int(moves.shared[most])
    left, right = (moves.anatomy.items_in(label, int(clusters[index])) for clusters in (moves.left, moves.right))
    return moves.anatomy.table.classes[label], (left, right)


def promised_splits(moves: SplitOff, after: Floats, measure: Measure, value: float, top: int) -> list[int]:
    """The indices of the splits that gain most."""
    return best(gains(measure, value, after), moves.anatomy.table.counts[moves.cells], top)


def best_splits(moves: SplitOff, after: Floats, measure: Measure, value: float, top: int) -> tuple[Split, ...]:
    """The splits of a class from a cluster that gain most."""
    table, k = moves.anatomy.table, moves.anatomy.clusters
    splits = []
    for index in promised_splits(moves, after, measure, value, top):
        cell, new = moves.cells[index], float(after[index])
        names = table.classes[k.across[cell]], table.clusters[k.codes[cell]]
        items, of = table.counts[cell].item(), table.cluster_sizes[k.codes[cell]].item()
        splits.append(Split(*names, items, of, new, new - value))
    return tuple(splits)


def odd_ones(anatomy: Anatomy, top: int) -> tuple[OddOne, ...]:
    """Odd ones: the smaller part of a cluster of two classes, if one item or at most a twentieth.

    Most items first, then the largest clusters.
    """
    k, table = anatomy.clusters, anatomy.table
    few = (k.second <= 1) | (k.second <= ODD * k.sizes)
    indices = np.flatnonzero((k.parts == 2) & few & (k.second < k.largest))
    order = indices[np.lexsort((-k.sizes[indices], -k.second[indices]))[:top]]
    odd = []
    for index in order.tolist():
        cells = k.of(index)
        larger, smaller = k.across[cells].tolist()
        items, of = table.counts[cells[1]].item(), table.cluster_sizes[index].item()
        odd.append(OddOne(table.classes[smaller], table.clusters[index], items, of, table.classes[larger]))
    return tuple(odd)
