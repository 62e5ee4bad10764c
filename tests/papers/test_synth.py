"""Generated documents, spherical k-means, and the simulation made of them."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

import karat
from karat.kernels.moves import move_by_cosines, move_documents
from karat.papers.runs import in_blocks
from karat.papers.studies import kishida2014
from karat.papers.synth import DocumentModel, SphericalKMeans, tf_idf
from karat.papers.synth.documents import BIASED
from karat.papers.synth.skmeans import _Units
from shared import enough


def test_documents_have_the_classes_that_were_asked_for_and_the_seed_decides() -> None:
    model = DocumentModel(sizes=BIASED)
    made, again, other = model.generate(1), model.generate(1), model.generate(2)
    assert np.bincount(made.classes).tolist() == list(BIASED)
    assert made.counts.shape == (100, 200)
    assert made.counts.min() == 0
    assert (made.counts == again.counts).all()
    assert (made.counts != other.counts).any()


def test_general_terms_have_the_distribution_of_their_parameters() -> None:
    """Without error, a frequency is the whole part of a normal number with mean N(3, 3) and deviation 3, or 0."""
    model = DocumentModel(sizes=(2000,), specific=0, general=400, error=(0.0, 0.0))
    counts = model.generate(5).counts
    drawn = np.random.default_rng(9).normal(3, 3, size=(1, 200_000)) + np.random.default_rng(8).normal(0, 3, 200_000)
    assert counts.mean() == pytest.approx(np.floor(np.maximum(drawn, 0)).mean(), rel=0.05)
    assert counts.mean(axis=0).std() > 2  # terms differ


def test_specific_terms_are_frequent_in_their_classes() -> None:
    model = DocumentModel(
        sizes=(300, 300), specific=50, general=0, belongs=0.0, inside_mean=(20.0, 0.0), error=(0.0, 0.0)
    )
    made = model.generate(0)
    means = np.array([made.counts[made.classes == c].mean(axis=0) for c in (0, 1)])
    assert (means.max(axis=0) > 18).all()  # each belongs to one class, if the draw gave none
    assert (means.min(axis=0) < 3).all()


def test_terms_belong_to_a_tenth_of_the_classes() -> None:
    model = DocumentModel(specific=20_000, sizes=(1,) * 10)
    owners = model._owners(np.random.default_rng(0))
    alone = 0.9**10
    assert owners.sum(axis=1).mean() == pytest.approx(1 + alone, rel=0.02)
    assert owners.any(axis=1).all()


def test_the_error_shifts_frequencies() -> None:
    easy, hard = (DocumentModel(error=(error, 1.0)).generate(3).counts.mean() for error in (0.0, 2.0))
    assert 1.2 < hard - easy < 2.2


def test_readings_of_the_text_can_be_chosen() -> None:
    model = DocumentModel(sizes=(200,), specific=0, general=300, error=(0.0, 0.0), negative_means="absolute")
    assert model.generate(0).counts.mean(axis=0).min() > 0.3
    for wrong in ({"sizes": ()}, {"belongs": 2}, {"cut": "never"}):
        with pytest.raises(karat.KaratError):
            DocumentModel(**wrong)  # type: ignore[arg-type]


def test_tf_idf_is_as_the_paper_weights_it() -> None:
    counts = np.array([[2, 0, 1], [1, 1, 0], [3, 0, 0]])
    expected = counts * np.array([0.0, np.log(3), np.log(3)])
    assert np.allclose(tf_idf(counts), expected)
    assert np.allclose(tf_idf(csr_array(counts)).toarray(), expected)
    assert (tf_idf(np.zeros((2, 2))) == 0).all()


def objective(x: np.ndarray, labels: np.ndarray) -> float:  # type: ignore[type-arg]
    units = x / np.linalg.norm(x, axis=1, keepdims=True)
    return float(sum(np.linalg.norm(units[labels == k].sum(axis=0)) for k in set(labels.tolist())))


@settings(max_examples=enough(40), deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 6))
def test_no_single_move_improves_what_was_found(seed: int, k: int) -> None:
    x = np.random.default_rng(seed).random((14, 5)) + 0.01
    model = SphericalKMeans(k).fit(x)
    best = objective(x, model.labels_)
    assert model.objective_ == pytest.approx(best)
    for document in range(14):
        if (model.labels_ == model.labels_[document]).sum() == 1:
            continue
        for cluster in range(k):
            moved = model.labels_.copy()
            moved[document] = cluster
            assert objective(x, moved) <= best + 1e-8


def test_every_pass_of_moves_increases_the_objective() -> None:
    x = tf_idf(DocumentModel(error=(2.0, 1.0)).generate(1).counts)
    found = [SphericalKMeans(10, passes=passes).fit(x) for passes in range(1, 12)]
    done = found[-1].n_iter_
    values = [model.objective_ for model in found[:done]]
    assert all(a <= b + 1e-9 for a, b in pairwise(values))
    assert values[0] < values[-1]


def test_sparse_counts_are_the_dense_ones() -> None:
    model = DocumentModel(sizes=(5, 5))
    assert (model.generate(1, sparse=True).counts.toarray() == model.generate(1).counts).all()


@settings(max_examples=enough(40), deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 6), st.booleans())
def test_the_compiled_moves_are_those_of_the_twin(seed: int, k: int, similar: bool) -> None:
    rng = np.random.default_rng(seed)
    x = rng.random((20, 8)) * (rng.random((20, 8)) < 0.6)
    sparse, dense = _Units.of(x, few=0), _Units.of(x)
    labels = sparse.nearest(np.arange(k))
    for move, data in ((move_documents, sparse[1:5]), (move_by_cosines, dense[5:])):
        compiled = move(*data, labels, k, 50, similar)
        twin = move.twin(*data, labels, k, 50, similar)  # type: ignore[attr-defined]
        assert (compiled[0] == twin[0]).all()
        assert compiled[1:] == twin[1:]


def test_the_objective_is_as_good_as_that_of_euclidean_k_means_on_unit_vectors() -> None:
    from sklearn.cluster import KMeans

    made = DocumentModel().generate(0)
    x = tf_idf(made.counts)
    units = x / np.linalg.norm(x, axis=1, keepdims=True)
    theirs = KMeans(10, n_init=10, random_state=0).fit(units)
    ours = SphericalKMeans(10, start="k-means++", restarts=10).fit(x)
    assert ours.objective_ >= objective(x, theirs.labels_) - 1e-6


def test_sparse_and_dense_documents_are_clustered_alike() -> None:
    x = tf_idf(DocumentModel().generate(4).counts)
    for start in ("first", "random", "k-means++"):
        dense, sparse = (SphericalKMeans(8, start=start, seed=3).fit_predict(data) for data in (x, csr_array(x)))
        assert karat.ari(dense, sparse) == 1


def test_it_follows_the_conventions_of_scikit_learn() -> None:
    from sklearn.base import clone

    model = SphericalKMeans(3, start="random", seed=4)
    assert clone(model).get_params() == model.get_params()
    assert model.set_params(k=2).k == 2
    labels = model.fit_predict(np.random.default_rng(0).random((10, 3)))
    assert set(labels.tolist()) == {0, 1}
    assert (labels == model.labels_).all()


def test_empty_documents_and_wrong_numbers() -> None:
    assert SphericalKMeans(2).fit_predict([[1, 0], [0, 1], [0, 0], [1, 0.2]]).shape == (4,)
    for k, x in ((0, [[1.0]]), (3, [[1.0], [2.0]]), (1, [[np.nan]]), (1, [1.0])):
        with pytest.raises(karat.KaratError):
            SphericalKMeans(k).fit(x)
    with pytest.raises(karat.KaratError, match="is not known"):
        SphericalKMeans(1, start="last").fit([[1.0]])  # type: ignore[arg-type]


def test_a_hundred_thousand_sparse_documents() -> None:
    rng = np.random.default_rng(0)
    gold = rng.integers(0, 20, 100_000)
    terms = np.concatenate(
        [gold[:, None] * 10 + rng.integers(0, 10, (100_000, 6)), rng.integers(200, 500, (100_000, 3))], axis=1
    )
    starts = np.arange(0, 900_001, 9)
    x = csr_array((np.ones(900_000), terms.ravel(), starts), shape=(100_000, 500))
    labels = SphericalKMeans(20, start="k-means++", passes=5).fit_predict(x)
    assert karat.purity(gold, labels) > 0.6


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(kishida2014, "CLUSTERS", (5, 10, 40))
    return tmp_path


def test_an_interrupted_study_resumes_to_the_same_result(cache: Path) -> None:
    whole = kishida2014.Simulation(6, "text", 1)
    kept = sorted((cache / "karat").rglob("*.npy"))
    assert len(kept) == 2 * 5 * 3
    for path in kept[::2]:
        path.unlink()
    kept[1].write_bytes(b"broken")
    again = kishida2014.Simulation(6, "text", 2)
    assert all((whole.values[s] == again.values[s]).all() for s in whole.values)


def test_a_block_that_fails_loses_only_itself(tmp_path: Path) -> None:
    def work(number: int) -> np.ndarray:  # type: ignore[type-arg]
        if number == 2:
            raise KeyboardInterrupt
        return np.array([number])

    with pytest.raises(KeyboardInterrupt):
        in_blocks(work, [("a", 1), ("b", 2)], str(tmp_path), 1)
    assert [path.name for path in tmp_path.iterdir()] == ["a.npy"]


def test_the_paper_is_reproduced_with_what_is_not_reached_said(cache: Path) -> None:
    found = karat.reproduce("kishida2014", iterations=20, processes=1)
    claims = {claim.claim: claim for claim in found if claim.printed == "stated"}
    assert claims["V-measure equals NMI-sum"].verdict == "reached"
    assert all(claim.note for claim in found if claim.verdict == "not reached")
    assert sum(claim.place == "Table 1" and claim.printed != "stated" for claim in found) == 75
    purity = next(claim for claim in found if claim.claim.startswith("pur, error 0.0"))
    assert float(purity.computed) == pytest.approx(0.92, abs=0.05)
    written = found.write(str(cache / "out"))
    assert len(written) == 2 + 2 * 6


def test_options_of_a_simulation_are_checked() -> None:
    for options in ({"iterations": 1}, {"variant": "other"}):
        with pytest.raises(karat.KaratError):
            karat.reproduce("kishida2014", **options)  # type: ignore[arg-type]
    with pytest.raises(karat.KaratError, match="dom2001 has no option 'iterations'; it is no simulation"):
        karat.reproduce("dom2001", iterations=5)
