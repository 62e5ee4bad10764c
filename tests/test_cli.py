"""The command line."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import karat
from karat import cli
from karat.examples import textbook


def test_the_example_prints_the_textbooks_scores(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["example"]) == 0
    assert capsys.readouterr().out == f"{karat.score(*textbook())}\n"


def test_the_module_can_be_run() -> None:
    out = subprocess.run(
        [sys.executable, "-m", "karat", "--version"], check=True, capture_output=True, text=True
    ).stdout
    assert out == f"karat {karat.__version__}\n"


def test_a_users_mistake_is_one_line_and_status_1(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> str:
        raise karat.KaratError("gold is empty; give one label per item.")

    monkeypatch.setattr(cli, "_example", fail)
    assert cli.main(["example"]) == 1
    assert capsys.readouterr().err == "karat: gold is empty; give one label per item.\n"


def test_a_terminal_without_arrows_still_shows_the_numbers() -> None:
    run = [sys.executable, "-m", "karat", "example"]
    out = subprocess.run(run, check=True, capture_output=True, env={**os.environ, "PYTHONIOENCODING": "ascii"}).stdout
    assert b"v_measure    ?  0.3646" in out


def test_a_reader_that_stops_early_is_no_error() -> None:
    command = f"{sys.executable} -m karat example | head -n 1"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_wrong_usage_is_status_2(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        cli.main(["nonsense"])
    assert stopped.value.code == 2
    assert "invalid choice: 'nonsense'" in capsys.readouterr().err
