"""Comparison: several systems by several measures, and which differences are significant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from string import ascii_lowercase
from typing import Any

from karat.comparisons import printed
from karat.comparisons.paired import SPLITS, Paired
from karat.comparisons.sweeps import Sweep, sweep_of
from karat.comparisons.verdicts import Difference, Gap, Verdict, Verdicts, kendall
from karat.errors import KaratError, brief, contains, listed
from karat.measures.parsing import parse
from karat.measures.registry import Measure
from karat.output.layout import Layout, shown
from karat.scoring.by_system import BySystem
from karat.scoring.panels import main_of
from karat.scoring.signatures import shared_signature
from karat.uncertainty.interval import Interval
from karat.uncertainty.reference import Reference
from karat.uncertainty.sampling import Sampling


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(BySystem):
    """Scores by system and measure, and which differences are significant; print it to see.

    comparison["kmeans"]["ari"] is a score; comparison.difference("kmeans", "hdbscan", "ari") is a paired difference;
    comparison.verdict("ari") says which system is best, and which may be as good.
    """

    ABSENT = "is not compared"

    paired: tuple[Paired, ...]
    sampling: Sampling
    cautions: tuple[str, ...] = ()
    union: int | None = None  # the number of items that gold or a system has; None if only tables are known
    labelled: int | None = None  # of these, the items for which gold has a label
    panel: bool = False  # whether the measures are the default panel

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The measures by which the systems are compared."""
        return tuple(p.measure for p in self.paired)

    def __repr__(self) -> str:
        return f"<Comparison: {', '.join(map(shown, self.systems))} by {', '.join(map(str, self.measures))}>"

    @cached_property
    def verdicts(self) -> Mapping[str, Verdicts]:
        """The tests of all pairs of systems, by measure."""
        table = next(iter(self.scores.values())).table
        reference = Reference.of(self.sampling, table) if self.sampled else Reference(self.sampling.level)
        return {str(p.measure): Verdicts(p, reference) for p in self.paired}

    @property
    def sampled(self) -> bool:
        """Whether scores have intervals, and differences were tested."""
        return all(scores.sampling is not None for scores in self.scores.values())

    @cached_property
    def sweep(self) -> Sweep | None:
        """The number in which the systems' names differ; None if they differ in anything else."""
        return sweep_of(self.systems)

    @property
    def main(self) -> Measure:
        """The main measure: the first that was given, or ami in the default panel."""
        return main_of(self.measures, panel=self.panel)

    @property
    def order(self) -> Sequence[int]:
        """The indices of the systems as they are printed: a sweep by its number, else as given."""
        return self.sweep.order if self.sweep is not None else range(len(self.systems))

    def interval(self, system: str, measure: str | Measure) -> Interval:
        """The confidence interval of one score."""
        self._index(system)
        return self[system].interval(self._paired(measure).measure)

    def difference(self, system: str, other: str, measure: str | Measure | None = None) -> Difference:
        """The score of `system` minus the score of `other`, tested; by the main measure, if none is named."""
        first, second = self._index(system), self._index(other)
        if first == second:
            raise KaratError(f"{brief(system)} is one system; name two.")
        paired = self._paired(self.main if measure is None else measure)
        verdicts = self.verdicts[str(paired.measure)]
        gap = next(d for d in verdicts.differences if {d.better, d.worse} == {first, second})
        return self._oriented(gap, verdicts, first)

    def _oriented(self, gap: Gap, verdicts: Verdicts, first: int) -> Difference:
        """A gap between two systems as the first minus the second, on the scale of the measure."""
        second = gap.worse if gap.better == first else gap.better
        sign = verdicts.sign * (1 if gap.better == first else -1)
        ends: list[Any] = sorted(sign * end for end in (gap.low, gap.high) if end is not None) or [None, None]
        scores = verdicts.paired.scores
        return Difference(
            self.systems[first], self.systems[second], str(verdicts.paired.measure),
            float(scores[first] - scores[second]), sign * gap.size, ends[0], ends[1], gap.p, gap.p_holm,
            gap.significant(self.sampling.level),
        )  # fmt: skip

    def verdict(self, measure: str | Measure | None = None) -> Verdict:
        """Which system is best by a measure (the main one by default), which may be as good, which worse."""
        paired = self._paired(self.main if measure is None else measure)
        if paired.measure.better is None:
            raise KaratError(f"neither end of {paired.measure} is better, so there is no best; choose another measure.")
        verdicts, names = self.verdicts[str(paired.measure)], self.systems
        best = verdicts.best[0]
        parts = (verdicts.equals(best), verdicts.beats[best], verdicts.untested(best), verdicts.beaten_by(best))
        tied, worse, untested, better = (tuple(names[i] for i in some) for some in parts)
        return Verdict(str(paired.measure), names[best], tied, worse, untested, better)

    def curve(self, measure: str | Measure) -> list[tuple[float, float, float | None, float | None]]:
        """For systems that differ in a number: the number, the score, and the ends of its interval."""
        if self.sweep is None:
            raise KaratError(f"{listed(self.systems)} do not differ in one number; name systems such as 'k=10'.")
        paired = self._paired(measure)
        spans = [self.interval_at(paired.measure, i) for i in self.sweep.order]
        points = zip(self.sweep.numbers, self.sweep.order, spans, strict=True)
        return [
            (x, float(paired.scores[i]), None if s is None else s.low, None if s is None else s.high)
            for x, i, s in points
        ]

    def verdicts_of(self, measure: str | Measure) -> Verdicts:
        """The tests of all pairs of systems by one measure."""
        return self.verdicts[str(self._paired(measure).measure)]

    def interval_at(self, measure: Measure, index: int) -> Interval | None:
        """The confidence interval of the system with this index; None if there are no intervals."""
        return self.scores[self.systems[index]].intervals.get(str(measure))

    def _paired(self, measure: str | Measure) -> Paired:
        known = {str(paired.measure): paired for paired in self.paired}
        text = measure if isinstance(measure, str) and measure in known else str(parse(measure))
        if text in known:
            return known[text]
        raise KaratError(f"{text} was not compared; there are {listed(map(str, self.measures), 20)}.")

    def _index(self, system: str) -> int:
        if not contains(self.systems, system):
            raise KaratError(f"{brief(system)} is not compared; there are {listed(self.systems, 20)}.")
        return self.systems.index(system)

    @cached_property
    def letters(self) -> dict[str, str]:
        """A letter for each system; a number and a comma, if there are more systems than letters."""
        if len(self) <= len(ascii_lowercase):
            return dict(zip(self.systems, ascii_lowercase, strict=False))
        return {name: f"{index}," for index, name in enumerate(self.systems, 1)}

    @cached_property
    def rank_agreement(self) -> dict[tuple[str, str], float | None]:
        """Kendall's tau between the rankings by every two measures; None if one ranks all systems equal."""
        return {
            (a, b): kendall(self.verdicts[a].ranks, self.verdicts[b].ranks)
            for a, b in combinations([str(p.measure) for p in self.paired if p.measure.better], 2)
        }

    def layouts(self, digits: int = 4) -> list[Layout]:
        """The table of scores, and the table of intervals if there are intervals."""
        return [self.layout(digits), self.spans(digits)] if self.sampled else [self.layout(digits)]

    def layout(self, digits: int = 4) -> Layout:
        """A row for each system: its scores, with the letters of the systems it significantly beats."""
        return printed.scores(self, digits)

    def spans(self, digits: int = 4) -> Layout:
        """The table of confidence intervals, a row for each system."""
        return printed.intervals(self, digits)

    def table_of_differences(self, digits: int = 4) -> Layout:
        """The table of paired differences: a row for every two systems and every measure."""
        return printed.differences(self, digits)

    @property
    def signature(self) -> str:
        """How the scores were computed: one line, or one for each system where they differ."""
        tests = ""
        if self.sampled and len(self) > 1:
            halves = (
                f",halves={SPLITS},seed={self.sampling.seed}" if any(p.crossed is not None for p in self.paired) else ""
            )
            tests = f"|tests:paired,holm{halves}"
        signatures = {shown(name): f"{scores.signature}{tests}" for name, scores in self.scores.items()}
        return "\n".join(shared_signature(signatures))

    def records(self) -> list[dict[str, Any]]:
        """One dict per system and measure."""
        return [
            {
                "system": system, "measure": str(p.measure), "score": float(p.scores[i]), "better": p.measure.better,
                "rank": self.verdicts[str(p.measure)].ranks[i], **self.scores[system].interval_fields(p.measure),
                "better_than": ",".join(self.systems[o] for o in self.verdicts[str(p.measure)].beats[i]),
                "n": self.n, "signature": self.scores[system].signature,
            }
            for i, system in enumerate(self.systems)
            for p in self.paired
        ]  # fmt: skip

    def differences(self) -> list[dict[str, Any]]:
        """One dict per measure and two systems, the better one first."""
        return [
            {
                "measure": name, "better": self.systems[d.better], "worse": self.systems[d.worse], "difference": d.size,
                "low": d.low, "high": d.high, "p": d.p, "p_holm": d.p_holm,
            }
            for name, verdicts in self.verdicts.items()
            for d in verdicts.differences
        ]  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        """Everything, as plain values for JSON."""
        taus = [{"measure": a, "other": b, "tau": tau} for (a, b), tau in self.rank_agreement.items()]
        return {
            "n": self.n,
            "items": self.union,
            "labelled": self.labelled,
            "dropped": self.dropped,
            "scores": self.records(),
            "differences": self.differences(),
            "rank_agreement": taus,
            "cautions": list(self.cautions),
            "signature": self.signature,
        }
