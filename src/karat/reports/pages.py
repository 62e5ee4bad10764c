"""The page: rendered templates, under a policy that allows only the page's own script and style."""

from __future__ import annotations

import base64
import hashlib
import math
import re
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
SHARES = (1.0, 0.6, 0.3, 0.15, 0.05)  # of the explorer's limits, tried until the page is small enough
FEW_SYSTEMS = 4  # up to which all systems have plots and the largest heat maps
MANY_SYSTEMS = 10  # above which heat maps and tables are smallest
FEW_LINES = 5  # rows of each explanatory table, if systems are many
DRAWN = 2  # best systems that have plots, if there are more than FEW_SYSTEMS
BESIDE = 5  # up to which systems are the columns of a table
PAIRED = 8  # systems up to which all differences are listed
DIGITS = 4
NAME = 60  # characters of a system's name, at most


class ScoreRow(NamedTuple):
    """A measure's row in the table of scores."""

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
    heat: Heat | None  # None until the page's limits are known
    figures: tuple[Figure, ...]
    signature: str
    interval: str  # heading of the column of intervals


class Term(NamedTuple):
    """A measure's entry in the glossary."""

    measure: str
    title: str
    summary: str
    definition: str
    facts: str
    reference: str


def page_of(report: Report) -> str:
    """The page of a report, with fewer classes and clusters until it is at most LARGEST bytes."""
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
    parts = [_part(index, system, report, index in drawn) for index, system in enumerate(report.systems)]
    for share in SHARES:
        limits = Limits.among(len(parts), share)
        data = in_script([explored(system, limits) for system in report.systems])
        seen = [part._replace(heat=_heat(report, part.place, limits)) for part in parts]
        page = rendered("report.html", parts=seen, data=data, **values)
        if len(page.encode("utf-8", "replace")) <= LARGEST:
            break
    return page


def _page_of_groups(report: Report, groups: GroupScores) -> str:
    """The page of scores by group: a ranking of the systems, and a table for each system."""
    layouts = groups.layouts()
    names = ", ".join(shortened(shown(name), NAME) for name in groups.systems) if groups.named else "A clustering"
    title = shown(report.title) or f"{names} against gold, by {shown(groups.by)}"
    subtitle = f"{several(groups.n, 'item')} in {several(len(groups), 'group')}"
    values = {"title": title, "subtitle": subtitle, "best": 0, "comparison": None, "boards": layouts}
    return rendered("report.html", parts=[], data=in_script([]), **values, **_foot(report, groups.measures))


def _foot(report: Report, measures: Sequence[Measure]) -> dict[str, Any]:
    """The end of the page: the glossary of measures, how labels were read, and the command."""
    return {
        "terms": tuple(map(_term, measures)),
        "notes": tuple(map(shown, report.notes)),
        "command": shown(report.command),
    }


def _boards(report: Report) -> list[Layout]:
    """A table of several systems side by side, if there is no comparison."""
    if report.comparison is not None or len(report.systems) == 1:
        return []
    board = Board({_name(system): system.scores for system in report.systems}).layout()
    return [board._replace(title="Systems side by side")]


def _heat(report: Report, index: int, limits: Limits) -> Heat:
    system, number = report.systems[index], len(report.systems)
    most = MOST if number <= FEW_SYSTEMS else FEW if number <= MANY_SYSTEMS else FEWEST
    return heat_of(system, kept_places(system, limits)[1], most)


def rendered(template: str, **values: Any) -> str:
    """Render a template with these values, and a policy that allows its own style and script."""
    style, script = own("style.css"), own("report.js")
    return str(
        _environment().get_template(template).render(
            **values, style=style, script=script, policy=policy([style], [script]), version=__version__, length=LENGTH
        )
    )  # fmt: skip


def policy(styles: Sequence[str], scripts: Sequence[str]) -> str:
    """The Content-Security-Policy that allows these styles and scripts, by hash, and nothing else."""
    allowed = {"script-src": scripts, "style-src": styles}
    sources = [" ".join([kind, *(f"'sha256-{_hash(text)}'" for text in texts)]) for kind, texts in allowed.items()]
    return "; ".join(["default-src 'none'", *sources, "base-uri 'none'", "form-action 'none'"])


def _hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _anchor(measure: str) -> str:
    """The id of a measure's description, for links: other characters than a URL may hold are written as numbers.

    >>> _anchor("v_measure(beta=2)"), _anchor("a%b")
    ('term-v_measure(beta=2)', 'term-a_25_b')
    """
    return "term-" + re.sub(r"[^A-Za-z0-9_.,:=()-]", lambda found: f"_{ord(found[0]):x}_", measure)


@cache
def own(name: str) -> str:
    """The text of a file in templates/."""
    return (files("karat.reports") / "templates" / name).read_text(encoding="utf-8")


@cache
def _environment() -> Any:
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    environment = Environment(
        loader=FunctionLoader(own), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.tests["marked"] = lambda cell: isinstance(cell, Marked)
    environment.filters["anchor"] = _anchor
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
    """Indices of the systems, best first by the explained measure; NaN last, ties in the given order."""
    lower = systems[0].explanation.measure.better == "lower"
    values = [s.explanation.value if lower else -s.explanation.value for s in systems]
    return sorted(range(len(systems)), key=lambda index: (math.isnan(values[index]), values[index]))


def _part(index: int, system: System, report: Report, drawn: bool) -> Part:
    scores, explanation = system.scores, system.explanation
    layout = scores.layout()
    summary, *rest = explanation.layouts()
    top = explanation.top if len(report.systems) <= MANY_SYSTEMS else FEW_LINES
    return Part(
        index,
        _name(system),
        layout.title,
        tuple(_row(scores, m) for m in scores.measures),
        tuple(layout.notes),
        explanation.problems,
        (summary._replace(notes=()), *(layout._replace(rows=layout.rows[:top]) for layout in rest)),
        None,
        tuple(_figures(system, f"s{index}", alone=len(report.systems) == 1)) if drawn else (),
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
    """Plots of a system: flow and composition; first the plane, if the system is the only one."""
    table = system.table
    classes, clusters = (min(size, 20) for size in table.shape)
    height = min(max(3.2, 0.32 * max(classes, clusters)), 8)
    figures = [
        figure(
            partial(_on, plot.flow, table), 6.4, height, "The clusters of each class.",
            f"Flow from {classes} classes to {clusters} clusters; the table below has the same counts.", f"{key}-flow",
        ),
        figure(
            partial(_on, plot.composition, table, most=20), 6.4, min(max(2.6, 1.3 + 0.26 * clusters), 8),
            "Shares of the classes in the largest clusters.",
            "Bars with the shares of the classes in each cluster; the table below has the same counts.", f"{key}-mix",
        ),
    ]  # fmt: skip
    if alone:
        figures.insert(
            0,
            _plane(
                {system.name: system.scores},
                system.scores.measures,
                f"{key}-plane",
                sampled=system.scores.sampling is not None,
            ),
        )
    return figures


def _on(draw: Any, what: Any, ax: Any, **options: Any) -> None:
    draw(what, ax=ax, **options)


def _plane(systems: Any, measures: Sequence[Measure], key: str, *, sampled: bool) -> Figure:
    caption = "Homogeneity and completeness, with contours of V."
    if {homogeneity, completeness} <= set(measures) and sampled:
        caption += " Dots are scores; crosses are confidence intervals, centred on bias-corrected estimates."
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
    beside: bool  # whether the table is narrow enough for a figure beside it


def _compared(found: Comparison, first: Measure) -> Compared:
    figures = [_plane(found, found.measures, "plane", sampled=True)]
    if found.sweep is not None:
        caption = f"Measures against {shown(found.sweep.name)}, with confidence intervals."
        figures.append(figure(partial(_on, plot.sweep, found), 6.4, 4.4, caption, caption, "sweep"))
    better = sorted(
        (m for m in found.measures if m.better is not None), key=lambda m: (m != first, m.family == first.family)
    )
    height = min(max(2.2, 1.2 + 0.28 * len(found)), 8)
    for m in better[:2]:
        beats = any(found.verdicts[str(m)].beats)
        caption = f"Systems by {shown(m)}, with confidence intervals; beside each name, its letter. " + (
            "On the right, the systems that it is significantly better than."
            if beats
            else "No system is significantly better than another."
        )
        draw = partial(_on, plot.comparison, found, measure=m)
        figures.append(figure(draw, 6.4, height, caption, caption, f"by-{len(figures)}"))
    table, spans = found.layout(), found.spans()
    beside = len(found) <= BESIDE
    if beside:
        table, spans = _turned(table, 2), _turned(spans, 1)
    return Compared(table, spans, _differences(found, first), tuple(figures), beside)


def _turned(layout: Layout, left: int) -> Layout:
    """Transpose a table: measures become rows and systems columns. left: number of columns with the system's name."""
    names = [" ".join(part for part in row[:left] if part) for row in layout.rows]
    rows = [
        [heading, *cells]
        for heading, *cells in zip(layout.headings[left:], *(r[left:] for r in layout.rows), strict=True)
    ]
    return layout._replace(headings=["measure", *names], rows=rows, left=1)


def _differences(found: Comparison, first: Measure) -> Layout:
    """The paired differences by all measures; for many systems, only by the explained measure."""
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
