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
from karat.kernels.logarithm import divergence, log_one_more
from karat.labels.names import as_array
from karat.limits import STACK
from karat.tables.counts import CellFormula, Counts, SizeFormula
from karat.tables.matrices import check_precision, exact_numbers
from karat.tables.profile import Exact, Information, Squares, Totals, exact_sum, formula
from karat.tables.table import Table
from karat.tables.totals import LIMIT

Floats = NDArray[np.float64]

EXACT = 94_906_265  # the largest n whose square is below 2^53


@dataclass(frozen=True, eq=False, repr=False)
class Stack(Counts):
    """m dense tables of classes by clusters, as one array of shape (m, classes, clusters).

    A row or column of zeros is a class or cluster that the table does not have. Sums are in double precision; stacks
    that would lose precision are scored table by table instead, from cells that are exact: `tables` holds floats, or
    integers where a count has no exact float.

    >>> import karat
    >>> [round(v, 3) for v in karat.purity(Stack([[[2, 0], [0, 2]], [[1, 1], [1, 1]]])).tolist()]
    [1.0, 0.5]
    """

    tables: Any

    def __post_init__(self) -> None:
        given = self._given()
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
        if not tables.any(axis=(1, 2)).all():
            raise TableError(
                f"table {int(np.argmin(tables.any(axis=(1, 2))))} of the stack has no items; leave it out."
            )
        if _largest_total(tables, given) >= LIMIT:
            raise TableError("a table of the stack adds up to 2^62 (4.6e18) or more; karat counts fewer items.")
        if given.dtype.kind in "iu" and tables.max() >= 1 << 53 and (tables.astype(given.dtype) != given).any():
            tables = given.astype(np.int64)  # exact, where floats are not
        tables.setflags(write=False)
        object.__setattr__(self, "tables", tables)

    def _given(self) -> NDArray[Any]:
        """The array that was given; integers and fractions among objects are numbers."""
        try:
            given = as_array(self.tables, "a stack")
        except ValueError:
            raise TableError("the tables have different shapes; pad them with 0, or use Stack.of(tables).") from None
        if given.dtype.kind == "f" and isinstance(self.tables, (list, tuple)):
            check_precision(self.tables)
        return exact_numbers(given)

    @classmethod
    def of(cls, tables: Iterable[Table]) -> Stack:
        """Stack tables of any shapes, padded with empty classes and clusters to the largest."""
        tables = list(tables) if isinstance(tables, Iterable) and getattr(tables, "shape", None) != () else []
        if not tables or not all(isinstance(table, Table) for table in tables):
            raise TableError("Stack.of takes a list of one or more Tables; give one.")
        shape = np.max([table.shape for table in tables], axis=0)
        STACK.check(len(tables) * int(shape[0]) * int(shape[1]), "Stack.of", TableError)
        kinds = {table.counts.dtype.kind for table in tables}
        if len(kinds) > 1:
            check_precision([table.counts.tolist() for table in tables if table.counts.dtype.kind == "i"])
        array = np.zeros((len(tables), *shape), dtype=np.int64 if kinds == {"i"} else np.float64)
        for i, table in enumerate(tables):
            array[i, table.rows, table.cols] = table.counts
        return cls(array)

    @cached_property
    def _cells(self) -> Floats:
        """The cells in double precision."""
        return self.tables.astype(np.float64, copy=False)  # type: ignore[no-any-return]

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

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Stack):
            return NotImplemented
        same = type(self) is type(other) and self.tables.dtype == other.tables.dtype
        return same and np.array_equal(self.tables, other.tables)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return "<Stack: {} tables of {} classes and {} clusters>".format(*self.tables.shape)

    @cached_property
    def n(self) -> Floats:
        """The number of items in each table."""
        return self._sums(self._cells.reshape(len(self), -1))

    @cached_property
    def class_sizes(self) -> Floats:
        return self._sums(self._cells)

    @cached_property
    def cluster_sizes(self) -> Floats:
        return self._sums(self._cells.swapaxes(1, 2))

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
        return (self._cells > 0).sum(axis=(1, 2))

    @property
    def shape(self) -> tuple[Any, Any]:  # type: ignore[override]
        """How many classes and how many clusters each table has."""
        return (self.class_sizes > 0).sum(axis=1), (self.cluster_sizes > 0).sum(axis=1)

    @cached_property
    def loses_precision(self) -> bool:  # type: ignore[override]
        smallest = self._cells[self._cells > 0].min()
        return bool(smallest < 1e-100 or self.n.max() > (EXACT if self.integral else 1e3 * smallest))

    @cached_property
    def integral(self) -> bool:  # type: ignore[override]
        return not (self._cells % 1).any()

    @property
    def squares(self) -> Squares:  # type: ignore[override]
        cells = self._cells.reshape(len(self), -1)
        return Squares(*(self._sums(np.square(sizes)) for sizes in (cells, self.class_sizes, self.cluster_sizes)))

    @property
    def ordered_pairs(self) -> Squares:
        """Sums of h(h-1), each from h and h - 1: for weights near 1, a difference of sums would lose all digits."""
        cells = self._cells.reshape(len(self), -1)
        return Squares(*(self._sums(sizes * (sizes - 1)) for sizes in (cells, self.class_sizes, self.cluster_sizes)))

    @property
    def largest(self) -> tuple[Any, Any]:  # type: ignore[override]
        return self.class_sizes.max(axis=1), self.cluster_sizes.max(axis=1)

    @cached_property
    def _same(self) -> NDArray[np.bool_]:
        """Whether the partitions of each table are equal: sums over clusters are then those over classes, exactly."""
        classes, clusters = self.shape
        return np.asarray((self.nonempty_cells == classes) & (self.nonempty_cells == clusters))

    def class_total(self, f: SizeFormula) -> Any:
        return np.where(self.class_sizes > 0, formula(f)(self.class_sizes, Totals(self, 1)), 0).sum(axis=1)

    def cluster_total(self, f: SizeFormula) -> Any:
        total = np.where(self.cluster_sizes > 0, formula(f)(self.cluster_sizes, Totals(self, 1)), 0).sum(axis=1)
        return np.where(self._same, self.class_total(f), total) if self._same.any() else total

    def cell_total(self, f: CellFormula) -> Any:
        return self._sums(self._values(f).reshape(len(self), -1))

    def class_best(self, f: CellFormula) -> Any:
        return self._sums(self._values(f).max(axis=2))

    def cluster_best(self, f: CellFormula) -> Any:
        return self._sums(self._values(f).max(axis=1))

    def _values(self, f: CellFormula) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            values = formula(f)(
                self._cells, self.class_sizes[:, :, None], self.cluster_sizes[:, None, :], Totals(self, 2)
            )
        return np.where(self._cells > 0, values, 0.0)

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
        pred = np.where(self._same, gold, weighted_log_ratio(self.cluster_sizes, n[:, None]).sum(axis=1) / n)
        joint = weighted_log_ratio(self._cells, n[:, None, None]).sum(axis=(1, 2)) / n
        joint = np.where(self._same, gold, joint)
        gold_given_pred = weighted_log_ratio(self._cells, self.cluster_sizes[:, None, :]).sum(axis=(1, 2)) / n
        pred_given_gold = weighted_log_ratio(self._cells, self.class_sizes[:, :, None]).sum(axis=(1, 2)) / n
        mutual = np.where(gold_given_pred == 0, gold, np.where(pred_given_gold == 0, pred, self._mutual()))
        independent = mutual == 0  # then the conditional entropies equal the entropies
        return Information(
            gold,
            pred,
            joint,
            np.where(independent, gold, gold_given_pred),
            np.where(independent, pred, pred_given_gold),
            mutual,
        )

    def _mutual(self) -> Floats:
        """The mutual information, as a sum over all cells of h(c)h(k)/n^2 divergence(n h(c,k)/h(c)h(k) - 1) >= 0.

        The counts of independent partitions have differences of exactly 0; what rounding leaves of those of weights is
        as little as it is in the information of one table.
        """
        n = self.n[:, None, None]
        product = self.class_sizes[:, :, None] * self.cluster_sizes[:, None, :]
        some = product > 0
        excess = np.where(some, n * self._cells - product, 0.0) / np.where(some, product, 1.0)
        mutual = (product / (n * n) * divergence(excess)).sum(axis=(1, 2))
        return np.where(mutual > 1e-26, mutual, 0.0)


def _largest_total(tables: Floats, given: NDArray[Any]) -> Exact | float:
    """The largest total of a table, exact where rounding could decide whether it is too large."""
    with np.errstate(over="ignore"):
        totals = tables.sum(axis=(1, 2))
    if given.dtype.kind not in "iu" or totals.max() < LIMIT // 2:
        return float(totals.max())
    return max(exact_sum(table) for table in given)


def weighted_log_ratio(part: Floats, whole: Floats) -> Floats:
    """part * log(whole / part), 0 where part is 0."""
    positive = part > 0
    rest = np.where(positive, whole - part, 0.0)
    logs: Floats = log_one_more(rest, np.where(positive, part, 1.0))
    return part * logs
