"""Comparison: several systems by several measures, with what can be told apart and what cannot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from string import ascii_lowercase
from typing import Any

import numpy as np

from karat.comparisons.paired import Paired
from karat.comparisons.sweeps import Sweep, sweep_of
from karat.comparisons.verdicts import Difference, Verdicts, kendall
from karat.errors import KaratError, listed
from karat.frames import frame
from karat.joint import Joint
from karat.parsing import parse
from karat.registry import Measure
from karat.rendering import Layout, Marked, Printed, decimals, percent, shown
from karat.results import ARROWS, columns_of, signature_of, with_unit
from karat.tables import number, several
from karat.uncertainty.sampling import Interval, Sampling, cautions_of, span

NEARLY_SURE = 0.9999  # the most that an estimated probability is said to be


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Printed, Mapping[str, Mapping[str, float]]):
    """Scores by system and measure; print it to see which systems are better than which.

    comparison["kmeans"]["ari"] is a score; comparison.difference("ari", "kmeans", "hdbscan") is a paired difference.
    """

    joint: Joint
    measures: tuple[Measure, ...]
    paired: tuple[Paired, ...]
    sampling: Sampling

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems."""
        return tuple(self.joint.codes)

    def __getitem__(self, system: str) -> Mapping[str, float]:
        if system not in self.joint.codes:
            raise KeyError(f"{system!r} is not compared; there are {listed(self.systems, 20)}")
        place = self.systems.index(system)
        return {str(p.measure): float(p.scores[place]) for p in self.paired}

    def __iter__(self) -> Any:
        return iter(self.systems)

    def __len__(self) -> int:
        return len(self.systems)

    def __repr__(self) -> str:
        return f"<Comparison: {', '.join(map(shown, self.systems))} by {', '.join(map(str, self.measures))}>"

    @cached_property
    def verdicts(self) -> Mapping[str, Verdicts]:
        """What each measure says of all pairs."""
        sampling = self.sampling.over(self.joint)
        return {str(p.measure): Verdicts(p, sampling) for p in self.paired}

    @cached_property
    def sweep(self) -> Sweep | None:
        """The number in which systems differ, if their names differ in nothing else."""
        return sweep_of(self.systems)

    def interval(self, measure: str | Measure, system: str) -> Interval:
        """The interval of one score."""
        return self._paired(measure).intervals[self._place(system)]

    def difference(self, measure: str | Measure, system: str, other: str) -> Difference:
        """How much better one of two systems is; Difference.better says which, by its place among systems."""
        places = {self._place(system), self._place(other)}
        found = self.verdicts[str(self._paired(measure).measure)].differences
        if len(places) < 2:
            raise KaratError(f"{system!r} is one system; name two.")
        return next(d for d in found if {d.better, d.worse} == places)

    def curve(self, measure: str | Measure) -> list[tuple[float, float, float, float]]:
        """Number, score, and the ends of its interval, for systems that differ in a number."""
        if self.sweep is None:
            raise KaratError(f"{listed(self.systems)} do not differ in one number; name systems such as 'k=10'.")
        found = self._paired(measure)
        points = zip(self.sweep.numbers, self.sweep.order, strict=True)
        return [(x, float(found.scores[i]), found.intervals[i].low, found.intervals[i].high) for x, i in points]

    def _paired(self, measure: str | Measure) -> Paired:
        text = str(parse(measure))
        for found in self.paired:
            if str(found.measure) == text:
                return found
        raise KaratError(f"{text} was not compared; there are {listed(map(str, self.measures), 20)}.")

    def _place(self, system: str) -> int:
        if system not in self.systems:
            raise KaratError(f"{system!r} is not compared; there are {listed(self.systems, 20)}.")
        return self.systems.index(system)

    @cached_property
    def letters(self) -> dict[str, str]:
        """A letter for each system; a number and a comma, if they are more than letters."""
        if len(self) <= len(ascii_lowercase):
            return dict(zip(self.systems, ascii_lowercase, strict=False))
        return {name: f"{place}," for place, name in enumerate(self.systems, 1)}

    @cached_property
    def agreement(self) -> dict[tuple[str, str], float]:
        """Kendall's tau between the rankings of every two measures."""
        return {
            (a, b): kendall(self.verdicts[a].ranks, self.verdicts[b].ranks)
            for a, b in combinations([str(p.measure) for p in self.paired if p.measure.better], 2)
        }

    def layouts(self, digits: int = 4) -> list[Layout]:
        """The paper's table, and the intervals."""
        return [self.layout(digits), self.spans(digits)]

    @property
    def _order(self) -> Sequence[int]:
        return self.sweep.order if self.sweep is not None else range(len(self.systems))

    def layout(self, digits: int = 4) -> Layout:
        """A row for each system: its scores, and the letters of those that it is better than."""
        headings = ["", "system", *(f"{with_unit(p.measure)} {ARROWS[p.measure.better]}".rstrip() for p in self.paired)]
        letters = list(self.letters.values())
        rows = []
        for place in self._order:
            cells = [self._cell(p, place, digits) for p in self.paired]
            rows.append([letters[place].rstrip(","), shown(self.systems[place]), *cells])
        return Layout(self._title(), headings, rows, self._notes(), [self.signature], left=2)

    def _cell(self, paired: Paired, place: int, digits: int) -> Marked:
        verdicts, letters = self.verdicts[str(paired.measure)], list(self.letters.values())
        beaten = ["".join(letters[o] for o in worse).rstrip(",") for worse in verdicts.beats]
        known = paired.measure.better is not None and not np.isnan(paired.scores[place])
        best = known and place in verdicts.best
        return Marked(decimals(float(paired.scores[place]), digits), best, beaten[place], max(map(len, beaten)))

    def spans(self, digits: int = 4) -> Layout:
        """The interval of each score."""
        headings = ["system", *(str(p.measure) for p in self.paired)]
        rows = [[shown(self.systems[i]), *(span(p.intervals[i], digits) for p in self.paired)] for i in self._order]
        return Layout(
            f"{100 * self.sampling.level:g}% intervals", headings, rows, [self.sampling.told, *self._cautions()]
        )

    def table_of_differences(self, digits: int = 4) -> Layout:
        """Every two systems by every measure."""
        headings = ["measure", "better", "worse", "difference", "interval", "p", "p (Holm)"]
        rows = [
            [
                *(d["measure"], shown(d["better"]), shown(d["worse"]), decimals(d["difference"], digits)),
                *_tested(d, digits),
            ]
            for d in self.differences()
        ]
        return Layout("Paired differences", headings, rows, left=3)

    def _cautions(self) -> list[str]:
        """What to beware of, each once, with the scores that it is about."""
        found: dict[str, list[str]] = {}
        for p in self.paired:
            for place in self._order:
                for text in cautions_of(float(p.scores[place]), p.intervals[place]):
                    found.setdefault(text, []).append(f"{p.measure} of {shown(self.systems[place])}")
        return [
            f"{', '.join(scores[:4])}{f' and {len(scores) - 4} more' if len(scores) > 4 else ''}: {text}."
            for text, scores in found.items()
        ]

    def _title(self) -> str:
        joint = self.joint
        classes = several(len(joint.class_sizes[joint.class_sizes > 0]), "class")
        title = f"{several(len(self), 'system')} on {several(joint.n, 'item')} in {classes}"
        if joint.labelled < joint.items:
            share = percent(joint.labelled / joint.items)
            title += f"; gold has labels for {number(joint.labelled)} of {number(joint.items)} ({share})"
        return title

    def _notes(self) -> list[str]:
        level = 100 * (1 - self.sampling.level)
        notes = [
            f"Letters: the systems that it is significantly better than (paired test, {level:g}% level, Holm's method "
            f"for {several(len(self) * (len(self) - 1) // 2, 'pair')}). ↑ higher is better, ↓ lower is better. * best.",
            *(self._verdict(p) for p in self.paired if p.measure.better is not None),
        ]
        if self.joint.policy.dropped:
            notes.append(
                f"{number(self.joint.policy.dropped)} items without a label in gold or in some system are left out for "
                "all; clusters are cut down to the items that are left, and what else they hold counts for nothing."
            )
        if self.agreement and len(self) > 2:  # two are ranked alike, or the other way round
            notes.append(self._agreement())
        return notes

    def _verdict(self, paired: Paired) -> str:
        """Who has the best score, who may be as good, and who is better all the same."""
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
        values = {pair: tau for pair, tau in self.agreement.items() if not np.isnan(tau)}
        if not values:
            return "No measure ranks the systems."
        least = min(values, key=lambda pair: values[pair])
        mean = sum(values.values()) / len(values)
        text = f"Measures agree on the ranking with Kendall's tau {mean:.2f}"
        if len(values) == 1 or min(values.values()) == max(values.values()):
            return f"{text}."
        return f"{text} on average; least do {least[0]} and {least[1]}, {values[least]:.2f}."

    @property
    def signature(self) -> str:
        """How the scores were reached."""
        made = self.sampling.signature(p.method for p in self.paired)
        return f"{signature_of(self.measures, number(self.joint.n), self.joint.policy)}|{made}"

    def records(self) -> list[dict[str, Any]]:
        """One dict per system and measure."""
        return [
            {
                "system": system, "measure": str(p.measure), "score": float(p.scores[i]), "better": p.measure.better,
                "rank": _known(self.verdicts[str(p.measure)].ranks[i]), **p.intervals[i].fields,
                "better_than": ",".join(self.systems[o] for o in self.verdicts[str(p.measure)].beats[i]),
                "n": self.joint.n, "signature": self.signature,
            }
            for i, system in enumerate(self.systems)
            for p in self.paired
        ]  # fmt: skip

    def differences(self) -> list[dict[str, Any]]:
        """One dict per measure and two systems, the better one first."""
        return [
            {"measure": name, **d._asdict(), "better": self.systems[d.better], "worse": self.systems[d.worse]}
            for name, verdicts in self.verdicts.items()
            for d in verdicts.differences
        ]

    def to_dict(self) -> dict[str, Any]:
        """Everything, as plain values for JSON."""
        return {
            "n": self.joint.n,
            "items": self.joint.items,
            "labelled": self.joint.labelled,
            "scores": self.records(),
            "differences": self.differences(),
            "agreement": [{"measure": a, "other": b, "tau": _known(tau)} for (a, b), tau in self.agreement.items()],
            "signature": self.signature,
        }

    def to_frame(self, backend: str | None = None) -> Any:
        """One row per system and measure, in pandas, Polars or PyArrow."""
        return frame(columns_of(self.records()), backend)

    def to_latex(self, digits: int = 3) -> str:
        """The table for a paper: the best in bold, letters raised."""
        return self.layout(digits).latex()

    def to_markdown(self, digits: int = 3) -> str:
        """The table for GitHub and its like."""
        return self.layout(digits).markdown()


def _tested(d: Mapping[str, Any], digits: int) -> tuple[str, str, str]:
    """The interval, the p-value and Holm's, as they are printed."""
    if d["p"] is None:
        return "–", "–", "not tested"
    return f"{decimals(d['low'], digits)} to {decimals(d['high'], digits)}", f"{d['p']:.2g}", f"{d['p_holm']:.2g}"


def _few(names: Sequence[str]) -> str:
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")


def _known(value: float) -> float | None:
    return None if value != value else value
