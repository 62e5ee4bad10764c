"""Numbers printed in the papers, to every printed digit."""

from __future__ import annotations

import pytest

import karat
from karat import examples
from karat.measures.pair_counts import Pairs

TEXTBOOK = karat.Table.from_matrix([[5, 1, 2], [1, 4, 0], [0, 1, 3]])


@pytest.mark.parametrize(
    ("measure", "printed"),
    [("purity", 0.71), ("nmi", 0.36), ("rand", 0.68), ("pair_f", 0.48), ("pair_f(beta=5)", 0.46)],
)
def test_textbook_table_16_2(measure: str, printed: float) -> None:
    assert round(karat.parse(measure)(TEXTBOOK), 2) == printed


def test_textbook_pair_counts() -> None:
    pairs = TEXTBOOK.statistic(Pairs)
    assert (pairs.both, pairs.gold_only, pairs.pred_only, pairs.neither) == (20, 24, 20, 72)


def test_the_bundled_example_is_the_textbooks() -> None:
    table = karat.Table.from_labels(*examples.textbook())
    expected = karat.Table.from_matrix([[5, 1, 2], [1, 4, 0], [0, 1, 3]], classes="xo◇", clusters="123")
    assert table == expected


def test_textbook_exercise_doubling_every_point() -> None:
    doubled = karat.Table.from_matrix([[10, 2, 4], [2, 8, 0], [0, 2, 6]])
    assert karat.purity(doubled) == karat.purity(TEXTBOOK)
    assert karat.nmi(doubled) == pytest.approx(karat.nmi(TEXTBOOK), abs=1e-15)
    assert (round(karat.rand(doubled), 4), round(karat.pair_f(doubled, beta=5), 4)) == (0.6863, 0.5042)
    pairs = doubled.statistic(Pairs)
    assert (pairs.both, pairs.gold_only, pairs.pred_only, pairs.neither) == (97, 96, 80, 288)


B = [[3, 2, 0], [0, 3, 2], [2, 0, 3]]
FIGURE_2 = {
    "A": ([[3, 1, 1], [1, 3, 1], [1, 1, 3]], 0.6, 0.1350),
    "B": (B, 0.6, 0.3874),
    "C": ([[*b, *c] for b, c in zip(B, [[1, 1, 0], [1, 0, 1], [0, 1, 1]], strict=True)], 0.5, 0.3004),
    "D": ([[*b, *[int(i // 2 == r) for i in range(6)]] for r, b in enumerate(B)], 0.5, 0.4128),
}


@pytest.mark.parametrize("solution", FIGURE_2)
def test_rosenberg_and_hirschberg_figure_2(solution: str) -> None:
    rows, f, v = FIGURE_2[solution]
    table = karat.Table.from_matrix(rows)
    assert round(karat.f_measure(table), 1) == f  # the caption swaps the F of A, B with that of C, D
    assert round(karat.v_measure(table), 4) == v


def solution_r() -> karat.Table:
    """Row i: 7 in column i, then 1, 1, 1 in the next three, around the edge."""
    return karat.Table.from_matrix(
        [[{0: 7, 1: 1, 2: 1, 3: 1}.get((j - i) % 10, 0) for j in range(10)] for i in range(10)]
    )


def test_reichart_and_rappoport_table_1() -> None:
    gold = [i // 10 for i in range(100)]
    apart = karat.score(gold, range(100), ["v_measure", "vi", "nvi", "nvik"])
    assert [round(value, 3) for value in apart.values()] == [0.667, 2.303, 1.0, 0.5]
    found = karat.score(solution_r(), measures=["vi", "nvi", "nvik", "v_measure"])
    # printed: 1.88, .81 and .81 (cut off, not rounded), and V .587, which is the V of another matrix
    assert [round(value, 4) for value in found.values()] == [1.8809, 0.8169, 0.8169, 0.5916]
    assert found["nvi"] < apart["nvi"]
    assert found["v_measure"] < apart["v_measure"]
