"""The plots that a notebook shows below a result."""

from __future__ import annotations

import hashlib
from functools import partial
from importlib.util import find_spec
from typing import Any

from karat import plot
from karat.comparisons.results import Comparison
from karat.errors import KaratError
from karat.explanations.explanation import Explanation
from karat.meta.relate import Relation
from karat.reports.figures import figure
from karat.scoring.boards import Board
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


def plot_of(result: object, ax: Any = None) -> Any:
    """The axes with the first picture of a result."""
    drawn = _drawn(result)
    if not drawn:
        raise KaratError(f"a {type(result).__name__} has no picture; karat.plot has what can be drawn.")
    return drawn[0][0](ax=ax)


def _drawn(result: object) -> list[tuple[Any, tuple[float, float]]]:
    """The plots of a result: a function that draws on ax=, and the size in inches."""
    if isinstance(result, Comparison):
        tall = min(max(2.2, 1.2 + 0.28 * len(result)), 8)
        plots = [(partial(plot.comparison, result), (6.4, tall)), (partial(plot.plane, result), (5.6, 4.8))]
        return [*plots, (partial(plot.sweep, result), (6.4, 4))] if result.sweep is not None else plots
    if isinstance(result, Board):
        return [(partial(plot.plane, result), (5.6, 4.8))] if all(_is_table(s.table) for s in result.values()) else []
    if isinstance(result, Relation):
        return [(partial(plot.dendrogram, result), (6.4, min(max(2.4, 0.9 + 0.24 * len(result.measures)), 12)))]
    table: Any = getattr(result, "table", None)
    if not _is_table(table):
        return []
    lines = min(max(table.shape), 20)
    if isinstance(result, Explanation):
        return [(partial(plot.flow, table), (6.4, max(3.2, 0.32 * lines)))]
    if isinstance(result, Scores):
        return [(partial(plot.heatmap, table, most=20), (6.4, max(3.2, 0.32 * lines)))]
    return []


def _is_table(table: Any) -> bool:
    """Whether cells are at hand, and not so many that drawing them would keep somebody waiting."""
    return isinstance(table, Table) and table.counts.size <= MOST


def _picture(draw: Any, size: tuple[float, float], key: str) -> str:
    drawn = figure(lambda ax: draw(ax=ax), *size, "", "", key)
    return f'<div style="{WHITE}">{drawn.light}</div>'
