# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# cython: freethreading_compatible=True
"""Expectations over hypergeometric cells: the operations of the NumPy twin, in the same order, one cell at a time."""

import cython
import numpy as np
from cython.cimports.karat.kernels.compiled.logarithm import Pair, log_of, two_product, two_sum
from cython.cimports.libc.math import fabs, floor, ldexp, rint, sqrt

Sums = cython.struct(mass=cython.double, mutual=cython.double, rest=cython.double)
Cell = cython.struct(
    a=cython.longlong,
    b=cython.longlong,
    n=cython.longlong,
    start=cython.longlong,
    offset=cython.double,
    mean=cython.double,
    variance=cython.double,
    log_a=Pair,
    log_b=Pair,
    log_less=Pair,
    log_mean=Pair,
)
Tables = cython.struct(
    logs=cython.pointer[cython.const[cython.double]],  # of i/1024, high parts before low parts
    log_size=cython.Py_ssize_t,
    integers=cython.pointer[cython.const[cython.double]],  # of small integers
    integer_size=cython.longlong,
)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _log_integer(x: cython.longlong, tables: cython.pointer[Tables]) -> Pair:
    result: Pair
    high: cython.double
    if x < tables.integer_size:
        result.high = tables.integers[x]
        result.low = tables.integers[tables.integer_size + x]
        return result
    high = cython.cast(cython.double, x)
    result = log_of(high, tables.logs, tables.log_size)
    result.low = result.low + _rest(x, high) / high
    return result


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _rest(x: cython.longlong, high: cython.double) -> cython.double:
    """What is lost when x is rounded to high."""
    return cython.cast(cython.double, x - cython.cast(cython.longlong, high))


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _product(x: cython.longlong, y: cython.longlong) -> Pair:
    x_high: cython.double = cython.cast(cython.double, x)
    y_high: cython.double = cython.cast(cython.double, y)
    result: Pair = two_product(x_high, y_high)
    result.low = result.low + (x_high * _rest(y, y_high) + _rest(x, x_high) * y_high)
    return result


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _series(d: cython.double) -> cython.double:
    total: cython.double = 0.0
    k: cython.int
    for k in range(13, 1, -1):
        total = total * -d + 1.0 / (k * (k - 1))
    return total * d * d


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _add_terms(
    sums: cython.pointer[Sums],
    cell: cython.pointer[Cell],
    tables: cython.pointer[Tables],
    step: cython.longlong,
    p: cython.double,
) -> cython.void:
    """Add p times the two terms of the value start + step, and p itself."""
    x: cython.longlong = cell.start + step
    away: cython.double = cell.offset + step
    mutual: cython.double
    rest: cython.double = 0.0
    if x > 0:
        logarithm: Pair = _log_integer(x, tables)
        value: cython.double = cython.cast(cython.double, x)
        if fabs(away) < 0.04 * cell.mean:
            mutual = cell.mean * _series(away / cell.mean)
        else:
            mutual = value * ((logarithm.high - cell.log_mean.high) + (logarithm.low - cell.log_mean.low)) - away
        rest = value * ((cell.log_less.high - logarithm.high) + (cell.log_less.low - logarithm.low))
    else:
        mutual = cell.mean
    sums.mass += p
    sums.mutual += p * mutual
    sums.rest += p * rest


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _walk(sums: cython.pointer[Sums], cell: cython.pointer[Cell], tables: cython.pointer[Tables]) -> cython.void:
    """Every value, by ratios of neighbours away from the start."""
    stop: cython.double = 1e-18 * min(1.0, cell.variance)
    rest: cython.longlong = cell.n - cell.a - cell.b
    low: cython.longlong = max(0, -rest)
    high: cython.longlong = min(cell.a, cell.b)
    p: cython.double = 1.0
    x: cython.longlong = cell.start + 1
    while x <= high:
        p = p * (
            (cython.cast(cython.double, cell.a - x + 1) * cython.cast(cython.double, cell.b - x + 1))
            / (cython.cast(cython.double, x) * cython.cast(cython.double, rest + x))
        )
        if not p >= stop:
            break
        _add_terms(sums, cell, tables, x - cell.start, p)
        x += 1
    p = 1.0
    x = cell.start - 1
    while x >= low:
        p = p * (
            (cython.cast(cython.double, x + 1) * cython.cast(cython.double, rest + x + 1))
            / (cython.cast(cython.double, cell.a - x) * cython.cast(cython.double, cell.b - x))
        )
        if not p >= stop:
            break
        _add_terms(sums, cell, tables, x - cell.start, p)
        x -= 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _moved(y: cython.double, d: cython.double, tables: cython.pointer[Tables]) -> cython.double:
    """log((y + d)!) - log(y!) - d log y."""
    u: cython.double = d / y
    ratio: cython.double = 1 + u
    logarithm: cython.double = log_of(ratio, tables.logs, tables.log_size).high
    g: cython.double = _series(u) if fabs(u) < 0.04 else ratio * logarithm - u
    return y * g + logarithm / 2 + (_stirling(y * ratio) - _stirling(y))


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _stirling(y: cython.double) -> cython.double:
    return (1.0 / 12 - (1.0 / 360 - 1.0 / (1260 * y * y)) / (y * y)) / y


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _exp(y: cython.double) -> cython.double:
    k: cython.double = rint(y * 1.4426950408889634)
    r: cython.double = (y - k * 0.693147180369123816490) - k * 1.90821492927058770002e-10
    total: cython.double = 0.0
    i: cython.int
    for i in range(14, 0, -1):
        total = (total + 1) * r / i
    return ldexp(total + 1, cython.cast(cython.int, k))


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _sample(
    sums: cython.pointer[Sums], cell: cython.pointer[Cell], tables: cython.pointer[Tables], deviation: cython.double
) -> cython.void:
    """Values at equal steps, their probabilities by Stirling's series."""
    step: cython.longlong = cython.cast(cython.longlong, floor(deviation * 2 / 3))
    parts: cython.longlong[4]
    parts[0] = cell.start
    parts[1] = cell.n - cell.a - cell.b + cell.start
    parts[2] = cell.a - cell.start
    parts[3] = cell.b - cell.start
    logs: Pair[4]
    i: cython.int
    for i in range(4):
        logs[i] = _log_integer(parts[i], tables)
    slope: cython.double = ((logs[2].high - logs[0].high) + (logs[3].high - logs[1].high)) + (
        (logs[2].low - logs[0].low) + (logs[3].low - logs[1].low)
    )
    y0: cython.double = cython.cast(cython.double, parts[0])
    y1: cython.double = cython.cast(cython.double, parts[1])
    y2: cython.double = cython.cast(cython.double, parts[2])
    y3: cython.double = cython.cast(cython.double, parts[3])
    d: cython.double
    side: cython.int
    for side in range(1, -2, -2):
        for i in range(1, 18):
            d = cython.cast(cython.double, side * i * step)
            _add_terms(
                sums,
                cell,
                tables,
                side * i * step,
                _exp(
                    d * slope
                    - (
                        (_moved(y0, d, tables) + _moved(y1, d, tables))
                        + (_moved(y2, -d, tables) + _moved(y3, -d, tables))
                    )
                ),
            )


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _describe(cell: cython.pointer[Cell], log_n: Pair) -> cython.void:
    """The moments of the cell, and a value near its mode to start from."""
    gold: cython.double = cython.cast(cython.double, cell.a)
    pred: cython.double = cython.cast(cython.double, cell.b)
    total: cython.double = cython.cast(cython.double, cell.n)
    inverse: cython.double = 1 / total  # divisions are slow, and the compiler moves these out of the loop
    before: cython.double = 1 / max(total - 1, 1.0)
    after: cython.double = 1 / (total + 2)
    cell.mean = gold * pred * inverse
    cell.variance = (
        cell.mean
        * (cython.cast(cython.double, cell.n - cell.a) * inverse)
        * (cython.cast(cython.double, cell.n - cell.b) * before)
    )
    cell.start = cython.cast(cython.longlong, floor((gold + 1) * (pred + 1) * after))
    cell.start = max(max(0, cell.a + cell.b - cell.n), min(cell.start, min(cell.a, cell.b)))
    first: Pair = _product(cell.start, cell.n)
    second: Pair = _product(cell.a, cell.b)
    cell.offset = ((first.high - second.high) + (first.low - second.low)) * inverse
    first = two_sum(cell.log_a.high, cell.log_b.high)
    second = two_sum(first.high, -log_n.high)
    cell.log_mean.high = second.high
    cell.log_mean.low = (first.low + second.low) + (cell.log_a.low + cell.log_b.low - log_n.low)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _add(total: cython.pointer[Pair], value: cython.double) -> cython.void:
    """Add to an unevaluated sum of two doubles."""
    sum_: Pair = two_sum(total.high, value)
    total.high = sum_.high
    total.low = total.low + sum_.low


def expected_rows(gold, gold_logs, pred, pred_logs, pred_times, n, n_log, logs, integers):
    """See the twin."""
    a: cython.const[cython.longlong][::1] = gold
    b: cython.const[cython.longlong][::1] = pred
    times: cython.const[cython.double][::1] = pred_times
    a_logs: cython.const[cython.double][:, ::1] = gold_logs
    b_logs: cython.const[cython.double][:, ::1] = pred_logs
    log_table: cython.const[cython.double][:, ::1] = logs
    integer_table: cython.const[cython.double][:, ::1] = integers
    array = np.empty((3, gold.size))
    out: cython.double[:, ::1] = array
    tables: Tables
    tables.logs = cython.address(log_table[0, 0])
    tables.log_size = logs.shape[1]
    tables.integers = cython.address(integer_table[0, 0])
    tables.integer_size = integers.shape[1]
    log_n: Pair
    log_n.high, log_n.low = n_log
    cell: Cell
    cell.n = n
    sums: Sums
    total: Pair[3]
    rest: cython.double
    more: cython.double
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    k: cython.int
    with cython.nogil:
        for i in range(a.shape[0]):
            cell.a = a[i]
            cell.log_a.high = a_logs[0, i]
            cell.log_a.low = a_logs[1, i]
            for k in range(3):
                total[k].high = total[k].low = 0.0
            for j in range(b.shape[0]):
                cell.b = b[j]
                cell.log_b.high = b_logs[0, j]
                cell.log_b.low = b_logs[1, j]
                _describe(cython.address(cell), log_n)
                cell.log_less = cell.log_a if cell.a < cell.b else cell.log_b
                sums.mass = sums.mutual = sums.rest = 0.0
                _add_terms(cython.address(sums), cython.address(cell), cython.address(tables), 0, 1.0)
                if cell.variance > 256:
                    _sample(cython.address(sums), cython.address(cell), cython.address(tables), sqrt(cell.variance))
                else:
                    _walk(cython.address(sums), cython.address(cell), cython.address(tables))
                _add(cython.address(total[0]), times[j] * (sums.mutual / sums.mass))
                rest = sums.rest / sums.mass
                more = (cell.log_b.high - cell.log_a.high) + (cell.log_b.low - cell.log_a.low)
                _add(cython.address(total[1]), times[j] * (rest + cell.mean * max(more, 0.0)))
                _add(cython.address(total[2]), times[j] * (rest + cell.mean * max(-more, 0.0)))
            for k in range(3):
                out[k, i] = total[k].high + total[k].low
    return array
