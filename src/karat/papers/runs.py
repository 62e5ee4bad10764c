"""Long simulations in blocks: on all cores, kept in the user's cache, and resumed where they were interrupted."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from karat.kernels.threads import THREADS

T = TypeVar("T")
Floats = NDArray[np.float64]


def in_blocks(
    work: Callable[[T], Floats],
    blocks: Sequence[tuple[str, T]],
    folder: str,
    processes: int | None,
    what: str = "simulating",
) -> dict[str, Floats]:
    """The result of each named block: read where it is kept already, else worked out, and kept as soon as it is done.

    Each block draws from its own seed, so results do not depend on how many processes there are, or on interruptions.
    """
    found, todo = {}, []
    for name, task in blocks:
        kept = _load(os.path.join(folder, f"{name}.npy"))
        if kept is None:
            todo.append((name, task))
        else:
            found[name] = kept
    with bar(what, len(blocks), len(found)) as advance:
        for name, values in _worked(work, todo, processes or THREADS):
            _keep(os.path.join(folder, f"{name}.npy"), values)
            found[name] = values
            advance()
    return found


def _worked(work: Callable[[T], Floats], todo: Sequence[tuple[str, T]], processes: int) -> Iterator[tuple[str, Floats]]:
    if processes == 1 or len(todo) < 2:
        yield from ((name, work(task)) for name, task in todo)
        return
    with ProcessPoolExecutor(processes) as pool:
        running = {pool.submit(work, task): name for name, task in todo}
        try:
            for future in as_completed(running):
                yield running[future], future.result()
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def _load(path: str) -> Floats | None:
    try:
        return np.asarray(np.load(path, allow_pickle=False))
    except (OSError, ValueError, EOFError):
        return None


def _keep(path: str, values: Floats) -> None:
    temporary = f"{path}.{os.getpid()}.tmp"
    with open(temporary, "wb") as file:
        np.save(file, values, allow_pickle=False)
    os.replace(temporary, path)


@contextmanager
def bar(what: str, total: int | None, done: int = 0) -> Iterator[Callable[[], Any]]:
    """A progress bar on standard error, if somebody looks and there is something to do; total may be unknown."""
    if not sys.stderr.isatty() or done == total:
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as drawn:
        task = drawn.add_task("", total=total, completed=done)
        yield lambda: drawn.advance(task)
