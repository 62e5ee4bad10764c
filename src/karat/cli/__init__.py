"""The command line: parse, call, print.

parser.py    commands and options
usage.py     checks of options before any file is read; exit statuses
commands/    one function per command
values.py    values of options, checked
options.py   options that several commands have
output.py    output formats and files
streams.py   standard streams that are closed, full or disconnected
"""

from __future__ import annotations

import codecs
import io
import os
import signal
import sys
import time
from contextlib import nullcontext, suppress
from typing import Any

from karat.errors import KaratError

INTERRUPTED = "interrupted; nothing was written."
AT_ONCE = 1.0  # seconds after a signal in which others are ignored, so that temporary files are removed
_received: list[int] = []  # signals since the command began
_since: list[float] = []  # when each of them arrived


def main(arguments: list[str] | None = None) -> int:
    """Run one command and return its exit status; karat.cli.usage.STATUSES lists them.

    After a signal the status is 128 plus its number: 130 for Ctrl-C, 143 for SIGTERM, 129 for a closed terminal.
    """
    _received.clear()
    try:
        status = _run_with_errors_printed(arguments)
    except Exception:  # a library's own error after a signal, such as DuckDB's "Query interrupted"
        if not _received:
            raise
        status = _fail(INTERRUPTED)
    finally:
        if arguments is None:  # Python exits now, and Ctrl-C would change the status of a command that is complete
            with suppress(ValueError):  # not in the main thread
                signal.signal(signal.SIGINT, signal.SIG_IGN)
    return 128 + _received[0] if status and _received else status


def _run_with_errors_printed(arguments: list[str] | None) -> int:
    from karat.cli.streams import drop, flush_errors, open_missing, wait_for_readers

    open_missing()
    wait_for_readers()
    if arguments is None:  # run as a program, so the environment may be changed
        from karat.machine.programs import keep_to_installed

        keep_to_installed()
    try:
        return _run(arguments)
    except BrokenPipeError:  # the reader, such as head, has stopped
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
        if not _is_somewhere():
            return _fail("the working directory has been removed; change to another, or name files by full paths.")
        file = "" if problem.filename is None else f" {os.fspath(problem.filename)!r}"
        return _fail(
            f"cannot write or read{file} ({problem.strerror or problem}); check it, free some space, "
            "or choose another place."
        )
    finally:
        flush_errors()


def _is_somewhere() -> bool:
    """Whether the working directory still exists."""
    try:
        os.getcwd()
    except OSError:
        return False
    return True


def _run(arguments: list[str] | None) -> int:
    import gc

    gc.disable()  # nothing loaded during imports is garbage
    from karat.cli.parser import parser

    codecs.register_error("karat", _escaped)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="karat")  # so that a terminal without arrows shows the numbers, and all help
    given = sys.argv[1:] if arguments is None else arguments
    chosen = parser(given[0] if given else None).parse_args(given)
    chosen.line = ["karat", *given]
    from karat.cli.commands import function_of
    from karat.cli.usage import check
    from karat.output.bars import without_bars

    command = function_of(chosen.command)  # loaded before garbage collection is enabled
    gc.freeze()
    gc.enable()
    before = _heed_signals()
    hook, sys.unraisablehook = sys.unraisablehook, _raise_again
    try:
        check(chosen)
        with without_bars() if getattr(chosen, "quiet", False) else nullcontext():
            command(chosen)
    finally:
        if arguments is not None:  # called from Python, which goes on
            gc.unfreeze()
        sys.unraisablehook = hook
        for number, handler in before.items():
            signal.signal(number, handler)
    return 0


def _heed_signals() -> dict[int, Any]:
    """Make signals that end a program raise exceptions, so that resources are released; return the old handlers.

    Ignored signals, such as SIGHUP under nohup, stay ignored.
    """
    _since.clear()
    ends = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
    usual = (signal.SIG_DFL, signal.default_int_handler, _end)
    try:
        return {number: signal.signal(number, _end) for number in ends if signal.getsignal(number) in usual}
    except ValueError:  # handlers can be set in the main thread only
        return {}


def _end(number: int, _: object) -> None:
    """Raise the exception that ends the command, unless a signal has just begun to end it."""
    now = time.monotonic()
    if _since and now - _since[-1] < AT_ONCE:
        return
    _received.append(number)
    _since.append(now)
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    sys.exit(128 + number)


def _raise_again(dropped: Any) -> None:
    """Send a signal again whose exception Python has dropped, as it does in a destructor or a callback."""
    if not _received or not isinstance(dropped.exc_value, (KeyboardInterrupt, SystemExit)):
        sys.__unraisablehook__(dropped)
        return
    from threading import Timer

    _since.clear()
    again = Timer(0.05, os.kill, (os.getpid(), _received.pop()))  # not here, where it would be dropped too
    again.daemon = True
    again.start()


def _escaped(problem: UnicodeError) -> tuple[str, int]:
    """Replace characters that an encoding lacks: symbols by ASCII, others by escapes, so that labels stay distinct."""
    if not isinstance(problem, UnicodeEncodeError):
        raise problem
    characters = problem.object[problem.start : problem.end]
    return "".join(PLAIN.get(c) or c.encode("unicode_escape").decode("ascii") for c in characters), problem.end


PLAIN = {"↑": "^", "↓": "v", "–": "-", "…": "~", "·": ".", "×": "x", "β": "beta"}


def _fail(message: str, status: int = 1) -> int:
    from karat.errors import concise
    from karat.output.bars import say

    if not _received or _received[0] == signal.SIGINT:  # after SIGTERM and SIGHUP nobody reads a message
        say(f"karat: {concise(message)}")
    return status
