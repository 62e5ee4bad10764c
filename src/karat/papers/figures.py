"""Functions that draw the papers' figures; matplotlib is needed only when they are called."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from karat.papers.claims import Claim

Figure: TypeAlias = Callable[[Any], Any]  # from pyplot to a figure

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00")  # distinct also for colour-blind readers
MARKERS = ("o", "s", "^", "D", "v", "x", "P")
STYLES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1, 1, 1)))


def plain(title: str) -> str:
    """Escape dollar signs, so that matplotlib does not read a title as mathtext."""
    return title.replace("$", r"\$")


def curves(x: Any, ys: Mapping[str, Any], x_name: str, y_name: str, title: str, *, stretched: bool = True) -> Figure:
    """Several measures against one parameter, and optionally again rescaled to the range 0 to 1."""

    def draw(plt: Any) -> Any:
        panels = 2 if stretched else 1
        figure, axes = plt.subplots(1, panels, figsize=(10, 4 + 0.1 * len(ys)), layout="constrained", squeeze=False)
        first = axes[0][0]
        for place, (name, y) in enumerate(ys.items()):
            turn = place + 2 * (place // len(COLOURS))  # colours repeat with other styles
            style = {"color": COLOURS[place % len(COLOURS)], "linestyle": STYLES[turn % len(STYLES)]}
            first.plot(x, y, label=name, marker="" if stretched else MARKERS[place % len(MARKERS)], **style)
            if stretched:
                axes[0][1].plot(x, (np.asarray(y) - np.min(y)) / (np.ptp(y) or 1.0), label=name, **style)
        for axis, what in zip(axes[0], ("(a) as they are", "(b) stretched to [0, 1]"), strict=False):
            axis.set(xlabel=x_name, ylabel=y_name, title=what if stretched else "")
            axis.grid(alpha=0.3)
        if stretched:
            axes[0][1].legend(frameon=False)  # on the panel with more room
        else:
            figure.legend(loc="outside right center", frameon=False)
        figure.suptitle(title)
        return figure

    return draw


def tree(correlations: Any, names: Sequence[str], title: str) -> Figure:
    """A dendrogram of measures by average linkage of 1 - r."""

    def draw(plt: Any) -> Any:
        from scipy.cluster.hierarchy import dendrogram, linkage
        from scipy.spatial.distance import squareform

        distances = np.maximum(1 - (correlations + correlations.T) / 2, 0)
        np.fill_diagonal(distances, 0)
        figure, axis = plt.subplots(figsize=(8, 4), layout="constrained")
        joined = linkage(squareform(distances, checks=False), "average")
        dendrogram(joined, labels=list(names), ax=axis, color_threshold=0, above_threshold_color=COLOURS[0])
        axis.set(ylabel="1 - r", title=title)
        axis.tick_params(axis="x", rotation=45)
        return figure

    return draw


def beside(x: Any, y: Any, x_name: str, y_name: str, title: str) -> Figure:
    """Two measures of the same tables against each other: their ranks, and their values."""

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
    """Printed and computed rates as bars, a panel for each group."""

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
        figure.suptitle(plain(title))
        return figure

    return draw
