"""How a measure answers to the parameters of Dom's family of tables, as small SVG curves for its page.

Ink is the text's own colour, so that a page can be light or dark; a step in the wrong direction is drawn in orange.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

import karat
from karat.meta import Family, Grid
from karat.meta.desiderata import P1, P2, P3, P4, P5, P6, P7, TIE, Desideratum, oriented

ITEMS = 500  # as Dom has it
WHOLE = 5000  # for a measure that needs whole items: of so many, rounding does little
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 230, 150, 46, 10, 10, 24
SHARES = np.arange(1, 13) / 20


@dataclass(frozen=True)
class Panel:
    """One parameter that grows, the others at rest, and what is wanted of a measure meanwhile."""

    says: str
    wanted: tuple[Desideratum, ...]
    grid: Grid

    @property
    def parameter(self) -> str:
        """What grows."""
        return self.wanted[0].parameter


NOISY = Family(noise_classes=2)
PANELS = (
    Panel("useful clusters, for 5 classes", (P1, P2), Grid.of(ITEMS, useful=range(2, 12), error_1=[0.1])),
    Panel("noise clusters", (P3,), Grid.of(ITEMS, noise=range(1, 9), error_1=[0.1], error_2=[0.2])),
    Panel("noise classes", (P6,), Grid.of(ITEMS, noise_classes=range(1, 9), error_1=[0.1], error_3=[0.2])),
    Panel("share of errors among useful clusters", (P4,), Grid.of(ITEMS, error_1=SHARES)),
    Panel("share of items in 2 noise clusters", (P5,), Grid.of(ITEMS, Family(noise=2), error_1=[0.1], error_2=SHARES)),
    Panel("share of items of 2 noise classes", (P7,), Grid.of(ITEMS, NOISY, error_1=[0.1], error_3=SHARES)),
)


def curves(measure: karat.Measure) -> str:
    """All panels of a measure, as HTML."""
    values = [_values(panel.grid, measure) for panel in PANELS]
    low, high = _ends(measure, values)
    figures = [_figure(panel, found, low, high, measure) for panel, found in zip(PANELS, values, strict=True)]
    return f'<div class="behaviour">{"".join(figures)}</div>'


def whole_items(measure: karat.Measure) -> bool:
    """Whether a measure is defined for whole items only."""
    try:
        PANELS[0].grid.values(measure)
    except karat.KaratError:
        return True
    return False


def _values(grid: Grid, measure: karat.Measure) -> Any:
    if not whole_items(measure):
        return grid.values(measure)
    tables = (np.rint(WHOLE * member.distribution).astype(int) for member in grid.members)
    return np.array([measure(karat.Table.from_matrix(table)) for table in tables])


def _ends(measure: karat.Measure, values: list[Any]) -> tuple[float, float]:
    """The ends of the vertical axis: the bounds if they are near, else what the values need."""
    low, high = (float(end) for end in measure.bounds)
    least, most = min(0.0, *(v.min() for v in values)), max(v.max() for v in values)
    step = 10.0 ** math.floor(math.log10(most - least))
    return max(low, math.floor(least / step) * step), high if high <= 1 else math.ceil(most / step) * step


def _figure(panel: Panel, values: Any, low: float, high: float, measure: karat.Measure) -> str:
    xs = [getattr(member, panel.parameter) for member in panel.grid.members]
    across = np.interp(xs, [xs[0], xs[-1]], [LEFT, WIDTH - RIGHT])
    down = np.interp(values, [low, high], [HEIGHT - BOTTOM, TOP])
    points = [f"{x:.1f},{y:.1f}" for x, y in zip(across, down, strict=True)]
    wrong = [f'<path class="wrong" d="M{points[a]}L{points[b]}"/>' for a, b in _wrong(panel, values, measure)]
    dots = "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2"/>' for x, y in zip(across, down, strict=True))
    names = ", ".join(wanted.name for wanted in panel.wanted)
    return (
        f'<figure><svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{measure} against {panel.says}">'
        f'{_frame(xs, low, high)}<path class="curve" d="M{"L".join(points)}"/>{"".join(wrong)}{dots}</svg>'
        f"<figcaption>{names}: {panel.says}</figcaption></figure>"
    )


def _frame(xs: list[Any], low: float, high: float) -> str:
    """Axes, with their ends named."""
    foot = HEIGHT - BOTTOM
    texts = [(LEFT - 5, TOP + 4, "end", high), (LEFT - 5, foot + 3, "end", low)]
    texts += [(LEFT, foot + 15, "middle", xs[0]), (WIDTH - RIGHT, foot + 15, "middle", xs[-1])]
    letters = "".join(f'<text x="{x}" y="{y}" text-anchor="{where}">{number:g}</text>' for x, y, where, number in texts)
    return f'<path class="axis" d="M{LEFT},{TOP}V{foot}H{WIDTH - RIGHT}"/>{letters}'


def _wrong(panel: Panel, values: Any, measure: karat.Measure) -> list[tuple[int, int]]:
    """The steps that do not go where they should."""
    if measure.better is None:
        return []
    good, members = oriented(values, measure), panel.grid.members
    tie = TIE * max(1.0, float(np.abs(good).max()))
    wants = {
        (a, b): want
        for a, b in pairwise(range(len(members)))
        for wanted in panel.wanted
        if (want := wanted.wanted(members[a], members[b])) is not None
    }
    return [(a, b) for (a, b), want in wants.items() if not want * (good[b] - good[a]) > tie]
