"""flow(): Sankey diagram from classes to clusters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from karat.explanations.explanation import Explanation
from karat.output.numbers import several
from karat.plot.canvas import GREY, allotted, axes, bare, dark, fill, ink, paper, size_after_layout
from karat.plot.lettering import LEADING, SMALLEST, dots, letters, name, size_of
from karat.plot.overviews import DrawnMargin, Overview, at_most, checked, has_cells, overview
from karat.plot.placing import spread
from karat.plot.registry import picture
from karat.scoring.scores import Scores
from karat.tables.table import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]

MOST = 20  # classes and clusters drawn by default
NOUNS = "class", "cluster"
GAP = 0.02  # between two blocks, as a share of the height
BLOCK = 0.025  # width of a block, as a share of the width
LABEL = 0.03  # distance from a block to its name, as a share of the width


def _size_of(view: Overview) -> tuple[float, float]:
    """Width and height in inches."""
    return 6.4, min(max(3.2, 0.32 * max(view.counts.shape)), 12)


def _alternative(table: object, most: int = MOST, **_: Any) -> str:
    classes, clusters = (several(min(size, most), noun) for size, noun in zip(checked(table).shape, NOUNS, strict=True))
    return f"Flow from {classes} to {clusters}; the table has the same counts."


@picture(
    of=(Table, Scores, Explanation),
    applies=has_cells,
    size=lambda table, most=MOST, **_: _size_of(overview(table, most, most)),
    caption="The clusters of each class.",
    alternative=_alternative,
    section="system",
    first=Explanation,
)
def flow(table: object, *, ax: Axes | None = None, most: int = MOST) -> Axes:
    """Bands from classes (left) to clusters (right), as thick as their counts, ordered to cross little.

    At most `most` classes and clusters are drawn, the largest, and one block for all others.

    table: a Table, or a result that has one, such as Scores or an Explanation.
    """
    view = overview(table, at_most(most), most).untangled()
    ax = axes(ax, *_size_of(view))
    ax.set(xlim=(0, 1), ylim=(1, 0), yticks=[])
    bare(ax)
    ax.set_xticks([BLOCK / 2, 1 - BLOCK / 2], ["class", "cluster"])
    ax.tick_params(axis="x", length=0, top=False, bottom=False, labeltop=True, labelbottom=False)
    scale = 1 - min(GAP * (max(view.counts.shape) - 1), 0.3)
    tops = [_tops(view.counts.sum(axis=axis), scale) for axis in (1, 0)]
    _bands(ax, view, tops, scale)
    for column, side in enumerate((view.classes, view.clusters)):
        heights = scale * view.counts.sum(axis=1 - column) / view.counts.sum()
        _blocks(ax, column, side, tops[column], heights)
        _names(ax, column, side, tops[column] + heights / 2, heights)
    return ax


def _tops(sizes: NDArray[Any], scale: float) -> Floats:
    """The upper edge of each block; blocks and the gaps between them fill the height."""
    heights = scale * sizes / sizes.sum()
    gap = (1 - scale) / max(len(sizes) - 1, 1)
    start = (1 - scale) / 2 if len(sizes) == 1 else 0.0
    return np.asarray(start + np.cumsum(heights) - heights + gap * np.arange(len(sizes)))


def _bands(ax: Axes, view: Overview, tops: Sequence[Floats], scale: float) -> None:
    """Draw a band for each non-empty cell, thickest first, so that none is hidden."""
    from matplotlib.patches import PathPatch

    heights = scale * view.counts / view.counts.sum()
    left = tops[0][:, None] + np.cumsum(heights, axis=1) - heights
    right = tops[1][None, :] + np.cumsum(heights, axis=0) - heights
    cells = np.argwhere(heights > 0)
    for r, c in cells[np.argsort(-heights[heights > 0], kind="stable")].tolist():
        band = _band(left[r, c], right[r, c], heights[r, c])
        colour = _fill(r, view.classes)["facecolor"]
        ax.add_patch(PathPatch(band, facecolor=colour, alpha=0.7 if dark(ax) else 0.5, linewidth=0))


def _band(left: float, right: float, height: float) -> Any:
    """The outline of a band: horizontal at both ends, curved between them."""
    from matplotlib.path import Path

    a, b, middle = BLOCK, 1 - BLOCK, 0.5
    upper = [(a, left), (middle, left), (middle, right), (b, right)]
    lower = [(x, y + height) for x, y in reversed(upper)]
    codes = [Path.MOVETO, *[Path.CURVE4] * 3, Path.LINETO, *[Path.CURVE4] * 3, Path.CLOSEPOLY]
    return Path([*upper, *lower, upper[0]], codes)


def _fill(index: int, side: DrawnMargin) -> dict[str, Any]:
    """The colour and hatch of a block: by rank of size for a class, grey for clusters and for all others."""
    return fill(side.ranks[index] if side.noun == "class" and index < len(side.names) else -1)


def _blocks(ax: Axes, column: int, side: DrawnMargin, tops: Floats, heights: Floats) -> None:
    from matplotlib.patches import Rectangle

    for line, (top, height) in enumerate(zip(tops.tolist(), heights.tolist(), strict=True)):
        corner = (column * (1 - BLOCK), top)
        ax.add_patch(Rectangle(corner, BLOCK, height, edgecolor=paper(ax), linewidth=0, **_fill(line, side)))


def _names(ax: Axes, column: int, side: DrawnMargin, centres: Floats, heights: Floats) -> None:
    """Write names beside the blocks without overlaps; the smallest blocks have none if there is no room."""
    texts = [name(label, letters(ax, 0.34 * allotted(ax)[0], size_of(ax))) for label in side.names]
    if side.others:
        texts.append(side.rest.replace(", ", ",\n"))
    lines = np.array([1 + text.count("\n") for text in texts])
    down = size_after_layout(ax)[1]
    points = min(size_of(ax), max(SMALLEST, 1.02 * down / dots(ax, LEADING) / lines.sum()))
    each = dots(ax, LEADING * points) / down
    largest = np.argsort(-heights, kind="stable")
    if side.others:
        largest = np.concatenate([largest[largest == len(side.names)], largest[largest < len(side.names)]])
    named = np.sort(largest[: int(np.searchsorted(np.cumsum(lines[largest]) * each, 1.02, side="right"))])
    wanted, sizes = centres[named].tolist(), (lines[named] * each).tolist()
    for line, centre, at in zip(named.tolist(), wanted, spread(wanted, sizes, 0, 1.02), strict=True):
        _name(ax, column, texts[line], centre, at, points, italic=line >= len(side.names))


def _name(ax: Axes, column: int, text: str, centre: float, at: float, points: float, *, italic: bool) -> None:
    """Write a name, with a line to its block if it was moved."""
    x = (1 + LABEL) if column else -LABEL
    side = "left" if column else "right"
    style = "italic" if italic else "normal"
    ax.text(x, at, text, ha=side, va="center", fontsize=points, color=ink(ax), style=style, linespacing=1.1)
    if abs(at - centre) > 1e-9:
        near = [float(column), x - 0.15 * LABEL * (1 if column else -1)]
        ax.plot(near, [centre, at], color=GREY, linewidth=0.5, clip_on=False)
