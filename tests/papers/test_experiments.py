"""The papers' experiments on corpora: whole, on small corpora made here; those of the papers by -m download."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

import karat
from karat.cli import main
from karat.papers import sweeps
from karat.papers.corpora.features import Numbers
from karat.papers.studies import reichart2009_labels as constituents
from karat.papers.studies import rosenberg2007_accents as accents
from karat.papers.sweeps import Curve, falls_faster, grows, numbers_of_clusters, sweep, together


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "karat"


@pytest.fixture
def corpus(tmp_path: Path) -> str:
    """Sixty documents of three classes, each with words of its own among common ones."""
    rng = np.random.default_rng(0)
    words = {"tea": ["leaf", "pot", "kettle"], "sea": ["wave", "salt", "ship"], "law": ["court", "judge", "paper"]}
    place = tmp_path / "corpus.csv"
    with place.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["class", "text"])
        for number in range(60):
            name = ("tea", "sea", "law")[number % 3]
            drawn = [*rng.choice(words[name], 4), *rng.choice(["house", "road", "day"], 2)]
            writer.writerow([name, " ".join(drawn)])
    return str(place)


def test_numbers_of_clusters_end_at_the_items_or_at_a_thousand() -> None:
    assert numbers_of_clusters(7) == (1, 2, 3, 4, 5, 6, 7)
    assert numbers_of_clusters(5000)[-1] == 1000
    assert {1, 10, 35, 100, 1000} <= set(numbers_of_clusters(2000))


def test_a_sweep_scores_each_clustering_and_is_kept(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    gold = np.repeat(["a", "b", "c"], 10)
    rows = np.repeat([[0.0, 0], [9, 0], [0, 9]], 10, axis=0) + rng.normal(0, 0.1, (30, 2))
    curve = sweep("test", rows, gold, starts=2, processes=1)
    assert curve.peak("v_measure") == 3
    assert curve.mean("v_measure")[2] == 1
    assert curve.mean("homogeneity")[-1] == 1
    assert curve.at("vi", 1) == pytest.approx(np.log(3))
    monkeypatch.setattr(sweeps, "clustered", None)  # nothing is left to do
    again = sweep("test", rows, gold, starts=2, processes=1)
    assert all(np.array_equal(again.values[name], curve.values[name]) for name in curve.values)
    monkeypatch.undo()
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache.parent))
    (damaged,) = cache.glob("sweeps/*/3.npy")
    np.save(damaged, np.full((2, 5), np.nan))
    assert sweep("test", rows, gold, starts=2, processes=1).at("v_measure", 3) == 1


def curve(**values: list[float]) -> Curve:
    ks = (1, 10, 30, 100)
    found = {name: np.array([values.get(name, [0.0, 0.1, 0.2, 0.3])]) for name in sweeps.MEASURES}
    return Curve(ks, found)


def test_statements_are_judged_by_what_is_computed() -> None:
    assert together("1", curve(v_measure=[0, 1, 0, 0], q2=[0, 1, 0, 0]), "x").verdict == "reached"
    assert together("1", curve(v_measure=[0, 1, 0, 0], q2=[0, 0, 0, 1]), "x").verdict == "not reached"
    assert falls_faster("1", curve(v_measure=[0, 1, 0, 0.9], q2=[0, 1, 0, 0.2]), "x").verdict == "reached"
    assert falls_faster("1", curve(v_measure=[0, 1, 0, 0.1], q2=[0, 1, 0, 0.2]), "x").verdict == "not reached"
    assert grows("1", curve(vi=[1, 2, 3, 4]), "x").verdict == "reached"
    assert grows("1", curve(vi=[4, 3, 2, 1]), "x").verdict == "not reached"
    assert grows("1", curve(vi=[1, 1, 1, 1]), "x").verdict == "not reached"


def test_documents_from_a_file_of_ones_own(corpus: str, cache: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    arguments = ["--corpus", corpus, "--iterations", "2", "--processes", "1", "-o", str(out)]
    assert main(["reproduce", "rosenberg2007", "--experiment", "documents", *arguments]) == 0
    page = (out / "rosenberg2007-documents.md").read_text()
    assert "corpus.csv: 60 documents in 3 classes" in page
    assert "| k |" in page
    assert (out / "rosenberg2007-figure-4.png").stat().st_size > 10_000
    rows = list(csv.DictReader((out / "rosenberg2007-documents.csv").read_text().splitlines()))
    best = max(rows, key=lambda row: float(row["v_measure"]))
    assert (best["k"], float(best["v_measure"])) == ("3", 1.0)
    assert {row["reading"] for row in rows} == {"tf-idf as it is", "vectors of unit length"}
    claims = json.loads((out / "rosenberg2007-documents.json").read_text())
    assert all(claim["note"] for claim in claims if claim["verdict"] == "not reached")


def test_other_starts_or_other_gold_are_not_taken_from_the_cache(cache: Path) -> None:
    rows, gold = np.array([0.0, 1, 2, 3, 4, 5, 90, 91, 92, 93, 94, 95])[:, None], np.repeat(["a", "b"], 6)
    one = sweep("test", rows, gold, starts=1, processes=1)
    assert sweep("test", rows, gold, starts=3, processes=1).values["vi"].shape[0] == 3
    other = sweep("test", rows, np.tile(["a", "b"], 6), starts=1, processes=1)
    assert one.at("v_measure", 2) == 1
    assert other.at("v_measure", 2) < 0.1


def labelling(v: float, vi: float, nvik: float, entropy: float) -> constituents.Labelling:
    scores = {"v_measure": v, "vi": vi, "nvi": vi, "nvik": nvik, "class_entropy": 1.0, "cluster_entropy": entropy}
    return constituents.Labelling(np.array([0, 0, 1, 2]), scores)


def test_findings_on_labels_are_judged_both_ways() -> None:
    as_printed = {"MDL": labelling(0.4, 3, 0.8, 4), "T": labelling(0.42, 2, 0.9, 3), "P": labelling(0.41, 1, 1.2, 2)}
    assert {claim.verdict for claim in constituents._claims(as_printed)} == {"reached"}
    otherwise = {"MDL": labelling(0.4, 1, 1.2, 2), "T": labelling(0.5, 2, 0.9, 3), "P": labelling(0.6, 3, 0.8, 4)}
    verdicts = [claim.verdict for claim in constituents._claims(otherwise)]
    assert verdicts == ["not reached"] * 5 + ["reached"]  # most labels still annotate one constituent


def test_sizes_of_labels_are_counted_as_table_2_counts_them() -> None:
    labels = np.repeat(np.arange(5), [1, 9, 10, 99, 100])
    assert constituents.Labelling(labels, {}).sizes() == [5, 1, 2, 4, 1]


def test_q2_must_descend_all_the_way() -> None:
    items = Numbers("x", ["a", "b"], np.zeros((2, 1)))
    for q2, verdict in (([0, 0.9, 0.5, 0.1], "reached"), ([0, 0.9, 0.1, 0.8], "not reached")):
        claims = list(accents._claims(items, {"x": curve(q2=q2)}))
        assert next(c for c in claims if "Q2 descends" in c.claim).verdict == verdict
    assert accents._lower(curve(v_measure=[0, 0.3, 0.2, 0]), 0.4, "x").verdict == "reached"
    assert accents._lower(curve(v_measure=[0, 0.5, 0.2, 0]), 0.4, "x").verdict == "not reached"


def test_one_reading_only(corpus: str, cache: Path) -> None:
    found = karat.reproduce("rosenberg2007", "documents", corpus=corpus, iterations=1, variant="unit", processes=1)
    assert len(found) == 6
    assert len(found.study.tables) == 1
    assert "On corpus.csv" in str(found)


def test_accents_from_a_table_of_features(cache: Path, tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    lines = ["class,f0,slope"]
    for label, centre in (("H*", 200), ("L*", 100)):
        lines += [f"{label},{rng.normal(centre, 5):.2f},{rng.normal(0, 9):.2f}" for _ in range(40)]
    path = tmp_path / "accents.csv"
    path.write_text("\n".join(lines))
    found = karat.reproduce(
        "rosenberg2007", "accents", corpus=str(path), keep={"H*": 0.5}, iterations=1, processes=1, variant="text"
    )
    assert "60 items (L* 40, H* 20)" in str(found)
    assert "A share of 0.5 of H* is kept." in str(found)
    assert "--keep 'H*=0.5'" in found.page()  # the command that does the same
    assert max(record["v_measure"] for record in found.study.data) == 1.0
    with pytest.raises(karat.KaratError, match=r"one of H\*, L\*"):
        karat.reproduce("rosenberg2007", "accents", corpus=str(path), keep={"X*": 0.5})


def test_completeness_may_not_fall_where_it_should_be_stable() -> None:
    stable = curve(v_measure=[0, 1, 1, 2], homogeneity=[0, 0, 0.2, 0.8], completeness=[1, 1, 0.3, 0.25])
    falls = curve(v_measure=[0, 1, 1, 0.5], homogeneity=[0, 0, 0.2, 0.8], completeness=[1, 1, 0.9, 0.25])
    assert [claim.verdict for claim in accents._rises(stable, "x", "")] == ["reached", "reached"]
    assert [claim.verdict for claim in accents._rises(falls, "x", "")] == ["not reached", "not reached"]


def test_labels_of_a_treebank_of_ones_own(tmp_path: Path) -> None:
    sentences = [
        f"( (S (NP-SBJ (DT the) ({noun} n)) (VP (VBZ v) (PP (IN of) (NP (DT a) ({noun} n)))) (. .)) )"
        for noun in ("NN", "NNS", "NNP")
    ] + ["(S (NP (NNP a) (CC and) (NNP b)) (VP (VBZ is) (ADJP (RB so) (JJ c))))", "(S (RB no) (VP (MD w) (VB go)))"]
    path = tmp_path / "bank.mrg"
    path.write_text("\n".join(sentences))
    out = tmp_path / "out"
    assert main(["reproduce", "reichart2009", "--experiment", "labels", "--corpus", str(path), "-o", str(out)]) == 0
    page = (out / "reichart2009-labels.md").read_text()
    assert "On bank.mrg: 5 sentences of at most 10 words, 21 constituents, 5 gold labels, of which 4 cover 95%." in page
    assert "## Table 2" in page
    assert "## Table 4" in page
    rows = {row["labelling"]: row for row in csv.DictReader((out / "reichart2009-labels.csv").read_text().splitlines())}
    assert set(rows) == {"MDL", "T", "P"}
    assert int(rows["T"]["labels"]) == 5
    assert float(rows["T"]["v_measure"]) > 0.6
    for row in rows.values():  # as the tables of the paper do not
        both = float(row["class_entropy"]) + float(row["cluster_entropy"])
        assert float(row["v_measure"]) == pytest.approx(1 - float(row["vi"]) / both)


def test_prominent_labels_cover_more_than_most_of_the_constituents() -> None:
    gold = [0] * 90 + [1] * 5 + [2] * 3 + [3] * 2
    assert constituents._numbers(gold) == (4, 3)  # 95 of 100 are not more than 95%
    assert constituents._numbers([0] * 96 + [1] * 4) == (2, 1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(S (NP (DT a) (NN b))", "bracket"),
        ("(S (A b) (C d))", "every constituent is labelled 'S', so there is nothing to find"),
        ("nothing like a tree", "is not in Penn brackets"),
    ],
)
def test_treebanks_that_are_none_are_refused(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "bank.mrg").write_text(text)
    with pytest.raises(karat.KaratError, match=message):
        karat.reproduce("reichart2009", "labels", corpus=str(tmp_path / "bank.mrg"))


@pytest.mark.parametrize(
    ("paper", "options", "message"),
    [
        ("rosenberg2007", {"experiment": "document"}, "did you mean documents"),
        ("dom2001", {"experiment": "documents"}, "leave experiment out"),
        ("rosenberg2007", {"experiment": "documents", "keep": {"a": 1}}, "has no option 'keep'; it has corpus"),
        ("rosenberg2007", {"experiment": "documents", "variant": "other"}, "use one of text, unit"),
        ("rosenberg2007", {"experiment": "documents", "iterations": 0}, "give 1 or more"),
        ("reichart2009", {"experiment": "labels", "iterations": 3}, "has no option 'iterations'"),
        (
            "rosenberg2007",
            {"corpus": "x"},
            "has no option 'corpus'; say which experiment it is for: accents, documents",
        ),
        ("rosenberg2007", {"experiment": "documents", "iterations": 1.5}, "give 1 or more"),
        ("rosenberg2007", {"experiment": "accents", "keep": "H*"}, "says no shares"),
        ("rosenberg2007", {"experiment": "documents", "corpus": "reuter"}, "did you mean reuters"),
    ],
)
def test_options_that_do_not_apply_are_refused(paper: str, options: dict[str, object], message: str) -> None:
    with pytest.raises(karat.KaratError, match=message):
        karat.reproduce(paper, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["H*", "H*=2", "=0.5", "H*=x"])
def test_a_share_that_is_none_is_refused(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["reproduce", "rosenberg2007", "--experiment", "accents", "--keep", text])
    assert "such as 'H*=0.1'" in capsys.readouterr().err


@pytest.mark.download
def test_the_documents_of_the_paper_as_far_as_they_are_free(cache: Path) -> None:
    found = {claim.claim: claim for claim in karat.reproduce("rosenberg2007", "documents", iterations=1)}
    assert found["VI grows with the number of clusters (vectors of unit length)"].verdict == "reached"
    assert found["as clusters increase, Q2 descends more than V (vectors of unit length)"].verdict == "reached"
    assert found["terms that are chosen"].computed == 983


@pytest.mark.download
def test_made_speech_is_clustered(cache: Path) -> None:
    found = {claim.claim: claim for claim in karat.reproduce("rosenberg2007", "accents")}
    assert found["VI grows with the number of clusters (features as they are)"].verdict == "reached"
    assert found["from about 30 clusters on, V rises (features as they are)"].verdict == "reached"


@pytest.mark.download
def test_labels_of_the_potsdam_commentary_corpus(cache: Path) -> None:
    found = {claim.claim: claim for claim in karat.reproduce("reichart2009", "labels")}
    assert found["VI prefers few labels: P to T to MDL"].verdict == "reached"
    assert found["NVIK prefers MDL labels"].verdict == "reached"
