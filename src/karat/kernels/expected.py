"""Mutual information and conditional entropies expected when one of two partitions is shuffled."""

from __future__ import annotations

import math
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from karat.kernels import twin
from karat.kernels.logarithm import log_integers, log_pair, log_tables, two_product, two_sum
from karat.kernels.threads import in_parallel, shares

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

WIDE = 256.0  # the variance of a cell from which its distribution is smooth enough to be sampled
CELL_COST = 64  # counted items that take as long as one cell


def expected_information(
    gold: Ints, gold_times: NDArray[Any], pred: Ints, pred_times: NDArray[Any], n: int
) -> tuple[float, float, float]:
    """E[I], E[H(C|K)] and E[H(K|C)] in nats over all shuffles, to about 1e-14 relative, from the distinct sizes.

    A cell x with class size a and cluster size b is hypergeometric with mean m = ab/n. Since E[x] = m,
    E[x log(x/m)] = m E[g(x/m - 1)] with g(d) = (1+d) log(1+d) - d >= 0: a sum of positive terms, where Vinh et
    al. (2010, eq. 24a) add terms of both signs that cancel as n grows. So are E[x log(b/x)] and E[x log(a/x)],
    which keep their digits where the clusters are nearly all singletons. Probabilities are taken relative to
    a value near the mode and divided by their sum, so no log-gamma is needed.
    """
    rows = expected_parts(gold, pred, pred_times, n) * gold_times.astype(np.float64)
    mutual, gold_given_pred, pred_given_gold = (math.fsum(row.tolist()) / n for row in rows)
    return mutual, gold_given_pred, pred_given_gold


def expected_parts(gold: Ints, pred: Ints, pred_times: NDArray[Any], n: int) -> Floats:
    """n times each class size's part of E[I], E[H(C|K)] and E[H(K|C)]: an array of three rows."""
    gold, pred = np.asarray(gold, dtype=np.int64), np.asarray(pred, dtype=np.int64)
    known = (pred, log_integers(pred), pred_times.astype(np.float64), n, log_integers(np.array([n]))[:, 0].tolist())
    tasks = [
        partial(expected_rows, gold[a:b], log_integers(gold[a:b]), *known, *log_tables())
        for a, b in shares(gold.size, CELL_COST * gold.size * pred.size)
    ]
    return np.concatenate(in_parallel(tasks), axis=1)


class _Cells(NamedTuple):
    """One class size a against many cluster sizes b."""

    a: int
    b: Ints
    n: int
    start: Ints  # a value near the mode
    offset: Floats  # start less the mean
    mean: Floats
    variance: Floats
    log_a: Floats  # logarithms as high and low parts
    log_b: Floats
    log_mean: Floats

    @classmethod
    def of(cls, a: int, log_a: Floats, b: Ints, log_b: Floats, n: int, log_n: list[float]) -> _Cells:
        """The moments of the cells, without overflow."""
        gold, pred, total = float(a), b.astype(np.float64), float(n)
        inverse, before, after = 1 / total, 1 / max(total - 1, 1.0), 1 / (total + 2)
        mean = gold * pred * inverse
        variance = mean * (float(n - a) * inverse) * ((n - b).astype(np.float64) * before)
        start = np.floor((gold + 1) * (pred + 1) * after).astype(np.int64)
        start = np.maximum(np.maximum(0, a + b - n), np.minimum(start, np.minimum(a, b)))
        (high, low), (other_high, other_low) = _product(start, n), _product(b, a)
        offset = ((high - other_high) + (low - other_low)) * inverse
        high, low = two_sum(log_a[0], log_b[0])
        high, lower = two_sum(high, -log_n[0])
        log_mean = np.stack([high, (low + lower) + (log_a[1] + log_b[1] - log_n[1])])
        return cls(a, b, n, start, offset, mean, variance, log_a, log_b, log_mean)

    def only(self, chosen: NDArray[np.bool_]) -> _Cells:
        """The cells of the chosen cluster sizes."""
        fields = {key: getattr(self, key)[..., chosen] for key in self._fields if key not in ("a", "n", "log_a")}
        return self._replace(**fields)

    def terms(self, step: Ints | int) -> tuple[Floats, Floats]:
        """m g(x/m - 1) and x log(min(a, b)/x) at x = start + step."""
        x = self.start + step
        away = self.offset + step
        log, low = log_integers(np.maximum(x, 1))  # where x is 0 the logarithm does not matter
        value = x.astype(np.float64)
        direct = value * ((log - self.log_mean[0]) + (low - self.log_mean[1])) - away
        mutual = np.where(np.abs(away) < 0.04 * self.mean, self.mean * _series(away / self.mean), direct)
        less = np.where(self.a < self.b, self.log_a[:, None], self.log_b)
        rest = value * ((less[0] - log) + (less[1] - low))
        return np.where(x > 0, mutual, self.mean), rest

    def all_three(self, sums: Floats) -> Floats:
        """The expectations of m g(x/m - 1), x log(b/x) and x log(a/x), from sums over x: of p, and of p times terms.

        The last two differ by m log(b/a), so that only the smaller is added up, and nothing cancels.
        """
        mutual, rest = sums[1:] / sums[0]
        more = (self.log_b[0] - self.log_a[0]) + (self.log_b[1] - self.log_a[1])
        return np.stack([mutual, rest + self.mean * np.maximum(more, 0), rest + self.mean * np.maximum(-more, 0)])


def _product(x: Ints, y: Any) -> tuple[Floats, Floats]:
    """The product of two integers as high and low parts."""
    y = np.full_like(x, y)
    (x_high, x_low), (y_high, y_low) = _parts(x), _parts(y)
    high, low = two_product(x_high, y_high)
    return high, low + (x_high * y_low + x_low * y_high)


def _parts(x: Ints) -> tuple[Floats, Floats]:
    high = x.astype(np.float64)
    return high, (x - high.astype(np.int64)).astype(np.float64)


@twin
def expected_rows(
    gold: Ints,
    gold_logs: Floats,
    pred: Ints,
    pred_logs: Floats,
    pred_times: Floats,
    n: int,
    n_log: list[float],
    logs: Floats,
    integers: Floats,
) -> Floats:
    """E[x log(xn/(ab))], E[x log(b/x)] and E[x log(a/x)] for each class size a, added up over the cluster sizes b."""
    rows = np.empty((3, gold.size))
    for i, a in enumerate(gold.tolist()):
        cells = _Cells.of(a, gold_logs[:, i], pred, pred_logs, n, n_log)
        wide = cells.variance > WIDE
        expectations = np.empty((3, pred.size))
        for chosen, method in ((~wide, _walked), (wide, _sampled)):
            if chosen.any():
                expectations[:, chosen] = method(cells.only(chosen))
        rows[:, i] = [math.fsum(values) for values in (pred_times * expectations).tolist()]
    return rows


def _walked(cells: _Cells) -> Floats:
    """The three expectations for cells of small variance: sums over all values, outwards from the start."""
    sums = np.stack([np.ones(cells.b.size), *cells.terms(0)])
    rest = cells.n - cells.a - cells.b
    end = np.minimum(cells.a, cells.b), np.maximum(0, -rest)
    for side in (1, -1):
        live = np.arange(cells.b.size)
        p, step = np.ones(live.size), 0
        while live.size:
            step += side
            x = cells.start[live] + step
            inside = x <= end[0][live] if side > 0 else x >= end[1][live]
            live, x, p = live[inside], x[inside], p[inside]
            p = p * _ratio(x, cells.a, cells.b[live], rest[live], side)
            likely = p >= 1e-18 * np.minimum(1.0, cells.variance[live])
            live, p = live[likely], p[likely]
            some = np.zeros(cells.b.size, dtype=bool)
            some[live] = True
            terms = cells.only(some).terms(step)
            sums[:, live] += np.stack([p, *(p * term for term in terms)])
    return cells.all_three(sums)


def _ratio(x: Ints, a: int, b: Ints, rest: Ints, side: int) -> Floats:
    """The probability of x over that of its neighbour nearer to the start."""
    if side > 0:
        up, down = (a - x + 1, b - x + 1), (x, rest + x)
    else:
        up, down = (x + 1, rest + x + 1), (a - x, b - x)
    top, bottom = (left.astype(np.float64) * right.astype(np.float64) for left, right in (up, down))
    return top / bottom


def _sampled(cells: _Cells) -> Floats:
    """The three expectations for cells of large variance: values at steps of 2/3 standard deviation.

    A sum over every s-th value differs from the s-th part of the sum over all by exp(-2 pi^2 (deviation/s)^2),
    which is below 1e-19 here. The ends of the range are deviation^2 away, beyond the 11 deviations looked at.
    """
    sums = np.stack([np.ones(cells.b.size), *cells.terms(0)])
    width = np.floor(np.sqrt(cells.variance) * 2 / 3).astype(np.int64)
    counts = (cells.start, cells.n - cells.a - cells.b + cells.start, cells.a - cells.start, cells.b - cells.start)
    (up, up_low), (over, over_low), (left, left_low), (right, right_low) = map(log_integers, counts)
    slope = ((left - up) + (right - over)) + ((left_low - up_low) + (right_low - over_low))  # at the start
    y = [count.astype(np.float64) for count in counts]
    for side in (1, -1):
        for i in range(1, 18):
            step = side * i * width
            d = step.astype(np.float64)
            p = _exp(d * slope - ((_moved(y[0], d) + _moved(y[1], d)) + (_moved(y[2], -d) + _moved(y[3], -d))))
            sums += np.stack([p, *(p * term for term in cells.terms(step))])
    return cells.all_three(sums)


def _moved(y: Floats, d: Floats) -> Floats:
    """log((y + d)!) - log(y!) - d log y, by Stirling's series, for y of 256 and more."""
    u = d / y
    ratio = 1 + u
    log = log_pair(ratio)[0]
    g = np.where(np.abs(u) < 0.04, _series(u), ratio * log - u)
    return np.asarray(y * g + log / 2 + (_stirling(y * ratio) - _stirling(y)))


def _stirling(y: Floats) -> Floats:
    """The rest of Stirling's formula for log(y!)."""
    return (1 / 12 - (1 / 360 - 1 / (1260 * y * y)) / (y * y)) / y


def _series(d: Floats) -> Floats:
    """(1+d) log(1+d) - d for |d| < 0.04, where the formula itself would cancel: d^2/2 - d^3/6 + ..."""
    d = np.where(np.abs(d) < 0.05, d, 0.0)
    total = np.zeros_like(d)
    for k in range(13, 1, -1):  # sum of (-d)^k / (k (k-1)), k >= 2
        total = total * -d + 1 / (k * (k - 1))
    return np.asarray(total * d * d)


def _exp(y: Floats) -> Floats:
    """e^y from sums and products only, bit-identical on all platforms, unlike library functions."""
    k = np.rint(y * 1.4426950408889634)
    r = (y - k * 0.693147180369123816490) - k * 1.90821492927058770002e-10  # y - k log 2
    total = np.zeros_like(r)
    for i in range(14, 0, -1):
        total = (total + 1) * r / i
    return np.ldexp(total + 1, k.astype(np.int32))
