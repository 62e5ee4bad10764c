"""Standard input, output and error as a shell may leave them: closed, full, or with nobody at the other end."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import Any

from karat.errors import FileError


def open_missing() -> None:
    """Give closed streams a file of their own, so that no file that is opened later takes their number.

    What is read is then empty, what is said on standard error is lost, and what is written on standard output fails
    as on any file that cannot be written.
    """
    for name, mode, flags in (
        ("stdin", "r", os.O_RDONLY),
        ("stdout", "w", os.O_RDONLY),  # so that results are never lost in silence
        ("stderr", "w", os.O_WRONLY),
    ):
        if getattr(sys, name) is None:
            opened = os.fdopen(os.open(os.devnull, flags), mode, encoding="utf-8", errors="backslashreplace")
            setattr(sys, name, opened)


def put(text: str) -> None:
    """Write results on standard output, at once."""
    try:
        print(text, flush=True)
    except BrokenPipeError:
        raise
    except OSError as problem:
        drop(sys.stdout)
        reason = problem.strerror or problem
        raise FileError(f"standard output cannot be written ({reason}); name a file with -o FILE.") from None


def inform(text: str) -> None:
    """Say on standard output where results are, which are written already, if anybody can be told."""
    try:
        print(text, flush=True)
    except OSError:
        drop(sys.stdout)


def drop(stream: Any) -> None:
    """Forget what standard output or error could not take, lest Python try once more at its end."""
    with suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def settle() -> None:
    """Before a command ends: what standard error could not take is forgotten."""
    try:
        sys.stderr.flush()
    except (OSError, ValueError):
        drop(sys.stderr)
