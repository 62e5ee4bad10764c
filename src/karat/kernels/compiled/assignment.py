# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# cython: freethreading_compatible=True
"""Shortest augmenting paths; the twin's steps, with arrays in place of dictionaries."""

import cython
import numpy as np

Heap = cython.struct(  # columns by their distance, and the index of each column in it
    size=cython.Py_ssize_t,
    items=cython.pointer[cython.longlong],
    index=cython.pointer[cython.longlong],
    distance=cython.pointer[cython.longlong],
)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _rise(heap: cython.pointer[Heap], at: cython.Py_ssize_t) -> cython.void:
    """Restore the order of the heap by moving the column at an index up."""
    column: cython.longlong = heap.items[at]
    above: cython.Py_ssize_t
    while at > 0:
        above = (at - 1) // 2
        if heap.distance[heap.items[above]] <= heap.distance[column]:
            break
        heap.items[at] = heap.items[above]
        heap.index[heap.items[at]] = at
        at = above
    heap.items[at] = column
    heap.index[column] = at


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _pop(heap: cython.pointer[Heap]) -> cython.longlong:
    """Take out the nearest column."""
    nearest: cython.longlong = heap.items[0]
    heap.size -= 1
    last: cython.longlong = heap.items[heap.size]
    at: cython.Py_ssize_t = 0
    below: cython.Py_ssize_t = 1
    while below < heap.size:
        if below + 1 < heap.size and heap.distance[heap.items[below + 1]] < heap.distance[heap.items[below]]:
            below += 1
        if heap.distance[last] <= heap.distance[heap.items[below]]:
            break
        heap.items[at] = heap.items[below]
        heap.index[heap.items[at]] = at
        at = below
        below = 2 * at + 1
    heap.items[at] = last
    heap.index[last] = at
    return nearest


def place_rows(starts, columns, values, order, matched):
    """See the twin."""
    first: cython.const[cython.longlong][::1] = starts
    column: cython.const[cython.longlong][::1] = columns
    value: cython.const[cython.longlong][::1] = values
    turn: cython.const[cython.longlong][::1] = order
    rows = starts.size - 1
    cols = int(columns.max()) + 1
    edges = matched.copy()
    chosen: cython.longlong[::1] = edges
    row_cost: cython.longlong[::1] = np.zeros(rows, dtype=np.int64)
    col_cost: cython.longlong[::1] = np.zeros(cols, dtype=np.int64)
    owner: cython.longlong[::1] = np.full(cols, -1, dtype=np.int64)
    reached: cython.longlong[::1] = np.empty(rows, dtype=np.int64)
    reached_at: cython.longlong[::1] = np.empty(rows, dtype=np.int64)
    settled: cython.longlong[::1] = np.empty(cols, dtype=np.int64)
    came_row: cython.longlong[::1] = np.empty(cols, dtype=np.int64)
    came_edge: cython.longlong[::1] = np.empty(cols, dtype=np.int64)
    distance: cython.longlong[::1] = np.empty(cols, dtype=np.int64)
    items: cython.longlong[::1] = np.empty(cols, dtype=np.int64)
    index: cython.longlong[::1] = np.empty(cols, dtype=np.int64)
    seen: cython.longlong[::1] = np.full(cols, -1, dtype=np.int64)  # the turn in which a distance was last set
    done: cython.longlong[::1] = np.full(cols, -1, dtype=np.int64)  # and in which it was settled
    heap: Heap
    heap.items = cython.address(items[0])
    heap.index = cython.address(index[0])
    heap.distance = cython.address(distance[0])
    i: cython.Py_ssize_t
    k: cython.Py_ssize_t
    edge: cython.longlong
    start: cython.longlong
    row: cython.longlong
    col: cython.longlong
    at: cython.longlong
    way: cython.longlong
    best: cython.longlong
    end: cython.longlong
    before: cython.longlong
    many_rows: cython.Py_ssize_t
    many_cols: cython.Py_ssize_t
    with cython.nogil:
        for i in range(chosen.shape[0]):
            if chosen[i] >= 0:
                row_cost[i] = value[chosen[i]]
                owner[column[chosen[i]]] = i
        for i in range(turn.shape[0]):
            start = turn[i]
            row_cost[start] = 0
            for edge in range(first[start], first[start + 1]):
                row_cost[start] = max(row_cost[start], value[edge] - col_cost[column[edge]])
            best = row_cost[start]
            end = -1 - start
            row = start
            at = 0
            heap.size = 0
            many_rows = 0
            many_cols = 0
            while True:
                reached[many_rows] = row
                reached_at[many_rows] = at
                many_rows += 1
                if at + row_cost[row] < best:
                    best = at + row_cost[row]
                    end = -1 - row
                for edge in range(first[row], first[row + 1]):
                    col = column[edge]
                    if done[col] == i:
                        continue
                    way = at + row_cost[row] + col_cost[col] - value[edge]
                    if way >= best or (seen[col] == i and way >= distance[col]):
                        continue
                    came_row[col] = row
                    came_edge[col] = edge
                    distance[col] = way
                    if owner[col] < 0:
                        best = way
                        end = col
                    elif seen[col] == i:
                        _rise(cython.address(heap), index[col])
                    else:
                        items[heap.size] = col
                        heap.size += 1
                        _rise(cython.address(heap), heap.size - 1)
                    seen[col] = i
                if heap.size == 0 or distance[items[0]] >= best:
                    break
                col = _pop(cython.address(heap))
                at = distance[col]
                done[col] = i
                settled[many_cols] = col
                many_cols += 1
                row = owner[col]
            for k in range(many_rows):
                row_cost[reached[k]] -= best - reached_at[k]
            for k in range(many_cols):
                col_cost[settled[k]] += best - distance[settled[k]]
            if end < 0:
                row = -1 - end
                if row == start:
                    continue
                col = column[chosen[row]]
                chosen[row] = -1
            else:
                col = end
            while True:
                row = came_row[col]
                before = chosen[row]
                chosen[row] = came_edge[col]
                owner[col] = row
                if row == start:
                    break
                col = column[before]
    return edges


def most_pairs(starts, columns):
    """See the twin."""
    first: cython.const[cython.longlong][::1] = starts
    column: cython.const[cython.longlong][::1] = columns
    rows: cython.Py_ssize_t = starts.size - 1
    edges = np.full(starts.size - 1, -1, dtype=np.int64)
    chosen: cython.longlong[::1] = edges
    owner: cython.longlong[::1] = np.full(int(columns.max()) + 1, -1, dtype=np.int64)
    layer: cython.longlong[::1] = np.empty(starts.size - 1, dtype=np.int64)
    queue: cython.longlong[::1] = np.empty(starts.size - 1, dtype=np.int64)  # of rows to look at; then, the path
    turn: cython.longlong[::1] = np.empty(starts.size - 1, dtype=np.int64)  # the next edge of each row
    row: cython.longlong
    other: cython.longlong
    edge: cython.longlong
    deepest: cython.longlong
    head: cython.Py_ssize_t
    tail: cython.Py_ssize_t
    depth: cython.Py_ssize_t
    i: cython.Py_ssize_t
    with cython.nogil:
        for row in range(rows):  # what can be had at once
            for edge in range(first[row], first[row + 1]):
                if owner[column[edge]] < 0:
                    owner[column[edge]] = row
                    chosen[row] = edge
                    break
        while True:
            head = tail = 0
            deepest = rows  # the layer from which a free column is first reached
            for row in range(rows):
                layer[row] = -1
                turn[row] = first[row]
                if chosen[row] < 0:
                    layer[row] = 0
                    queue[tail] = row
                    tail += 1
            while head < tail and layer[queue[head]] <= deepest:
                row = queue[head]
                head += 1
                for edge in range(first[row], first[row + 1]):
                    other = owner[column[edge]]
                    if other < 0:
                        deepest = min(deepest, layer[row])
                    elif layer[other] < 0 and layer[row] < deepest:
                        layer[other] = layer[row] + 1
                        queue[tail] = other
                        tail += 1
            if deepest == rows:
                break
            for i in range(rows):
                if chosen[i] >= 0:
                    continue
                depth = 0
                queue[0] = i
                while depth >= 0:  # down the layers, along edges not yet tried
                    row = queue[depth]
                    if turn[row] == first[row + 1]:
                        depth -= 1
                        continue
                    edge = turn[row]
                    turn[row] += 1
                    other = owner[column[edge]]
                    if other >= 0:
                        if layer[other] == layer[row] + 1:
                            depth += 1
                            queue[depth] = other
                        continue
                    while depth >= 0:  # a free column: every row on the path takes the edge it came by
                        row = queue[depth]
                        chosen[row] = turn[row] - 1
                        owner[column[chosen[row]]] = row
                        depth -= 1
    return edges
