"""Reports at work and reports that wait: each is made by a process of its own, which is ended when nobody wants it."""

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
from karat.reports.app.questions import PAGE, PROBLEM, Question, Task

ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")


class RefusedError(Exception):
    """A request that is not answered with a page: its status, and why."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


class Workers:
    """Processes that make one report each; one more is ready, so that nobody waits for Python and its libraries.

    scale: how many times more than usual a report may take, of seconds and memory.
    """

    def __init__(self, scale: float = 1) -> None:
        self.seconds = limits.APP_SECONDS.most * scale
        self.memory = int(limits.APP_MEMORY.most * scale)
        self.asked = 0  # reports at work, waiting, or arriving
        self.turn = asyncio.Semaphore(limits.APP_AT_WORK.most)
        self.spare: asyncio.Task[Process] | None = None
        self.ended = False

    @contextmanager
    def place(self) -> Iterator[None]:
        """A place among those that are at work or wait, if one is free."""
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
        """Start a process for the next report, if none is ready."""
        if self.spare is None and not self.ended:
            self.spare = asyncio.create_task(_started())

    async def report(self, question: Question, answer: str, spill: str) -> bytes:
        """The page about the files of a question, when its turn comes; answer and spill are empty folders."""
        async with self.turn:
            process = await self._next()
            try:
                task = Task(question, answer, spill, self.seconds, self.memory)
                async with asyncio.timeout(self.seconds):
                    await _asked(process, task)
            except TimeoutError:
                most = f"more than {self.seconds:,.0f} seconds"
                raise RefusedError(504, f"the report takes {most}; {limits.APP_SECONDS.remedy}.") from None
            finally:
                await _ended(process)
        return self._found(answer, process.returncode or 0)

    async def _next(self) -> Process:
        """The process that is ready; another is started for the one who comes next."""
        while True:
            self.prepare()
            ready, self.spare = self.spare, None
            if ready is None:
                raise RefusedError(503, "the server ends; start it again.")
            try:
                process = await asyncio.shield(ready)
            except asyncio.CancelledError:
                self.spare = self.spare or ready
                raise
            self.prepare()
            if process.returncode is None:  # else somebody has ended it
                return process

    def _found(self, answer: str, status: int) -> bytes:
        """What a process has answered; if nothing, why."""
        with suppress(FileNotFoundError), open(os.path.join(answer, PAGE), "rb") as file:
            return file.read()
        with suppress(OSError, ValueError, KeyError), open(os.path.join(answer, PROBLEM), encoding="utf-8") as file:
            told = json.load(file)
            if told["status"] != 507:
                raise RefusedError(int(told["status"]), str(told["error"]))
        most = f"the report needs more than {self.memory / 1e6:,.0f} MB of memory"
        if status >= 0:
            raise RefusedError(507, f"{most}; {limits.APP_MEMORY.remedy}.")
        name = signal.Signals(
            -status
        ).name  # libraries that are refused memory, and the system itself, end it like this
        raise RefusedError(507, f"{most}, or a file breaks its reader ({name}); {limits.APP_MEMORY.remedy}.")

    async def close(self) -> None:
        """End the process that is ready."""
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
        start_new_session=True,  # so that Ctrl-C is for the server, which ends its processes
    )  # fmt: skip


async def _asked(process: Process, task: Task) -> None:
    """Give a process its question, and wait until it has ended."""
    assert process.stdin is not None
    with suppress(BrokenPipeError, ConnectionResetError):  # then it has ended
        process.stdin.write(json.dumps(task).encode() + b"\n")
        await process.stdin.drain()
    await process.wait()


async def _ended(process: Process) -> None:
    """End a process; at once, since the folders that it writes to are the server's."""
    with suppress(ProcessLookupError):
        process.kill()
    await process.wait()
