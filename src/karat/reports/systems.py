"""The sections about one system: scores, problems, pictures, the table, and every class and cluster."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from karat.measures.registry import Measure
from karat.output.layout import ARROWS, decimals, shown
from karat.reports.blocks import (
    Block,
    Fold,
    HeatTable,
    Notes,
    Part,
    Pictures,
    Problems,
    ScoreRow,
    ScoreTable,
    Search,
    Section,
)
from karat.reports.content import Report, System
from karat.reports.drawings import asked, drawings
from karat.reports.explorer import Limits, kept_indices
from karat.reports.heat import FEW, FEWEST, MOST, heat_of
from karat.reports.sections import beta_of
from karat.reports.strips import strip
from karat.scoring.scores import Scores, with_unit
from karat.uncertainty.wording import span

FEW_SYSTEMS = 4  # up to which all systems have plots and the largest heat maps
MANY_SYSTEMS = 10  # above which heat maps and tables are smallest
FEW_LINES = 5  # rows of each explanatory table, if systems are many
DRAWN = 2  # best systems that have plots, if there are more than FEW_SYSTEMS
DIGITS = 4


def best_first(systems: Sequence[System]) -> list[int]:
    """Indices of the systems, best first by the explained measure; NaN last, ties in the given order."""
    if not systems:
        return []
    lower = systems[0].explanation.measure.better == "lower"
    values = [s.explanation.value if lower else -s.explanation.value for s in systems]
    return sorted(range(len(systems)), key=lambda index: (math.isnan(values[index]), values[index]))


def parts_of(report: Report) -> list[Part]:
    """A part for each system, without the sections that depend on the page's limits."""
    order = best_first(report.systems)
    drawn = set(order if len(order) <= FEW_SYSTEMS else order[:DRAWN])
    return [
        Part(
            index,
            system.title,
            system.scores.layout().title,
            [
                _scores(index, system.scores),
                _problems(index, system, len(report.systems)),
                *([_pictures(index, system, only_system=len(order) == 1)] if index in drawn else []),
            ],
            system.scores.signature,
        )
        for index, system in enumerate(report.systems)
    ]


def with_table(part: Part, report: Report, limits: Limits) -> Part:
    """A part with its heat map, and every class and cluster within the limits."""
    system, number = report.systems[part.index], len(report.systems)
    most = MOST if number <= FEW_SYSTEMS else FEW if number <= MANY_SYSTEMS else FEWEST
    heat = heat_of(system, kept_indices(system, limits)[1], most)
    attributes = {"class": "explore", "data-system": str(part.index)}
    more = [
        Section(f"table-{part.index}", "The table", [HeatTable(part.index, heat)]),
        Section(f"explore-{part.index}", "Every class and cluster", [Search()], attributes),
    ]
    return replace(part, sections=[*part.sections, *more])


def _scores(index: int, scores: Scores) -> Section:
    heading = "" if scores.sampling is None else f"{100 * scores.sampling.level:g}% interval"
    table = ScoreTable([_row(scores, m) for m in scores.measures], heading)
    return Section(f"scores-{index}", "Scores", [table, Notes(scores.layout().notes)])


def _row(scores: Scores, m: Measure) -> ScoreRow:
    interval = scores.intervals.get(str(m))
    baselines = tuple(decimals(value) for value in scores.baselines[str(m)])
    return ScoreRow(
        str(m), shown(with_unit(m)), ARROWS[m.better].strip(), decimals(scores[m]),
        "" if interval is None else span(interval, DIGITS), strip(scores, m), baselines,
    )  # fmt: skip


def _problems(index: int, system: System, number: int) -> Section:
    """The largest problems in words, and the tables behind them. number: of systems on the page."""
    explanation = system.explanation
    summary, *rest = explanation.layouts()
    top = explanation.top if number <= MANY_SYSTEMS else FEW_LINES
    blocks: list[Block] = [
        Problems(explanation.problems),
        Fold(summary.title, summary, open=True),
        *(Fold(layout.title, layout._replace(rows=layout.rows[:top]), layout.notes) for layout in rest),
    ]
    return Section(f"wrong-{index}", "What to fix first", blocks)


def _pictures(index: int, system: System, *, only_system: bool) -> Section:
    """The pictures of a system; first the plane, if the system is the only one."""
    scores = system.scores
    plane = asked("plane", {system.name: scores}, beta=beta_of(scores.measures), zoom=None)
    wanted = [*([plane] if only_system else []), asked("flow", scores), asked("composition", scores)]
    drawn = drawings(wanted, "system", [scores, system.explanation], f"s{index}")
    return Section(f"pictures-{index}", "Pictures", [Pictures(drawn)])
