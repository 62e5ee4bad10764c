"""karat compare: systems with intervals and paired tests, or their agreement."""

from __future__ import annotations

import os
from argparse import Namespace
from typing import Any

import karat
import karat.comparisons.agreement
from karat.cli.commands.scores import measures_of, read_evaluation, sampling_of, show_scores
from karat.cli.output import (
    check_output,
    show,
)
from karat.cli.usage import UsageError
from karat.errors import FileError
from karat.scoring.groups import GroupScores


def compare(chosen: Namespace) -> None:
    """Compare systems: scores with confidence intervals and paired tests."""
    check_output(chosen)
    if chosen.pairwise and (chosen.differences or chosen.interval != 0.95 or chosen.unit != "items"):
        raise UsageError("--differences, --interval and --unit are for comparing with gold; leave out --pairwise.")
    ev = read_evaluation(chosen, by=chosen.by, keep=True)
    if chosen.pairwise:
        _show_pairwise(chosen, ev)
        return
    if len(ev.systems) < 2 and ev.groups is None:
        raise FileError("there is one system; add another file or --pred column, or use karat score.")
    compared = karat.compare(ev, measures=measures_of(chosen), **sampling_of(chosen))
    if isinstance(compared, GroupScores):
        show_scores(chosen, compared, ev)
        return
    layouts = [
        *compared.layouts(chosen.digits),
        *([compared.table_of_differences(chosen.digits)] if chosen.differences else []),
    ]
    records = compared.differences if chosen.differences else compared.records
    show(chosen, lambda: layouts, records, compared.to_dict, ev.notes)


def _show_pairwise(chosen: Namespace, ev: Any) -> None:
    """Show the agreement of all pairs of gold and systems."""
    first = os.path.splitext(os.path.basename(chosen.files[0]))[0]
    name = chosen.gold[0] if len(chosen.files) == 1 and chosen.gold else first
    between = karat.comparisons.agreement.agreement_of(ev, measures_of(chosen) or "vi", gold=name)
    show(chosen, lambda: [between.layout(chosen.digits)], between.records, between.to_dict)
