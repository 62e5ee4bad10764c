"""composition(): the shares of the classes in each cluster."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.explanations.explanation import Explanation
from karat.output.layout import width
from karat.plot.canvas import allotted, axes, bare, extent, fill, ink, paper
from karat.plot.lettering import (
    LETTER,
    SMALLEST,
    count_text,
    dots,
    fitted,
    fitting,
    name,
    name_rows,
    say_along,
    size_of,
    ticked,
)
from karat.plot.overviews import Overview, at_most, has_cells, overview
from karat.plot.registry import picture
from karat.scoring.scores import Scores
from karat.tables.table import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST = 30  # clusters drawn by default
CLASSES = 12  # at most: more are hard to distinguish by colour and hatch


def _size_of(view: Overview) -> tuple[float, float]:
    """Width and height in inches."""
    return 6.4, min(max(2.6, 1.3 + 0.26 * view.counts.shape[1]), 12)


@picture(
    of=(Table, Scores, Explanation),
    applies=has_cells,
    size=lambda table, most=MOST, **_: _size_of(overview(table, CLASSES, most)),
    caption="Shares of the classes in the largest clusters.",
    alternative="Bars with the shares of the classes in each cluster; the table has the same counts.",
    section="system",
    page={"most": 20},
)
def composition(table: object, *, ax: Axes | None = None, most: int = MOST) -> Axes:
    """A stacked bar for each cluster, largest first: the shares of its classes; its size on the right.

    At most `most` clusters are drawn, and one bar for all others; of the classes, the largest twelve.

    table: a Table, or a result that has one, such as Scores or an Explanation.
    """
    view = overview(table, CLASSES, at_most(most))
    ax = axes(ax, *_size_of(view))
    shares = view.shares("cluster")
    starts = np.cumsum(shares, axis=0) - shares
    for line, (part, start) in enumerate(zip(shares, starts, strict=True)):
        look = fill(line if line < len(view.classes.names) else -1)
        drawn = np.flatnonzero(part)
        ax.barh(drawn, part[drawn], 0.82, left=start[drawn], edgecolor=paper(ax), linewidth=0.6, **look)
    ax.set(xlim=(0, 1), ylim=(shares.shape[1] - 0.5, -0.5))
    ax.set_xticks([0, 0.5, 1], ["0%", "50%", "100%"])
    bare(ax)
    ax.tick_params(axis="y", length=0)
    labels = _labels(ax, view)
    fitted(ax, *labels)
    _sizes(ax, view, fitted(ax, *labels, lambda: _legend(ax, view)))
    return ax


def _labels(ax: Axes, view: Overview) -> list[Any]:
    """Functions that label the bars and both axes."""
    classes, clusters = view.classes, view.clusters
    description = [
        "share of the cluster, by class",
        f"grey: {classes.rest}" if classes.others else "",
        f"last bar: {clusters.rest}" if clusters.others else "",
    ]
    return [
        lambda: name_rows(ax, clusters.labels, clusters.others > 0, at=0),
        lambda: say_along(ax, "y", ["cluster"]),
        lambda: say_along(ax, "x", description),
    ]


def _legend(ax: Axes, view: Overview) -> None:
    """A legend of the classes above the bars; texts are set last, as matplotlib skips labels that begin with _."""
    from matplotlib.patches import Patch

    side = view.classes
    names, points, columns = _fitted_names(ax, side.labels)
    looks = [fill(line) for line in side.ranks] + ([fill(-1)] if side.others else [])
    legend = ax.legend(
        [Patch(edgecolor=paper(ax), **look) for look in looks], [str(index) for index in range(len(names))],
        loc="lower left", bbox_to_anchor=(0, 1), ncols=columns, frameon=False, borderaxespad=0.2, fontsize=points,
        handlelength=1.4, handleheight=1.1, handletextpad=0.5, columnspacing=1, labelspacing=0.3, labelcolor=ink(ax),
    )  # fmt: skip
    for text, label in zip(legend.get_texts(), names, strict=True):
        text.set_text(label)
    if side.others:
        legend.get_texts()[-1].set_fontstyle("italic")


def _fitted_names(ax: Axes, labels: Sequence[Any]) -> tuple[list[str], float, int]:
    """Class names, font size in points and number of legend columns that fit a third of the height."""
    across, down = extent(ax)[0], allotted(ax)[1] / 3
    for most, scale in ((30, 1.0), (20, 0.9), (14, 0.8), (10, 0.7), (8, 0.6)):
        names = [name(label, most) for label in labels]
        points = max(SMALLEST, scale * size_of(ax, "legend.fontsize"))
        each = (max(map(width, names)) * LETTER + 3.2) * dots(ax, points)
        columns = min(len(names), max(1, int(across / each)))
        if math.ceil(len(names) / columns) * 1.4 * dots(ax, points) <= down:
            break
    return names, points, columns


def _sizes(ax: Axes, view: Overview, size: tuple[float, float]) -> None:
    """Write the number of items at the end of each labelled bar."""
    sizes = view.counts.sum(axis=0)
    points, step = fitting(ax, size[1] / len(sizes), size_of(ax))
    for index in ticked(len(sizes), step):
        text = count_text(sizes[index].item())
        ax.text(1.01, index, text, ha="left", va="center", fontsize=points, color=ink(ax))
