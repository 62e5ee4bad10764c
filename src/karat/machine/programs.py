"""Programs and modules that are not karat's own: none is ever taken from the working directory, where data lies."""

from __future__ import annotations

import os


def search_path() -> str:
    """The folders in which programs are looked for, without those that mean the working directory."""
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return os.pathsep.join(folder for folder in folders if os.path.isabs(folder))


def find_program(name: str) -> str | None:
    """The full path of a program, or None if it is not installed."""
    from shutil import which

    return which(name, path=search_path())


def keep_to_installed() -> None:
    """For this process and all that it starts: no program and no module is taken from the working directory.

    A shell script looks for its programs on PATH; Python looks for modules where it was started, as multiprocessing
    and Spark's workers are, unless PYTHONSAFEPATH is set.
    """
    os.environ["PATH"] = search_path()
    os.environ["PYTHONSAFEPATH"] = "1"
