"""Standard input, output and error, which may be closed, full or disconnected."""

from __future__ import annotations

import os
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


def put(text: str) -> None:
    """Write results to standard output, and flush."""
    try:
        print(text, flush=True)
    except BrokenPipeError:
        raise
    except OSError as problem:
        drop(sys.stdout)
        reason = problem.strerror or problem
        raise FileError(f"standard output cannot be written ({reason}); name a file with -o FILE.") from None


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
