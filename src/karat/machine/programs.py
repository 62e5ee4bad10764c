"""External programs and modules: none is ever loaded from the working directory, where data may be untrusted."""

from __future__ import annotations

import os


def search_path() -> str:
    """PATH without relative entries, which would mean the working directory."""
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return os.pathsep.join(folder for folder in folders if os.path.isabs(folder))


def find_program(name: str) -> str | None:
    """The full path of a program, or None if it is not installed."""
    from shutil import which

    return which(name, path=search_path())


def keep_to_installed() -> None:
    """Load no program or module from the working directory, in this process and those that it starts.

    Shell scripts search programs on PATH. Python, as started by multiprocessing and by Spark for its workers, searches
    modules in the working directory unless PYTHONSAFEPATH is set.
    """
    os.environ["PATH"] = search_path()
    os.environ["PYTHONSAFEPATH"] = "1"
