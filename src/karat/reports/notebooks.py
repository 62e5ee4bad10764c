"""The plots that a notebook shows below a result."""

from __future__ import annotations

import hashlib
from functools import partial
from importlib.util import find_spec
from typing import Any

from karat import plot
from karat.comparisons.results import Comparison
from karat.explanations.explanation import Explanation
from karat.meta.relate import Relation
from karat.reports.figures import figure
from karat.scoring.scores import Scores
from karat.tables.table import Table

WHITE = "background: white; width: 40em; max-width: 100%"  # also in a dark notebook
MOST = 5_000_000  # cells; larger tables take too long to draw


def pictures_of(result: object) -> list[str]:
    """The plots of a result as HTML; empty without matplotlib, or if the result has no plot."""
    if find_spec("matplotlib") is None:
        return []
    digest = hashlib.sha256(str(result).encode("utf-8", "backslashreplace")).hexdigest()[:8]  # for unique ids
    return [_picture(draw, size, f"karat-{digest}-{number}") for number, (draw, size) in enumerate(_drawn(result))]


def _drawn(result: object) -> list[tuple[Any, tuple[float, float]]]:
    """The plots of a result: a function that draws on ax=, and the size in inches."""
    if isinstance(result, Comparison):
        tall = min(max(2.2, 1.2 + 0.28 * len(result)), 8)
        plots = [(partial(plot.plane, result), (5.6, 4.8)), (partial(plot.comparison, result), (6.4, tall))]
        return [*plots, (partial(plot.sweep, result), (6.4, 4))] if result.sweep is not None else plots
    if isinstance(result, Relation):
        return [(partial(plot.dendrogram, result), (6.4, min(max(2.4, 0.9 + 0.24 * len(result.measures)), 12)))]
    table = getattr(result, "table", None)
    if not isinstance(table, Table) or table.counts.size > MOST:
        return []
    lines = min(max(table.shape), 20)
    if isinstance(result, Explanation):
        return [(partial(plot.flow, table), (6.4, max(3.2, 0.32 * lines)))]
    if isinstance(result, Scores):
        return [(partial(plot.heatmap, table, most=20), (6.4, max(3.2, 0.32 * lines)))]
    return []


def _picture(draw: Any, size: tuple[float, float], key: str) -> str:
    drawn = figure(lambda ax: draw(ax=ax), *size, "", "", key)
    return f'<div style="{WHITE}">{drawn.light}</div>'
