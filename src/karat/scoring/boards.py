"""Board: the scores of several systems on the same items, side by side."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from karat.errors import KaratError
from karat.measures.registry import Measure
from karat.output.layout import Layout, decimals, shown
from karat.output.numbers import several
from karat.scoring.by_system import BySystem
from karat.scoring.scores import flat_name, measure_names
from karat.scoring.signatures import shared_signature

NOTE = "↑ higher is better, ↓ lower is better."
MANY = 6  # systems; more systems are printed as rows, not as columns


@dataclass(frozen=True, eq=False, repr=False)
class Board(BySystem):
    """The scores of several systems by name; print it to see them side by side.

    >>> import karat
    >>> board = karat.score([0, 0, 1, 1], {"good": [2, 2, 3, 3], "poor": [2, 3, 2, 3]}, "ari")
    >>> board["good"]["ari"], board["poor"]["ari"]
    (1.0, -0.5)
    """

    ABSENT = "was not scored"

    cautions: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.scores:
            raise KaratError("there are no systems; give at least one.")

    def __repr__(self) -> str:
        return f"<Board: {', '.join(map(shown, self.scores))}>"

    @cached_property
    def measures(self) -> tuple[Measure, ...]:
        """The measures of all systems, each once, in order."""
        return tuple({str(m): m for scores in self.scores.values() for m in scores.measures}.values())

    @cached_property
    def _same_gold(self) -> bool:
        sizes = {(scores.table.profile.classes, scores.n) for scores in self.scores.values()}
        return len(sizes) == 1

    def layouts(self, digits: int = 4) -> list[Layout]:
        """One table of all systems; one table per system if there are intervals."""
        if all(scores.sampling is None for scores in self.scores.values()) or len(self) == 1:
            return [self.layout(digits)]
        layouts = {name: scores.layout(digits) for name, scores in self.scores.items()}
        return [layout._replace(title=f"{shown(name)}: {layout.title}") for name, layout in layouts.items()]

    def layout(self, digits: int = 4) -> Layout:
        """A row for each measure, a column for each system; transposed if there are many systems.

        The trivial clusterings are added if all systems have the same gold.
        """
        first = next(iter(self.scores.values()))
        if len(self) == 1:
            return first.layout(digits)
        trivial = ("one cluster", "singletons") if self._same_gold else ()
        rows = []
        for name, measure in zip(measure_names(self.measures), self.measures, strict=True):
            values = [scores.get(str(measure)) for scores in self.scores.values()]
            if trivial:
                baseline = first.baselines.get(str(measure))
                values += [None, None] if baseline is None else [baseline.one_cluster, baseline.singletons]
            rows.append([name, *(decimals(value, digits) for value in values)])
        headings = ["measure", *map(shown, self.scores), *trivial]
        if len(self.scores) > MANY:
            headings, *rows = (list(line) for line in zip(headings, *rows, strict=True))
            headings[0] = "system"
        note = f"{NOTE} For comparison: all items in one cluster, and singletons." if trivial else NOTE
        return Layout(self._title(), headings, rows, [note, *self.cautions, *self._remarks()], self._signatures())

    def _remarks(self) -> list[str]:
        """The remarks on the scores of each system, after its name; without names, if all share a remark."""
        about: dict[str, list[str]] = {}
        for name, scores in self.scores.items():
            for text in scores.remarks():
                about.setdefault(text, []).append(shown(name))
        return [text if len(names) == len(self) else f"{', '.join(names)}: {text}" for text, names in about.items()]

    def _title(self) -> str:
        items = sorted({scores.n for scores in self.scores.values()})
        systems = several(len(self.scores), "system")
        if len(items) > 1:
            return f"{systems} on {items[0]:,} to {items[-1]:,} items"
        dropped = f" ({self.dropped:,} dropped)" if self.dropped else ""
        return f"{systems} on {several(next(iter(self.scores.values())).table.n, 'item')}{dropped}"

    def _signatures(self) -> list[str]:
        return shared_signature({shown(name): scores.signature for name, scores in self.scores.items()})

    @property
    def signature(self) -> str:
        """How the scores were computed: one line, or one for each system where they differ."""
        return "\n".join(self._signatures())

    def records(self) -> list[dict[str, Any]]:
        """One dict per system and measure."""
        return [
            {"system": name, "n": scores.n, "dropped": scores.dropped, **record, "signature": scores.signature}
            for name, scores in self.scores.items()
            for record in scores.records()
        ]

    def to_dict(self) -> dict[str, Any]:
        """Everything, as plain values for JSON."""
        systems = [{"system": name, **scores.to_dict()} for name, scores in self.scores.items()]
        return {"systems": systems, **({"cautions": list(self.cautions)} if self.cautions else {})}

    def to_flat_dict(self) -> dict[str, float]:
        """The scores under flat names without brackets, for experiment loggers: kmeans.nmi.norm-max."""
        return {
            f"{flat_name(name)}.{key}": value
            for name, scores in self.scores.items()
            for key, value in scores.to_flat_dict().items()
        }
