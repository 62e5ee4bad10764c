"""comparison(): systems ranked by score, with confidence intervals and significant differences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from karat.comparisons.results import Comparison
from karat.errors import KaratError
from karat.measures.parsing import parse
from karat.measures.registry import Measure
from karat.output.layout import shortened, shown
from karat.plot.canvas import GREY, LINES, axes, bare, dark, extent, ink
from karat.plot.lettering import dots, fitted, fitting, literal, name_rows, say_along, size_of, ticked
from karat.plot.registry import picture
from karat.scoring.scores import with_unit
from karat.uncertainty.interval import Interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SEEN = 0.004  # smallest visible difference of an estimate and its score, as a share of the axis
BEATEN = 14  # greatest length of the letters of the systems that one beats
DIRECTIONS = {"higher": " (higher is better)", "lower": " (lower is better)", None: ""}


class Standing(NamedTuple):
    """A row of the plot: a system and its score."""

    name: str
    letter: str
    score: float
    interval: Interval | None
    beats: str  # letters of the systems that it is significantly better than


def _size(comparison: Comparison, *_: Any, **__: Any) -> tuple[float, float]:
    """Width and height in inches."""
    return 6.4, min(max(2.2, 1.2 + 0.28 * len(comparison)), 14)


def _caption(comparison: Comparison, measure: str | Measure | None = None, **_: Any) -> str:
    chosen = comparison.measures[0] if measure is None else parse(measure)
    return f"Systems by {shown(chosen)}, with confidence intervals; beside each name, its letter. " + (
        "On the right, the systems that it is significantly better than."
        if any(comparison.verdicts[str(chosen)].beats)
        else "No system is significantly better than another."
    )


@picture(of=Comparison, size=_size, caption=_caption, section="comparison", first=Comparison)
def comparison(comparison: Comparison, measure: str | Measure | None = None, *, ax: Axes | None = None) -> Axes:
    """Systems by score, best on top; on the right, letters of those that each significantly beats.

    The bias-corrected estimate is marked where it differs from the score. measure: by default, the first compared.
    """
    if not isinstance(comparison, Comparison):
        raise KaratError(f"{type(comparison).__name__} is not a comparison; give karat.compare(gold, systems).")
    chosen = comparison.measures[0] if measure is None else parse(measure)
    standings = _standings(comparison, chosen)
    ax = axes(ax, *_size(comparison))
    differ = _draw(ax, standings)
    bare(ax, "bottom")
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="x", color=GREY, alpha=0.25, linewidth=0.6)
    ax.set_axisbelow(True)
    label = f"{with_unit(chosen)}{DIRECTIONS[chosen.better]}, {100 * comparison.sampling.level:g}% intervals"
    names, letters = [s.name for s in standings], [f"  {s.letter}" for s in standings]
    steps: list[Any] = [lambda: name_rows(ax, names, False, 0, letters), lambda: say_along(ax, "x", [label])]
    _beaten(ax, standings)
    fitted(ax, *steps, *([lambda: _legend(ax)] if differ else []))
    return ax


def _standings(comparison: Comparison, measure: Measure) -> list[Standing]:
    """All systems, best first; those whose score is NaN come last."""
    comparison.verdicts_of(measure)  # raises KaratError if the measure was not compared
    verdicts = comparison.verdicts[str(measure)]
    standings = []
    letters = list(comparison.letters.values())
    for index, system in enumerate(comparison.systems):
        beats = "".join(letters[other] for other in verdicts.beats[index]).rstrip(",")
        score, interval = float(verdicts.paired.scores[index]), comparison[system].intervals.get(str(measure))
        standings.append(Standing(system, letters[index].rstrip(","), score, interval, shortened(beats, BEATEN)))
    sign = 1 if measure.better == "lower" else -1
    return sorted(standings, key=lambda s: (np.isnan(s.score), sign * s.score))


def _draw(ax: Axes, standings: list[Standing]) -> bool:
    """Draw intervals, scores and differing estimates; return whether any estimate differs."""
    rows = np.arange(len(standings))
    scores = np.array([s.score for s in standings])
    spans = [(s.score, s.score, s.score) if s.interval is None else s.interval[:3] for s in standings]
    low, high, estimates = np.array(spans, dtype=np.float64).T
    ax.hlines(rows, low, high, color=LINES[0], linewidth=4, alpha=0.8 if dark(ax) else 0.45, label="interval")
    ring = {"markeredgecolor": ink(ax), "markeredgewidth": 0.8} if dark(ax) else {}  # else hard to see on its line
    ax.plot(scores, rows, "o", color=LINES[0], markersize=6, label="score", **ring)
    every = np.concatenate([scores, low, high, estimates])
    every = every[np.isfinite(every)]
    span = (float(np.ptp(every)) if every.size else 0.0) or 0.1
    differ = np.abs(estimates - scores) > SEEN * span
    if differ.any():
        look: dict[str, Any] = {"markersize": 11, "markeredgewidth": 1.6, "label": "estimate"}
        ax.plot(estimates[differ], rows[differ], "|", color=ink(ax), **look)
    if every.size:
        ax.set_xlim(float(every.min()) - 0.05 * span, float(every.max()) + 0.05 * span)
    ax.set_ylim(len(standings) - 0.5, -0.5)
    return bool(differ.any())


def _legend(ax: Axes) -> None:
    """A legend above the systems, in a font small enough to fit."""
    points = min(size_of(ax, "legend.fontsize"), extent(ax)[0] / dots(ax, 22))  # the legend is about 22 font sizes wide
    ax.legend(
        loc="lower left", bbox_to_anchor=(0, 1), ncols=3, frameon=False, borderaxespad=0, labelcolor=ink(ax),
        fontsize=points, handlelength=1.5, handletextpad=0.5, columnspacing=1,
    )  # fmt: skip


def _beaten(ax: Axes, standings: list[Standing]) -> None:
    """Write on the right the letters of the systems that each is significantly better than."""
    if not any(s.beats for s in standings):
        return
    points, step = fitting(ax, 0.9 * extent(ax)[1] / len(standings), size_of(ax))
    look: dict[str, Any] = {"textcoords": "offset points", "color": ink(ax), "fontsize": points}
    for row in ticked(len(standings), step):
        at = ax.get_yaxis_transform()
        ax.annotate(literal(standings[row].beats), (1, row), (6, 0), xycoords=at, va="center", **look)
    ax.annotate("better than", (1, 1), (6, 4), xycoords="axes fraction", style="italic", **look)
