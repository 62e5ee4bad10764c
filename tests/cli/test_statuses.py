"""The exit status of every kind of end, and what becomes of output when standard output or error is closed or full."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

import karat
from karat.cli import main
from karat.cli.usage import STATUSES
from shared import ROOT

ALL = "id,class,one,two\n1,a,x,p\n2,a,x,q\n3,b,y,q\n4,b,x,q\n"
COLUMNS = ["--gold", "class", "--pred", "one"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "all.csv").write_text(ALL)
    (tmp_path / "other.csv").write_text("id,cluster\n1,x\n2,x\n3,y\n99,y\n")
    (tmp_path / "gold.csv").write_text("id,class\n1,a\n2,a\n3,b\n4,b\n")
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 nonsense PAR1")
    (tmp_path / "mine.py").write_text("def fails(gold, pred):\n    return 1 / 0\n")
    karat.Table.from_labels(["a", "a", "b"], [1, 2, 2]).save(tmp_path / "table.json")
    (tmp_path / "link.json").symlink_to("table.json")
    monkeypatch.chdir(tmp_path)
    return tmp_path


SCORE = ["score", "all.csv", *COLUMNS]
ENDS: dict[str, tuple[int, list[str]]] = {
    # 1: the data is wrong
    "no file": (1, ["score", "none.csv"]),
    "an unknown column": (1, ["score", "all.csv", "--gold", "klass", "--pred", "one"]),
    "ids that do not match": (1, ["score", "gold.csv", "other.csv"]),
    "a damaged file": (1, ["score", "bad.parquet", *COLUMNS]),
    "a damaged table": (1, ["merge", "bad.parquet"]),
    "no directory for the output": (1, [*SCORE, "-o", "none/x.json"]),
    "an output that is an input": (1, [*SCORE, "-o", "all.csv"]),
    "a table saved onto an input": (1, ["table", "table.json", "--save", "table.json"]),
    "a sum saved onto an input": (1, ["merge", "table.json", "table.json", "--save", "link.json"]),
    "a sum saved onto what is taken away": (
        1,
        ["merge", "table.json", "--without", "link.json", "--save", "table.json"],
    ),
    "scores onto what is taken away": (1, ["merge", "bad.parquet", "--without", "link.json", "-o", "table.json"]),
    "no directory to save in": (1, ["table", "table.json", "--save", "none/x.json"]),
    "a file with a long name": (1, ["score", "x" * 5000]),
    "a column with a long name": (1, ["score", "all.csv", "--gold", "x" * 5000, "--pred", "one"]),
    "text as weights": (1, [*SCORE, "--weights", "two"]),
    "a function that fails": (1, [*SCORE, "-m", "./mine.py:fails"]),
    "a function that is not there": (1, [*SCORE, "-m", "./none.py:f"]),
    "one system to compare": (1, ["compare", "all.csv", *COLUMNS]),
    "a corpus that is not there": (1, ["reproduce", "reichart2009", "--experiment", "labels", "--corpus", "none.mrg"]),
    "a data set that was not fetched": (1, ["data", "path", "reuters"]),
    # 2: the command line alone is wrong
    "no such command": (2, ["scores"]),
    "no files": (2, ["score"]),
    "no such measure": (2, [*SCORE, "-m", "nonsense"]),
    "no such measure to explain": (2, ["explain", "all.csv", *COLUMNS, "-m", "nonsense"]),
    "no such measure to improve": (2, ["report", "all.csv", *COLUMNS, "--improve", "nonsense"]),
    "no such measure to relate": (2, ["relate", "all.csv", *COLUMNS, "-m", "ari,nonsense"]),
    "no such measure to audit": (2, ["audit", "nonsense"]),
    "no such measure to read about": (2, ["measures", "nonsense"]),
    "no such measure in a file that is not there": (2, ["score", "none.csv", "-m", "nonsense"]),
    "no such parameter": (2, [*SCORE, "-m", "v_measure(alpha=1)"]),
    "no such property": (2, ["audit", "ari", "--property", "nonsense"]),
    "no such data set": (2, ["data", "path", "nonsense"]),
    "no such command, at length": (2, ["x" * 5000]),
    "no such encoding, at length": (2, [*SCORE, "--encoding", "x" * 5000]),
    "no such paper": (2, ["reproduce", "nobody1900"]),
    "no such experiment of a paper": (2, ["reproduce", "dom2001", "--experiment", "labels"]),
    "an option that a paper does not have": (2, ["reproduce", "dom2001", "--iterations", "5"]),
    "too few iterations": (2, ["reproduce", "kishida2014", "--iterations", "1"]),
    "no such reading of a paper": (2, ["reproduce", "kishida2014", "--variant", "nonsense"]),
    "no such format": (2, [*SCORE, "--format", "yaml"]),
    "an ending that says no format": (2, [*SCORE, "-o", "x.yaml"]),
    "a page that is no page": (2, ["report", "all.csv", *COLUMNS, "-o", "page.pdf"]),
    "no level": (2, [*SCORE, "--interval", "2"]),
    "too many resamples": (2, [*SCORE, "--interval", "--resamples", "999999999"]),
    "no seed": (2, ["relate", "all.csv", *COLUMNS, "--seed", "-1"]),
    "no encoding": (2, [*SCORE, "--encoding", "nonsense"]),
    "no delimiter": (2, [*SCORE, "--delimiter", "ab"]),
    "no memory": (2, [*SCORE, "--memory", "much"]),
    "noise without a policy": (2, [*SCORE, "--noise", "x"]),
    "a policy without noise": (2, [*SCORE, "--noise-as", "drop"]),
    "counts and weights": (2, [*SCORE, "--count", "id", "--weights", "id"]),
    "an engine without columns": (2, ["score", "all.csv", "--engine", "polars"]),
    "no threshold": (2, [*SCORE, "--fail-under", "ari"]),
    "a threshold of no measure": (2, [*SCORE, "--fail-under", "nonsense=1"]),
    "a threshold of what has no better end": (2, [*SCORE, "--fail-under", "class_entropy=1"]),
    # 3: worse than asked for; ari is 0 and vi 0.82
    "a score that is too low": (3, [*SCORE, "--fail-under", "ari=0.5"]),
    "one of two systems": (3, [*SCORE, "--pred", "two", "--fail-under", "purity=0.76"]),
    "too far": (3, [*SCORE, "--fail-under", "vi=0.5"]),
    "too low by Polars": (3, [*SCORE, "--engine", "polars", "--fail-under", "ari=0.5"]),
    "groups that are too low": (3, [*SCORE, "--by", "two", "--fail-under", "ari=0.5"]),
    # 0
    "good enough": (0, [*SCORE, "--fail-under", "ari=0", "--fail-under", "vi=0.9"]),
    "help": (0, ["--help"]),
}


@pytest.mark.parametrize("end", ENDS)
def test_every_end_has_its_status_and_a_sentence(end: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wanted, arguments = ENDS[end]
    try:
        status = main([*arguments])
    except SystemExit as stopped:  # of argparse
        status = int(stopped.code or 0)
    told = capsys.readouterr().err
    assert status == wanted, told
    assert "Traceback" not in told
    assert all(len(line) < 300 for line in told.splitlines())
    if wanted in (1, 3):
        assert told.startswith("karat: ")
        assert told.count("\n") == 1


def test_scores_are_printed_also_if_they_are_too_low(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*SCORE, "-m", "nmi", "--fail-under", "ari=0.5", "-o", "out.json"]) == 3
    assert capsys.readouterr().err == "karat: ari of one is 0, worse than 0.5.\n"
    assert '"nmi"' in (folder / "out.json").read_text()


def test_help_and_documentation_list_the_statuses(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    told = capsys.readouterr().out
    page = (ROOT / "docs" / "files.md").read_text(encoding="utf-8")
    for status, meaning in STATUSES.items():
        assert f"  {status:<4} {meaning}" in told
        assert f"| {status} | {meaning}" in page


# Standard output and error, closed or full

COMMANDS = {
    "score": SCORE, "compare": ["compare", "all.csv", *COLUMNS, "--pred", "two"], "measures": ["measures"],
    "audit": ["audit", "ari", "--tries", "2"], "data": ["data", "list"], "completion": ["completion", "bash"],
    "help": ["--help"], "version": ["--version"],
}  # fmt: skip
WRITTEN = {
    "score": ([*SCORE, "-o", "out.csv"], "out.csv"), "table": (["table", *SCORE[1:], "--save", "t.json"], "t.json"),
    "report": (["report", *SCORE[1:], "-o", "page.html"], "page.html"),
}  # fmt: skip


def in_a_shell(arguments: list[str], redirection: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(Path(karat.__file__).parents[1])}
    environment.pop("PYTHONUNBUFFERED", None)
    line = ["sh", "-c", f'"$@" {redirection}', "sh", sys.executable, "-m", "karat", *arguments]
    return subprocess.run(line, capture_output=True, text=True, env=environment, check=False, timeout=120)


@pytest.mark.parametrize("command", COMMANDS)
def test_results_that_cannot_be_written_are_a_failure_in_one_sentence(command: str, folder: Path) -> None:
    for place, why in ((">&-", "Bad file descriptor"), (">/dev/full", "No space left on device")):
        done = in_a_shell(COMMANDS[command], place)
        assert done.returncode == 1
        assert done.stderr.splitlines()[-1].startswith(f"karat: standard output cannot be written ({why})")
        assert "Traceback" not in done.stderr
        assert in_a_shell(COMMANDS[command], f"{place} 2>&-").returncode == 1


@pytest.mark.parametrize("command", COMMANDS)
def test_nobody_need_listen_to_standard_error(command: str, folder: Path) -> None:
    for place in ("2>&-", "2>/dev/full"):
        done = in_a_shell(COMMANDS[command], place)
        assert done.returncode == 0
        assert done.stdout


@pytest.mark.parametrize("place", [">&-", ">/dev/full", "2>&-", "<&- >&- 2>&-", ">/dev/full 2>/dev/full"])
def test_a_file_asked_for_is_written_whoever_listens(place: str, folder: Path) -> None:
    for arguments, name in WRITTEN.values():
        done = in_a_shell(arguments, place)
        assert done.returncode == 0, done.stderr
        assert (folder / name).stat().st_size
        (folder / name).unlink()


def test_errors_keep_their_status_when_nobody_can_be_told(folder: Path) -> None:
    assert in_a_shell(["score", "none.csv"], "2>&-").returncode == 1
    assert in_a_shell(["score"], "2>&-").returncode == 2
    assert in_a_shell(["score"], "2>/dev/full").returncode == 2
    assert in_a_shell([*SCORE, "--fail-under", "ari=1"], ">/dev/null 2>&-").returncode == 3


def test_a_reader_who_has_seen_enough_is_no_failure(folder: Path) -> None:
    for arguments in (["completion", "bash"], ["--help"], ["measures"]):
        done = in_a_shell(arguments, "| true")
        assert "Traceback" not in done.stderr
        assert "rror" not in done.stderr


@pytest.mark.parametrize("place", [[], ["-o", "/dev/stdout"]])
def test_a_pipe_that_refuses_to_block_gets_everything(place: list[str], folder: Path) -> None:
    rows = 20_000
    (folder / "many.csv").write_text("gold,pred\n" + "".join(f"class{i},cluster{i}\n" for i in range(rows)))
    ours, theirs = os.pipe()
    os.set_blocking(theirs, False)
    command = [sys.executable, "-m", "karat", "table", "many.csv", "-q", "--format", "csv", *place]
    started = subprocess.Popen(command, stdout=theirs, stderr=subprocess.DEVNULL)
    os.close(theirs)
    with os.fdopen(ours, encoding="utf-8") as reader:
        time.sleep(1)  # until the pipe is full
        assert len(reader.read().splitlines()) == rows + 1
    assert started.wait(timeout=60) == 0
