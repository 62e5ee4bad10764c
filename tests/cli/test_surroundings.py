"""Nothing in the working directory is imported or run, by any command, nor by the processes that it starts."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import karat
from karat.machine.programs import find_program, keep_to_installed
from shared import THOROUGH

MODULES = [
    "pip", "numpy", "duckdb", "sitecustomize", "usercustomize", "json", "rich", "scipy", "narwhals", "pandas", "polars",
    "pyarrow", "matplotlib", "jinja2", "shtab", "multiprocessing", "subprocess", "statistics", "csv", "colorama",
    "encodings", "h5py", "parselmouth", "snowballstemmer", "evil",
]  # fmt: skip
PROGRAMS = ["festival", "sox", "git", "pip", "pip3", "python", "python3", "npm", "node", "java", "latex", "xdg-open"]
COLUMNS = "all.csv --gold class --pred one"
COMMANDS = [
    f"score {COLUMNS}", f"score {COLUMNS} --engine polars", f"compare {COLUMNS} --pred two", f"explain {COLUMNS}",
    f"table {COLUMNS} --save t.json", "merge saved.json", f"relate {COLUMNS} -m ari,nmi,purity --resamples 20",
    f"report {COLUMNS} -o page.html", "measures", "audit ari --property symmetry", "data list", "data path reuters",
    "data fetch reuters", "data fetch r8", "example", "completion bash", "reproduce manning2008", "--help", "--version",
    "reproduce kishida2014 --iterations 2 --processes 2",
    *(["reproduce rosenberg2007 --experiment accents"] if THOROUGH else []),  # which may take a minute
]  # fmt: skip


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of data with modules, packages, programs and settings that leave a trace if they are used."""
    folder = tmp_path_factory.mktemp("hostile")
    trace = folder / "ran"
    for name in MODULES:
        (folder / f"{name}.py").write_text(f"open({str(trace)!r}, 'a').write('module {name}\\n')\n")
    for name in PROGRAMS:
        (folder / name).write_text(f"#!/bin/sh\necho program {name} >> '{trace}'\nexit 1\n")
        (folder / name).chmod(0o755)
    (folder / "matplotlibrc").write_text("backend: module://evil\ntext.usetex: True\n")
    (folder / "all.csv").write_text("id,class,one,two\n1,a,x,p\n2,a,x,q\n3,b,y,q\n4,b,x,q\n")
    karat.Table.from_labels(["a", "a", "b"], ["x", "y", "y"]).save(folder / "saved.json")
    return folder


@pytest.mark.parametrize("command", COMMANDS)
def test_nothing_in_the_working_directory_is_imported_or_run(command: str, hostile: Path) -> None:
    environment = {
        **os.environ,
        "PYTHONPATH": str(Path(karat.__file__).parents[1]),
        "PATH": f".{os.pathsep}{os.pathsep}{os.environ['PATH']}{os.pathsep}",
        "XDG_CACHE_HOME": str(hostile / "cache"),
        "PIP_INDEX_URL": "http://127.0.0.1:9/", "NPM_CONFIG_REGISTRY": "http://127.0.0.1:9/",  # where nobody answers
        "PIP_RETRIES": "0",
    }  # fmt: skip
    script = str(Path(sys.executable).with_name("karat"))
    starts = [[sys.executable, "-m", "karat"], [sys.executable, script]]
    for start in starts if THOROUGH else [starts[COMMANDS.index(command) % 2]]:
        done = subprocess.run(
            [*start, *command.split()], cwd=hostile, env=environment, capture_output=True, text=True, check=False,
            stdin=subprocess.DEVNULL, timeout=300,
        )  # fmt: skip
        used = (hostile / "ran").read_text() if (hostile / "ran").exists() else ""
        (hostile / "ran").unlink(missing_ok=True)
        assert used == "", done.stderr
        assert "Traceback" not in done.stderr
        assert done.returncode in ((0, 1) if command.startswith(("data", "reproduce r")) else (0,)), done.stderr


def test_programs_are_looked_for_in_absolute_folders_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in (tmp_path, tmp_path / "bin"):
        folder.mkdir(exist_ok=True)
        (folder / "thing").write_text("#!/bin/sh\n")
        (folder / "thing").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", os.pathsep.join(["", ".", "bin", str(tmp_path / "bin")]))
    assert find_program("thing") == str(tmp_path / "bin" / "thing")
    monkeypatch.setenv("PYTHONSAFEPATH", "")
    keep_to_installed()
    assert os.environ["PATH"] == str(tmp_path / "bin")
    done = subprocess.run(
        [sys.executable, "-c", "import sys; print('' in sys.path)"], capture_output=True, text=True, check=True
    )
    assert done.stdout == "False\n"
