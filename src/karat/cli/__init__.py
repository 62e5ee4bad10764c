"""The command line: parse, call, print."""

from __future__ import annotations

import codecs
import io
import os
import sys
from contextlib import nullcontext

from karat.errors import KaratError


def main(arguments: list[str] | None = None) -> int:
    """Run one command and return its exit status, of which karat.cli.usage has the list."""
    from karat.cli.streams import drop, open_missing, settle

    open_missing()
    if arguments is None:  # a program of its own, which may set its own environment
        from karat.programs import keep_to_installed

        keep_to_installed()
    try:
        return _run(arguments)
    except BrokenPipeError:  # the reader, such as head, has seen enough
        drop(sys.stdout)
        return 0
    except KeyboardInterrupt:
        return _fail("interrupted; nothing was written.", 130)
    except KaratError as problem:
        from karat.cli.output import in_words_of_the_terminal
        from karat.cli.usage import BAD_DATA, BAD_USAGE, TOO_LOW, ThresholdError, UsageError

        kinds = {UsageError: BAD_USAGE, ThresholdError: TOO_LOW}
        return _fail(in_words_of_the_terminal(str(problem)), kinds.get(type(problem), BAD_DATA))
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
    import signal

    gc.disable()  # what is loaded stays: nothing to look for in it
    from karat.cli.parser import parser

    given = sys.argv[1:] if arguments is None else arguments
    chosen = parser(given[0] if given else None).parse_args(given)
    chosen.line = ["karat", *given]
    codecs.register_error("karat", _escaped)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="karat")  # a terminal without arrows still shows the numbers
    from karat.bars import without_bars
    from karat.cli import commands
    from karat.cli.usage import check

    gc.freeze()
    gc.enable()
    try:
        before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that temporary files are taken away
    except ValueError:  # not in the main thread
        before = None
    try:
        check(chosen)
        with without_bars() if getattr(chosen, "quiet", False) else nullcontext():
            getattr(commands, chosen.command)(chosen)
    finally:
        if arguments is not None:  # called by a program that goes on
            gc.unfreeze()
        if before is not None:
            signal.signal(signal.SIGTERM, before)
    return 0


def _escaped(problem: UnicodeError) -> tuple[str, int]:
    """Letters that a terminal or a file lacks, as escapes, so that different labels stay different; arrows as ASCII."""
    if not isinstance(problem, UnicodeEncodeError):
        raise problem
    letters = problem.object[problem.start : problem.end]
    return "".join(PLAIN.get(c) or c.encode("unicode_escape").decode("ascii") for c in letters), problem.end


PLAIN = {"↑": "^", "↓": "v", "–": "-", "…": "~", "·": ".", "×": "x", "β": "beta"}


def _fail(message: str, status: int = 1) -> int:
    from karat.bars import say

    say(f"karat: {message}")
    return status
