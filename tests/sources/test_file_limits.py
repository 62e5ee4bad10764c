"""What a file may ask for: lines, columns, bytes in memory and bytes once unpacked, each refused in one sentence."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import os
import shutil
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest

import karat
from doors import large_files
from karat.limits import BATCH, COLUMNS, IN_MEMORY, LINE, STREAM, UNPACKED, Limit, lowered
from karat.sources.files.contents import check_unpacked

LONG = "x" * 5000
TEXTS: dict[str, tuple[str, int]] = {  # a file with a long line in the middle, and how often it is given
    "a.csv": (f"gold,pred\na,{LONG}\nb,2\n", 1),
    "head.csv": (f"gold,pred,{LONG}\na,1,2\n", 1),
    "quoted.csv": (f'gold,"pred\n{LONG}"\na,1\n', 1),
    "a.tsv": (f"gold\tpred\na\t{LONG}\nb\t2\n", 1),
    "a.jsonl": (f'{{"gold": "{LONG}", "pred": 1}}\n{{"gold": "a", "pred": 1}}\n', 1),
    "a.labels": (f"a\n{LONG}\nb\n", 2),
    "a.cmty": (f"a b\nc {LONG}\n", 2),
    "a.key": (f"w i s\nw j {LONG}\n", 2),
    "a.matrix": (f"class,x,y\na,1,{LONG}\n", 1),
}


def write(path: Path, text: str) -> Path:
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read a thousand bytes at a time, so that few lines lie within what is read at once."""
    monkeypatch.setattr("karat.sources.files.contents.PART", 1000)
    monkeypatch.setattr("karat.sources.files.formats.labels.PART", 1000)


def read(path: Path, times: int = 1) -> Any:
    return karat.read(*[path] * times, input="matrix" if ".matrix" in path.name else None)


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("ending", ["", ".gz"])
@pytest.mark.parametrize("name", TEXTS)
def test_a_long_line_is_refused_by_every_reader_of_text(name: str, ending: str, tmp_path: Path) -> None:
    text, times = TEXTS[name]
    path = write(tmp_path / f"{name}{ending}", text)
    with lowered({LINE: 4000}), pytest.raises(karat.FileError, match=r"more than 4,000 characters in one line \(.*\);"):
        read(path, times)


@pytest.mark.parametrize("name", ["head.csv", "quoted.csv"])
def test_a_long_first_record_is_refused_before_duckdb_reads_the_file(name: str, tmp_path: Path) -> None:
    path = write(tmp_path / name, TEXTS[name][0])
    with large_files(), lowered({LINE: 4000}), pytest.raises(karat.FileError, match="first record: more than 4,000"):
        read(path)


@pytest.mark.parametrize("ending", ["", ".gz", ".zst"])
def test_a_last_line_beyond_the_buffer_of_duckdb_is_not_left_out(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"a.csv{ending}"
    labels = "VALUES ('a', '1'), ('b', '2'), ('c', repeat('x', 33000000))"
    packed = {"": "none", ".gz": "gzip", ".zst": "zstd"}[ending]
    duckdb.execute(f"COPY (SELECT * FROM ({labels}) t(gold, pred)) TO '{path}' (HEADER, COMPRESSION {packed})")
    with pytest.raises(karat.FileError, match=r"more than 16,000,000 characters in one line|CSV Error on Line: 4"):
        karat.read(path)


def test_json_lines_with_a_new_key_each_do_not_take_lines_times_keys(tmp_path: Path) -> None:
    lines = [json.dumps({"gold": i % 3, "pred": i % 2, f"key{i}": i}) for i in range(4000)]
    path = write(tmp_path / "a.jsonl", "\n".join(lines))
    tracemalloc.start()
    karat.read(path, gold="gold", pred="pred")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4000 * 4000  # bytes: an eighth of a list for each key


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize("name", ["a.csv", "a.jsonl"])
def test_too_many_columns_are_refused(name: str, large: bool, tmp_path: Path) -> None:
    names = [f"c{i}" for i in range(30)]
    texts = {"a.csv": f"{','.join(names)}\n", "a.jsonl": "".join(json.dumps({name: 1}) + "\n" for name in names)}
    path = write(tmp_path / name, texts[name])
    by = large_files() if large else contextlib.nullcontext()
    with by, lowered({COLUMNS: 20}), pytest.raises(karat.FileError, match="columns or keys"):
        karat.read(path)


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.cmty", "a.key", "a.matrix"])
@pytest.mark.parametrize("limit", [IN_MEMORY, UNPACKED])
def test_what_is_read_whole_has_a_limit_and_packed_files_another(name: str, limit: Limit, tmp_path: Path) -> None:
    text, times = TEXTS[name]
    path = write(tmp_path / (name if limit is IN_MEMORY else f"{name}.gz"), text)
    with lowered({limit: 3000}), pytest.raises(karat.FileError, match="more than 3,000 bytes"):
        read(path, times)


def test_labels_by_line_may_be_of_any_size_but_packed_ones_have_a_limit(tmp_path: Path) -> None:
    path, packed = write(tmp_path / "a.labels", "a\nb\n" * 999), write(tmp_path / "a.labels.gz", "a\nb\n" * 999)
    with lowered({IN_MEMORY: 100, UNPACKED: 1000}):
        assert read(path, 2).tables["a"].n == 1998
        with pytest.raises(karat.FileError, match="more than 1,000 bytes once unpacked"):
            read(packed, 2)


def test_unpacking_takes_one_pass_in_however_many_members(monkeypatch: pytest.MonkeyPatch) -> None:
    packed = gzip.compress(b"") * 3000 + gzip.compress(b"x" * 500)
    given: list[int] = []

    class Counted(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            given.append(len(part := super().read(size)))
            return part

    assert check_unpacked(Counted(packed), "a.gz") == 500
    assert sum(given) < 2 * len(packed)
    with lowered({UNPACKED: 499}), pytest.raises(karat.FileError, match=r"'a.gz': more than 499 bytes once unpacked"):
        check_unpacked(io.BytesIO(packed), "a.gz")


def arrow(path: Path, table: Any, compression: str | None) -> Path:
    options = pa.ipc.IpcWriteOptions(compression=compression)
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, table.schema, options=options) as writer:
        writer.write_table(table)
    return path


@pytest.mark.parametrize("compression", ["zstd", "lz4"])
def test_packed_arrow_buffers_are_measured_before_they_are_unpacked(compression: str, tmp_path: Path) -> None:
    zeros = np.zeros(100_000, np.int64)
    path = arrow(tmp_path / "a.arrow", pa.table({"gold": zeros, "pred": zeros}), compression)
    assert karat.read(path).tables["pred"].n == 100_000
    for limit in (BATCH, UNPACKED):
        with lowered({limit: 1_000_000}), pytest.raises(karat.FileError, match=r"1,600,\d\d\d bytes once unpacked"):
            karat.read(path)
    content = bytearray(path.read_bytes())
    place = content.find((800_000).to_bytes(8, "little"))
    content[place : place + 8] = (10**15).to_bytes(8, "little")
    path.write_bytes(content)
    with pytest.raises(karat.FileError, match="bytes once unpacked in one part of the file, but 4,000,000,000 is"):
        karat.read(path)


def test_plain_arrow_buffers_may_be_of_any_size(tmp_path: Path) -> None:
    zeros = np.zeros(100_000, np.int64)
    path = arrow(tmp_path / "a.arrow", pa.table({"gold": zeros, "pred": zeros}), None)
    with lowered({BATCH: 1000, UNPACKED: 1000}):
        assert karat.read(path).tables["pred"].n == 100_000


def test_columns_of_nulls_claim_no_more_rows_than_memory_holds(tmp_path: Path) -> None:
    nothing = pa.Array.from_buffers(pa.null(), 2_000_000_000, [None])
    batch = pa.RecordBatch.from_arrays([nothing, nothing], names=["gold", "pred"])
    path = arrow(tmp_path / "a.arrow", pa.Table.from_batches([batch]), None)
    with pytest.raises(karat.FileError, match="16,000,000,000 bytes once unpacked"):
        karat.read(path, missing="singletons")


def test_parquet_says_in_its_footer_what_it_unpacks_to(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    duckdb.execute(f"COPY (SELECT 1 AS gold, 2 AS pred FROM range(100000)) TO '{path}'")
    assert karat.read(path).tables["pred"].n == 100_000
    with lowered({UNPACKED: 100_000}), pytest.raises(karat.FileError, match="bytes once unpacked, but 100,000 is"):
        karat.read(path)


def test_a_saved_table_has_no_more_rows_than_cells(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    karat.Table.from_labels([1, 2], [1, 2]).save(path)
    head = duckdb.execute("SELECT value::VARCHAR FROM parquet_kv_metadata(?)", [str(path)]).fetchall()[0][0]
    rows = "SELECT '1' AS gold, '1' AS pred, 0 AS row, 0 AS col, 1 AS count FROM range(1000000)"
    copy = f"COPY ({rows}) TO '{path}' (FORMAT PARQUET, KV_METADATA {{karat: ?}})"
    duckdb.execute(copy, [head.encode().decode("unicode_escape") if "\\x" in head else head])
    with pytest.raises(karat.TableError, match="1,000,000 cells, more than its classes times its clusters"):
        karat.Table.load(path)


HEADERS: dict[str, tuple[str, str, str]] = {
    "no length": ("|S0", "(50000000,)", "labels of no length"),
    "no length, negative": ("|S0", "(-1,)", "is not one of non-negative integers"),
    "negative": ("<i8", "(-1,)", "is not one of non-negative integers"),
    "beyond the file": ("<i8", "(9,)", "should have 72 bytes of data but has 64"),
    "beyond 64 bits": ("<i8", f"({2**64},)", "should have"),
    "product beyond 64 bits": ("<i8", f"({2**32}, {2**32})", "should have"),
    "long labels": ("|S1000000000", "(1,)", "should have"),
    "objects": ("|O", "(8,)", "pickled objects"),
    "two dimensions": ("<i8", "(2, 4)", "give one label per item"),
    "none": ("<i8", "(0,)", "has no labels"),
    "a truth value": ("<i8", "(True,)", "is not one of non-negative integers"),
}


@pytest.mark.parametrize("order", [True, False])
@pytest.mark.parametrize(("kind", "shape", "message"), HEADERS.values(), ids=list(HEADERS))
def test_an_array_holds_what_its_header_says(kind: str, shape: str, message: str, order: bool, tmp_path: Path) -> None:
    head = f"{{'descr': '{kind}', 'fortran_order': {order}, 'shape': {shape}, }}".encode().ljust(117) + b"\n"
    path = tmp_path / "a.npy"
    path.write_bytes(b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head + bytes(64))
    with pytest.raises(karat.FileError, match=message):
        karat.read(path, path)


WIDE = karat.Table.from_cells(np.arange(60_000), np.arange(60_000), np.ones(60_000, np.int64))
MANY = {"g": ["a", None, "b"], "p": [1, 2, 3], "n": [10**11] * 3}


def frame(kind: str) -> Any:
    import pandas
    import polars

    if kind == "duckdb":
        return duckdb.sql("SELECT * FROM (VALUES ('a', 1, 100000000000), (NULL, 2, 100000000000)) t(g, p, n)")
    return {"pandas": pandas.DataFrame, "polars": polars.DataFrame, "pyarrow": pa.table}[kind](MANY)


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow", "duckdb"])
@pytest.mark.parametrize(
    "policy", [{"missing": "singletons"}, {"missing": "cluster", "noise": 2, "noise_as": "singletons"}]
)
def test_counted_items_do_not_become_more_singletons_than_memory_holds(kind: str, policy: Any) -> None:
    with pytest.raises(karat.KaratError, match="100,000,000,000 singletons, but 50,000,000 is"):
        karat.table(frame(kind), gold="g", pred="p", count="n", **policy)


@pytest.mark.parametrize(
    "ask",
    [
        lambda: karat.Stack.of([WIDE]),
        lambda: __import__("karat.sklearn").sklearn.contingency_matrix(np.arange(60_000), np.arange(60_000)),
        lambda: karat.wrap(lambda gold, pred: 0.5, name="half")(karat.Table.from_matrix([[10**12]])),
    ],
)
def test_dense_tables_and_lists_that_no_memory_holds_are_refused(ask: Callable[[], Any]) -> None:
    with pytest.raises(karat.KaratError, match="is the most"):
        ask()


def test_very_many_columns_are_looked_through_once(tmp_path: Path) -> None:
    head = ",".join(f"c{i}" for i in range(50_000))
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text(f"{head}\n{'x,' * 49_999}x\n{'y,' * 49_999}y\n")
    begun = time.monotonic()
    with pytest.raises(karat.FileError, match="none of which looks like item ids"):
        karat.read(tmp_path / "a.csv", tmp_path / "b.csv")  # which took minutes
    assert time.monotonic() - begun < 15


class Endless(io.RawIOBase):
    """Labels without end; but for the limit, they would fill the disk."""

    given = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        buffer[:] = (b"a,b\n" * len(buffer))[: len(buffer)]
        self.given += len(buffer)
        assert self.given < 10_000_000
        return len(buffer)


def test_standard_input_that_never_ends_does_not_fill_the_disk(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("karat.machine.temporary.own_folder", lambda *_: str(tmp_path))
    message = r"^standard input: more than 1,000,000 bytes of a stream \(it is copied.*\); write it to a file, and name"
    for room in (10**12, 2_000_000):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(Endless())))
        monkeypatch.setattr(shutil, "disk_usage", lambda _, room=room: shutil._ntuple_diskusage(room, 0, room))
        with lowered({STREAM: 1_000_000} if room == 10**12 else {}), pytest.raises(karat.FileError, match=message):
            karat.read("-")
        assert not list(tmp_path.iterdir())


def test_a_pipe_that_never_ends_does_not_fill_the_disk(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    never = subprocess.Popen(["sh", "-c", 'yes a,b > "$0"', str(tmp_path / "pipe")])
    with never, lowered({STREAM: 1_000_000}), pytest.raises(karat.FileError, match=r"pipe': more than 1,000,000 bytes"):
        karat.read(tmp_path / "pipe")
