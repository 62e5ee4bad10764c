"""Scores side by side: of several systems, or of the groups of one."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from karat.errors import KaratError
from karat.frames import frame
from karat.registry import Measure
from karat.rendering import Layout, Printed, decimals, shown
from karat.results import ARROWS, Scores, columns_of, measure_names, signature_of, with_unit
from karat.tables import number, several

NOTE = "↑ higher is better, ↓ lower is better."
MANY = 6  # systems; more of them are set below each other
MEANS = "macro: the mean over groups; micro: the mean over items, each group weighted by its size."


class _Beside(Printed, Mapping[Any, Scores]):
    """Scores by name, printed side by side."""

    scores: Mapping[Any, Scores]
    of = "systems"  # what there is one of for each name

    def __post_init__(self) -> None:
        if not self.scores:
            raise KaratError(f"there are no {self.of}; give at least one.")

    def __getitem__(self, name: Any) -> Scores:
        return self.scores[name]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.scores)

    def __len__(self) -> int:
        return len(self.scores)

    @cached_property
    def measures(self) -> tuple[Measure, ...]:
        """The measures of all of them, in order."""
        return tuple({str(m): m for scores in self.scores.values() for m in scores.measures}.values())

    @abstractmethod
    def layout(self, digits: int = 4) -> Layout:
        """What is printed."""

    @abstractmethod
    def records(self) -> list[dict[str, Any]]:
        """One dict per name and measure."""

    def to_frame(self, backend: str | None = None) -> Any:
        """One row per record, in pandas, Polars or PyArrow."""
        return frame(columns_of(self.records()), backend)


@dataclass(frozen=True, eq=False, repr=False)
class Board(_Beside):
    """The scores of several systems by name; print it to see them side by side.

    >>> import karat
    >>> gold = [0, 0, 1, 1]
    >>> board = Board({"good": karat.score(gold, [2, 2, 3, 3], "ari"), "poor": karat.score(gold, [2, 3, 2, 3], "ari")})
    >>> board["good"]["ari"], board["poor"]["ari"]
    (1.0, -0.5)
    """

    scores: Mapping[str, Scores]

    def __repr__(self) -> str:
        return f"<Board: {', '.join(map(shown, self.scores))}>"

    @cached_property
    def _same_gold(self) -> bool:
        sizes = {(scores.table.profile.classes, scores.n) for scores in self.scores.values()}
        return len(sizes) == 1

    def layout(self, digits: int = 4) -> Layout:
        """A row for each measure, a column for each system, or the other way round if they are many.

        Then trivial clusterings, if gold is the same.
        """
        first = next(iter(self.scores.values()))
        trivial = ("one cluster", "all apart") if self._same_gold else ()
        rows = []
        for name, measure in zip(measure_names(self.measures), self.measures, strict=True):
            values = [scores.get(str(measure)) for scores in self.scores.values()]
            if trivial:
                baseline = first.baselines.get(str(measure))
                values += [None, None] if baseline is None else [baseline.one_cluster, baseline.all_apart]
            rows.append([name, *(decimals(value, digits) for value in values)])
        headings = ["measure", *map(shown, self.scores), *trivial]
        if len(self.scores) > MANY:
            headings, *rows = (list(line) for line in zip(headings, *rows, strict=True))
            headings[0] = "system"
        note = f"{NOTE} For comparison: all items in one cluster, each item apart." if trivial else NOTE
        remarks = [f"{shown(name)}: {text}" for name, found in self.scores.items() for text in found.remarks()]
        return Layout(self._title(), headings, rows, [note, *remarks], self._signatures())

    def _title(self) -> str:
        items = sorted({scores.n for scores in self.scores.values()})
        systems = several(len(self.scores), "system")
        if len(items) > 1:
            return f"{systems} on {items[0]:,} to {items[-1]:,} items"
        return f"{systems} on {several(next(iter(self.scores.values())).table.n, 'item')}"

    def _signatures(self) -> list[str]:
        """One for all systems, if they do not differ in it."""
        signatures = dict.fromkeys(scores.signature for scores in self.scores.values())
        if len(signatures) == 1:
            return list(signatures)
        return [f"{shown(name)}: {scores.signature}" for name, scores in self.scores.items()]

    def records(self) -> list[dict[str, Any]]:
        """One dict per system and measure."""
        return [
            {"system": name, "n": found.n, "dropped": found.dropped, **record, "signature": found.signature}
            for name, found in self.scores.items()
            for record in found.records()
        ]

    def to_dict(self) -> dict[str, Any]:
        """Everything, as plain values for JSON."""
        return {"systems": [{"system": name, **scores.to_dict()} for name, scores in self.scores.items()]}


@dataclass(frozen=True, eq=False, repr=False)
class GroupScores(_Beside):
    """The scores of one system in each group, such as a word, a document or a data set; print it to see them all.

    >>> import karat
    >>> table = karat.Table.from_labels([0, 0, 1, 1], [2, 2, 3, 3])
    >>> GroupScores("word", {"bank": karat.score(table, measures=["ari"])}).macro
    {'ari': 1.0}
    """

    by: str
    scores: Mapping[Any, Scores]
    system: str = ""
    of = "groups"

    def __repr__(self) -> str:
        return f"<GroupScores: {several(len(self), 'group')} by {shown(self.by)}>"

    @property
    def macro(self) -> dict[str, float]:
        """The mean of each measure over the groups that have it."""
        return self._mean(lambda scores: 1.0)

    @property
    def micro(self) -> dict[str, float]:
        """The mean of each measure over items: each group counts as often as it has items."""
        return self._mean(lambda scores: float(scores.n))

    def _mean(self, weight: Any) -> dict[str, float]:
        means = {}
        for measure in map(str, self.measures):
            parts = [(weight(scores), scores[measure]) for scores in self.scores.values() if measure in list(scores)]
            means[measure] = math.fsum(w * value for w, value in parts) / math.fsum(w for w, _ in parts)
        return means

    def layout(self, digits: int = 4) -> Layout:
        """A row for each group, and for both means; a column for each measure."""
        names = [str(m) for m in self.measures]
        headings = [shown(self.by), "items", *(f"{with_unit(m)} {ARROWS[m.better]}".rstrip() for m in self.measures)]
        rows = [
            [shown(group), number(scores.table.n), *(decimals(scores.get(name), digits) for name in names)]
            for group, scores in self.scores.items()
        ]
        total = number(self.n)
        for name, means in (("macro", self.macro), ("micro", self.micro)):
            rows.append([name, total, *(decimals(means[measure], digits) for measure in names)])
        of = f"{shown(self.system)}: " if self.system else ""
        dropped = f" ({self.dropped:,} items dropped)" if self.dropped else ""
        title = f"{of}{several(len(self.scores), 'group')} by {shown(self.by)}{dropped}"
        remarks = dict.fromkeys(text for found in self.scores.values() for text in found.remarks())
        return Layout(title, headings, rows, [MEANS, *remarks], [self.signature])

    @property
    def n(self) -> Any:
        """The number of items in all groups, or their total weight."""
        return sum(found.table.n for found in self.scores.values())

    @property
    def dropped(self) -> int:
        """Items that the missing or noise policy left out, in all groups."""
        return sum(found.dropped for found in self.scores.values())

    @property
    def signature(self) -> str:
        """How the scores were reached, with the items that were missing or noise in all groups."""
        policies = [found.table.policy for found in self.scores.values()]
        policy = policies[0]
        for other in policies[1:]:
            policy = policy + other or policy
        return f"by:{shown(self.by)}|groups:{len(policies)}|{signature_of(self.measures, number(self.n), policy)}"

    def records(self) -> list[dict[str, Any]]:
        """One dict per group and measure, then those of the means."""
        of = {"system": self.system} if self.system else {}
        groups: list[tuple[Any, Any, Mapping[str, float]]] = [(g, s.n, s) for g, s in self.scores.items()]
        total = self.n if isinstance(self.n, int) else float(self.n)
        groups += [("macro", total, self.macro), ("micro", total, self.micro)]
        return [
            {
                **of,
                "by": self.by,
                "group": group,
                "items": n,
                "measure": str(m),
                "score": values.get(str(m)),
                "better": m.better,
            }
            for group, n, values in groups
            for m in self.measures
        ]

    def to_dict(self) -> dict[str, Any]:
        """Everything, as plain values for JSON."""
        groups = [
            {"group": group, "n": s.n, "classes": s.table.shape[0], "clusters": s.table.shape[1], "scores": dict(s)}
            for group, s in self.scores.items()
        ]
        return {
            "by": self.by, "n": self.n if isinstance(self.n, int) else float(self.n), "dropped": self.dropped,
            "groups": groups, "macro": self.macro, "micro": self.micro, "signature": self.signature,
        }  # fmt: skip
