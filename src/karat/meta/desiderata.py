"""P1 to P7: how a measure should respond to the parameters of a family.

Dom (2001), Table 4, and Rosenberg & Hirschberg (2007), Table 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from karat.errors import KaratError, MeasureError
from karat.measures.registry import Measure
from karat.meta.families import Family, Grid

TIE = 1e-12  # absolute or relative difference below which values are equal up to rounding


@dataclass(frozen=True)
class Desideratum:
    """How a measure should respond to a growing parameter: 1 improve, -1 worsen, None unspecified."""

    name: str
    parameter: str
    says: str
    wanted: Callable[[Family, Family], int | None]

    def steps(self, grid: Grid) -> Iterator[list[tuple[int, int, int]]]:
        """The steps of each sequence in the parameter: two indices of members, and the wanted response."""
        for indices in grid.sequences(self.parameter):
            wants = ((a, b, self.wanted(grid.members[a], grid.members[b])) for a, b in pairwise(indices))
            steps = [(a, b, want) for a, b, want in wants if want is not None]
            if steps:
                yield steps


P1 = Desideratum(
    "P1", "useful", "more useful clusters are better while there are fewer than classes",
    lambda a, b: 1 if b.useful <= b.classes else None,
)  # fmt: skip
P2 = Desideratum(
    "P2", "useful", "more useful clusters than classes are worse",
    lambda a, b: -1 if a.useful >= a.classes else None,
)  # fmt: skip
P3 = Desideratum("P3", "noise", "more noise clusters are worse", lambda a, b: -1 if a.noise else None)
P4 = Desideratum(
    "P4", "error_1", "more error among useful clusters is worse", lambda a, b: -1 if a.useful > 1 else None
)
P5 = Desideratum(
    "P5", "error_2", "more items in noise clusters are worse", lambda a, b: -1 if a.noise and a.error_2 else None
)
P6 = Desideratum("P6", "noise_classes", "more noise classes are worse", lambda a, b: -1 if a.noise_classes else None)
P7 = Desideratum(
    "P7", "error_3", "more items of noise classes are worse", lambda a, b: -1 if a.noise_classes and a.error_3 else None
)
DESIDERATA = (P1, P2, P3, P4, P5, P6, P7)


class Response(NamedTuple):
    """How often a measure responded as wanted: in steps, and in sequences of steps."""

    right: int  # steps with the wanted response
    steps: int
    failed: int  # sequences with a wrong step
    sequences: int
    example: tuple[Family, Family] | None  # the first step that was wrong

    @property
    def rate(self) -> float:
        """The share of steps that were right."""
        return self.right / self.steps if self.steps else math.nan


def response(grid: Grid, measure: Measure, *desiderata: Desideratum) -> Response:
    """How a measure responds to the steps of a grid; with several desiderata, in one sequence together.

    >>> import karat
    >>> grid = Grid.of(500, useful=range(2, 12))
    >>> response(grid, karat.parse("v_measure"), P1, P2).failed
    0
    """
    if len({desideratum.parameter for desideratum in desiderata}) != 1:
        raise KaratError("give desiderata about one parameter; test others one by one.")
    values = oriented(grid.values(measure), measure)
    tie = TIE * max(1.0, float(np.abs(values).max()))
    right = steps = failed = sequences = 0
    example = None
    for sequence in _together(grid, desiderata):
        wrong = [(a, b) for a, b, want in sequence if not want * (values[b] - values[a]) > tie]
        right, steps = right + len(sequence) - len(wrong), steps + len(sequence)
        failed, sequences = failed + bool(wrong), sequences + 1
        if wrong and example is None:
            example = grid.members[wrong[0][0]], grid.members[wrong[0][1]]
    return Response(right, steps, failed, sequences, example)


def oriented(values: NDArray[Any], measure: Measure) -> NDArray[np.float64]:
    """Values with their sign changed if lower is better, so that higher is better."""
    if measure.better is None:
        raise MeasureError(f"neither end of {measure} is better, so it cannot be tested; choose another measure.")
    return np.asarray(values if measure.better == "higher" else -values, dtype=np.float64)


def _together(grid: Grid, desiderata: Sequence[Desideratum]) -> list[list[tuple[int, int, int]]]:
    """The steps of several desiderata about one parameter, sequence by sequence."""
    parts = [{sequence[0][0]: sequence for sequence in desideratum.steps(grid)} for desideratum in desiderata]
    if len(parts) == 1:
        return list(parts[0].values())
    joined: list[list[tuple[int, int, int]]] = []
    starts = {indices[0]: indices for indices in grid.sequences(desiderata[0].parameter)}
    for indices in starts.values():
        inside = set(indices)
        joined.append([step for part in parts for key, steps in part.items() if key in inside for step in steps])
    return [steps for steps in joined if steps]
