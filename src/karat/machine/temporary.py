"""Temporary files: one folder per process, which is removed when the process ends.

The folder is removed at exit, so a normal end, an exception and signals that raise one leave nothing behind. The folder
of a killed process is removed by the next process that needs a folder in the same directory. A folder is locked while
its process lives (by flock, which the kernel releases at any end), so no living process loses its folder, on this
machine or in another container that shares the directory; folders of other users are left alone.
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
NAME = re.compile(r"karat-\d+-[a-z0-9_]{8}")  # the process id, for information, and random letters
TRIES = 10  # attempts to create a folder, which another process may remove before it is locked


class Folder(NamedTuple):
    """A folder, its locked file descriptor or None, and whether this process must remove it."""

    path: str
    lock: int | None
    ours: bool


_folders: dict[tuple[int, str], Folder] = {}  # by process id and directory
_making = RLock()


def own_folder(parent: str | None = None) -> str:
    """The folder of this process, which only its user may enter; created on first use.

    parent: the directory to create it in (default: the directory for temporary files, which TMPDIR names).
    """
    import tempfile

    try:
        parent = os.path.abspath(tempfile.gettempdir() if parent is None else parent)
        key = os.getpid(), parent  # by process id, since a forked process needs a new one
        with _making:
            if key not in _folders or not os.path.isdir(_folders[key].path):
                if not any(owner == key[0] for owner, _ in _folders):
                    import atexit

                    atexit.register(remove_folders)
                _remove_abandoned(parent)
                _folders[key] = _new(parent)
    except OSError as problem:
        where = "any directory" if parent is None else repr(parent)
        raise KaratError(
            f"no temporary folder can be created in {where} ({problem.strerror or problem}); set TMPDIR to a directory "
            "that can be written."
        ) from None
    return _folders[key].path


@contextmanager
def new_folder(parent: str | None = None) -> Iterator[str]:
    """A new folder inside the folder of this process, for the duration of a with block."""
    import shutil
    import tempfile

    with _making:
        folder = tempfile.mkdtemp(dir=own_folder(parent))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if parent is not None:  # leave no empty folder in a directory of the user
            _remove_empty(os.path.abspath(parent))


def keep_within(folder: str) -> None:
    """Use a folder that another process has created and will remove."""
    import tempfile

    tempfile.tempdir = folder
    _folders[os.getpid(), os.path.abspath(folder)] = Folder(folder, None, ours=False)


def remove_folders() -> None:
    """Remove the folders of this process and their contents."""
    import shutil

    for key in [key for key in _folders if key[0] == os.getpid()]:
        folder = _folders.pop(key)
        if folder.ours:
            shutil.rmtree(folder.path, ignore_errors=True)
        if folder.lock is not None:
            os.close(folder.lock)


def _remove_empty(parent: str) -> None:
    """Remove the folder of this process in a directory if it is empty."""
    key = os.getpid(), parent
    with _making, suppress(OSError, KeyError):
        os.rmdir(_folders[key].path)
        lock = _folders.pop(key).lock
        if lock is not None:
            os.close(lock)


def _new(parent: str) -> Folder:
    """Create and lock a folder in a directory."""
    import tempfile

    for _ in range(TRIES):
        folder = tempfile.mkdtemp(prefix=f"karat-{os.getpid()}-", dir=parent)  # mode 0700
        if os.name == "nt":  # Windows cannot open, and so not lock, a folder
            return Folder(folder, None, ours=True)
        with suppress(FileNotFoundError):
            lock = os.open(folder, os.O_RDONLY)
            if _lock(lock) is not False and os.path.samestat(os.fstat(lock), os.stat(folder)):
                return Folder(folder, lock, ours=True)
            os.close(lock)  # another process removed it as abandoned before it was locked
    raise OSError(f"{TRIES} new folders were removed by others")


def _lock(folder: int) -> bool | None:
    """Try to lock an open folder, and return whether that succeeded; None where locks are unsupported."""
    try:
        import fcntl

        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except (ImportError, OSError):
        return None
    return True


def _remove_abandoned(parent: str) -> None:
    """Remove the folders of processes that were killed, in a directory."""
    folders: list[str] = []
    with suppress(OSError), os.scandir(parent) as entries:
        folders += [entry.path for entry in entries if NAME.fullmatch(entry.name) and _ours(entry)]
    for folder in folders:
        with suppress(OSError):  # another process removed it first
            opened = os.open(folder, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
            try:
                if _lock(opened):
                    import shutil

                    shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(opened)


def _ours(entry: os.DirEntry[str]) -> bool:
    """Whether an entry is a folder of this user that nobody else may enter."""
    try:
        status = entry.stat(follow_symlinks=False)
    except OSError:
        return False
    user = getattr(os, "geteuid", lambda: status.st_uid)()
    return entry.is_dir(follow_symlinks=False) and status.st_uid == user and status.st_mode & 0o777 == 0o700
