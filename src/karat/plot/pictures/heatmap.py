"""heatmap(): the contingency table, ordered so that its structure shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from karat import errors
from karat.errors import KaratError
from karat.explanations.explanation import Explanation
from karat.plot.canvas import axes, bare, paper, readable_on, shades
from karat.plot.lettering import (
    LETTER,
    SMALLEST,
    brief,
    count_text,
    dots,
    fitted,
    name,
    name_columns,
    name_rows,
    say_along,
    size_of,
)
from karat.plot.overviews import Overview, at_most, has_cells, overview
from karat.plot.registry import picture
from karat.scoring.scores import Scores
from karat.tables.table import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST = 40  # classes and clusters drawn by default
SIZES = (0.36, 0.28)  # width of a column and height of a row in inches, on a new figure


def _size_of(view: Overview) -> tuple[float, float]:
    """Width and height in inches."""
    rows, cols = view.counts.shape
    longest = max(len(name(label)) for label in view.classes.labels)
    return min(max(1.6 + 0.08 * longest + SIZES[0] * cols, 4), 15), min(max(1.4 + SIZES[1] * rows, 2.8), 13)


@picture(
    of=(Table, Scores, Explanation),
    applies=has_cells,
    size=lambda table, most=MOST, **_: _size_of(overview(table, most, most)),
    caption=lambda _, share="class", **__: f"Items by class and cluster; the shade is the share of the {share}.",
    first=Scores,
    page={"most": 20},
)
def heatmap(table: object, *, ax: Axes | None = None, most: int = MOST, share: str = "class") -> Axes:
    """The contingency table; colour is the share of the class or cluster, counts are shown if they fit.

    Classes are ordered by size, clusters by their majority class. At most `most` classes and clusters are drawn, the
    largest, and one row or column for all others. share: "class" or "cluster", by whose size counts are divided.

    table: a Table, or a result that has one, such as Scores or an Explanation.
    """
    if not isinstance(share, str) or share not in ("class", "cluster"):
        raise KaratError(f"share={errors.brief(share)} is not supported; use 'class' or 'cluster'.")
    view = overview(table, at_most(most), most).beside()
    rows, cols = view.counts.shape
    ax = axes(ax, *_size_of(view))
    from matplotlib.colors import PowerNorm  # so that small shares are visible

    shares = view.shares(share)
    mesh = ax.pcolormesh(
        np.ma.masked_equal(shares, 0), cmap=shades(ax), norm=PowerNorm(0.6, 0, 1), edgecolor=paper(ax),
        linewidth=0.8 if max(rows, cols) <= 15 else 0.3,
    )  # fmt: skip
    ax.set(xlim=(0, cols), ylim=(rows, 0))
    bare(ax)
    ax.tick_params(length=0)
    _scale(ax, mesh, share)
    _write(ax, view, mesh, fitted(ax, *_labels(ax, view)))
    return ax


def _scale(ax: Axes, mesh: Any, share: str) -> None:
    bar = ax.figure.colorbar(
        mesh, ax=ax, ticks=[0, 0.1, 0.25, 0.5, 1], format=_percents, fraction=0.05, aspect=25, pad=0.02
    )
    bar.outline.set_visible(False)
    bar.set_label(f"share of the {share}", fontsize=size_of(ax))
    bar.ax.tick_params(length=0, labelsize=size_of(ax))


def _percents(value: float, _: int) -> str:
    return f"{value:.0%}"


def _labels(ax: Axes, view: Overview) -> list[Any]:
    """Functions that label the rows, the columns and both axes."""
    classes, clusters = view.classes, view.clusters
    return [
        lambda: name_rows(ax, classes.labels, classes.others > 0),
        lambda: name_columns(ax, clusters.labels, clusters.others > 0),
        lambda: say_along(ax, "y", ["class", f"last row: {classes.rest}" if classes.others else ""]),
        lambda: say_along(ax, "x", ["cluster", f"last column: {clusters.rest}" if clusters.others else ""]),
    ]


def _write(ax: Axes, view: Overview, mesh: Any, size: tuple[float, float]) -> None:
    """Write the counts of non-empty cells, in full or abbreviated; nothing if the text would be too small."""
    rows, cols = view.counts.shape
    wide, tall = size[0] / cols, size[1] / rows
    for write in (count_text, brief):
        texts = {(int(r), int(c)): write(view.counts[r, c].item()) for r, c in np.argwhere(view.counts > 0)}
        longest = max(map(len, texts.values()))
        points = min(0.86 * wide / longest / dots(ax, LETTER), 0.62 * tall / dots(ax, 1), size_of(ax))
        if points < SMALLEST:
            continue
        colours = mesh.to_rgba(mesh.get_array()).reshape(rows, cols, 4)
        for (r, c), text in texts.items():
            colour = readable_on(colours[r, c, :3])
            ax.text(c + 0.5, r + 0.5, text, ha="center", va="center", fontsize=points, color=colour)
        return
