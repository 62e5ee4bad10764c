"""DuckDB and the standard library read the same files to the same tables."""

from __future__ import annotations

import csv
import io
import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doors import large_files
from reading import outcome
from shared import enough

text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=4)
labels = text | st.sampled_from(["1", "01", "1.0", "NA", "nan", "", "true", "a,b", 'q"q', "x\ny", "x\r\ny", "\ufeffz"])
policies = st.sampled_from(
    [{"missing": "raise"}, {"missing": "drop"}, {"missing": "singletons"}, {"missing": "cluster"}]
)
noises = st.sampled_from([{}, {"noise": "1", "noise_as": "singletons"}, {"noise": "NA", "noise_as": "drop"}])


def write_csv(path: Path, rows: list[list[str]], newline: str) -> str:
    content = io.StringIO(newline="")
    csv.writer(content, lineterminator=newline, quoting=csv.QUOTE_ALL).writerows(rows)
    path.write_bytes(content.getvalue().encode())
    return str(path)


@settings(max_examples=enough(60), deadline=None)
@given(
    st.lists(st.tuples(labels, labels, st.sampled_from(["w1", "w2"])), min_size=1, max_size=12),
    st.sampled_from(["\n", "\r\n"]),
    policies,
    noises,
    st.booleans(),
)
def test_one_delimited_file(rows: list[Any], newline: str, policy: Any, noise: Any, by: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = write_csv(Path(folder) / "d.csv", [["gold", "pred", "word"], *map(list, rows)], newline)
        options = {**policy, **noise, **({"by": "word"} if by else {})}
        small = outcome(path, **options)
        with large_files():
            large = outcome(path, **options)
    assert small == large


@settings(max_examples=enough(60), deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from("abcdefgh"), labels), min_size=1, max_size=8, unique_by=lambda row: row[0]),
    st.lists(st.tuples(st.sampled_from("abcdefgh"), labels), min_size=1, max_size=9),
    policies,
    noises,
)
def test_two_delimited_files_matched_on_ids(gold: Any, pred: Any, policy: Any, noise: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        paths = [
            write_csv(Path(folder) / "gold.csv", [["id", "class"], *map(list, gold)], "\n"),
            write_csv(Path(folder) / "pred.csv", [["id", "cluster"], *map(list, pred)], "\n"),
        ]
        small = outcome(*paths, **policy, **noise)
        with large_files():
            large = outcome(*paths, **policy, **noise)
    assert small == large


@settings(max_examples=enough(40), deadline=None)
@given(st.lists(labels, min_size=1, max_size=8), st.lists(labels, min_size=1, max_size=8))
def test_two_files_of_one_column(gold: Any, pred: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        paths = [
            write_csv(Path(folder) / "gold.csv", [["class"], *([g] for g in gold)], "\n"),
            write_csv(Path(folder) / "pred.csv", [["cluster"], *([p] for p in pred)], "\n"),
        ]
        small = outcome(*paths, missing="drop")
        with large_files():
            large = outcome(*paths, missing="drop")
    assert small == large


values = st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_infinity=False) | text


@settings(max_examples=enough(60), deadline=None)
@given(
    st.lists(st.dictionaries(st.sampled_from(["gold", "pred", "x"]), values), min_size=1, max_size=8),
    st.sampled_from(["drop", "singletons"]),
)
def test_json_lines(records: list[dict[str, Any]], missing: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "d.jsonl"
        path.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
        small = outcome(str(path), gold="gold", pred="pred", missing=missing)
        with large_files():
            large = outcome(str(path), gold="gold", pred="pred", missing=missing)
    assert small == large


@settings(max_examples=enough(60), deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from("ab"), st.sampled_from("xyz"), st.integers(0, 5) | st.floats(0, 1e6)), min_size=1
    )
)
def test_weights(rows: list[Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = write_csv(Path(folder) / "d.csv", [["gold", "pred", "w"], *([g, p, repr(w)] for g, p, w in rows)], "\n")
        small = outcome(path, weights="w")
        with large_files():
            large = outcome(path, weights="w")
    assert small == large


def test_pieces_add_up(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from karat.sources.files import database, queries

    rows = [[f"c{i % 7}" if i % 5 else "", f"k{i % 11}", f"w{i % 3}"] for i in range(1000)]
    path = write_csv(tmp_path / "d.csv", [["gold", "pred", "word"], *rows], "\n")
    small = outcome(path, by="word", missing="cluster"), outcome(path, missing="drop", noise="k3", noise_as="drop")
    monkeypatch.setattr(database, "BATCH", 64)
    monkeypatch.setattr(queries, "FEW", 0)
    with large_files():
        large = outcome(path, by="word", missing="cluster"), outcome(path, missing="drop", noise="k3", noise_as="drop")
    assert small == large
