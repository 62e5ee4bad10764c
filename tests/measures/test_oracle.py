"""Every measure agrees with an independent oracle, to 1e-12, from one item to 10^12 and for real-valued cells."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations

import mpmath as mp
import numpy as np
import pytest

import karat
from karat.measures.pairs import Pairs
from oracle import ORACLE, Cells, View
from shared import enough

pytestmark = pytest.mark.no_cover  # tracing would double the time of the 50-digit arithmetic

EXPENSIVE = {text for text in ORACLE if text.startswith("ami")}


def check(cells: Cells, measures: set[str], context: object = None) -> None:
    """Compare, absolutely on [0, 1] and relatively beyond."""
    table = karat.Table.from_cells([c for c, _ in cells], [k for _, k in cells], list(cells.values()))
    view = View(cells)
    for text in measures:
        right = ORACLE[text](view)
        if right is None:
            continue
        ours = karat.parse(text)(table)
        error = abs(mp.mpf(ours) - right) / max(1, abs(right))
        assert error <= 1e-12, f"{text}: {ours!r} is not {mp.nstr(right, 17)} on {context or cells}"


def labelings(seed: int, count: int) -> list[tuple[list[int], list[int]]]:
    rng = np.random.default_rng(seed)
    pairs = []
    for _ in range(count):
        n = int(rng.integers(1, 40))
        gold = rng.integers(0, rng.integers(1, n + 1), n)
        noise = rng.random(n) < rng.random()
        pred = np.where(noise, rng.integers(0, rng.integers(1, n + 1), n), gold * rng.integers(0, 2) + gold // 2)
        pairs.append((gold.tolist(), pred.tolist()))
    return pairs


def test_the_oracle_has_every_measure() -> None:
    assert {karat.parse(text).name for text in ORACLE} == {m.name for m in karat.list_measures()}


@pytest.mark.parametrize("seed", range(5))
def test_measures_agree_with_the_oracle_on_random_labelings(seed: int) -> None:
    for gold, pred in labelings(seed, enough(260)):
        check(dict(Counter(zip(gold, pred, strict=True))), set(ORACLE) - EXPENSIVE)


@pytest.mark.parametrize("seed", range(4))
def test_adjusted_mutual_information_agrees_with_the_oracle(seed: int) -> None:
    for gold, pred in labelings(100 + seed, enough(40)):
        check(dict(Counter(zip(gold, pred, strict=True))), EXPENSIVE)


@pytest.mark.parametrize("seed", range(4))
def test_pair_counts_agree_with_looking_at_every_pair(seed: int) -> None:
    for gold, pred in labelings(200 + seed, enough(60)):
        pairs = karat.Table.from_labels(gold, pred).statistic(Pairs)
        every = list(combinations(range(len(gold)), 2))
        together_gold = [gold[i] == gold[j] for i, j in every]
        together_pred = [pred[i] == pred[j] for i, j in every]
        both = sum(g and p for g, p in zip(together_gold, together_pred, strict=True))
        assert (pairs.both, pairs.gold, pairs.pred, pairs.total) == (
            both,
            sum(together_gold),
            sum(together_pred),
            len(every),
        )


@pytest.mark.parametrize("seed", range(4))
def test_real_valued_cells_are_kept_as_they_are(seed: int) -> None:
    rng = np.random.default_rng(300 + seed)
    for _ in range(enough(150)):
        shape = tuple(rng.integers(1, 6, 2))
        values = 10 ** rng.uniform(0, rng.integers(1, 12), shape) * (rng.random(shape) < 0.8)
        if values.any():
            cells = {(int(r), int(k)): float(values[r, k]) for r, k in np.argwhere(values)}
            check(cells, set(ORACLE) - EXPENSIVE)


@pytest.mark.parametrize("seed", range(4))
def test_a_million_million_items_lose_no_digit(seed: int) -> None:
    rng = np.random.default_rng(400 + seed)
    for _ in range(enough(100)):
        shape = tuple(rng.integers(1, 6, 2))
        values = (10 ** rng.uniform(0, 12, shape)).astype(np.int64) * (rng.random(shape) < 0.7)
        if values.any():
            cells = {(int(r), int(k)): int(values[r, k]) for r, k in np.argwhere(values)}
            check(cells, set(ORACLE) - EXPENSIVE)


@pytest.mark.parametrize("n", [100, 10**4, 10**6])
@pytest.mark.parametrize("shared", [True, False])
def test_ami_keeps_its_digits_where_nearly_every_item_is_alone(n: int, shared: bool) -> None:
    """Two classes and one cluster have two items, all else is alone: every term can be written down."""
    gold, pred = np.arange(n), np.arange(n)
    gold[1], gold[3] = gold[0], gold[2]
    pred[1 if shared else 4] = pred[0]
    m = mp.mpf(n)
    hc, hk = mp.log(m) - 4 * mp.log(2) / m, mp.log(m) - 2 * mp.log(2) / m
    joint = hk if shared else mp.log(m)
    # I is H(C) + H(K) - log n, and more by 2 log 2 / n whenever the cluster of two is one of the two classes of two
    expected = hc + hk - mp.log(m) + (2 * mp.log(2) / m) * 2 / (m * (m - 1) / 2)
    right = (hc + hk - joint - expected) / ((hc + hk) / 2 - expected)
    assert abs(karat.ami(gold, pred) - right) <= 1e-12


N = 10**12


@pytest.mark.parametrize(
    "cells",
    [
        {(0, 0): N - 1, (1, 1): 1},
        {(0, 0): N - 2, (0, 1): 1, (1, 0): 1},
        {(0, 0): N - 3, (0, 1): 1, (1, 0): 1, (1, 1): 1},
        {(0, 0): N, (0, 1): 1, (1, 2): 1, (2, 2): 1, (2, 3): 10**6},
        {(0, 0): N // 4, (0, 1): N // 4, (1, 0): N // 4, (1, 1): N // 4},
        {(0, 0): N // 4 + 1, (0, 1): N // 4 - 1, (1, 0): N // 4 - 1, (1, 1): N // 4 + 1},
        {(0, 0): 1e12, (0, 1): 1.0, (1, 0): 1.5, (1, 1): 0.25},
        {(0, 0): 2**61, (0, 1): 1, (1, 1): 1},
        {(0, 0): 1e17, (0, 1): 1.0, (1, 0): 1.5},
        {(0, 0): 1e18, (0, 1): 1.0, (1, 0): 1.0, (1, 1): 1.0},
    ],
    ids=range(10),
)
def test_one_item_out_of_place_among_a_million_million_is_seen_exactly(cells: Cells) -> None:
    check(cells, set(ORACLE) - EXPENSIVE)


@pytest.mark.parametrize(
    "cells",
    [
        {(0, 0): 1.0, (0, 1): 1e-30, (1, 0): 1e-30},
        {(0, 0): 1.0, (0, 1): 1e-30, (1, 0): 1e-30, (1, 1): 1e-30},
        {(0, 0): 1.0, (0, 1): 1e-30, (1, 1): 1e-35},
    ],
    ids=range(3),
)
def test_cells_that_hardly_weigh_anything_still_count(cells: Cells) -> None:
    with mp.workdps(120):
        check(
            cells,
            {"homogeneity", "completeness", "v_measure", "nmi", "nvi", "nvik", "purity", "van_dongen_normalised"},
        )


@pytest.mark.parametrize("total", [1, 1e-2, 1e-6, 1e-13])
def test_code_lengths_of_small_weights(total: float) -> None:
    shares = {(0, 0): 0.3, (0, 1): 0.1, (1, 1): 0.1, (1, 2): 0.5, (2, 2): 0.2}
    check({key: share * total for key, share in shares.items()}, {"q0", "q2"})


def test_probabilities_are_tables_too() -> None:
    cells = {(0, 0): 0.375, (0, 1): 0.125, (1, 0): 0.125, (1, 1): 0.375}
    check(cells, {"mutual_information", "v_measure", "vi", "nvi", "bcubed_f", "purity", "one_to_one", "f_measure"})
    with pytest.raises(karat.TableError, match="add up to 1 are too small to hold pairs"):
        karat.ari(karat.Table.from_matrix([[0.375, 0.125], [0.125, 0.375]]))


def test_pair_measures_are_exact_fractions() -> None:
    table = karat.Table.from_matrix([[N - 3, 1], [1, 1]])
    both, gold, pred, total = (Fraction(x) for x in _pair_counts([[N - 3, 1], [1, 1]]))
    expected = gold * pred / total
    right = (both - expected) / ((gold + pred) / 2 - expected)
    assert abs(Fraction(karat.ari(table)) - right) < Fraction(1, 10**15)


def _pair_counts(rows: list[list[int]]) -> tuple[int, int, int, int]:
    def two(values: list[int]) -> int:
        return sum(v * (v - 1) // 2 for v in values)

    columns = [list(c) for c in zip(*rows, strict=True)]
    cells = [v for row in rows for v in row]
    return two(cells), two([sum(r) for r in rows]), two([sum(c) for c in columns]), two([sum(cells)])
