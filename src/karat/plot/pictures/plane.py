"""plane(): systems by homogeneity and completeness, with contours of V."""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Real
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from karat.comparisons.results import Comparison
from karat.errors import KaratError, brief
from karat.measures.information import completeness, homogeneity
from karat.plot.canvas import GREY, LINES, axes, ink, paper, size_after_layout
from karat.plot.lettering import dots, name, size_of
from karat.plot.overviews import checked, has_cells
from karat.plot.placing import Box, around
from karat.plot.registry import picture
from karat.scoring.boards import Board
from karat.scoring.scores import Scores
from karat.tables.table import Table
from karat.tables.trivial import OneCluster, Singletons
from karat.uncertainty.interval import Interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SIZE = (5.6, 4.8)  # inches
LEVELS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
BORDER = 0.02  # margin beyond 0 and 1, so that points on the edge are not clipped
CLOSE = 0.1  # zoom=None zooms in if systems differ by less in both scores
CORNER = 0.15  # a contour shorter than this share of the width has no label
NEAR = 5.5  # points from a system to its name
AXES = (homogeneity, completeness)


class Point(NamedTuple):
    """A system in the plane: homogeneity, completeness, and confidence intervals of both, if known."""

    name: str
    x: float
    y: float
    intervals: tuple[Interval, ...] = ()


def _caption(systems: Mapping[str, object], **_: Any) -> str:
    caption = "Homogeneity and completeness, with contours of V."
    if any(_intervals(result) for result in systems.values()):
        caption += " Dots are scores; crosses are confidence intervals, centred on bias-corrected estimates."
    return caption


@picture(
    of=(Comparison, Board),
    applies=lambda systems: all(map(has_cells, systems.values())),
    size=lambda *_, **__: SIZE,
    caption=_caption,
    alternative="A point for each system by homogeneity and completeness; the scores are in the table.",
    section="comparison",
    first=Board,
    notebook=Comparison,
)
def plane(systems: object, *, ax: Axes | None = None, beta: float = 1, zoom: bool | None = False) -> Axes:
    """Each system as a point: homogeneity (x) and completeness (y), with contours of V.

    Crosses are confidence intervals, centred on bias-corrected estimates; a dotted line joins each to its score. Labels
    that do not fit are omitted. If all systems have the same gold, the trivial clusterings are marked: one cluster, and
    singletons.

    systems: a Comparison, a Board, or a mapping from names to Tables or Scores. beta: as in v_measure.
    zoom: draw only the part of the plane that contains the systems; None: if they differ little.
    """
    if not isinstance(beta, Real) or isinstance(beta, bool) or not 0 < float(beta) < float("inf"):
        raise KaratError(f"beta={brief(beta)} is not a weight of completeness; give a number above 0, such as 1.")
    if zoom is not None and not isinstance(zoom, (int, np.bool_)):
        raise KaratError(f"zoom={brief(zoom)} is neither True nor False; give one of them, or None.")
    tables, points = _points(systems)
    if zoom is None:
        zoom = len(points) > 1 and all(np.ptp([p[axis] for p in points]) < CLOSE for axis in (1, 2))
    ax = axes(ax, *SIZE)
    view = _view(points, zoom)
    ax.set(xlim=view[0], ylim=view[1], xlabel="homogeneity", ylabel="completeness")
    _curves(ax, float(beta), zoom)
    if isinstance(systems, Comparison) and systems.sweep is not None:
        path = [points[index] for index in systems.sweep.order]
        ax.plot([p.x for p in path], [p.y for p in path], color=LINES[0], linewidth=0.8, alpha=0.6)
    colours = [LINES[index] if len(points) <= len(LINES) else LINES[0] for index in range(len(points))]
    for point, colour in zip(points, colours, strict=True):
        _cross(ax, point, colour)
    trivial = [p for p in _trivial(tables) if _within(p, view)]
    for point, colour in zip(points, colours, strict=True):
        _mark(ax, [point], "o", colour)
    _mark(ax, trivial, "X", ink(ax))
    _name(ax, [*trivial, *points], len(trivial))
    return ax


def _points(systems: object) -> tuple[list[Table], list[Point]]:
    """The tables of all systems, and their points in the plane."""
    if not isinstance(systems, Mapping) or isinstance(systems, Scores) or not systems:
        raise KaratError("plane takes a Comparison, or several systems by name, such as {'k-means': table}.")
    tables = [checked(result) for result in systems.values()]
    spans = [_intervals(result) for result in systems.values()]
    return tables, [_point(*system) for system in zip(systems, tables, spans, strict=True)]


def _point(system: object, table: Table, intervals: tuple[Interval, ...]) -> Point:
    return Point(str(system), float(homogeneity.of(table)), float(completeness.of(table)), intervals)


def _intervals(result: object) -> tuple[Interval, ...]:
    """The confidence intervals of homogeneity and completeness; empty unless both are known."""
    intervals = result.intervals if isinstance(result, Scores) else {}
    known = [intervals[str(m)] for m in AXES if str(m) in intervals and intervals[str(m)].low is not None]
    return tuple(known) if len(known) == len(AXES) else ()


def _trivial(tables: list[Table]) -> list[Point]:
    """The points of one cluster and singletons (integral cells only); none if golds differ."""
    profiles = [table.profile for table in tables]
    if any(profile.classes != profiles[0].classes for profile in profiles):
        return []
    cases: list[tuple[str, Any]] = [("one cluster", OneCluster(profiles[0]))]
    if all(table.integral for table in tables):
        cases.append(("singletons", Singletons(profiles[0])))
    return [Point(text, float(homogeneity.of(c)), float(completeness.of(c))) for text, c in cases]


def _view(points: list[Point], zoom: bool) -> tuple[tuple[float, float], tuple[float, float]]:
    """The limits of both axes: the whole plane, or the part around the systems."""
    if not zoom:
        return (-BORDER, 1 + BORDER), (-BORDER, 1 + BORDER)
    views = []
    for axis in (0, 1):
        spans = [i for p in points for i in p.intervals[axis : axis + 1]]
        ends = [value for i in spans for value in (i.low, i.high) if value is not None]
        every = [*ends, *((p.x, p.y)[axis] for p in points)]
        edge = max(0.12 * (max(every) - min(every)), 0.005)
        low, high = max(min(every) - edge, 0), min(max(every) + edge, 1)
        views.append((low - BORDER * (high - low), high + BORDER * (high - low)))
    return views[0], views[1]


def _within(point: Point, view: tuple[tuple[float, float], tuple[float, float]]) -> bool:
    return view[0][0] <= point.x <= view[0][1] and view[1][0] <= point.y <= view[1][1]


def _curves(ax: Axes, beta: float, zoom: bool) -> None:
    """Contours of V: c = V beta h / ((1 + beta) h - V), labelled where they leave the view, else inside it."""
    (left, right), (low, high) = ax.get_xlim(), ax.get_ylim()
    first = "V = " if beta == 1 else f"V(β={beta:g}) = "
    for level in reversed(_levels(ax, beta) if zoom else LEVELS):
        start = max(left, _homogeneity(level, min(high, 1), beta))
        end = min(right, 1, _homogeneity(level, low, beta))
        if not 0 < start < end:
            continue
        h = np.geomspace(start, end, 200)
        c = level * beta * h / ((1 + beta) * h - level)
        ax.plot(h, c, color=GREY, linewidth=0.6, alpha=0.8, zorder=1)
        text, first = f"{first}{level:.4g}", ""
        look: dict[str, Any] = {"textcoords": "offset points", "fontsize": size_of(ax), "color": GREY}
        if end == min(right, 1):
            ax.annotate(text, (1, float(c[-1])), (4, 0), xycoords=ax.get_yaxis_transform(), va="center", **look)
        elif start == left and end - start < CORNER * (right - left):
            continue  # too short, in a corner, for a label
        elif start == left:
            middle = float(h[100]), float(c[100])
            box = {"facecolor": paper(ax), "edgecolor": "none", "pad": 0.8}
            ax.annotate(text, middle, (0, 0), ha="center", va="center", bbox=box, zorder=1.5, **look)
        else:
            ax.annotate(text, (start, 1), (0, 4), xycoords=ax.get_xaxis_transform(), ha="center", **look)


def _homogeneity(level: float, c: float, beta: float) -> float:
    """The homogeneity at which V reaches this level for completeness c; infinite if V stays below it."""
    below = (1 + beta) * c - level * beta
    return level * c / below if below > 0 else math.inf


def _levels(ax: Axes, beta: float) -> list[float]:
    """Round values of V between its values at the lower left and upper right corners of the view."""
    from matplotlib.ticker import MaxNLocator

    corners = zip(ax.get_xlim(), ax.get_ylim(), strict=True)
    ends = [_v(min(max(h, 0), 1), min(max(c, 0), 1), beta) for h, c in corners]
    return [float(v) for v in MaxNLocator(7).tick_values(*ends) if 0 < v < 1]


def _v(h: float, c: float, beta: float) -> float:
    return (1 + beta) * h * c / (beta * h + c) if h and c else 0.0


def _cross(ax: Axes, point: Point, colour: str) -> None:
    """Draw both confidence intervals as a cross through the estimates, and a dotted line from the scores to it."""
    if not point.intervals:
        return
    h, c = point.intervals
    lines: list[Any] = [([h.low, h.high], [c.estimate] * 2), ([h.estimate] * 2, [c.low, c.high])]
    for xs, ys in lines:
        ax.plot(xs, ys, color=colour, linewidth=1, alpha=0.8, zorder=2)
    ax.plot([point.x, h.estimate], [point.y, c.estimate], ":", color=colour, linewidth=0.9, zorder=2)


def _mark(ax: Axes, points: list[Point], marker: str, colour: Any) -> None:
    xs, ys = [p.x for p in points], [p.y for p in points]
    ax.plot(xs, ys, marker, color=colour, markersize=6, linestyle="none", clip_on=False, zorder=3)


def _name(ax: Axes, points: list[Point], trivial: int) -> None:
    """Write names near the points without overlaps, with lines to distant ones; the first `trivial` are italic."""
    texts = [
        ax.text(
            p.x, p.y, name(p.name), fontsize=size_of(ax), color=ink(ax), style="italic" if i < trivial else "normal"
        )
        for i, p in enumerate(points)
    ]
    size_after_layout(ax)
    to_pixels, frame = ax.transData, ax.get_window_extent()
    sizes = [(float(box.width), float(box.height)) for box in (text.get_window_extent() for text in texts)]
    pixels = to_pixels.transform([(p.x, p.y) for p in points])
    anchors = [(float(x), float(y)) for x, y in pixels]
    boxes = around(anchors, sizes, Box(frame.x0, frame.y0, frame.x1, frame.y1), dots(ax, NEAR))
    for text, point, anchor, box in zip(texts, points, anchors, boxes, strict=True):
        if box is None:
            text.remove()
            continue
        back = to_pixels.inverted()
        text.set(position=back.transform((box.left, box.low)), va="bottom", ha="left")
        near = box.nearest(anchor)
        if np.hypot(near[0] - anchor[0], near[1] - anchor[1]) > 1.7 * dots(ax, NEAR):
            x, y = back.transform(near)
            ax.plot([point.x, x], [point.y, y], color=GREY, linewidth=0.5, zorder=2)
