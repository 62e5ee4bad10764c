"""The numerical kernels against 50-digit arithmetic and brute force."""

from __future__ import annotations

import math
from collections import Counter

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from karat.kernels.assignment import best_matching, greedy_matching
from karat.kernels.counting import cross_count, encode_integers
from karat.kernels.expected import expected_information
from karat.kernels.logarithm import log_binomial, log_pair, log_terms
from karat.kernels.tallying import FEW, tally
from karat.tables.profile import exact_sum
from shared import enough
from strategies import matrices

mp.mp.dps = 50


@given(st.one_of(st.floats(1e-300, 1e300), st.integers(1, 2**53).map(float), st.floats(0.99, 1.01)))
def test_logarithms_carry_twice_the_digits(x: float) -> None:
    high, low = (float(part[0]) for part in log_pair(np.array([x])))
    right = mp.log(mp.mpf(x))
    assert abs(mp.mpf(high) + mp.mpf(low) - right) <= 1e-28 * max(1, abs(right))


@given(st.lists(st.integers(1, 2**61), min_size=1, max_size=6))
def test_terms_add_up_to_x_log_x(sizes: list[int]) -> None:
    high = np.array(sizes, dtype=np.float64)
    low = np.array([float(s - int(h)) for s, h in zip(sizes, high, strict=True)])
    terms = log_terms(high, low, np.full(len(sizes), 3.0)).ravel().tolist()
    right = 3 * mp.fsum(s * mp.log(s) for s in sizes)
    assert abs(mp.fsum(terms) - right) <= 1e-27 * (1 + right)


@given(st.one_of(st.floats(0.01, 1e12), st.integers(0, 10**12).map(float)), st.integers(0, 10**7))
def test_log_binomials_of_real_arguments(x: float, r: int) -> None:
    right = mp.loggamma(mp.mpf(x) + r + 1) - mp.loggamma(mp.mpf(x) + 1) - mp.loggamma(r + 1)
    assert float(log_binomial(x, r)) == pytest.approx(float(right), rel=5e-13, abs=1e-14)


def expected_by_definition(gold: list[int], pred: list[int]) -> mp.mpf:
    n, total = sum(gold), mp.mpf(0)
    for (a, a_times), (b, b_times) in ((x, y) for x in Counter(gold).items() for y in Counter(pred).items()):
        low = max(0, a + b - n)
        p = mp.binomial(b, low) * mp.binomial(n - b, a - low) / mp.binomial(n, a)
        for x in range(low, min(a, b) + 1):
            if x:
                total += a_times * b_times * p * mp.mpf(x) / n * mp.log(mp.mpf(n) * x / (a * b))
            if x < min(a, b):
                p = p * (a - x) * (b - x) / (mp.mpf(x + 1) * (n - a - b + x + 1))
    return total


def expected(gold: list[int], pred: list[int]) -> float:
    a, b = (np.unique(sizes, return_counts=True) for sizes in (gold, pred))
    return expected_information(*a, *b, sum(gold))[0]


@pytest.mark.parametrize(
    ("gold", "pred"),
    [
        ([3, 2, 1], [2, 2, 2]),
        ([1] * 9, [5, 4]),
        ([1000, 1000], [1000, 1000]),
        ([5000, 4000, 1], [9000, 1]),
        ([50_000, 1, 1], [50_000, 2]),
        ([enough(30_000), enough(20_000), 17, 17, 3], [enough(25_000), enough(25_000) + 1, 36]),
        ([2000, 1500, 500], [2500, 1500]),
        ([600] * 5, [1000] * 3),
        ([10**12 - 1, 1], [10**12 - 1, 1]),
        ([10**12 - 40, 30, 10], [10**12 - 7, 5, 1, 1]),
    ],
    ids=range(10),
)
def test_expected_information_is_exact(gold: list[int], pred: list[int]) -> None:
    right = expected_by_definition(gold, pred) if max(gold) < 10**6 else expected_of_few(gold, pred)
    assert abs(mp.mpf(expected(gold, pred)) - right) <= 1e-11 * right


def expected_of_few(gold: list[int], pred: list[int]) -> mp.mpf:
    """For one huge class and one huge cluster: each cell is hypergeometric, its range shifted to the small side."""
    n, total = sum(gold), mp.mpf(0)
    with mp.workdps(90):
        for a in gold:
            for b in pred:
                low, high = max(0, a + b - n), min(a, b)
                p = mp.exp(_log_choose(b, low) + _log_choose(n - b, a - low) - _log_choose(n, a))
                for x in range(low, high + 1):
                    if x:
                        total += p * mp.mpf(x) / n * mp.log(mp.mpf(n) * x / (mp.mpf(a) * b))
                    if x < high:
                        p = p * (a - x) * (b - x) / (mp.mpf(x + 1) * (n - a - b + x + 1))
    return total


def _log_choose(n: int, k: int) -> mp.mpf:
    return mp.loggamma(n + 1) - mp.loggamma(k + 1) - mp.loggamma(n - k + 1)


@given(st.lists(st.integers(1, 9), min_size=1, max_size=6), st.lists(st.integers(1, 9), min_size=1, max_size=6))
def test_expected_conditional_entropies_complete_the_entropies(gold: list[int], pred: list[int]) -> None:
    short = sum(gold) - sum(pred)
    gold, pred = (gold + [1] * -short, pred) if short < 0 else (gold, pred + [1] * short)
    a, b = (np.unique(sizes, return_counts=True) for sizes in (gold, pred))
    mutual, gold_given_pred, pred_given_gold = expected_information(*a, *b, sum(gold))
    for sizes, rest in ((gold, gold_given_pred), (pred, pred_given_gold)):
        entropy = -sum(s / sum(sizes) * math.log(s / sum(sizes)) for s in sizes)
        assert mutual + rest == pytest.approx(entropy, abs=1e-14)


@pytest.mark.parametrize("n", [10**6, 10**9, 10**12])
def test_expected_information_of_halves_follows_its_expansion(n: int) -> None:
    half = n // 2
    # two halves against two halves: E[I] = 1/(2n) + 3/(4 n^2) + O(1/n^3)
    assert expected([half, half], [half, half]) == pytest.approx(1 / (2 * n) + 3 / (4 * n * n), rel=1e-11)


@given(matrices(st.integers(0, 6)))
def test_the_best_matching_is_the_heaviest(matrix: np.ndarray) -> None:  # type: ignore[type-arg]
    rows, cols = np.nonzero(matrix)
    chosen = best_matching(rows, cols, matrix[rows, cols])
    assert len(set(rows[chosen])) == len(set(cols[chosen])) == len(chosen)
    best = matrix[linear_sum_assignment(matrix, maximize=True)].sum()
    assert matrix[rows[chosen], cols[chosen]].sum() == best
    greedy = greedy_matching(rows, cols, matrix[rows, cols])
    assert best / 2 <= matrix[rows[greedy], cols[greedy]].sum() <= best


@pytest.mark.parametrize("ones", [False, True])
def test_a_hundred_thousand_classes_and_clusters_are_matched(ones: bool) -> None:
    rng = np.random.default_rng(3)
    rows, cols = rng.integers(0, 100_000, (2, 300_000))
    rows, cols, counts = cross_count(rows, cols)[2:5]
    counts = np.ones_like(counts) if ones else rng.integers(1, 100, counts.size)
    chosen = best_matching(rows, cols, counts)
    assert len(set(rows[chosen])) == len(set(cols[chosen])) == chosen.size
    if ones:
        from scipy.sparse import csr_matrix
        from scipy.sparse.csgraph import maximum_bipartite_matching

        graph = csr_matrix((counts, (rows, cols)), shape=(100_000, 100_000))
        assert chosen.size == (maximum_bipartite_matching(graph) >= 0).sum()
    else:
        greedy = greedy_matching(rows, cols, counts)
        assert counts[chosen].sum() >= counts[greedy].sum()


@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1))
def test_integers_are_encoded_in_order(values: list[int]) -> None:
    codes, distinct = encode_integers(np.array(values))
    assert distinct.tolist() == sorted(set(values))
    assert [distinct[c] for c in codes] == values


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), st.floats(0.1, 1e6)), min_size=1))
def test_weights_are_added_up_by_cell(items: list[tuple[int, int, float]]) -> None:
    rows, cols, weights = (np.array(column) for column in zip(*items, strict=True))
    cells = {(r, c): math.fsum(w for x, y, w in items if (x, y) == (r, c)) for r, c in {(r, c) for r, c, _ in items}}
    found = cross_count(rows, cols, weights)
    left, right = found.left[found.rows].tolist(), found.right[found.cols].tolist()
    assert dict(zip(zip(left, right, strict=True), found.counts.tolist(), strict=True)) == cells


@given(st.lists(st.floats(0, 1e300), max_size=8))
def test_exact_sums_lose_nothing(values: list[float]) -> None:
    from fractions import Fraction

    assert exact_sum(np.array(values)) == sum(map(Fraction, values))


def test_narrow_weights_do_not_wrap() -> None:
    found = cross_count(np.zeros(40, np.int64), np.zeros(40, np.int64), np.full(40, 1 << 30, np.int32))
    assert found.counts.tolist() == [40 << 30]


@pytest.mark.parametrize("size", [3, 500, 20_000])  # many, some and few of the cells that could be
def test_whole_weights_are_added_up_exactly(size: int) -> None:
    rng = np.random.default_rng(size)
    left, right, weights = rng.integers(0, size, 4000), rng.integers(-5, 9, 4000), rng.integers(1, 2**51, 4000)
    weights[::9] = 0
    wanted: Counter[tuple[int, int]] = Counter()
    for row, col, weight in zip(left.tolist(), right.tolist(), weights.tolist(), strict=True):
        wanted[row, col] += weight
    found = cross_count(left, right, weights)
    cells = zip(found.left[found.rows].tolist(), found.right[found.cols].tolist(), strict=True)
    assert dict(zip(cells, found.counts.tolist(), strict=True)) == wanted
    assert (np.diff(found.rows * 14 + found.cols) > 0).all()


@pytest.mark.parametrize("size", [1, 2, FEW, FEW + 1, 5 * FEW])
@pytest.mark.parametrize("high", [1, 7, 10**12])
def test_few_values_are_tallied_as_many_are(size: int, high: int) -> None:
    values = np.random.default_rng(size).integers(1, high, size, endpoint=True)
    distinct, times = tally(values)
    assert dict(zip(distinct.tolist(), times.tolist(), strict=True)) == Counter(values.tolist())
    assert distinct.tolist() == sorted(distinct.tolist())
    assert distinct.dtype == times.dtype == np.int64
