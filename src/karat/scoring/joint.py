"""Gold and several systems on the same items: how many items there are of each combination of labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from karat.kernels.counting import encode_integers
from karat.labels.alignment import Aligned, Coded
from karat.tables import Table

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Joint:
    """Distinct combinations of a class and a cluster of each system, and how many items have each."""

    rows: Ints  # the class of each combination, as a code of the tables
    codes: Mapping[str, Ints]  # its cluster in each system, as a code of that system's table
    counts: Ints
    tables: Mapping[str, Table]

    @classmethod
    def of(cls, aligned: Aligned, tables: Mapping[str, Table]) -> Joint:
        """The combinations in aligned labels, whose tables are known."""
        gold = aligned.gold or Coded(np.zeros(next(iter(aligned.systems.values())).codes.size, np.int64), [None])
        sides = {"": _dense(gold), **{name: _dense(side) for name, side in aligned.systems.items()}}
        combined = np.zeros(gold.codes.size, np.int64)
        for codes in sides.values():
            combined = encode_integers(combined * (int(codes.max(initial=0)) + 1) + codes)[0]
        counts = np.bincount(combined, aligned.counts).astype(np.int64)
        first = np.empty(counts.size, np.int64)
        first[combined[::-1]] = np.arange(combined.size)[::-1]
        chosen = {name: codes[first] for name, codes in sides.items()}
        return cls(chosen.pop(""), chosen, counts, tables)

    @property
    def n(self) -> int:
        """The number of items that are scored."""
        return int(self.counts.sum())

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems."""
        return tuple(self.codes)

    @cached_property
    def class_sizes(self) -> Ints:
        """Items in each class."""
        return np.bincount(self.rows, self.counts).astype(np.int64)

    def cells(self, name: str) -> Ints:
        """The cell of a system's table that each combination is in."""
        return _cells(self.tables[name], self.rows, self.codes[name])


def cells_of_rows(aligned: Aligned, name: str, table: Table) -> Ints:
    """The cell of a system's table that each row of aligned labels is in."""
    assert aligned.gold is not None
    return _cells(table, _dense(aligned.gold), _dense(aligned.systems[name]))


def _cells(table: Table, rows: Ints, cols: Ints) -> Ints:
    """The index of the cell with each row and column, among the cells of a table, which are sorted."""
    width = np.int64(len(table.clusters))
    return np.searchsorted(table.rows * width + table.cols, rows * width + cols)


def _dense(side: Coded) -> Ints:
    """Codes without gaps, in the order of the labels: those of a table, which keeps only labels that occur."""
    if side.names is None:
        return encode_integers(side.codes)[0]
    used = np.bincount(side.codes, minlength=len(side.names)) > 0
    return np.asarray((np.cumsum(used) - 1)[side.codes], np.int64)
