"""Figures of the papers: panels under one title, drawn with karat.plot where it draws such a panel.

matplotlib is needed only when a figure is drawn.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from karat import plot
from karat.plot.canvas import LINES, bare, need_matplotlib
from karat.plot.lettering import literal

Panel: TypeAlias = Callable[..., Any]  # draws on ax=, as the functions of karat.plot do


@dataclass(frozen=True)
class Figure:
    """A figure of a paper: panels, each called with ax=, under one title."""

    title: str
    panels: Sequence[Panel]
    columns: int | None = None  # of panels; None: all in one row
    size: tuple[float, float] = (5.0, 4.0)  # width and height of a panel in inches

    def draw(self) -> Any:
        """A matplotlib figure."""
        need_matplotlib()
        from matplotlib.figure import Figure as Canvas

        columns = self.columns or len(self.panels)
        rows = math.ceil(len(self.panels) / columns)
        canvas = Canvas(figsize=(self.size[0] * columns, self.size[1] * rows), layout="constrained")
        canvas.suptitle(literal(self.title))
        for panel, ax in zip(self.panels, canvas.subplots(rows, columns, squeeze=False).flat, strict=False):
            panel(ax=ax)
        return canvas


def save_figures(figures: Mapping[str, Figure], folder: str) -> list[str]:
    """Write figures as SVG and PNG, in matplotlib's default style; return the names of the files."""
    need_matplotlib()
    from matplotlib import rc_context, rcParamsDefault

    # not the user's matplotlibrc, so that figures look the same everywhere
    defaults: Any = {key: value for key, value in rcParamsDefault.items() if key != "backend"}
    names = []
    for name, figure in figures.items():
        with rc_context({**defaults, "font.size": 9}):
            canvas = figure.draw()
            for kind in ("svg", "png"):
                plot.save(canvas, f"{folder}/{name}.{kind}")
                names.append(f"{name}.{kind}")
    return names


def titled(title: str, panel: Panel) -> Panel:
    """A panel with a title of its own."""

    def draw(*, ax: Any) -> None:
        panel(ax=ax)
        ax.set_title(literal(title))

    return draw


def curves(x: Any, ys: Mapping[str, ArrayLike], x_label: str, y_label: str, title: str) -> Figure:
    """Several measures against one parameter."""
    return Figure(title, [partial(plot.curves, x, ys, x_label=x_label, y_label=y_label)], size=(8.0, 5.0))


def rescaled_curves(x: Any, ys: Mapping[str, ArrayLike], x_label: str, y_label: str, title: str) -> Figure:
    """Several measures against one parameter, and again rescaled to the range 0 to 1."""
    rescaled = {name: (np.asarray(y) - np.min(y)) / (np.ptp(y) or 1.0) for name, y in ys.items()}
    labels: Any = {"x_label": x_label, "y_label": y_label}
    panels = [
        titled("(a) as they are", partial(plot.curves, x, ys, **labels)),
        titled("(b) stretched to [0, 1]", partial(plot.curves, x, rescaled, **labels)),
    ]
    return Figure(title, panels, size=(5.0, 4.6))


def scatters(x: Any, y: Any, x_label: str, y_label: str, title: str) -> Figure:
    """Two measures of the same tables against each other: their ranks, and their values."""
    ranks = [np.searchsorted(np.sort(values), values) for values in (x, y)]
    panels = [
        titled(
            "(a) ranks", partial(_scatter, ranks[0], ranks[1], f"rank by {x_label}", f"rank by {y_label}", LINES[0])
        ),
        titled("(b) values", partial(_scatter, x, y, x_label, y_label, LINES[1])),
    ]
    return Figure(title, panels, size=(5.0, 4.6))


def _scatter(x: Any, y: Any, x_label: str, y_label: str, colour: str, *, ax: Any) -> None:
    ax.plot(x, y, ".", color=colour, markersize=3)
    ax.set(xlabel=x_label, ylabel=y_label)
    ax.grid(alpha=0.3)


def bars(
    printed: Mapping[str, Sequence[float]], computed: Mapping[str, Sequence[float]], names: Sequence[str], title: str
) -> Figure:
    """Printed and computed rates as bars, a panel for each group, a pair of bars for each name."""
    panels: list[Panel] = [partial(_bars, group, printed[group], computed[group], names) for group in printed]
    panels[0] = partial(_with_legend, panels[0])
    return Figure(title, panels, columns=1, size=(8.0, 1.4))


def _bars(group: str, printed: Sequence[float], computed: Sequence[float], names: Sequence[str], *, ax: Any) -> None:
    x = np.arange(len(names))
    ax.bar(x - 0.2, printed, 0.38, color=LINES[5], label="printed")
    ax.bar(x + 0.2, computed, 0.38, color=LINES[1], label="computed")
    ax.set(ylim=(0, 1.08), yticks=(0, 1), ylabel=group)
    ax.set_xticks(x, names)
    ax.label_outer()  # names below the last panel only
    bare(ax, "left", "bottom")


def _with_legend(panel: Panel, *, ax: Any) -> None:
    panel(ax=ax)
    ax.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=2, frameon=False, borderaxespad=0.2)


def by_system(values: Mapping[str, Mapping[str, Sequence[float]]], systems: Sequence[str], title: str) -> Figure:
    """A panel for each measure: a curve over the systems for each data set."""
    panels = [
        titled(measure, partial(plot.curves, systems, rows, y_range=(0, 1.1 * max(map(max, rows.values())))))
        for measure, rows in values.items()
    ]
    return Figure(title, panels, size=(4.6, 3.6))
