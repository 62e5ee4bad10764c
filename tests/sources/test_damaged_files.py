"""Damaged files of every kind: refused in a sentence, or read; never a crash, a hang or a raw error.

Each kind is damaged at random places from a fixed seed, and read in a process of its own, which a crash would end.
"""

from __future__ import annotations

import gzip
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, TypeAlias

import duckdb
import h5py
import numpy as np
import pyarrow as pa
import pyarrow.feather
import pytest

import karat
from doors import WRITERS, Case
from karat.sources.files.inputs import find_input
from karat.sources.files.registry import Format, formats
from shared import enough

CASE = Case(["a", "bb", "ccc", "a", "d"] * 12, ["x", "y", "z", "x", "w"] * 12)
READ = """
import sys, karat
from karat.papers.corpora.texts import read_texts
from karat.papers.corpora.textgrids import read_textgrid
from karat.papers.corpora.treebanks import trees_in
for path in sys.argv[1:]:
    outcome = "read"
    try:
        if path.endswith((".table.json", ".table.parquet")):
            karat.Table.load(path)
        elif path.endswith(".treebank"):
            list(trees_in(path))
        elif path.endswith(".TextGrid"):
            read_textgrid(path)
        elif path.endswith(".documents.csv"):
            read_texts(path)
        else:
            reading = karat.read(*[path] * TIMES, **OPTIONS)
            found = [reading.tables] if reading.groups is None else reading.groups.values()
            for tables in found:
                for table in tables.values():
                    karat.score(table, measures=["ari", "v_measure"])
    except karat.KaratError as problem:
        outcome = "refused" if "\\n" not in str(problem) and len(str(problem)) < 600 else f"LONG {problem}"
    except BaseException as problem:
        outcome = f"RAW {type(problem).__name__} {problem}"
    print(path, outcome, flush=True)
"""


class Sample(NamedTuple):
    """A file that is whole, and how it is read: as gold and as a system too, if it is given twice."""

    path: Path
    times: int = 2
    options: dict[str, str] = {}  # noqa: RUF012 (never changed)


Writer: TypeAlias = Callable[[Path], Sample]
NAMES = {"gold": "class", "pred": "cluster"}


def columns(ending: str) -> Writer:
    def write(folder: Path) -> Sample:
        path = folder / f"whole.{ending}"
        WRITERS[ending](path, CASE.columns)
        return Sample(path, 1, NAMES)

    return write


def npy(folder: Path) -> Sample:
    np.save(folder / "whole.npy", np.array(CASE.gold))
    return Sample(folder / "whole.npy")


def table(ending: str) -> Writer:
    def write(folder: Path) -> Sample:
        path = folder / f"whole.table.{ending}"
        karat.Table.from_labels(CASE.gold, CASE.pred).save(path)
        return Sample(path)

    return write


def text(name: str, content: str, times: int = 2) -> Writer:
    def write(folder: Path) -> Sample:
        path = folder / f"whole.{name}"
        path.write_bytes(gzip.compress(content.encode()) if name.endswith(".gz") else content.encode())
        return Sample(path, times)

    return write


def example(form: Format) -> Writer:
    """The example that a format declares: labels of items, or gold and predicted labels, or a table."""

    def write(folder: Path) -> Sample:
        path = folder / f"whole{(form.endings or ('.' + form.name,))[0]}"
        path.write_text(form.example, encoding="utf-8")
        options = {} if form.endings else {"input": form.name}
        columns = [] if form.read is None else form.read(find_input(str(path), form.name)).names
        return Sample(path, 1 if form.table is not None or {"class", "cluster"} <= set(columns) else 2, options)

    return write


def packed(ending: str, compression: str) -> Writer:
    """A file whose parts are packed, as DuckDB or Arrow does it."""

    def write(folder: Path) -> Sample:
        path = folder / f"whole.{ending}"
        rows = pa.table(CASE.columns)
        if ending == "feather":
            pyarrow.feather.write_feather(rows, path, compression=compression)
        else:
            duckdb.execute(f"COPY rows TO '{path}' (COMPRESSION {compression})")
        return Sample(path, 1, NAMES)

    return write


def h5ad(folder: Path) -> Sample:
    with h5py.File(folder / "whole.h5ad", "w") as file:
        obs = file.create_group("obs")
        obs.attrs["_index"] = "id"
        obs.create_dataset("id", data=np.arange(60), compression="gzip", chunks=(7,))
        obs.create_dataset("class", data=CASE.gold, dtype=h5py.string_dtype())
        codes = obs.create_group("cluster")
        codes["categories"], codes["codes"] = [b"w", b"x", b"y", b"z"], np.arange(60) % 4
    return Sample(folder / "whole.h5ad", 1, NAMES)


def npz(folder: Path) -> Sample:
    np.savez_compressed(folder / "whole.npz", gold=np.array(CASE.gold))
    return Sample(folder / "whole.npz")


TIGER = """<?xml version="1.0"?><corpus><body><s id="s1"><graph root="n1"><terminals><t id="t1" word="dogs" pos="NN"/>
<t id="t2" word="bark" pos="V"/></terminals><nonterminals><nt id="n1" cat="S"><edge label="SB" idref="t1"/>
<edge label="HD" idref="t2"/></nt></nonterminals></graph></s></body></corpus>"""
PENN = "( (S (NP (DT the) (NN dog)) (VP (VBZ barks) (. .))))\n" * 5
NEGRA = "#BOS 1 0 1 1\ndogs NN -- SB 500\nbark VV -- HD 500\n#500 S -- -- 0\n#EOS 1\n" * 3
GRID = """File type = "ooTextFile"
Object class = "TextGrid"
xmin = 0
xmax = 1
tiers? <exists>
size = 1
item []:
    item [1]:
        class = "IntervalTier"
        name = "words"
        xmin = 0
        xmax = 1
        intervals: size = 1
        intervals [1]:
            xmin = 0
            xmax = 1
            text = "a ""b"" c"
"""

KINDS: dict[str, Writer] = {
    **{ending: columns(ending) for ending in WRITERS},
    "npy": npy,
    "npz": npz,
    "h5ad": h5ad,
    "csv.zst": packed("csv.zst", "zstd"),
    "Parquet by gzip": packed("parquet", "gzip"),
    "Feather by LZ4": packed("feather", "lz4"),
    "Feather by Zstandard": packed("feather", "zstd"),
    **{form.name: example(form) for form in formats().values() if form.example},
    "jsonl.gz": text("jsonl.gz", '{"class": "a", "cluster": 1}\n{"class": 2, "cluster": 3}\n' * 9, 1),
    "labels.gz": text("labels.gz", "a\nb\n" * 30),
    "TIGER-XML": text("treebank", TIGER),
    "Penn brackets": text("treebank", PENN),
    "NEGRA export": text("treebank", NEGRA),
    "TextGrid": text("TextGrid", GRID),
    "documents": text("documents.csv", "class,text\n" + "a,one two\nb,three\n" * 9),
    "table": table("json"),
    "saved Parquet": table("parquet"),
}


FORGIVING = ("labels", "communities", "documents")  # in which nearly every text is a label, an item or a word


@pytest.mark.parametrize("kind", KINDS)
def test_damaged_files_are_read_or_refused(kind: str, tmp_path: Path) -> None:
    whole, times, options = KINDS[kind](tmp_path)
    content, draw = whole.read_bytes(), random.Random(kind)
    paths = []
    for number in range(enough(80 if kind == "h5ad" else 320)):  # each of those is a process of its own
        damaged = bytearray(content)
        for _ in range(draw.choice([1, 1, 2, 8, 40])):
            damaged[draw.randrange(len(damaged))] = draw.randrange(256)
        if draw.random() < 0.2:
            del damaged[draw.randrange(len(damaged)) :]
        paths.append(tmp_path / f"{number}.{whole.name.partition('.')[2]}")
        paths[-1].write_bytes(damaged)
    code = READ.replace("TIMES", str(times)).replace("OPTIONS", repr(options))
    done = subprocess.run(
        [sys.executable, "-c", code, str(whole), *map(str, paths)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    first, *outcomes = [line.split(" ", 1)[1] for line in done.stdout.splitlines()]
    assert done.returncode == 0, f"{paths[len(outcomes)]}: {done.stderr[-500:]}"
    assert first == ("refused" if kind == "npz" else "read")
    assert not [line for line in outcomes if line not in ("read", "refused")]
    assert "refused" in outcomes or kind in FORGIVING


def test_every_format_is_damaged() -> None:
    assert set(formats()) <= set(KINDS)


def test_an_array_of_labels_without_length_is_refused(tmp_path: Path) -> None:
    head = b"{'descr': '|S0', 'fortran_order': False, 'shape': (50000000,), }".ljust(117) + b"\n"
    (tmp_path / "a.npy").write_bytes(b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head)
    with pytest.raises(karat.FileError, match=r"labels of no length|cannot be read as NumPy"):
        karat.read(tmp_path / "a.npy", tmp_path / "a.npy")


def test_an_array_of_arrays_is_refused(tmp_path: Path) -> None:
    head = b"{'descr': ('<i4', (3,)), 'fortran_order': False, 'shape': (4,), }".ljust(117) + b"\n"
    (tmp_path / "a.npy").write_bytes(b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head + bytes(48))
    with pytest.raises(karat.FileError, match=r"has shape \(4, 3\)"):
        karat.read(tmp_path / "a.npy", tmp_path / "a.npy")


TRUNCATED = """
import sys, karat
from karat.sources.files import reading
opened = reading.open_source
def truncated(source, *more):
    found = opened(source, *more)
    open(source.path, "r+b").truncate(4096)
    return found
reading.open_source = truncated
columns = {"gold": "class", "pred": "cluster"} if sys.argv[1].endswith("arrow") else {}
try:
    print(karat.read(*sys.argv[1:], **columns).tables)
except karat.KaratError as problem:
    print(problem)
"""


@pytest.mark.parametrize("kind", ["npy", "text.npy", "arrow"])
def test_a_file_that_is_truncated_while_it_is_read_ends_no_process(kind: str, tmp_path: Path) -> None:
    paths = [tmp_path / f"{name}.{kind}" for name in ("one" if kind == "arrow" else "one two").split()]
    for path in paths:
        if kind == "arrow":
            WRITERS["arrow"](path, Case(["a", "b"] * 99_999, ["x", "y", "z"] * 66_666).columns)
        else:
            np.save(path, np.arange(99_999) % 7 if kind == "npy" else np.array(["a", "b", "c"] * 33_333))
    command = [sys.executable, "-c", TRUNCATED, *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("\n") == 1


def overwritten(old: bytes, new: bytes, at: int) -> Callable[[bytes], bytes]:
    """Bytes with some replaced, where old begins, plus at."""

    def change(content: bytes) -> bytes:
        start = content.index(old) + at
        return content[:start] + new + content[start + len(new) :]

    return change


OFFSETS = np.arange(4, dtype="<i4").tobytes()  # of labels of one letter
CORRUPT: dict[str, Callable[[bytes], bytes]] = {
    "an offset too far": overwritten(OFFSETS, np.array([2**31 - 256], "<i4").tobytes(), 16),
    "an offset going back": overwritten(OFFSETS, np.array([-5_000_000], "<i4").tobytes(), 16),
    "a code out of range": overwritten(np.array([0, 1, 2, 1], "<i4").tobytes(), np.array([2**30], "<i4").tobytes(), 8),
}


@pytest.mark.parametrize("fault", CORRUPT)
def test_a_corrupt_arrow_file_ends_no_process(fault: str, tmp_path: Path) -> None:
    codes = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, 1] * 15, pa.int32()), ["k", "l", "m"])
    table = pa.table({"gold": codes if "code" in fault else ["a", "b", "c", "d"] * 15, "pred": list(range(60))})
    with pa.OSFile(str(tmp_path / "a.arrow"), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)
    (tmp_path / "a.arrow").write_bytes(CORRUPT[fault]((tmp_path / "a.arrow").read_bytes()))
    command = [sys.executable, "-m", "karat", "score", str(tmp_path / "a.arrow"), "--gold", "gold", "--pred", "pred"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1, done.stderr
    assert "a.arrow' cannot be read as Arrow (In column 0: Invalid: " in done.stderr
