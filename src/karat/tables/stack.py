"""Many small tables of one shape, scored at once: statistics are arrays, formulas unchanged."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from operator import index
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karat.errors import TableError, brief
from karat.kernels.logarithm import log_one_more
from karat.labels.names import as_array
from karat.limits import STACK
from karat.tables.counts import CellFormula, Counts, SizeFormula
from karat.tables.profile import Information, Squares, Totals, formula
from karat.tables.table import Table
from karat.tables.totals import LIMIT

Floats = NDArray[np.float64]

EXACT = 94_906_265  # the largest n whose square is below 2^53


@dataclass(frozen=True, eq=False, repr=False)
class Stack(Counts):
    """m dense tables of classes by clusters, as one array of shape (m, classes, clusters).

    A row or column of zeros is a class or cluster that the table does not have. Sums are in double
    precision; stacks that would lose precision are scored table by table instead.

    >>> import karat
    >>> [round(v, 3) for v in karat.purity(Stack([[[2, 0], [0, 2]], [[1, 1], [1, 1]]])).tolist()]
    [1.0, 0.5]
    """

    tables: Any

    def __post_init__(self) -> None:
        try:
            given = as_array(self.tables, "a stack")
        except ValueError:
            raise TableError("the tables have different shapes; pad them with 0, or use Stack.of(tables).") from None
        if given.dtype.kind not in "biuf":
            raise TableError("a stack holds an array of numbers; for a list of Table use Stack.of(tables).")
        if given.ndim != 3 or not given.size:
            raise TableError(
                f"a stack cannot have shape {given.shape}; give (tables, classes, clusters), none of them 0."
            )
        tables = given.astype(np.float64)
        bad = np.argwhere(~np.isfinite(tables) | (tables < 0))
        if bad.size:
            where = tuple(bad[0].tolist())
            raise TableError(f"a stack has the cell {tables[where]} at {where}; give finite cells, none negative.")
        with np.errstate(over="ignore"):
            if tables.sum(axis=(1, 2)).max() >= LIMIT:
                raise TableError("a table of the stack adds up to 2^62 (4.6e18) or more; karat counts fewer items.")
        if not tables.any(axis=(1, 2)).all():
            raise TableError(
                f"table {int(np.argmin(tables.any(axis=(1, 2))))} of the stack has no items; leave it out."
            )
        tables.setflags(write=False)
        object.__setattr__(self, "tables", tables)

    @classmethod
    def of(cls, tables: Iterable[Table]) -> Stack:
        """Stack tables of any shapes, padded with empty classes and clusters to the largest."""
        tables = list(tables) if isinstance(tables, Iterable) and getattr(tables, "shape", None) != () else []
        if not tables or not all(isinstance(table, Table) for table in tables):
            raise TableError("Stack.of takes a list of one or more Tables; give one.")
        shape = np.max([table.shape for table in tables], axis=0)
        STACK.check(len(tables) * int(shape[0]) * int(shape[1]), "Stack.of", TableError)
        array = np.zeros((len(tables), *shape))
        for i, table in enumerate(tables):
            array[i, table.rows, table.cols] = table.counts
        return cls(array)

    def __len__(self) -> int:
        return int(self.tables.shape[0])

    def __getitem__(self, i: int) -> Table:
        try:
            return Table.from_matrix(self.tables[index(i)])
        except (TypeError, IndexError):
            raise TableError(
                f"a stack of {len(self)} tables has no table {brief(i)}; give a number below that."
            ) from None

    def __iter__(self) -> Iterator[Table]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        return "<Stack: {} tables of {} classes and {} clusters>".format(*self.tables.shape)

    @cached_property
    def n(self) -> Floats:
        """The number of items in each table."""
        return self._sums(self.tables.reshape(len(self), -1))

    @cached_property
    def class_sizes(self) -> Floats:
        return self._sums(self.tables)

    @cached_property
    def cluster_sizes(self) -> Floats:
        return self._sums(self.tables.swapaxes(1, 2))

    def _sums(self, array: Floats) -> Floats:
        """Sums over the last axis, correctly rounded for real cells, so that equal margins compare equal."""
        if self.integral:
            sums = np.asarray(array.sum(axis=-1))
        else:
            lines = array.reshape(-1, array.shape[-1]).tolist()
            sums = np.array([math.fsum(line) for line in lines]).reshape(array.shape[:-1])
        sums.setflags(write=False)
        return sums

    @property
    def nonempty_cells(self) -> Any:
        return (self.tables > 0).sum(axis=(1, 2))

    @property
    def shape(self) -> tuple[Any, Any]:  # type: ignore[override]
        """How many classes and how many clusters each table has."""
        return (self.class_sizes > 0).sum(axis=1), (self.cluster_sizes > 0).sum(axis=1)

    @cached_property
    def loses_precision(self) -> bool:  # type: ignore[override]
        smallest = self.tables[self.tables > 0].min()
        return bool(smallest < 1e-100 or self.n.max() > (EXACT if self.integral else 1e4 * smallest))

    @cached_property
    def integral(self) -> bool:  # type: ignore[override]
        return not (self.tables % 1).any()

    @property
    def squares(self) -> Squares:  # type: ignore[override]
        cells = self.tables.reshape(len(self), -1)
        return Squares(*(self._sums(np.square(sizes)) for sizes in (cells, self.class_sizes, self.cluster_sizes)))

    @property
    def largest(self) -> tuple[Any, Any]:  # type: ignore[override]
        return self.class_sizes.max(axis=1), self.cluster_sizes.max(axis=1)

    def class_total(self, f: SizeFormula) -> Any:
        return np.where(self.class_sizes > 0, formula(f)(self.class_sizes, Totals(self, 1)), 0).sum(axis=1)

    def cluster_total(self, f: SizeFormula) -> Any:
        return np.where(self.cluster_sizes > 0, formula(f)(self.cluster_sizes, Totals(self, 1)), 0).sum(axis=1)

    def cell_total(self, f: CellFormula) -> Any:
        return self._sums(self._cells(f).reshape(len(self), -1))

    def class_best(self, f: CellFormula) -> Any:
        return self._sums(self._cells(f).max(axis=2))

    def cluster_best(self, f: CellFormula) -> Any:
        return self._sums(self._cells(f).max(axis=1))

    def _cells(self, f: CellFormula) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            values = formula(f)(
                self.tables, self.class_sizes[:, :, None], self.cluster_sizes[:, None, :], Totals(self, 2)
            )
        return np.where(self.tables > 0, values, 0.0)

    def each(self, f: Callable[[Any], Any]) -> Any:
        return np.array([formula(f)(table) for table in self], dtype=np.float64)

    def matched(self, *, greedy: bool = False) -> Any:
        return self.each(lambda table: table.matched(greedy=greedy))

    def expand(self) -> tuple[Any, Any]:
        raise TableError("a stack has no single list of items; take one of its tables, as in stack[0].")

    @property
    def information(self) -> Information:  # type: ignore[override]
        """Entropies in nats, as sums of terms part * log(whole/part) >= 0, which are accurate near 0."""
        n = self.n
        gold = weighted_log_ratio(self.class_sizes, n[:, None]).sum(axis=1) / n
        pred = weighted_log_ratio(self.cluster_sizes, n[:, None]).sum(axis=1) / n
        joint = weighted_log_ratio(self.tables, n[:, None, None]).sum(axis=(1, 2)) / n
        gold_given_pred = weighted_log_ratio(self.tables, self.cluster_sizes[:, None, :]).sum(axis=(1, 2)) / n
        pred_given_gold = weighted_log_ratio(self.tables, self.class_sizes[:, :, None]).sum(axis=(1, 2)) / n
        mutual = np.where(gold < pred, gold - gold_given_pred, pred - pred_given_gold)
        mutual = np.where(mutual > 1e-14 * np.minimum(gold, pred), mutual, 0.0)
        independent = mutual == 0  # then the conditional entropies equal the entropies
        return Information(
            gold,
            pred,
            joint,
            np.where(independent, gold, gold_given_pred),
            np.where(independent, pred, pred_given_gold),
            mutual,
        )


def weighted_log_ratio(part: Floats, whole: Floats) -> Floats:
    """part * log(whole / part), 0 where part is 0."""
    positive = part > 0
    rest = np.where(positive, whole - part, 0.0)
    logs: Floats = log_one_more(rest, np.where(positive, part, 1.0))
    return part * logs
