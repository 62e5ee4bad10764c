"""Families of tables, and how measures respond to their parameters."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import karat
from karat.measures.pairs import Pairs
from karat.meta.desiderata import DESIDERATA, P1, P2, P3, P4, P5, response
from karat.meta.families import Expected, Family, Grid, match
from karat.meta.partitions import crossed, partitions

DOM = {"useful": range(2, 12), "noise": range(7), "error_1": [0, 1 / 15, 2 / 15, 0.2], "error_2": [0, 0.1, 0.2, 0.3]}


def test_the_ceiling_rule_matches_both_ways() -> None:
    assert match(5, 5).tolist() == np.eye(5, dtype=bool).tolist()
    assert match(5, 7).sum(axis=1).tolist() == [2, 2, 1, 1, 1]
    assert match(5, 7).sum(axis=0).tolist() == [1] * 7
    assert match(5, 3).sum(axis=0).tolist() == [2, 2, 1]
    assert match(3, 1).tolist() == [[True], [True], [True]]


def test_dom_table_3() -> None:
    p = Family(classes=5, useful=5, noise=3, error_1=0.2, error_2=0.3).distribution
    expected = np.full((5, 5), 0.01) + 0.09 * np.eye(5)
    assert np.allclose(p, np.hstack([expected, np.full((5, 3), 0.02)]), atol=1e-15)


def test_every_member_is_a_distribution_and_dom_gives_classes_the_same_share() -> None:
    for member in Grid.of(500, **DOM).members:
        assert member.distribution.sum() == pytest.approx(1, abs=1e-12)
        assert np.allclose(member.distribution.sum(axis=1), 1 / 5)


def test_expected_pairs_are_those_of_random_draws() -> None:
    member = Family(classes=2, useful=2, noise=1, error_1=0.1, error_2=0.2)
    expected = Expected(30 * member.distribution[None])
    pairs = expected.statistic(Pairs)
    total = Fraction(30 * 29, 2)
    assert pairs.both[0] == pytest.approx(float(total) * (member.distribution**2).sum())
    drawn = member.sample(30, seed=1, times=20_000).statistic(Pairs)
    for kind in ("both", "gold", "pred", "total"):
        assert np.mean(getattr(drawn, kind)) == pytest.approx(getattr(pairs, kind)[0], rel=0.01)


def test_a_sample_has_n_items_and_the_seed_decides() -> None:
    member = Family(error_1=0.2)
    assert (member.sample(100, seed=3, times=4).n == 100).all()
    assert (member.sample(100, seed=3).tables == member.sample(100, seed=3).tables).all()
    assert member.table(500).n == 500


@pytest.mark.parametrize(
    ("measure", "p12", "p3", "p5"),
    [
        ("q2", 0, 0, 0), ("rand", 12, 120, 28), ("fowlkes_mallows", 0, 103, 0), ("gamma", 0, 120, 0),
        ("jaccard", 0, 80, 0), ("hamming", 2, 120, 0),
    ],
)  # fmt: skip
def test_dom_counts_of_failed_sequences(measure: str, p12: int, p3: int, p5: int) -> None:
    grid = Grid.of(500, **DOM)
    assert len(grid) == 760
    m = karat.parse(measure)
    assert response(grid, m, P1, P2)[2:4] == (p12, 76)
    assert response(grid, m, P3)[2:4] == (p3, 120)
    assert response(grid, m, P4)[2:4] == (0, 190)
    assert response(grid, m, P5)[2:4] == (p5, 240)


def test_what_cannot_be_a_family_is_refused() -> None:
    for options in ({"useful": 0}, {"error_1": 0.7, "error_2": 0.4}, {"error_3": -0.1}, {"spread": "rows"}):
        with pytest.raises(karat.KaratError):
            Family(**options)
    with pytest.raises(karat.MeasureError, match="neither end of class_entropy is better"):
        response(Grid.of(500, useful=range(2, 5)), karat.parse("class_entropy"), P1)


def test_responses_name_the_first_wrong_step() -> None:
    grid = Grid.of(500, useful=[5], noise=range(1, 4), error_2=[0.1])
    found = response(grid, karat.parse("rand"), P3)
    assert (found.right, found.steps, found.rate) == (0, 2, 0.0)
    assert found.example is not None
    assert [member.noise for member in found.example] == [1, 2]
    assert [d.name for d in DESIDERATA] == ["P1", "P2", "P3", "P4", "P5", "P6", "P7"]


def test_all_partitions_are_listed_once() -> None:
    assert [len(partitions(n)) for n in range(1, 8)] == [1, 2, 5, 15, 52, 203, 877]
    assert len(set(partitions(6))) == 203
    assert crossed((0, 0, 1), (0, 1, 1)).tolist() == [[1, 1], [0, 1]]
