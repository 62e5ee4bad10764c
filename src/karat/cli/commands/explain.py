"""karat explain and karat match: what went wrong, and the best map of clusters to classes."""

from __future__ import annotations

from argparse import Namespace

import karat
from karat.cli.commands.scores import read_evaluation
from karat.cli.output import (
    check_output,
    show,
)


def explain(chosen: Namespace) -> None:
    """Explain the errors of a system."""
    check_output(chosen)
    ev = read_evaluation(chosen, by=chosen.by)
    explanation = karat.explain(ev, measure=chosen.measure, top=chosen.top)
    show(chosen, lambda: explanation.layouts(chosen.digits), explanation.records, explanation.to_dict, ev.notes)


def match(chosen: Namespace) -> None:
    """The best one-to-one map of clusters to classes."""
    check_output(chosen)
    ev = read_evaluation(chosen)
    matching = karat.match(ev)
    show(chosen, lambda: matching.layouts(chosen.digits), matching.records, matching.to_dict, ev.notes)
