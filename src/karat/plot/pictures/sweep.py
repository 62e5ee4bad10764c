"""sweep(): measures against the number in the systems' names."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from karat.comparisons.results import Comparison
from karat.errors import KaratError
from karat.measures.parsing import parse
from karat.measures.registry import Measure
from karat.output.layout import ARROWS, shortened, shown
from karat.plot.lines import SIZE, curves
from karat.plot.registry import picture
from karat.scoring.scores import with_unit

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST = 6  # curves drawn by default
FAR = 20  # ratio of the largest to the smallest number from which the axis is logarithmic


def _caption(comparison: Comparison, **_: Any) -> str:
    number = shown(comparison.sweep.name) if comparison.sweep else "the number in the systems' names"
    return f"Measures against {number}, with confidence intervals."


@picture(
    of=Comparison,
    applies=lambda comparison: comparison.sweep is not None,
    size=lambda *_, **__: SIZE,
    caption=_caption,
    section="comparison",
    notebook=Comparison,
)
def sweep(
    comparison: Comparison,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    *,
    ax: Axes | None = None,
    log: bool | None = None,
) -> Axes:
    """A curve for each measure, with confidence intervals as a band and a ring around its best score.

    comparison: of systems named such as 'k=5', 'k=10', 'k=20'. measures: by default, the first six compared.
    log: whether the x axis is logarithmic; by default, if the largest number is at least 20 times the smallest.
    """
    if not isinstance(comparison, Comparison):
        raise KaratError(f"{type(comparison).__name__} is not a comparison; give karat.compare(gold, systems).")
    chosen = _chosen(comparison, measures)
    columns = [np.array(comparison.curve(measure), dtype=np.float64).T for measure in chosen]
    numbers = columns[0][0]
    log = bool(numbers[0] > 0 and numbers[-1] >= FAR * numbers[0]) if log is None else log
    if log and numbers[0] <= 0:
        raise KaratError(f"{numbers[0]:g} cannot be drawn on a logarithmic axis; omit log.")
    names = [f"{with_unit(m)} {ARROWS[m.better]}".rstrip() for m in chosen]
    scores = {text: column[1] for text, column in zip(names, columns, strict=True)}
    bands = {text: (column[2], column[3]) for text, column in zip(names, columns, strict=True)}
    best = {text: _best(m, scores[text]) for text, m in zip(names, chosen, strict=True)}
    rings = {text: index for text, index in best.items() if index is not None}
    number = shortened(shown(comparison.sweep.name), 30) if comparison.sweep else ""
    y_label = "score (ring: best)"
    return curves(numbers, scores, bands=bands, rings=rings, log=log, x_label=number, y_label=y_label, ax=ax)


def _chosen(comparison: Comparison, measures: str | Measure | Iterable[str | Measure] | None) -> list[Measure]:
    """The measures to draw, parsed."""
    if measures is None:
        return list(comparison.measures[:MOST])
    one = isinstance(measures, (str, Measure)) or not isinstance(measures, Iterable)
    given: list[Any] = [measures] if one else list(measures)  # type: ignore[arg-type]
    if not given:
        raise KaratError("measures is empty; name some of those compared, or leave it out.")
    return [parse(measure) for measure in given]


def _best(measure: Measure, scores: NDArray[np.float64]) -> int | None:
    """The index of the best score; None if there is none, or neither end is better."""
    if measure.better is None or np.isnan(scores).all():
        return None
    return int(np.nanargmax(scores) if measure.better == "higher" else np.nanargmin(scores))
