"""Pairs of clusterings of which the second should score better: Amigó et al. (2009), section 2.

Each generator yields (worse, better) tables. The background is a random clustering of other items, so that a
measure cannot pass by looking at one part only.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from karat import Table

Cells = dict[tuple[str, str], int]


def backgrounds(tries: int) -> Iterator[Cells]:
    rng = np.random.default_rng(7)
    yield {}
    for _ in range(tries):
        shape = rng.integers(1, 4, size=2)
        table = rng.integers(0, 4, size=shape)
        yield {(f"c{r}", f"k{k}"): int(table[r, k]) for r, k in np.argwhere(table)}


def table(*parts: Cells) -> Table:
    cells = [(c, k, h) for part in parts for (c, k), h in part.items()]
    return Table.from_cells(*map(list, zip(*cells, strict=True)))


def homogeneity(tries: int = 30) -> Iterator[tuple[Table, Table]]:
    """A cluster of two classes is better split into its classes."""
    for rest in backgrounds(tries):
        for a, b in ((1, 1), (2, 2), (3, 1), (4, 2), (1, 5)):
            worse = {("A", "1"): a, ("B", "1"): b}
            yield table(worse, rest), table({("A", "1"): a, ("B", "2"): b}, rest)
            # the classes may have items elsewhere too
            other = {("A", "3"): 2, ("B", "3"): 4}
            yield table(worse, other, rest), table({("A", "1"): a, ("B", "2"): b}, other, rest)


def completeness(tries: int = 30) -> Iterator[tuple[Table, Table]]:
    """Two clusters of one class are better merged."""
    for rest in backgrounds(tries):
        for a, b in ((1, 1), (2, 2), (3, 1), (4, 2)):
            worse = {("A", "1"): a, ("A", "2"): b}
            yield table(worse, rest), table({("A", "1"): a + b}, rest)
            other = {("A", "3"): 5, ("B", "3"): 2}
            yield table(worse, other, rest), table({("A", "1"): a + b}, other, rest)


def rag_bag(tries: int = 30) -> Iterator[tuple[Table, Table]]:
    """An odd item does less harm in a cluster of odd items than in a clean one of the same size."""
    for rest in backgrounds(tries):
        for n in (2, 3, 4, 7):
            clean = {("A", "1"): n}
            bag = {(f"odd{i}", "2"): 1 for i in range(n)}
            yield table(clean, bag, {("new", "1"): 1}, rest), table(clean, bag, {("new", "2"): 1}, rest)


def size_quantity(tries: int = 30) -> Iterator[tuple[Table, Table]]:
    """One item split off a large cluster is better than many small clusters broken in two."""
    for rest in backgrounds(tries):
        for n in (3, 4, 6, 9):
            whole = {("A", "big"): n + 1}
            pairs = {(f"p{i}", f"p{i}"): 2 for i in range(n)}
            halves = {(f"p{i}", f"p{i}{side}"): 1 for i in range(n) for side in "ab"}
            off = {("A", "big"): n, ("A", "off"): 1}
            yield table(whole, halves, rest), table(off, pairs, rest)


CONSTRAINTS = {f.__name__: f for f in (homogeneity, completeness, rag_bag, size_quantity)}
