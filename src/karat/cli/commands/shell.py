"""karat example and karat completion: the first steps in a shell."""

from __future__ import annotations

from argparse import Namespace

import karat
from karat.cli.output import (
    show,
)
from karat.cli.streams import put
from karat.scoring.boards import Board


def example(chosen: Namespace) -> None:
    """Score the textbook's clustering of 17 documents."""
    board = Board({"textbook": karat.score(*karat.examples.textbook())})
    show(chosen, lambda: [board["textbook"].layout(chosen.digits)], board.records, board.to_dict)


def completion(chosen: Namespace) -> None:
    """Print a completion script for a shell."""
    import shtab

    from karat.cli.parser import parser

    put(shtab.complete(parser(), chosen.shell))
