# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# cython: freethreading_compatible=True
"""Counting and encoding integers of every type, straight from the arrays they come in."""

import os

import cython
import numpy as np
from cython.cimports.cpython.buffer import PyBUF_STRIDED_RO, PyBuffer_Release, PyObject_GetBuffer

Integer = cython.fused_type(
    cython.schar,
    cython.uchar,
    cython.short,
    cython.ushort,
    cython.int,
    cython.uint,
    cython.longlong,
    cython.ulonglong,
)

BLOCK = cython.declare(cython.Py_ssize_t, 512)  # items whose keys stay in the nearest cache

SECRET = np.frombuffer(os.urandom(16), dtype=np.uint64) | np.uint64(1)  # of the hashes, odd

CHANGED = "the labels changed while they were counted; leave the array alone, or give a copy"

Column = cython.struct(data=cython.p_char, step=cython.Py_ssize_t, kind=cython.int, base=cython.ulonglong)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _push_typed(
    data: cython.pointer[Integer],
    step: cython.Py_ssize_t,
    size: cython.Py_ssize_t,
    base: cython.ulonglong,
    bits: cython.int,
    keys: cython.p_uint,
) -> cython.ulonglong:
    """Append value - base to the bits of each key (bits 0: begin one); all differences or-ed together."""
    i: cython.Py_ssize_t
    away: cython.ulonglong
    spread: cython.ulonglong = 0
    if bits == 0 and step == 1:
        for i in range(size):
            away = cython.cast(cython.ulonglong, data[i]) - base
            spread |= away
            keys[i] = cython.cast(cython.uint, away)
    elif step == 1:
        for i in range(size):
            away = cython.cast(cython.ulonglong, data[i]) - base
            spread |= away
            keys[i] = (keys[i] << bits) | cython.cast(cython.uint, away)
    else:
        for i in range(size):
            away = cython.cast(cython.ulonglong, data[i * step]) - base
            spread |= away
            keys[i] = ((keys[i] << bits) if bits else 0) | cython.cast(cython.uint, away)
    return spread


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _push(
    column: Column, start: cython.Py_ssize_t, size: cython.Py_ssize_t, bits: cython.int, keys: cython.p_uint
) -> cython.ulonglong:
    data: cython.p_char = column.data + start * column.step * abs(column.kind)
    step: cython.Py_ssize_t = column.step
    base: cython.ulonglong = column.base
    if column.kind == -1:
        return _push_typed(cython.cast(cython.pointer[cython.schar], data), step, size, base, bits, keys)
    if column.kind == 1:
        return _push_typed(cython.cast(cython.pointer[cython.uchar], data), step, size, base, bits, keys)
    if column.kind == -2:
        return _push_typed(cython.cast(cython.pointer[cython.short], data), step, size, base, bits, keys)
    if column.kind == 2:
        return _push_typed(cython.cast(cython.pointer[cython.ushort], data), step, size, base, bits, keys)
    if column.kind == -4:
        return _push_typed(cython.cast(cython.pointer[cython.int], data), step, size, base, bits, keys)
    if column.kind == 4:
        return _push_typed(cython.cast(cython.pointer[cython.uint], data), step, size, base, bits, keys)
    if column.kind == -8:
        return _push_typed(cython.cast(cython.pointer[cython.longlong], data), step, size, base, bits, keys)
    return _push_typed(cython.cast(cython.pointer[cython.ulonglong], data), step, size, base, bits, keys)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _join_typed(
    left: cython.pointer[Integer],
    right: cython.pointer[Integer],
    size: cython.Py_ssize_t,
    left_base: cython.ulonglong,
    right_base: cython.ulonglong,
    left_bits: cython.int,
    right_bits: cython.int,
    keys: cython.p_uint,
) -> cython.ulonglong:
    """Two pushes in one pass; what is left of the differences above their bits."""
    i: cython.Py_ssize_t
    row: cython.ulonglong
    col: cython.ulonglong
    rows: cython.ulonglong = 0
    cols: cython.ulonglong = 0
    for i in range(size):
        row = cython.cast(cython.ulonglong, left[i]) - left_base
        col = cython.cast(cython.ulonglong, right[i]) - right_base
        rows |= row
        cols |= col
        keys[i] = (cython.cast(cython.uint, row) << right_bits) | cython.cast(cython.uint, col)
    return (rows >> left_bits) | (cols >> right_bits)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _join(
    rows: Column,
    cols: Column,
    start: cython.Py_ssize_t,
    size: cython.Py_ssize_t,
    row_bits: cython.int,
    col_bits: cython.int,
    keys: cython.p_uint,
) -> cython.ulonglong:
    """Make keys of both columns; not 0 if a difference needs more than its bits. Most labels are int64 or int32."""
    if rows.kind == -8 and cols.kind == -8 and rows.step == 1 and cols.step == 1:
        return _join_typed(
            cython.cast(cython.pointer[cython.longlong], rows.data) + start,
            cython.cast(cython.pointer[cython.longlong], cols.data) + start,
            size,
            rows.base,
            cols.base,
            row_bits,
            col_bits,
            keys,
        )
    if rows.kind == -4 and cols.kind == -4 and rows.step == 1 and cols.step == 1:
        return _join_typed(
            cython.cast(cython.pointer[cython.int], rows.data) + start,
            cython.cast(cython.pointer[cython.int], cols.data) + start,
            size,
            rows.base,
            cols.base,
            row_bits,
            col_bits,
            keys,
        )
    return (_push(rows, start, size, 0, keys) >> row_bits) | (_push(cols, start, size, col_bits, keys) >> col_bits)


@cython.cclass
class _Reader:
    """An array's memory, held while it is read."""

    buffer: Py_buffer
    column: Column

    def __cinit__(self, values, base):
        PyObject_GetBuffer(values, cython.address(self.buffer), PyBUF_STRIDED_RO)
        self.column.data = cython.cast(cython.p_char, self.buffer.buf)
        self.column.step = self.buffer.strides[0] // self.buffer.itemsize
        self.column.kind = values.dtype.itemsize if values.dtype.kind == "u" else -values.dtype.itemsize
        self.column.base = cython.cast(cython.ulonglong, base & 0xFFFFFFFFFFFFFFFF)

    def __dealloc__(self):
        PyBuffer_Release(cython.address(self.buffer))


def count_dense(left, right, left_base, left_bits, right_base, right_bits, start, stop):
    """See the twin."""
    bits_left: cython.int = left_bits
    bits_right: cython.int = right_bits
    first: cython.Py_ssize_t = start
    last: cython.Py_ssize_t = stop
    size: cython.Py_ssize_t
    i: cython.Py_ssize_t
    rows: _Reader = _Reader(left, left_base)
    cols: _Reader = _Reader(right, right_base)
    row_column: Column = rows.column
    col_column: Column = cols.column
    array = np.zeros(1 << (left_bits + right_bits), dtype=np.uint32)
    counts: cython.uint[::1] = array
    keys: cython.uint[512]
    outside: cython.bint = False
    with cython.nogil:
        while first < last:
            size = min(BLOCK, last - first)
            if _join(row_column, col_column, first, size, bits_left, bits_right, keys):
                outside = True
                break
            for i in range(size):
                counts[keys[i]] += 1
            first += size
    return None if outside else array


def histogram(values, base, size, start, stop):
    """See the twin."""
    first: cython.Py_ssize_t = start
    last: cython.Py_ssize_t = stop
    many: cython.Py_ssize_t
    i: cython.Py_ssize_t
    reader: _Reader = _Reader(values, base)
    column: Column = reader.column
    lanes: cython.int = 4 if size <= 64 else 1  # one more of the same waits for the last sum: take turns
    bits: cython.int = max(1, (size - 1).bit_length())
    outside: cython.bint = False
    array = np.zeros((lanes, 1 << bits), dtype=np.int64)  # room for whatever so many bits can tell
    counts: cython.longlong[:, ::1] = array
    keys: cython.uint[512]
    with cython.nogil:
        while first < last:
            many = min(BLOCK, last - first)
            if _push(column, first, many, 0, keys) >> bits:
                outside = True
                break
            i = 0
            while lanes == 4 and i + 4 <= many:
                counts[0, keys[i]] += 1
                counts[1, keys[i + 1]] += 1
                counts[2, keys[i + 2]] += 1
                counts[3, keys[i + 3]] += 1
                i += 4
            while i < many:
                counts[0, keys[i]] += 1
                i += 1
            first += many
    if outside or array[:, size:].any():
        raise ValueError(CHANGED)
    return (array[0] if lanes == 1 else array.sum(axis=0))[:size]


def scatter(keys, key_base, values, value_base, offsets, out, start, stop):
    """See the twin."""
    first: cython.Py_ssize_t = start
    last: cython.Py_ssize_t = stop
    many: cython.Py_ssize_t
    i: cython.Py_ssize_t
    key_reader: _Reader = _Reader(keys, key_base)
    value_reader: _Reader = _Reader(values, value_base)
    key_column: Column = key_reader.column
    value_column: Column = value_reader.column
    next_offset: cython.longlong[::1] = offsets
    written: cython.uint[::1] = out
    at: cython.longlong
    groups: cython.uint = offsets.size
    room: cython.longlong = out.size
    outside: cython.bint = False
    key: cython.uint[512]
    value: cython.uint[512]
    with cython.nogil:
        while first < last:
            many = min(BLOCK, last - first)
            _push(key_column, first, many, 0, key)
            _push(value_column, first, many, 0, value)
            for i in range(many):
                if key[i] >= groups:
                    outside = True
                    break
                at = next_offset[key[i]]
                if at >= room:
                    outside = True
                    break
                written[at] = value[i]
                next_offset[key[i]] = at + 1
            if outside:
                break
            first += many
    if outside:
        raise ValueError(CHANGED)


def regroup(starts, members, offsets, out, start, stop):
    """See the twin."""
    first: cython.longlong[::1] = starts
    member: cython.uint[::1] = members
    next_offset: cython.longlong[::1] = offsets
    written: cython.uint[::1] = out
    group: cython.Py_ssize_t
    low: cython.Py_ssize_t = start
    high: cython.Py_ssize_t = stop
    i: cython.longlong
    with cython.nogil:
        for group in range(low, high):
            for i in range(first[group], first[group + 1]):
                written[next_offset[member[i]]] = group
                next_offset[member[i]] += 1


def count_runs(starts, members, start, stop):
    """See the twin."""
    first: cython.longlong[::1] = starts
    member: cython.uint[::1] = members
    group: cython.Py_ssize_t
    low: cython.Py_ssize_t = start
    high: cython.Py_ssize_t = stop
    i: cython.longlong
    runs: cython.Py_ssize_t = 0
    with cython.nogil:
        for group in range(low, high):
            for i in range(first[group], first[group + 1]):
                runs += i == first[group] or member[i] != member[i - 1]
    return runs


def write_runs(starts, members, out, offset, start, stop):
    """See the twin."""
    first: cython.longlong[::1] = starts
    member: cython.uint[::1] = members
    row: cython.longlong[::1] = out[0]
    col: cython.longlong[::1] = out[1]
    count: cython.longlong[::1] = out[2]
    group: cython.Py_ssize_t
    low: cython.Py_ssize_t = start
    high: cython.Py_ssize_t = stop
    run: cython.Py_ssize_t = offset
    begin: cython.longlong
    new: cython.bint
    run -= 1
    i: cython.longlong
    with cython.nogil:
        for group in range(low, high):
            begin = first[group]
            for i in range(first[group], first[group + 1]):
                new = i == first[group] or member[i] != member[i - 1]
                begin = i if new else begin
                run += new  # without a branch, which would often be mispredicted
                row[run] = group
                col[run] = member[i]
                count[run] = i - begin + 1
    return run + 1 - offset


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _scattered(value: cython.ulonglong, first: cython.ulonglong, second: cython.ulonglong) -> cython.ulonglong:
    """The hash of a value, in the high bits; first and second are the secret of this process."""
    value = (value ^ second) * first
    return (value ^ (value >> 32)) * second


def first_seen(values):
    """See the twin.

    The order of the codes does not depend on the secret, with which nobody can choose values that share a slot.
    """
    first: cython.ulonglong = SECRET[0]
    second: cython.ulonglong = SECRET[1]
    given: cython.const[cython.ulonglong][:] = values
    size: cython.Py_ssize_t = values.size
    codes = np.empty(size, dtype=np.uint32)
    code: cython.uint[::1] = codes
    slots = np.zeros(1 << 12, dtype=np.uint32)  # code + 1 of the value that lives there, 0 if none does
    slot: cython.uint[::1] = slots
    distinct = np.empty(1 << 11, dtype=np.uint64)
    seen: cython.ulonglong[::1] = distinct
    shift: cython.int = 64 - 12
    i: cython.Py_ssize_t = 0
    known: cython.Py_ssize_t = 0
    room: cython.Py_ssize_t = 1 << 11
    mask: cython.ulonglong = (1 << 12) - 1
    index: cython.ulonglong
    earlier: cython.Py_ssize_t
    while True:
        with cython.nogil:
            while i < size:
                index = _scattered(given[i], first, second) >> shift
                while slot[index] and seen[slot[index] - 1] != given[i]:
                    index = (index + 1) & mask
                if not slot[index]:
                    if known == room:
                        break
                    seen[known] = given[i]
                    known += 1
                    slot[index] = cython.cast(cython.uint, known)
                code[i] = slot[index] - 1
                i += 1
        if i == size:
            return codes, distinct[:known].copy()
        room *= 4
        shift -= 2
        mask = 4 * mask + 3
        distinct = np.concatenate([distinct, np.empty(3 * distinct.size, dtype=np.uint64)])
        seen = distinct
        slots = np.zeros(2 * room, dtype=np.uint32)
        slot = slots
        with cython.nogil:
            for earlier in range(known):
                index = _scattered(seen[earlier], first, second) >> shift
                while slot[index]:
                    index = (index + 1) & mask
                slot[index] = cython.cast(cython.uint, earlier + 1)
