"""One grammar of text files: small, large, packed and split files of one text give one table, or are refused."""

from __future__ import annotations

import gzip
import itertools
import json
import tempfile
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import karat
from doors import large_files
from karat.cli import main
from reading import outcome
from shared import THOROUGH, enough


def all_readings(folder: Path, name: str, content: bytes, **options: Any) -> list[Any]:
    """What the standard library and DuckDB make of a file, and of it packed with gzip."""
    path, packed = folder / name, folder / f"{name}.gz"
    path.write_bytes(content)
    packed.write_bytes(gzip.compress(content))
    readings = [outcome(str(path), **options)]
    with large_files():
        readings.append(outcome(str(path), **options))
    readings.append(outcome(str(packed), **options))
    return [str(reading).replace(f"{name}.gz", name) for reading in readings]


LETTERS = 'a", \n\r'
BODIES = ["".join(body) for size in range(1, 5 if THOROUGH else 3) for body in itertools.product(LETTERS, repeat=size)]


def test_every_short_record_is_read_alike(tmp_path: Path) -> None:
    """All texts of up to four of the characters that matter, as the first field of a record."""
    path = tmp_path / "d.csv"
    options = {"gold": "g", "pred": "p", "missing": "cluster"}
    for body in BODIES:
        path.write_bytes(f"g,p\n{body},z\nb,y\n".encode())
        small = outcome(str(path), **options)
        with large_files():
            assert outcome(str(path), **options) == small, repr(body)


@settings(max_examples=enough(200), deadline=None)
@given(st.text('ab",; \t\n\r', max_size=30), st.sampled_from([",", ";", "\t"]))
def test_any_text_is_read_alike(body: str, delimiter: str) -> None:
    content = f"g{delimiter}p\n{body}{delimiter}z\nb{delimiter}y\n".encode()
    with tempfile.TemporaryDirectory() as folder:
        options = {"gold": "g", "pred": "p", "missing": "cluster", "delimiter": delimiter}
        readings = all_readings(Path(folder), "d.csv", content, **options)
    assert readings == [readings[0]] * 3


KEYS = st.sampled_from(["g", "p", "x"])
VALUES = st.sampled_from(
    ["1", "01", "1.0", "1e22", "0.00001", "true", "null", '"a"', '""', "[1]", '{"x": 1, "x": 2}', "-0", "1E2"]
)


@settings(max_examples=enough(200), deadline=None)
@given(st.lists(st.lists(st.tuples(KEYS, VALUES), min_size=1, max_size=4), min_size=1, max_size=4), st.booleans())
def test_json_lines_are_read_alike(records: list[list[tuple[str, str]]], weighted: bool) -> None:
    lines = ["{" + ", ".join(f"{json.dumps(key)}: {value}" for key, value in record) + "}" for record in records]
    content = "\n".join(['{"g": 1, "p": 2, "x": 3}', *lines]).encode()
    with tempfile.TemporaryDirectory() as folder:
        options = {"gold": "g", "pred": "p", "missing": "cluster", **({"weights": "x"} if weighted else {})}
        readings = all_readings(Path(folder), "d.jsonl", content, **options)
    assert readings == [readings[0]] * 3


def test_a_key_that_appears_late_is_found(tmp_path: Path) -> None:
    rows = [{"gold": "a", "pred": 1}] * 10_001 + [{"gold": "b", "late": 2, "pred": 1}]
    content = "\n".join(map(json.dumps, rows)).encode()
    readings = all_readings(tmp_path, "d.jsonl", content, gold="gold", pred="late", missing="drop")
    assert readings == [readings[0]] * 3
    assert "no column" not in readings[0]


def test_parts_may_have_encodings_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "p1.csv").write_text("gold,pred\na,1\n\u00e9,2\n", encoding="utf-16")
    (tmp_path / "p2.csv").write_text("gold,pred\na,1\n\u00e9,2\nb,1\n", encoding="utf-8")
    read = karat.read(str(tmp_path / "p*.csv"), gold="gold", pred="pred")
    assert sorted(karat.table(read).top_cells()) == [("a", "1", 2), ("b", "1", 1), ("\u00e9", "2", 2)]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_may_end_in_three_ways(end: str, tmp_path: Path) -> None:
    (tmp_path / "a.cmty").write_bytes(f"a b{end}c d{end}".encode())
    (tmp_path / "b.cmty").write_bytes(b"d c\nb a\n")
    assert karat.score(karat.read(tmp_path / "a.cmty", tmp_path / "b.cmty"), measures="ari")["ari"] == 1
    (tmp_path / "a.key").write_bytes(end.join(("w i.1 s1", "w i.2 s1", "w i.3 s2")).encode())
    (tmp_path / "b.key").write_bytes(b"w i.1 s1\nw i.2 s1\nw i.3 s2\n")
    assert karat.read(tmp_path / "a.key", tmp_path / "b.key").dropped == 0


def test_communities_say_what_they_leave_out(tmp_path: Path) -> None:
    (tmp_path / "a.cmty").write_text("# one\na b\nc d\n")
    (tmp_path / "b.cmty").write_text("a b\nc d\n")
    notes = [str(note) for note in karat.read(tmp_path / "a.cmty", tmp_path / "b.cmty").notes]
    assert any("1 line begins with #, taken for a comment" in note for note in notes)
    (tmp_path / "b.cmty").write_text("a b b\nc d\n")
    with pytest.raises(karat.FileError, match="'b' twice in community 1; list each item once"):
        karat.read(tmp_path / "a.cmty", tmp_path / "b.cmty")


def test_a_saved_table_is_known_by_its_metadata_alone(tmp_path: Path) -> None:
    gold = [f"class {i} {'x' * 60}" for i in range(20_000)]
    table = karat.Table.from_labels([*gold, *gold], [i // 2 for i in range(40_000)])
    table.save(tmp_path / "saved.parquet")
    assert karat.score(karat.read(tmp_path / "saved.parquet"), measures="ari")["ari"] == karat.ari(table)
    label = '{"karat": "table"} karat'
    pl.DataFrame({"gold": [label, "a", "a"], "pred": ["x", "y", "y"]}).write_parquet(tmp_path / "rows.parquet")
    assert karat.score(karat.read(tmp_path / "rows.parquet"), measures="ari")["ari"] == 1


@pytest.mark.parametrize("name", ["q?.csv.gz", "~x.csv.gz", "a*b.csv.gz", "a[1].csv.gz", "a#b.jsonl.gz", "q?.jsonl.gz"])
def test_names_of_packed_files_are_no_patterns(name: str, tmp_path: Path) -> None:
    text = "gold,pred\na,1\nb,2\n" if "csv" in name else '{"gold": "a", "pred": 1}\n{"gold": "b", "pred": 2}\n'
    (tmp_path / name).write_bytes(gzip.compress(text.encode()))
    assert karat.table(karat.read(tmp_path / name, gold="gold", pred="pred")).n == 2


def test_zstandard_is_read_as_gzip_is(tmp_path: Path) -> None:
    rows = 'g,p\na,1\n"b, c",2\n'
    for number, text in enumerate([rows, rows + ' "d",3\n', rows + "e,3,\n"]):
        (tmp_path / f"{number}.csv.gz").write_bytes(gzip.compress(text.encode()))
        lines = pl.DataFrame({"line": text.splitlines()}).to_arrow()  # noqa: F841
        path = tmp_path / f"{number}.csv.zst"
        options = "FORMAT csv, HEADER false, QUOTE '', ESCAPE '', DELIM '\x01', COMPRESSION zstd"
        duckdb.execute(f"COPY lines TO '{path}' ({options})")
        packed = outcome(str(path), gold="g", pred="p")
        if number:
            assert "has spaces beside quotes, or records of different lengths; unpack it, or mend it" in str(packed)
        else:
            assert packed == outcome(str(tmp_path / "0.csv.gz"), gold="g", pred="p")


def test_a_pattern_of_columns_leaves_out_gold(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "d.csv").write_text("id,gold,a,b\n1,x,1,1\n2,x,1,2\n3,y,2,3\n")
    command = ["score", str(tmp_path / "d.csv"), "--gold", "gold", "--id", "id", "--pred", "*", "-m", "ari"]
    assert main([*command, "--format", "json"]) == 0
    assert [system["system"] for system in json.loads(capsys.readouterr().out)["systems"]] == ["a", "b"]


def test_csv_never_merges_labels(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "d.jsonl").write_text('{"gold": 1, "pred": true}\n{"gold": "1", "pred": "True"}\n')
    assert main(["table", str(tmp_path / "d.jsonl"), "--format", "csv"]) == 1
    assert "1 and '1' are two labels, but one in CSV; write JSON or Parquet" in capsys.readouterr().err


@pytest.mark.parametrize(
    "option", [["--delimiter", ";"], ["--encoding", "latin-1"], ["--no-header"], ["--input", "tsv"]]
)
def test_options_of_reading_are_not_ignored_by_engines(option: list[str], tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "d.csv").write_text("gold,pred\na,1\nb,2\n")
    command = ["score", str(tmp_path / "d.csv"), "--engine", "polars", "--gold", "gold", "--pred", "pred"]
    assert main([*command, *option]) == 2
    assert f"{option[0]} is not for --engine polars; leave it out" in capsys.readouterr().err


def test_brackets_in_the_name_of_a_file_are_no_pattern_for_polars(tmp_path: Path) -> None:
    (tmp_path / "q[1].csv").write_text("gold,pred\na,1\nb,2\n")
    command = ["score", str(tmp_path / "q[1].csv"), "--engine", "polars", "--gold", "gold", "--pred", "pred", "-q"]
    assert main(command) == 0
