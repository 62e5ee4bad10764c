"""AnnData files are read by a process of their own: what ends it is one sentence."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

import karat
from karat.limits import OBSERVATIONS, lowered
from karat.sources.files import observations

DIES = "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)"
DIES_LATER = f"""import json, sys
print(json.dumps({{"columns": ["cell", "class", "cluster"], "index": "cell"}}), flush=True)
sys.stdin.readline()
{DIES}
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with h5py.File(tmp_path / "a.h5ad", "w") as file:
        obs = file.create_group("obs")
        obs.attrs["_index"] = "cell"
        obs["cell"], obs["class"], obs["cluster"] = np.arange(6), np.arange(6) % 2, np.arange(6) % 3
    return tmp_path / "a.h5ad"


@pytest.mark.parametrize("code", [DIES, DIES_LATER], ids=["at once", "at a column"])
def test_a_crash_of_the_library_is_one_sentence(code: str, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(observations, "_START", code)
    with pytest.raises(karat.FileError, match=r"a.h5ad' made HDF5's library fail \(signal SIGSEGV\); check"):
        karat.read(path, gold="class", pred="cluster")


def test_nothing_is_imported_from_the_working_directory(path: Path) -> None:
    for name in ("h5py", "numpy", "json", "karat", "sitecustomize"):
        (path.parent / f"{name}.py").write_text("raise SystemExit('imported from the working directory')")
    words = [sys.executable, "-P", "-m", "karat", "score", path.name, "--gold", "class", "--pred", "cluster", "--quiet"]
    done = subprocess.run(words, cwd=path.parent, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr


def add(path: Path, **options: Any) -> Path:
    with h5py.File(path, "a") as file:
        file["obs"].create_dataset("evil", **options)
    return path


CLAIMS: dict[str, tuple[dict[str, Any], str]] = {
    "data that were never written": ({"shape": (10**12,), "dtype": "i8", "chunks": (1000,)}, "bytes in one column"),
    "a large chunk": (
        {"shape": (6,), "maxshape": (None,), "dtype": "i8", "chunks": (500_000_000,)}, "bytes in one column of obs"
    ),
    "more values than observations": ({"shape": (7,), "dtype": "i8"}, r"shape \(7,\) .* one label for each"),
    "one value": ({"data": 5}, r"shape \(\) .* one label for each"),
    "two dimensions": ({"data": np.ones((6, 2))}, r"shape \(6, 2\) .* one label for each"),
    "no shape": ({"data": h5py.Empty("f")}, r"shape None .* one label for each"),
    "references": ({"shape": (6,), "dtype": h5py.ref_dtype}, "no labels"),
    "complex numbers": ({"data": np.ones(6, complex)}, "no labels"),
}  # fmt: skip


@pytest.mark.parametrize(("options", "message"), CLAIMS.values(), ids=list(CLAIMS))
def test_what_a_column_claims_is_checked_before_it_is_read(options: Any, message: str, path: Path) -> None:
    with pytest.raises(karat.FileError, match=message):
        karat.read(add(path, **options), gold="class", pred="evil")


def test_the_limit_of_this_process_holds_for_the_other(path: Path) -> None:
    with lowered({OBSERVATIONS: 50}), pytest.raises(karat.FileError, match="96 bytes in one column of obs, but 50 is"):
        karat.read(path, gold="class", pred="cluster")


def test_the_process_ends_with_its_reader(path: Path) -> None:
    from karat.sources.files.inputs import find_input

    reader = observations.Observations(find_input(str(path)))
    process = reader._process
    assert reader.column("cluster") == [0, 1, 2, 0, 1, 2]
    del reader
    assert process.returncode == 0


def test_an_index_that_is_not_there_is_no_link(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "d.h5ad", "w") as file:
        file.attrs["encoding-type"] = "anndata"
        file.create_group("obs").attrs["_index"] = "barcode"
        file["obs"].create_dataset("g", data=[1, 2])
    with pytest.raises(karat.FileError, match="'barcode'; save it again as AnnData"):
        karat.read(tmp_path / "d.h5ad", gold="g", pred="g")
