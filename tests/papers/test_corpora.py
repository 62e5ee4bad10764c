"""Texts and numbers of the user's own, and the vectors that are made of them."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import karat
from karat.papers.corpora.features import read_numbers
from karat.papers.corpora.terms import stems, unit_length, vectors
from karat.papers.corpora.texts import read_texts


def folders(place: Path, documents: dict[str, bytes | str]) -> str:
    for name, text in documents.items():
        path = place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(place)


def test_a_folder_for_each_class(tmp_path: Path) -> None:
    corpus = folders(
        tmp_path / "c",
        {"tea/1.txt": "green", "tea/deep/2.txt": "black", "milk/a": "caf\xe9".encode("latin-1"), "tea/.hidden": "x"},
    )
    found = read_texts(corpus)
    assert list(zip(found.gold, found.texts, strict=True)) == [("milk", "café"), ("tea", "green"), ("tea", "black")]
    assert found.name == "c"


def test_empty_documents_are_left_out_and_counted(tmp_path: Path) -> None:
    found = read_texts(folders(tmp_path / "c", {"a/1": "one", "b/1": "two", "b/2": " \n"}))
    assert len(found.texts) == 2
    assert found.remarks == ("1 of 3 documents are empty and left out",)


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet"])
def test_a_table_with_a_column_of_classes_and_one_of_texts(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"c.{ending}"
    rows = [("sport", 'ball, "round"\nand more'), ("law", "court")]
    if ending == "parquet":
        import duckdb

        values = ", ".join("('{}', '{}')".format(*row) for row in rows)
        duckdb.sql(f"COPY (SELECT * FROM (VALUES {values}) AS t(topic, body)) TO '{path}' (FORMAT parquet)")
    elif ending == "jsonl":
        import json

        path.write_text("\n".join(json.dumps({"id": n, "topic": c, "body": t}) for n, (c, t) in enumerate(rows)))
    else:
        comma = "," if ending == "csv" else "\t"
        quoted = ["topic" + comma + "body", *(c + comma + '"' + t.replace('"', '""') + '"' for c, t in rows)]
        path.write_text("\n".join(quoted))
    found = read_texts(str(path))
    assert sorted(zip(found.gold, found.texts, strict=True)) == sorted(rows)
    assert found.remarks == ("classes are column 'topic', texts column 'body'",)
    assert read_texts(str(path), gold="topic", text="body").remarks == ()


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"readme": "x"}, "no sub-folder with documents in it; give a folder with one for each class"),
        ({"a/1": "x", "a/2": "y"}, "only documents of class 'a'"),
        ({"a/1": " ", "b/1": ""}, "no document with text in it"),
        ({".git/1": "x"}, "no sub-folder with documents"),
        ({"a/1": "x", "b/1": b"\x00\x01\x02"}, "is not text"),
    ],
)
def test_folders_that_are_no_corpus_are_refused(files: dict[str, str | bytes], message: str, tmp_path: Path) -> None:
    with pytest.raises(karat.KaratError, match=message):
        read_texts(folders(tmp_path / "c", files))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n", "say which holds the classes, as gold="),
        ("class,b\n1,2\n", "say which holds the texts, as text="),
        ("class,text\n,two\nx,one\n", "no class in column 'class', row 1"),
        ("class,text\nx,one\nx,two\n", "only documents of class 'x'"),
    ],
)
def test_tables_that_are_no_corpus_are_refused(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "c.csv").write_text(text)
    with pytest.raises(karat.KaratError, match=message):
        read_texts(str(tmp_path / "c.csv"))


def test_a_path_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(karat.KaratError, match="there is no file"):
        read_texts(str(tmp_path / "none"))


def test_stems_are_porters() -> None:
    # the examples of Porter's paper, for each of its steps
    text = "caresses ponies plastered motoring Hopping relational conditional triplicate adoption 42 a x1 étés"
    assert stems("हिन्दी भाषा 我 鱼 cafe\u0301") == ["हिन्दी", "भाषा", "我", "鱼", "café"]
    assert stems(text) == [
        "caress", "poni", "plaster", "motor", "hop", "relat", "condit", "triplic", "adopt", "été",
    ]  # fmt: skip


def test_only_terms_that_weigh_most_in_some_document_are_kept() -> None:
    found = vectors(["cat cat dog the", "dog bird bird bird the", "the fish dog"])
    # idf: the and dog are in all (0); cat, bird and fish in one each (log 3)
    assert sorted(found.terms) == ["bird", "cat", "fish"]
    assert found.vocabulary == 5
    dense = found.weights.toarray()
    place = {term: n for n, term in enumerate(found.terms)}
    assert dense[0, place["cat"]] == pytest.approx(2 * math.log(3))
    assert dense[1, place["bird"]] == pytest.approx(3 * math.log(3))
    assert np.count_nonzero(dense) == 3


def test_of_terms_that_weigh_the_same_all_are_kept() -> None:
    assert sorted(vectors(["cat bird", "dog fish"]).terms) == ["bird", "cat", "dog", "fish"]


def test_rows_of_unit_length_but_for_documents_without_a_chosen_term() -> None:
    found = unit_length(vectors(["cat cat dog", "bird dog fish fish", "dog"]).weights)
    lengths = np.sqrt((found.toarray() ** 2).sum(axis=1))
    assert lengths == pytest.approx([1, 1, 0])


def test_texts_that_do_not_differ_are_refused() -> None:
    with pytest.raises(karat.KaratError, match="no word distinguishes the documents"):
        vectors(["the same", "same the"])
    with pytest.raises(karat.KaratError, match="no word distinguishes the documents"):
        vectors(["1 2", "3"])


def test_numbers_are_all_columns_but_the_class_and_the_ids(tmp_path: Path) -> None:
    (tmp_path / "n.csv").write_text("id,f0,class,slope\na,1.5,H*,2\nb,-1,L*,3e2\n")
    found = read_numbers(str(tmp_path / "n.csv"))
    assert found.gold == ["H*", "L*"]
    assert found.features.tolist() == [[1.5, 2.0], [-1.0, 300.0]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("class,a\nx,1\ny,high\n", "has 'high' in column 'a', row 2, which is no number"),
        ("class,a\nx,1\ny,\n", "has None in column 'a', row 2"),
        ("class,a\nx,1\ny,inf\n", "which is no number"),
        ("class,id\nx,1\ny,2\n", "no columns but 'class' and ids"),
        ("class,a\nx,1\nx,2\n", "items of class 'x' only"),
        ("class,a\n,1\nx,2\n", "items without a class"),
    ],
)
def test_numbers_that_are_none_are_refused(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "n.csv").write_text(text)
    with pytest.raises(karat.KaratError, match=message):
        read_numbers(str(tmp_path / "n.csv"))
