"""Every change that an explanation promises a score for is carried out, and scored like any other table."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import karat
from karat.explanations import explain, updates
from shared import enough
from strategies import fits_real_tables, matrices

JUDGES = [measure for measure in karat.list_measures() if measure.better is not None]
LARGE = st.one_of(st.just(0), st.integers(1, 2**57), st.integers(0, 17).map(lambda power: 10**power))
SMALL = st.integers(0, 9)
WEIGHTS = st.one_of(st.just(0.0), st.floats(1, 1e14), st.floats(1, 30))
CELLS = st.sampled_from([LARGE, SMALL, WEIGHTS]).flatmap(lambda cells: matrices(cells))
TABLES = CELLS.map(lambda matrix: karat.Table.from_matrix(matrix.tolist()))


def promises(table: karat.Table, found: Any) -> Iterator[tuple[float, karat.Table]]:
    """Each promised score, and the table after the change."""
    cells = table.top_cells()

    def after(move: Any) -> karat.Table:
        gold, pred, counts = zip(*((c, move(c, k), count) for c, k, count in cells), strict=True)
        return karat.Table.from_cells(gold, pred, counts)

    for label, value in zip(found.classes.names, found.classes.repaired.tolist(), strict=True):
        yield value, after(lambda c, k, label=label: "new" if c == label else str(k))
    for cluster, value in zip(found.clusters.names, found.clusters.repaired.tolist(), strict=True):
        yield value, after(lambda c, k, cluster=cluster: f"new {c}" if k == cluster else str(k))
    for merge in found.merges:
        yield merge.value, after(lambda c, k, pair=(merge.left, merge.right): "new" if k in pair else str(k))
    for split in found.splits:
        yield split.value, after(lambda c, k, cell=(split.label, split.cluster): "new" if (c, k) == cell else str(k))


@settings(max_examples=enough(80), deadline=None)
@given(TABLES, st.sampled_from(range(4)))
def test_promised_scores_are_those_of_the_changed_table(table: karat.Table, part: int) -> None:
    for measure in JUDGES[part::4]:
        if (table.integral or fits_real_tables(measure)) and measure.name != "one_to_one_greedy":  # ties by label order
            for value, changed in promises(table, explain(table, measure=measure, top=100)):
                assert value == measure(changed) or np.isnan(value), str(measure)


def exact_ari(table: karat.Table) -> Fraction:
    """The adjusted Rand index in fractions."""

    def pairs(sizes: Any) -> int:
        return sum(int(size) * (int(size) - 1) // 2 for size in sizes)

    both, gold, pred = pairs(table.counts), pairs(table.class_sizes), pairs(table.cluster_sizes)
    expected = Fraction(gold * pred, pairs([table.n]))
    return (both - expected) / (Fraction(gold + pred, 2) - expected) if gold + pred != 2 * expected else Fraction(1)


@pytest.mark.parametrize(
    "matrix", [[[1, 10**10]], [[1], [10**10]], [[10**11, 7], [5, 10**11]], [[3, 2**60, 1], [2**55, 9, 2**60]]]
)
def test_promised_ari_of_huge_counts_is_right_to_the_last_digit(matrix: Any) -> None:
    table = karat.Table.from_matrix(matrix)
    found = [(value, float(exact_ari(changed))) for value, changed in promises(table, explain(table, measure="ari"))]
    assert found
    for value, right in found:
        assert value == pytest.approx(right, rel=1e-15, abs=1e-15)


@pytest.mark.parametrize("scale", [1, 10**9, 1.37])
@pytest.mark.parametrize("name", ["ari", "v_measure", "mirkin", "bcubed_f", "purity_f", "q2", "one_to_one"])
def test_in_a_large_table_what_is_listed_is_carried_out(
    name: str, scale: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(updates, "WORK", 0)  # as if there were too many cells to count all changes again
    matrix = np.random.default_rng(1).integers(0, 9, (8, 9)) * scale + np.eye(8, 9, dtype=int) * 40
    table, measure = karat.Table.from_matrix(matrix), karat.parse(name)
    found = explain(table, measure=measure, top=4)
    scores = [(value, float(measure(changed))) for value, changed in promises(table, found)]
    lines = len(table.classes) + len(table.clusters)
    assert len(scores) > lines
    assert all(value == right for value, right in scores[lines:])
    assert all(value == pytest.approx(right, rel=1e-9) or np.isnan(value) for value, right in scores[:lines])


def test_a_move_that_only_rounding_favours_is_not_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(updates, "WORK", 0)
    monkeypatch.setattr(updates, "_in_closed_form", lambda measure, moves: np.full(moves.clusters.size, 0.99))
    table = karat.Table.from_matrix(np.random.default_rng(2).integers(1, 9, (6, 6)))
    found = explain(table, measure="ari", top=2)
    assert found.merges or found.splits
    for value, changed in list(promises(table, found))[12:]:
        assert value == karat.ari(changed)


def test_numbers_of_items_and_pairs_are_exact_however_large() -> None:
    table = karat.Table.from_matrix([[2**60 + 1, 3], [2**55 + 1, 2**60 + 3]])
    found = explain(table, measure="ari")
    assert found.clusters.sizes.tolist() == [2**60 + 2**55 + 2, 2**60 + 6]
    assert found.clusters.pairs.tolist() == [(2**60 + 1) * (2**55 + 1), 3 * (2**60 + 3)]
    assert found.totals["pairs_mixed"] == (2**60 + 1) * (2**55 + 1) + 3 * (2**60 + 3)
    assert found.splits[0].items == 2**55 + 1
    assert found.splits[0].of == 2**60 + 2**55 + 2
    assert 2 * (found.totals["pairs_mixed"] + found.totals["pairs_split"]) == pytest.approx(karat.mirkin(table))
