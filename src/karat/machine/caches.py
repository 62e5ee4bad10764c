"""The user's cache directory, for computed results and fetched data sets."""

from __future__ import annotations

import os

from karat.errors import KaratError


def remove(path: str) -> None:
    """Remove a folder, a file or a link, if it exists."""
    import shutil

    try:
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path)
        elif os.path.lexists(path):
            os.unlink(path)
    except OSError as problem:
        raise KaratError(f"{path!r} is damaged and cannot be removed ({problem.strerror}); remove it.") from None


def cache_path(*parts: str) -> str:
    """A path in karat's part of the user's cache directory, whether it exists or not."""
    home = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(home):  # its specification says to ignore a relative path, as it depends on where one is
        home = os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(home, "karat", *parts)


def cache_folder(*parts: str) -> str:
    """A folder in karat's part of the user's cache directory, created if it does not exist."""
    folder = cache_path(*parts)
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as problem:
        raise KaratError(
            f"{folder!r} cannot be created ({problem.strerror}); set XDG_CACHE_HOME to a directory that can be written."
        ) from None
    return folder
