"""dendrogram(): which measures go together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from karat.errors import KaratError
from karat.meta.relate import Relation
from karat.plot.canvas import LINES, axes, bare, ink
from karat.plot.lettering import fitted, name_rows, say_along

if TYPE_CHECKING:
    from matplotlib.axes import Axes

GROUPS = 3  # that are drawn in colours of their own


class Branch(NamedTuple):
    """A measure, or several that are joined."""

    height: float  # at which they are joined: 1 - r
    row: float
    members: frozenset[int]


def dendrogram(relation: Relation, *, ax: Axes | None = None) -> Axes:
    """The tree of the measures by average linkage of 1 - r: what joins far to the left says different things.

    Three groups have colours of their own; the measure of each that stands for it best is bold.
    """
    if not isinstance(relation, Relation):
        raise KaratError(f"{type(relation).__name__} is not a relation of measures; give karat.relate(tables).")
    from scipy.cluster.hierarchy import leaves_list

    order = [int(place) for place in leaves_list(relation.linkage)]
    ax = axes(ax, 6.4, min(max(2.4, 0.9 + 0.24 * len(order)), 12))
    groups = {relation.measures.index(m): place for place, group in enumerate(relation.groups(GROUPS)) for m in group}
    for left, right, joined in _joins(relation, order):
        own = {groups[member] for member in joined.members}
        colour = LINES[own.pop()] if len(own) == 1 else ink(ax)
        xs = [left.height, joined.height, joined.height, right.height]
        ax.plot(xs, [left.row, left.row, right.row, right.row], color=colour, solid_joinstyle="miter")
    farthest = max(float(relation.linkage[:, 2].max()), 1e-3)
    ax.set(xlim=(1.04 * farthest, -0.01 * farthest), ylim=(len(order) - 0.5, -0.5))
    _label(ax, relation, order)
    return ax


def _joins(relation: Relation, order: list[int]) -> Iterator[tuple[Branch, Branch, Branch]]:
    """Both parts of every join, and the whole, as SciPy's linkage numbers them: measures first, then joins."""
    rows = {place: float(row) for row, place in enumerate(order)}
    branches = [Branch(0.0, rows[place], frozenset([place])) for place in range(len(order))]
    for left, right, height, _ in relation.linkage.tolist():
        a, b = branches[int(left)], branches[int(right)]
        branches.append(Branch(height, (a.row + b.row) / 2, a.members | b.members))
        yield a, b, branches[-1]


def _label(ax: Axes, relation: Relation, order: list[int]) -> None:
    """The names of the measures at the ends of the branches, and what the axis means."""
    bare(ax, "bottom")
    ax.yaxis.tick_right()
    ax.tick_params(axis="y", length=0)
    measures = [relation.measures[place] for place in order]
    names, arrows = [str(m) for m in measures], [" ↓" if m.better == "lower" else "" for m in measures]
    caption = f"1 - r over {relation.of}; bold: one of each group"
    turned = "↓ lower is better: turned round" if any(arrows) else ""
    fitted(ax, lambda: name_rows(ax, names, False, 0, arrows), lambda: say_along(ax, "x", [caption, turned]))
    chosen = set(relation.advice(GROUPS))
    for tick, label in zip(ax.get_yticks(), ax.get_yticklabels(), strict=True):
        label.set_fontweight("bold" if measures[round(float(tick))] in chosen else "normal")
