"""Progress bars and notes on standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from time import monotonic
from typing import Any

PATIENCE = 0.5  # seconds of work before a bar appears

_quiet: list[bool] = []  # a stack, non-empty while bars are disabled


@contextmanager
def without_bars() -> Iterator[None]:
    """Disable progress bars within a with block."""
    _quiet.append(True)
    try:
        yield
    finally:
        _quiet.pop()


def watched() -> bool:
    """Whether standard error is a terminal; it may be closed."""
    with suppress(AttributeError, ValueError, OSError):
        return bool(sys.stderr.isatty())
    return False


def say(text: str) -> None:
    """Print a line on standard error; failing to print is no error."""
    if sys.stderr is not None:
        with suppress(OSError, ValueError):
            print(text, file=sys.stderr, flush=True)


@contextmanager
def bar(what: str, total: int | None, done: int = 0) -> Iterator[Callable[..., Any]]:
    """Show a progress bar on standard error, if that is a terminal and the work takes more than PATIENCE.

    what names the work; total is None if unknown. Yields a function that advances the bar. Nested bars are not drawn.
    """
    if _quiet or done == total or not watched():
        yield lambda number=1: None
        return
    start, completed = monotonic(), done
    drawn: list[Callable[[int], None]] = []

    def advance(number: int = 1) -> None:
        nonlocal completed
        completed += number
        if not drawn and monotonic() - start > PATIENCE:
            drawn.append(stack.enter_context(_drawn(what, total)))
        for update in drawn:
            update(completed)

    with ExitStack() as stack, without_bars():
        if total is None:  # it may never be advanced, so it is drawn at once
            drawn.append(stack.enter_context(_drawn(what, total)))
        yield advance


@contextmanager
def _drawn(what: str, total: int | None) -> Iterator[Callable[[int], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=total)
        yield lambda completed: progress.update(task, completed=completed)
