"""From two integer arrays to the distinct values of each and the cells of their cross table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from karat.kernels import twin
from karat.kernels.threads import LARGE, in_parallel, shares

Ints = NDArray[np.int64]
Codes = NDArray[np.uint32]
AnyInts = NDArray[Any]  # of any integer type, and with any step from item to item

PART = 1 << 31  # items that are counted in 32 bits


class Cells(NamedTuple):
    """The distinct values of two columns, in increasing order, and how often each two meet, sorted by both."""

    left: AnyInts
    right: AnyInts
    rows: Ints  # a place in left
    cols: Ints  # a place in right
    counts: NDArray[Any]
    row_sizes: Ints | None = None  # sums of counts, where they are known
    col_sizes: Ints | None = None


def cross_count(left: AnyInts, right: AnyInts, weights: NDArray[Any] | None = None) -> Cells:
    """The cells of two columns, each with the number of its items or their total weight.

    Values in a small range go straight from the columns to the places of a dense table, if it is small beside the
    number of items; else the items are sorted by counting. Other values are numbered first, by hashing.
    """
    left, right = _readable(left), _readable(right)
    if weights is not None:
        return _weighed(left, right, weights)
    table = None
    if left.size >= LARGE:  # else looking at all values takes no longer than guessing
        row, col = _guess(left), _guess(right)
        table = _dense(row, col)
    if table is None:
        row, col = in_parallel([partial(_number, left), partial(_number, right)], left.size)
        table = _dense(row, col)
    return _sparse(row, col) if table is None else _filled(table, row, col)


class _Column(NamedTuple):
    """Integers that are below size when low is taken off; names are what they stand for, if not for themselves."""

    values: AnyInts
    low: int
    size: int
    names: AnyInts | None = None

    @property
    def bits(self) -> int:
        """How many bits tell the values apart."""
        return max(1, (self.size - 1).bit_length())

    def meaning(self, places: Ints) -> AnyInts:
        """What the values at these places of the range stand for."""
        if self.names is not None:
            return self.names[places]
        wide = np.uint64 if self.values.dtype.kind == "u" else np.int64  # in which a sum may wrap, and wraps back
        return (places.astype(wide) + np.array(self.low, dtype=wide)).astype(self.values.dtype)


def _readable(values: AnyInts) -> AnyInts:
    """The array itself, unless its bytes or its steps are such as few arrays have."""
    plain = values.dtype.isnative and values.flags.aligned and values.strides[0] % values.itemsize == 0
    return (
        values if plain and values.itemsize <= 8 else np.ascontiguousarray(values, dtype=values.dtype.newbyteorder("="))
    )


def _guess(values: AnyInts) -> _Column:
    """The range of a few values; labels mostly count from 0."""
    some = np.concatenate([values[:512], values[-512:], values[:: values.size // 512 + 1]])
    low, high = int(some.min()), int(some.max())
    bits = (high - low).bit_length()
    return _Column(values, 0 if low >= 0 and high >> bits == 0 else low, 1 << bits)


def _number(values: AnyInts) -> _Column:
    """The column itself if its range is small, else codes made by hashing."""
    low, high = int(values.min()), int(values.max())
    if high - low < min(max(2 * values.size, 1 << 16), 1 << 32):
        return _Column(values, low, high - low + 1)
    codes, names = _hashed(values)
    return _Column(codes, 0, names.size, names)


def _dense(row: _Column, col: _Column) -> Ints | None:
    """The whole table as one array; None if it would be large beside the number of items, or a value is outside."""
    size = row.values.size
    if 1 << (row.bits + col.bits) > max(size >> 3, 1 << 12):
        return None
    ends = [end for start, stop in shares(size) for end in range(start, stop, PART)] + [size]
    columns = (row.values, col.values, row.low, row.bits, col.low, col.bits)
    parts = in_parallel([partial(count_dense, *columns, a, b) for a, b in pairwise(ends)])
    total = np.zeros(1 << (row.bits + col.bits), dtype=np.int64)
    for part in parts:
        if part is None:
            return None
        total += part
    return total


@twin
def count_dense(
    left: AnyInts,
    right: AnyInts,
    left_base: int,
    left_bits: int,
    right_base: int,
    right_bits: int,
    start: int,
    stop: int,
) -> Codes | None:
    """How often each (left - base) << right_bits | (right - base) occurs; None if a difference needs more bits."""
    counts = np.zeros(1 << (left_bits + right_bits), dtype=np.uint32)
    for first in range(start, stop, 1 << 16):  # the keys of a few items at a time
        part = slice(first, min(first + (1 << 16), stop))
        rows, cols = _differences(left[part], left_base), _differences(right[part], right_base)
        if int(rows.max()) >> left_bits or int(cols.max()) >> right_bits:
            return None
        keys = (rows << np.uint64(right_bits) | cols).astype(np.int64)
        found = np.bincount(keys)
        counts[: found.size] += found.astype(np.uint32)
    return counts


def _differences(values: AnyInts, base: int) -> NDArray[np.uint64]:
    """values - base in 64 bits without a sign, where it wraps to what it should be if base is the lowest."""
    wide = values.astype(np.uint64 if values.dtype.kind == "u" else np.int64).view(np.uint64)
    return np.asarray(wide - np.uint64(base & (2**64 - 1)))


def _filled(table: Ints, row: _Column, col: _Column) -> Cells:
    """The cells of a dense table that are not empty."""
    places = np.flatnonzero(table)
    lines = table.reshape(1 << row.bits, 1 << col.bits)
    found = places >> col.bits, places & ((1 << col.bits) - 1), table[places]
    del places
    return _compact(found, row, lines.sum(axis=1), col, lines.sum(axis=0))


def _compact(found: Sequence[Ints], row: _Column, row_sizes: Ints, col: _Column, col_sizes: Ints) -> Cells:
    """Cells, as lines of rows, columns and counts, without the rows and columns that have none."""
    rows, row_places = _ranked(found[0], row_sizes > 0)
    cols, col_places = _ranked(found[1], col_sizes > 0)
    sizes = row_sizes[row_places], col_sizes[col_places]
    return Cells(row.meaning(row_places), col.meaning(col_places), rows, cols, found[2], *sizes)


def _used(codes: Ints, size: int) -> NDArray[np.bool_]:
    used = np.zeros(size, dtype=bool)
    used[codes] = True
    return used


def _ranked(codes: Ints, used: NDArray[np.bool_]) -> tuple[Ints, Ints]:
    """Codes renumbered without those that are not used, and what each now stands for."""
    places = np.flatnonzero(used)
    if places.size == 0 or places[-1] + 1 == places.size:
        return codes, places
    ranks = np.cumsum(used, dtype=np.int64)
    ranks -= 1
    return ranks[codes], places


def _hashed(values: AnyInts) -> tuple[Codes, AnyInts]:
    """A code for each item, in increasing order of value, and the distinct values."""
    wide = values.astype(np.uint64 if values.dtype.kind == "u" else np.int64, copy=False)
    codes, seen = first_seen(wide.view(np.uint64))
    distinct = seen.view(wide.dtype)
    order = np.argsort(distinct, kind="stable")
    return _inverse(order)[codes], distinct[order].astype(values.dtype)


def _inverse(order: Ints) -> Codes:
    """The place of each number in an order of them."""
    places = np.empty(order.size, dtype=np.uint32)
    places[order] = np.arange(order.size, dtype=np.uint32)
    return places


@twin
def first_seen(values: NDArray[np.uint64]) -> tuple[Codes, NDArray[np.uint64]]:
    """A code for each item in the order in which values turn up, and the distinct values in that order."""
    distinct, first, codes = np.unique(values, return_index=True, return_inverse=True)
    order = np.argsort(first)
    return _inverse(order)[codes], distinct[order]


def encode_integers(values: AnyInts) -> tuple[Ints, AnyInts]:
    """Codes 0..k-1 in increasing order of value, and the k distinct values."""
    column = _number(_readable(values))
    if column.names is not None:
        return column.values.astype(np.int64), column.names
    codes = _differences(column.values, column.low).view(np.int64)
    codes, places = _ranked(codes, _used(codes, column.size))
    return codes, column.meaning(places)


def _sparse(row: _Column, col: _Column) -> Cells:
    """By sorting the items by counting: first by column, then, keeping that order, by row."""
    col_starts, lefts = _by_code(col, row)
    starts, rights = _by_member(col_starts, lefts, row.size)
    parts = shares(row.size, row.values.size)
    if row.values.size < LARGE:  # one pass, into as much room as there could be need of
        found: NDArray[Any] = np.empty((3, row.values.size), dtype=np.int64)
        found = found[:, : write_runs(starts, rights, found, 0, *parts[0])]
        found = found.copy() if 2 * found.shape[1] < row.values.size else found
        return _compact(tuple(found), row, np.diff(starts), col, np.diff(col_starts))
    numbers = in_parallel([partial(count_runs, starts, rights, *part) for part in parts])
    found = np.empty((3, sum(numbers)), dtype=np.int64)
    places = zip(accumulate(numbers, initial=0), parts, strict=False)
    in_parallel([partial(write_runs, starts, rights, found, at, *part) for at, part in places])
    return _compact(tuple(found), row, np.diff(starts), col, np.diff(col_starts))


def _by_code(key: _Column, member: _Column) -> tuple[Ints, Codes]:
    """Where the members of each key start, and the members, grouped by key in the order of the items."""
    parts = shares(key.values.size, most=key.values.size // key.size)
    counts = in_parallel([partial(histogram, key.values, key.low, key.size, *part) for part in parts])
    starts, places = _places(counts)
    members = np.empty(key.values.size, dtype=np.uint32)
    columns = (key.values, key.low, member.values, member.low)
    in_parallel([partial(scatter, *columns, place, members, *part) for place, part in zip(places, parts, strict=True)])
    return starts, members


def _by_member(starts: Ints, members: Codes, size: int) -> tuple[Ints, Codes]:
    """The same the other way round: where the keys of each member start, and the keys in increasing order."""
    items = [start for start, _ in shares(members.size, most=members.size // size)]
    keys = [*np.searchsorted(starts, items).tolist(), starts.size - 1]
    parts = list(pairwise(keys))
    counts = in_parallel([partial(histogram, members, 0, size, int(starts[a]), int(starts[b])) for a, b in parts])
    member_starts, places = _places(counts)
    found = np.empty(members.size, dtype=np.uint32)
    in_parallel([partial(regroup, starts, members, p, found, *part) for p, part in zip(places, parts, strict=True)])
    return member_starts, found


def _places(counts: list[Ints]) -> tuple[Ints, list[Ints]]:
    """Where each code's items start, and where those of each part of the items do."""
    starts = np.zeros(counts[0].size + 1, dtype=np.int64)
    np.cumsum(sum(counts), out=starts[1:])
    places = [starts[:-1].copy()]
    for count in counts[:-1]:
        places.append(places[-1] + count)
    return starts, places


@twin
def histogram(values: AnyInts, base: int, size: int, start: int, stop: int) -> Ints:
    """How often each value - base occurs among the items from start to stop."""
    places = _differences(values[start:stop], base)
    if places.size and int(places.max()) >= size:
        raise ValueError("the labels changed while they were counted; leave the array alone, or give a copy")
    return np.bincount(places.astype(np.int64), minlength=size).astype(np.int64)


@twin
def scatter(
    keys: AnyInts, key_base: int, values: AnyInts, value_base: int, places: Ints, out: Codes, start: int, stop: int
) -> None:
    """Write value - base of each item to the place of its key, and move that place on by one."""
    key = _differences(keys[start:stop], key_base).astype(np.int64)
    order = np.argsort(key, kind="stable")
    _write(key[order], _differences(values[start:stop], value_base)[order], places, out)


def _write(keys: Ints, values: NDArray[Any], places: Ints, out: Codes) -> None:
    """The same for items in the order of their keys."""
    counts = np.bincount(keys, minlength=places.size)
    before = np.cumsum(counts) - counts
    out[places[keys] + np.arange(keys.size) - before[keys]] = values
    places += counts


@twin
def regroup(starts: Ints, members: Codes, places: Ints, out: Codes, start: int, stop: int) -> None:
    """Write each group's number to the place of each of its members, and move that place on by one."""
    items = slice(int(starts[start]), int(starts[stop]))
    member = members[items].astype(np.int64)
    order = np.argsort(member, kind="stable")
    groups = np.repeat(np.arange(start, stop), np.diff(starts[start : stop + 1]))
    _write(member[order], groups[order], places, out)


@twin
def count_runs(starts: Ints, members: Codes, start: int, stop: int) -> int:
    """How many runs of equal members the groups from start to stop have."""
    return int(_run_starts(starts, members, start, stop).size)


def _run_starts(starts: Ints, members: Codes, start: int, stop: int) -> Ints:
    items = slice(int(starts[start]), int(starts[stop]))
    member = members[items]
    new = np.ones(member.size, dtype=bool)
    new[1:] = member[1:] != member[:-1]
    begins = starts[start:stop] - items.start
    new[begins[begins < member.size]] = True
    return np.flatnonzero(new) + items.start


@twin
def write_runs(starts: Ints, members: Codes, found: NDArray[Any], offset: int, start: int, stop: int) -> int:
    """Write the group, the member and the length of each run, from offset on; how many there were."""
    runs = _run_starts(starts, members, start, stop)
    part = slice(offset, offset + runs.size)
    found[0, part] = np.searchsorted(starts, runs, side="right") - 1
    found[1, part] = members[runs]
    found[2, part] = np.diff(np.append(runs, starts[stop]))
    return int(runs.size)


def _weighed(left: AnyInts, right: AnyInts, weights: NDArray[Any]) -> Cells:
    """Totals per cell: exact for integers, correctly rounded (so in any order the same) for floats."""
    (rows, row_values), (cols, col_values) = encode_integers(left), encode_integers(right)
    keys, possible = rows * col_values.size + cols, row_values.size * col_values.size
    if weights.dtype.kind == "i" and possible <= 4 * keys.size:  # as when few cells of those that could be are empty
        table, seen = np.zeros(possible, dtype=np.int64), np.zeros(possible, dtype=bool)
        np.add.at(table, keys, weights)
        seen[keys] = True
        filled = np.flatnonzero(seen)
        return Cells(row_values, col_values, filled // col_values.size, filled % col_values.size, table[filled])
    order = np.argsort(keys, kind="stable")  # which merges what comes sorted
    keys, weights = keys[order], weights[order]
    begins = np.flatnonzero(np.diff(keys, prepend=keys[:1] - 1))
    keys = keys[begins]
    if weights.dtype.kind == "i":
        sums = np.add.reduceat(weights, begins)
    else:
        values, ends = weights.tolist(), np.append(begins[1:], weights.size)
        totals = [math.fsum(values[s:e]) for s, e in zip(begins.tolist(), ends.tolist(), strict=True)]
        sums = np.array(totals, dtype=np.float64)
    return Cells(row_values, col_values, keys // col_values.size, keys % col_values.size, sums)
