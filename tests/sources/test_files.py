"""Files of every kind, as users have them."""

from __future__ import annotations

import gzip
import io
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest

import karat
from karat.sources.files import database, inputs, sources

GOLD = ["a", "a", "b", "b", "b", "c"]
PRED = ["1", "01", "2", "2", "1", "3"]
IDS = ["i1", "i2", "i3", "i4", "i5", "i6"]
EXPECTED = karat.Table.from_labels(GOLD, PRED)


def write(path: Path, text: str, encoding: str = "utf-8") -> str:
    path.write_bytes(text.encode(encoding))
    return str(path)


def lines(*columns: list[str], delimiter: str = ",", head: str = "") -> str:
    rows = [head] if head else []
    return "\n".join([*rows, *(delimiter.join(row) for row in zip(*columns, strict=True))]) + "\n"


def same(table: karat.Table, other: karat.Table) -> bool:
    """The same cells under the same names, of the same kinds."""
    return [table.to_sparse().toarray().tolist(), *map(list, (table.classes, table.clusters))] == [
        other.to_sparse().toarray().tolist(), *map(list, (other.classes, other.clusters))
    ]  # fmt: skip


def only(reading: karat.Evaluation) -> karat.Table:
    (table,) = reading.tables.values()
    return table


def test_a_csv_file_with_both_columns_keeps_labels_as_text(tmp_path: Path) -> None:
    path = write(tmp_path / "d.csv", lines(IDS, GOLD, PRED, head="id,class,cluster"))
    reading = karat.read(path)
    assert same(only(reading), EXPECTED)
    assert list(reading.tables) == ["cluster"]
    assert "gold is column 'class', predicted is column 'cluster'" in reading.notes[0]


@pytest.mark.parametrize("ending", ["tsv", "tab"])
def test_tab_separated_files(tmp_path: Path, ending: str) -> None:
    path = write(tmp_path / f"d.{ending}", lines(GOLD, PRED, delimiter="\t", head="gold\tpred"))
    assert same(only(karat.read(path)), EXPECTED)


def test_json_lines_keep_the_types_of_labels(tmp_path: Path) -> None:
    records = [
        {"gold": "1", "pred": 1},
        {"gold": 1, "pred": 1.0},
        {"gold": True, "pred": "x"},
        {"gold": "é\n", "pred": 2.5},
        {},
    ]
    path = write(tmp_path / "d.jsonl", "\n".join(map(json.dumps, records)))
    table = only(karat.read(path, missing="drop"))
    assert table.classes == (1, "1", "é\n", True)
    assert table.clusters == (1, 2.5, "x")
    assert [type(name) for name in table.classes] == [int, str, str, bool]


def test_parquet_keeps_the_types_of_labels(tmp_path: Path) -> None:
    import polars as pl

    path = tmp_path / "d.parquet"
    pl.DataFrame({"gold": [1, 1, 2, None], "pred": ["x", "y", "y", "z"], "w": [1.5, 2.0, 3.0, 1.0]}).write_parquet(path)
    table = only(karat.read(str(path), missing="drop", weights="w"))
    assert (table.classes, table.clusters, float(table.n)) == ((1, 2), ("x", "y"), 6.5)


def test_integers_are_counted_by_the_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import polars as pl

    rng, path = np.random.default_rng(3), tmp_path / "d.parquet"
    gold, pred = rng.integers(-9, 9, 5000), rng.integers(0, 40, 5000)
    kinds = {"gold": pl.Int16, "pred": pl.UInt64}
    pl.DataFrame({"gold": gold, "pred": pred}, schema_overrides=kinds).write_parquet(path)
    expected = karat.Table.from_labels(gold, pred)
    assert same(only(karat.read(str(path))), expected)
    monkeypatch.setattr(database, "BATCH", 7)  # cells that leave the database at a time
    assert same(only(karat.read(str(path))), expected)
    some = [None if place % 50 == 0 else value for place, value in enumerate(gold.tolist())]
    pl.DataFrame({"gold": some, "pred": pred}, schema_overrides=kinds).write_parquet(path)
    with pytest.raises(karat.KaratError, match="100 missing labels"):
        karat.read(str(path))
    kept = np.arange(5000) % 50 > 0
    assert same(only(karat.read(str(path), missing="drop")), karat.Table.from_labels(gold[kept], pred[kept]))


def test_parquet_with_every_type_of_label(tmp_path: Path) -> None:
    import duckdb

    path = tmp_path / "d.parquet"
    types = [
        "DATE '2024-05-01'",
        "TIMESTAMP '2024-05-01 10:00:00'",
        "1.25::DECIMAL(9,2)",
        "true",
        "'x'::BLOB",
        "7::HUGEINT",
    ]
    types += ["TIMESTAMPTZ '2024-05-01 10:00:00+00'", "1.5::FLOAT", "9::UTINYINT", "TIME '10:00'"]
    for value in types:
        duckdb.sql(f"COPY (SELECT {value} AS gold, i AS pred FROM range(3) t(i)) TO '{path}' (FORMAT PARQUET)")
        assert only(karat.read(str(path))).shape == (1, 3), value


@pytest.mark.parametrize("kind", ["arrow", "feather"])
def test_arrow_and_feather_files(tmp_path: Path, kind: str) -> None:
    import pyarrow as pa
    import pyarrow.feather as feather

    path = str(tmp_path / f"d.{kind}")
    table = pa.table({"gold": pa.array(GOLD).dictionary_encode(), "pred": PRED})
    if kind == "feather":
        feather.write_feather(table, path)
    else:
        with pa.ipc.new_file(path, table.schema) as writer:
            writer.write_table(table)
    assert same(only(karat.read(path)), EXPECTED)


def test_numpy_files_of_numbers_and_of_text(tmp_path: Path) -> None:
    np.save(tmp_path / "gold.npy", np.array(GOLD))
    np.save(tmp_path / "pred.npy", np.array([1, 1, 2, 2, 1, -1], dtype=np.int16))
    table = only(karat.read(str(tmp_path / "gold.npy"), str(tmp_path / "pred.npy"), noise="-1", noise_as="drop"))
    assert (table.classes, table.clusters, table.policy.dropped) == (("a", "b"), (1, 2), 1)


def test_a_pickle_is_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "gold.npy", np.array([{"a": 1}, "b"], dtype=object), allow_pickle=True)
    np.save(tmp_path / "pred.npy", np.zeros((2, 2)))
    with pytest.raises(karat.FileError, match="cannot be read as NumPy"):
        karat.read(str(tmp_path / "gold.npy"), str(tmp_path / "gold.npy"))
    with pytest.raises(karat.FileError, match=r"has shape \(2, 2\); give one label per item"):
        karat.read(str(tmp_path / "pred.npy"), str(tmp_path / "pred.npy"))


@pytest.mark.parametrize("packed", [False, True])
def test_one_label_per_line(tmp_path: Path, packed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("karat.sources.files.formats.labels.PART", 4)  # so that there are several batches
    gold, pred = tmp_path / "gold.txt", tmp_path / ("pred.txt.gz" if packed else "pred.txt")
    write(gold, "\r\n".join(GOLD))
    data = "\ufeff" + "\n".join(PRED) + "\n"
    pred.write_bytes(gzip.compress(data.encode()) if packed else data.encode())
    table = only(karat.read(str(gold), str(pred)))
    assert same(table, EXPECTED)
    assert table.policy.matched == "positions"


def test_text_lines_beside_a_numpy_array(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("karat.sources.files.formats.labels.PART", 4)
    np.save(tmp_path / "pred.npy", np.array(PRED))
    table = only(karat.read(write(tmp_path / "gold.labels", "\n".join(GOLD)), str(tmp_path / "pred.npy")))
    assert same(table, EXPECTED)


def test_files_are_matched_on_their_ids_whatever_the_order(tmp_path: Path) -> None:
    gold = write(tmp_path / "gold.csv", lines(IDS, GOLD, head="id,class"))
    pred = write(tmp_path / "kmeans.tsv", lines(IDS[::-1], PRED[::-1], delimiter="\t", head="id\tcluster"))
    reading = karat.read(gold, pred)
    assert list(reading.tables) == ["kmeans"]
    assert same(only(reading), EXPECTED)
    assert only(reading).policy.matched == "items"
    assert "matched on 'id'" in reading.notes[0]


def test_ids_are_compared_as_text_across_kinds(tmp_path: Path) -> None:
    import polars as pl

    path = tmp_path / "pred.parquet"
    pl.DataFrame({"id": [3, 2, 1], "cluster": ["x", "y", "y"]}).write_parquet(path)
    gold = write(tmp_path / "gold.csv", "id,class\n1,a\n2,a\n3,b\n")
    assert karat.ari(only(karat.read(gold, str(path)))) == 1
    lines_ = write(tmp_path / "gold.jsonl", '{"id": 1, "class": "a"}\n{"id": 2, "class": "a"}\n{"id": 3, "class": "b"}')
    assert karat.ari(only(karat.read(lines_, str(path)))) == 1
    assert karat.ari(only(karat.read(lines_, gold))) == 1


def test_a_table_of_counted_cells(tmp_path: Path) -> None:
    path = write(tmp_path / "cells.csv", "gold,pred,n\na,1,5\nb,1,2\nb,2,3\na,1,1\n")
    table = only(karat.read(path, count="n"))
    assert same(table, karat.Table.from_matrix([[6, 0], [2, 3]], ["a", "b"], ["1", "2"]))
    assert not table.policy.weighted
    with pytest.raises(karat.FileError, match="counted already; leave out missing"):
        karat.read(path, count="n", missing="drop")


def test_a_matrix_with_names(tmp_path: Path) -> None:
    path = write(tmp_path / "m.csv", ",x,y\na,6,0\nb,2,\n")
    assert same(
        only(karat.read(path, input="matrix")), karat.Table.from_matrix([[6, 0], [2, 0]], ["a", "b"], ["x", "y"])
    )
    with pytest.raises(karat.FileError, match="has 'many' in the row of 'b', which is no count"):
        karat.read(write(tmp_path / "m.csv", ",x\na,6\nb,many\n"), input="matrix")


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("1,2\n3,4\n", {}),
        ("1,2\n3,4\n", {"header": False}),
        ("1 2\n3 4\n", {}),
        ("  1.0000e+00   2.0000e+00\n3.0 4.0\n\n", {}),
        ("1\t2\n3\t4\n", {}),
        ("1;2\r\n3;4\r\n", {}),
        ("1 2\n3 4\n", {"delimiter": " "}),
        ("1,2\n3,4\n", {"delimiter": ","}),
    ],
)
def test_a_matrix_of_numbers_only_keeps_all_of_them(tmp_path: Path, text: str, options: dict[str, Any]) -> None:
    path = write(tmp_path / "m.txt", text)
    reading = karat.read(path, input="matrix", **options)
    assert only(reading) == karat.Table.from_matrix([[1, 2], [3, 4]])
    assert "without names" in reading.notes[0]


@pytest.mark.parametrize("text", ["class,1,2\n3,5,0\n4,1,6\n", ",1,2\n3,5,0\n4,1,6\n", "x 1 2\n3 5 0\n4 1 6\n"])
def test_a_matrix_whose_names_are_numbers_keeps_its_names(tmp_path: Path, text: str) -> None:
    table = only(karat.read(write(tmp_path / "m.txt", text), input="matrix"))
    assert table == karat.Table.from_matrix([[5, 0], [1, 6]], ["3", "4"], ["1", "2"])


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("a,b\n1,2\n", {"header": False}, "has 'a' in the row of 'line 1', which is no count"),
        ("1 2\n3 4 5\n", {}, "has 3 fields in line 2 but 2 in the first"),
        ("1,2\n3,x\n", {}, "has 'x' in the row of 'line 2', which is no count"),
        ("", {}, "is empty"),
        ("x\n", {}, "has no cells"),
    ],
)
def test_a_matrix_that_cannot_be_read(tmp_path: Path, text: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(karat.KaratError, match=message):
        karat.read(write(tmp_path / "m.txt", text), input="matrix", **options)


@pytest.mark.parametrize("ending", ["json", "parquet"])
def test_a_table_that_karat_saved(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"t.{ending}"
    EXPECTED.save(path)
    assert same(only(karat.read(str(path))), EXPECTED)
    assert list(karat.read(str(path), str(path)).tables) == ["t", str(path)]
    with pytest.raises(karat.FileError, match="counted already; leave out noise"):
        karat.read(str(path), noise="x", noise_as="drop")


def test_communities_one_per_line(tmp_path: Path) -> None:
    gold = write(tmp_path / "gold.cmty", "# SNAP\n1 2 3\n\n4\t5\n6\n")
    pred = write(tmp_path / "pred.txt", "3 2\n1 4 5\r\n6\n")
    table = only(karat.read(gold, pred, input="communities"))
    assert karat.ari(table) == karat.ari([1, 1, 1, 2, 2, 3], [2, 1, 1, 2, 2, 3])
    with pytest.raises(karat.FileError, match="has 1 items in more than one community: '2'"):
        karat.read(gold, write(tmp_path / "p.txt", "1 2\n2 3\n"), input="communities")
    with pytest.raises(karat.FileError, match=r"only .*gold.* has '4', '5', '6', only .* has none"):
        karat.read(gold, write(tmp_path / "p.txt", "1 2\n3\n"), input="communities")


KEY = """bank.n bank.n.1 bank%1 !! tag
bank.n bank.n.2 bank%1/0.3 bank%2/0.7
bank.n bank.n.3 bank%2
run.v run.v.1 run%1/1 run%2/1
run.v run.v.2 1/2
"""


def test_senseval_keys_are_scored_word_by_word_on_the_top_sense(tmp_path: Path) -> None:
    gold = write(tmp_path / "gold.key", KEY)
    pred = write(tmp_path / "sys.key", KEY.replace("bank%2/0.7", "bank%2/0.1"))
    reading = karat.read(gold, pred)
    assert reading.by == "lemma"
    groups = {name: tables["sys"] for name, tables in reading.groups.items()}
    assert list(groups) == ["bank.n", "run.v"]
    assert groups["bank.n"].classes == ("bank%1", "bank%2")
    assert groups["run.v"].classes == ("1", "run%1")  # a weight after the slash; the first of equal ones
    assert karat.ari(groups["bank.n"]) == karat.ari([1, 2, 2], [1, 1, 2])
    cut = [note for note in reading.notes if "instances have several senses; only the heaviest" in note]
    assert len(cut) == 2  # gold's and the system's
    assert "2 of 5 instances" in cut[0]
    plain = write(tmp_path / "plain.key", "bank.n bank.n.1 a\nbank.n bank.n.2 b/0.5\n")
    assert not [note for note in karat.read(plain, plain).notes if "senses" in note]
    with pytest.raises(karat.FileError, match="has no instance in line 1"):
        karat.read(gold, write(tmp_path / "x.key", "bank.n\n"))


def anndata(path: Path) -> str:
    """An obs table as the AnnData file format 0.8 and later has it."""
    import h5py

    with h5py.File(path, "w") as file:
        obs = file.create_group("obs")
        obs.attrs.update({"_index": "barcode", "column-order": ["cell_type", "leiden"], "encoding-type": "dataframe"})
        text = h5py.string_dtype()
        obs.create_dataset("barcode", data=IDS, dtype=text)
        for name, values in (("cell_type", GOLD), ("leiden", [*PRED[:-1], None])):
            group = obs.create_group(name)
            names = sorted({v for v in values if v is not None})
            group.create_dataset("categories", data=names, dtype=text)
            group.create_dataset("codes", data=[-1 if v is None else names.index(v) for v in values], dtype="i1")
        obs.create_dataset("plain", data=np.arange(6))
        nullable = obs.create_group("nullable")
        nullable.create_dataset("values", data=np.arange(6))
        nullable.create_dataset("mask", data=[False] * 5 + [True])
    return str(path)


def test_anndata_observations(tmp_path: Path) -> None:
    path = anndata(tmp_path / "d.h5ad")
    table = only(karat.read(path, missing="drop"))
    assert same(table, karat.Table.from_labels(GOLD[:-1], PRED[:-1]))
    assert only(karat.read(path, gold="plain", pred="nullable", missing="singletons")).shape == (6, 6)
    gold = write(tmp_path / "gold.csv", lines(IDS, GOLD, head="id,class"))
    assert same(only(karat.read(gold, path, pred="plain")), karat.Table.from_labels(GOLD, list(range(6))))
    with pytest.raises(karat.FileError, match="has 1 missing label, at item 'i6'"):
        karat.read(path)


@pytest.mark.parametrize("kind", ["external storage", "external link", "soft link", "virtual", "obs link", "codes"])
def test_an_anndata_file_that_leads_to_other_files_is_refused(tmp_path: Path, kind: str) -> None:
    import h5py

    secret = tmp_path / "secret.txt"
    secret.write_bytes(b"top secret".ljust(60))
    with h5py.File(tmp_path / "other.h5", "w") as file:
        file["x"] = np.arange(6)
        file["obs/x"] = np.arange(6)
    path = anndata(tmp_path / "cells.h5ad")
    with h5py.File(path, "a") as file:
        obs = file["obs"]
        if kind == "external storage":
            obs.create_dataset("evil", shape=(6,), dtype="S10", external=[(str(secret), 0, 60)])
        elif kind == "external link":
            obs["evil"] = h5py.ExternalLink(str(tmp_path / "other.h5"), "/x")
        elif kind == "soft link":
            file["away"] = h5py.ExternalLink(str(tmp_path / "other.h5"), "/")
            obs["evil"] = h5py.SoftLink("/away/x")
        elif kind == "virtual":
            layout = h5py.VirtualLayout(shape=(6,), dtype="i8")
            layout[:] = h5py.VirtualSource(str(tmp_path / "other.h5"), "x", shape=(6,))
            obs.create_virtual_dataset("evil", layout)
        elif kind == "codes":
            evil = obs.create_group("evil")
            evil["categories"] = np.arange(6)
            evil["codes"] = h5py.ExternalLink(str(tmp_path / "other.h5"), "/x")
        else:
            del file["obs"]
            file["obs"] = h5py.ExternalLink(str(tmp_path / "other.h5"), "/obs")
    column = "x" if kind == "obs link" else "evil"
    with pytest.raises(karat.FileError, match=r"has a link at|keeps .* in other files") as told:
        karat.read(path, gold="cell_type", pred=column)
    assert "secret" not in str(told.value).replace("secret.txt", "")
    if kind != "obs link":
        assert only(karat.read(path, gold="cell_type", pred="plain")).n == 6


def test_standard_input(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def pipe(text: str) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))

    pipe(lines(GOLD, PRED, head="gold,pred"))
    assert same(only(karat.read("-")), EXPECTED)
    pipe(lines(GOLD, PRED, delimiter="\t", head="gold\tpred"))
    assert same(only(karat.read("-")), EXPECTED)
    pipe("\n".join(PRED))
    reading = karat.read(write(tmp_path / "g.txt", "\n".join(GOLD)), "-")
    assert list(reading.tables) == ["stdin"]
    pipe('{"gold": 1, "pred": 2}')
    assert only(karat.read("-")).n == 1
    pipe("")
    with pytest.raises(karat.FileError, match="standard input is empty"):
        karat.read("-")


@pytest.mark.parametrize("ending", ["csv.gz", "csv.zst", "csv", "jsonl.gz"])
def test_compressed_files_and_patterns(tmp_path: Path, ending: str) -> None:
    import pyarrow as pa

    for part, rows in enumerate([slice(0, 2), slice(2, 6)]):
        if ending.startswith("jsonl"):
            records = [{"gold": g, "pred": p} for g, p in zip(GOLD[rows], PRED[rows], strict=True)]
            data = "\n".join(map(json.dumps, records)).encode()
        else:
            data = lines(GOLD[rows], PRED[rows], head="gold,pred").encode()
        if ending.endswith("gz"):
            data = gzip.compress(data)
        elif ending.endswith("zst"):
            data = pa.compress(data, codec="zstd", asbytes=True)
        (tmp_path / f"part-{part}.{ending}").write_bytes(data)
    assert same(only(karat.read(str(tmp_path / f"part-*.{ending}"))), EXPECTED)
    assert only(karat.read(str(tmp_path / f"part-0.{ending}"))).n == 2


def test_a_name_that_looks_like_a_pattern_or_like_sql_is_a_name(tmp_path: Path) -> None:
    import polars as pl

    name = str(tmp_path / "it's [a] *.parquet")
    columns = {'go"ld; DROP TABLE x': GOLD, "pr'ed --": PRED, "w{1}": [1] * 6}
    pl.DataFrame(columns).write_parquet(name)
    gold, pred, weight = columns
    assert same(only(karat.read(name, gold=gold, pred=pred)), EXPECTED)
    assert only(karat.read(name, gold=gold, pred=pred, weights=weight)).n == 6
    assert len(karat.read(name, gold=gold, pred=pred, by=weight).groups) == 1
    text = tmp_path / "a;b.csv.gz"
    head = ",".join('"' + column.replace('"', '""') + '"' for column in (gold, pred))
    text.write_bytes(gzip.compress(lines(GOLD, PRED, head=head).encode()))
    assert same(only(karat.read(str(text), gold=gold, pred=pred)), EXPECTED)


def test_hostile_labels_survive_every_reader(tmp_path: Path) -> None:
    labels = [
        "\x1b[31mred",
        "a\tb",
        'quo"te',
        "new\nline",
        "🎉",
        "שלום",
        "comma,",
        "' OR 1=1 --",
        " lead",
        "001",
        "1",
        "NA",
    ]
    text = io.StringIO(newline="")
    import csv

    csv.writer(text).writerows([["gold", "pred"], *([label, label] for label in labels)])
    expected = karat.Table.from_labels(labels, labels)
    assert same(only(karat.read(write(tmp_path / "d.csv", text.getvalue()))), expected)
    (tmp_path / "d.csv.gz").write_bytes(gzip.compress(text.getvalue().encode()))
    assert same(only(karat.read(str(tmp_path / "d.csv.gz"))), expected)


@pytest.mark.parametrize(
    ("encoding", "told"),
    [("utf-8-sig", "utf-8"), ("utf-16", "utf-8"), ("latin-1", "latin-1"), ("cp1252", "cp1252"), ("utf-8", "utf-8")],
)
@pytest.mark.parametrize("large", [False, True])
def test_encodings(tmp_path: Path, encoding: str, told: str, large: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if large:
        monkeypatch.setattr("karat.sources.files.sources.LARGE", 1)
    path = write(tmp_path / "d.csv", "gold,pred\r\nété,1\r\nà,2\r\n", encoding)
    assert only(karat.read(path, encoding=told)).classes == ("à", "été")


def test_groups_by_a_column(tmp_path: Path) -> None:
    text = lines(["w2", "w2", "w1", "w1", "w1", "w1"], GOLD, PRED, head="word,class,cluster")
    groups = karat.read(write(tmp_path / "d.csv", text), by="word").groups
    groups = {name: tables["cluster"] for name, tables in groups.items()}
    assert {name: table.n for name, table in groups.items()} == {"w1": 4, "w2": 2}
    assert same(groups["w2"], karat.Table.from_labels(GOLD[:2], PRED[:2]))
    with pytest.raises(karat.FileError, match="has 1 row without a group in column 'word'"):
        karat.read(write(tmp_path / "e.csv", "word,class,cluster\n,a,b\nx,a,b\n"), by="word")


@pytest.mark.parametrize("large", [False, True])
def test_weights_and_groups_of_files_that_are_matched(
    tmp_path: Path, large: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if large:
        monkeypatch.setattr("karat.sources.files.sources.LARGE", 1)
    gold = write(tmp_path / "g.csv", "id,class,word,w\n1,a,x,2\n2,b,x,1\n3,a,y,0.5\n4,b,y,3\n")
    pred = write(tmp_path / "p.csv", "id,cluster\n4,q\n1,p\n2,q\n5,q\n")
    groups = karat.read(gold, pred, by="word", weights="w", missing="drop").groups
    groups = {name: tables["p"] for name, tables in groups.items()}
    assert {name: float(table.n) for name, table in groups.items()} == {"x": 3, "y": 3}
    assert groups["y"].policy.missing_items == 1
    with pytest.raises(karat.FileError, match=r"only .*g.csv' has '3', only .*p.csv' has '5'"):
        karat.read(gold, pred, by="word")


ROWS = "id,class,cluster\n"


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize(
    ("gold", "pred", "message"),
    [
        (
            "id,class\n1,a\n1,b\n2,c\n",
            "id,cluster\n1,x\n2,y\n",
            r"'.*g.csv' has 1 id more than once in column 'id': '1'; make",
        ),
        (
            "id,class\n1,a\n2,c\n",
            "id,cluster\n1,x\n,y\n",
            r"'.*p.csv' has 1 row without an id in column 'id'; give every",
        ),
        (
            "id,class\n1,a\n2,c\n",
            "id,cluster\n1,x\n9,y\n",
            r"only '.*g.csv' has '2', only '.*p.csv' has '9'; say",
        ),
        (
            "id,class\n1,\n2,c\n3,\n",
            "id,cluster\n1,x\n2,y\n3,z\n",
            r"column 'class' has 2 missing labels, at items '1', '3'; say",
        ),
        (
            "id,class\n1,a\n",
            "id,a,b\n1,x,y\n",
            r"'.*p.csv' has columns 'id', 'a', 'b'; say which holds the labels, as pred=",
        ),
        (
            "x,class\n1,a\n",
            "y,cluster\n1,x\n",
            r"'.*g.csv' has columns 'x', 'class', none of which looks like item ids",
        ),
        ("id,class\n1,a,b\n", "id,cluster\n1,x\n", r"'.*g.csv' has 3 fields in line 2 but 2 in the first"),
        ('id,class\n1,"a\n', "id,cluster\n1,x\n", r"'.*g.csv' is not well-formed in line 2"),
        ("id,class\n", "id,cluster\n1,x\n", r"has no rows|is empty"),
    ],
)
def test_what_is_wrong_with_two_files_is_said_in_one_sentence(
    tmp_path: Path, gold: str, pred: str, message: str, large: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if large:
        monkeypatch.setattr("karat.sources.files.sources.LARGE", 1)
    paths = write(tmp_path / "g.csv", gold), write(tmp_path / "p.csv", pred)
    with pytest.raises(karat.KaratError, match=message):
        karat.read(*paths)


@pytest.mark.parametrize(
    ("name", "data", "options", "message"),
    [
        ("d.csv", b"", {}, "is empty; give a file with labels"),
        ("d.csv", b"gold,pred\n\xe9,1\n", {}, r"is not UTF-8 \(byte 0xe9 in line 2\); say encoding='latin-1'"),
        ("d.csv", b"a\0b,c\n", {}, "is not text"),
        ("d.csv", b"gold,pred\n1,2\n", {"gold": "glod"}, "has no column 'glod' for gold; did you mean gold"),
        ("d.csv", b"gold,gold,pred\n1,2,3\n", {"gold": "gold"}, "has 2 columns 'gold'"),
        ("d.csv", b"a,b,c\n1,2,3\n", {}, "say which is which: gold=..., pred=..."),
        ("d.csv", b"a\n1\n", {}, "has one column only"),
        ("d.csv", b"gold,pred\n,1\nx,2\n", {}, r"column 'gold' has 1 missing label, at row 1; say missing="),
        ("d.csv", b"gold,pred,w\na,1,heavy\n", {"weights": "w"}, "has 'heavy' in column 'w', which is no weight"),
        ("d.csv", b"gold,pred,w\na,1,\n", {"weights": "w"}, "has 1 row without a weight"),
        ("d.csv", b"gold,pred\n1,2\n", {"encoding": "klingon"}, "'klingon' is no encoding"),
        ("d.txt", b"a\xf7\nb\n", {"encoding": "idna"}, "'idna' is no encoding"),
        ("d.txt", b"a\xf7\nb\n", {"encoding": "punycode"}, "'punycode' is no encoding"),
        ("d.csv", b"gold,pred\n1,2\n", {"input": "cvs"}, "'cvs' is no kind of file; did you mean csv"),
        ("d.csv", b"gold,pred\n1,2\n", {"missing": "no"}, "missing='no' is not a policy"),
        ("d.jsonl", b'{"gold": 1}\nnonsense\n', {}, "is not JSON in line 2"),
        ("d.jsonl", b"[1]\n", {}, "give one JSON object per line"),
        ("d.jsonl", b'{"gold": [1], "pred": 2}\n', {}, r"has '\[1\]' in column 'gold', row 1"),
        ("d.parquet", b"PAR1 and then nothing", {}, "cannot be read"),
        ("d.arrow", b"ARROW1 and then nothing", {}, "cannot be read as Arrow"),
        ("d.h5ad", b"\x89HDF and then nothing", {}, "is not an AnnData file"),
        ("d.npy", b"\x93NUMPY and then nothing", {}, "cannot be read as NumPy"),
        ("d.json", b"{}", {}, "is not a table that karat saved"),
        ("d.xz", b"gold,pred\n", {}, "packed in a way that karat cannot read"),
        ("d.csv.gz", b"not packed at all", {}, "is not packed as its ending says"),
        ("d.labels", b"a\nb\n", {}, "has one column only"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_file_is_said_in_one_sentence(
    tmp_path: Path, name: str, data: bytes, options: dict[str, Any], message: str
) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(karat.KaratError, match=message) as error:
        karat.read(str(path), **options)
    assert "\n" not in str(error.value)


def test_paths_that_lead_nowhere(tmp_path: Path) -> None:
    write(tmp_path / "gold.csv", "x")
    with pytest.raises(karat.FileError, match=r"there is no file '.*gold.cvs'; did you mean gold.csv\?"):
        karat.read(str(tmp_path / "gold.cvs"))
    with pytest.raises(karat.FileError, match="is a directory; name a file in it, or a pattern"):
        karat.read(str(tmp_path))
    with pytest.raises(karat.FileError, match="there is no file"):
        karat.read(str(tmp_path / "*.parquet"))


@contextmanager
def unprivileged() -> Iterator[None]:
    """Root may read everything; another user may not."""
    user = os.geteuid()
    if user == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(user)


def test_a_file_that_may_not_be_read() -> None:
    with TemporaryDirectory() as folder:  # pytest's own folders may be entered by their owner only
        Path(folder).chmod(0o755)
        path = Path(folder) / "d.csv"
        path.write_text("gold,pred\n1,2\n")
        karat.read(str(path))  # now all modules are loaded
        path.chmod(0)
        with unprivileged(), pytest.raises(karat.FileError, match="cannot be read"):
            karat.read(str(path))


def test_labels_by_position_of_different_lengths_say_how_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("karat.sources.files.formats.labels.PART", 2)
    gold, pred = write(tmp_path / "g.txt", "a\nb\nc\n"), write(tmp_path / "p.txt", "1\n2\n3\n4\n5\n")
    with pytest.raises(karat.FileError, match=r"g.txt' has 3 labels but .*p.txt' has 5"):
        karat.read(gold, pred)
    with pytest.raises(karat.FileError, match="has 1 missing label, at line 3"):
        karat.read(gold, write(tmp_path / "q.txt", "1\n2\n\n"))
    with pytest.raises(karat.FileError, match="has no column 'x' for weights"):
        karat.read(gold, gold, weights="x")


def test_a_fifo_is_read_like_a_file(tmp_path: Path) -> None:
    import threading

    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=lambda: path.write_text(lines(GOLD, PRED, head="gold,pred")))
    writer.start()
    try:
        assert same(only(karat.read(str(path), input="csv")), EXPECTED)
    finally:
        writer.join()


def test_a_million_distinct_labels(tmp_path: Path) -> None:
    number = 1_000_000
    text = "gold,pred\n" + "\n".join(f"c{i},k{i // 2}" for i in range(number))
    table = only(karat.read(write(tmp_path / "d.csv", text)))
    assert table.shape == (number, number // 2)
    assert karat.purity(table) == 0.5


def test_columns_of_parquet_files_without_ids_are_matched_by_position(tmp_path: Path) -> None:
    import polars as pl

    rng = np.random.default_rng(0)
    gold, pred = rng.integers(0, 50, 300_000), rng.integers(0, 60, 300_000).astype(str)
    pl.DataFrame({"gold": gold}).write_parquet(tmp_path / "g.parquet", row_group_size=10_000)
    pl.DataFrame({"pred": pred}).write_parquet(tmp_path / "p.parquet", row_group_size=7_000)
    table = only(karat.read(str(tmp_path / "g.parquet"), str(tmp_path / "p.parquet")))
    assert same(table, karat.Table.from_labels(gold, pred))


def test_the_size_decides_who_reads(tmp_path: Path) -> None:
    from karat.sources.files.sources import needs_query

    small = inputs.find_input(write(tmp_path / "d.csv", "gold,pred\n1,2\n"))
    assert not needs_query(small)
    large = inputs.find_input(write(tmp_path / "e.csv", "gold,pred\n" + "a,b\n" * (sources.LARGE // 4)))
    assert needs_query(large)


def parquet(path: Path, **columns: list[Any]) -> str:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table(list(columns.values()), names=list(columns)), path)
    return str(path)


def test_a_directory_called_like_a_column_adds_no_column(tmp_path: Path) -> None:
    for name in ("gold=zzz", "c1=q"):
        (tmp_path / name).mkdir()
        path = parquet(tmp_path / name / "d.parquet", gold=GOLD, pred=PRED)
        assert same(only(karat.read(path)), EXPECTED)
        (tmp_path / name / "d.csv.gz").write_bytes(gzip.compress(lines(GOLD, PRED, head="gold,pred").encode()))
        assert same(only(karat.read(str(tmp_path / name / "d.csv.gz"))), EXPECTED)


def test_packed_labels_are_told_by_what_is_packed(tmp_path: Path) -> None:
    paths = []
    for seed in range(20):
        labels = [str(x) for x in np.random.default_rng(seed).integers(0, 5, 400)]
        path = tmp_path / f"{seed}.txt.gz"
        path.write_bytes(gzip.compress("\n".join(labels).encode()))
        paths.append(str(path))
    assert {inputs.find_input(path).kind for path in paths} == {"labels"}
    assert only(karat.read(paths[0], paths[0])).n == 400


@pytest.mark.parametrize("missing", ["drop", "singletons", "cluster"])
def test_nan_is_a_missing_label_in_every_file(tmp_path: Path, missing: Any) -> None:
    nan = float("nan")
    gold, pred = ["a", "a", "a", "b", "b", "b"], [nan, nan, nan, 1.0, 1.0, 2.0]
    table = only(karat.read(parquet(tmp_path / "d.parquet", gold=gold, pred=pred), missing=missing))
    expected = karat.Table.from_labels(gold, pred, missing=missing)
    assert (karat.ari(table), table.policy.missing_items) == (karat.ari(expected), 3)
    with pytest.raises(karat.FileError, match="has 3 missing labels"):
        karat.read(str(tmp_path / "d.parquet"))


def test_files_of_a_pattern_must_be_alike(tmp_path: Path) -> None:
    write(tmp_path / "p1.csv", "id,gold,pred\n1,a,x\n")
    write(tmp_path / "p2.csv", "id,pred,gold\n3,y,b\n")
    with pytest.raises(karat.FileError, match=r"p2.csv' has other columns, or columns of other types, than"):
        karat.read(str(tmp_path / "p*.csv"))
    parquet(tmp_path / "q1.parquet", gold=[1, 2], pred=[1, 2])
    parquet(tmp_path / "q2.parquet", gold=[1, 2], pred=["001", "1"])
    with pytest.raises(karat.FileError, match="of other types"):
        karat.read(str(tmp_path / "q*.parquet"))


def test_columns_with_the_same_name_are_not_guessed(tmp_path: Path) -> None:
    for head in ("a,a", "gold,gold,pred", "gold,pred,pred"):
        path = write(tmp_path / "d.csv", f"{head}\n" + ",".join("x" * len(head.split(","))) + "\n")
        with pytest.raises(karat.FileError, match="has 2 columns"):
            karat.read(path)
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table([GOLD, GOLD, PRED], names=["gold", "gold", "pred"]), tmp_path / "d.parquet")
    with pytest.raises(karat.FileError, match="has 2 columns 'gold'"):
        karat.read(str(tmp_path / "d.parquet"))


def test_names_that_differ_in_capitals_only_are_two_names(tmp_path: Path) -> None:
    path = parquet(tmp_path / "d.parquet", Gold=PRED, gold=GOLD, pred=PRED)
    assert same(only(karat.read(path, gold="gold", pred="pred")), EXPECTED)
    assert same(only(karat.read(path, gold="Gold", pred="pred")), karat.Table.from_labels(PRED, PRED))


def test_a_damaged_packed_file_is_refused(tmp_path: Path) -> None:
    text = "id,gold,pred\n" + "".join(f"{i},{'ab'[i % 2]},{'xy'[i % 2]}\n" for i in range(60))
    whole = gzip.compress(text.encode(), mtime=0)
    for name in ("d.csv.gz", "d.labels.gz", "d.jsonl.gz"):
        for data in (whole[:-9], whole[:54] + bytes([whole[54] ^ 16]) + whole[55:], whole[:-6] + b"\0" * 6):
            (tmp_path / name).write_bytes(data)
            with pytest.raises(karat.FileError):
                karat.read(str(tmp_path / name), str(tmp_path / name))


def test_times_to_the_nanosecond_stay_apart(tmp_path: Path) -> None:
    import pyarrow as pa

    for zone in (None, "UTC"):
        moments = pa.array([1, 2, 1000, 1001], pa.timestamp("ns", tz=zone))
        path = parquet(tmp_path / "d.parquet", gold=moments, pred=moments)
        assert only(karat.read(path)).shape == (4, 4)


def test_true_and_one_are_two_labels_and_two_groups(tmp_path: Path) -> None:
    records = [{"gold": g, "pred": "x", "by": g} for g in (True, 1, 1)]
    path = write(tmp_path / "d.jsonl", "\n".join(map(json.dumps, records)))
    assert only(karat.read(path, gold="gold", pred="pred")).shape == (2, 1)
    groups = karat.read(path, gold="gold", pred="pred", by="by").groups
    assert [(name, tables["pred"].n) for name, tables in groups.items()] == [(1, 2), (True, 1)]
    assert groups[True]["pred"].n == 1
    with pytest.raises(KeyError):
        groups["no"]


def test_an_option_may_be_the_empty_name(tmp_path: Path) -> None:
    path = write(tmp_path / "d.csv", ",gold,pred\n1,a,x\n2,b,y\n")
    assert only(karat.read(path, gold="", pred="pred")).classes == ("1", "2")
    with pytest.raises(karat.FileError, match="has no column ''"):
        karat.read(write(tmp_path / "e.csv", "gold,pred\n1,a\n"), weights="")


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (",x,\na,1,2\n", {"input": "matrix"}, "a class or a cluster without a name"),
        ("lemma l.1 /5\n", {"input": "senseval"}, "a weight without a sense in line 1"),
        ('{"gold": 1, "gold": 2, "pred": 1}\n', {"input": "jsonl"}, "a key occurs twice"),
        ("[" * 100_000, {"input": "jsonl"}, "is not JSON in line 1"),
        ("gold,pred\n1,2\n", {"input": "csv", "encoding": "rot13"}, "'rot13' is no encoding"),
        ("gold,pred\n1,2\n", {"input": "csv", "pred": ["pred", "pred"]}, "is given more than once"),
    ],
)
def test_more_that_is_wrong(tmp_path: Path, text: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(karat.KaratError, match=message):
        karat.read(write(tmp_path / "d.xyz", text), **options)


def test_noise_is_found_whatever_its_type(tmp_path: Path) -> None:
    labels = [True, False, -1, "x", 2.5]
    records = [{"gold": 1, "pred": label} for label in labels]
    path = write(tmp_path / "d.jsonl", "\n".join(map(json.dumps, records)))
    for noise in ("true", "True", "-1", "x", "2.5"):
        assert only(karat.read(path, noise=noise, noise_as="drop")).n == 4


def test_a_group_of_which_no_item_is_left_is_left_out_and_named(tmp_path: Path) -> None:
    path = write(tmp_path / "d.csv", "word,gold,pred\nw1,a,\nw2,a,b\n")
    for large in (False, True):
        with pytest.MonkeyPatch.context() as patch:
            if large:
                patch.setattr("karat.sources.files.sources.LARGE", 1)
            reading = karat.read(path, by="word", missing="drop")
        assert list(reading.groups) == ["w2"]
        assert "1 groups are left out, since none of their items is left: 'w1'" in reading.notes
    with pytest.raises(karat.KaratError, match="no item is left to score"):
        karat.read(write(tmp_path / "e.csv", "word,gold,pred\nw1,a,\n"), by="word", missing="drop")
    gold = write(tmp_path / "g.csv", "id,class,word\n1,a,x\n")
    pred = write(tmp_path / "p.csv", "id,cluster\n1,a\n2,b\n")
    with pytest.raises(
        karat.KaratError,
        match=r"1 items? of the systems have no group, since .*g.csv', column 'class' lacks|since .*g.csv' lacks",
    ):
        karat.read(gold, pred, by="word", missing="singletons")


def test_likely_mistakes_are_noted(tmp_path: Path) -> None:
    gold, pred = write(tmp_path / "g.csv", "a\na\nb\n"), write(tmp_path / "p.csv", "1\n2\n2\n")
    notes = karat.read(gold, pred).notes
    assert any("has 'a' in its first line and as a label; say header=False" in note for note in notes)
    path = write(tmp_path / "d.csv", "class,cluster,count\na,x,3\nb,y,4\n")
    notes = karat.read(path, noise="z", noise_as="drop").notes
    assert any("has a column 'count'" in note for note in notes)
    assert any("noise label 'z' does not occur" in note for note in notes)


def test_paths_may_be_path_objects_and_fields_may_be_separated_otherwise(tmp_path: Path) -> None:
    write(tmp_path / "d.csv", lines(GOLD, PRED, delimiter=";", head="gold;pred"))
    assert same(only(karat.read(tmp_path / "d.csv", delimiter=";")), EXPECTED)
    with pytest.raises(karat.FileError, match="say delimiter=';'"):
        karat.read(tmp_path / "d.csv")
    with pytest.raises(karat.FileError, match="cannot separate fields"):
        karat.read(tmp_path / "d.csv", delimiter="ab")
    with pytest.raises(karat.FileError, match="are no paths"):
        karat.read([str(tmp_path / "d.csv")])  # type: ignore[arg-type]


def test_the_kind_is_for_files_whose_ending_does_not_tell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gold = write(tmp_path / "g.csv", "id,class\n1,a\n2,b\n")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"1\n2\n")))
    assert karat.ari(only(karat.read(gold, "-", input="communities"))) == 1


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "jsonl.gz", "parquet"])
def test_gold_may_be_the_product_of_columns(tmp_path: Path, ending: str) -> None:
    topic, lang = ["a", "a", "b", "b", "b", "b"], ["en", "de", "en", "de", "de", "de"]
    path = tmp_path / f"d.{ending}"
    if ending == "parquet":
        parquet(path, topic=topic, lang=lang, pred=PRED)
    elif ending == "jsonl.gz":
        records = [{"topic": t, "lang": g, "pred": p} for t, g, p in zip(topic, lang, PRED, strict=True)]
        path.write_bytes(gzip.compress("\n".join(map(json.dumps, records)).encode()))
    else:
        data = lines(topic, lang, PRED, head="topic,lang,pred").encode()
        path.write_bytes(gzip.compress(data) if ending.endswith("gz") else data)
    table = only(karat.read(path, gold=["topic", "lang"], pred="pred"))
    assert same(table, karat.Table.from_labels(karat.cross(topic, lang), PRED))
    if ending == "parquet":
        parquet(path, topic=[float("nan"), 1.0, 2.0], lang=["en", "de", "en"], pred=["x", "y", "z"])
        assert only(karat.read(path, gold=["topic", "lang"], pred="pred", missing="drop")).n == 2


def _labels_in(path: Path, kind: Any, values: list[int]) -> list[Any]:
    """The gold labels of a file with one column of some Arrow type."""
    pa = pytest.importorskip("pyarrow")
    from pyarrow import feather, parquet

    table = pa.table({"class": pa.array(values, pa.int64()).cast(kind), "cluster": values, "other": values})
    (feather.write_feather if path.suffix == ".arrow" else parquet.write_table)(table, str(path))
    return list(karat.table(karat.read(path, gold="class", pred="cluster")).classes)


def test_durations_that_would_be_rounded_are_refused(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    with pytest.raises(karat.FileError, match=r"duration\[ns\] in column 'class'.*as text"):
        _labels_in(tmp_path / "a.arrow", pa.duration("ns"), [1, 2, 3])
    assert len(_labels_in(tmp_path / "a.parquet", pa.duration("ns"), [1, 2, 3])) == 3
    assert karat.score(karat.read(tmp_path / "a.arrow", gold="other", pred="cluster"))["ari"] == 1


@pytest.mark.parametrize("ending", ["arrow", "parquet"])
def test_an_infinite_date_is_not_the_last_of_the_calendar(ending: str, tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    dates = pa.table({"class": pa.array([2**31 - 1, 2932896], pa.int32()).cast(pa.date32()), "cluster": [0, 1]})
    path = tmp_path / f"a.{ending}"
    from pyarrow import feather, parquet

    (feather.write_feather if ending == "arrow" else parquet.write_table)(dates, str(path))
    with pytest.raises(karat.FileError, match="infinite"):
        karat.table(karat.read(path, gold="class", pred="cluster"))


@pytest.mark.parametrize("ending", ["arrow", "parquet"])
def test_decimals_that_would_be_rounded_are_refused(ending: str, tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    from decimal import Decimal

    from pyarrow import feather, parquet

    long = [Decimal(f"1.{'0' * 39}{digit}") for digit in (1, 2)]
    table = pa.table({"class": pa.array(long, pa.decimal256(60, 40)), "cluster": [0, 1]})
    path = tmp_path / f"a.{ending}"
    (feather.write_feather if ending == "arrow" else parquet.write_table)(table, str(path))
    with pytest.raises(karat.FileError, match=r"as text\.$"):
        karat.table(karat.read(path, gold="class", pred="cluster"))


def test_times_with_nanoseconds_are_not_combined_with_other_columns(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    table = pa.table({"a": pa.array([1, 2], pa.timestamp("ns")), "b": ["x", "x"], "cluster": [0, 1]})
    parquet.write_table(table, str(tmp_path / "a.parquet"))
    with pytest.raises(karat.FileError, match="lose a part"):
        karat.table(karat.read(tmp_path / "a.parquet", gold=["a", "b"], pred="cluster"))


@pytest.mark.parametrize("option", ["gold", "pred", "id", "by", "weights", "count", "input", "delimiter", "encoding"])
@pytest.mark.parametrize("value", [2.5, {"a": 1}, b"a", np.array([1, 2])])
def test_options_that_are_no_text_are_refused(option: str, value: Any, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("class,cluster\na,1\nb,2\n")
    with pytest.raises(karat.FileError, match="is not text"):
        karat.read(tmp_path / "a.csv", **{option: value})


@pytest.mark.parametrize("name", ["", "gold"])
def test_a_column_that_cannot_name_a_system_is_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(f"g,{name},q\na,1,1\na,1,2\nb,2,2\n")
    for pred in ([name], [name, "q"]):
        with pytest.raises(karat.KaratError, match=f"a system is called {name!r}; give it another name"):
            karat.read(tmp_path / "a.csv", gold="g", pred=pred)
