"""Expected mutual information of two partitions with given sizes when one of them is shuffled."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

WIDE = 32.0  # standard deviations of a cell from which its distribution is smooth enough to be sampled
REACH = 10.0  # standard deviations within which all of it lies, to 1e-22
BLOCK = 1 << 12  # cluster sizes taken at once, so that memory stays small


def expected_information(gold: Ints, gold_times: Ints, pred: Ints, pred_times: Ints, n: int) -> float:
    """E[I] in nats over all shuffles, exact to about 1e-14 relative, from the distinct sizes.

    A cell with class size a and cluster size b is hypergeometric with mean m = ab/n, and E[x] = m, so
    E[x log(x/m)] = m E[g(x/m - 1)] with g(d) = (1+d) log(1+d) - d >= 0: a sum of positive terms, where
    Vinh et al. (2010, eq. 24a) add terms of both signs that cancel as n grows. Probabilities are taken
    relative to the mode and divided by their sum, so no log-gamma is needed.
    """
    parts = []
    for a, times in zip(gold.tolist(), gold_times.tolist(), strict=True):
        for start in range(0, pred.size, BLOCK):
            b, weights = pred[start : start + BLOCK], pred_times[start : start + BLOCK]
            deviation = _deviation(a, b, n)
            for chosen, method in ((deviation < WIDE, _walked), (deviation >= WIDE, _sampled)):
                if chosen.any():
                    excess = method(a, b[chosen], n, deviation[chosen])
                    parts.extend((times * weights[chosen] * (b[chosen] * (a / n)) * excess).tolist())
    return math.fsum(parts) / n


def _deviation(a: int, b: Ints, n: int) -> Floats:
    """The standard deviation of a cell."""
    size = b.astype(np.float64)
    return np.sqrt(a * ((n - a) / max(n - 1, 1)) * (size / n) * ((n - b) / n))


def _modes(a: int, b: Ints, n: int) -> tuple[Ints, Floats, Floats]:
    """The most likely value of each cell, its distance from the mean, and the mean, without overflow."""
    modes = [(a + 1) * (s + 1) // (n + 2) for s in b.tolist()]
    means = [a * s / n for s in b.tolist()]
    offsets = [(m * n - a * s) / n for m, s in zip(modes, b.tolist(), strict=True)]
    return np.array(modes, dtype=np.int64), np.array(offsets), np.array(means)


def _walked(a: int, b: Ints, n: int, deviation: Floats) -> Floats:
    """E[g(x/m - 1)] where the distribution is narrow: every value, by ratios of neighbours away from the mode."""
    mode, offset, mean = _modes(a, b, n)
    low, high = np.maximum(0, a + b - n), np.minimum(a, b)
    steps = np.arange(1, int(REACH * deviation.max()) + 30)
    mass, total = np.ones(b.size), _g(offset / mean)
    for side in (1, -1):
        x = mode[:, None] + side * steps
        inside = (x >= low[:, None]) & (x <= high[:, None])
        probability = np.cumprod(np.where(inside, _ratio(x, a, b[:, None], n, side), 0), axis=1)
        away = (offset[:, None] + side * steps) / mean[:, None]
        mass = mass + probability.sum(axis=1)
        total = total + (probability * _g(np.where(inside, away, 0))).sum(axis=1)
    return np.asarray(total / mass)


def _ratio(x: Ints, a: int, b: Ints, n: int, side: int) -> Floats:
    """The probability of x over that of its neighbour nearer to the mode."""
    y = x - side
    if side > 0:
        return ((a - y).astype(np.float64) * (b - y)) / (x.astype(np.float64) * (n - a - b + x))
    return (y.astype(np.float64) * (n - a - b + y)) / ((a - x).astype(np.float64) * (b - x))


def _sampled(a: int, b: Ints, n: int, deviation: Floats) -> Floats:
    """E[g(x/m - 1)] where the distribution is wide: values at equal steps of under half a deviation.

    A sum over every s-th value differs from s times the sum over all by exp(-2 pi^2 (deviation/s)^2), which is
    below 1e-34 here. log p(x)/p(mode) follows from Stirling's series of the four factorials that x moves; the
    ends of the range are at least deviation^2 away, far outside the reach.
    """
    mode, offset, mean = _modes(a, b, n)
    step = np.floor(deviation / 2).astype(np.int64)
    d = (np.arange(-int(2.5 * REACH), int(2.5 * REACH) + 1) * step[:, None]).astype(np.float64)
    others = (a - mode, b - mode, n - a - b + mode)
    slope = [
        math.log1p((p * q - m * r) / (m * r)) for m, p, q, r in zip(*(v.tolist() for v in (mode, *others)), strict=True)
    ]
    logarithm = d * np.array(slope)[:, None]
    for count, sign in ((mode, 1), (others[0], -1), (others[1], -1), (others[2], 1)):
        y = count.astype(np.float64)[:, None]
        u = sign * d / y
        # log((y+d)!) - log(y!) - d log y, by Stirling: y g(u) + log(1+u)/2 - u/(12 (y+d)) to the order needed
        logarithm = logarithm - (y * _g(u) + np.log1p(u) / 2 - u / (12 * y * (1 + u)))
    probability = np.exp(logarithm)
    away = (offset[:, None] + d) / mean[:, None]
    return np.asarray((probability * _g(away)).sum(axis=1) / probability.sum(axis=1))


def _g(d: Floats) -> Floats:
    """(1+d) log(1+d) - d for d >= -1, without cancellation near 0 (where it is d^2/2)."""
    small = np.abs(d) < 0.04
    s = np.where(small, d, 0)
    series = np.zeros_like(s)
    for k in range(13, 1, -1):  # sum of (-d)^k / (k (k-1)), k >= 2
        series = series * -s + 1 / (k * (k - 1))
    whole = np.where(d > -1, d, -0.5)
    direct = np.where(d > -1, (1 + whole) * np.log1p(whole) - whole, 1.0)
    return np.asarray(np.where(small, series * s * s, direct))
