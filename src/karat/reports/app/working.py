"""A process that makes one report: python -m karat.reports.app.working loads what it needs, then waits for a question.

The question is a line of JSON on standard input. The answer is a file beside the folder of the uploads: the page, or
what is wrong. The process ends itself if its time is over, or if the server that has started it is no more.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from contextlib import suppress
from typing import Any

from karat.errors import KaratError
from karat.machine.temporary import keep_within
from karat.output.layout import shown
from karat.reports.app.answers import report_of
from karat.reports.app.questions import PAGE, PROBLEM, Question, Task, in_words_of_the_page

GRACE = 10  # seconds after which the process ends itself, if the server has not ended it
SOON = ("duckdb", "jinja2", "matplotlib.backends.backend_svg", "karat.reports.pages", "karat.reports.figures")


def main() -> None:
    """Answer one question."""
    for name in SOON:  # which the question need not wait for
        with suppress(ImportError):
            __import__(name)
    line = sys.stdin.buffer.readline()
    if not line:  # no question will come
        return
    asked, *rest = json.loads(line)
    task = Task(Question(*asked), *rest)
    threading.Thread(target=_end_with_server, daemon=True).start()
    _limit(task.seconds + GRACE, task.memory)
    keep_within(task.spill)
    name, text = _answer(task.question)
    with open(os.path.join(task.answer, name), "w", encoding="utf-8", errors="backslashreplace") as file:
        file.write(text)
    os._exit(0)  # nothing that libraries hold is worth the time to give it back


def _answer(question: Question) -> tuple[str, str]:
    """The name and content of the file that holds the answer."""
    try:
        return PAGE, report_of(question).html()
    except KaratError as problem:
        status, why = 422, in_words_of_the_page(problem.sentence)
    except MemoryError:
        status, why = 507, ""
    except Exception as problem:
        status, why = 500, f"karat failed ({type(problem).__name__}: {problem}); karat report may tell more."
    return PROBLEM, json.dumps({"status": status, "error": shown(why)})


def _end_with_server() -> None:
    sys.stdin.buffer.read()  # nothing comes, until the other end is closed
    os._exit(1)


def _limit(seconds: float, memory: int) -> None:
    """Have the system refuse memory beyond a limit, and end the process after some time, whatever it does then."""
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        import resource
    except ImportError:
        return
    with suppress(ValueError, OSError):  # if a lower limit is set already
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        most = _address_space() + memory
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _address_space() -> int:
    """Bytes of address space that are in use, where the system tells."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            pages = int(file.read().split()[0])
    except (OSError, ValueError):
        return 0
    size: Any = os.sysconf("SC_PAGE_SIZE")
    return int(pages * size)


if __name__ == "__main__":
    main()
