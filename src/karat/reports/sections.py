"""The sections about all systems together, and those at the end of the page; each is left out if it does not apply."""

from __future__ import annotations

from karat.comparisons.results import Comparison
from karat.measures.cards import range_of
from karat.measures.registry import Measure
from karat.output.layout import Layout, shown
from karat.plot.registry import find_picture
from karat.reports.blocks import Block, Command, Fold, Glossary, Grid, Lead, Notes, Pictures, Section, Term
from karat.reports.content import Report
from karat.reports.drawings import Asked, asked, drawings
from karat.scoring.boards import Board
from karat.version import __version__

BESIDE = 5  # up to which systems are the columns of a table
PAIRED = 8  # systems up to which all differences are listed
FEW_NOTES = 6  # below which notes are not folded
BY_MEASURE = 2  # measures by which systems are ranked in pictures


def sections_of_all(report: Report) -> list[Section]:
    """The sections about all systems together."""
    return [*_compared(report), *_side_by_side(report), *_by_group(report)]


def sections_at_end(report: Report, measures: tuple[Measure, ...]) -> list[Section]:
    """What the measures mean, how labels were read, and the command."""
    making: list[Block] = [Notes([shown(note) for note in report.notes]), Command(shown(report.command), __version__)]
    return [
        Section("terms", "What the measures mean", [Glossary([_term(m) for m in measures])]),
        Section("made", "How it was made", making),
    ]


def _compared(report: Report) -> list[Section]:
    """Which system is better: the table of scores, pictures, and what the tables are based on."""
    comparison = report.comparison
    if comparison is None:
        return []
    measure = report.systems[0].explanation.measure
    first, *others = drawings(_wanted(comparison, measure), "comparison", [comparison], "all")
    table, spans, differences = comparison.layout(), comparison.spans(), _differences(comparison, measure)
    beside = len(comparison) <= BESIDE
    if beside:
        table, spans = _transposed(table, 2), _transposed(spans, 1)
    blocks: list[Block] = [
        Lead(table, table.notes[0], first, beside),
        Fold("What each measure says", None, table.notes[1:], open=len(table.notes) < FEW_NOTES),
        Pictures(others),
        Fold(spans.title, spans, spans.notes),
        Fold(differences.title, differences),
    ]
    return [Section("compared", "Which system is better?", blocks)]


def _wanted(comparison: Comparison, measure: Measure) -> list[Asked]:
    """The plane, a sweep if there is one, and systems ranked by the explained measure and one of another family."""
    ranked = sorted(
        (m for m in comparison.measures if m.better is not None),
        key=lambda m: (m != measure, m.family == measure.family),
    )
    return [
        asked("plane", comparison, beta=beta_of(comparison.measures), zoom=None),
        *([asked("sweep", comparison)] if find_picture("sweep").is_of(comparison) else []),
        *(asked("comparison", comparison, measure=m) for m in ranked[:BY_MEASURE]),
    ]


def beta_of(measures: tuple[Measure, ...]) -> float:
    """The weight of completeness in V, for the contours of the plane."""
    return next((m.params.get("beta", 1) for m in measures if m.name == "v_measure"), 1)


def _transposed(layout: Layout, left: int) -> Layout:
    """A table with measures as rows and systems as columns. left: number of columns with the system's name."""
    names = [" ".join(part for part in row[:left] if part) for row in layout.rows]
    rows = [
        [heading, *cells]
        for heading, *cells in zip(layout.headings[left:], *(r[left:] for r in layout.rows), strict=True)
    ]
    return layout._replace(headings=["measure", *names], rows=rows, left=1)


def _differences(comparison: Comparison, measure: Measure) -> Layout:
    """The paired differences by all measures; for many systems, only by the explained measure."""
    layout = comparison.table_of_differences()
    if len(comparison) <= PAIRED:
        return layout
    chosen = str(measure if measure in comparison.measures else comparison.measures[0])
    rows = [row for row in layout.rows if row[0] == chosen]
    return layout._replace(rows=rows, title=f"{layout.title} by {shown(chosen)}")


def _side_by_side(report: Report) -> list[Section]:
    """A table of several systems, if they were not compared."""
    if report.comparison is not None or len(report.systems) < 2:
        return []
    board = Board({system.title: system.scores for system in report.systems}).layout()
    return [_board(1, board._replace(title="Systems side by side"))]


def _by_group(report: Report) -> list[Section]:
    """Scores by group: a ranking of the systems, and a table for each system."""
    layouts = [] if report.groups is None else report.groups.layouts()
    return [_board(number, layout) for number, layout in enumerate(layouts, 1)]


def _board(number: int, layout: Layout) -> Section:
    return Section(f"board-{number}", layout.title, [Grid(layout, layout.notes)])


def _term(m: Measure) -> Term:
    better = f"{m.better} is better" if m.better else "neither end is better"
    facts = f"From {range_of(m)}; {better}"
    return Term(str(m), m.title, m.summary, m.definition, facts, m.reference)
