"""The command line: parse, call, print.

parser.py    what may be typed
usage.py     what the command line alone shows to be wrong; exit statuses
commands.py  what each command does
output.py    where results go, and in which form
streams.py   standard streams that are closed, full or gone
"""

from __future__ import annotations

import codecs
import io
import os
import signal
import sys
import threading
from contextlib import nullcontext
from typing import Any

from karat.errors import KaratError

INTERRUPTED = "interrupted; nothing was written."
_heard: list[int] = []  # signals since the command began


def main(arguments: list[str] | None = None) -> int:
    """Run one command and return its exit status, of which karat.cli.usage has the list.

    Signals end it with 128 and their number: 130 after Ctrl-C, 143 for SIGTERM, 129 when the terminal is closed.
    """
    _heard.clear()
    try:
        status = _tried(arguments)
    except Exception:  # what a library has made of a signal, such as DuckDB's "Query interrupted"
        if not _heard:
            raise
        status = _fail(INTERRUPTED)
    return 128 + _heard[0] if status and _heard else status


def _tried(arguments: list[str] | None) -> int:
    from karat.cli.streams import drop, open_missing, settle

    open_missing()
    if arguments is None:  # a program of its own, which may set its own environment
        from karat.machine.programs import keep_to_installed

        keep_to_installed()
    try:
        return _run(arguments)
    except BrokenPipeError:  # the reader, such as head, has seen enough
        drop(sys.stdout)
        return 0
    except KeyboardInterrupt:
        return _fail(INTERRUPTED, 130)
    except KaratError as problem:
        from karat.cli.output import in_words_of_the_terminal
        from karat.cli.usage import BAD_DATA, BAD_USAGE, TOO_LOW, ThresholdError, UsageError

        kinds = {UsageError: BAD_USAGE, ThresholdError: TOO_LOW}
        return _fail(in_words_of_the_terminal(problem.sentence), kinds.get(type(problem), BAD_DATA))
    except MemoryError:
        return _fail("there is not enough memory; close other programs, or score fewer items.")
    except OSError as problem:  # such as a full disk
        drop(sys.stdout)
        what = "" if problem.filename is None else f" {os.fspath(problem.filename)!r}"
        return _fail(
            f"cannot write or read{what} ({problem.strerror or problem}); check it, free some space, "
            "or choose another place."
        )
    finally:
        settle()


def _run(arguments: list[str] | None) -> int:
    import gc

    gc.disable()  # what is loaded stays: nothing to look for in it
    from karat.cli.parser import parser

    given = sys.argv[1:] if arguments is None else arguments
    chosen = parser(given[0] if given else None).parse_args(given)
    chosen.line = ["karat", *given]
    codecs.register_error("karat", _escaped)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="karat")  # a terminal without arrows still shows the numbers
    from karat.cli import commands
    from karat.cli.usage import check
    from karat.output.bars import without_bars

    gc.freeze()
    gc.enable()
    before = _heed_signals()
    try:
        check(chosen)
        with without_bars() if getattr(chosen, "quiet", False) else nullcontext():
            getattr(commands, chosen.command)(chosen)
    finally:
        if arguments is not None:  # called by a program that goes on
            gc.unfreeze()
        for number, handler in before.items():
            signal.signal(number, handler)
    return 0


def _heed_signals() -> dict[int, Any]:
    """Have signals that end a program raise exceptions, so that what it holds is given back; their handlers before.

    What is ignored, such as the end of the terminal under nohup, stays ignored.
    """
    ends = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
    if threading.current_thread() is not threading.main_thread():  # where no signal arrives
        return {}
    usual = (signal.SIG_DFL, signal.default_int_handler, _end)
    return {number: signal.signal(number, _end) for number in ends if signal.getsignal(number) in usual}


def _end(number: int, _: object) -> None:
    _heard.append(number)
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    sys.exit(128 + number)


def _escaped(problem: UnicodeError) -> tuple[str, int]:
    """Letters that a terminal or a file lacks, as escapes, so that different labels stay different; arrows as ASCII."""
    if not isinstance(problem, UnicodeEncodeError):
        raise problem
    letters = problem.object[problem.start : problem.end]
    return "".join(PLAIN.get(c) or c.encode("unicode_escape").decode("ascii") for c in letters), problem.end


PLAIN = {"↑": "^", "↓": "v", "–": "-", "…": "~", "·": ".", "×": "x", "β": "beta"}


def _fail(message: str, status: int = 1) -> int:
    from karat.errors import concise
    from karat.output.bars import say

    if not _heard or _heard[0] == signal.SIGINT:  # else nobody waits for a message
        say(f"karat: {concise(message)}")
    return status
