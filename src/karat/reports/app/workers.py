"""The queue of reports, each computed by its own process, killed when the client disconnects."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from karat import limits
from karat.reports.app.questions import PAGE, PROBLEM, STARTED, Question, Task

TRIES = 3  # processes given a question, if those before were killed while they waited for one
LOOK, LOOKS = 0.25, 4  # seconds between looks at the memory of a process, and looks that must find it full
FULL = 0.98  # share of the limit of memory
ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")


class RefusedError(Exception):
    """A refused request: the HTTP status, and the reason."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


class Workers:
    """Processes that compute one report each; a spare one is kept ready, as libraries load slowly.

    scale: factor of the limits on time and memory.
    """

    def __init__(self, scale: float = 1) -> None:
        self.seconds = limits.APP_SECONDS.most * scale
        self.memory = int(limits.APP_MEMORY.most * scale)
        self.asked = 0  # reports being received, waiting or computed
        self.turn = asyncio.Semaphore(limits.APP_AT_WORK.most)
        self.spare: asyncio.Task[Process] | None = None
        self.ended = False

    @contextmanager
    def place(self) -> Iterator[None]:
        """Take a place in the queue while the block runs; raise RefusedError if the queue is full."""
        most = limits.APP_AT_WORK.most + limits.APP_WAITING.most
        if self.asked >= most:
            raise RefusedError(
                503, f"{self.asked} reports are at work or wait, and {most} is the most; {limits.APP_WAITING.remedy}."
            )
        self.asked += 1
        try:
            yield
        finally:
            self.asked -= 1

    def prepare(self) -> None:
        """Start the spare process, if there is none."""
        if self.spare is None and not self.ended:
            self.spare = asyncio.create_task(_started())

    async def report(self, question: Question, answer: str, spill: str) -> bytes:
        """The page with the report on a question, computed in turn; answer and spill are empty folders."""
        task = Task(question, answer, spill, self.seconds, self.memory)
        async with self.turn:
            for _ in range(TRIES):
                status = await self._status(task)
                if os.path.exists(os.path.join(answer, STARTED)):
                    return self._read_answer(answer, status)
        raise RefusedError(500, f"no process for reports starts (status {status}); start karat app again.")

    async def _status(self, task: Task) -> int:
        """Give a task to the next process, and return its exit status."""
        process = await self._next()
        try:
            async with asyncio.timeout(self.seconds):
                await _asked(process, task)
        except TimeoutError:
            most = f"more than {self.seconds:,.0f} seconds"
            raise RefusedError(504, f"the report takes {most}; {limits.APP_SECONDS.remedy}.") from None
        finally:
            await _ended(process)
        return process.returncode or 0

    async def _next(self) -> Process:
        """Take the spare process, and start another for the next report."""
        while True:
            self.prepare()
            ready, self.spare = self.spare, None
            if ready is None:
                raise RefusedError(503, "the server is shutting down; start it again.")
            try:
                process = await asyncio.shield(ready)
            except asyncio.CancelledError:
                self.spare = self.spare or ready
                raise
            self.prepare()
            if process.returncode is None:  # else it was killed from outside
                return process

    def _read_answer(self, answer: str, status: int) -> bytes:
        """The page that a process has written; raise RefusedError with the reason if there is none."""
        with suppress(FileNotFoundError), open(os.path.join(answer, PAGE), "rb") as file:
            return file.read()
        with suppress(OSError, ValueError, KeyError), open(os.path.join(answer, PROBLEM), encoding="utf-8") as file:
            problem = json.load(file)
            if problem["status"] != 507:
                raise RefusedError(int(problem["status"]), str(problem["error"]))
        most = f"the report needs more than {self.memory / 1e6:,.0f} MB of memory"
        if status >= 0:
            raise RefusedError(507, f"{most}; {limits.APP_MEMORY.remedy}.")
        # out of memory, libraries abort and the system kills the process
        name = signal.Signals(-status).name
        raise RefusedError(507, f"{most}, or a file breaks its reader ({name}); {limits.APP_MEMORY.remedy}.")

    async def close(self) -> None:
        """Kill the spare process, and start no more."""
        self.ended = True
        if self.spare is not None:
            with suppress(OSError):
                await _ended(await self.spare)
            self.spare = None


async def _started() -> Process:
    """A process that waits for a question; -P, so that it imports nothing from the working directory."""
    return await asyncio.create_subprocess_exec(
        sys.executable, "-P", "-m", "karat.reports.app.working",
        stdin=PIPE, stdout=DEVNULL, stderr=DEVNULL, env={**os.environ, **ONE_THREAD},
        start_new_session=True,  # so that Ctrl-C reaches only the server, which kills its processes
    )  # fmt: skip


async def _asked(process: Process, task: Task) -> None:
    """Send a process its task, and wait until it has exited."""
    assert process.stdin is not None
    with suppress(BrokenPipeError, ConnectionResetError):  # it has exited already
        process.stdin.write(json.dumps(task).encode() + b"\n")
        await process.stdin.drain()
    watch = asyncio.create_task(_watched(process))
    try:
        await process.wait()
    finally:
        watch.cancel()


async def _watched(process: Process) -> None:
    """Kill a process that stays near its limit of memory, where every allocation is tried anew and slow."""
    looks = 0
    while looks < LOOKS:
        await asyncio.sleep(LOOK)
        looks = looks + 1 if _fullness(process.pid) > FULL else 0
    with suppress(ProcessLookupError):
        process.kill()


def _fullness(pid: int) -> float:
    """The share of its limited address space that a process uses; 0 if it has no limit or that is not known."""
    try:
        with open(f"/proc/{pid}/limits", encoding="ascii") as file:
            most = next(line.split()[3] for line in file if line.startswith("Max address space"))
        with open(f"/proc/{pid}/statm", encoding="ascii") as file:
            pages = int(file.read().split()[0])
        return pages * int(os.sysconf("SC_PAGE_SIZE")) / int(most)
    except (OSError, ValueError, IndexError, StopIteration):  # not Linux, no limit, or the process has ended
        return 0.0


async def _ended(process: Process) -> None:
    """Kill a process and wait for it, before the server removes the folders that it writes to."""
    with suppress(ProcessLookupError):
        process.kill()
    await process.wait()
