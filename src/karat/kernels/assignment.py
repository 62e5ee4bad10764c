"""The maximum-weight one-to-one matching of rows and columns of a sparse table, exact and greedy."""

from __future__ import annotations

import heapq
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karat.kernels import twin

Ints = NDArray[np.int64]


def best_matching(rows: Ints, cols: Ints, values: NDArray[Any]) -> Ints:
    """Indices of the cells in a maximum-weight matching: each row and each column at most once.

    Successive shortest augmenting paths on the reduced costs row_price + col_price - value, one row at a
    time, in integers. A path may also end by giving up a row, so no dummy columns are
    needed, and a search seldom leaves the neighbourhood of its row: time and memory follow the cells.
    Rows that can all have their largest cell at once are matched first, by Hopcroft and Karp's matching.
    """
    shape = int(rows.max()) + 1, int(cols.max()) + 1
    if place_rows is place_rows.twin and _suits_scipy(values, shape):  # type: ignore[attr-defined]
        return _from_dense(rows, cols, values, shape)
    if (rows[1:] < rows[:-1]).any():
        order = np.argsort(rows, kind="stable")
        return np.sort(order[best_matching(rows[order], cols[order], values[order])])
    cols = np.ascontiguousarray(cols)
    starts = np.searchsorted(rows, np.arange(shape[0] + 1))
    nonempty = np.flatnonzero(np.diff(starts))
    largest = np.zeros(shape[0], dtype=values.dtype)
    largest[nonempty] = np.maximum.reduceat(values, starts[nonempty])
    tight = np.flatnonzero(values == largest[rows])
    first = most_pairs(np.searchsorted(rows[tight], np.arange(shape[0] + 1)), cols[tight])
    matched = np.where(first >= 0, tight[first], -1)
    heavy_first = nonempty[np.argsort(-largest[nonempty], kind="stable")]  # then fewer of them move later
    solve = place_rows if values.dtype == np.int64 and values.max() < 1 << 60 else place_rows.twin  # type: ignore[attr-defined]
    chosen = solve(starts, cols, values, heavy_first[matched[heavy_first] < 0], matched)
    return np.sort(chosen[chosen >= 0])


@twin
def place_rows(starts: Ints, columns: Ints, values: NDArray[Any], order: Ints, matched: Ints) -> Ints:
    """The edge of each row (-1: none) in a maximum-weight matching of the rows in order and matched.

    Row i has the edges from starts[i] to starts[i+1]; rows matched already have their largest edge.
    """
    state = _Matching(list(pairwise(starts.tolist())), columns.tolist(), values.tolist())
    for row, edge in enumerate(matched.tolist()):
        if edge >= 0:
            state.accept(row, edge)
    for row in order.tolist():
        state.add_row(row)
    return np.array(state.edge_of_row, dtype=np.int64)


def _suits_scipy(values: NDArray[Any], shape: tuple[int, int]) -> bool:
    """Whether SciPy's dense solver is faster than Python: a dense table, exact in double precision."""
    dense = shape[0] * shape[1] <= max(8 * values.size, 1 << 12)
    return dense and values.dtype.kind == "i" and int(values.max()) * min(shape) < 1 << 52


def _from_dense(rows: Ints, cols: Ints, values: Ints, shape: tuple[int, int]) -> Ints:
    from scipy.optimize import linear_sum_assignment

    matrix = np.zeros(shape)
    matrix[rows, cols] = values
    chosen_rows, chosen_cols = linear_sum_assignment(matrix, maximize=True)
    partner = np.full(shape[0], -1)
    partner[chosen_rows] = chosen_cols
    return np.flatnonzero(partner[rows] == cols)


@twin
def most_pairs(starts: Ints, columns: Ints) -> Ints:
    """The edge of each row (-1: none) in a maximum-cardinality matching (Hopcroft & Karp 1973).

    Row i has the edges from starts[i] to starts[i+1].
    """
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import maximum_bipartite_matching

    rows, cols = starts.size - 1, int(columns.max()) + 1
    graph = csr_matrix((np.ones(columns.size, dtype=np.int8), columns, starts), shape=(rows, cols))
    partner = maximum_bipartite_matching(graph, perm_type="column")
    row_of_edge = np.repeat(np.arange(rows), np.diff(starts))
    matched = np.flatnonzero(partner[row_of_edge] == columns)
    edges = np.full(rows, -1, dtype=np.int64)
    edges[row_of_edge[matched]] = matched
    return edges


class _Matching:
    """A partial matching, and dual prices that prove it maximal for the rows added so far."""

    def __init__(self, edges: list[tuple[int, int]], columns: list[int], values: list[Any]) -> None:
        self.edges, self.columns, self.values = edges, columns, values
        size = max(columns) + 1
        self.row_price: list[Any] = [0] * len(edges)
        self.col_price: list[Any] = [0] * size
        self.row_of_col = [-1] * size
        self.edge_of_row = [-1] * len(edges)

    def accept(self, row: int, edge: int) -> None:
        """Match a row with its largest cell, in a free column."""
        self.row_price[row] = self.values[edge]
        self.edge_of_row[row], self.row_of_col[self.columns[edge]] = edge, row

    def add_row(self, start: int) -> None:
        """Match row start, or leave a row unmatched, whichever costs least, along one alternating path."""
        first, last = self.edges[start]
        self.row_price[start] = max(
            0, max(self.values[e] - self.col_price[self.columns[e]] for e in range(first, last))
        )
        length, end, reached, came_by, settled = self._search(start)
        for row, distance in reached.items():
            self.row_price[row] -= length - distance
        for col, distance in settled.items():
            self.col_price[col] += length - distance
        self._flip(start, end, came_by)

    def _search(self, start: int) -> tuple[Any, int, dict[int, Any], dict[int, tuple[int, int]], dict[int, Any]]:
        """Dijkstra to the nearest end: a free column (its number) or a row given up (-1 - its number)."""
        reached: dict[int, Any] = {}  # rows that are in the tree, and their distance
        settled: dict[int, Any] = {}  # columns that are in the tree, and their distance
        came_by: dict[int, tuple[int, int]] = {}  # column -> (row, edge) on the shortest way to it
        distance: dict[int, Any] = {}
        heap: list[tuple[Any, int]] = []
        best, end = self.row_price[start], -1 - start
        row, at = start, 0
        while True:
            reached[row] = at
            if at + self.row_price[row] < best:
                best, end = at + self.row_price[row], -1 - row
            for edge in range(*self.edges[row]):
                col = self.columns[edge]
                if col in settled:
                    continue
                way = at + self.row_price[row] + self.col_price[col] - self.values[edge]
                if way < best and way < distance.get(col, best):
                    distance[col] = way
                    came_by[col] = (row, edge)
                    if self.row_of_col[col] < 0:
                        best, end = way, col
                    else:
                        heapq.heappush(heap, (way, col))
            while heap and heap[0][1] in settled:
                heapq.heappop(heap)
            if not heap or heap[0][0] >= best:
                return best, end, reached, came_by, settled
            at, col = heapq.heappop(heap)
            settled[col] = at
            row = self.row_of_col[col]

    def _flip(self, start: int, end: int, came_by: dict[int, tuple[int, int]]) -> None:
        if end < 0:
            row = -1 - end
            if row == start:
                return
            col = self.columns[self.edge_of_row[row]]
            self.edge_of_row[row] = -1
        else:
            col = end
        while True:
            row, edge = came_by[col]
            before = self.edge_of_row[row]
            self.edge_of_row[row], self.row_of_col[col] = edge, row
            if row == start:
                return
            col = self.columns[before]


def greedy_matching(rows: Ints, cols: Ints, values: NDArray[Any]) -> Ints:
    """Indices of the cells taken largest first; ties go to the lowest row, then the lowest column."""
    taken_rows: set[int] = set()
    taken_cols: set[int] = set()
    chosen = []
    order = np.lexsort((cols, rows, -values))
    for position, row, col in zip(order.tolist(), rows[order].tolist(), cols[order].tolist(), strict=True):
        if row not in taken_rows and col not in taken_cols:
            taken_rows.add(row)
            taken_cols.add(col)
            chosen.append(position)
    return np.array(sorted(chosen), dtype=np.int64)
