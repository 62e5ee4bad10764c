"""Work shared out to a few threads, for loops that let go of Python's lock."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TypeVar

T = TypeVar("T")

THREADS = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
LARGE = 1 << 18  # items from which starting a thread is worth its 50 microseconds


def in_parallel(tasks: Sequence[Callable[[], T]]) -> list[T]:
    """The result of each task, in order; all but the first run in threads of their own."""
    if len(tasks) == 1:
        return [tasks[0]()]
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(len(tasks) - 1) as pool:
        others = [pool.submit(task) for task in tasks[1:]]
        return [tasks[0](), *(other.result() for other in others)]


def shares(size: int, items: int | None = None) -> list[tuple[int, int]]:
    """The range 0..size in as many parts as there are threads, or whole if there are few items to work on."""
    number = THREADS if (size if items is None else items) >= LARGE else 1
    number = max(1, min(number, 8, size))
    ends = [size * part // number for part in range(number + 1)]
    return list(pairwise(ends))
