"""audit(): tests of measures, each against every property."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from karat.errors import KaratError, brief
from karat.limits import BACKGROUNDS
from karat.measures.parsing import parse
from karat.measures.registry import Measure, list_measures
from karat.meta.partitions import Matrix
from karat.meta.properties import PROPERTIES, Case, Property, find_property
from karat.output.bars import bar
from karat.output.frames import frame
from karat.output.layout import Layout, Printed, decimals, shown
from karat.output.result import columns_of

TRIES = 100  # random backgrounds for the constraints


class Counterexample(NamedTuple):
    """Tables on which a measure breaks a property, and its values there."""

    names: tuple[str, ...]
    tables: tuple[Matrix, ...]
    values: tuple[float, ...]

    def __str__(self) -> str:
        heads = [f"{name} {decimals(value)}" for name, value in zip(self.names, self.values, strict=True)]
        blocks = [[head, *_as_text(table)] for head, table in zip(heads, self.tables, strict=True)]
        height = max(map(len, blocks))
        widths = [max(map(len, block)) for block in blocks]
        padded = [
            [line.ljust(width) for line in block + [""] * (height - len(block))]
            for block, width in zip(blocks, widths, strict=True)
        ]
        return "\n".join("    ".join(line).rstrip() for line in zip(*padded, strict=True))


MOST = 12  # rows and columns of a table to print


def _as_text(table: Matrix) -> list[str]:
    part = table[:MOST, :MOST]
    width = len(str(part.max()))
    lines = [" ".join(str(x).rjust(width) if x else "·".rjust(width) for x in row) for row in part.tolist()]
    more = [f"... {table.shape[0]} by {table.shape[1]}"] if max(table.shape) > MOST else []
    return lines + more


class Verdict(NamedTuple):
    """The number of cases in which a measure kept a property, and the smallest in which it did not."""

    kept: int
    tried: int
    example: Counterexample | None = None
    problem: str = ""  # why the measure could not be tested
    fits: bool = True  # whether the property applies to the measure at all

    @property
    def holds(self) -> bool | None:
        """Whether the property held in every case; None if no case was tried."""
        return self.kept == self.tried if self.tried else None

    def __str__(self) -> str:
        return {True: "yes", False: "NO", None: "–"}[self.holds]


def judge(measure: Measure, item: Property, tries: int = TRIES) -> Verdict:
    """Test one measure against one property.

    >>> import karat
    >>> str(judge(karat.parse("purity"), find_property("singletons")))
    'NO'
    """
    if not item.fits(measure):
        return Verdict(0, 0, problem="neither higher nor lower is better, or there is no best value", fits=False)
    cases = item.tried(tries)
    try:
        values = item.score(measure, cases)
    except Exception as problem:  # a user's function may raise anything
        if isinstance(problem, KaratError) or _foreign(measure):
            cause = problem.__cause__ or problem  # the error that the user's function raised
            return Verdict(0, 0, problem=f"{type(cause).__name__} {cause}".rstrip())
        raise
    with np.errstate(invalid="ignore"):
        kept = item.kept(values, measure, cases) & np.isfinite(values).all(axis=1)
    broken = np.flatnonzero(~kept)
    example = None
    if broken.size:
        smallest = min(broken.tolist(), key=lambda index: _size(cases[index]))
        example = Counterexample(item.tables, cases[smallest], tuple(values[smallest].tolist()))
    return Verdict(int(kept.sum()), len(cases), example)


def _foreign(measure: Measure) -> bool:
    """Whether the measure calls a user's function."""
    return measure.function is not None or (measure.inner is not None and _foreign(measure.inner))


def _size(case: Case) -> tuple[int, int]:
    return sum(int(table.sum()) for table in case), sum(table.size for table in case)


@dataclass(frozen=True, eq=False, repr=False)
class Audit(Printed, Mapping[str, Mapping[str, Verdict]]):
    """Verdicts by measure and property; print it to see which hold."""

    verdicts: Mapping[str, Mapping[str, Verdict]]
    properties: tuple[Property, ...]

    def __getitem__(self, measure: str) -> Mapping[str, Verdict]:
        return self.verdicts[str(measure)]

    def __iter__(self) -> Iterator[str]:
        return iter(self.verdicts)

    def __len__(self) -> int:
        return len(self.verdicts)

    def __repr__(self) -> str:
        return f"<Audit: {len(self)} measures, {len(self.properties)} properties>"

    def layout(self, digits: int = 4) -> Layout:
        """A row for each property, a column for each measure."""
        rows = [
            [item.name, *(_cell(verdicts[item.name]) for verdicts in self.verdicts.values())]
            for item in self.properties
        ]
        notes = [
            "yes: kept in every case; NO: broken, in how many of the cases; –: does not apply, or failed.",
            *(f"{item.name}: {item.says}." for item in self.properties),
            *(
                f"{shown(measure)} could not be tried on {name}: {shown(verdict.problem)}"
                for measure, verdicts in self.verdicts.items()
                for name, verdict in verdicts.items()
                if verdict.problem and verdict.fits
            ),
        ]
        return Layout(f"{len(self)} measures on trial", ["property", *map(shown, self.verdicts)], rows, notes)

    def examples(self) -> str:
        """The smallest counterexample of each property that a measure breaks."""
        parts = []
        for measure, verdicts in self.verdicts.items():
            for item in self.properties:
                verdict = verdicts[item.name]
                if verdict.example is not None:
                    count = f"{verdict.tried - verdict.kept:,} of {verdict.tried:,} cases"
                    parts.append(f"{shown(measure)} breaks {item.name} in {count}. {item.says}.\n{verdict.example}")
        return "\n\n".join(parts)

    def records(self) -> list[dict[str, Any]]:
        """One dict per measure and property."""
        return [
            {
                "measure": measure, "property": name, "holds": verdict.holds, "kept": verdict.kept,
                "tried": verdict.tried, "problem": verdict.problem,
                "example": None if verdict.example is None else _plain(verdict.example),
            }
            for measure, verdicts in self.verdicts.items()
            for name, verdict in verdicts.items()
        ]  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        """Everything, as plain values for JSON."""
        says = {item.name: item.says for item in self.properties}
        return {"properties": says, "verdicts": self.records()}

    def to_frame(self, backend: str | None = None) -> Any:
        """One row per measure and property, in pandas, Polars or PyArrow."""
        rows = [{key: value for key, value in record.items() if key != "example"} for record in self.records()]
        return frame(columns_of(rows), backend)


def _cell(verdict: Verdict) -> str:
    return f"NO {verdict.tried - verdict.kept}/{verdict.tried}" if verdict.holds is False else str(verdict)


def _plain(example: Counterexample) -> list[dict[str, Any]]:
    parts = zip(example.names, example.tables, example.values, strict=True)
    return [{"name": name, "table": table.tolist(), "value": value} for name, table, value in parts]


def audit(
    measures: str | Measure | Callable[..., Any] | Iterable[Any] | None = None,
    properties: str | Sequence[str] | None = None,
    *,
    tries: int = TRIES,
    progress: Callable[[str], None] | None = None,
) -> Audit:
    """Test which properties of a good measure some measures have, and where they fail.

    measures: names such as "ari" or "sklearn.metrics:rand_score", Measures, functions of (gold, pred), or "all".
    properties: names of properties; all by default. tries: the number of random backgrounds for the constraints.
    progress: a function that is called with the name of each measure before its tests.

    >>> import karat
    >>> verdicts = karat.audit(["v_measure", "purity"], ["symmetry", "singletons"])
    >>> verdicts["v_measure"]["symmetry"].holds, verdicts["purity"]["singletons"].holds
    (True, False)
    """
    from karat.scoring.panels import chosen_measures

    asked = list_measures() if measures is None else chosen_measures(measures)
    items = chosen_properties(properties)
    if not isinstance(tries, int) or tries < 0:
        raise KaratError(f"tries={brief(tries)} is not a number of backgrounds; give 0 or more.")
    BACKGROUNDS.check(tries, "tries")
    verdicts: dict[str, dict[str, Verdict]] = {}
    with bar("auditing measures", 0 if progress is not None else len(asked) * len(items)) as advance:
        for measure in map(parse, asked):
            if progress is not None:
                progress(str(measure))
            by_property = verdicts[str(measure)] = {}
            for item in items:
                by_property[item.name] = judge(measure, item, tries)
                advance()
    return Audit(verdicts, items)


def chosen_properties(properties: str | Sequence[str] | None) -> tuple[Property, ...]:
    """Properties by name, each once; all by default."""
    names = properties.split(",") if isinstance(properties, str) else properties
    if names is not None and not isinstance(names, Iterable):
        raise KaratError(f"properties is {brief(names)}; give names of properties, such as 'symmetry'.")
    items = PROPERTIES if names is None else tuple(dict.fromkeys(find_property(str(name).strip()) for name in names))
    if not items:
        raise KaratError("properties is empty; name at least one, or leave it out for all.")
    return items
