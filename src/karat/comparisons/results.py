"""Comparison: several systems by several measures, and which differences are significant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from string import ascii_lowercase
from typing import Any

import numpy as np

from karat.comparisons.paired import SPLITS, Paired
from karat.comparisons.sweeps import Sweep, sweep_of
from karat.comparisons.verdicts import Difference, Gap, Verdict, Verdicts, kendall
from karat.errors import KaratError, listed
from karat.measures.parsing import parse
from karat.measures.registry import Measure
from karat.output.layout import ARROWS, Layout, Marked, decimals, percent, shown
from karat.output.numbers import number, several
from karat.output.result import Result
from karat.scoring.scores import Scores, with_unit
from karat.scoring.signatures import shared_signature
from karat.uncertainty.sampling import Interval, Sampling, cautions_of, span

DIRECTIONS = "↑ higher is better, ↓ lower is better."
NEARLY_SURE = 0.9999  # the largest probability that is printed, since it is estimated


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Result, Mapping[str, Scores]):
    """Scores by system and measure, and which differences are significant; print it to see.

    comparison["kmeans"]["ari"] is a score; comparison.difference("kmeans", "hdbscan", "ari") is a paired difference;
    comparison.verdict("ari") says which system is best, and which may be as good.
    """

    scores: Mapping[str, Scores]
    paired: tuple[Paired, ...]
    sampling: Sampling
    cautions: tuple[str, ...] = ()
    union: int | None = None  # the number of items that gold or a system has; None if only tables are known
    labelled: int | None = None  # of these, the items for which gold has a label

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems."""
        return tuple(self.scores)

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The measures by which the systems are compared."""
        return tuple(p.measure for p in self.paired)

    @property
    def n(self) -> float:
        """The number of items that are scored."""
        return next(iter(self.scores.values())).n

    @property
    def dropped(self) -> int:
        """The number of items that the policy left out, for all systems."""
        return max(scores.dropped for scores in self.scores.values())

    def __getitem__(self, system: str) -> Scores:
        if system not in self.scores:
            raise KeyError(f"{system!r} is not compared; there are {listed(self.systems, 20)}")
        return self.scores[system]

    def __iter__(self) -> Any:
        return iter(self.systems)

    def __len__(self) -> int:
        return len(self.systems)

    def __repr__(self) -> str:
        return f"<Comparison: {', '.join(map(shown, self.systems))} by {', '.join(map(str, self.measures))}>"

    @cached_property
    def verdicts(self) -> Mapping[str, Verdicts]:
        """The tests of all pairs of systems, by measure."""
        sampling = self.sampling.over(next(iter(self.scores.values())).table) if self.sampled else self.sampling
        return {str(p.measure): Verdicts(p, sampling) for p in self.paired}

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
        named = {str(m): m for m in self.measures if m.better is not None}
        return named.get("ami", next(iter(named.values()), self.measures[0])) if self._panel else self.measures[0]

    @property
    def _panel(self) -> bool:
        return all(m.panel for m in self.measures) and len(self.measures) > 3

    def interval(self, system: str, measure: str | Measure) -> Interval:
        """The confidence interval of one score."""
        self._index(system)
        return self[system].interval(self._paired(measure).measure)

    def difference(self, system: str, other: str, measure: str | Measure | None = None) -> Difference:
        """The score of one system minus that of another, tested; by the main measure, if none is named."""
        first, second = self._index(system), self._index(other)
        if first == second:
            raise KaratError(f"{system!r} is one system; name two.")
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
        spans = [self._interval(paired.measure, i) for i in self.sweep.order]
        points = zip(self.sweep.numbers, self.sweep.order, spans, strict=True)
        return [
            (x, float(paired.scores[i]), None if s is None else s.low, None if s is None else s.high)
            for x, i, s in points
        ]

    def verdicts_of(self, measure: str | Measure) -> Verdicts:
        """The tests of all pairs of systems by one measure."""
        return self.verdicts[str(self._paired(measure).measure)]

    def _interval(self, measure: Measure, index: int) -> Interval | None:
        return self.scores[self.systems[index]].intervals.get(str(measure))

    def _paired(self, measure: str | Measure) -> Paired:
        known = {str(found.measure): found for found in self.paired}
        text = str(measure) if str(measure) in known else str(parse(measure))
        if text in known:
            return known[text]
        raise KaratError(f"{text} was not compared; there are {listed(map(str, self.measures), 20)}.")

    def _index(self, system: str) -> int:
        if system not in self.systems:
            raise KaratError(f"{system!r} is not compared; there are {listed(self.systems, 20)}.")
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

    @property
    def _order(self) -> Sequence[int]:
        return self.sweep.order if self.sweep is not None else range(len(self.systems))

    def layout(self, digits: int = 4) -> Layout:
        """A row for each system: its scores, with the letters of the systems it significantly beats."""
        headings = ["", "system", *(f"{with_unit(p.measure)} {ARROWS[p.measure.better]}".rstrip() for p in self.paired)]
        letters = list(self.letters.values())
        rows = []
        for index in self._order:
            cells = [self._cell(p, index, digits) for p in self.paired]
            rows.append([letters[index].rstrip(","), shown(self.systems[index]), *cells])
        return Layout(self._title(), headings, rows, self._notes(), self.signature.split("\n"), left=2)

    def _cell(self, paired: Paired, index: int, digits: int) -> Marked:
        verdicts, letters = self.verdicts[str(paired.measure)], list(self.letters.values())
        beaten = ["".join(letters[o] for o in worse).rstrip(",") for worse in verdicts.beats]
        known = paired.measure.better is not None and not np.isnan(paired.scores[index])
        best = known and index in verdicts.best
        return Marked(decimals(float(paired.scores[index]), digits), best, beaten[index], max(map(len, beaten)))

    def spans(self, digits: int = 4) -> Layout:
        """The table of confidence intervals, a row for each system."""
        headings = ["system", *(str(p.measure) for p in self.paired)]
        rows = [
            [shown(self.systems[i]), *(_span(self._interval(p.measure, i), digits) for p in self.paired)]
            for i in self._order
        ]
        return Layout(
            f"{100 * self.sampling.level:g}% intervals", headings, rows, [self.sampling.description, *self._remarks()]
        )

    def table_of_differences(self, digits: int = 4) -> Layout:
        """The table of paired differences: a row for every two systems and every measure."""
        headings = ["measure", "better", "worse", "difference", "interval", "p", "p (Holm)"]
        rows = [
            [
                *(d["measure"], shown(d["better"]), shown(d["worse"]), decimals(d["difference"], digits)),
                *_tested(d, digits),
            ]
            for d in self.differences()
        ]
        return Layout("Paired differences", headings, rows, left=3)

    def _remarks(self) -> list[str]:
        """The cautions on scores and intervals, each once, after the scores that it concerns."""
        about: dict[str, list[str]] = {}
        for p in self.paired:
            for index in self._order:
                interval = self._interval(p.measure, index)
                for text in [] if interval is None else cautions_of(float(p.scores[index]), interval):
                    about.setdefault(text, []).append(f"{p.measure} of {shown(self.systems[index])}")
        return [
            f"{', '.join(scores[:4])}{f' and {len(scores) - 4} more' if len(scores) > 4 else ''}: {text}."
            for text, scores in about.items()
        ]

    def _title(self) -> str:
        table = next(iter(self.scores.values())).table
        classes = several(table.shape[0], "class")
        title = f"{several(len(self), 'system')} on {several(table.n, 'item')} in {classes}"
        if self.union is not None and self.labelled is not None and self.labelled < self.union:
            share = percent(self.labelled / self.union)
            title += f"; gold has labels for {number(self.labelled)} of {number(self.union)} ({share})"
        return title

    def _notes(self) -> list[str]:
        level = 100 * (1 - self.sampling.level)
        tests = "Differences were not tested: that needs the labels of items, without weights."
        if self.sampled:
            tests = (
                f"Letters: the systems that it is significantly better than (paired test, {level:g}% level, Holm's "
                f"method for {several(len(self) * (len(self) - 1) // 2, 'pair')})."
            )
        if len(self) == 1:
            return [f"One system, so there is no difference to test. {DIRECTIONS}", *self.cautions]
        notes = [
            f"{tests} {DIRECTIONS} * best.",
            *(self._verdict(p) for p in self.paired if p.measure.better is not None),
        ]
        if self.dropped:
            notes.append(
                f"{number(self.dropped)} items without a label in gold or in some system are left out for "
                "all; clusters are reduced to the items that are left."
            )
        notes += self.cautions
        if self.rank_agreement and len(self) > 2:  # two systems can only be ranked alike or in reverse
            notes.append(self._agreement())
        return notes

    def _verdict(self, paired: Paired) -> str:
        """A sentence: which system is best, which may be as good, and which is better once corrected."""
        verdicts = self.verdicts[str(paired.measure)]
        names = [shown(name) for name in self.systems]
        best = verdicts.best
        if len(best) == len(self):
            return f"{paired.measure}: all scores are equal."
        one = f"{paired.measure}: {_few([names[i] for i in best])} {'has' if len(best) == 1 else 'have'} the best score"
        better = [names[i] for i in verdicts.beaten_by(best[0])]
        if better:
            return (
                f"{one}, but {_few(better)} would be better on more items: small samples flatter many small clusters."
            )
        equals = [names[i] for i in verdicts.equals(best[0]) if i not in best]
        untested = [names[i] for i in verdicts.untested(best[0]) if i not in best]
        left = f"; the difference from {_few(untested)} was not tested" if untested else ""
        if not equals:
            worse = "all others" if not untested else _few([names[i] for i in verdicts.beats[best[0]]])
            return f"{one}, significantly better than {worse}{left}." if worse else f"{one}{left}."
        if len(best) > 1 or untested:
            return f"{one}, but {_few(equals)} may be as good{left}."
        likely = percent(min(verdicts.stability(best[0]), NEARLY_SURE))
        best_there = f"the estimated probability that it is best in the population is {likely}"
        return f"{one}, but {_few(equals)} may be as good; {best_there}."

    def _agreement(self) -> str:
        values = {pair: tau for pair, tau in self.rank_agreement.items() if tau is not None}
        if not values:
            return "No measure ranks the systems."
        least = min(values, key=lambda pair: values[pair])
        mean = sum(values.values()) / len(values)
        text = f"Measures agree on the ranking with Kendall's tau {mean:.2f}"
        if len(values) == 1 or min(values.values()) == max(values.values()):
            return f"{text}."
        return f"{text} on average, least for {least[0]} and {least[1]}: {values[least]:.2f}."

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


def _span(interval: Interval | None, digits: int) -> str:
    return "–" if interval is None else span(interval, digits)


def _tested(d: Mapping[str, Any], digits: int) -> tuple[str, str, str]:
    """The interval, the p-value and the p-value adjusted by Holm's method, as printed text."""
    if d["p"] is None:
        return "–", "–", "not tested"
    return f"{decimals(d['low'], digits)} to {decimals(d['high'], digits)}", f"{d['p']:.2g}", f"{d['p_holm']:.2g}"


def _few(names: Sequence[str]) -> str:
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
