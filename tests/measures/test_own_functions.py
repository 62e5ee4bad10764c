"""Functions of the user's own: named explicitly, and nothing else in a folder of data is ever run."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import karat
from karat.cli import main

GEO = "def geo(gold, pred):\n    return 0.25\nclass Inner:\n    same = staticmethod(geo)\n"
# modules that Python, NumPy, rich, matplotlib or narwhals try to import where they are not installed, or elsewhere
TRIED = ["nt", "_winapi", "pyarrow", "torch", "pandas", "modin", "ibis", "colorama", "ipywidgets", "sitecustomize"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of data with files that are called like modules."""
    for name in TRIED:
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'a').write('{name} ')\n")
    (tmp_path / "mine.py").write_text(GEO)
    (tmp_path / "labels.csv").write_text("gold,pred,other\na,1,1\na,1,2\nb,2,2\nb,1,2\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "command",
    ["score labels.csv --gold gold --pred pred", "compare labels.csv --gold gold --pred pred --pred other",
     "report labels.csv --gold gold --pred pred -o out.html", "explain labels.csv --gold gold --pred pred",
     "score labels.csv --gold gold --pred pred --engine polars"],
    ids=lambda text: text.split()[0],
)  # fmt: skip
@pytest.mark.parametrize("start", [[sys.executable, "-m", "karat"], [str(Path(sys.executable).with_name("karat"))]])
def test_no_file_beside_the_data_is_run(folder: Path, command: str, start: list[str]) -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path(karat.__file__).parents[1])}
    done = subprocess.run([*start, *command.split()], capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    assert not (folder / "ran").exists(), (folder / "ran").read_text()


@pytest.mark.parametrize("path", ["./mine.py:geo", "mine.py:geo", "mine.py:Inner.same"])
def test_a_function_in_a_file_is_named_by_its_path(folder: Path, path: str) -> None:
    assert karat.score([0, 0, 1], [0, 1, 1], [path])[path] == 0.25
    assert karat.parse(str(folder / "mine.py") + ":geo")([0, 1], [0, 1]) == 0.25
    assert str(karat.parse(f"adjusted({path}, samples=10)")).startswith("adjusted(")


def test_the_command_line_takes_a_file_and_says_how_if_a_module_is_not_found(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    columns = ["labels.csv", "--gold", "gold", "--pred", "pred"]
    assert main(["score", *columns, "-m", "ari,./mine.py:geo"]) == 0
    assert "./mine.py:geo ↑  0.2500" in capsys.readouterr().out
    before = list(sys.path)
    assert main(["score", *columns, "-m", "mine:geo"]) == 1
    assert "name a file of your own by its path, such as ./mine.py:geo" in capsys.readouterr().err
    assert sys.path == before


@pytest.mark.parametrize(
    ("path", "message"),
    [("./none.py:geo", "No such file"), ("./mine.py:none", "none"), ("./bad.py:f", "ZeroDivisionError")],
)
def test_a_file_that_cannot_be_run_is_told_in_one_sentence(folder: Path, path: str, message: str) -> None:
    (folder / "bad.py").write_text("1 / 0\n")
    with pytest.raises(karat.MeasureError, match=message):
        karat.parse(path)


def test_a_file_may_define_dataclasses_and_its_functions_can_be_pickled(folder: Path) -> None:
    (folder / "rich.py").write_text(
        "from __future__ import annotations\nfrom dataclasses import dataclass\n"
        "@dataclass\nclass Kept:\n    value: float\n"
        "def half(gold, pred):\n    return Kept(0.5).value\n"
    )
    measure = karat.parse("./rich.py:half")
    assert measure([0, 1], [0, 1]) == 0.5
    assert pickle.loads(pickle.dumps(measure))([0, 1], [0, 1]) == 0.5
