"""What stands beside a plot: names that are other people's text, counts, shares, and the room that they take."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from karat.output.layout import shortened, shown, width, wrapped
from karat.plot.canvas import allotted, extent, ink, settled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LETTER = 0.64  # the width of a digit, as a share of the size of its font
WORD = 0.55  # of a letter in a name, on average
LEADING = 1.25  # from one line to the next, likewise
SMALLEST = 5.0  # points that can still be read
OTHER = "other"


def name(label: object, most: int = 30) -> str:
    r"""A label as a plot shows it: no control characters, no formula, at most so many columns.

    >>> print(name("a\nb$x$"))
    a\nb\$x\$
    """
    text = shown(label[: 8 * most] if isinstance(label, str) else label)  # which may be as long as a book
    return literal(shortened(text if text.strip() else repr(text), most))


def names_apart(labels: Sequence[object], most: int) -> list[str]:
    """Names of at most so many columns; where cutting their ends would make two alike, their middles are left out.

    >>> names_apart(["system_of_2017", "system_of_2018"], 9)
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
    """Text in which matplotlib sees no formula: it takes the backslashes away again."""
    return text.replace("$", r"\$")


def brief(count: float) -> str:
    """A count in at most five characters.

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
    """A share of the items; never 0% of some, nor 100% of less than all.

    >>> percent(0.123), percent(0.004), percent(0.0001), percent(0.9999)
    ('12%', '0.4%', 'under 0.1%', 'over 99%')
    """
    if 0 < share < 0.0005:
        return "under 0.1%"
    if 0.995 <= share < 1:
        return "over 99%"
    return f"{share:.1%}" if 0 < share < 0.0095 else f"{share:.0%}"


def count_text(count: Any) -> str:
    """A count with separators; a weight with few digits."""
    return f"{int(count):,}" if float(count).is_integer() else f"{float(count):.3g}"


def size_of(ax: Axes, kind: str = "ytick.labelsize") -> float:
    """The size of a font of the settings in points."""
    from matplotlib import rcParams
    from matplotlib.font_manager import FontProperties

    return float(FontProperties(size=rcParams[kind]).get_size_in_points())  # type: ignore[index]


def dots(ax: Axes, points: float) -> float:
    """Points of a font in pixels."""
    return points * float(ax.figure.figure.dpi) / 72


def letters(ax: Axes, pixels: float, points: float) -> int:
    """How many letters of a font fit in so many pixels: 6 at least, since fewer tell nothing."""
    return max(6, int(pixels / dots(ax, WORD * points)))


def fitting(ax: Axes, pixels: float, points: float) -> tuple[float, int]:
    """The size of a font for lines so far apart, and every how many of them there is room for."""
    wanted = pixels / dots(ax, LEADING)
    if wanted >= SMALLEST:
        return min(points, wanted), 1
    return SMALLEST, math.ceil(SMALLEST / wanted)


def name_rows(
    ax: Axes, names: Sequence[object], others: bool, at: float = 0.5, after: Sequence[str] | None = None
) -> None:
    """Names beside the rows of a plot, of which the last may stand for all others; after: what follows each."""
    points, step = fitting(ax, extent(ax)[1] / len(names), size_of(ax))
    most = letters(ax, 0.33 * allotted(ax)[0], points)
    ticks = ticked(len(names), step)
    short = names_apart(names, most)
    texts = [short[place] + (after[place] if after else "") for place in ticks]
    ax.set_yticks([place + at for place in ticks], texts, fontsize=points)
    if others:
        ax.get_yticklabels()[-1].set_fontstyle("italic")


def name_columns(ax: Axes, names: Sequence[object], others: bool, at: float = 0.5) -> None:
    """Names below the columns of a plot: upright, if they would touch."""
    each, points, step = extent(ax)[0] / len(names), size_of(ax, "xtick.labelsize"), 1
    texts = names_apart(names, letters(ax, 0.33 * allotted(ax)[1], points))
    across = each / dots(ax, LETTER) / (max(map(width, texts)) + 0.8)  # points, if they stand side by side
    level = across >= 0.7 * points
    if level:
        points = min(points, across)
    else:
        points, step = fitting(ax, each, points)
    ticks = ticked(len(names), step)
    ax.set_xticks([place + at for place in ticks], [texts[place] for place in ticks], fontsize=points)
    ax.tick_params(axis="x", rotation=0 if level else 90)
    if others:
        ax.get_xticklabels()[-1].set_fontstyle("italic")


def ticked(number_of_names: int, step: int) -> list[int]:
    """Every so many places, and the last."""
    last = number_of_names - 1
    return [place for place in range(0, last, step) if last - place >= step] + [last]


def say_along(ax: Axes, axis: str, lines: Sequence[str]) -> None:
    """The label of an axis, in as many lines as it takes."""
    points = size_of(ax, "axes.labelsize")
    room = letters(ax, 1.1 * extent(ax)[0] if axis == "x" else extent(ax)[1], points)
    text = "\n".join(part for line in lines if line for part in wrapped(line, max(room, 16)))
    getattr(ax, f"set_{axis}label")(literal(text), color=ink(ax))


def fitted(ax: Axes, *steps: Any) -> tuple[float, float]:
    """Label axes, and again once the labels have taken their room; the size of the axes that is left."""
    for _ in range(2):
        for step in steps:
            step()
        size = settled(ax)
    return size
