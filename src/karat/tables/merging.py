"""Sums and differences of tables, cell by cell; classes and clusters are matched by label."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from karat.errors import TableError, brief
from karat.kernels.objects import types_of
from karat.labels.identity import label_key
from karat.labels.names import merge_names
from karat.labels.policy import Policy

if TYPE_CHECKING:
    from karat.tables.table import Table

Ints: TypeAlias = NDArray[np.int64]
# rows, columns and counts of cells, names of classes and of clusters, policy
Cells: TypeAlias = tuple[Ints, Ints, NDArray[Any], Sequence[Any], Sequence[Any], Policy]


def added(tables: Sequence[Table]) -> Cells:
    """The cells of the sum of tables of different items; a cell may occur more than once."""
    policy = tables[0].policy
    for table in tables[1:]:
        policy = common_policy(policy, table.policy)
    classes, rows = _recoded([t.classes for t in tables], [t.rows for t in tables])
    clusters, cols = _recoded([t.clusters for t in tables], [t.cols for t in tables])
    return rows, cols, np.concatenate([t.counts for t in tables]), classes, clusters, policy


def common_policy(policy: Policy, other: Policy) -> Policy:
    """The policy of the sum of two tables; TableError if theirs differ."""
    common = policy + other
    if common is None:
        raise TableError(
            f"tables counted under different policies ({policy} and {other}) cannot be added; "
            "count them again under one."
        )
    return common


def same_cells(table: Table, other: Table) -> bool:
    """Whether two tables have the same cells: equal counts of the same class and cluster, in any order."""
    if table.counts.size != other.counts.size:
        return False
    row_codes: dict[Any, int] = {}
    col_codes: dict[Any, int] = {}
    cells = []
    for one in (table, other):
        rows, cols = _shared_codes(one.classes, row_codes)[one.rows], _shared_codes(one.clusters, col_codes)[one.cols]
        order = np.lexsort((one.counts, cols, rows))
        cells.append((rows[order], cols[order], one.counts[order]))
    return all(map(np.array_equal, *cells))


def _shared_codes(names: Sequence[Any], codes: dict[Any, int]) -> Ints:
    """The code of each name, the same in all tables that share codes; new names are added to them."""
    return np.array([codes.setdefault(label_key(name), len(codes)) for name in names], dtype=np.int64)


def with_policies(table: Table, policies: Sequence[Policy]) -> Table:
    """The table with the numbers of dropped items of some batches that left no item."""
    policy = table.policy
    for other in policies:
        policy = common_policy(policy, other)
    return replace(table, policy=policy) if policies else table


def subtracted(table: Table, part: Table) -> Cells:
    """The cells of a table without the items of a part of it; a cell may be empty."""
    if table.counts.dtype.kind != "i" or part.counts.dtype.kind != "i":
        raise TableError("tables with fractional cells cannot be subtracted exactly; count the rest again.")
    classes, rows = _recoded([table.classes, part.classes], [table.rows, part.rows])
    clusters, cols = _recoded([table.clusters, part.clusters], [table.cols, part.cols])
    keys = rows * np.int64(len(clusters)) + cols
    counts = np.concatenate([table.counts, -part.counts])
    distinct, indices = np.unique(keys, return_inverse=True)
    left = np.zeros(distinct.size, dtype=np.int64)
    np.add.at(left, indices, counts)
    if (left < 0).any():
        row, col = divmod(int(distinct[left.argmin()]), len(clusters))
        raise TableError(
            f"class {brief(classes[row])} and cluster {brief(clusters[col])} have {-int(left.min())} items more in "
            "the part than in the whole; subtract only what was added."
        )
    rows, cols = np.divmod(distinct, len(clusters))
    return rows, cols, left, classes, clusters, table.policy - part.policy


def _recoded(lists: Sequence[tuple[Any, ...]], codes: Sequence[Ints]) -> tuple[Sequence[Any], Ints]:
    """Merge lists of names into one, and concatenate the codes of all cells, recoded accordingly."""
    if types_of(lists[0]) == {str} and all(names == lists[0] for names in lists[1:]):
        return lists[0], np.concatenate(codes)
    names, new_codes = merge_names(lists)
    return names, np.concatenate([new[code] for new, code in zip(new_codes, codes, strict=True)])
