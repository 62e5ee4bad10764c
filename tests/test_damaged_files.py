"""Damaged files of every kind: refused in a sentence, or read; never a crash, a hang or a raw error.

Each kind is damaged at random places from a fixed seed, and read in a process of its own, which a crash would end.
"""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import karat
from doors import WRITERS, Case
from shared import enough

CASE = Case(["a", "bb", "ccc", "a", "d"] * 12, ["x", "y", "z", "x", "w"] * 12)
READ = """
import sys, karat
for path in sys.argv[1:]:
    told = "read"
    try:
        if path.endswith((".table.json", ".table.parquet")):
            karat.Table.load(path)
        else:
            reading = karat.read(path, gold=GOLD, pred=PRED) if GOLD else karat.read(path, path)
            for table in reading.tables.values():
                karat.score(table, measures=["ari", "v_measure"])
    except karat.KaratError as problem:
        told = "refused" if "\\n" not in str(problem) and len(str(problem)) < 600 else f"LONG {problem}"
    except BaseException as problem:
        told = f"RAW {type(problem).__name__} {problem}"
    print(path, told, flush=True)
"""


def columns(ending: str) -> Callable[[Path], tuple[Path, str, str]]:
    def write(folder: Path) -> tuple[Path, str, str]:
        path = folder / f"whole.{ending}"
        WRITERS[ending](path, CASE.columns)
        return path, "class", "cluster"

    return write


def npy(folder: Path) -> tuple[Path, str, str]:
    np.save(folder / "whole.npy", np.array(CASE.gold))
    return folder / "whole.npy", "", ""


def table(ending: str) -> Callable[[Path], tuple[Path, str, str]]:
    def write(folder: Path) -> tuple[Path, str, str]:
        path = folder / f"whole.table.{ending}"
        karat.Table.from_labels(CASE.gold, CASE.pred).save(path)
        return path, "", ""

    return write


KINDS: dict[str, Callable[[Path], tuple[Path, str, str]]] = {
    **{ending: columns(ending) for ending in WRITERS},
    "npy": npy,
    "saved JSON": table("json"),
    "saved Parquet": table("parquet"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_damaged_files_are_read_or_refused(kind: str, tmp_path: Path) -> None:
    whole, gold, pred = KINDS[kind](tmp_path)
    content, draw = whole.read_bytes(), random.Random(kind)
    paths = []
    for number in range(enough(320)):
        damaged = bytearray(content)
        for _ in range(draw.choice([1, 1, 2, 8, 40])):
            damaged[draw.randrange(len(damaged))] = draw.randrange(256)
        if draw.random() < 0.2:
            del damaged[draw.randrange(len(damaged)) :]
        paths.append(tmp_path / f"{number}.{whole.name.partition('.')[2]}")
        paths[-1].write_bytes(damaged)
    code = READ.replace("GOLD", repr(gold)).replace("PRED", repr(pred))
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, paths)], capture_output=True, text=True, timeout=300, check=False
    )
    told = [line.split(" ", 1)[1] for line in done.stdout.splitlines()]
    assert done.returncode == 0, f"{paths[len(told)]}: {done.stderr[-500:]}"
    assert not [line for line in told if line not in ("read", "refused")]
    assert "refused" in told


def test_an_array_of_labels_without_length_is_refused(tmp_path: Path) -> None:
    head = b"{'descr': '|S0', 'fortran_order': False, 'shape': (50000000,), }".ljust(117) + b"\n"
    (tmp_path / "a.npy").write_bytes(b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head)
    with pytest.raises(karat.FileError, match=r"labels of no length|not an array that karat reads"):
        karat.read(tmp_path / "a.npy", tmp_path / "a.npy")
