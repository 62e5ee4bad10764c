"""BySystem: the base of results that are mappings from systems to Scores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

from karat.errors import brief, contains, listed
from karat.measures.registry import Measure
from karat.output.result import Result
from karat.scoring.scores import Scores
from karat.uncertainty.interval import Interval


@dataclass(frozen=True, eq=False, repr=False)
class BySystem(Result, Mapping[str, Scores]):
    """The scores of systems by name."""

    ABSENT: ClassVar[str]  # the verb of the message about a name that is not there

    scores: Mapping[str, Scores]

    def __getitem__(self, system: str) -> Scores:
        if not contains(self.scores, system):
            raise KeyError(f"{brief(system)} {self.ABSENT}; there are {listed(self.scores, 20)}")
        return self.scores[system]

    def __iter__(self) -> Iterator[str]:
        return iter(self.scores)

    def __len__(self) -> int:
        return len(self.scores)

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems."""
        return tuple(self.scores)

    def interval(self, system: str, measure: str | Measure) -> Interval:
        """The confidence interval of one score, if intervals were asked for."""
        return self[system].interval(measure)

    @property
    def n(self) -> float:
        """The number of items scored, or their total weight: of the first system, if systems differ."""
        return next(iter(self.scores.values())).n

    @property
    def dropped(self) -> int:
        """The number of items that the policy left out, for all systems."""
        return max(scores.dropped for scores in self.scores.values())
