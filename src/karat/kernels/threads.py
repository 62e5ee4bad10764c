"""Work distributed over a few threads, for loops that release Python's global interpreter lock."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import cache, partial
from itertools import pairwise
from threading import current_thread
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

T = TypeVar("T")

THREADS = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
MOST = 8  # threads; more do not increase the memory bandwidth
NAME = "karat-worker"
LARGE = 1 << 17  # items from which a thread is worth its overhead of 30 microseconds


def in_parallel(tasks: Sequence[Callable[[], T]], items: int = LARGE) -> list[T]:
    """The result of each task, in order; all but the first run in other threads if there are many items."""
    if (
        len(tasks) == 1 or items < LARGE or current_thread().name.startswith(NAME)
    ):  # a worker waiting for workers could deadlock
        return [task() for task in tasks]
    try:
        others = [_pool().submit(task) for task in tasks[1:]]
    except RuntimeError:  # no thread can be started any more, as when the interpreter ends
        return [task() for task in tasks]
    return [tasks[0](), *(other.result() for other in others)]


def share_out(tasks: Sequence[Callable[[], T]], items: int) -> list[T]:
    """The result of each task, in order; at most one task per thread runs at a time, to limit memory."""
    parts = [tasks[a:b] for a, b in shares(len(tasks), items)]
    results = in_parallel([partial(_one_by_one, part) for part in parts])
    return [result for part in results for result in part]


def _one_by_one(tasks: Sequence[Callable[[], T]]) -> list[T]:
    return [task() for task in tasks]


@cache
def _pool() -> ThreadPoolExecutor:
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(MOST, thread_name_prefix=NAME)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)  # a child process has none of its parent's threads


def shares(size: int, items: int | None = None, most: int = MOST) -> list[tuple[int, int]]:
    """The range 0..size split into one part per thread, or a single part if there are few items."""
    number = THREADS if (size if items is None else items) >= LARGE else 1
    number = max(1, min(number, most, MOST, size))
    ends = [size * part // number for part in range(number + 1)]
    return list(pairwise(ends))
