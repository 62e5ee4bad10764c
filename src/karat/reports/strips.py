"""A score on its scale, with its confidence interval and the scores of trivial clusterings."""

from __future__ import annotations

import math
from typing import NamedTuple

from karat.measures.registry import Measure
from karat.scoring.scores import Scores

LENGTH = 200.0  # of the scale, in SVG units


class Strip(NamedTuple):
    """Positions along the scale, from 0 to LENGTH; None if unknown."""

    score: float
    interval: tuple[float, float] | None
    one_cluster: float | None
    singletons: float | None
    shuffled: float | None


def strip(scores: Scores, measure: Measure) -> Strip | None:
    """The positions of a score, its interval and the baselines; None if the score is not finite."""
    value, baseline = scores[measure], scores.baselines[str(measure)]
    if not math.isfinite(value):
        return None
    interval = scores.intervals.get(str(measure))
    ends = () if interval is None else (interval.low, interval.high)
    known = [x for x in (value, *baseline, *ends) if x is not None and math.isfinite(x)]
    low, high = measure.bounds
    low = low if math.isfinite(low) and low >= 0 else min(0.0, *known)
    high = high if math.isfinite(high) else max(1.0, *known)

    def position(x: float | None) -> float | None:
        if x is None or not math.isfinite(x):
            return None
        return round(LENGTH * (min(max(x, low), high) - low) / (high - low), 1)

    span = tuple(map(position, ends))
    both = (span[0], span[1]) if len(span) == 2 and span[0] is not None and span[1] is not None else None
    return Strip(position(value) or 0.0, both, *map(position, baseline))
