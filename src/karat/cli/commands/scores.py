"""What commands that score have in common: reading files, and showing scores."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

import karat
from karat.cli.output import (
    show,
)
from karat.cli.usage import check_thresholds, reading_of
from karat.output.bars import watched
from karat.scoring.boards import Board
from karat.scoring.groups import GroupScores
from karat.scoring.read import evaluation_of_files
from karat.uncertainty.sampling import OPTIONS


def read_evaluation(chosen: Namespace, by: str | None = None, keep: bool | None = None, ids: bool = False) -> Any:
    """Read the files into an Evaluation; keep: whether to keep labels of items, not only tables; ids: and item ids."""
    reading = reading_of(vars(chosen))
    progress = not chosen.quiet and watched()
    return evaluation_of_files(chosen.files, reading.replaced(by=by, items=keep, ids=ids, progress=progress))


def measures_of(chosen: Namespace) -> str | None:
    """The value of --measures, as score() takes it."""
    return None if chosen.measures is None else ",".join(chosen.measures)


def sampling_of(chosen: Namespace) -> dict[str, Any]:
    """The options of intervals, as score() and compare() take them."""
    return {"interval": chosen.interval, **{option.name: getattr(chosen, option.name) for option in OPTIONS}}


def show_scores(chosen: Namespace, scores: Any, ev: Any) -> None:
    """Show the scores of one system, of several, or of groups."""
    if isinstance(scores, GroupScores):
        several = len(scores.systems) > 1
        document = (lambda: scores.to_dict()) if several else (lambda: {"systems": [_with_name(scores)]})
        show(chosen, lambda: scores.layouts(chosen.digits), scores.records, document, ev.notes)
        return
    board = scores if isinstance(scores, Board) else Board({ev.systems[0]: scores})
    show(chosen, lambda: board.layouts(chosen.digits), board.records, board.to_dict, ev.notes)


def _with_name(scores: GroupScores) -> dict[str, Any]:
    return {"system": scores.systems[0], **scores.to_dict()}


def check_scores(chosen: Namespace, ev: Any) -> None:
    """Refuse scores worse than --fail-under; with groups, macro means."""
    if chosen.fail_under:
        scores = karat.score(ev, measures=[name for name, _ in chosen.fail_under])
        means = scores.macro if isinstance(scores, GroupScores) else scores
        by_system = means if ev.named else {ev.systems[0]: means}
        macro = " (macro)" if isinstance(scores, GroupScores) else ""
        check_thresholds(chosen, {f"{name}{macro}": values for name, values in by_system.items()})
