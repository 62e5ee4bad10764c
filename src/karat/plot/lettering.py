"""Text in plots: labels, which are untrusted, counts and percentages, and the size of their fonts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from karat.output.layout import shortened, shown, width, wrapped
from karat.plot.canvas import allotted, extent, ink, size_after_layout

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LETTER = 0.64  # width of a digit, in font sizes
WORD = 0.55  # mean width of a letter in a name, in font sizes
LEADING = 1.25  # line height, in font sizes
SMALLEST = 5.0  # smallest readable font size, in points
OTHER = "other"


def name(label: object, most: int = 30) -> str:
    r"""A label as shown in a plot: no control characters, no mathtext, at most `most` characters wide.

    >>> print(name("a\nb$x$"))
    a\nb\$x\$
    """
    text = shown(label[: 8 * most] if isinstance(label, str) else label)  # a label may be very long
    return literal(shortened(text if text.strip() else repr(text), most))


def distinct_names(labels: Sequence[object], most: int) -> list[str]:
    """Labels shortened to `most` characters, in the middle if cutting their ends makes two equal.

    >>> distinct_names(["system_of_2017", "system_of_2018"], 9)
    ['syst…2017', 'syst…2018']
    """
    texts = [name(label, most) for label in labels]
    if len(set(texts)) == len(texts):
        return texts
    return [_without_middle(label, most) for label in labels]


def _without_middle(label: object, most: int) -> str:
    text = shown(label)
    if width(text) <= most:
        return literal(text)
    front, back = text[: most // 2 + 1], text[-(most // 2 + 1) :]
    while width(front) > (most - 1) // 2:
        front = front[:-1]
    while width(back) > most - 1 - width(front):
        back = back[1:]
    return literal(f"{front}…{back}")


def literal(text: str) -> str:
    """Escape dollar signs, so that matplotlib does not read the text as mathtext."""
    return text.replace("$", r"\$")


def brief(count: float) -> str:
    """A count, abbreviated to at most five characters.

    >>> brief(17), brief(12_345), brief(2_500_000), brief(0.25)
    ('17', '12k', '2.5M', '0.25')
    """
    if 0 < count < 1:
        return f"{count:.2g}"
    for unit, letter in ((1, ""), (1e3, "k"), (1e6, "M"), (1e9, "G"), (1e12, "T"), (1e15, "P")):
        value = count / unit
        if value < 999.5:
            return f"{value:.{int(value < 9.95)}f}".removesuffix(".0") + letter
    return f"{count:.0e}"


def percent(share: float) -> str:
    """A share as a percentage; 0% and 100% are exact, never rounded.

    >>> percent(0.123), percent(0.004), percent(0.0001), percent(0.9999)
    ('12%', '0.4%', 'under 0.1%', 'over 99%')
    """
    if 0 < share < 0.0005:
        return "under 0.1%"
    if 0.995 <= share < 1:
        return "over 99%"
    return f"{share:.1%}" if 0 < share < 0.0095 else f"{share:.0%}"


def count_text(count: Any) -> str:
    """An integral count with thousands separators, a weight with three significant digits."""
    return f"{int(count):,}" if float(count).is_integer() else f"{float(count):.3g}"


def size_of(ax: Axes, kind: str = "ytick.labelsize") -> float:
    """The font size of an entry of matplotlib's rcParams, in points."""
    from matplotlib import rcParams
    from matplotlib.font_manager import FontProperties

    return float(FontProperties(size=rcParams[kind]).get_size_in_points())  # type: ignore[index]


def dots(ax: Axes, points: float) -> float:
    """Convert points to pixels."""
    return points * float(ax.figure.figure.dpi) / 72


def letters(ax: Axes, pixels: float, points: float) -> int:
    """The number of letters of a font size that fit in a width in pixels; at least 6, to be legible."""
    return max(6, int(pixels / dots(ax, WORD * points)))


def fitting(ax: Axes, pixels: float, points: float) -> tuple[float, int]:
    """The font size for lines this many pixels apart, and the step n if only every n-th line fits."""
    wanted = pixels / dots(ax, LEADING)
    if wanted >= SMALLEST:
        return min(points, wanted), 1
    return SMALLEST, math.ceil(SMALLEST / wanted)


def name_rows(
    ax: Axes, names: Sequence[object], others: bool, at: float = 0.5, after: Sequence[str] | None = None
) -> None:
    """Label the rows of a plot. others: the last row is for all others; after: a suffix for each label."""
    points, step = fitting(ax, extent(ax)[1] / len(names), size_of(ax))
    most = letters(ax, 0.33 * allotted(ax)[0], points)
    ticks = ticked(len(names), step)
    short = distinct_names(names, most)
    texts = [short[row] + (after[row] if after else "") for row in ticks]
    ax.set_yticks([row + at for row in ticks], texts, fontsize=points)
    if others:
        ax.get_yticklabels()[-1].set_fontstyle("italic")


def name_columns(ax: Axes, names: Sequence[object], others: bool, at: float = 0.5) -> None:
    """Label the columns of a plot; labels are vertical if they would overlap. others: as in name_rows()."""
    each, points, step = extent(ax)[0] / len(names), size_of(ax, "xtick.labelsize"), 1
    texts = distinct_names(names, letters(ax, 0.33 * allotted(ax)[1], points))
    across = each / dots(ax, LETTER) / (max(map(width, texts)) + 0.8)  # font size that fits horizontally
    level = across >= 0.7 * points
    if level:
        points = min(points, across)
    else:
        points, step = fitting(ax, each, points)
    ticks = ticked(len(names), step)
    ax.set_xticks([column + at for column in ticks], [texts[column] for column in ticks], fontsize=points)
    ax.tick_params(axis="x", rotation=0 if level else 90)
    if others:
        ax.get_xticklabels()[-1].set_fontstyle("italic")


def ticked(number_of_names: int, step: int) -> list[int]:
    """The indices of the names to show: every step-th, and always the last."""
    last = number_of_names - 1
    return [index for index in range(0, last, step) if last - index >= step] + [last]


def say_along(ax: Axes, axis: str, lines: Sequence[str]) -> None:
    """Set the label of an axis, wrapped to its length."""
    points = size_of(ax, "axes.labelsize")
    room = letters(ax, 1.1 * extent(ax)[0] if axis == "x" else extent(ax)[1], points)
    text = "\n".join(part for line in lines if line for part in wrapped(line, max(room, 16)))
    getattr(ax, f"set_{axis}label")(literal(text), color=ink(ax))


def fitted(ax: Axes, *steps: Any) -> tuple[float, float]:
    """Run the labelling steps twice, as labels change the layout; return the size of the axes in pixels."""
    for _ in range(2):
        for step in steps:
            step()
        size = size_after_layout(ax)
    return size
