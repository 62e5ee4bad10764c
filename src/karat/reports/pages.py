"""The page: templates filled in, under a policy by which nothing but its own script and style can run or load."""

from __future__ import annotations

import base64
import hashlib
import math
from collections.abc import Sequence
from functools import cache, partial
from importlib.resources import files
from typing import Any, NamedTuple

from karat import plot
from karat.comparisons.results import Comparison
from karat.measures.cards import range_of, references
from karat.measures.information import completeness, homogeneity
from karat.measures.registry import Measure
from karat.output.layout import ARROWS, Layout, Marked, decimals, shortened, shown
from karat.reports.content import Report, System
from karat.reports.explorer import Limits, explored, in_script, kept_places
from karat.reports.figures import Figure, figure
from karat.reports.heat import FEW, FEWEST, MOST, Heat, heat_of
from karat.reports.strips import LENGTH, Strip, strip
from karat.scoring.boards import Board
from karat.scoring.groups import GroupScores
from karat.scoring.scores import Scores, with_unit
from karat.tables.table import several
from karat.uncertainty.sampling import span
from karat.version import __version__

LARGEST = 2_000_000  # bytes of a page
SHARES = (1.0, 0.6, 0.3, 0.15, 0.05)  # of what could be on it
FEW_SYSTEMS = 4  # of which all is shown
MANY_SYSTEMS = 10  # of which less is
FEW_LINES = 5  # of each table that explains one of many
DRAWN = 2  # whose pictures are, if there are more
BESIDE = 5  # systems that stand side by side
PAIRED = 8  # systems of which all differences are listed
DIGITS = 4
NAME = 60  # columns of a system's name


class ScoreRow(NamedTuple):
    """A measure's line in the table of scores."""

    measure: str
    shown: str
    arrow: str
    score: str
    interval: str
    strip: Strip | None
    baselines: tuple[str, ...]


class Part(NamedTuple):
    """A system's part of the page."""

    place: int
    name: str
    title: str
    rows: tuple[ScoreRow, ...]
    notes: tuple[str, ...]
    problems: tuple[str, ...]
    layouts: tuple[Layout, ...]
    heat: Heat | None  # which depends on how much room there is
    figures: tuple[Figure, ...]
    signature: str
    interval: str  # what its column is called


class Term(NamedTuple):
    """What a measure means."""

    measure: str
    title: str
    summary: str
    definition: str
    facts: str
    reference: str


def page_of(report: Report) -> str:
    """The whole page: less of many classes and clusters, until it is small enough."""
    if report.groups is not None:
        return _page_of_groups(report, report.groups)
    order = _best_first(report.systems)
    drawn = set(order if len(order) <= FEW_SYSTEMS else order[:DRAWN])
    explained = report.systems[0].explanation.measure
    values = {
        "title": shown(report.title) or _title(report.systems),
        "subtitle": _subtitle(report),
        "best": order[0],
        "comparison": None if report.comparison is None else _compared(report.comparison, explained),
        "boards": _boards(report),
        **_foot(report, report.systems[0].scores.measures),
    }
    parts = [_part(place, system, report, place in drawn) for place, system in enumerate(report.systems)]
    for share in SHARES:
        limits = Limits.among(len(parts), share)
        data = in_script([explored(system, limits) for system in report.systems])
        seen = [part._replace(heat=_heat(report, part.place, limits)) for part in parts]
        page = rendered("report.html", parts=seen, data=data, **values)
        if len(page.encode("utf-8", "replace")) <= LARGEST:
            break
    return page


def _page_of_groups(report: Report, groups: GroupScores) -> str:
    """The page of scores in groups of items: the ranking of systems, and a table for each."""
    layouts = groups.layouts()
    names = ", ".join(shortened(shown(name), NAME) for name in groups.systems) if groups.named else "A clustering"
    title = shown(report.title) or f"{names} against gold, by {shown(groups.by)}"
    subtitle = f"{several(groups.n, 'item')} in {several(len(groups), 'group')}"
    values = {"title": title, "subtitle": subtitle, "best": 0, "comparison": None, "boards": layouts}
    return rendered("report.html", parts=[], data=in_script([]), **values, **_foot(report, groups.measures))


def _foot(report: Report, measures: Sequence[Measure]) -> dict[str, Any]:
    """What the end of every page says: the measures, how the labels were read, and the command."""
    return {
        "terms": tuple(map(_term, measures)),
        "notes": tuple(map(shown, report.notes)),
        "command": shown(report.command),
    }


def _boards(report: Report) -> list[Layout]:
    """Several systems side by side, where they are not compared."""
    if report.comparison is not None or len(report.systems) == 1:
        return []
    board = Board({_name(system): system.scores for system in report.systems}).layout()
    return [board._replace(title="Systems side by side")]


def _heat(report: Report, place: int, limits: Limits) -> Heat:
    system, number = report.systems[place], len(report.systems)
    most = MOST if number <= FEW_SYSTEMS else FEW if number <= MANY_SYSTEMS else FEWEST
    return heat_of(system, kept_places(system, limits)[1], most)


def rendered(template: str, **values: Any) -> str:
    """A template with these values, under the policy that fits what is in it."""
    style, script = own("style.css"), own("report.js")
    return str(
        _environment().get_template(template).render(
            **values, style=style, script=script, policy=policy([style], [script]), version=__version__, length=LENGTH
        )
    )  # fmt: skip


def policy(styles: Sequence[str], scripts: Sequence[str]) -> str:
    """The Content-Security-Policy that lets these styles and scripts pass, and nothing else."""
    allowed = {"script-src": scripts, "style-src": styles}
    sources = [" ".join([kind, *(f"'sha256-{_hash(text)}'" for text in texts)]) for kind, texts in allowed.items()]
    return "; ".join(["default-src 'none'", *sources, "base-uri 'none'", "form-action 'none'"])


def _hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@cache
def own(name: str) -> str:
    """A file of the templates."""
    return (files("karat.reports") / "templates" / name).read_text(encoding="utf-8")


@cache
def _environment() -> Any:
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    environment = Environment(
        loader=FunctionLoader(own), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.tests["marked"] = lambda cell: isinstance(cell, Marked)
    return environment


def _title(systems: Sequence[System]) -> str:
    if len(systems) == 1:
        return f"{_name(systems[0])} against gold"
    return f"{len(systems)} systems against gold"


def _name(system: System) -> str:
    return shortened(shown(system.name), NAME)


def _subtitle(report: Report) -> str:
    table = report.systems[0].table
    if len(report.systems) == 1:
        return report.systems[0].scores.layout().title
    if len({(part.table.n, part.table.shape[0]) for part in report.systems}) > 1:
        return "each on items of its own"
    dropped = table.policy.dropped
    left_out = f"; {several(dropped, 'item')} left out, for all systems" if report.comparison and dropped else ""
    return f"{several(table.n, 'item')} in {several(table.shape[0], 'class')}{left_out}"


def _best_first(systems: Sequence[System]) -> list[int]:
    """Their places, the best first by what is explained; the first of equals."""
    lower = systems[0].explanation.measure.better == "lower"
    values = [s.explanation.value if lower else -s.explanation.value for s in systems]
    return sorted(range(len(systems)), key=lambda place: (math.isnan(values[place]), values[place]))


def _part(place: int, system: System, report: Report, drawn: bool) -> Part:
    scores, found = system.scores, system.explanation
    layout = scores.layout()
    summary, *rest = found.layouts()
    top = found.top if len(report.systems) <= MANY_SYSTEMS else FEW_LINES
    return Part(
        place,
        _name(system),
        layout.title,
        tuple(_row(scores, m) for m in scores.measures),
        tuple(layout.notes),
        found.problems,
        (summary._replace(notes=()), *(layout._replace(rows=layout.rows[:top]) for layout in rest)),
        None,
        tuple(_figures(system, f"s{place}", alone=len(report.systems) == 1)) if drawn else (),
        scores.signature,
        "" if scores.sampling is None else f"{100 * scores.sampling.level:g}% interval",
    )


def _row(scores: Scores, m: Measure) -> ScoreRow:
    interval = scores.intervals.get(str(m))
    baselines = tuple(decimals(value) for value in scores.baselines[str(m)])
    return ScoreRow(
        str(m), shown(with_unit(m)), ARROWS[m.better].strip(), decimals(scores[m]),
        "" if interval is None else span(interval, DIGITS), strip(scores, m), baselines,
    )  # fmt: skip


def _figures(system: System, key: str, *, alone: bool) -> list[Figure]:
    """Where classes went, what clusters are made of; and where a system that is alone is between the trivial ones."""
    table = system.table
    classes, clusters = (min(size, 20) for size in table.shape)
    height = min(max(3.2, 0.32 * max(classes, clusters)), 8)
    found = [
        figure(
            partial(_on, plot.flow, table), 6.4, height, "Where each class went.",
            f"Flow from {classes} classes to {clusters} clusters; the table below has the same counts.", f"{key}-flow",
        ),
        figure(
            partial(_on, plot.composition, table, most=20), 6.4, min(max(2.6, 1.3 + 0.26 * clusters), 8),
            "What the largest clusters are made of.",
            "Bars of the shares of classes in each cluster; the table below has the same counts.", f"{key}-mix",
        ),
    ]  # fmt: skip
    if alone:
        found.insert(
            0,
            _plane(
                {system.name: system.scores},
                system.scores.measures,
                f"{key}-plane",
                sampled=system.scores.sampling is not None,
            ),
        )
    return found


def _on(draw: Any, what: Any, ax: Any, **options: Any) -> None:
    draw(what, ax=ax, **options)


def _plane(systems: Any, measures: Sequence[Measure], key: str, *, sampled: bool) -> Figure:
    caption = "Homogeneity and completeness; along a curve V is the same."
    if {homogeneity, completeness} <= set(measures) and sampled:
        caption += " Crosses are intervals, around estimates with less bias than the scores, which the dots are."
    words = "A point for each system by homogeneity and completeness; the scores are in the table."
    beta = next((m.params.get("beta", 1) for m in measures if m.name == "v_measure"), 1)
    draw = partial(_on, plot.plane, systems, beta=beta, zoom=None)
    return figure(draw, 5.6, 4.8, caption, words, key)


class Compared(NamedTuple):
    """The comparison's part of the page."""

    table: Layout
    spans: Layout
    differences: Layout
    figures: tuple[Figure, ...]
    beside: bool  # whether the table is narrow enough to have a figure beside it


def _compared(found: Comparison, first: Measure) -> Compared:
    figures = [_plane(found, found.measures, "plane", sampled=True)]
    if found.sweep is not None:
        caption = f"Measures against {shown(found.sweep.name)}, with intervals."
        figures.append(figure(partial(_on, plot.sweep, found), 6.4, 4.4, caption, caption, "sweep"))
    better = sorted(
        (m for m in found.measures if m.better is not None), key=lambda m: (m != first, m.family == first.family)
    )
    height = min(max(2.2, 1.2 + 0.28 * len(found)), 8)
    for m in better[:2]:
        beats = any(found.verdicts[str(m)].beats)
        caption = f"Systems by {shown(m)}, with intervals; beside each name its letter. " + (
            "On the right, those that it is significantly better than." if beats else "None is significantly better."
        )
        draw = partial(_on, plot.comparison, found, measure=m)
        figures.append(figure(draw, 6.4, height, caption, caption, f"by-{len(figures)}"))
    table, spans = found.layout(), found.spans()
    beside = len(found) <= BESIDE
    if beside:
        table, spans = _turned(table, 2), _turned(spans, 1)
    return Compared(table, spans, _differences(found, first), tuple(figures), beside)


def _turned(layout: Layout, left: int) -> Layout:
    """Measures below each other, and systems beside each other, of which so many columns are the name."""
    names = [" ".join(part for part in row[:left] if part) for row in layout.rows]
    rows = [
        [heading, *cells]
        for heading, *cells in zip(layout.headings[left:], *(r[left:] for r in layout.rows), strict=True)
    ]
    return layout._replace(headings=["measure", *names], rows=rows, left=1)


def _differences(found: Comparison, first: Measure) -> Layout:
    """Those by all measures; of many systems, only by the measure that is explained."""
    whole = found.table_of_differences()
    if len(found) <= PAIRED:
        return whole
    chosen = str(first if first in found.measures else found.measures[0])
    rows = [row for row in whole.rows if row[0] == chosen]
    return whole._replace(rows=rows, title=f"{whole.title} by {shown(chosen)}")


def _term(m: Measure) -> Term:
    better = f"{m.better} is better" if m.better else "neither end is better"
    facts = f"From {range_of(m)}; {better}"
    return Term(str(m), m.title, m.summary, m.definition, facts, references().get(m.paper, ""))
