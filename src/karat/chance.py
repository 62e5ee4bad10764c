"""What a measure gives on average when the predicted labels are shuffled."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from functools import lru_cache, partial
from typing import Any, TypeAlias

from karat.counts import Counts, Statistic
from karat.registry import Measure
from karat.tables import Table

Formula: TypeAlias = Callable[..., Any]

# Tables on which no measure is degenerate, to tell which measures are straight lines in their statistics.
_PROBES = ([[5, 1, 2], [1, 4, 0], [0, 1, 3]], [[7, 2, 0, 1], [1, 3, 5, 2]])


def expected(measure: Measure, counts: Counts) -> float | None:
    """The exact expectation over all shuffles, where it is known in closed form, else None.

    With both margins fixed, a measure that is a straight line in statistics whose own expectation is known
    has the expectation that its formula gives for them.
    """
    if counts.whole and is_affine(measure):
        return float(measure.value(kind.expected(counts) for kind in measure.statistics))
    return measure.chance if counts.whole else None


def is_affine(measure: Measure) -> bool:
    """Whether the formula is a straight line from observed to expected statistics; tried, not declared."""
    return _is_affine(measure.formula, measure.statistics, tuple(measure.params.items()))


@lru_cache(maxsize=1000)
def _is_affine(formula: Formula, kinds: tuple[type[Statistic], ...], params: tuple[tuple[str, Any], ...]) -> bool:
    return all(_straight(partial(formula, **dict(params)), kinds, Table.from_matrix(probe)) for probe in _PROBES)


def _straight(formula: Formula, kinds: tuple[type[Statistic], ...], table: Table) -> bool:
    ends = [(table.statistic(kind), kind.expected(table)) for kind in kinds]
    if any(end is None for _, end in ends):
        return False

    def at(share: float) -> float:
        return float(formula(*(_between(start, end, share) for start, end in ends)))

    rise = at(1) - at(0)
    scale = 1 + abs(at(0)) + abs(at(1))
    # beyond both ends too, where a formula with a kink at its chance or perfect value shows it
    return all(abs(at(share) - at(0) - share * rise) < 1e-9 * scale for share in (-1, -0.5, 0.3, 0.7, 1.5, 1.9))


def _between(start: Any, end: Any, share: float) -> Any:
    """The statistic a share of the way from start to end; fields that do not move stay exact."""
    moved = {}
    for name, x, y in ((f.name, getattr(start, f.name), getattr(end, f.name)) for f in fields(start)):
        moved[name] = x if x == y else float(x) + share * (float(y) - float(x))
    return replace(start, **moved)
