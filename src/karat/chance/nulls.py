"""Null models of random clusterings: expected class and cluster sizes, and tables drawn from them.

margins  all clusterings with the same cluster sizes (the predicted labels shuffled)
number   all clusterings with the same number of clusters
all      all clusterings

Each model is uniform over its clusterings. With sides=1 gold is fixed; with sides=2 gold is drawn by the same model.
Gates & Ahn (2017) compare them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from karat.errors import MeasureError, TableError, brief, listed
from karat.kernels.shuffling import joined_at_random
from karat.tables.counts import ExpectedSizes, SingleTable
from karat.tables.profile import Sizes
from karat.tables.stack import Stack
from karat.tables.table import Table

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Null: TypeAlias = Literal["margins", "number", "all"]

ROOM = 1 << 22  # cells or items drawn in one batch
SPARSE = 1 << 13  # cells of a table beyond which shuffled items are counted in a sparse table
DENSE = 1 << 24  # the most cells of a table that are drawn cell by cell
LIMIT = 10**9  # NumPy's hypergeometric generator takes fewer items than this


@dataclass(frozen=True)
class Model:
    """A null model: how random clusterings are drawn."""

    null: Null = "margins"
    sides: int = 1

    def __post_init__(self) -> None:
        if not isinstance(self.null, str) or self.null not in get_args(Null):
            raise MeasureError(
                f"null={brief(self.null)} is not a model of chance; use one of {listed(get_args(Null))}."
            )
        if self.sides not in (1, 2):
            raise MeasureError(
                f"sides={brief(self.sides)} cannot be; use 1 (gold is fixed) or 2 (gold is drawn by the model as well)."
            )

    def chances(self, table: SingleTable) -> ExpectedSizes:
        """The expected numbers of classes and clusters of each size."""
        if self.null == "margins":
            return ExpectedSizes()
        classes, clusters = table.shape
        return ExpectedSizes(self._sizes(table.n, classes) if self.sides == 2 else None, self._sizes(table.n, clusters))

    def _sizes(self, n: int, number: int) -> Sizes:
        return _sizes_of_number(n, number) if self.null == "number" else _sizes_of_all(n)

    def draw(self, table: SingleTable, samples: int, seed: int, *, in_order: bool = False) -> Iterator[Stack | Table]:
        """Draw the tables of random clusterings, in batches; reproducible with the seed.

        in_order: keep classes and clusters in the order of their labels, for measures that depend on it. Otherwise they
        are in the order of their sizes.
        """
        if table.n >= LIMIT:
            raise TableError(
                f"{table.n} items are too many to draw clusterings of; karat draws them of fewer than 10^9."
            )
        rng = np.random.default_rng(seed)
        classes, clusters = (np.repeat(*sizes.arrays) for sizes in (table.profile.classes, table.profile.clusters))
        if in_order and isinstance(table, Table):
            classes, clusters = table.class_sizes, table.cluster_sizes
        batch = max(1, ROOM // self._work(table))
        for start in range(0, samples, batch):
            many = min(batch, samples - start)
            rows = self._draw_sizes(rng, classes, many, fixed=self.sides == 1)
            cols = self._draw_sizes(rng, clusters, many, fixed=False)
            yield from _shuffled(rng, rows, cols)

    def draw_pairs(self, table: SingleTable, samples: int, seed: int) -> Iterator[Ints] | None:
        """The number of pairs joined by both sides in each table of draw(), in batches.

        None if draw() does not shuffle the labels of items.
        """
        if self.null != "margins" or not _by_shuffling(int(table.n), math.prod(table.shape)) or table.n >= LIMIT:
            return None
        rng = np.random.default_rng(seed)
        classes, clusters = (np.repeat(*sizes.arrays) for sizes in (table.profile.classes, table.profile.clusters))
        batch = max(1, ROOM // int(table.n))
        return (
            joined_at_random(classes, clusters, rng, min(batch, samples - start)) for start in range(0, samples, batch)
        )

    def _work(self, table: SingleTable) -> int:
        """The approximate number of cells or items to draw for one table."""
        classes, clusters = table.shape
        if self.null == "all":  # random clusterings have at most about n/2 clusters, for 10 items or more
            clusters = table.n // 2 + 10
            classes = clusters if self.sides == 2 else classes
        return max(classes * clusters, min(int(table.n), 20 * classes * clusters))

    def _draw_sizes(self, rng: np.random.Generator, seen: Ints, many: int, *, fixed: bool) -> Ints:
        """The cluster sizes of many random clusterings, one clustering per row, padded with 0."""
        if fixed or self.null == "margins":
            return np.broadcast_to(seen, (many, seen.size))
        if self.null == "number":
            return _partitions_into(rng, int(seen.sum()), seen.size, many)
        return _partitions(rng, int(seen.sum()), many)


def _shuffled(rng: np.random.Generator, rows: Ints, cols: Ints) -> Iterator[Stack | Table]:
    """One table for each row of margins, distributed as under shuffled labels."""
    n, cells = int(rows[0].sum()), rows.shape[1] * cols.shape[1]
    if cells > (SPARSE if _by_shuffling(n, cells) else DENSE):
        for gold, pred in zip(rows, cols, strict=True):
            labels = rng.permutation(np.repeat(np.arange(gold.size), gold))
            yield Table.from_labels(labels, np.repeat(np.arange(pred.size), pred))
    elif _by_shuffling(n, cells):
        yield Stack(_by_items(rng, rows, cols))
    else:
        yield Stack(_by_cells(rng, rows, cols))


def _by_shuffling(n: int, cells: int) -> bool:
    """Whether to shuffle items, not draw cells: one hypergeometric draw costs as much as 20 items."""
    return n < 20 * cells


def _by_items(rng: np.random.Generator, rows: Ints, cols: Ints) -> Ints:
    gold, pred = _items(rows), _items(cols)
    tables = np.arange(len(rows))[:, None]
    keys = (tables * rows.shape[1] + rng.permuted(gold, axis=1)) * cols.shape[1] + pred
    shape = (len(rows), rows.shape[1], cols.shape[1])
    return np.bincount(keys.ravel(), minlength=math.prod(shape)).reshape(shape)


def _items(sizes: Ints) -> Ints:
    """The code of every item, one table per row."""
    return np.repeat(np.tile(np.arange(sizes.shape[1]), len(sizes)), sizes.ravel()).reshape(len(sizes), -1)


def _by_cells(rng: np.random.Generator, rows: Ints, cols: Ints) -> Ints:
    """Tables drawn cell by cell: each cell is hypergeometric, given the cells before it."""
    tables = np.zeros((len(rows), rows.shape[1], cols.shape[1]), dtype=np.int64)
    free = cols.copy()
    for i in range(rows.shape[1]):
        left, beyond = rows[:, i], free.sum(axis=1)
        for j in range(cols.shape[1]):
            beyond = beyond - free[:, j]
            tables[:, i, j] = rng.hypergeometric(free[:, j], beyond, left)
            left = left - tables[:, i, j]
        free -= tables[:, i]
    return tables


def _partitions(rng: np.random.Generator, n: int, many: int) -> Ints:
    """Cluster sizes of uniform random partitions: n items in a random number of urns (Stam 1983)."""
    urns, weights = _urns(n)
    drawn = [np.bincount(rng.integers(0, number, n)) for number in rng.choice(urns, many, p=weights).tolist()]
    sizes = np.zeros((many, max((counts > 0).sum() for counts in drawn)), dtype=np.int64)
    for i, counts in enumerate(drawn):
        sizes[i, : (counts > 0).sum()] = counts[counts > 0]
    return sizes


def _partitions_into(rng: np.random.Generator, n: int, number: int, many: int) -> Ints:
    """Cluster sizes of uniformly random partitions into a given number of clusters.

    The sizes are zero-truncated Poisson variables conditioned on their sum n. All but one are drawn; the last is the
    remainder, accepted with a probability proportional to its own (rejection sampling).
    """
    if number in (1, n):
        return np.full((many, number), n // number)
    possible_sizes, likely = _truncated_poisson(n, number)
    first, top = int(possible_sizes[0]), likely.max()
    ladder = np.cumsum(likely)[:-1]
    sizes = np.empty((many, number), dtype=np.int64)
    missing = np.arange(many)
    while missing.size:
        drawn = first + np.searchsorted(ladder, rng.random((missing.size, number - 1)), side="right")
        last = n - drawn.sum(axis=1)
        possible = (last >= first) & (last < first + likely.size)
        chance = np.where(possible, likely[np.where(possible, last - first, 0)], 0.0)
        accepted = rng.random(missing.size) * top < chance
        sizes[missing[accepted]] = np.column_stack([drawn, last])[accepted]
        missing = missing[~accepted]
    return sizes


@lru_cache(maxsize=8)
def _urns(n: int) -> tuple[Ints, Floats]:
    """Numbers m of urns and their probabilities, proportional to m^n / m! (Dobinski's formula)."""
    mode = 1
    while mode * np.log(mode + 1) < n:  # the ratio of neighbours is (1 + 1/m)^n / (m+1)
        mode *= 2
    low, high = mode // 2, mode
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if n * np.log1p(1 / max(middle, 1)) > np.log(middle + 1) else (low, middle)
    sides = []
    for step in (1, -1):
        m, log, terms = max(low, 1), 0.0, []
        while log > -50 and m + step >= 1:
            below = min(m, m + step)
            log += step * (n * np.log1p(1 / below) - np.log(below + 1))
            m += step
            terms.append((m, log))
        sides.append(terms)
    urns, logs = zip(*reversed(sides[1]), (max(low, 1), 0.0), *sides[0], strict=True)
    weights = np.exp(np.array(logs) - max(logs))
    return np.array(urns), weights / weights.sum()


def _sizes_of_all(n: int) -> Sizes:
    """Expected number of clusters of each size b in a partition drawn from all: C(n,b) B(n-b) / B(n)."""
    urns, weights = _urns(n)
    sizes, times = [], []
    log_ways = 0.0  # log C(n, b)
    for b in range(1, n + 1):
        log_ways += np.log((n - b + 1) / b)
        with np.errstate(divide="ignore", invalid="ignore"):
            rest = np.where(n == b, 0.0, (n - b) * np.log1p(-1.0 / urns))
        times.append(float((weights * urns * np.exp(log_ways - b * np.log(urns) + rest)).sum()))
        sizes.append(b)
        if b > n / urns[0] and b * times[-1] < 1e-20 * n:
            break
    return Sizes(tuple(sizes), tuple(times))


def _truncated_poisson(n: int, number: int) -> tuple[Ints, Floats]:
    """Cluster sizes and their probabilities: a zero-truncated Poisson distribution with mean n / number."""
    mean = n / number
    low, high = 0.0, mean + 1
    for _ in range(200):
        rate = (low + high) / 2
        low, high = (rate, high) if rate / -np.expm1(-rate) < mean else (low, rate)
    reach = int(12 * np.sqrt(mean) + 60)  # probabilities beyond are below 1e-25
    sizes = np.arange(max(1, int(mean) - reach), min(n - number + 1, int(mean) + reach) + 1)
    logs = np.cumsum(np.log(rate / sizes))
    weights = np.exp(logs - logs.max())
    return sizes, weights / weights.sum()


def _sizes_of_number(n: int, number: int) -> Sizes:
    """Expected number of clusters of each size b in a partition into k: C(n,b) S(n-b,k-1) / S(n,k)."""
    if number == 1 or number == n:
        return Sizes((n // number,), (number,))
    sizes, likely = _truncated_poisson(n, number)
    # one of k clusters has size b if the others add up to n - b: a (k-1)-fold convolution, by the Fourier transform
    centre = round(n / number)
    spread = math.sqrt(float(likely @ (sizes - centre) ** 2.0))
    length = 1 << int(np.ceil(np.log2(2 * (likely.size + 14 * spread * np.sqrt(number)) + 64)))
    spectrum = np.zeros(length)
    spectrum[(sizes - centre) % length] = likely
    others = np.fft.ifft(np.fft.fft(spectrum) ** (number - 1)).real
    times = likely * others[(n - sizes - (number - 1) * centre) % length].clip(0)
    times *= number / times.sum()
    deviation = math.sqrt(float(times @ (sizes - centre) ** 2.0) / number)
    if deviation > 16:  # smooth enough to keep sizes at steps of 2/3 of a standard deviation, with an error of 1e-19
        step = int(deviation * 2 / 3)
        sizes, times = sizes[::step], times[::step] * step
        times *= number / times.sum()
    seen = times > 1e-22 * number
    return Sizes(tuple(sizes[seen].tolist()), tuple(times[seen].tolist()))
