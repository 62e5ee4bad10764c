"""Long simulations in blocks: on all cores, kept in the user's cache, and resumed where they were interrupted."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from karat.errors import KaratError
from karat.kernels.threads import THREADS
from karat.output.bars import bar
from karat.sources.files.arrays import array_header
from karat.tables.storage import whole_file

T = TypeVar("T")
Floats = NDArray[np.float64]


def in_blocks(
    work: Callable[[T], Floats],
    blocks: Sequence[tuple[str, T]],
    folder: str,
    processes: int | None,
    what: str = "simulating",
    shape: tuple[int, ...] | None = None,
) -> dict[str, Floats]:
    """The result of each named block: read where it is kept already, else worked out, and kept as soon as it is done.

    What is damaged, not of this shape or not finite, is worked out again. Each block draws from its own seed, so
    results do not depend on how many processes there are, or on interruptions.
    """
    found, todo = {}, []
    for name, task in blocks:
        kept = _load(os.path.join(folder, f"{name}.npy"), shape)
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
    with ProcessPoolExecutor(min(processes, len(todo))) as pool:
        running = {pool.submit(work, task): name for name, task in todo}
        try:
            for future in as_completed(running):
                yield running[future], future.result()
        except BrokenProcessPool:
            raise KaratError("a process was ended from outside; run it again with fewer, processes=1.") from None
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def _load(path: str, shape: tuple[int, ...] | None) -> Floats | None:
    try:
        dtype, size, start = array_header(path)
        found = np.array(np.memmap(path, dtype, "r", start, size), np.float64)
    except Exception:  # whatever is in its place
        return None
    return found if shape in (None, found.shape) and np.isfinite(found).all() else None


def _keep(path: str, values: Floats) -> None:
    with whole_file(path) as temporary, open(temporary, "wb") as file:
        np.save(file, values, allow_pickle=False)
