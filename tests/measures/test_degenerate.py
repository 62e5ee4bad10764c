"""One rule for 0/0: the best value if the two partitions are the same, else 0; never NaN, never an exception."""

from __future__ import annotations

import math

import numpy as np
import pytest

import karat
from karat.measures.information import LogSize
from karat.measures.pairs import Pairs
from strategies import fits_real_tables

LOG2, LOG3, LOG6 = math.log(2), math.log(3), math.log(6)

SITUATIONS = {
    "one class, one cluster": ([0] * 6, [0] * 6),
    "one class, many clusters": ([0] * 6, [0, 0, 1, 1, 2, 2]),
    "many classes, one cluster": ([0, 0, 1, 1, 2, 2], [0] * 6),
    "many classes, all apart": ([0, 0, 1, 1, 2, 2], [0, 1, 2, 3, 4, 5]),
    "both apart": ([0, 1, 2, 3, 4, 5], [5, 4, 3, 2, 1, 0]),
}

# three pairs among six items: 3 of 15; H of three equal classes: log 3
HALF = LOG3 / LOG6
VALUES = {
    "homogeneity": (1, 1, 0, 1, 1),
    "completeness": (1, 0, 1, HALF, 1),
    "v_measure": (1, 0, 0, 2 * LOG3 / (LOG3 + LOG6), 1),
    "nmi(norm=min)": (1, 0, 0, 1, 1),
    "nmi(norm=sqrt)": (1, 0, 0, LOG3 / math.sqrt(LOG3 * LOG6), 1),
    "nmi": (1, 0, 0, 2 * LOG3 / (LOG3 + LOG6), 1),
    "nmi(norm=max)": (1, 0, 0, HALF, 1),
    "nmi(norm=joint)": (1, 0, 0, HALF, 1),
    "ami": (1, 0, 0, 0, 1),
    "ami(norm=min)": (1, 0, 0, 0, 1),
    "ami(norm=sqrt)": (1, 0, 0, 0, 1),
    "ami(norm=max)": (1, 0, 0, 0, 1),
    "vi": (0, LOG3, LOG3, LOG6 - LOG3, 0),
    "nvi": (0, LOG3, 1, LOG2 / LOG3, 0),
    "nvik": (0, 1, LOG3, LOG2 / LOG6, 0),
    "vi_log_n": (0, LOG3 / LOG6, LOG3 / LOG6, LOG2 / LOG6, 0),
    "vi_log_k": (0, 0.5, 0.5, LOG2 / (2 * LOG6), 0),
    "entropy": (0, 0, 1, 0, 0),
    "q0": (0, 0, math.log2(3) + math.log2(28) / 6, math.log2(3), math.log2(6)),
    "q2": (1, 1, math.log2(6) / 2 / (math.log2(3) + math.log2(28) / 6), math.log2(6) / 2 / math.log2(3), 1),
    "rand": (1, 3 / 15, 3 / 15, 1 - 3 / 15, 1),
    "ari": (1, 0, 0, 0, 1),
    "gamma": (1, 0, 0, 0, 1),
    "jaccard": (1, 3 / 15, 3 / 15, 0, 1),
    "fowlkes_mallows": (1, math.sqrt(3 / 15), math.sqrt(3 / 15), 0, 1),
    "pair_precision": (1, 1, 3 / 15, 0, 1),
    "pair_recall": (1, 3 / 15, 1, 0, 1),
    "pair_f": (1, 2 * 3 / 18, 2 * 3 / 18, 0, 1),
    "pair_f(beta=0)": (1, 1, 3 / 15, 0, 1),
    "bcubed_f(beta=0)": (1, 1, 1 / 3, 1, 1),
    "purity": (1, 1, 2 / 6, 1, 1),
    "inverse_purity": (1, 2 / 6, 1, 3 / 6, 1),
    "van_dongen_normalised": (0, 4 / 4, 4 / 4, 3 / 9, 0),
}


@pytest.mark.parametrize("measure", VALUES)
@pytest.mark.parametrize("situation", SITUATIONS)
def test_degenerate_values(measure: str, situation: str) -> None:
    expected = VALUES[measure][list(SITUATIONS).index(situation)]
    assert karat.parse(measure)(*SITUATIONS[situation]) == pytest.approx(expected, abs=1e-14)


@pytest.mark.parametrize("measure", VALUES)
@pytest.mark.parametrize("situation", SITUATIONS)
def test_degenerate_values_in_a_stack(measure: str, situation: str) -> None:
    expected = VALUES[measure][list(SITUATIONS).index(situation)]
    stack = karat.Stack.of([karat.Table.from_labels(*pair) for pair in SITUATIONS.values()])
    values = karat.parse(measure)(stack)
    assert values[list(SITUATIONS).index(situation)] == pytest.approx(expected, abs=1e-14)


@pytest.mark.parametrize("measure", [m for m in karat.list_measures() if m.perfect is not None], ids=str)
def test_one_item_is_one_class_and_one_cluster(measure: karat.Measure) -> None:
    assert measure(["only"], [7]) == measure.perfect


@pytest.mark.parametrize("measure", karat.list_measures(), ids=str)
@pytest.mark.parametrize("situation", SITUATIONS)
@pytest.mark.parametrize("scale", [1, 10**6, 0.75, 1e6 / 3])
def test_no_measure_is_ever_nan(measure: karat.Measure, situation: str, scale: float) -> None:
    table = karat.Table.from_cells(*SITUATIONS[situation], [scale] * 6)
    if not table.integral and not fits_real_tables(measure):
        return
    if scale == 0.75 and {Pairs, LogSize} & set(measure.statistics):
        return  # six lone items of weight .75 hold no pairs and no log n: an error, tested elsewhere
    assert math.isfinite(measure(table))


@pytest.mark.parametrize("measure", [m for m in karat.list_measures() if fits_real_tables(m)], ids=str)
def test_thirds_do_not_spoil_a_stack(measure: karat.Measure) -> None:
    third = np.array([[[1 / 3, 1 / 3, 1 / 3]], [[0.1, 0.2, 0.7]]]) * 60
    for table in (third, third.swapaxes(1, 2)):
        loop = [float(measure(t)) for t in karat.Stack(table)]
        assert measure(karat.Stack(table)) == pytest.approx(loop, abs=1e-12)
