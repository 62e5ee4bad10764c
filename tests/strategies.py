"""Random labelings and tables for property tests."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

import karat
from karat.measures.information import Chance


@st.composite
def labelings(draw: st.DrawFn, most: int = 30) -> tuple[list[int], list[int]]:
    """Two labelings of the same items, unrelated or one refining the other."""
    n = draw(st.integers(1, most))
    label = st.integers(0, draw(st.integers(0, n)))
    gold = draw(st.lists(label, min_size=n, max_size=n))
    if draw(st.booleans()):
        return gold, [g // 2 for g in gold]
    return gold, draw(st.lists(label, min_size=n, max_size=n))


@st.composite
def matrices(draw: st.DrawFn, cells: st.SearchStrategy[Any] | None = None) -> np.ndarray[Any, Any]:
    """A matrix of counts, or of the cells given, with at least one item."""
    shape = draw(st.tuples(st.integers(1, 5), st.integers(1, 5)))
    if cells is None:
        cells = st.one_of(st.just(0), st.integers(0, 9), st.integers(0, 10**9))
    values = draw(st.lists(cells, min_size=shape[0] * shape[1], max_size=shape[0] * shape[1]).filter(any))
    return np.array(values).reshape(shape)


tables = st.one_of(
    labelings().map(lambda pair: karat.Table.from_labels(*pair)), matrices().map(karat.Table.from_matrix)
)
real_tables = matrices(st.one_of(st.just(0.0), st.floats(1, 1e9))).map(karat.Table.from_matrix)
# cells that leave pairs over, and not just the rounding error of a square
coarse_tables = matrices(st.one_of(st.just(0.0), st.integers(80, 10**7).map(lambda x: x / 64))).map(
    karat.Table.from_matrix
)


def fits_real_tables(measure: karat.Measure) -> bool:
    """Whether a measure is defined for real-valued tables: not if it needs what shuffling items gives."""
    return Chance not in measure.statistics
