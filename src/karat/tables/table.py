"""The contingency table: rows are gold classes, columns predicted clusters, only non-empty cells are kept."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from os import PathLike
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from karat.errors import NothingLeftError, TableError, brief, whole
from karat.kernels.assignment import best_matching, greedy_matching
from karat.kernels.counting import cross_count
from karat.kernels.tallying import add_by_code, best_by_code
from karat.labels.alignment import align
from karat.labels.policy import Missing, NoiseAs, Policy
from karat.labels.rows import PRED, Aligned, Coded, in_order_of_cells
from karat.limits import ITEMS
from karat.output.frames import frame
from karat.output.numbers import several
from karat.tables.counts import CellFormula, SingleTable, count_itself
from karat.tables.matrices import matrix_cells
from karat.tables.merging import added, same_cells, subtracted, with_policies
from karat.tables.profile import Profile, Sizes, exact_sizes, exact_sum, formula
from karat.tables.totals import LIMIT, check_total, total_of

Ints: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, eq=False, repr=False)
class Table(SingleTable):
    """Counts of items by class and cluster; immutable, and independent of the order of items.

    >>> table = Table.from_labels(["a", "a", "b"], [1, 2, 2])
    >>> table.classes, table.clusters, table.n
    (('a', 'b'), (1, 2), 3)
    """

    rows: Ints
    cols: Ints
    counts: NDArray[Any]
    classes: tuple[Any, ...]
    clusters: tuple[Any, ...]
    policy: Policy = field(default_factory=Policy)

    @classmethod
    def from_labels(
        cls,
        gold: object,
        pred: object,
        *,
        weights: object = None,
        missing: Missing = "raise",
        noise: object = None,
        noise_as: NoiseAs | None = None,
        ignore: object = None,
    ) -> Table:
        """Count two labelings of the same items, matched by item where both name their items.

        weights: a number for each item. missing: what becomes of an item that gold or pred lacks: "raise", "drop",
        "singletons" or "cluster". noise, noise_as: a predicted label that marks noise, and what it means: "cluster",
        "singletons" or "drop". ignore: a gold label whose items are left out.
        """
        policy = Policy.of(missing, noise, noise_as, ignore)
        return cls.of_aligned(align(gold, {PRED: pred}, policy, weights=weights), PRED)

    @classmethod
    def of_aligned(cls, aligned: Aligned, system: str) -> Table:
        """The table of gold and one of the systems that were aligned with it."""
        return cls.of_codes(aligned.gold, aligned.systems[system], aligned.totals, aligned.policies[system])

    @classmethod
    def of_codes(cls, gold: Coded | None, pred: Coded, totals: NDArray[Any] | None, policy: Policy) -> Table:
        """The table of coded gold and predicted labels; without gold, all items are of one class."""
        if gold is None:
            gold = Coded(np.zeros(pred.codes.size, np.int64), [None])
        gold, pred = in_order_of_cells(gold, pred), in_order_of_cells(pred, gold)
        return cls._count(gold.codes, pred.codes, totals, gold.names, pred.names, policy)

    @classmethod
    def from_cells(cls, gold: object, pred: object, counts: object) -> Table:
        """A table from its cells: gold, pred and counts are the class, the cluster and the count of each cell."""
        if counts is None:
            raise TableError("counts is None; give the count of each cell.")
        aligned = align(gold, {PRED: pred}, Policy(), weights=counts)
        return cls.of_codes(aligned.gold, aligned.systems[PRED], aligned.weights, Policy())

    @classmethod
    def from_matrix(
        cls, matrix: object, classes: Sequence[Any] | None = None, clusters: Sequence[Any] | None = None
    ) -> Table:
        """A table from a dense or SciPy sparse matrix, or a crosstab frame; empty rows and columns are dropped.

        classes, clusters: names of the rows and columns; by default those of the frame, else 0, 1, ...
        """
        rows, cols, values, row_names, col_names = matrix_cells(matrix, classes, clusters)
        return cls._count(rows, cols, values, row_names, col_names, Policy())

    @classmethod
    def from_batches(cls, batches: Iterable[Any], **options: Any) -> Table:
        """One table from a stream of (gold, pred) or (gold, pred, weights) batches, or of tables.

        options: as in from_labels(), such as missing="drop". A batch of which every item is dropped is counted as such.
        """
        if isinstance(batches, Table) or not isinstance(batches, Iterable) or getattr(batches, "shape", None) == ():
            raise TableError(f"{brief(batches)} are no batches; give a list of (gold, pred), or of tables.")
        merged: list[Table] = []
        empty: list[NothingLeftError] = []
        for batch in batches:
            try:
                merged.append(batch if isinstance(batch, Table) else cls.from_labels(**_batch(batch), **options))
            except NothingLeftError as problem:
                empty.append(problem)
                continue
            # like the carries of a binary counter: each cell is merged only log(batches) times
            while len(merged) > 1 and merged[-2].counts.size <= 2 * merged[-1].counts.size:
                merged[-2:] = [_sum(merged[-2:])]
        if not merged:
            raise empty[0] if empty else TableError("there are no batches; give at least one pair of gold and pred.")
        return with_policies(_sum(merged), [nothing.policies[PRED] for nothing in empty])

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Table:
        """Read a table that save() wrote."""
        from karat.tables.storage import load_cells

        return cls._count(*load_cells(path))

    @classmethod
    def _count(
        cls,
        rows: NDArray[Any],
        cols: NDArray[Any],
        weights: NDArray[Any] | None,
        classes: Sequence[Any] | None,
        clusters: Sequence[Any] | None,
        policy: Policy,
    ) -> Table:
        """Build a table: add up equal cells, drop empty ones, keep integers exact.

        rows and cols are indices into classes and clusters, or the labels, where classes and clusters are None.
        """
        if weights is not None:
            check_total(total_of(weights))
            if weights.dtype.kind != "i" and not (weights % 1).any():
                weights = weights.astype(np.int64)
            positive = weights > 0
            if not positive.any():
                raise TableError("no item is left with a positive weight; give at least one.")
            if not positive.all():
                rows, cols, weights = rows[positive], cols[positive], weights[positive]
        try:
            cells = cross_count(rows, cols, weights)
        except ValueError as problem:  # another thread wrote to the array meanwhile
            raise TableError(f"{problem}.") from None
        names = _names(cells.left, classes), _names(cells.right, clusters)
        table = cls(_fixed(cells.rows), _fixed(cells.cols), _fixed(cells.counts), *names, policy)
        if cells.row_sizes is not None:
            table.__dict__.update(class_sizes=_fixed(cells.row_sizes), cluster_sizes=_fixed(cells.col_sizes))
        if cells.rests is not None:
            table.__dict__["_rests"] = cells.rests
        return table

    @property
    def unrounded(self) -> NDArray[Any]:
        """The counts as they were before fractional ones were rounded, so that sums of tables depend on no order."""
        rests = self.__dict__.get("_rests")
        if rests is None:
            return self.counts
        exact = np.empty(self.counts.size, dtype=object)
        exact[:] = [Fraction(c) + Fraction(r) for c, r in zip(self.counts.tolist(), rests.tolist(), strict=True)]
        return exact

    @cached_property
    def profile(self) -> Profile:  # type: ignore[override]
        """The histograms of cell, class and cluster sizes."""
        if self.counts.dtype.kind == "i":
            return Profile(Sizes.of(self.counts), Sizes.of(self.class_sizes), Sizes.of(self.cluster_sizes))
        cells, (classes, clusters), unit = exact_sizes(self.counts.tolist(), [self.rows.tolist(), self.cols.tolist()])
        return Profile(Sizes.of(cells), Sizes.of(classes), Sizes.of(clusters), unit)

    @cached_property
    def class_sizes(self) -> NDArray[Any]:
        """The number of items in each class."""
        return self._margin(self.rows, len(self.classes))

    @cached_property
    def cluster_sizes(self) -> NDArray[Any]:
        """The number of items in each cluster."""
        return self._margin(self.cols, len(self.clusters))

    def _margin(self, codes: Ints, size: int) -> NDArray[Any]:
        if self.counts.dtype.kind == "i":
            sizes = add_by_code(codes, self.counts, size)
        else:
            sizes = cross_count(codes, np.zeros_like(codes), self.counts).counts
        return _fixed(sizes)

    def cell_total(self, f: CellFormula) -> Any:
        """The sum over cells of f(count, class size, cluster size, totals)."""
        return exact_sum(self._cells(f))

    def class_best(self, f: CellFormula) -> Any:
        """The sum over classes of the largest f(count, class size, cluster size, totals) among their cells."""
        return self._best(f, self.rows, len(self.classes))

    def cluster_best(self, f: CellFormula) -> Any:
        """The sum over clusters of the largest f(count, class size, cluster size, totals) among their cells."""
        return self._best(f, self.cols, len(self.clusters))

    def _cells(self, f: CellFormula) -> NDArray[Any]:
        if f is count_itself:
            return self.counts
        return np.asarray(
            formula(f)(self.counts, self.class_sizes[self.rows], self.cluster_sizes[self.cols], self.totals)
        )

    def _best(self, f: CellFormula, codes: Ints, size: int) -> Any:
        return exact_sum(best_by_code(codes, self._cells(f), size))

    def matched(self, *, greedy: bool = False) -> Any:
        """Items in the maximum-weight, or the greedy, one-to-one matching of classes and clusters."""
        chosen = (greedy_matching if greedy else best_matching)(self.rows, self.cols, self.counts)
        return exact_sum(self.counts[chosen])

    def expand(self) -> tuple[Ints, Ints]:
        """A class code and a cluster code for every item."""
        self.need_counts("a list of items")
        ITEMS.check(self.n, "a function of labels", TableError)
        return np.repeat(self.rows, self.counts), np.repeat(self.cols, self.counts)

    @property
    def T(self) -> Table:  # noqa: N802 (the name that NumPy and pandas users look for)
        """The transposed table: gold and predicted swapped."""
        return Table._count(self.cols, self.rows, self.unrounded, self.clusters, self.classes, self.policy)

    def reclustered(self, clusters: Ints) -> Table:
        """The table with the items of each cell in another cluster; clusters: the code of one for each cell."""
        return Table._count(self.rows, clusters, self.counts, self.classes, None, self.policy)

    def __add__(self, other: object) -> Table:
        return _sum([self, other]) if isinstance(other, Table) else NotImplemented

    def __sub__(self, other: object) -> Table:
        """The table without the items of another, such as a batch that is to be recounted."""
        return Table._count(*subtracted(self, other)) if isinstance(other, Table) else NotImplemented

    def __radd__(self, other: object) -> Table:
        return self if other.__class__ is int and other == 0 else NotImplemented  # so that sum(tables) works

    def __eq__(self, other: object) -> bool:
        return same_cells(self, other) if isinstance(other, Table) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        cells = (self.rows, self.cols, self.unrounded, self.classes, self.clusters, self.policy)
        return Table._count, cells  # cached values are cheap to recompute, so they are not pickled

    def __repr__(self) -> str:
        sizes = zip((self.n, *self.shape, self.counts.size), ("item", "class", "cluster", "cell"), strict=True)
        return f"<Table: {', '.join(several(size, noun) for size, noun in sizes)}>"

    def to_frame(self, backend: str | None = None) -> Any:
        """The non-empty cells as a data frame with columns gold, pred and count, one row per cell."""
        rows, cols = self.rows.tolist(), self.cols.tolist()
        return frame(
            {
                "gold": [self.classes[r] for r in rows],
                "pred": [self.clusters[c] for c in cols],
                "count": self.counts.tolist(),
            },
            backend,
        )

    def top_cells(self, most: int | None = None) -> list[tuple[Any, Any, Any]]:
        """The (class, cluster, count) of the largest cells, at most `most`; ties in the order of names.

        >>> Table.from_labels(["a", "a", "b"], [1, 1, 2]).top_cells(1)
        [('a', 1, 2)]
        """
        indices = self.top_indices(most)
        cells = zip(
            self.rows[indices].tolist(), self.cols[indices].tolist(), self.counts[indices].tolist(), strict=True
        )
        return [(self.classes[row], self.clusters[col], count) for row, col, count in cells]

    def top_indices(self, most: int | None = None) -> Ints:
        """The indices of the largest cells, at most `most` of them, in the order of top_cells()."""
        number = None if most is None else whole(most, "most", LIMIT)
        return np.argsort(-self.counts, kind="stable")[:number]

    def to_sparse(self) -> Any:
        """The table as a SciPy sparse array, in the order of classes and clusters."""
        from scipy.sparse import csr_array

        return csr_array((self.counts, (self.rows, self.cols)), shape=self.shape)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the table to a .parquet or .json file, atomically."""
        from karat.tables.storage import save_cells

        save_cells(path, self.rows, self.cols, self.counts, self.classes, self.clusters, self.policy)


def _sum(tables: Sequence[Table]) -> Table:
    """The sum of tables of different items."""
    return tables[0] if len(tables) == 1 else Table._count(*added(tables))


def _batch(batch: Any) -> dict[str, Any]:
    if not isinstance(batch, (tuple, list)) or len(batch) not in (2, 3):
        raise TableError(f"{brief(batch)} is not a batch; give (gold, pred), (gold, pred, weights) or a Table.")
    return dict(zip(("gold", "pred", "weights"), batch, strict=False))


def _fixed(array: Any) -> NDArray[Any]:
    """Make the array read-only and return it."""
    array.setflags(write=False)
    return array  # type: ignore[no-any-return]


def _names(values: NDArray[Any], names: Sequence[Any] | None) -> tuple[Any, ...]:
    """The labels at these indices of names; the values if names is None."""
    if names is not None and values.size == len(names):
        return tuple(names)
    indices = values.tolist()
    return tuple(indices if names is None else [names[index] for index in indices])
