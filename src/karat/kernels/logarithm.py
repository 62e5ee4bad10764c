"""Logarithms to twice double precision, and binomial coefficients without cancelling log-gammas.

An entropy is a small difference of large sums of x log x: with n = 10^12 and one item out of place,
H is 3e-11 while n log n / n is 28, so sixteen digits of each sum leave four of H. Here each
logarithm carries about thirty digits, as an unevaluated sum of two doubles.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karat.kernels import twin

Floats = NDArray[np.float64]

STEPS = 1024  # log is tabulated at i/1024 for mantissas in [1/2, 1]
BITS = 160  # fixed-point precision in which the table is computed


def two_sum(a: Any, b: Any) -> tuple[Any, Any]:
    """The rounded sum and the exact error of the rounding (Knuth)."""
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


def two_product(a: Any, b: Any) -> tuple[Any, Any]:
    """The rounded product and the exact error of the rounding (Dekker), for operands below 2^990."""
    p = a * b
    split = 134217729.0  # 2^27 + 1 halves the 53 bits
    a_high = split * a - (split * a - a)
    b_high = split * b - (split * b - b)
    a_low, b_low = a - a_high, b - b_high
    return p, ((a_high * b_high - p) + a_high * b_low + a_low * b_high) + a_low * b_low


@cache
def _table() -> Floats:
    """High and low parts of log(i / STEPS) for i from 0 to STEPS; entry 0 is unused."""
    one = 1 << BITS
    value, logs = 0, [0] * (STEPS + 1)
    for i in range(STEPS - 1, 0, -1):  # log(i) - log(i+1) = -2 atanh(1/(2i+1))
        odd = 2 * i + 1
        power, k = one // odd, 1
        while power:
            value -= 2 * power // k
            power //= odd * odd
            k += 2
        logs[i] = value
    high = [float(v) / one for v in logs]
    low = [(v - int(h * one)) / one for v, h in zip(logs, high, strict=True)]
    return np.array([high, low])


def log_pair(x: Floats) -> tuple[Floats, Floats]:
    """log x as high + low, |error| < 1e-28 relative to max(1, |log x|); x positive and finite."""
    high, low = log_pairs(np.ascontiguousarray(x).ravel(), _table())
    return high.reshape(x.shape), low.reshape(x.shape)


@twin
def log_pairs(x: Floats, table: Floats) -> tuple[Floats, Floats]:
    """The high and low parts of the logarithms of x."""
    table_high, table_low = table
    mantissa, exponent = np.frexp(x)
    index = np.rint(mantissa * STEPS).astype(np.int64)
    centre = index / STEPS
    away = mantissa - centre  # exact: both are multiples of 2^-53 and nearly equal
    r = away / centre
    product, error = two_product(r, centre)
    r_low = ((away - product) - error) / centre
    # log(1 + r) = r - r^2/2 + r^3/3 - ..., |r| <= 2^-10: the first terms in two doubles
    square, square_low = two_product(r, r)
    square_low = square_low + 2 * r * r_low
    third = 1 / 3
    cube, cube_low = two_product(square, r)
    cube_low = cube_low + square_low * r + square * r_low
    cube_third, cube_third_low = two_product(cube, third)
    cube_third_low = cube_third_low + cube_low * third + cube * 1.850371707708594e-17  # 1/3 - fl(1/3)
    tail = np.zeros_like(r)
    for k in range(11, 3, -1):
        tail = r * tail + (1 / k if k % 2 else -1 / k)
    tail = tail * (square * square)
    high, low = two_sum(r, -square / 2)
    low = low + (r_low - square_low / 2)
    high, error = two_sum(high, cube_third)
    low = low + error + cube_third_low + tail
    return _add_logs(exponent.astype(np.float64), table_high[index], table_low[index], high, low)


def _add_logs(exponent: Floats, centre: Floats, centre_low: Floats, high: Floats, low: Floats) -> tuple[Floats, Floats]:
    """exponent * log 2 + log(centre) + (high + low), summed largest first."""
    table_high, table_low = _table()
    two, two_low = -table_high[STEPS // 2], -table_low[STEPS // 2]
    total, error = two_product(exponent, two)
    low = low + error + exponent * two_low + centre_low
    total, error = two_sum(total, centre)
    low = low + error
    total, error = two_sum(total, high)
    return two_sum(total, low + error)


def log_integers(x: NDArray[np.int64]) -> NDArray[np.float64]:
    """Logarithms of positive integers below 2^63, as two rows: the high parts and the low parts."""
    high = x.astype(np.float64)
    log, low = log_pair(high)
    return np.stack([log, low + (x - high.astype(np.int64)).astype(np.float64) / high])


@cache
def log_tables() -> tuple[Floats, Floats]:
    """Lookup tables of compiled loops: logs of i/STEPS, and of integers below 4096; entry 0 is unused."""
    return _table(), log_integers(np.maximum(np.arange(4096), 1))


def log_terms(high: Floats, low: Floats, times: Floats) -> Floats:
    """Three rows of floats that add up to times * x log x for x = high + low, to about thirty digits."""
    return terms_of(high, low, times, _table())


@twin
def terms_of(high: Floats, low: Floats, times: Floats, table: Floats) -> Floats:
    """log_terms() with the lookup table of logarithms as an argument."""
    log, log_low = log_pairs(high, table)
    log_low = log_low + low / high
    weight, weight_low = two_product(times, high)
    weight_low = weight_low + times * low
    product, error = two_product(weight, log)
    return np.stack([product, error, weight * log_low + weight_low * log])


def _stirling_error(x: Floats) -> Floats:
    """log Gamma(x+1) - (log(2 pi x)/2 + x log x - x), which tends to 1/(12 x)."""
    small = x < 16
    y = np.where(small, 16.0, x)
    inverse = 1 / (y * y)
    series = 1 / 12 - inverse * (
        1 / 360 - inverse * (1 / 1260 - inverse * (1 / 1680 - inverse * (1 / 1188 - inverse * 691 / 360360)))
    )
    if not small.any():
        return np.asarray(series / y)
    z = np.where(small, x, 1.0)
    direct = _log_factorial(z) - (0.5 * np.log(2 * np.pi * z) + z * np.log(z) - z)
    return np.asarray(np.where(small, direct, series / y))


def _log_factorial(x: Floats) -> Floats:
    """log x! for 0 <= x < 16; SciPy, which is slow to import, is used for fractions only."""
    integers = x.astype(np.int64)
    if (integers == x).all():
        return np.array([math.log(math.factorial(k)) for k in range(16)])[integers]
    from scipy.special import gammaln

    return np.asarray(gammaln(x + 1))


def log_binomial(x: Any, r: Any) -> Floats:
    """log of C(x + r, r) for real x, r >= 0, by sums of positive terms (no large log-gammas cancel)."""
    x, r = np.broadcast_arrays(np.asarray(x, dtype=np.float64), np.asarray(r, dtype=np.float64))
    positive = (x > 0) & (r > 0)
    x, r = np.where(positive, x, 1.0), np.where(positive, r, 1.0)
    # Stirling on each factorial: x log((x+r)/x) + r log((x+r)/r) - log(2 pi x r / (x+r)) / 2 + ...
    safe = np.maximum(x, 1e-3)  # smaller x are handled below
    leading = safe * np.log1p(r / safe) + r * np.log1p(safe / r)
    spread = 0.5 * (np.log(2 * np.pi) + np.log(safe) + np.log(r) - np.log(safe + r))
    errors = _stirling_error(safe + r) - _stirling_error(safe) - _stirling_error(r)
    value = leading - spread + errors
    small = x < 0.05
    if small.any():
        value = np.where(small, _small_log_binomial(np.where(small, x, 0.0), r), value)
    return np.asarray(np.where(positive, value, 0.0))


def _small_log_binomial(x: Floats, r: Floats) -> Floats:
    """log of C(x + r, r) for x below 0.05, by its Taylor series, where Stirling's terms would cancel."""
    from scipy.special import digamma, zeta

    series = x * (digamma(r + 1) + np.euler_gamma)
    for k in range(2, 13):
        series = series + (-x) ** k / k * (zeta(k, r + 1) - zeta(k, 1))
    return np.asarray(series)


def divergence(x: Floats) -> Floats:
    """(1 + x) log(1 + x) - x for x >= -1, also where both terms are nearly equal: a power series for small x."""
    small = np.abs(x) < 0.05
    series = np.zeros_like(x)
    if small.any():
        y = np.where(small, x, 0.0)
        for k in range(14, 1, -1):  # x^2/2 - x^3/6 + x^4/12 - ...
            series = 1 / (k * (k - 1)) - y * series
        series = series * y * y
    z = np.where(small | (x <= -1), 0.0, x)
    direct = (1 + z) * np.log1p(z) - z
    return np.where(small, series, np.where(x <= -1, 1.0, direct))


def log_one_more(top: Any, bottom: Any) -> Any:
    """log(1 + top / bottom), also where the quotient overflows."""
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        quotient = top / bottom
        return np.where(np.isinf(quotient), np.log(top) - np.log(bottom), np.log1p(quotient))
