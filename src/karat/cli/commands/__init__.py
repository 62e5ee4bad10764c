"""Commands: one function each, which calls karat's public functions; only the file of the command is loaded.

scores.py    what commands that score have in common
score.py     score
compare.py   compare
tables.py    table, merge
explain.py   explain, match
pages.py     report, app
measures.py  measures, relate, audit
papers.py    reproduce, data
shell.py     example, completion
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from importlib import import_module
from typing import Any

FILES = {
    "score": "score",
    "compare": "compare",
    "table": "tables",
    "merge": "tables",
    "explain": "explain",
    "match": "explain",
    "report": "pages",
    "app": "pages",
    "measures": "measures",
    "relate": "measures",
    "audit": "measures",
    "reproduce": "papers",
    "data": "papers",
    "example": "shell",
    "completion": "shell",
}  # the file of each command


def function_of(command: str) -> Callable[[Namespace], Any]:
    """The function of a command."""
    function: Callable[[Namespace], Any] = getattr(import_module(f"karat.cli.commands.{FILES[command]}"), command)
    return function
