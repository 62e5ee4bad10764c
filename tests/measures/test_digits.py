"""The last digits: perfect tables, real-valued stacks, and shares that a difference of entropies would lose."""

from __future__ import annotations

from typing import Any

import mpmath as mp
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from test_contract import VARIANTS

import karat
from shared import enough
from strategies import fits_real_tables

WITH_PERFECT = [measure for measure in VARIANTS if measure.perfect is not None]
SIZES = st.one_of(
    st.lists(st.integers(1, 30), min_size=1, max_size=12),
    st.lists(st.integers(1, 2**58), min_size=1, max_size=12),
    st.lists(st.floats(1, 1e15), min_size=1, max_size=12),
    st.lists(st.floats(1, 40), min_size=1, max_size=12),
)


@settings(max_examples=enough(200), deadline=None)
@given(SIZES, st.randoms(use_true_random=False), st.integers(0, 9))
@example([9, 3, 6], None, 0)
@example([195451390022972333], None, 0)
def test_a_perfect_table_has_exactly_the_perfect_value(sizes: list[Any], random: Any, padding: int) -> None:
    order = list(range(len(sizes)))
    if random is not None:
        random.shuffle(order)
    matrix = np.zeros((len(sizes), len(sizes) + padding), dtype=object if isinstance(sizes[0], int) else float)
    matrix[np.arange(len(sizes)), order] = sizes
    table, stack = karat.Table.from_matrix(matrix), karat.Stack([matrix.tolist()])
    for measure in WITH_PERFECT:
        if table.integral or fits_real_tables(measure):
            assert measure(table) == measure.perfect, str(measure)
            assert measure(stack)[0] == measure.perfect, str(measure)


@st.composite
def real_matrices(draw: st.DrawFn) -> np.ndarray[Any, Any]:
    """Matrices of weights that are independent, equal, within one row or column, or random."""
    kind = draw(st.sampled_from(["independent", "equal", "line", "any"]))
    weights, few = st.floats(1, 20), st.integers(1, 4)
    if kind == "independent":
        sides = [draw(st.lists(weights, min_size=1, max_size=4)) for _ in range(2)]
        return np.outer(*sides)
    shape = (draw(few), draw(few)) if kind != "line" else draw(st.sampled_from([(1, 3), (3, 1), (1, 4), (4, 1)]))
    if kind == "equal":
        return np.full(shape, draw(weights))
    cells = draw(st.lists(weights, min_size=shape[0] * shape[1], max_size=shape[0] * shape[1]))
    return np.array(cells).reshape(shape)


@settings(max_examples=enough(300))
@given(real_matrices())
@example(np.full((3, 1), 2.1122669799568015))
def test_a_real_valued_stack_gives_what_the_table_gives(matrix: np.ndarray[Any, Any]) -> None:
    table, stack = karat.Table.from_matrix(matrix), karat.Stack([matrix])
    for measure in VARIANTS:
        if table.integral or fits_real_tables(measure):
            assert measure(stack)[0] == pytest.approx(measure(table), rel=1e-12, abs=1e-12), str(measure)


def v_measure_of(matrix: Any, beta: float) -> Any:
    """The V-measure in eighty digits."""
    cells = [[mp.mpf(x) for x in row] for row in matrix]
    n = mp.fsum(map(mp.fsum, cells))

    def entropy(sizes: Any) -> Any:
        return -mp.fsum(x / n * mp.log(x / n) for x in sizes if x)

    gold, pred = entropy(map(mp.fsum, cells)), entropy(map(mp.fsum, zip(*cells, strict=True)))
    mutual = gold + pred - entropy(x for row in cells for x in row)
    h, c = mutual / gold, mutual / pred
    return (1 + beta) * h * c / (beta * h + c)


@pytest.mark.parametrize("beta", [1e-100, 1e-15, 1e-9, 1e-6, 1e-3, 1, 1e3, 1e6, 1e9, 1e12])
@pytest.mark.parametrize(
    "matrix",
    [
        [[100, 0], [10**9, 10**10]],
        [[0, 1], [10**11, 10**12]],
        [[0, 1], [10**15, 10**16]],
        [[10**7, 10**17], [10**7, 10**17], [10, 0]],
        [[0, 1, 3], [10**7, 10**7, 10**7]],  # which a stack takes at once
        [[3, 4], [4, 5]],
        [[0.5, 7e6], [2.5, 9e5]],
    ],
)
def test_any_beta_of_the_v_measure_keeps_twelve_digits(matrix: Any, beta: float) -> None:
    with mp.workdps(80):
        wanted = float(v_measure_of(matrix, mp.mpf(beta)))
    for value in (karat.v_measure(beta=beta)(karat.Table.from_matrix(matrix)),
                  karat.v_measure(beta=beta)(karat.Stack([matrix]))[0],
                  karat.v_measure(beta=1 / beta)(karat.Table.from_matrix(matrix).T)):  # fmt: skip
        assert value == pytest.approx(wanted, rel=1e-9, abs=1e-13)
