"""What is shown on standard error while work is done: progress bars, and notes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from time import monotonic
from typing import Any

PATIENCE = 0.5  # seconds of work before a bar appears

_quiet: list[bool] = []  # is true while no bars are wanted


@contextmanager
def without_bars() -> Iterator[None]:
    """While it lasts, no progress bar is drawn."""
    _quiet.append(True)
    try:
        yield
    finally:
        _quiet.pop()


def watched() -> bool:
    """Whether somebody looks at standard error, which may be closed."""
    with suppress(AttributeError, ValueError, OSError):
        return bool(sys.stderr.isatty())
    return False


def say(text: str) -> None:
    """Print a line on standard error, if anybody can be told."""
    if sys.stderr is not None:
        with suppress(OSError, ValueError):
            print(text, file=sys.stderr, flush=True)


@contextmanager
def bar(what: str, total: int | None, done: int = 0) -> Iterator[Callable[..., Any]]:
    """A progress bar on standard error, if somebody looks and the work takes a while; total may be unknown.

    what names the stage of the work; the function that is given advances the bar. A bar within another's work is not
    drawn.
    """
    if _quiet or done == total or not watched():
        yield lambda number=1: None
        return
    start, seen = monotonic(), done
    drawn: list[Callable[[int], None]] = []

    def advance(number: int = 1) -> None:
        nonlocal seen
        seen += number
        if not drawn and monotonic() - start > PATIENCE:
            drawn.append(stack.enter_context(_drawn(what, total)))
        for update in drawn:
            update(seen)

    with ExitStack() as stack, without_bars():
        if total is None:  # nobody may ever advance it
            drawn.append(stack.enter_context(_drawn(what, total)))
        yield advance


@contextmanager
def _drawn(what: str, total: int | None) -> Iterator[Callable[[int], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=total)
        yield lambda seen: progress.update(task, completed=seen)
