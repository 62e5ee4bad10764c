"""Sums and differences of tables, cell by cell; classes and clusters are matched by label."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from karat.errors import TableError, brief
from karat.kernels.objects import types_of
from karat.labels.identity import Singleton, label_key
from karat.labels.names import coded_names, merge_names
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
    return rows, cols, _together([t.unrounded for t in tables]), classes, clusters, policy


def _together(parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Counts of several tables, as fractions if some are."""
    joined = np.concatenate(parts)
    if joined.dtype == object:
        joined[:] = [Fraction(count) for count in joined.tolist()]
    return joined


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
    policy = _policy_without(table.policy, part.policy)
    class_names, cluster_names = _with_singletons_of(table, part)
    classes, rows = _recoded([table.classes, class_names], [table.rows, part.rows], coded_names)
    clusters, cols = _recoded([table.clusters, cluster_names], [table.cols, part.cols], coded_names)
    distinct, indices = np.unique(rows * np.int64(len(clusters)) + cols, return_inverse=True)
    left = np.zeros(distinct.size, dtype=np.int64)
    np.add.at(left, indices, np.concatenate([table.counts, -part.counts]))
    if (left < 0).any():
        row, col = divmod(int(distinct[left.argmin()]), len(clusters))
        raise TableError(
            f"class {brief(classes[row])} and cluster {brief(clusters[col])} have {-int(left.min())} items more in the "
            "part than in the whole; subtract only what was added."
        )
    if not left.any():
        raise TableError("the part has all items of the whole, so none is left; subtract a smaller part.")
    rows, cols = np.divmod(distinct, len(clusters))
    return rows, cols, left, classes, clusters, policy


def _policy_without(whole: Policy, part: Policy) -> Policy:
    """The policy of a table without a part; TableError if the part cannot have been counted as the whole was."""
    left = whole - part
    if left is None:
        raise TableError(
            f"tables counted under different policies ({whole} and {part}) cannot be subtracted; "
            "count them again under one."
        )
    for kind in ("missing", "noise", "ignored"):
        name = f"{kind}_items"
        if getattr(left, name) < 0:
            raise TableError(
                f"the part was counted from {getattr(part, name)} {kind} items, the whole from {getattr(whole, name)}; "
                "subtract only what was added."
            )
    return left


def _with_singletons_of(table: Table, part: Table) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """The names of the part's classes and clusters, its singletons replaced by those of the same cells in the table.

    A singleton is equal to no other label, but in a sum of tables every singleton has one cell, which is found again by
    its item, by the label on the other side, and by its count.
    """
    wanted = _singleton_cells(part)
    if not wanted:
        return part.classes, part.clusters
    names, cells = (list(part.classes), list(part.clusters)), _singleton_cells(table)
    for key, indices in wanted.items():
        for mine, theirs in zip(indices, cells.get(key, ()), strict=False):
            for side, codes, all_names, all_codes in (
                (names[0], part.rows, table.classes, table.rows),
                (names[1], part.cols, table.clusters, table.cols),
            ):
                if isinstance(side[codes[mine]], Singleton):
                    side[codes[mine]] = all_names[all_codes[theirs]]
    return tuple(names[0]), tuple(names[1])


def _singleton_cells(table: Table) -> dict[Any, list[int]]:
    """The indices of the cells of singletons, by the class, the cluster and the count."""
    single = [np.array([isinstance(name, Singleton) for name in names]) for names in (table.classes, table.clusters)]
    cells: defaultdict[Any, list[int]] = defaultdict(list)
    for index in np.flatnonzero(single[0][table.rows] | single[1][table.cols]).tolist():
        label, cluster = table.classes[table.rows[index]], table.clusters[table.cols[index]]
        cells[label_key(label), label_key(cluster), int(table.counts[index])].append(index)
    return cells


def _recoded(
    lists: Sequence[tuple[Any, ...]], codes: Sequence[Ints], merge: Callable[..., Any] = merge_names
) -> tuple[Sequence[Any], Ints]:
    """Merge lists of names into one, and concatenate the codes of all cells, recoded accordingly."""
    if types_of(lists[0]) == {str} and all(names == lists[0] for names in lists[1:]):
        return lists[0], np.concatenate(codes)
    names, new_codes = merge(lists)
    return names, np.concatenate([new[code] for new, code in zip(new_codes, codes, strict=True)])
