"""The command line: parse, call, print."""

from __future__ import annotations

import codecs
import io
import os
import sys
from contextlib import suppress

from karat.errors import KaratError


def main(arguments: list[str] | None = None) -> int:
    """Run one command; 0 if it went well, 1 for a user's error (argparse exits with 2 for usage)."""
    try:
        return _run(arguments)
    except BrokenPipeError:  # the reader, such as head, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return _fail("interrupted; nothing was written.", 130)
    except KaratError as problem:
        from karat.cli.output import in_words_of_the_terminal

        return _fail(in_words_of_the_terminal(str(problem)))
    except MemoryError:
        return _fail("there is not enough memory; close other programs, or score fewer items.")
    except OSError as problem:  # such as a full disk
        what = "" if problem.filename is None else f" {os.fspath(problem.filename)!r}"
        return _fail(
            f"cannot write or read{what} ({problem.strerror or problem}); check it, free some space, "
            "or choose another place."
        )


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
    from karat.cli import commands

    gc.freeze()
    gc.enable()
    try:
        before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that temporary files are taken away
    except ValueError:  # not in the main thread
        before = None
    try:
        getattr(commands, chosen.command)(chosen)
        if sys.stdout is not None:  # which a shell may have closed
            sys.stdout.flush()
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
    with suppress(OSError):  # if nobody can be told
        print(f"karat: {message}", file=sys.stderr)
    return status
