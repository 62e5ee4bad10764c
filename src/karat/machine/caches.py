"""Where karat keeps what it has made or fetched: in the user's cache directory."""

from __future__ import annotations

import os

from karat.errors import KaratError


def remove(path: str) -> None:
    """Take away what is in the place of something that is to be made again: a folder, a file or a link."""
    import shutil

    try:
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path)
        elif os.path.lexists(path):
            os.unlink(path)
    except OSError as problem:
        raise KaratError(f"{path!r} is damaged and cannot be removed ({problem.strerror}); remove it.") from None


def cache_place(*parts: str) -> str:
    """A place of karat's own in the user's cache directory, whether it is there or not."""
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(home, "karat", *parts)


def cache_folder(*parts: str) -> str:
    """The same, made if it is not there."""
    folder = cache_place(*parts)
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as problem:
        raise KaratError(
            f"{folder!r} cannot be made ({problem.strerror}); set XDG_CACHE_HOME to a directory that can be written."
        ) from None
    return folder
