"""The command line: parse, call, print."""

from __future__ import annotations

import argparse
import io
import os
import sys

from karat.errors import KaratError
from karat.version import __version__


def main(arguments: list[str] | None = None) -> int:
    """Run one command; 0 if it went well, 1 for a user's error (argparse exits with 2 for usage)."""
    parser = argparse.ArgumentParser(prog="karat", description="How close is a clustering to gold?")
    parser.add_argument("--version", action="version", version=f"karat {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    commands.add_parser("example", help="score the textbook's clustering of 17 documents").set_defaults(run=_example)
    chosen = parser.parse_args(arguments)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal without arrows still shows the numbers
    try:
        print(chosen.run(), flush=True)
    except BrokenPipeError:  # the reader, such as head, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except KaratError as problem:
        print(f"karat: {problem}", file=sys.stderr)
        return 1
    return 0


def _example() -> str:
    import karat

    return str(karat.score(*karat.examples.textbook()))
