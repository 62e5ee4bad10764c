"""k-means: against brute force and scikit-learn."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.cluster import KMeans as Peer

import karat
from karat.papers.synth import KMeans
from shared import enough


def spread(rows: np.ndarray, labels: np.ndarray, weights: np.ndarray | None = None) -> float:
    """Sum of squared distances to the means, item by item."""
    weights = np.ones(len(rows)) if weights is None else weights
    total = 0.0
    for label in set(labels.tolist()):
        part, share = rows[labels == label], weights[labels == label]
        centre = (share[:, None] * part).sum(axis=0) / share.sum()
        total += float((share * ((part - centre) ** 2).sum(axis=1)).sum())
    return total


def test_from_the_same_centres_it_finds_what_scikit_learn_finds() -> None:
    rows = np.random.default_rng(0).normal(size=(300, 5))
    start = rows[:12]
    theirs = Peer(12, init=start, n_init=1, tol=0).fit(rows)
    for x in (rows, csr_array(rows)):
        found = KMeans(12, start=start).fit(x)
        assert karat.ari(theirs.labels_, found.labels_) == 1
        assert found.inertia_ == pytest.approx(theirs.inertia_)


def test_weights_count_as_copies() -> None:
    rng = np.random.default_rng(1)
    rows, weights = rng.normal(size=(60, 3)), rng.integers(1, 5, 60)
    copied = KMeans(6, start=rows[:6]).fit(np.repeat(rows, weights, axis=0))
    weighted = KMeans(6, start=rows[:6]).fit(rows, sample_weight=weights)
    assert karat.ari(np.repeat(weighted.labels_, weights), copied.labels_) == 1
    assert weighted.inertia_ == pytest.approx(copied.inertia_)


@settings(deadline=None, max_examples=enough(60))
@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=2, max_size=5), st.data())
def test_no_item_is_nearer_to_another_centre_and_seeds_repeat(
    points: list[tuple[int, int]], data: st.DataObject
) -> None:
    rows = np.array(points, float)
    k = data.draw(st.integers(1, len(rows)))
    found = KMeans(k, seed=3).fit(rows)
    assert found.labels_.tolist() == KMeans(k, seed=3).fit_predict(rows).tolist()
    sparse = KMeans(k, seed=3).fit(csr_array(rows))  # an item midway between two centres may go to the other
    assert sparse.inertia_ == pytest.approx(spread(rows, sparse.labels_), abs=1e-9)
    assert len(set(found.labels_.tolist())) == min(k, len(set(points)))
    assert list(dict.fromkeys(found.labels_.tolist())) == sorted(set(found.labels_.tolist()))
    assert found.inertia_ == pytest.approx(spread(rows, found.labels_), abs=1e-9)
    best = min(spread(rows, np.array(labels)) for labels in product(range(k), repeat=len(rows)))
    assert found.inertia_ >= best - 1e-9
    centres = {label: rows[found.labels_ == label].mean(axis=0) for label in set(found.labels_.tolist())}
    for row, label in zip(rows, found.labels_.tolist(), strict=True):
        own = ((row - centres[label]) ** 2).sum()
        assert all(own <= ((row - centre) ** 2).sum() + 1e-9 for centre in centres.values())


def test_its_starts_are_as_good_as_scikit_learns() -> None:
    rng = np.random.default_rng(2)
    rows = np.concatenate([rng.normal(centre, 0.1, (20, 2)) for centre in rng.uniform(0, 100, (30, 2))])
    ours = np.mean([KMeans(30, seed=seed).fit(rows).inertia_ for seed in range(20)])
    theirs = np.mean([Peer(30, n_init=1, random_state=seed).fit(rows).inertia_ for seed in range(20)])
    assert ours < 1.5 * theirs


@pytest.mark.parametrize("offset", [0.0, 1.0, 1e6, 1e8])
@pytest.mark.parametrize("k", [6, 8, 12])
def test_rows_that_repeat_make_no_more_clusters_than_differ(offset: float, k: int) -> None:
    rng = np.random.default_rng(5)
    rows = rng.normal(size=(6, 3))[rng.permutation(np.repeat(np.arange(6), 10))] + offset
    found = KMeans(k).fit(rows)
    assert len(set(found.labels_.tolist())) == 6
    assert found.inertia_ == 0
    assert found.n_iter_ < 10


def test_clusters_left_empty_take_the_farthest_items() -> None:
    rows = np.array([[0.0], [1.0], [2.0], [50.0]])
    found = KMeans(3, start=[[1.0], [900.0], [-900.0]]).fit(rows)
    assert len(set(found.labels_.tolist())) == 3
    assert found.inertia_ == pytest.approx(0.5)  # two of the three near ones together


def test_starts_are_drawn_by_weight() -> None:
    rows = np.array([[0.0], [1.0], [2.0], [3.0]])
    weights = [1.0, 1e9, 1e9, 1.0]
    for seed in range(10):
        labels = KMeans(2, seed=seed).fit_predict(rows, sample_weight=weights)
        assert labels[1] != labels[2]


def test_it_is_cloned_as_scikit_learn_clones() -> None:
    assert clone(KMeans(3, seed=4)).get_params() == {"k": 3, "start": "k-means++", "seed": 4, "passes": 300}


def test_rows_are_taken_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.random.default_rng(4).normal(size=(50, 3))
    whole = KMeans(5).fit_predict(rows)
    monkeypatch.setattr("karat.papers.synth.kmeans.AT_ONCE", 7)
    assert KMeans(5).fit_predict(rows).tolist() == whole.tolist()


@pytest.mark.parametrize(
    ("k", "options", "x", "weights"),
    [
        (0, {}, [[1.0]], None), (3, {}, [[1.0], [2.0]], None), (1, {"start": "first"}, [[1.0]], None),
        (1, {"start": [[1.0, 2.0]]}, [[1.0]], None), (1, {}, [[np.nan]], None), (1, {}, [1.0], None),
        (1, {}, [[1.0]], [0.0]), (1, {}, [[1.0]], [1.0, 1.0]),
    ],
)  # fmt: skip
def test_what_cannot_be_clustered_is_refused(k: int, options: dict, x: list, weights: list | None) -> None:
    with pytest.raises(karat.KaratError):
        KMeans(k, **options).fit(x, sample_weight=weights)
