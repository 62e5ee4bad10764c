"""Expected mutual information of two partitions with given sizes when one of them is shuffled."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

BLOCK = 1 << 21  # probabilities held at once


def expected_information(gold: Ints, gold_times: Ints, pred: Ints, pred_times: Ints, n: int) -> float:
    """E[I] in nats over all shuffles, exact to about 1e-14 relative, from the distinct sizes.

    A cell with class size a and cluster size b is hypergeometric with mean m = ab/n, and E[x] = m, so
    E[x log(x/m)] = m E[g(x/m - 1)] with g(d) = (1+d) log(1+d) - d >= 0: a sum of positive terms, where
    Vinh et al. (2010, eq. 24a) add terms of both signs that cancel as n grows. Probabilities are taken
    relative to the mode and divided by their sum, so no log-gamma is needed.
    """
    parts = []
    for a, times in zip(gold.tolist(), gold_times.tolist(), strict=True):
        for group in _similar(_spread(a, pred, n)):
            values = _excess(a, pred[group], n)
            weights = times * pred_times[group].astype(np.float64)
            parts.append(math.fsum((weights * pred[group] * (a / n) * values).tolist()))
    return math.fsum(parts) / n


def _spread(a: int, b: Ints, n: int) -> Ints:
    """How far from the mode a probability can matter: ten standard deviations (1e-22) and a Poisson tail."""
    fb = b.astype(np.float64)
    variance = a * (n - a) / max(n - 1, 1) * (fb / n) * ((n - fb) / n)
    return (10 * np.sqrt(variance) + 30).astype(np.int64)


def _similar(widths: Ints) -> Iterator[Ints]:
    """Indices in groups of nearly equal width, so that little of a rectangle is wasted, none of it large."""
    power = np.frexp(widths.astype(np.float64))[1]
    for p in np.unique(power):
        group = np.flatnonzero(power == p)
        rows = max(1, BLOCK >> int(p))
        yield from (group[start : start + rows] for start in range(0, group.size, rows))


def _excess(a: int, b: Ints, n: int) -> Floats:
    """E[g(x/m - 1)] for cells of class size a and each cluster size in b."""
    mode = np.array([(a + 1) * (s + 1) // (n + 2) for s in b.tolist()], dtype=np.int64)
    mean = np.array([a * s / n for s in b.tolist()])
    offset = np.array([(m * n - a * s) / n for m, s in zip(mode.tolist(), b.tolist(), strict=True)])  # mode - mean
    low, high = np.maximum(0, a + b - n), np.minimum(a, b)
    width = int(np.max(_spread(a, b, n)))
    mass, total = np.ones(b.size), _g(offset / mean)
    for side in (1, -1):
        steps = np.arange(1, width + 1) * side
        x = mode[:, None] + steps  # the cells reached, walking away from the mode
        inside = (x >= low[:, None]) & (x <= high[:, None])
        probability = _walk(x, a, b[:, None], n, side, inside)
        away = (offset[:, None] + steps) / mean[:, None]
        mass = mass + probability.sum(axis=1)
        total = total + (probability * _g(np.where(inside, away, 0))).sum(axis=1)
    return np.asarray(total / mass)


def _walk(x: Ints, a: int, b: Ints, n: int, side: int, inside: NDArray[np.bool_]) -> Floats:
    """Probability of x relative to the mode, by the ratio of neighbours, one step further in each column."""
    y = x - side  # the neighbour nearer to the mode
    if side > 0:
        ratio = ((a - y).astype(np.float64) * (b - y)) / (x.astype(np.float64) * (n - a - b + x))
    else:
        ratio = (y.astype(np.float64) * (n - a - b + y)) / ((a - x).astype(np.float64) * (b - x))
    return np.asarray(np.cumprod(np.where(inside, ratio, 0), axis=1))


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
