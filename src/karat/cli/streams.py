"""Standard input, output and error, which may be closed, full or disconnected."""

from __future__ import annotations

import io
import os
import select
import sys
from contextlib import suppress
from typing import Any

from karat.errors import FileError


def open_missing() -> None:
    """Open the null device for closed streams, so that no file opened later gets their descriptor.

    Standard input is then empty, messages on standard error are lost, and writing to standard output fails as for
    any file that cannot be written.
    """
    for name, mode, flags in (
        ("stdin", "r", os.O_RDONLY),
        ("stdout", "w", os.O_RDONLY),  # read-only, so that results are not lost silently
        ("stderr", "w", os.O_WRONLY),
    ):
        if getattr(sys, name) is None:
            opened = os.fdopen(os.open(os.devnull, flags), mode, encoding="utf-8", errors="backslashreplace")
            setattr(sys, name, opened)


class _Waiting(io.FileIO):
    """A descriptor whose writes wait where it refuses to block; Python's own drop what does not fit."""

    def write(self, data: Any) -> int:
        while (written := super().write(data)) is None:
            select.select([], [self], [])
        return written


def waiting(descriptor: int, encoding: str, errors: str, *, closes: bool) -> io.TextIOWrapper:
    """Text to a descriptor, which may be one that refuses to block; closes: whether to close it at the end."""
    raw = _Waiting(descriptor, "w", closefd=closes)
    return io.TextIOWrapper(io.BufferedWriter(raw), encoding, errors, line_buffering=raw.isatty())


def wait_for_readers() -> None:
    """Let standard output and error wait for a slow reader, if their pipe or terminal refuses to block."""
    for name in ("stdout", "stderr"):
        with suppress(OSError, ValueError, AttributeError):  # not a file, such as a text in memory
            stream = getattr(sys, name)
            if not os.get_blocking(stream.fileno()):
                stream.flush()
                setattr(sys, name, waiting(stream.fileno(), stream.encoding, stream.errors, closes=False))


def put(text: str, remedy: str = "name a file with -o FILE") -> None:
    """Write results to standard output, and flush."""
    try:
        print(text, flush=True)
    except BrokenPipeError:
        raise
    except OSError as problem:
        drop(sys.stdout)
        reason = problem.strerror or problem
        raise FileError(f"standard output cannot be written ({reason}); {remedy}.") from None


def inform(text: str) -> None:
    """Print where results were written; failing to print is no error."""
    try:
        print(text, flush=True)
    except OSError:
        drop(sys.stdout)


def drop(stream: Any) -> None:
    """Redirect a stream that cannot be written to the null device, or Python would try again at exit."""
    with suppress(OSError, ValueError, AttributeError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())
        os.close(null)


def flush_errors() -> None:
    """Flush standard error before a command ends; drop it if that fails."""
    try:
        sys.stderr.flush()
    except (OSError, ValueError):
        drop(sys.stderr)
