"""From two integer arrays to the distinct values of each and the cells of their cross table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
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
    """The distinct values of two columns, in increasing order, and their non-empty cells, in row order."""

    left: AnyInts
    right: AnyInts
    rows: Ints  # index into left
    cols: Ints  # index into right
    counts: NDArray[Any]
    row_sizes: Ints | None = None  # sums of counts, where they are known
    col_sizes: Ints | None = None
    rests: NDArray[np.float64] | None = None  # what the rounding of fractional counts has lost, where it has


def cross_count(left: AnyInts, right: AnyInts, weights: NDArray[Any] | None = None) -> Cells:
    """The non-empty cells of two columns, each with the number of its items or their total weight.

    Values in a small range are counted directly in a dense table, if that is small compared with the number of items;
    otherwise the items are sorted by counting sort. Values in a large range are first numbered by hashing.
    """
    left, right = _readable(left), _readable(right)
    if weights is not None:
        return _weighted(left, right, weights)
    table = None
    if left.size >= LARGE:  # for fewer, computing the exact range takes no longer than guessing it
        row, col = _guess(left), _guess(right)
        table = _dense(row, col)
    if table is None:
        row, col = in_parallel([partial(_number, left), partial(_number, right)], left.size)
        table = _dense(row, col)
    return _sparse(row, col) if table is None else _nonempty(table, row, col)


class _Column(NamedTuple):
    """Integers in a range of size from low; names are the labels of the offsets, None if the values are the labels."""

    values: AnyInts
    low: int
    size: int
    names: AnyInts | None = None

    @property
    def bits(self) -> int:
        """The number of bits of value - low."""
        return max(1, (self.size - 1).bit_length())

    def labels_at(self, offsets: Ints) -> AnyInts:
        """The labels at these offsets from low."""
        if self.names is not None:
            return self.names[offsets]
        wide = np.uint64 if self.values.dtype.kind == "u" else np.int64  # a sum may wrap around, and wraps back
        return (offsets.astype(wide) + np.array(self.low, dtype=wide)).astype(self.values.dtype)


def _readable(values: AnyInts) -> AnyInts:
    """The array, copied if it is not native, aligned and evenly strided."""
    plain = values.dtype.isnative and values.flags.aligned and values.strides[0] % values.itemsize == 0
    return (
        values if plain and values.itemsize <= 8 else np.ascontiguousarray(values, dtype=values.dtype.newbyteorder("="))
    )


def _guess(values: AnyInts) -> _Column:
    """A guess at the range of the values from a sample of them; labels mostly start at 0."""
    some = np.concatenate([values[:512], values[-512:], values[:: values.size // 512 + 1]])
    low, high = int(some.min()), int(some.max())
    bits = (high - low).bit_length()
    return _Column(values, 0 if low >= 0 and high >> bits == 0 else low, 1 << bits)


def _number(values: AnyInts) -> _Column:
    """The column unchanged if its range is small, else its codes, numbered by hashing."""
    low, high = int(values.min()), int(values.max())
    if high - low < min(max(2 * values.size, 1 << 16), 1 << 32):
        return _Column(values, low, high - low + 1)
    codes, names = _hashed(values)
    return _Column(codes, 0, names.size, names)


def _dense(row: _Column, col: _Column) -> Ints | None:
    """The dense table as one array; None if it would be too large, or a value is outside the range."""
    size = row.values.size
    if 1 << (row.bits + col.bits) > max(size >> 3, 1 << 12):
        return None
    ends = [end for start, stop in shares(size) for end in range(start, stop, PART)] + [size]
    columns = (row.values, col.values, row.low, row.bits, col.low, col.bits)
    parts = in_parallel([partial(count_dense, *columns, a, b) for a, b in pairwise(ends)])
    counted = [part for part in parts if part is not None]
    if len(counted) < len(parts):
        return None
    total = counted[0].astype(np.int64)
    for part in counted[1:]:
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
        part_counts = np.bincount(keys)
        counts[: part_counts.size] += part_counts.astype(np.uint32)
    return counts


def _differences(values: AnyInts, base: int) -> NDArray[np.uint64]:
    """values - base as unsigned 64-bit integers, correct by wrapping if base is the lowest value."""
    wide = values.astype(np.uint64 if values.dtype.kind == "u" else np.int64).view(np.uint64)
    return np.asarray(wide - np.uint64(base & (2**64 - 1)))


def _nonempty(table: Ints, row: _Column, col: _Column) -> Cells:
    """The non-empty cells of a dense table."""
    offsets = table.nonzero()[0]
    matrix = table.reshape(1 << row.bits, 1 << col.bits)
    cells = offsets >> col.bits, offsets & ((1 << col.bits) - 1), table[offsets]
    del offsets
    return _compact(cells, row, matrix.sum(axis=1), col, matrix.sum(axis=0))


def _compact(cells: Sequence[Ints], row: _Column, row_sizes: Ints, col: _Column, col_sizes: Ints) -> Cells:
    """Cells from their rows, columns and counts, renumbered without empty rows and columns."""
    rows, row_offsets = _ranked(cells[0], row_sizes)
    cols, col_offsets = _ranked(cells[1], col_sizes)
    sizes = row_sizes[row_offsets], col_sizes[col_offsets]
    return Cells(row.labels_at(row_offsets), col.labels_at(col_offsets), rows, cols, cells[2], *sizes)


def _used(codes: Ints, size: int) -> NDArray[np.bool_]:
    used = np.zeros(size, dtype=bool)
    used[codes] = True
    return used


def _ranked(codes: Ints, sizes: NDArray[Any]) -> tuple[Ints, Ints]:
    """Codes renumbered without those of size 0, and the old code of each new one."""
    used_codes = sizes.nonzero()[0]
    if used_codes.size == 0 or used_codes[-1] + 1 == used_codes.size:
        return codes, used_codes
    ranks = np.cumsum(sizes != 0, dtype=np.int64)
    ranks -= 1
    return ranks[codes], used_codes


def _hashed(values: AnyInts) -> tuple[Codes, AnyInts]:
    """A code for each item, in increasing order of value, and the distinct values."""
    wide = values.astype(np.uint64 if values.dtype.kind == "u" else np.int64, copy=False)
    codes, seen = first_seen(wide.view(np.uint64))
    distinct = seen.view(wide.dtype)
    order = np.argsort(distinct, kind="stable")
    return _inverse(order)[codes], distinct[order].astype(values.dtype)


def _inverse(order: Ints) -> Codes:
    """The inverse permutation."""
    ranks = np.empty(order.size, dtype=np.uint32)
    ranks[order] = np.arange(order.size, dtype=np.uint32)
    return ranks


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
    codes, offsets = _ranked(codes, _used(codes, column.size))
    return codes, column.labels_at(offsets)


def _sparse(row: _Column, col: _Column) -> Cells:
    """The non-empty cells by a stable counting sort of the items: first by column, then by row."""
    col_starts, lefts = _by_code(col, row)
    starts, rights = _by_member(col_starts, lefts, row.size)
    parts = shares(row.size, row.values.size)
    if row.values.size < LARGE:  # one pass, into an array of the largest possible size
        cells: NDArray[Any] = np.empty((3, row.values.size), dtype=np.int64)
        cells = cells[:, : write_runs(starts, rights, cells, 0, *parts[0])]
        cells = cells.copy() if 2 * cells.shape[1] < row.values.size else cells
        return _compact(tuple(cells), row, np.diff(starts), col, np.diff(col_starts))
    numbers = in_parallel([partial(count_runs, starts, rights, *part) for part in parts])
    cells = np.empty((3, sum(numbers)), dtype=np.int64)
    offsets = accumulate(numbers, initial=0)
    in_parallel(
        [partial(write_runs, starts, rights, cells, at, *part) for at, part in zip(offsets, parts, strict=False)]
    )
    return _compact(tuple(cells), row, np.diff(starts), col, np.diff(col_starts))


def _by_code(key: _Column, member: _Column) -> tuple[Ints, Codes]:
    """Where the members of each key start, and the members, grouped by key in the order of the items."""
    parts = shares(key.values.size, most=key.values.size // key.size)
    counts = in_parallel([partial(histogram, key.values, key.low, key.size, *part) for part in parts])
    starts, offsets = _offsets(counts)
    members = np.empty(key.values.size, dtype=np.uint32)
    columns = (key.values, key.low, member.values, member.low)
    in_parallel(
        [partial(scatter, *columns, offset, members, *part) for offset, part in zip(offsets, parts, strict=True)]
    )
    return starts, members


def _by_member(starts: Ints, members: Codes, size: int) -> tuple[Ints, Codes]:
    """The inverse of _by_code: where the keys of each member start, and the keys in increasing order."""
    items = [start for start, _ in shares(members.size, most=members.size // size)]
    keys = [*np.searchsorted(starts, items).tolist(), starts.size - 1]
    parts = list(pairwise(keys))
    counts = in_parallel([partial(histogram, members, 0, size, int(starts[a]), int(starts[b])) for a, b in parts])
    member_starts, offsets = _offsets(counts)
    grouped = np.empty(members.size, dtype=np.uint32)
    in_parallel(
        [partial(regroup, starts, members, offset, grouped, *part) for offset, part in zip(offsets, parts, strict=True)]
    )
    return member_starts, grouped


def _offsets(counts: list[Ints]) -> tuple[Ints, list[Ints]]:
    """The offset at which each code's items start, overall and for each part of the items."""
    starts = np.zeros(counts[0].size + 1, dtype=np.int64)
    np.cumsum(sum(counts), out=starts[1:])
    offsets = [starts[:-1].copy()]
    for count in counts[:-1]:
        offsets.append(offsets[-1] + count)
    return starts, offsets


@twin
def histogram(values: AnyInts, base: int, size: int, start: int, stop: int) -> Ints:
    """How often each value - base occurs among the items from start to stop."""
    offsets = _differences(values[start:stop], base)
    if offsets.size and int(offsets.max()) >= size:
        raise ValueError("the labels changed while they were counted; leave the array alone, or give a copy")
    return np.bincount(offsets.astype(np.int64), minlength=size).astype(np.int64)


@twin
def scatter(
    keys: AnyInts, key_base: int, values: AnyInts, value_base: int, offsets: Ints, out: Codes, start: int, stop: int
) -> None:
    """Write value - base of each item at the offset of its key (offsets), and advance that offset by one."""
    key = _differences(keys[start:stop], key_base).astype(np.int64)
    order = np.argsort(key, kind="stable")
    _write(key[order], _differences(values[start:stop], value_base)[order], offsets, out)


def _write(keys: Ints, values: NDArray[Any], offsets: Ints, out: Codes) -> None:
    """Write values, sorted by key, at the offsets of their keys (offsets), and advance the offsets."""
    counts = np.bincount(keys, minlength=offsets.size)
    before = np.cumsum(counts) - counts
    out[offsets[keys] + np.arange(keys.size) - before[keys]] = values
    offsets += counts


@twin
def regroup(starts: Ints, members: Codes, offsets: Ints, out: Codes, start: int, stop: int) -> None:
    """Write each group's number at the offset of each of its members (offsets), and advance that offset."""
    items = slice(int(starts[start]), int(starts[stop]))
    member = members[items].astype(np.int64)
    order = np.argsort(member, kind="stable")
    groups = np.repeat(np.arange(start, stop), np.diff(starts[start : stop + 1]))
    _write(member[order], groups[order], offsets, out)


@twin
def count_runs(starts: Ints, members: Codes, start: int, stop: int) -> int:
    """The number of runs of equal members in the groups from start to stop."""
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
def write_runs(starts: Ints, members: Codes, out: NDArray[Any], offset: int, start: int, stop: int) -> int:
    """Write the group, member and length of each run into out, from offset on; return their number."""
    runs = _run_starts(starts, members, start, stop)
    part = slice(offset, offset + runs.size)
    out[0, part] = np.searchsorted(starts, runs, side="right") - 1
    out[1, part] = members[runs]
    out[2, part] = np.diff(np.append(runs, starts[stop]))
    return int(runs.size)


def _weighted(left: AnyInts, right: AnyInts, weights: NDArray[Any]) -> Cells:
    """Total weights per cell: exact for integers, correctly rounded (in any order) for floats and fractions."""
    (rows, row_values), (cols, col_values) = encode_integers(left), encode_integers(right)
    keys, possible = rows * col_values.size + cols, row_values.size * col_values.size
    if weights.dtype.kind == "i" and possible <= 4 * keys.size:  # a dense table with few empty cells
        table, seen = np.zeros(possible, dtype=np.int64), np.zeros(possible, dtype=bool)
        np.add.at(table, keys, weights)
        seen[keys] = True
        nonempty = np.flatnonzero(seen)
        return Cells(row_values, col_values, nonempty // col_values.size, nonempty % col_values.size, table[nonempty])
    order = np.argsort(keys, kind="stable")  # a stable sort is fast on input that is partly sorted
    keys, weights = keys[order], weights[order]
    begins = np.flatnonzero(np.diff(keys, prepend=keys[:1] - 1))
    keys = keys[begins]
    rests = None
    if weights.dtype.kind == "i":
        sums = np.add.reduceat(weights, begins)
    else:
        sums, rests = _rounded_sums(weights, begins)
    return Cells(row_values, col_values, keys // col_values.size, keys % col_values.size, sums, rests=rests)


def _rounded_sums(weights: NDArray[Any], begins: Ints) -> tuple[NDArray[np.float64], NDArray[np.float64] | None]:
    """The sum of each part of the weights, rounded once, and what that has lost; None if nothing is lost."""
    values, ends = weights.tolist(), np.append(begins[1:], weights.size)
    parts = [values[start:end] for start, end in zip(begins.tolist(), ends.tolist(), strict=True)]
    if weights.dtype.kind == "f":
        sums = list(map(math.fsum, parts))
        rests = [math.fsum([*part, -total]) for part, total in zip(parts, sums, strict=True)]
    else:
        exact = list(map(sum, parts))
        sums = list(map(float, exact))
        rests = [float(total - Fraction(rounded)) for total, rounded in zip(exact, sums, strict=True)]
    return np.array(sums), np.array(rests) if any(rests) else None
