"""What the declarations promise, and the attempt to prove each promise wrong. One example serves every measure."""

from __future__ import annotations

import math
import pickle
import random
from collections.abc import Iterator
from itertools import groupby
from typing import Any, Literal, get_args, get_origin, get_type_hints

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import karat
from karat.measures.pair_counts import Pairs
from karat.measures.panel import PANEL
from karat.meta.audit import judge
from karat.meta.properties import find_property
from shared import enough
from strategies import coarse_tables, fits_real_tables, labelings, real_tables, tables

MEASURES = karat.list_measures()


def variants(measure: karat.Measure) -> Iterator[karat.Measure]:
    """A measure, and with each of its parameters changed: every choice, or a few numbers."""
    yield measure
    hints = get_type_hints(measure.formula)
    for name, default in measure.defaults.items():
        kinds = get_args(hints[name]) or (hints[name],)
        values = kinds if get_origin(hints[name]) is Literal else (0, 0.5, 3) if float in kinds else (40,)
        yield from (measure(**{name: value}) for value in values if value != default)


VARIANTS = [variant for measure in MEASURES for variant in variants(measure)]
TOLERANCE = 1e-12


def close(x: float, y: float) -> bool:
    return abs(x - y) <= TOLERANCE * max(1, abs(x), abs(y))


def fitting(table: karat.Table) -> list[karat.Measure]:
    return [m for m in VARIANTS if table.integral or fits_real_tables(m)]


@given(st.one_of(tables, real_tables))
def test_values_stay_within_their_bounds(table: karat.Table) -> None:
    for measure in fitting(table):
        low, high = measure.bounds
        value = measure(table)
        assert low <= value <= high, f"{measure} = {value!r}"


@given(tables)
def test_vi_and_mutual_information_are_at_most_what_theory_says(table: karat.Table) -> None:
    assert karat.vi(table) <= math.log(table.n) + TOLERANCE
    assert karat.mutual_information(table) <= min(karat.class_entropy(table), karat.cluster_entropy(table))


@given(labelings())
def test_gold_itself_scores_the_perfect_value_and_nothing_scores_better(pair: tuple[list[int], list[int]]) -> None:
    gold, pred = pair
    perfect = karat.Table.from_labels(gold, [f"cluster {g}" for g in gold])
    other = karat.Table.from_labels(gold, pred)
    for measure in VARIANTS:
        if measure.perfect is not None:
            assert close(measure(perfect), measure.perfect), str(measure)
        if measure.better is not None and measure.perfect is not None:
            sign = 1 if measure.better == "higher" else -1
            assert sign * (measure(perfect) - measure(other)) >= -TOLERANCE, str(measure)


@given(st.one_of(tables, real_tables))
def test_swapping_gold_and_pred_gives_the_declared_measure(table: karat.Table) -> None:
    for measure in fitting(table):
        if measure.swapped is not None:
            assert close(measure(table), measure.swapped(table.T)), str(measure)


@pytest.mark.parametrize("measure", [m for m in VARIANTS if m.swapped is None], ids=str)
def test_a_measure_without_a_declared_swap_is_not_symmetric(measure: karat.Measure) -> None:
    probes = [karat.Table.from_matrix(m) for m in ([[5, 1, 2], [1, 4, 0]], [[7, 1, 2, 3], [1, 9, 0, 1]])]
    assert any(not close(measure(t), measure(t.T)) for t in probes)


@given(labelings(), st.randoms(use_true_random=False))
def test_neither_the_order_of_items_nor_the_names_of_labels_matter(pair: Any, rng: random.Random) -> None:
    gold, pred = pair
    items = list(range(len(gold)))
    rng.shuffle(items)
    names = list("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
    rng.shuffle(names)
    reordered = karat.Table.from_labels([gold[i] for i in items], [pred[i] for i in items])
    renamed = karat.Table.from_labels([names[g] for g in gold], [names[p] for p in pred])
    table = karat.Table.from_labels(gold, pred)
    for measure in VARIANTS:
        assert measure(reordered) == measure(table), str(measure)  # to the last digit
        if "relabelling" not in measure.breaks:
            assert measure(renamed) == measure(table), str(measure)


def test_greedy_matching_does_depend_on_the_names() -> None:
    assert "relabelling" in karat.one_to_one_greedy.breaks
    table, renamed = karat.Table.from_matrix([[2, 2], [2, 0]]), karat.Table.from_matrix([[2, 2], [0, 2]])
    assert karat.one_to_one_greedy(table) == 1 / 3
    assert karat.one_to_one_greedy(renamed) == 2 / 3


@given(labelings(), st.integers(1, 4))
def test_tables_of_batches_add_up_to_the_table_of_all(pair: Any, size: int) -> None:
    gold, pred = pair
    batches = [(gold[i : i + size], pred[i : i + size]) for i in range(0, len(gold), size)]
    whole, merged = karat.Table.from_labels(gold, pred), karat.Table.from_batches(batches)
    assert merged == whole
    for measure in VARIANTS:
        assert measure(merged) == measure(whole), str(measure)


@settings(max_examples=enough(60))
@given(st.lists(st.one_of(tables.filter(lambda t: t.n < 10**7), coarse_tables), min_size=1, max_size=4))
def test_a_stack_gives_what_a_loop_gives(several: list[karat.Table]) -> None:
    stack = karat.Stack.of(several)
    for measure in VARIANTS:
        if stack.integral or fits_real_tables(measure):
            values = measure(stack)
            assert isinstance(values, np.ndarray)
            assert values.shape == (len(several),)
            for value, table in zip(values.tolist(), several, strict=True):
                # sums of squares of real cells are rounded in a stack: relative to n^2, not to the pairs left over
                slack = 1e-9 if not stack.integral else TOLERANCE * 100
                assert abs(value - measure(table)) <= slack * max(1, abs(value)), str(measure)


@pytest.mark.parametrize("measure", VARIANTS, ids=str)
def test_a_score_is_a_plain_float(measure: karat.Measure) -> None:
    assert type(measure([0, 0, 1], [0, 1, 1])) is float
    assert type(measure(karat.Table.from_matrix([[2, 1], [0, 3]]))) is float


@pytest.mark.parametrize("measure", VARIANTS, ids=str)
def test_text_and_pickle_bring_a_measure_back(measure: karat.Measure) -> None:
    assert karat.parse(str(measure)) == measure == karat.parse(measure.full_text)
    assert pickle.loads(pickle.dumps(measure)) == measure
    assert hash(karat.parse(str(measure))) == hash(measure)


@pytest.mark.parametrize("measure", MEASURES, ids=str)
def test_a_declaration_is_complete(measure: karat.Measure) -> None:
    assert measure.title
    assert 0 < len(measure.summary) < 99, "the first line of the docstring says what the number means"
    assert measure.name == measure.formula.__name__
    assert measure.family
    assert measure.family != "own"
    assert measure.reference != measure.paper, "its paper has an entry in references.bib, or in the declaration"
    assert getattr(karat, measure.name) is measure


@pytest.mark.parametrize("constraint", ["homogeneity", "completeness", "rag_bag", "size_quantity"])
def test_declared_breaks_are_right_in_both_directions(constraint: str) -> None:
    for measure in MEASURES:
        if measure.better is not None:
            verdict = judge(measure, find_property(constraint), tries=200)
            assert verdict.holds == (constraint not in measure.breaks), str(measure)


@pytest.mark.parametrize("measure", [m for m in VARIANTS if m.chance is not None], ids=str)
def test_shuffled_labels_average_the_declared_chance_value(measure: karat.Measure) -> None:
    rng = np.random.default_rng(5)
    gold, pred = np.repeat([0, 1, 2], [8, 5, 4]), np.repeat([0, 1, 2, 3], [6, 6, 4, 1])
    values = [measure(gold, rng.permutation(pred)) for _ in range(1000)]
    assert abs(np.mean(values) - measure.chance) < 4 * np.std(values) / math.sqrt(len(values))


def test_the_panel_is_a_list_apart() -> None:
    assert [m.name for m in MEASURES if m.panel] == list(PANEL)

    @karat.measure(title="Another", better="higher", family="another")
    def another(pairs: Pairs) -> float:
        """Nothing."""
        return 0.0

    assert another in karat.list_measures()
    assert list(karat.score([0, 1], [0, 1])) == list(PANEL)


def test_families_are_listed_together() -> None:
    @karat.measure(title="Another", better="higher", family="information")
    def another(pairs: Pairs) -> float:
        """Nothing."""
        return 0.0

    families = [m.family for m in karat.list_measures()]
    assert [family for family, _ in groupby(families)] == list(dict.fromkeys(families))


@given(st.lists(st.integers(1, 10**11), min_size=1, max_size=6))
def test_perfect_clusterings_of_any_size_get_exactly_their_value(sizes: list[int]) -> None:
    table = karat.Table.from_matrix(np.diag(sizes))
    for measure in MEASURES:
        if measure.perfect is not None and measure.bounds == (0, 1) and table.n > 1:
            assert measure(table) == measure.perfect, str(measure)
