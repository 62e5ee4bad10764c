"""Files written atomically: complete, or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from os import PathLike
from pathlib import Path
from secrets import token_hex

from karat.errors import TableError


@contextmanager
def atomic_file(path: str | PathLike[str]) -> Iterator[str]:
    """Yield the path of a temporary file beside the file, which replaces it if no error occurs."""
    try:
        target = Path(os.path.realpath(path))  # a link keeps pointing to the file
        looping = target.is_symlink()  # all others are resolved
    except (OSError, ValueError) as problem:  # a path that is too long, or contains NUL
        raise TableError(
            f"{str(path)[:60]!r} cannot be the name of a file ({problem.args[-1]}); choose another."
        ) from None
    if looping:
        raise TableError(f"{str(path)!r} is a symbolic link that leads back to itself; name a file.")
    if target.is_dir() or str(path).endswith(os.sep):
        raise TableError(f"{str(path)!r} is a directory; name a file in it.")
    if target.exists() and not target.is_file():
        raise TableError(f"{str(path)!r} is a device or a pipe; name a file.")
    temporary = target.parent / f".karat-{os.getpid()}-{token_hex(4)}"
    try:
        _create(temporary, path)
        yield str(temporary)
        temporary.chmod(target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask())
        temporary.replace(target)
    except OSError as problem:  # such as a full disk
        raise TableError(
            f"{str(path)!r} cannot be written ({problem.strerror or problem}); free some space, or choose another "
            "place."
        ) from None
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def _create(temporary: Path, path: str | PathLike[str]) -> None:
    """Create an empty file that only its owner may read, until it is complete."""
    try:
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except OSError as problem:
        raise TableError(f"{str(path)!r} cannot be written ({problem.strerror}); choose another place.") from None


def _umask() -> int:
    """The umask of this process, which can only be read by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
