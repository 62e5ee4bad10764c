"""Paths that are no files, and disks that are full: one sentence, at every way in and out."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import karat
from karat.cli import main
from karat.papers.corpora.textgrids import TextGrid, read_textgrid, write_textgrid
from karat.papers.corpora.texts import read_texts
from karat.papers.corpora.treebanks import trees_in
from karat.papers.datasets import fetch

TABLE = karat.Table.from_labels(["a", "a", "b"], [1, 1, 2])


def command(*words: str) -> None:
    """A command that must end with a sentence, not with a traceback."""
    if main(list(words)):
        raise karat.KaratError("as the command says.")


def saved_plot(path: str) -> None:
    karat.plot.save(karat.plot.heatmap(TABLE), path)


READERS: dict[str, Callable[[str], Any]] = {
    "read": karat.read,
    "read as gold": lambda path: karat.read(path, path),
    "load": karat.Table.load,
    "karat score": lambda path: command("score", path),
    "karat merge": lambda path: command("merge", path),
    "karat report": lambda path: command("report", path, "-o", os.devnull + ".html"),
    "texts": read_texts,
    "trees": lambda path: list(trees_in(path)),
    "a TextGrid": read_textgrid,
    "a package": lambda path: fetch("vowels", file=path),
}
WRITERS: dict[str, Callable[[str], Any]] = {
    "a table as JSON": lambda path: TABLE.save(f"{path}.json"),
    "a table as Parquet": lambda path: TABLE.save(f"{path}.parquet"),
    "a report": lambda path: karat.report(TABLE).save(f"{path}.html"),
    "a plot": lambda path: saved_plot(f"{path}.svg"),
    "a TextGrid": lambda path: write_textgrid(path, TextGrid(0, 1, ())),
}


@pytest.fixture
def odd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of what is no file of labels."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    (tmp_path / "circle").symlink_to(tmp_path / "circle")
    (tmp_path / "empty").write_bytes(b"")
    for ending in (".json", ".parquet", ".html", ".svg"):
        (tmp_path / f"folder{ending}").mkdir()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path


PATHS = ["folder", "link", "circle", "empty", "nowhere", "empty/inside", "x" * 300, "a\0b", "/dev/zero", "/dev/null"]


@pytest.mark.parametrize("path", PATHS, ids=lambda path: repr(path[:12]))
@pytest.mark.parametrize("reader", READERS.values(), ids=list(READERS))
def test_what_is_no_file_is_refused_by_every_reader(reader: Callable[[str], Any], path: str, odd: Path) -> None:
    with pytest.raises(karat.KaratError) as told:
        reader(str(odd / path))
    assert "\n" not in str(told.value)


def test_a_broken_link_is_called_one(odd: Path) -> None:
    with pytest.raises(karat.FileError, match="is a link to a file that is not there"):
        karat.read(odd / "link")


@pytest.mark.parametrize(
    "path", ["folder", "nowhere/x", "empty/x", "x" * 300, "a\0b"], ids=lambda path: repr(path[:12])
)
@pytest.mark.parametrize("writer", WRITERS.values(), ids=list(WRITERS))
def test_what_cannot_be_written_is_refused_by_every_writer(writer: Callable[[str], Any], path: str, odd: Path) -> None:
    with pytest.raises(karat.KaratError) as told:
        writer(str(odd / path))
    assert "\n" not in str(told.value)


FULL = """
import resource, signal, sys, karat, karat.plot
table = karat.Table.from_labels([f"class {i}" for i in range(200)], range(200))
plot, page = karat.plot.heatmap(table), karat.report(table)
page.html()
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
for path in ("old.json", "old.parquet", "old.html", "old.svg"):
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))  # such as a disk with little room
    try:
        {"html": page.save, "svg": lambda path: karat.plot.save(plot, path)}.get(path[4:], table.save)(path)
        print(path, "was written")
    except karat.KaratError as problem:
        print(path, "cannot be written" in str(problem))
"""


def test_a_full_disk_is_one_sentence_and_leaves_the_old_file(tmp_path: Path) -> None:
    for ending in ("json", "parquet", "html", "svg"):
        (tmp_path / f"old.{ending}").write_text("old")
    done = subprocess.run(
        [sys.executable, "-c", FULL], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=True
    )
    assert done.stdout.split("\n") == ["old.json True", "old.parquet True", "old.html True", "old.svg True", ""]
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {
        f"old.{ending}": "old" for ending in ("json", "parquet", "html", "svg")
    }


@pytest.mark.parametrize("words", [["score"], ["table"], ["explain"]])
def test_a_device_without_room_ends_with_a_sentence(
    words: list[str], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.csv").write_text("gold,pred\na,1\nb,2\n")
    assert main([*words, str(tmp_path / "a.csv"), "-o", "/dev/full"]) == 1
    assert "No space left on device" in capfd.readouterr().err


def test_halves_of_letters_can_be_written_on_a_device(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.jsonl").write_text('{"gold": "a\\ud800", "pred": 1}\n{"gold": "b", "pred": 2}\n')
    assert main(["table", str(tmp_path / "a.jsonl"), "--format", "csv", "-o", "/dev/stdout"]) == 0
    assert "a\\ud800,1,1" in capfd.readouterr().out


@pytest.mark.skipif(os.name == "nt", reason="there are no such terminals")
def test_a_terminal_that_is_named_obeys_no_label(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"gold": "a\\u001b[31m", "pred": 1}\n{"gold": "b\\u202e", "pred": 2}\n')
    ours, theirs = os.openpty()
    try:
        for form in ("csv", "json"):
            assert main(["table", str(tmp_path / "a.jsonl"), "--format", form, "-o", os.ttyname(theirs)]) == 0
            said = os.read(ours, 10_000).decode()
            assert "\x1b" not in said
            assert "\u202e" not in said
    finally:
        os.close(ours)
        os.close(theirs)


@pytest.mark.parametrize("place", ["~", "http:/127.0.0.1:9", "s3:/bucket"])
def test_a_folder_that_looks_like_another_place_is_a_folder(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    for folder, labels in ((home, [1, 2, 3]), (tmp_path / place, [1, 1, 2])):
        folder.mkdir(parents=True)
        karat.Table.from_labels([1, 1, 2], labels).save(folder / "table.parquet")
        with gzip.open(folder / "a.csv.gz", "wt") as file:
            file.write("gold,pred\n" + "".join(f"{a},{b}\n" for a, b in zip([1, 1, 2], labels, strict=True)))
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.chdir(tmp_path)
    name = place.replace(":/", "://")
    assert karat.score(karat.read(f"{name}/a.csv.gz"), measures="ari")["ari"] == 1
    assert karat.ari(karat.Table.load(f"{name}/table.parquet")) == 1


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
def test_a_table_whose_name_is_not_utf8_is_refused_as_parquet(tmp_path: Path) -> None:
    folder = tmp_path / os.fsdecode(b"\xff")
    folder.mkdir()
    with pytest.raises(karat.TableError, match="its name is not UTF-8"):
        TABLE.save(folder / "a.parquet")
    TABLE.save(tmp_path / "a.parquet")
    (tmp_path / "a.parquet").rename(folder / "a.parquet")
    with pytest.raises(karat.TableError, match="UTF-8"):
        karat.Table.load(folder / "a.parquet")
    assert [path.name for path in folder.iterdir()] == ["a.parquet"]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
def test_lines_that_a_stream_has_already_stay(name: str, tmp_path: Path) -> None:
    log = tmp_path / "log.txt"
    log.write_text("old\n")
    with log.open("a") as file:
        subprocess.run(
            [sys.executable, "-P", "-m", "karat", "example", "-o", name], stdout=file, timeout=120, check=True
        )
    said = log.read_text()
    assert said.startswith("old\n")
    assert "17 items" in said


@pytest.mark.parametrize("names", [("pipe", "pipe"), ("pipe", "./pipe"), ("pipe", "link")])
def test_a_pipe_is_read_once_by_whatever_names(names: tuple[str, str], tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("pipe")
    command = [sys.executable, "-m", "karat", "score", *names]
    started = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    try:
        (tmp_path / "pipe").write_text("a\nb\n")  # waits until it is opened
        told = started.communicate(timeout=60)[1]
    finally:
        started.kill()
    assert started.returncode == 1
    assert told == f"karat: {names[1]!r} is given more than once; it can be read once only.\n"


def test_standard_input_is_read_once_by_whatever_names(tmp_path: Path) -> None:
    for names in (("-", "-"), ("/dev/stdin", "-"), ("-", "/dev/fd/0")):
        command = [sys.executable, "-m", "karat", "score", *names]
        done = subprocess.run(command, cwd=tmp_path, input="a\nb\n", capture_output=True, text=True, check=False)
        assert done.returncode == 1
        assert "is given more than once; it can be read once only" in done.stderr


def test_a_full_disk_is_named_as_such_when_a_table_is_saved(tmp_path: Path) -> None:
    pytest.importorskip("resource")
    script = (
        "import karat, resource, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "table = karat.Table.from_labels(range(9000), range(9000));"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000)); table.save('t.parquet')"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False)
    told = done.stderr.splitlines()[-1]
    assert told.endswith("'t.parquet' cannot be written (File too large); free some space, or choose another place.")
    assert not list(tmp_path.iterdir())
