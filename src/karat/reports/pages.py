"""The page: a list of sections, rendered under a policy that allows only the page's own script and style."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from karat.output.layout import Marked, shortened, shown
from karat.output.numbers import several
from karat.reports.content import NAME, Report
from karat.reports.explorer import Limits, explored, in_script
from karat.reports.sections import sections_at_end, sections_of_all
from karat.reports.strips import LENGTH
from karat.reports.systems import best_first, parts_of, with_table

LARGEST = 2_000_000  # bytes of a page
SHARES = (1.0, 0.6, 0.3, 0.15, 0.05)  # of the explorer's limits, tried until the page is small enough


def page_of(report: Report) -> str:
    """The page of a report, with fewer classes and clusters until it is at most LARGEST bytes."""
    measures = report.systems[0].scores.measures if report.groups is None else report.groups.measures
    parts = parts_of(report)
    values = {
        "title": shown(report.title) or _title(report),
        "subtitle": _subtitle(report),
        "best": next(iter(best_first(report.systems)), None),
        "overall": sections_of_all(report),
        "end": sections_at_end(report, measures),
    }
    for share in SHARES:
        limits = Limits.among(max(1, len(parts)), share)
        data = in_script([explored(system, limits) for system in report.systems])
        page = rendered("report.html", parts=[with_table(part, report, limits) for part in parts], data=data, **values)
        if len(page.encode("utf-8", "replace")) <= LARGEST:
            break
    return page


def _title(report: Report) -> str:
    groups, systems = report.groups, report.systems
    if groups is not None:
        names = ", ".join(shortened(shown(name), NAME) for name in groups.systems) if groups.named else "A clustering"
        return f"{names} against gold, by {shown(groups.by)}"
    return f"{systems[0].title if len(systems) == 1 else f'{len(systems)} systems'} against gold"


def _subtitle(report: Report) -> str:
    if report.groups is not None:
        return f"{several(report.groups.n, 'item')} in {several(len(report.groups), 'group')}"
    table = report.systems[0].table
    if len(report.systems) == 1:
        return report.systems[0].scores.layout().title
    if len({(part.table.n, part.table.shape[0]) for part in report.systems}) > 1:
        return "each on items of its own"
    dropped = table.policy.dropped
    left_out = f"; {several(dropped, 'item')} left out, for all systems" if report.comparison and dropped else ""
    return f"{several(table.n, 'item')} in {several(table.shape[0], 'class')}{left_out}"


def rendered(template: str, **values: Any) -> str:
    """Render a template with these values, and a policy that allows its own style and script."""
    style, script = own("style.css"), own("report.js")
    return str(
        _environment().get_template(template).render(
            **values, style=style, script=script, policy=policy([style], [script]), length=LENGTH
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
    """The id of a measure's description, for links: characters that a URL may not contain are written as numbers.

    >>> _anchor("v_measure(beta=2)"), _anchor("a%b")
    ('term-v_measure(beta=2)', 'term-a_25_b')
    """
    return "term-" + re.sub(r"[^A-Za-z0-9_.,:=()-]", lambda match: f"_{ord(match[0]):x}_", measure)


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
    environment.filters["kind"] = lambda block: type(block).__name__
    environment.filters["anchor"] = _anchor
    return environment
