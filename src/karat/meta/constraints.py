"""Pairs of tables of which the second should score better.

The four constraints of Amigó et al. (2009, section 2), the steps of P1 to P7 in whole items, and trivial clusterings
beside good ones. Constraints are tested on backgrounds of other items, so that no measure passes by luck.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from karat.meta.desiderata import Desideratum
from karat.meta.families import Family, Grid
from karat.meta.partitions import Matrix, crossed, partitions

Cells = dict[tuple[str, str], int]
Pair = tuple[Matrix, Matrix]  # the worse one first

STEP_ITEMS = 3600  # items, for which every cell of every member of the grid below is a whole number


def _backgrounds(tries: int) -> Iterator[Cells]:
    rng = np.random.default_rng(7)
    yield {}
    for _ in range(tries):
        shape = rng.integers(1, 4, size=2)
        table = rng.integers(0, 4, size=shape)
        yield {(f"c{r}", f"k{k}"): int(table[r, k]) for r, k in np.argwhere(table)}


def _matrix(*parts: Cells) -> Matrix:
    cells = {cell: count for part in parts for cell, count in part.items()}
    classes, clusters = (list(dict.fromkeys(cell[side] for cell in cells)) for side in (0, 1))
    matrix = np.zeros((len(classes), len(clusters)), dtype=np.int64)
    for (c, k), count in cells.items():
        matrix[classes.index(c), clusters.index(k)] += count
    return matrix


def homogeneity(tries: int) -> Iterator[Pair]:
    """A cluster of two classes, and its split, with other items around."""
    for rest in _backgrounds(tries):
        for a, b in ((1, 1), (2, 2), (3, 1), (4, 2), (1, 5)):
            worse, better = {("A", "1"): a, ("B", "1"): b}, {("A", "1"): a, ("B", "2"): b}
            yield _matrix(worse, rest), _matrix(better, rest)
            other = {("A", "3"): 2, ("B", "3"): 4}  # the classes may have items elsewhere too
            yield _matrix(worse, other, rest), _matrix(better, other, rest)


def completeness(tries: int) -> Iterator[Pair]:
    """Two clusters of one class, and their merger, with other items around."""
    for rest in _backgrounds(tries):
        for a, b in ((1, 1), (2, 2), (3, 1), (4, 2)):
            worse, better = {("A", "1"): a, ("A", "2"): b}, {("A", "1"): a + b}
            yield _matrix(worse, rest), _matrix(better, rest)
            other = {("A", "3"): 5, ("B", "3"): 2}
            yield _matrix(worse, other, rest), _matrix(better, other, rest)


def rag_bag(tries: int) -> Iterator[Pair]:
    """An odd item in a pure cluster, and among odd items, with other items around."""
    for rest in _backgrounds(tries):
        for n in (2, 3, 4, 7):
            clean = {("A", "1"): n}
            bag = {(f"odd{i}", "2"): 1 for i in range(n)}
            yield _matrix(clean, bag, {("new", "1"): 1}, rest), _matrix(clean, bag, {("new", "2"): 1}, rest)


def size_quantity(tries: int) -> Iterator[Pair]:
    """Many small clusters broken in two, and one item split off a large one, with other items around."""
    for rest in _backgrounds(tries):
        for n in (3, 4, 6, 9):
            whole = {("A", "big"): n + 1}
            pairs = {(f"p{i}", f"p{i}"): 2 for i in range(n)}
            halves = {(f"p{i}", f"p{i}{side}"): 1 for i in range(n) for side in "ab"}
            off = {("A", "big"): n, ("A", "off"): 1}
            yield _matrix(whole, halves, rest), _matrix(off, pairs, rest)


def only_gold(tries: int) -> Iterator[Pair]:
    """Gold itself scores better than any other clustering; tried on all partitions of up to five items."""
    for n in range(2, 6):
        for gold in partitions(n):
            for pred in partitions(n):
                if pred != gold:
                    yield crossed(gold, pred), crossed(gold, gold)


SIZES = ((12, 12, 12), (24, 6, 6), (18, 12, 6), (6, 6, 6, 6, 6, 6))  # of classes


def _good(sizes: tuple[int, ...]) -> Matrix:
    """A good clustering: two thirds of each class in its own cluster, the others in the next."""
    wrong = np.array(sizes) // 3
    return np.diag(np.array(sizes) - wrong) + np.roll(np.diag(wrong), 1, axis=1)


def one_cluster(tries: int) -> Iterator[Pair]:
    """A clustering of which two thirds are right is better than one cluster for everything."""
    for sizes in SIZES:
        yield np.array(sizes)[:, None], _good(sizes)


def singletons(tries: int) -> Iterator[Pair]:
    """A clustering of which two thirds are right is better than a cluster for each item."""
    for sizes in SIZES:
        yield np.repeat(np.eye(len(sizes), dtype=np.int64), sizes, axis=1), _good(sizes)


def no_knowledge(tries: int) -> Iterator[Pair]:
    """A clustering of which two thirds are right is better than clusters that all mix the classes alike."""
    for sizes in SIZES:
        for shares in ((3, 3), (2, 2, 2), (3, 2, 1), (1,) * 6):
            yield np.outer(sizes, shares) // 6, _good(sizes)


def shuffled(tries: int) -> Iterator[Pair]:
    """The more items have their predicted label by chance, the worse."""
    for sizes, steps in (((20, 20), 10), ((30, 30, 30), 10), ((40, 20, 20), 5), ((50, 50, 50, 50, 50), 10)):
        random = np.outer(sizes, sizes) // sum(sizes)
        tables = [(np.diag(sizes) * (steps - s) + random * s) // steps for s in range(steps + 1)]
        for better, worse in pairwise(tables):
            yield worse, better


def steps(desideratum: Desideratum) -> Iterator[Pair]:
    """The steps of a grid of families with whole items, as pairs of tables."""
    shares = [0, 0.1, 0.2]
    values = {"useful": range(2, 6), "noise": range(4), "noise_classes": range(3)}
    grid = Grid.of(STEP_ITEMS, Family(classes=3), **values, error_1=shares, error_2=shares, error_3=shares)
    for sequence in desideratum.steps(grid):
        for a, b, want in sequence:
            tables = [np.rint(STEP_ITEMS * grid.members[index].distribution).astype(np.int64) for index in (a, b)]
            yield (tables[0], tables[1]) if want > 0 else (tables[1], tables[0])
