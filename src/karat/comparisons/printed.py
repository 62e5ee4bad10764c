"""The printed tables of a comparison: scores, confidence intervals and paired differences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.comparisons import sentences
from karat.comparisons.paired import Paired
from karat.output.layout import ARROWS, Layout, Marked, decimals, shown
from karat.scoring.scores import with_unit
from karat.uncertainty.interval import Interval
from karat.uncertainty.wording import description, span

if TYPE_CHECKING:
    from karat.comparisons.results import Comparison


def scores(comparison: Comparison, digits: int) -> Layout:
    """A row for each system: its scores, with the letters of the systems it significantly beats."""
    measures = [p.measure for p in comparison.paired]
    headings = ["", "system", *(f"{with_unit(m)} {ARROWS[m.better]}".rstrip() for m in measures)]
    letters = list(comparison.letters.values())
    rows = []
    for index in comparison.order:
        cells = [_cell(comparison, p, index, digits) for p in comparison.paired]
        rows.append([letters[index].rstrip(","), shown(comparison.systems[index]), *cells])
    notes, signatures = sentences.notes(comparison), comparison.signature.split("\n")
    return Layout(sentences.title(comparison), headings, rows, notes, signatures, left=2)


def _cell(comparison: Comparison, paired: Paired, index: int, digits: int) -> Marked:
    """A score, whether it is the best, and the letters of the systems that it beats."""
    verdicts, letters = comparison.verdicts[str(paired.measure)], list(comparison.letters.values())
    beaten = ["".join(letters[o] for o in worse).rstrip(",") for worse in verdicts.beats]
    known = paired.measure.better is not None and not np.isnan(paired.scores[index])
    best = known and index in verdicts.best
    return Marked(decimals(float(paired.scores[index]), digits), best, beaten[index], max(map(len, beaten)))


def intervals(comparison: Comparison, digits: int) -> Layout:
    """A row for each system, with its confidence interval by each measure."""
    headings = ["system", *(str(p.measure) for p in comparison.paired)]
    rows = [
        [
            shown(comparison.systems[index]),
            *(_span(comparison.interval_at(p.measure, index), digits) for p in comparison.paired),
        ]
        for index in comparison.order
    ]
    known = [interval for s in comparison.scores.values() for interval in s.intervals.values()]
    notes = [description(comparison.sampling, known), *sentences.remarks(comparison)]
    return Layout(f"{100 * comparison.sampling.level:g}% intervals", headings, rows, notes)


def _span(interval: Interval | None, digits: int) -> str:
    return "–" if interval is None else span(interval, digits)


def differences(comparison: Comparison, digits: int) -> Layout:
    """A row for every two systems and every measure: the paired difference and its p-value."""
    headings = ["measure", "better", "worse", "difference", "interval", "p", "p (Holm)"]
    rows = [
        [
            *(d["measure"], shown(d["better"]), shown(d["worse"]), decimals(d["difference"], digits)),
            *_tested(d, digits),
        ]
        for d in comparison.differences()
    ]
    return Layout("Paired differences", headings, rows, left=3)


def _tested(d: Mapping[str, Any], digits: int) -> tuple[str, str, str]:
    """The interval, the p-value and the p-value adjusted by Holm's method, as printed text."""
    if d["p"] is None:
        return "–", "–", "not tested"
    return f"{decimals(d['low'], digits)} to {decimals(d['high'], digits)}", f"{d['p']:.2g}", f"{d['p_holm']:.2g}"
