"""Random clusterings drawn from a null model, and their scores."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from karat.chance.expectations import expected
from karat.chance.joined import of_pairs, value_at
from karat.chance.nulls import Model
from karat.errors import MeasureError, brief
from karat.limits import DRAWS
from karat.measures.registry import Measure
from karat.output.bars import bar
from karat.tables.counts import Counts, SingleTable

Floats: TypeAlias = NDArray[np.float64]

CACHED = 1 << 23  # the most cells of drawn tables that are cached for other measures


@dataclass(frozen=True)
class Draws:
    """Random clusterings to draw: the null model, the number of draws, and the seed."""

    model: Model
    samples: int
    seed: int

    def __post_init__(self) -> None:
        if self.samples < 2:
            raise MeasureError(f"samples={brief(self.samples)} are too few; draw two clusterings or more.")
        DRAWS.check(self.samples, "samples", MeasureError)

    def values(self, measure: Measure, table: SingleTable) -> Floats:
        """The score of each clustering drawn; every measure of a table is given the same clusterings."""
        DRAWS.check(self.samples * draws_of(measure), f"{measure} of each of {self.samples:,} samples", MeasureError)
        return table.remember((self, measure), lambda: self._values(measure, table))  # type: ignore[no-any-return]

    def _values(self, measure: Measure, table: SingleTable) -> Floats:
        pairs = self.model.draw_pairs(table, self.samples, self.seed) if of_pairs(measure, table) else None
        if pairs is not None:
            at = cache(partial(value_at, measure, table))
            values = self._with_progress(lambda joined: np.array([at(both) for both in joined.tolist()]), pairs)
        else:
            in_order = depends_on_order(measure)
            drawn: Iterable[Counts] = self.model.draw(table, self.samples, self.seed, in_order=in_order)
            if self.samples * math.prod(table.shape) <= CACHED and self.model.null != "all":
                drawn = table.remember((self, in_order), lambda: list(drawn))
            values = self._with_progress(
                lambda some: np.atleast_1d(np.asarray(measure.of(some), dtype=np.float64)), drawn
            )
        return np.array([finite(measure, value) for value in values.tolist()])

    def _with_progress(self, value: Callable[[Any], Floats], parts: Iterable[Any]) -> Floats:
        """The values of all batches, with a progress bar while they are drawn."""
        values = []
        with bar("drawing random clusterings", self.samples) as advance:
            for part in parts:
                values.append(value(part))
                advance(values[-1].size)
        return np.concatenate(values)

    def mean(self, measure: Measure, table: SingleTable) -> tuple[float, float]:
        """The measure's expectation under the model, and its Monte-Carlo standard error, 0 if it is exact."""
        exact = expected(measure, table, self.model)
        if exact is not None:
            return exact, 0.0
        values = self.values(measure, table)
        return float(values.mean()), float(values.std(ddof=1)) / math.sqrt(values.size)

    def __str__(self) -> str:
        return f"{self.samples:,} clusterings drawn, seed {self.seed}"


def draws_of(measure: Measure) -> int:
    """The number of random clusterings that one value of a measure requires."""
    return 1 if measure.inner is None else int(measure.params["samples"]) * draws_of(measure.inner)


def depends_on_order(measure: Measure) -> bool:
    """Whether renaming labels can change a score, as where the order of labels breaks ties."""
    return "relabelling" in measure.breaks or (measure.inner is not None and depends_on_order(measure.inner))


def finite(measure: Measure, value: Any) -> float:
    """The value as a float; MeasureError if it is not finite."""
    if not math.isfinite(value):
        raise MeasureError(f"{measure} is {value} here, which cannot be compared with chance; choose another measure.")
    return float(value)
