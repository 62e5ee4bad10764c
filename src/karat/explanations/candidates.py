"""Which pairs of clusters to try to merge, where there are too many to try them all.

A merge gains by the items of one class that it brings together, so two clusters that share no class need not be tried
(except for code lengths, which charge for every cluster). All pairs of clusters that share a class with few parts are
tried. Of a class with parts in very many clusters, one part is behind another if it is no larger and its cluster no
smaller. For measures of entropies or of pairs, a merge by the part behind is at best as good as the same merge by the
part ahead. So the best L merges of clusters that have one class in common are among the parts that have fewer than
L + 1 others ahead of them: those in the first L + 1 layers, of which each holds the parts that are behind none but
those of layers before. Two clusters that have several classes in common, all of many parts, are found if both are in
these layers for one of them, or are among the largest clusters. Where the layers hold too many pairs, only the first
few are taken, or the largest parts of the first; then fewer of the best merges are sure, or none.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from karat.explanations.anatomy import Anatomy, Ints
from karat.explanations.moves import MergeClusters

LARGEST = 200  # clusters that are tried with each other, whatever they share
PAIRS = 800_000  # pairs of parts of one class: the limit for classes with few parts, and again for layers of the others
LOOKUPS = 16_000_000  # searches for a class in the other cluster
CHUNK = 1_000_000  # searches at a time


def candidate_merges(anatomy: Anatomy, top: int) -> tuple[MergeClusters, bool]:
    """The pairs of clusters to try to merge; and whether they include all that share a class."""
    clusters, few = anatomy.clusters.sizes.size, anatomy.by_size[:LARGEST]
    pairs, complete = [_pairs_within(np.zeros_like(few), few, clusters)], True
    if clusters > LARGEST:
        parts, complete = promising_parts(anatomy, top + 1)
        pairs.append(_pairs_within(anatomy.classes.codes[parts], anatomy.clusters.codes[parts], clusters))
    left, right = np.divmod(np.unique(np.concatenate(pairs)), clusters)
    kept = _affordable(anatomy, left, right)
    return _shared(anatomy, left[kept], right[kept]), complete and kept.size == left.size


def promising_parts(anatomy: Anatomy, layers: int) -> tuple[Ints, bool]:
    """The cells to pair, class by class, and whether they are all cells.

    All cells of classes with few parts; of the other classes, the first layers.
    """
    classes = anatomy.classes
    number = classes.parts * (classes.parts - 1.0) / 2
    fewest = np.argsort(number, kind="stable")
    whole = np.zeros(number.size, dtype=bool)
    whole[fewest[np.cumsum(number[fewest]) <= PAIRS]] = True
    if whole.all():
        return classes.order, True
    cells = np.concatenate([np.flatnonzero(whole[classes.codes]), _first_layers(anatomy, ~whole, layers)])
    return cells[np.argsort(classes.codes[cells], kind="stable")], False


def _first_layers(anatomy: Anatomy, chosen: NDArray[np.bool_], layers: int) -> Ints:
    """The cells of the first layers of some classes, or of as many layers as PAIRS allows."""
    classes = anatomy.classes
    _, rank = np.unique(anatomy.clusters.sizes, return_inverse=True)
    rank = rank[anatomy.clusters.codes]
    waiting = np.lexsort((classes.across, rank, -classes.counts, classes.codes))
    waiting = waiting[chosen[classes.codes[waiting]]]
    ahead = _ahead(classes.codes[waiting], rank[waiting])
    taken = _first_of_each(classes.codes[waiting[ahead]], waiting[ahead])
    for _ in range(layers - 1):
        waiting = waiting[~ahead]
        ahead = _ahead(classes.codes[waiting], rank[waiting])
        more = np.concatenate([taken, waiting[ahead]])
        if _number_of_pairs(np.bincount(classes.codes[more])) > PAIRS:
            break
        taken = more
    return taken


def _ahead(codes: Ints, rank: Ints) -> NDArray[np.bool_]:
    """Whether each part, sorted by class and decreasing count, is in a smaller cluster than all before."""
    key = rank - codes * (int(rank.max(initial=0)) + 1)  # each class lies below the one before
    lowest = np.minimum.accumulate(key)
    return np.concatenate([[True], key[1:] < lowest[:-1]])[: key.size]


def _first_of_each(codes: Ints, cells: Ints) -> Ints:
    """The cells, sorted by class; only the first few of each class if there are too many pairs."""
    number = np.bincount(codes)
    if _number_of_pairs(number) <= PAIRS:
        return cells
    most = max(2, int(np.sqrt(2 * PAIRS / np.count_nonzero(number))))
    rank = np.arange(codes.size) - (np.cumsum(number) - number)[codes]  # within the class
    return cells[rank < most]


def _number_of_pairs(parts: Ints) -> float:
    sizes = parts.astype(np.float64)
    return float((sizes * (sizes - 1)).sum()) / 2


def _pairs_within(groups: Ints, members: Ints, base: int) -> Ints:
    """Every two members of the same group as lower * base + higher; groups are in increasing order."""
    number = np.bincount(groups)
    ends = np.cumsum(number)[groups]
    index = np.arange(groups.size)
    others = ends - index - 1  # members of the group that come later
    first = np.repeat(index, others)
    second = np.arange(first.size) - np.repeat(np.cumsum(others) - others, others) + first + 1
    one, two = members[first], members[second]
    return np.asarray(np.minimum(one, two) * base + np.maximum(one, two))


def _affordable(anatomy: Anatomy, left: Ints, right: Ints) -> Ints:
    """The indices of all pairs, or of those with the largest smaller cluster if LOOKUPS is exceeded."""
    k = anatomy.clusters
    work = np.minimum(k.parts[left], k.parts[right])
    if work.sum() <= LOOKUPS:
        return np.arange(left.size)
    order = np.argsort(-np.minimum(k.sizes[left], k.sizes[right]), kind="stable")
    enough = max(1, int(np.searchsorted(np.cumsum(work[order]), LOOKUPS, "right")))
    return np.sort(order[:enough])


def _shared(anatomy: Anatomy, left: Ints, right: Ints) -> MergeClusters:
    """The merges of the pairs, with their shared classes: the fewer are looked up in the other."""
    k = anatomy.clusters
    swap = k.parts[left] > k.parts[right]
    fewer, other = np.where(swap, right, left), np.where(swap, left, right)
    ends = np.cumsum(k.parts[fewer])
    cuts = np.searchsorted(ends, np.arange(CHUNK, ends[-1] + 1 if ends.size else 0, CHUNK))
    parts = [_looked_up(anatomy, fewer, other, part) for part in np.split(np.arange(left.size), cuts)]
    pair, in_fewer, in_other = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    in_left, in_right = np.where(swap[pair], (in_other, in_fewer), (in_fewer, in_other))
    return MergeClusters(anatomy, left, right, pair, k.across[in_fewer], k.counts[in_left], k.counts[in_right])


def _looked_up(anatomy: Anatomy, fewer: Ints, other: Ints, pairs: Ints) -> tuple[Ints, Ints, Ints]:
    """For every class that two clusters share: the pair, and the cell of the class in either cluster."""
    k = anatomy.clusters
    parts = k.parts[fewer[pairs]]
    within = np.arange(parts.sum()) - np.repeat(np.cumsum(parts) - parts, parts)
    cells = k.order[np.repeat(k.starts[fewer[pairs]], parts) + within]
    wanted = k.across[cells] * k.sizes.size + np.repeat(other[pairs], parts)
    nearest = np.minimum(np.searchsorted(anatomy.keys, wanted), anatomy.keys.size - 1)
    shared = anatomy.keys[nearest] == wanted
    return np.repeat(pairs, parts)[shared], cells[shared], nearest[shared]
