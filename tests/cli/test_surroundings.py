"""Nothing in the working directory is imported or run, by any command, nor by the processes that it starts."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

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


FILES = [str(Path(__file__).parents[2] / "docs" / "examples" / name) for name in ("gold.csv", "kmeans.csv")]
REMOVED = """
import os, sys, tempfile
folder = tempfile.mkdtemp()
os.chdir(folder)
os.rmdir(folder)
os.execv(sys.executable, sys.argv[1:])
"""


def ended(*arguments: str, **options: Any) -> tuple[int, str, str]:
    """The exit status, output and messages of Python with these arguments."""
    environment = {**os.environ, "PYTHONPATH": str(Path(karat.__file__).parents[1]), **options.pop("env", {})}
    done = subprocess.run(
        [sys.executable, *arguments], text=True, env=environment, stdin=subprocess.DEVNULL, timeout=120, check=False,
        **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options},
    )  # fmt: skip
    return done.returncode, done.stdout or "", done.stderr


@pytest.mark.skipif(os.name == "nt", reason="Windows keeps the working directory")
def test_a_working_directory_that_was_removed_is_named() -> None:
    def karat_there(*command: str) -> tuple[int, str, str]:
        return ended("-c", REMOVED, sys.executable, "-m", "karat", *command)

    status, output, _ = karat_there("score", *FILES, "-m", "ari", "-q")
    assert status == 0
    assert "0.4025" in output
    status, _, message = karat_there("table", *FILES, "-q", "-o", "t.json")
    assert (status, message.count("\n")) == (1, 1)
    assert message.startswith("karat: the working directory has been removed;")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_an_address_that_cannot_be_printed_is_a_failure_that_names_the_stream() -> None:
    with Path("/dev/full").open("w") as full:
        status, _, message = ended("-m", "karat", "app", "--no-browser", stdout=full)
    assert (status, message.count("\n")) == (1, 1)
    assert message.startswith("karat: standard output cannot be written (No space left on device);")


def test_libraries_say_nothing_of_a_home_that_cannot_be_written(tmp_path: Path) -> None:
    nowhere = str(tmp_path / "file" / "home")
    (tmp_path / "file").write_text("")
    homes = dict.fromkeys(("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "MPLCONFIGDIR"), nowhere)
    page = tmp_path / "page.html"
    status, _, message = ended("-m", "karat", "report", *FILES, "-q", "-o", str(page), env=homes)
    assert (status, message) == (0, "")
    assert page.exists()


INTERRUPTED_AT_EXIT = """
import atexit, os, signal, sys
from karat.cli import main
atexit.register(os.kill, os.getpid(), signal.SIGINT)
sys.argv = ["karat", "measures", "ari", "-q"]
sys.exit(main())
"""


def test_an_interrupt_after_the_output_is_complete_changes_no_status() -> None:
    status, output, message = ended("-c", INTERRUPTED_AT_EXIT)
    assert (status, message) == (0, "")
    assert "Adjusted Rand index" in output


@pytest.mark.parametrize("command", ["--help", "score --help", "reproduce --help", "reproduce nosuch\u00e9"])
def test_help_is_printed_in_any_encoding(command: str) -> None:
    status, output, message = ended("-m", "karat", *command.split(), env={"LC_ALL": "C", "PYTHONIOENCODING": "ascii"})
    assert "Traceback" not in message
    assert (status, bool(output)) == ((0, True) if "--help" in command else (2, False))
