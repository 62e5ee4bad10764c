"""Gold and several systems on the same items: the number of items of each label combination."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from karat.kernels.counting import encode_integers
from karat.labels.rows import Aligned, Coded, in_order_of_cells
from karat.tables.table import Table

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Joint:
    """Distinct combinations of a class and a cluster of each system, and how many items have each."""

    rows: Ints  # the class of each combination, by code
    cell_indices: Mapping[str, Ints]  # for each system, the index of the cell of each combination in its table
    counts: Ints
    tables: Mapping[str, Table]

    @classmethod
    def of(cls, aligned: Aligned, tables: Mapping[str, Table]) -> Joint:
        """The combinations of aligned labels; tables: the table of each system."""
        gold = _gold(aligned)
        sides = [_dense(gold), *(_dense(side) for side in aligned.systems.values())]
        combined = np.zeros(gold.codes.size, np.int64)
        for codes in sides:
            combined = encode_integers(combined * (int(codes.max(initial=0)) + 1) + codes)[0]
        counts = np.bincount(combined, aligned.counts).astype(np.int64)
        first = np.empty(counts.size, np.int64)  # the first row with each combination
        first[combined[::-1]] = np.arange(combined.size)[::-1]
        cells = {name: cells_of_rows(aligned, name, table, first) for name, table in tables.items()}
        return cls(sides[0][first], cells, counts, tables)

    @property
    def n(self) -> int:
        """The number of items that are scored."""
        return int(self.counts.sum())

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems."""
        return tuple(self.tables)

    @cached_property
    def class_sizes(self) -> Ints:
        """The number of items of each class."""
        return np.bincount(self.rows, self.counts).astype(np.int64)

    def cells(self, name: str) -> Ints:
        """The index of each combination's cell in a system's table."""
        return self.cell_indices[name]


def cells_of_rows(aligned: Aligned, name: str, table: Table, rows: Ints | None = None) -> Ints:
    """The index of each row's cell in a system's table; rows: only of these rows of the labels."""
    gold, pred = _gold(aligned), aligned.systems[name]
    codes = _dense(in_order_of_cells(gold, pred)), _dense(in_order_of_cells(pred, gold))
    left, right = codes if rows is None else (codes[0][rows], codes[1][rows])
    width = np.int64(len(table.clusters))
    return np.searchsorted(table.rows * width + table.cols, left * width + right)


def _gold(aligned: Aligned) -> Coded:
    """The gold labels; without gold, one class for all items."""
    size = next(iter(aligned.systems.values())).codes.size
    return aligned.gold or Coded(np.zeros(size, np.int64), [None])


def _dense(side: Coded) -> Ints:
    """Codes without gaps, in label order, as in a table, which has only labels that occur."""
    if side.names is None:
        return encode_integers(side.codes)[0]
    used = np.bincount(side.codes, minlength=len(side.names)) > 0
    return np.asarray((np.cumsum(used) - 1)[side.codes], np.int64)
