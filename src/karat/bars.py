"""Progress bars on standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

_quiet: list[bool] = []  # is true while no bars are wanted


@contextmanager
def without_bars() -> Iterator[None]:
    """While it lasts, no progress bar is drawn."""
    _quiet.append(True)
    try:
        yield
    finally:
        _quiet.pop()


@contextmanager
def bar(what: str, total: int | None, done: int = 0) -> Iterator[Callable[..., Any]]:
    """A progress bar on standard error, if somebody looks and there is something to do; total may be unknown."""
    if _quiet or not sys.stderr.isatty() or done == total:
        yield lambda number=1: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as drawn:
        task = drawn.add_task("", total=total, completed=done)
        yield lambda number=1: drawn.advance(task, number)
