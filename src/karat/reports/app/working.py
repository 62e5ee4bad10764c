"""The worker process of one report: python -m karat.reports.app.working loads libraries, then waits for a question.

The question is a line of JSON on standard input. The answer is a file in the answer folder: the page, or the error as
JSON. The process exits when its time is over, or when the server that started it has exited.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from contextlib import suppress
from typing import Any

from karat.errors import KaratError, concise
from karat.machine.temporary import keep_within
from karat.output.layout import shown
from karat.reports.app.answers import report_of
from karat.reports.app.questions import PAGE, PROBLEM, STARTED, Question, Task, in_words_of_the_page

GRACE = 10  # seconds beyond the time limit after which the process exits by itself
SOON = ("duckdb", "jinja2", "matplotlib.backends.backend_svg", "karat.reports.pages", "karat.plot.svg")


def main() -> None:
    """Answer one question."""
    for name in SOON:  # loaded before the question arrives
        with suppress(ImportError):
            __import__(name)
    line = sys.stdin.buffer.readline()
    if not line:  # the server has closed the pipe
        return
    asked, *rest = json.loads(line)
    task = Task(Question(*asked), *rest)
    with open(os.path.join(task.answer, STARTED), "wb"):
        pass
    threading.Thread(target=_end_with_server, daemon=True).start()
    _limit(task.seconds + GRACE, task.memory)
    keep_within(task.spill)
    name, text = _answer(task.question)
    with open(os.path.join(task.answer, name), "w", encoding="utf-8", errors="backslashreplace") as file:
        file.write(text)
    os._exit(0)  # skips the slow clean-up of libraries


def _answer(question: Question) -> tuple[str, str]:
    """The name and content of the file that holds the answer."""
    try:
        return PAGE, report_of(question).html()
    except KaratError as problem:
        status, why = 422, in_words_of_the_page(problem.sentence)
        if _is_short_of_memory(problem):
            status, why = 507, ""
    except MemoryError:
        status, why = 507, ""
    except Exception as problem:
        status, why = 500, f"karat failed ({type(problem).__name__}: {problem}); karat report may give details."
    return PROBLEM, json.dumps({"status": status, "error": concise(shown(why))})


def _is_short_of_memory(problem: BaseException | None) -> bool:
    """Whether an exception, or one that led to it, is a MemoryError."""
    while problem is not None and not isinstance(problem, MemoryError):
        problem = problem.__cause__ or problem.__context__
    return problem is not None


def _end_with_server() -> None:
    sys.stdin.buffer.read()  # returns when the server closes the pipe
    os._exit(1)


def _limit(seconds: float, memory: int) -> None:
    """Limit the memory of the process, in bytes, and have the system end it after some seconds."""
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        import resource
    except ImportError:
        return
    with suppress(ValueError, OSError):  # a lower limit is set already
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        most = _address_space() + memory
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _address_space() -> int:
    """The bytes of address space in use; 0 where the system does not report them."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            pages = int(file.read().split()[0])
    except (OSError, ValueError):
        return 0
    size: Any = os.sysconf("SC_PAGE_SIZE")
    return int(pages * size)


if __name__ == "__main__":
    main()
