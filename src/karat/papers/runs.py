"""Long simulations in blocks: run on all cores, cached, and resumed after interruptions."""

from __future__ import annotations

import math
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import active_children, parent_process
from multiprocessing.connection import wait
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from karat.errors import KaratError
from karat.kernels.threads import THREADS
from karat.output.bars import bar
from karat.output.files import atomic_file
from karat.sources.files.arrays import array_header, read_data

T = TypeVar("T")
Floats = NDArray[np.float64]

ENDS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


def in_blocks(
    work: Callable[[T], Floats],
    blocks: Sequence[tuple[str, T]],
    folder: str,
    processes: int | None,
    what: str = "simulating",
    shape: tuple[int, ...] | None = None,
) -> dict[str, Floats]:
    """The result of each named block: read from the cache folder, else computed and cached at once.

    A cached result that is damaged, of another shape or not finite is computed again. Each block has its own seed, so
    results do not depend on the number of processes or on interruptions.
    """
    results, todo = {}, []
    for name, task in blocks:
        cached = _load(os.path.join(folder, f"{name}.npy"), shape)
        if cached is None:
            todo.append((name, task))
        else:
            results[name] = cached
    with bar(what, len(blocks), len(results)) as advance:
        for name, values in _computed(work, todo, processes or THREADS):
            _keep(os.path.join(folder, f"{name}.npy"), values)
            results[name] = values
            advance()
    return results


def _computed(
    work: Callable[[T], Floats], todo: Sequence[tuple[str, T]], processes: int
) -> Iterator[tuple[str, Floats]]:
    if processes == 1 or len(todo) < 2:
        yield from ((name, work(task)) for name, task in todo)
        return
    others = set(active_children())
    pool = ProcessPoolExecutor(min(processes, len(todo)), initializer=_begin)
    try:
        with _without_signals():  # one during start-up would leave a pool that never ends
            running = {pool.submit(work, task): name for name, task in todo}
        for future in as_completed(running):
            yield running[future], future.result()
    except BrokenProcessPool:
        raise KaratError("a process was ended from outside; run it again with fewer, processes=1.") from None
    finally:
        for process in set(active_children()) - others:  # idle, or their results are not needed
            process.kill()
        pool.shutdown(wait=False, cancel_futures=True)


@contextmanager
def _without_signals() -> Iterator[None]:
    """Block the signals that end a program; processes that are started meanwhile inherit the mask."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin() -> None:
    """Set up a process of the pool: ignore Ctrl-C, which the parent handles, and exit when the parent does."""
    for number in ENDS:
        signal.signal(number, signal.SIG_IGN if number == signal.SIGINT else signal.SIG_DFL)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDS)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def _load(path: str, shape: tuple[int, ...] | None) -> Floats | None:
    try:
        dtype, size, start = array_header(path)
        values = read_data(path, dtype, math.prod(size), start).reshape(size).astype(np.float64)
    except Exception:  # any file may be there
        return None
    return values if shape in (None, values.shape) and np.isfinite(values).all() else None


def _keep(path: str, values: Floats) -> None:
    with atomic_file(path) as temporary, open(temporary, "wb") as file:
        np.save(file, values, allow_pickle=False)
