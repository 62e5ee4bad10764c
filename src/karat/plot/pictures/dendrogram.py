"""dendrogram(): measures clustered by their correlations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from karat.errors import KaratError
from karat.meta.relate import Relation
from karat.plot.canvas import LINES, axes, bare, ink
from karat.plot.lettering import fitted, name_rows, say_along
from karat.plot.registry import picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes

GROUPS = 3  # groups of measures, each in its own colour


class Branch(NamedTuple):
    """A leaf of the tree, which is a measure, or an inner node."""

    height: float  # 1 - r at which the members are joined
    row: float
    members: frozenset[int]


def _size(relation: Relation, **_: Any) -> tuple[float, float]:
    """Width and height in inches."""
    return 6.4, min(max(2.4, 0.9 + 0.24 * len(relation.measures)), 12)


@picture(
    of=Relation,
    size=_size,
    caption=lambda relation, **_: f"Measures that correlate over {relation.of} join far to the right.",
    first=Relation,
)
def dendrogram(relation: Relation, *, ax: Axes | None = None) -> Axes:
    """Dendrogram of measures by average linkage of 1 - r; those that join far left correlate little.

    Three groups are coloured; the most representative measure of each is bold.
    """
    if not isinstance(relation, Relation):
        raise KaratError(f"{type(relation).__name__} is not a relation of measures; give karat.relate(tables).")
    from scipy.cluster.hierarchy import leaves_list

    order = [int(leaf) for leaf in leaves_list(relation.linkage)]
    ax = axes(ax, *_size(relation))
    groups = {relation.measures.index(m): number for number, group in enumerate(relation.groups(GROUPS)) for m in group}
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
    """Both children and the parent of every join, numbered as in SciPy's linkage: measures first, then joins."""
    rows = {leaf: float(row) for row, leaf in enumerate(order)}
    branches = [Branch(0.0, rows[leaf], frozenset([leaf])) for leaf in range(len(order))]
    for left, right, height, _ in relation.linkage.tolist():
        a, b = branches[int(left)], branches[int(right)]
        branches.append(Branch(height, (a.row + b.row) / 2, a.members | b.members))
        yield a, b, branches[-1]


def _label(ax: Axes, relation: Relation, order: list[int]) -> None:
    """Write the names of the measures at the leaves, and the label of the axis."""
    bare(ax, "bottom")
    ax.yaxis.tick_right()
    ax.tick_params(axis="y", length=0)
    measures = [relation.measures[leaf] for leaf in order]
    names, arrows = [str(m) for m in measures], [" ↓" if m.better == "lower" else "" for m in measures]
    caption = f"1 - r over {relation.of}; bold: one of each group"
    reversed_sign = "↓ lower is better: sign reversed" if any(arrows) else ""
    fitted(ax, lambda: name_rows(ax, names, False, 0, arrows), lambda: say_along(ax, "x", [caption, reversed_sign]))
    chosen = set(relation.advice(GROUPS))
    for tick, label in zip(ax.get_yticks(), ax.get_yticklabels(), strict=True):
        label.set_fontweight("bold" if measures[round(float(tick))] in chosen else "normal")
