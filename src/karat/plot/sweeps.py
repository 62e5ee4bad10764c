"""sweep(): measures against the number in the systems' names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from karat.comparisons.results import Comparison
from karat.errors import KaratError
from karat.measures.parsing import parse
from karat.measures.registry import Measure
from karat.output.layout import ARROWS
from karat.plot.canvas import axes, bare, dark, ink, settled, stroke
from karat.plot.lettering import LEADING, LETTER, SMALLEST, dots, literal, name, size_of
from karat.plot.placing import spread
from karat.scoring.scores import with_unit

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]

MOST = 6  # curves drawn by default
FAR = 20  # ratio of the largest to the smallest number from which the axis is logarithmic


def sweep(
    comparison: Comparison,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    *,
    ax: Axes | None = None,
    log: bool | None = None,
) -> Axes:
    """A curve for each measure, with confidence intervals as a band and a ring around its best score.

    comparison: of systems named such as 'k=5', 'k=10', 'k=20'. measures: by default, the first six compared.
    log: whether the x axis is logarithmic; by default, if the largest number is at least 20 times the smallest.
    """
    if not isinstance(comparison, Comparison):
        raise KaratError(f"{type(comparison).__name__} is not a comparison; give karat.compare(gold, systems).")
    chosen = _chosen(comparison, measures)
    curves = [np.array(comparison.curve(measure), dtype=np.float64) for measure in chosen]
    numbers = curves[0][:, 0]
    log = bool(numbers[0] > 0 and numbers[-1] >= FAR * numbers[0]) if log is None else log
    if log and numbers[0] <= 0:
        raise KaratError(f"{numbers[0]:g} cannot be drawn on a logarithmic axis; omit log.")
    ax = axes(ax, 6.4, 4)
    for index, (measure, curve) in enumerate(zip(chosen, curves, strict=True)):
        _draw(ax, index, measure, curve)
    ax.set_xscale("log" if log else "linear")
    ax.set(xlabel=name(comparison.sweep.name if comparison.sweep else ""), ylabel="score (ring: best)")
    bare(ax, "left", "bottom")
    _ticks(ax, numbers)
    _names(ax, chosen, curves)
    return ax


def _chosen(comparison: Comparison, measures: str | Measure | Iterable[str | Measure] | None) -> list[Measure]:
    """The measures to draw, parsed."""
    if measures is None:
        return list(comparison.measures[:MOST])
    given = [measures] if isinstance(measures, (str, Measure)) else list(measures)
    if not given:
        raise KaratError("measures is empty; name some of those compared, or leave it out.")
    return [parse(measure) for measure in given]


def _draw(ax: Axes, index: int, measure: Measure, curve: Floats) -> None:
    """Draw a curve with its band, and a ring around its best score."""
    x, score, low, high = curve.T
    look = stroke(index)
    ax.fill_between(x, low, high, color=look["color"], alpha=0.4 if dark(ax) else 0.18, linewidth=0)
    ax.plot(x, score, markersize=4, linewidth=1.4, **look)
    if measure.better is not None and not np.isnan(score).all():
        best = int(np.nanargmax(score) if measure.better == "higher" else np.nanargmin(score))
        ax.plot(x[best], score[best], "o", markersize=9, fillstyle="none", color=ink(ax), markeredgewidth=0.8)


def _ticks(ax: Axes, numbers: Floats) -> None:
    """Put ticks at the numbers in the systems' names, as many as fit."""
    from matplotlib.ticker import NullLocator

    ax.xaxis.set_minor_locator(NullLocator())
    settled(ax)
    at = ax.transData.transform(np.column_stack([numbers, np.zeros_like(numbers)]))[:, 0]
    texts = [f"{number:.0f}" if number == round(number) and abs(number) < 1e15 else f"{number:g}" for number in numbers]
    room = dots(ax, LETTER * size_of(ax, "xtick.labelsize"))
    shown: list[int] = []
    for index in reversed(range(len(texts))):
        if not shown or at[shown[-1]] - at[index] > room * (len(texts[index]) + len(texts[shown[-1]]) + 2) / 2:
            shown.append(index)
    ax.set_xticks([numbers[index] for index in shown], [literal(texts[index]) for index in shown])


def _names(ax: Axes, measures: Sequence[Measure], curves: Sequence[Floats]) -> None:
    """Write each curve's name at its end, without overlaps."""
    names = [literal(f"{with_unit(m)} {ARROWS[m.better]}".rstrip()) for m in measures]
    ends = [_end(curve) for curve in curves]
    low, high = ax.get_ylim()
    down = settled(ax)[1]
    points = min(size_of(ax), max(SMALLEST, down / dots(ax, LEADING) / len(names)))
    each = dots(ax, LEADING * points) / down * (high - low)
    heights = spread([y for _, y in ends], [each] * len(names), low, high)
    line = {"arrowstyle": "-", "linewidth": 0.7, "shrinkB": 3, "relpos": (0, 0.5)}
    for number, (text, (x, y), at) in enumerate(zip(names, ends, heights, strict=True)):
        ax.annotate(
            text, (x, y), (1.05, at), xycoords="data", textcoords=ax.get_yaxis_transform(), va="center",
            fontsize=points, color=ink(ax), annotation_clip=False,
            arrowprops={**line, "color": stroke(number)["color"]},
        )  # fmt: skip
    ax.set_ylim(low, high)


def _end(curve: Floats) -> tuple[float, float]:
    """The last point of a curve whose score is not NaN."""
    drawn = curve[~np.isnan(curve[:, 1])]
    return (float(drawn[-1, 0]), float(drawn[-1, 1])) if len(drawn) else (float(curve[-1, 0]), 0.0)
