"""The drop-in names: scikit-learn's own tests, run against them, and its numbers on random labels."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest
import sklearn.metrics
import sklearn.metrics.cluster as theirs
from sklearn.metrics.cluster.tests import test_common, test_supervised

from karat import sklearn as ours

# Tests of things that are not offered: scikit-learn's private helpers, its deprecation of entropy(), and its array API.
NOT_OURS = {
    "test_generalized_average",
    "test_check_clustering_error",
    "test_public_entropy_deprecation",
    "test_entropy_array_api",
}


def rebuild(module: Any) -> dict[str, Any]:
    """The tests of a module of scikit-learn's, run again with karat's functions wherever it imports theirs."""
    source = inspect.getsource(module)
    names = [name for name in ours.__all__ if name != "entropy"]
    swap = "\n".join(f"from karat.sklearn import {name}" for name in names)
    marker = (
        source.index("score_funcs = [") if "score_funcs = [" in source else source.index("# Dictionaries of metrics")
    )
    space: dict[str, Any] = {"__name__": module.__name__, "__file__": module.__file__}
    code = f"{source[:marker]}\n{swap}\nfrom karat.sklearn import entropy as _entropy\n{source[marker:]}"
    exec(compile(code, module.__file__, "exec"), space)
    return {name: value for name, value in space.items() if name.startswith("test_") and name not in NOT_OURS}


for _name, _test in rebuild(test_supervised).items():
    globals()[f"{_name}_of_scikit_learn"] = _test
for _name, _test in rebuild(test_common).items():
    if "unsupervised" not in _name and "array_api" not in _name:
        globals()[f"{_name}_of_scikit_learns_common_tests"] = _test


def test_the_tests_really_ran_on_our_functions() -> None:
    assert test_perfect_matches_of_scikit_learn.__globals__["rand_score"] is ours.rand_score  # type: ignore[name-defined] # noqa: F821


SCORES = [name for name in ours.__all__ if name.endswith("_score") or name.startswith("homogeneity_completeness")]


@pytest.mark.parametrize("name", SCORES)
def test_numbers_are_scikit_learns(name: str) -> None:
    rng = np.random.default_rng(11)
    for _ in range(60):
        n = int(rng.integers(2, 200))
        gold, pred = rng.integers(0, 6, n), rng.integers(0, 9, n)
        if rng.random() < 0.3:
            gold, pred = np.array([f"class {g}" for g in gold]), pred.tolist()
        assert getattr(ours, name)(gold, pred) == pytest.approx(getattr(theirs, name)(gold, pred), abs=1e-9)


@pytest.mark.parametrize("method", ["min", "geometric", "arithmetic", "max"])
def test_every_average_method_is_scikit_learns(method: Any) -> None:
    rng = np.random.default_rng(12)
    gold, pred = rng.integers(0, 5, 300), rng.integers(0, 4, 300)
    for name in ("normalized_mutual_info_score", "adjusted_mutual_info_score"):
        right = getattr(theirs, name)(gold, pred, average_method=method)
        assert getattr(ours, name)(gold, pred, average_method=method) == pytest.approx(right, abs=1e-12)
    with pytest.raises(ValueError, match="average_method='median' is not known"):
        ours.normalized_mutual_info_score(gold, pred, average_method="median")  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ours.__all__)
def test_arguments_are_scikit_learns(name: str) -> None:
    mine, other = (
        inspect.signature(getattr(module, name, None) or sklearn.metrics.cluster._supervised.entropy).parameters
        for module in (ours, theirs)
    )
    assert [(p.name, p.kind) for p in mine.values()] == [(p.name, p.kind) for p in other.values()]


def test_matrices_are_scikit_learns() -> None:
    rng = np.random.default_rng(13)
    gold, pred = rng.integers(0, 5, 200), rng.integers(3, 9, 200)
    assert ours.contingency_matrix(gold, pred).tolist() == theirs.contingency_matrix(gold, pred).tolist()
    assert ours.contingency_matrix(gold, pred, dtype=np.float32).dtype == np.float32
    assert ours.pair_confusion_matrix(gold, pred).tolist() == theirs.pair_confusion_matrix(gold, pred).tolist()
    table = ours.contingency_matrix(gold, pred, sparse=True)
    assert ours.expected_mutual_information(table, 200) == pytest.approx(theirs.expected_mutual_information(table, 200))
    with pytest.raises(ValueError, match="n_samples is 100 but the table holds 200 items"):
        ours.expected_mutual_information(table, 100)


def test_differences_are_the_documented_ones() -> None:
    apart = list(range(5))
    assert (ours.fowlkes_mallows_score(apart, apart), theirs.fowlkes_mallows_score(apart, apart)) == (1, 0)
    assert ours.fowlkes_mallows_score([], []) == 0 == ours.mutual_info_score([], [])
    assert ours.homogeneity_completeness_v_measure([], []) == (1, 1, 1)
    assert ours.pair_confusion_matrix([], []).tolist() == [[0, 0], [0, 0]]
    assert ours.contingency_matrix([], []).shape == (0, 0)


def test_mistakes_are_told_in_scikit_learns_words() -> None:
    with pytest.raises(ValueError, match=r"labels_true must be 1D: shape is \(2, 2\)"):
        ours.rand_score(np.zeros((2, 2)), [0, 1])
    with pytest.raises(ValueError, match="labels_true is 5; give a list or an array of labels"):
        ours.rand_score(5, [0, 1])
    with pytest.warns(UserWarning, match="expects discrete values but received continuous values for labels_pred"):
        ours.rand_score([0, 1], np.array([0.25, 0.5]))
