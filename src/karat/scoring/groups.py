"""GroupScores: the scores of systems in groups of items, such as words or documents, and means."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from karat.errors import KaratError, MeasureError, brief, contains, listed
from karat.measures.registry import Measure
from karat.output.layout import ARROWS, Layout, decimals, shown
from karat.output.numbers import number, several
from karat.output.result import Result, json_label
from karat.scoring.boards import Board
from karat.scoring.scores import Scores, with_unit
from karat.scoring.signatures import signature_of
from karat.uncertainty import wording
from karat.uncertainty.interval import Interval
from karat.uncertainty.sampling import Sampling

MEANS = "macro: the mean over groups; micro: the mean over groups weighted by their items."
MOST = 8  # notes on groups that are printed
WITHOUT_INTERVALS = "Means over groups have no interval."


@dataclass(frozen=True, eq=False, repr=False)
class GroupScores(Result, Mapping[Any, Any]):
    """The scores in each group of items, such as a word or a document; print it to see them all.

    result[group][measure] is a score; result[group][system][measure] if there are several systems.

    >>> import karat
    >>> groups = karat.score([0, 0, 1, 1], [2, 2, 3, 3], "ari", by=["bank", "bank", "bass", "bass"])
    >>> groups["bank"]["ari"], groups.macro
    (1.0, {'ari': 1.0})
    """

    by: str
    scores: Mapping[Any, Mapping[str, Scores]]  # by group and system
    named: bool = False
    dropped: int = 0  # items that are not scored in any group
    empty: tuple[Any, ...] = ()  # groups without items after dropping
    cautions: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.scores:
            raise KaratError("there are no groups; give at least one.")

    def __getitem__(self, group: Any) -> Any:
        if not contains(self.scores, group):
            raise KeyError(f"{brief(group)} is not a group; there are {listed(self.scores, 20)}")
        systems = self.scores[group]
        return Board(systems) if self.named else next(iter(systems.values()))

    def __iter__(self) -> Iterator[Any]:
        return iter(self.scores)

    def __len__(self) -> int:
        return len(self.scores)

    def __repr__(self) -> str:
        return f"<GroupScores: {several(len(self), 'group')} by {shown(self.by)}>"

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems."""
        return tuple(next(iter(self.scores.values())))

    @cached_property
    def measures(self) -> tuple[Measure, ...]:
        """The measures of all groups, each once, in order."""
        every = (m for systems in self.scores.values() for scores in systems.values() for m in scores.measures)
        return tuple({str(m): m for m in every}.values())

    @property
    def sampling(self) -> Sampling | None:
        """The options of intervals, if they were asked for."""
        return next(iter(next(iter(self.scores.values())).values())).sampling

    @cached_property
    def _intervals(self) -> list[Interval]:
        """The intervals of all groups and systems."""
        parts = (scores for systems in self.scores.values() for scores in systems.values())
        return [interval for scores in parts for interval in scores.intervals.values()]

    @cached_property
    def macro(self) -> dict[str, Any]:
        """The mean of each measure over the groups that have it; with several systems, by system."""
        return self._means(lambda scores: 1.0)

    @cached_property
    def micro(self) -> dict[str, Any]:
        """The mean of each measure over groups, each weighted by its items; with several systems, by system."""
        return self._means(lambda scores: float(scores.n))

    def _means(self, weight: Callable[[Scores], float]) -> dict[str, Any]:
        means = {system: self._mean(system, weight) for system in self.systems}
        return means if self.named else next(iter(means.values()))

    def _mean(self, system: str, weight: Callable[[Scores], float]) -> dict[str, float]:
        means = {}
        for measure in map(str, self.measures):
            parts = [
                (weight(systems[system]), systems[system][measure])
                for systems in self.scores.values()
                if measure in list(systems[system])
            ]
            means[measure] = math.fsum(w * value for w, value in parts) / math.fsum(w for w, _ in parts)
        return means

    def ranking(self, measure: str | Measure | None = None) -> list[str]:
        """The systems from best to worst by the macro mean of a measure (by default the first)."""
        by_name = {str(m): m for m in self.measures}
        if measure is not None and not (isinstance(measure, (str, Measure)) and str(measure) in by_name):
            raise MeasureError(f"{brief(measure)} was not scored; scored are {listed(by_name, 12)}.")
        chosen = self.measures[0] if measure is None else by_name[str(measure)]
        values = {system: self._mean(system, lambda _: 1.0)[str(chosen)] for system in self.systems}
        return sorted(values, key=lambda system: values[system], reverse=chosen.better != "lower")

    def layouts(self, digits: int = 4) -> list[Layout]:
        """The ranking of several systems by their means, then a table for each system."""
        tables = [self._table(system, digits) for system in self.systems]
        return [self.layout(digits), *tables] if len(self.systems) > 1 else tables

    def layout(self, digits: int = 4) -> Layout:
        """A row for each group and for both means; of several systems, a row for each with its means."""
        if len(self.systems) == 1:
            return self._table(self.systems[0], digits)
        headings = ["system", "mean", *self._headings()]
        rows = [
            [shown(system), name, *(decimals(self._mean(system, weight)[str(m)], digits) for m in self.measures)]
            for system in self.ranking()
            for name, weight in (("macro", lambda _: 1.0), ("micro", lambda scores: float(scores.n)))
        ]
        best = f"In the order of macro {self.measures[0]}, the best first."
        title = f"{several(len(self.systems), 'system')} in {self._title()}"
        return Layout(title, headings, rows, [best, MEANS, *self._notes()], [self.signature], left=2)

    def _headings(self) -> list[str]:
        return [f"{with_unit(m)} {ARROWS[m.better]}".rstrip() for m in self.measures]

    def _table(self, system: str, digits: int) -> Layout:
        names = [str(m) for m in self.measures]
        groups = [(group, systems[system]) for group, systems in self.scores.items()]  # True and 1 are two
        rows = [
            [
                shown(group),
                number(scores.table.n),
                *(cell for name in names for cell in self._cells(scores, name, digits)),
            ]
            for group, scores in groups
        ]
        blank = [] if self.sampling is None else ["–"]
        for name, weight in (("macro", lambda _: 1.0), ("micro", lambda scores: float(scores.n))):
            means = self._mean(system, weight)
            cells = (cell for measure in names for cell in (decimals(means[measure], digits), *blank))
            rows.append([name, number(self.n), *cells])
        of = f"{shown(system)}: " if self.named else ""
        remarks = list(dict.fromkeys(text for _, scores in groups for text in scores.remarks()))
        if len(remarks) > MOST:
            remarks[MOST:] = [f"{len(remarks) - MOST} more notes; result[group] prints those of one group."]
        one = len(self.systems) == 1
        notes = [MEANS, *remarks, *self._notes()] if one else [*remarks]
        level = [] if self.sampling is None else [f"{100 * self.sampling.level:g}% interval"]
        headings = [shown(self.by), "items", *(text for heading in self._headings() for text in (heading, *level))]
        return Layout(f"{of}{self._title()}", headings, rows, notes, [self.signature] if one else [])

    def _cells(self, scores: Scores, name: str, digits: int) -> list[str]:
        """A score of a group, and its interval if there are intervals."""
        interval = scores.intervals.get(name)
        spans = [] if self.sampling is None else ["–" if interval is None else wording.span(interval, digits)]
        return [decimals(scores.get(name), digits), *spans]

    def _title(self) -> str:
        dropped = f" ({self.dropped:,} items dropped)" if self.dropped else ""
        return f"{several(len(self.scores), 'group')} by {shown(self.by)}{dropped}"

    def _notes(self) -> list[str]:
        empty = []
        if self.empty:
            empty = [f"{several(len(self.empty), 'group')} left out, with no item left: {listed(self.empty)}."]
        sampling, meaning = self.sampling, []
        if sampling is not None:
            meaning = [wording.description(sampling, self._intervals), WITHOUT_INTERVALS]
        return [*meaning, *self.cautions, *empty]

    @property
    def n(self) -> Any:
        """The number of items in all groups, or their total weight."""
        total = sum(next(iter(systems.values())).table.n for systems in self.scores.values())
        return total if isinstance(total, int) else float(total)

    @property
    def signature(self) -> str:
        """How the scores were computed, with the missing, noise and dropped items of all groups."""
        policies = [next(iter(systems.values())).table.policy for systems in self.scores.values()]
        policy = policies[0]
        for other in policies[1:]:
            total = policy + other
            policy = policy if total is None else total  # None: their options differ
        base = signature_of(self.measures, number(self.n), policy)
        base = base.replace(f"|dropped:{policy.dropped}|", f"|dropped:{self.dropped}|")
        empty = f"|empty:{len(self.empty)}" if self.empty else ""
        drawn = "" if self.sampling is None else f"|{wording.signature(self.sampling, self._intervals)}"
        return f"by:{shown(self.by)}|groups:{len(policies)}{empty}|{base}{drawn}"

    def records(self) -> list[dict[str, Any]]:
        """One dict per system, group and measure, of kind "group", then one per mean and measure, of kind "mean"."""
        rows = []
        for system in self.systems:
            of = {"system": system} if self.named else {}
            groups: list[tuple[str, Any, Any, Mapping[str, float]]] = [
                ("group", group, systems[system].n, systems[system]) for group, systems in self.scores.items()
            ]
            groups += [("mean", "macro", self.n, self._mean(system, lambda _: 1.0))]
            groups += [("mean", "micro", self.n, self._mean(system, lambda scores: float(scores.n)))]
            rows += [
                {
                    **of, "by": self.by, "kind": kind, "group": group, "items": n, "measure": str(m),
                    "score": values.get(str(m)), "better": m.better, **self._interval_fields(values, m),
                }
                for kind, group, n, values in groups
                for m in self.measures
            ]  # fmt: skip
        return rows

    def _interval_fields(self, values: Mapping[str, float], m: Measure) -> dict[str, Any]:
        """The fields of an interval for a record: None for a mean; none at all if there are no intervals."""
        if self.sampling is None:
            return {}
        known = values.intervals.get(str(m)) if isinstance(values, Scores) else None
        return dict.fromkeys((*Interval._fields, "caution_reason")) if known is None else known.fields

    def to_dict(self) -> dict[str, Any]:
        """Everything, as plain values for JSON."""
        systems = [{"system": system, **self._system_dict(system)} for system in self.systems]
        shared = {
            "by": self.by, "n": self.n, "dropped": self.dropped, "empty": [str(group) for group in self.empty],
            "signature": self.signature,
        }  # fmt: skip
        if not self.named:
            own = {key: value for key, value in systems[0].items() if key != "system"}
            return {**shared, **own}
        return {**shared, "ranking": self.ranking(), "systems": systems}

    def _system_dict(self, system: str) -> dict[str, Any]:
        groups = [
            {
                "group": json_label(group), "n": s.n, "classes": s.table.shape[0], "clusters": s.table.shape[1],
                "scores": dict(s),
                **({"intervals": {name: i.fields for name, i in s.intervals.items()}} if s.sampling else {}),
            }
            for group, s in ((group, systems[system]) for group, systems in self.scores.items())
        ]  # fmt: skip
        macro, micro = self._mean(system, lambda _: 1.0), self._mean(system, lambda scores: float(scores.n))
        return {"groups": groups, "macro": macro, "micro": micro}
