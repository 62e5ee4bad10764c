"""curves(): values against a number or a category, with bands, and names at the ends of the curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from karat.errors import KaratError
from karat.foreign import translated
from karat.plot.canvas import axes, bare, dark, ink, size_after_layout, stroke
from karat.plot.lettering import LEADING, LETTER, SMALLEST, dots, literal, name, size_of
from karat.plot.placing import spread

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]

SIZE = (6.4, 4.0)  # inches


def _numbers(x: Any, ys: Mapping[str, ArrayLike]) -> tuple[list[str] | None, Floats, dict[str, Floats]]:
    """The categories of x, if they are names, the places of x on its axis, and the values of each curve."""
    categories = [str(value) for value in x] if any(isinstance(value, str) for value in x) else None
    numbers = np.arange(len(categories), dtype=np.float64) if categories else np.asarray(x, dtype=np.float64)
    lines = {key: np.asarray(values, dtype=np.float64) for key, values in ys.items()}
    return categories, numbers, lines


def curves(
    x: Sequence[Any] | Floats,
    ys: Mapping[str, ArrayLike],
    *,
    bands: Mapping[str, tuple[ArrayLike, ArrayLike]] | None = None,
    rings: Mapping[str, int] | None = None,
    log: bool = False,
    x_label: str = "",
    y_label: str = "",
    y_range: tuple[float, float] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """A curve for each name, which is written at the end of the curve.

    x: numbers in increasing order, or names of categories. ys: the values at each x, by name. bands: their lower and
    upper ends, by name. rings: the index of a value to put a ring around, by name. log: whether the x axis is
    logarithmic. x_label, y_label: of the axes. y_range: the ends of the y axis; by default, chosen by matplotlib.

    >>> ax = curves([1, 2, 4], {"purity": [0.2, 0.5, 1], "V": [0, 0.7, 0.6]}, x_label="clusters")
    >>> [text.get_text() for text in ax.texts]
    ['purity', 'V']
    """
    with translated(lambda reason: f"the curves cannot be drawn ({reason}); give x, and ys as numbers by name."):
        categories, numbers, lines = _numbers(x, ys)
    if not lines or any(line.shape != numbers.shape for line in lines.values()):
        raise KaratError(f"a curve needs {numbers.size} values, one for each x; give such values by name.")
    ax = axes(ax, *SIZE)
    for index, (key, line) in enumerate(lines.items()):
        look = stroke(index)
        if bands and key in bands:
            low, high = (np.asarray(end, dtype=np.float64) for end in bands[key])
            ax.fill_between(numbers, low, high, color=look["color"], alpha=0.4 if dark(ax) else 0.18, linewidth=0)
        ax.plot(numbers, line, markersize=4, linewidth=1.4, markevery=max(1, numbers.size // 20), **look)
        if rings and key in rings:
            best = rings[key]
            ax.plot(numbers[best], line[best], "o", markersize=9, fillstyle="none", color=ink(ax), markeredgewidth=0.8)
    ax.set_xscale("log" if log else "linear")
    ax.set(xlabel=literal(x_label), ylabel=literal(y_label))
    if y_range is not None:
        ax.set_ylim(*y_range)
    bare(ax, "left", "bottom")
    _ticks(ax, numbers, categories)
    _names(ax, numbers, lines)
    return ax


def _ticks(ax: Axes, numbers: Floats, categories: Sequence[str] | None) -> None:
    """Put ticks at the numbers or categories, as many as fit, from the last on."""
    from matplotlib.ticker import NullLocator

    ax.xaxis.set_minor_locator(NullLocator())
    size_after_layout(ax)
    at = ax.transData.transform(np.column_stack([numbers, np.zeros_like(numbers)]))[:, 0]
    texts = [name(category, 20) for category in categories] if categories else [literal(_text(n)) for n in numbers]
    room = dots(ax, LETTER * size_of(ax, "xtick.labelsize"))
    shown: list[int] = []
    for index in reversed(range(len(texts))):
        if not shown or at[shown[-1]] - at[index] > room * (len(texts[index]) + len(texts[shown[-1]]) + 2) / 2:
            shown.append(index)
    ax.set_xticks([numbers[index] for index in shown], [texts[index] for index in shown])


def _text(number: float) -> str:
    return f"{number:.0f}" if number == round(number) and abs(number) < 1e15 else f"{number:g}"


def _names(ax: Axes, numbers: Floats, lines: Mapping[str, Floats]) -> None:
    """Write each curve's name at its end, without overlaps."""
    ends = [_end(numbers, line) for line in lines.values()]
    low, high = ax.get_ylim()
    down = size_after_layout(ax)[1]
    points = min(size_of(ax), max(SMALLEST, down / dots(ax, LEADING) / len(lines)))
    each = dots(ax, LEADING * points) / down * (high - low)
    heights = spread([y for _, y in ends], [each] * len(lines), low, high)
    arrow = {"arrowstyle": "-", "linewidth": 0.7, "shrinkB": 3, "relpos": (0, 0.5)}
    for number, (text, (x, y), at) in enumerate(zip(lines, ends, heights, strict=True)):
        ax.annotate(
            literal(text), (x, y), (1.05, at), xycoords="data", textcoords=ax.get_yaxis_transform(), va="center",
            fontsize=points, color=ink(ax), annotation_clip=False,
            arrowprops={**arrow, "color": stroke(number)["color"]},
        )  # fmt: skip
    ax.set_ylim(low, high)


def _end(numbers: Floats, line: Floats) -> tuple[float, float]:
    """The last point of a curve whose value is not NaN."""
    known = np.flatnonzero(~np.isnan(line))
    return (float(numbers[known[-1]]), float(line[known[-1]])) if known.size else (float(numbers[-1]), 0.0)
