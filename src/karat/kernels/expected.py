"""Mutual information and conditional entropies expected when one of two partitions is shuffled."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

WIDE = 16.0  # standard deviations of a cell from which its distribution is smooth enough to be sampled
WIDTHS = (-1.0, 0.1, 2.0, 6.0, WIDE)  # narrower cells are taken in groups of similar width
BLOCK = 1 << 12  # cluster sizes taken at once, so that memory stays small


def expected_information(
    gold: Ints, gold_times: Ints, pred: Ints, pred_times: Ints, n: int
) -> tuple[float, float, float]:
    """E[I], E[H(C|K)] and E[H(K|C)] in nats over all shuffles, to about 1e-14 relative, from the distinct sizes.

    A cell x with class size a and cluster size b is hypergeometric with mean m = ab/n. Since E[x] = m,
    E[x log(x/m)] = m E[g(x/m - 1)] with g(d) = (1+d) log(1+d) - d >= 0: a sum of positive terms, where Vinh et
    al. (2010, eq. 24a) add terms of both signs that cancel as n grows. So are E[x log(b/x)] and E[x log(a/x)],
    which keep their digits where the clusters are nearly all single items. Probabilities are taken relative to
    the mode and divided by their sum, so no log-gamma is needed.
    """
    parts: tuple[list[float], ...] = ([], [], [])
    for a, times in zip(gold.tolist(), gold_times.tolist(), strict=True):
        for start in range(0, pred.size, BLOCK):
            b, weights = pred[start : start + BLOCK], times * pred_times[start : start + BLOCK].astype(np.float64)
            deviation = _deviation(a, b, n)
            groups = [(deviation > low) & (deviation <= high) for low, high in pairwise(WIDTHS)]
            for chosen, method in [*((group, _walked) for group in groups), (deviation > WIDE, _sampled)]:
                if chosen.any():
                    for part, values in zip(parts, method(a, b[chosen], n, deviation[chosen]), strict=True):
                        part.extend((weights[chosen] * values).tolist())
    mutual, gold_given_pred, pred_given_gold = (math.fsum(part) / n for part in parts)
    return mutual, gold_given_pred, pred_given_gold


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


def _terms(x: Ints, away: Floats, a: int, b: Ints, mean: Floats) -> tuple[Floats, Floats, Floats]:
    """m g(x/m - 1), x log(b/x) and x log(a/x); away is x - m, x is from 0 to min(a, b)."""
    value = np.maximum(x, 1).astype(np.float64)  # where x is 0 the logarithms do not matter
    logs = (np.log1p((size - value) / value) for size in (b, a))
    gold_given_pred, pred_given_gold = (np.asarray(x * log, dtype=np.float64) for log in logs)
    return mean * _g(away / mean), gold_given_pred, pred_given_gold


def _walked(a: int, b: Ints, n: int, deviation: Floats) -> tuple[Floats, ...]:
    """The three expectations where cells vary little: every value, by ratios of neighbours away from the mode."""
    mode, offset, mean = _modes(a, b, n)
    low, high = np.maximum(0, a + b - n), np.minimum(a, b)
    tail = 30 if deviation.max() > 0.1 else 12  # of a Poisson distribution, down to 1e-25
    steps = np.arange(1, int(10 * deviation.max()) + tail)
    mass, totals = np.ones(b.size), _terms(mode, offset, a, b, mean)
    for side in (1, -1):
        x = mode[:, None] + side * steps
        inside = (x >= low[:, None]) & (x <= high[:, None])
        probability = np.cumprod(np.where(inside, _ratio(x, a, b[:, None], n, side), 0), axis=1)
        away = np.where(inside, offset[:, None] + side * steps, 0)
        terms = _terms(np.where(inside, x, 0), away, a, b[:, None], mean[:, None])
        mass = mass + probability.sum(axis=1)
        totals = tuple(t + (probability * term).sum(axis=1) for t, term in zip(totals, terms, strict=True))
    return tuple(total / mass for total in totals)


def _ratio(x: Ints, a: int, b: Ints, n: int, side: int) -> Floats:
    """The probability of x over that of its neighbour nearer to the mode."""
    y = x - side
    if side > 0:
        return ((a - y).astype(np.float64) * (b - y)) / (x.astype(np.float64) * (n - a - b + x))
    return (y.astype(np.float64) * (n - a - b + y)) / ((a - x).astype(np.float64) * (b - x))


def _sampled(a: int, b: Ints, n: int, deviation: Floats) -> tuple[Floats, ...]:
    """The three expectations where cells vary much: values at equal steps of half a deviation.

    A sum over every s-th value differs from the s-th part of the sum over all by exp(-2 pi^2 (deviation/s)^2),
    which is below 1e-34 here. The ends of the range are deviation^2 away, beyond the 12.5 deviations looked at.
    """
    mode, offset, mean = _modes(a, b, n)
    d = np.arange(-25, 26) * np.floor(deviation / 2).astype(np.int64)[:, None]
    probability = np.exp(_log_probability(mode, d.astype(np.float64), a, b, n))
    terms = _terms(mode[:, None] + d, offset[:, None] + d, a, b[:, None], mean[:, None])
    return tuple((probability * term).sum(axis=1) / probability.sum(axis=1) for term in terms)


def _log_probability(mode: Ints, d: Floats, a: int, b: Ints, n: int) -> Floats:
    """log p(mode + d) - log p(mode), by Stirling's series of the four factorials that d moves."""
    left, right, rest = a - mode, b - mode, n - a - b + mode
    ints = zip(mode.tolist(), left.tolist(), right.tolist(), rest.tolist(), strict=True)
    slope = np.array([math.log1p((p * q - m * r) / (m * r)) for m, p, q, r in ints])  # of neighbours at the mode
    logarithm = d * slope[:, None]
    for count, sign in ((mode, 1), (left, -1), (right, -1), (rest, 1)):
        y = count.astype(np.float64)[:, None]
        u = sign * d / y
        # log((y + d)!) - log(y!) - d log y = y g(u) + log(1 + u)/2 + s(y + d) - s(y), s(y) = 1/(12 y) - ...
        logarithm = logarithm - (y * _g(u) + np.log1p(u) / 2 + _stirling(y * (1 + u)) - _stirling(y))
    return np.asarray(logarithm)


def _stirling(y: Floats) -> Floats:
    """The rest of Stirling's formula for log(y!), for y of 256 and more."""
    return (1 / 12 - (1 / 360 - 1 / (1260 * y * y)) / (y * y)) / y


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
