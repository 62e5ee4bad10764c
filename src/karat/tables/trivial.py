"""The two trivial clusterings: one cluster, and singletons."""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karat.errors import TableError
from karat.tables.counts import CellFormula, SingleTable
from karat.tables.profile import Profile, Sizes


class _Trivial(SingleTable):
    """A clustering in which all cells of a class have the same size."""

    @abstractmethod
    def _cells(self, f: CellFormula) -> NDArray[Any]:
        """f of a cell, for each distinct class size."""

    def class_best(self, f: CellFormula) -> float:
        values, times = self._cells(f), self.profile.classes.times
        if self.integral:
            return float(values @ np.array(times, dtype=np.float64))
        return float(sum(Fraction(value) * count for value, count in zip(values.tolist(), times, strict=True)))


class OneCluster(_Trivial):
    """All the items in one cluster: each class is one cell."""

    def __init__(self, gold: Profile) -> None:
        self.profile = Profile(gold.classes, gold.classes, Sizes((gold.classes.total,), (1,)), gold.unit)

    def _cells(self, f: CellFormula) -> NDArray[Any]:
        sizes = self.profile.weights(self.profile.classes)
        return np.asarray(f(sizes, sizes, np.full_like(sizes, float(self.n)), self.totals))

    cell_total = _Trivial.class_best

    def cluster_best(self, f: CellFormula) -> float:
        return float(self._cells(f).max())

    def matched(self, *, greedy: bool = False) -> Any:
        return self.largest[0]

    def expand(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        self.need_counts("a list of items")
        gold = _items(self.profile.classes)
        return gold, np.zeros_like(gold)


class Singletons(_Trivial):
    """Every item in a cluster of its own: each item is one cell."""

    def __init__(self, gold: Profile) -> None:
        if gold.unit != 1:
            raise TableError("a real-valued table does not say how many items it has.")
        ones = Sizes((1,), (gold.classes.total,))
        self.profile = Profile(ones, gold.classes, ones)

    def _cells(self, f: CellFormula) -> NDArray[Any]:
        sizes = self.profile.weights(self.profile.classes)
        ones = np.ones_like(sizes)
        return np.asarray(f(ones, sizes, ones, self.totals))

    def cell_total(self, f: CellFormula) -> float:
        items = [s * t for s, t in zip(*self.profile.classes, strict=True)]
        return float(self._cells(f) @ np.array(items, dtype=np.float64))

    cluster_best = cell_total

    def matched(self, *, greedy: bool = False) -> Any:
        return self.shape[0]

    def expand(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        gold = _items(self.profile.classes)
        return gold, np.arange(gold.size)


def _items(classes: Sizes) -> NDArray[np.int64]:
    """A class code for every item."""
    sizes = np.repeat(classes.size, classes.times)
    return np.repeat(np.arange(sizes.size), sizes)
