"""The figures of papers, drawn when they are written; nothing here is loaded without matplotlib."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from karat.papers.claims import Claim

Figure: TypeAlias = Callable[[Any], Any]  # from pyplot to a figure

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00")  # told apart by the colour-blind too
STYLES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1, 1, 1)))


def curves(x: Any, ys: Mapping[str, Any], x_name: str, y_name: str, title: str) -> Figure:
    """Several measures against one parameter: as they are, and stretched to the range from 0 to 1."""

    def draw(plt: Any) -> Any:
        figure, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
        for (name, y), colour, style in zip(ys.items(), COLOURS, STYLES, strict=False):
            spread = np.ptp(y) or 1.0
            for axis, values in ((axes[0], y), (axes[1], (np.asarray(y) - np.min(y)) / spread)):
                axis.plot(x, values, color=colour, linestyle=style, label=name)
        for axis, what in zip(axes, ("(a) as they are", "(b) stretched to [0, 1]"), strict=True):
            axis.set(xlabel=x_name, ylabel=y_name, title=what)
            axis.grid(alpha=0.3)
        axes[1].legend(frameon=False)  # where the curves leave room
        figure.suptitle(title)
        return figure

    return draw


def beside(x: Any, y: Any, x_name: str, y_name: str, title: str) -> Figure:
    """Two measures of the same tables: their ranks, and their values."""

    def draw(plt: Any) -> Any:
        figure, axes = plt.subplots(1, 2, figsize=(10, 4.6), layout="constrained")
        ranks = [np.searchsorted(np.sort(values), values) for values in (x, y)]
        axes[0].plot(*ranks, ".", color=COLOURS[0], markersize=3)
        axes[0].set(xlabel=f"rank by {x_name}", ylabel=f"rank by {y_name}", title="(a) ranks")
        axes[1].plot(x, y, ".", color=COLOURS[1], markersize=3)
        axes[1].set(xlabel=x_name, ylabel=y_name, title="(b) values")
        for axis in axes:
            axis.grid(alpha=0.3)
        figure.suptitle(title)
        return figure

    return draw


def bars(made: Sequence[Claim], groups: Sequence[str], names: Sequence[str], title: str) -> Figure:
    """Printed and computed rates, a panel for each group."""

    def draw(plt: Any) -> Any:
        figure, axes = plt.subplots(len(groups), 1, figsize=(8, 1.4 * len(groups)), sharex=True, layout="constrained")
        places = np.arange(len(names))
        for axis, group in zip(axes, groups, strict=True):
            part = [claim for claim in made if claim.claim.startswith(f"{group},")]
            axis.bar(places - 0.2, [float(c.printed) for c in part], 0.38, color=COLOURS[4], label="printed")
            axis.bar(places + 0.2, [float(c.computed) for c in part], 0.38, color=COLOURS[1], label="computed")
            axis.set(ylim=(0, 1.08), yticks=(0, 1), ylabel=group)
        axes[-1].set_xticks(places, names)
        figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper right", ncols=2, frameon=False)
        figure.suptitle(title, x=0.01, ha="left")
        return figure

    return draw


def points(found: Mapping[str, Mapping[str, Sequence[float]]], systems: Sequence[str], title: str) -> Figure:
    """A panel for each measure: systems side by side, a line for each data set."""

    def draw(plt: Any) -> Any:
        figure, axes = plt.subplots(1, len(found), figsize=(8, 3.6), layout="constrained")
        for axis, (measure, rows) in zip(axes, found.items(), strict=True):
            for (name, values), colour in zip(rows.items(), COLOURS, strict=False):
                axis.plot(systems, values, "o-", color=colour, label=name)
            axis.set(title=measure, ylim=(0, 1.1 * max(max(values) for values in rows.values())))
            axis.grid(alpha=0.3)
        axes[0].legend(frameon=False)
        figure.suptitle(title)
        return figure

    return draw
