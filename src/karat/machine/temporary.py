"""Where a process keeps what it needs for a while: one folder of its own, which is removed when the process ends.

Python's exit removes the folder, so a normal end, an exception and signals that raise one leave nothing behind. A
process that is killed can remove nothing; the next one that needs a folder in the same place does it instead. A folder
is locked as long as its process lives (flock, which the kernel gives up whatever the end), so no living process loses
its folder, on this machine or in another container that shares the place; nor does any other user.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import RLock
from typing import NamedTuple

from karat.errors import KaratError

MEMORY = "/dev/shm"  # a file system in memory, where there is one
NAME = re.compile(r"karat-\d+-[a-z0-9_]{8}")  # the process's number, for who looks, and letters drawn at random
TRIES = 10  # of making a folder, which another process may take for one that was left


class Folder(NamedTuple):
    """A folder, its open and locked descriptor if there is one, and whether this process is to remove it."""

    path: str
    lock: int | None
    ours: bool


_folders: dict[tuple[int, str], Folder] = {}  # by process and place
_making = RLock()


def own_folder(place: str | None = None) -> str:
    """The folder of this process in a place, which only its user may enter; made when it is first asked for.

    place: a directory (default: that of temporary files, which TMPDIR names).
    """
    import tempfile

    try:
        place = os.path.abspath(tempfile.gettempdir() if place is None else place)
        key = os.getpid(), place  # a forked process has none yet
        with _making:
            if key not in _folders or not os.path.isdir(_folders[key].path):
                if not any(owner == key[0] for owner, _ in _folders):
                    import atexit

                    atexit.register(remove_folders)
                _remove_abandoned(place)
                _folders[key] = _new(place)
    except OSError as problem:
        where = "any place" if place is None else repr(place)
        raise KaratError(
            f"no temporary folder can be made in {where} ({problem.strerror or problem}); set TMPDIR to a directory "
            "that can be written."
        ) from None
    return _folders[key].path


@contextmanager
def new_folder(place: str | None = None) -> Iterator[str]:
    """A folder within that of this process, for the time of a with block."""
    import shutil
    import tempfile

    with _making:
        folder = tempfile.mkdtemp(dir=own_folder(place))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if place is not None:  # the place is not one that is full of such folders
            _remove_empty(os.path.abspath(place))


def keep_within(folder: str) -> None:
    """Use a folder that another process made, and will remove, instead of one of our own."""
    import tempfile

    tempfile.tempdir = folder
    _folders[os.getpid(), os.path.abspath(folder)] = Folder(folder, None, ours=False)


def remove_folders() -> None:
    """Remove the folders of this process with all that is in them."""
    import shutil

    for key in [key for key in _folders if key[0] == os.getpid()]:
        folder = _folders.pop(key)
        if folder.ours:
            shutil.rmtree(folder.path, ignore_errors=True)
        if folder.lock is not None:
            os.close(folder.lock)


def _remove_empty(place: str) -> None:
    """Remove the folder of this process in a place if nothing is in it."""
    key = os.getpid(), place
    with _making, suppress(OSError, KeyError):
        os.rmdir(_folders[key].path)
        lock = _folders.pop(key).lock
        if lock is not None:
            os.close(lock)


def _new(place: str) -> Folder:
    """A new folder, locked."""
    import tempfile

    for _ in range(TRIES):
        folder = tempfile.mkdtemp(prefix=f"karat-{os.getpid()}-", dir=place)  # mode 0700
        if os.name == "nt":  # where a folder cannot be opened
            return Folder(folder, None, ours=True)
        with suppress(FileNotFoundError):
            lock = os.open(folder, os.O_RDONLY)
            if _lock(lock) is not False and os.path.samestat(os.fstat(lock), os.stat(folder)):
                return Folder(folder, lock, ours=True)
            os.close(lock)  # another process took it for one that was left, before it was locked
    raise OSError(f"{TRIES} new folders were removed by others")


def _lock(folder: int) -> bool | None:
    """Whether a folder that is open could be locked; None where folders cannot be."""
    try:
        import fcntl

        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except (ImportError, OSError):
        return None
    return True


def _remove_abandoned(place: str) -> None:
    """Remove the folders whose processes were killed."""
    folders: list[str] = []
    with suppress(OSError), os.scandir(place) as found:
        folders += [entry.path for entry in found if NAME.fullmatch(entry.name) and _ours(entry)]
    for folder in folders:
        with suppress(OSError):  # somebody else was quicker
            opened = os.open(folder, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
            try:
                if _lock(opened):
                    import shutil

                    shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(opened)


def _ours(entry: os.DirEntry[str]) -> bool:
    """Whether something is a folder that this user has made, and that nobody else may enter."""
    try:
        status = entry.stat(follow_symlinks=False)
    except OSError:
        return False
    user = getattr(os, "geteuid", lambda: status.st_uid)()
    return entry.is_dir(follow_symlinks=False) and status.st_uid == user and status.st_mode & 0o777 == 0o700
