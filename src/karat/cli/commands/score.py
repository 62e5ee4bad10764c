"""karat score: each system, or each group, of files or of an engine's tables."""

from __future__ import annotations

from argparse import Namespace

import karat
from karat.cli.commands.scores import check_scores, measures_of, read_evaluation, sampling_of, show_scores
from karat.cli.output import (
    check_output,
)
from karat.cli.usage import UsageError
from karat.errors import Option
from karat.sources.files.options import parameters


def score(chosen: Namespace) -> None:
    """Score each system; with --by each group."""
    check_output(chosen)
    if chosen.engine != "duckdb":
        _score_by_engine(chosen)
        return
    ev = read_evaluation(chosen, by=chosen.by, keep=False)
    scores = karat.score(ev, measures=measures_of(chosen), **sampling_of(chosen))
    show_scores(chosen, scores, ev)
    check_scores(chosen, ev)


def _score_by_engine(chosen: Namespace) -> None:
    """Score columns of one table, or of two matched on an id, counted by Polars or Spark."""
    from contextlib import ExitStack

    from karat.sources.engines.paths import opened_by

    if not chosen.gold or not chosen.pred or len(chosen.gold) > 1 or len(chosen.files) > 2:
        raise UsageError(
            f"--engine {chosen.engine} takes one table or two, and the columns: ", Option("gold"), " ", Option("pred")
        )
    if chosen.by is not None or chosen.interval is not None:
        raise UsageError(f"--by and --interval are not for --engine {chosen.engine}; leave them out.")
    for name in ("delimiter", "encoding", "header", "input"):
        if getattr(chosen, name) != parameters()[name].default:
            raise UsageError(Option(name, bare=True), f" is not for --engine {chosen.engine}; leave it out.")
    options = {
        "gold": chosen.gold[0], "pred": chosen.pred, "id": chosen.id if len(chosen.files) == 2 else None,
        "count": chosen.count, "weights": chosen.weights, "missing": chosen.missing, "noise": chosen.noise,
        "noise_as": chosen.noise_as, "ignore": chosen.ignore,
    }  # fmt: skip
    with ExitStack() as stack:
        numbers = [name for name in (chosen.count, chosen.weights) if name is not None]
        engine = {"numbers": numbers, "master": chosen.master, "memory": chosen.memory}
        frames = [stack.enter_context(opened_by(chosen.engine, path, **engine)) for path in chosen.files]
        ev = karat.Evaluation.from_frame(*frames, **options)
        show_scores(chosen, karat.score(ev, measures=measures_of(chosen)), ev)
        check_scores(chosen, ev)
