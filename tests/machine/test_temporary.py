"""One temporary folder a process: who may enter it, when it is removed, and who removes what a killed process left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import karat
from karat.machine import temporary
from karat.machine.temporary import new_folder, own_folder, remove_folders

KEEP = """
import sys
from karat.machine.temporary import own_folder
with open(own_folder() + "/kept", "w") as file:
    file.write("x")
print(own_folder(), flush=True)
{end}
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A place for temporary folders, of this process and of those that it starts."""
    found = tmp_path / "place"
    found.mkdir()
    monkeypatch.setenv("TMPDIR", str(found))
    monkeypatch.setattr("tempfile.tempdir", None)
    yield found
    remove_folders()


def start(end: str) -> tuple[subprocess.Popen[str], Path]:
    """A process that has written to its folder, and that folder."""
    started = subprocess.Popen([sys.executable, "-c", KEEP.format(end=end)], stdout=subprocess.PIPE, text=True)
    assert started.stdout is not None
    return started, Path(started.stdout.readline().strip())


def test_a_process_has_one_folder_that_only_its_user_may_enter(place: Path) -> None:
    folder = Path(own_folder())
    assert folder.parent == place
    assert folder.stat().st_mode & 0o777 == 0o700
    assert own_folder() == str(folder)
    with new_folder() as first, new_folder() as second:
        assert first != second
        assert Path(first).parent == Path(second).parent == folder
    assert not list(folder.iterdir())
    remove_folders()
    assert not list(place.iterdir())


def test_in_another_place_nothing_is_left_as_soon_as_it_is_not_needed(place: Path, tmp_path: Path) -> None:
    with new_folder(str(tmp_path)) as folder:
        assert Path(folder).is_dir()
    assert list(tmp_path.iterdir()) == [place]


@pytest.mark.parametrize(
    ("end", "status"),
    [("", 0), ("sys.exit(3)", 3), ("raise ValueError", 1), ("raise KeyboardInterrupt", -signal.SIGINT)],
)
def test_a_process_that_ends_leaves_nothing(place: Path, end: str, status: int) -> None:
    started = subprocess.Popen(
        [sys.executable, "-c", KEEP.format(end=end)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    assert started.wait(timeout=60) == status
    assert not list(place.iterdir())


def test_what_a_killed_process_left_is_removed_by_the_next_but_not_what_a_living_one_has(place: Path) -> None:
    living, used = start("import time; time.sleep(600)")
    killed, left = start("import time; time.sleep(600)")
    killed.kill()
    killed.communicate()
    assert (left / "kept").exists()
    own_folder()
    assert not left.exists()
    assert (used / "kept").exists()
    living.kill()
    living.communicate()
    remove_folders()
    own_folder()
    assert not used.exists()


def test_what_is_not_ours_stays(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    others = ["karat-work", "karat-12-short", "karat-x-abcdefgh"]  # names that a user may have given
    for name in others:
        (place / name).mkdir(mode=0o700)
    (place / "karat-1-abcdefgh").mkdir(mode=0o755)  # which others may enter
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    (place / "karat-2-abcdefgh").symlink_to(tmp_path / "elsewhere")
    (place / "karat-3-abcdefgh").write_text("a file")
    before = set(place.iterdir())
    own_folder()
    assert before <= set(place.iterdir())
    assert (tmp_path / "elsewhere").is_dir()
    remove_folders()
    abandoned = place / "karat-4-abcdefgh"
    abandoned.mkdir(mode=0o700)
    somebody = os.geteuid() + 1
    monkeypatch.setattr(os, "geteuid", lambda: somebody)
    own_folder()
    assert abandoned.exists()
    remove_folders()
    monkeypatch.undo()
    temporary._remove_abandoned(str(place))
    assert not abandoned.exists()


def test_a_folder_that_vanished_is_made_again(place: Path) -> None:
    first = Path(own_folder())
    first.rmdir()
    assert Path(own_folder()).is_dir()


def test_a_forked_process_has_a_folder_of_its_own(place: Path) -> None:
    forked = "import os\nif os.fork() == 0:\n    print(own_folder(), flush=True); sys.exit()\nos.wait()\n"
    forked += "assert os.path.exists(own_folder() + '/kept')"
    started, folder = start(forked)
    assert started.stdout is not None
    other = Path(started.stdout.readline().strip())
    started.communicate(timeout=60)
    assert started.returncode == 0
    assert other != folder
    assert other.parent == folder.parent
    assert not list(place.iterdir())


def test_without_a_place_one_sentence_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(karat.KaratError, match="set TMPDIR to a directory that can be written"):
        own_folder(str(tmp_path / "nowhere"))


def waits_for_input(place: Path, *before: str) -> subprocess.Popen[str]:
    """karat score, with a copy of what has come so far on standard input in its folder."""
    command = [*before, sys.executable, "-m", "karat", "score", "-", "-o", "out.json"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    started = subprocess.Popen(command, cwd=place.parent, text=True, **pipes)  # type: ignore[call-overload]
    started.stdin.write("gold,pred\n" + "1,1\n" * 100_000)
    started.stdin.flush()
    deadline = time.monotonic() + 60
    while not list(place.glob("karat-*/*")) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert list(place.glob("karat-*/*"))
    return started  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("number", "status", "message"),
    [
        (signal.SIGINT, 130, "karat: interrupted; nothing was written.\n"),
        (signal.SIGTERM, 143, ""),
        (signal.SIGHUP, 129, ""),
    ],
)
def test_a_signal_ends_a_command_and_nothing_is_left(place: Path, number: int, status: int, message: str) -> None:
    started = waits_for_input(place)
    os.kill(started.pid, number)
    assert started.wait(timeout=60) == status
    assert started.stderr is not None
    assert started.stderr.read() == message
    assert not list(place.iterdir())
    assert list(place.parent.iterdir()) == [place]
    started.communicate()


def test_under_nohup_the_end_of_the_terminal_ends_nothing(place: Path) -> None:
    started = waits_for_input(place, "nohup")
    os.kill(started.pid, signal.SIGHUP)
    started.communicate("2,2\n", timeout=60)
    assert started.returncode == 0
    assert (place.parent / "out.json").exists()
    assert not list(place.iterdir())


@pytest.mark.parametrize(("number", "raised"), [(signal.SIGINT, KeyboardInterrupt), (signal.SIGTERM, SystemExit)])
def test_a_signal_waits_until_java_has_started(number: int, raised: type[BaseException]) -> None:
    from karat.cli import _heed_signals
    from karat.sources.engines.paths import _undisturbed

    steps: list[str] = []
    before = _heed_signals()
    try:
        with pytest.raises(raised), _undisturbed():
            steps.append(str(signal.raise_signal(number)))
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
    assert steps == ["None"]  # the block went on


AGAIN = """
import os, signal, sys, time
from pathlib import Path
from karat import cli
from karat.cli import commands
from karat.output.files import atomic_file

def interrupted(chosen):
{body}

commands.function_of = lambda name: interrupted
sys.exit(cli.main(["measures"]))
"""
WHILE_REMOVING = """
    unlink = Path.unlink
    def slowly(path, **options):
        signal.raise_signal(signal.{second})
        unlink(path, **options)
    Path.unlink = slowly
    with atomic_file("out.csv"):
        signal.raise_signal(signal.SIGINT)
"""
IN_A_DESTRUCTOR = """
    class Owner:
        def __del__(self):
            signal.raise_signal(signal.SIGINT)
    owner = Owner()
    del owner
    time.sleep(60)
"""


@pytest.mark.parametrize(
    "body", [WHILE_REMOVING.format(second="SIGINT"), WHILE_REMOVING.format(second="SIGTERM"), IN_A_DESTRUCTOR]
)
def test_no_signal_is_lost_and_a_second_one_leaves_nothing(body: str, tmp_path: Path) -> None:
    command = [sys.executable, "-c", AGAIN.format(body=body)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=40, check=False)
    assert (done.returncode, done.stderr) == (130, "karat: interrupted; nothing was written.\n")
    assert not list(tmp_path.iterdir())
