"""The command line: parse, call, print."""

from __future__ import annotations

import io
import os
import sys

from karat.errors import KaratError


def main(arguments: list[str] | None = None) -> int:
    """Run one command; 0 if it went well, 1 for a user's error (argparse exits with 2 for usage)."""
    from karat.cli.parser import parser

    chosen = parser().parse_args(arguments)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without arrows still shows the numbers
    import gc

    gc.disable()  # what is loaded stays: nothing to look for in it
    from karat.cli import commands

    gc.freeze()
    gc.enable()
    try:
        getattr(commands, chosen.command)(chosen)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader, such as head, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except KeyboardInterrupt:
        print("\nkarat: interrupted; nothing was written.", file=sys.stderr)
        return 130
    except KaratError as problem:
        from karat.cli.output import in_words_of_the_terminal

        print(f"karat: {in_words_of_the_terminal(str(problem))}", file=sys.stderr)
        return 1
    except MemoryError:
        print("karat: there is not enough memory; close other programs, or score fewer items.", file=sys.stderr)
        return 1
    finally:
        gc.unfreeze()
    return 0
