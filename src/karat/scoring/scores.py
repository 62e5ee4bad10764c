"""Scores: the scores of one system, with baselines, intervals and a signature."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple

from karat.chance.expectations import expected
from karat.errors import MeasureError, TableError, brief, listed
from karat.measures.parsing import parse
from karat.measures.registry import Measure
from karat.output.layout import ARROWS, Layout, decimals
from karat.output.numbers import number, several
from karat.output.result import Result
from karat.scoring.signatures import signature_of
from karat.tables.counts import Counts
from karat.tables.table import Table
from karat.tables.trivial import OneCluster, Singletons
from karat.uncertainty import wording
from karat.uncertainty.interval import Interval
from karat.uncertainty.sampling import Sampling

HEADINGS = ("measure", "score", "one cluster", "singletons", "shuffled")


class Baseline(NamedTuple):
    """The scores of trivial clusterings of the same items; None where they are not known."""

    one_cluster: float | None
    singletons: float | None  # every item in a cluster of its own
    shuffled: float | None  # expected under random labels with the same cluster sizes, where it has a closed form


@dataclass(frozen=True, eq=False, repr=False)
class Scores(Result, Mapping[str, float]):
    """A mapping from measure to plain float, for one clustering; print it to see what the numbers mean.

    >>> import karat
    >>> scores = karat.score(["a", "a", "b"], [1, 1, 2], measures=["ari", "v_measure(beta=2)"])
    >>> scores["ari"], list(scores)
    (1.0, ['ari', 'v_measure(beta=2)'])
    """

    table: Table
    measures: tuple[Measure, ...]
    omitted: Mapping[str, str] = field(default_factory=dict)  # measures of the panel left out, and why
    sampling: Sampling | None = None  # the options of intervals, if they were asked for

    @cached_property
    def _values(self) -> dict[str, float]:
        return {str(m): float(m.of(self.table)) for m in self.measures}

    def __post_init__(self) -> None:
        self._values, self.intervals  # noqa: B018 (computed now, so that errors are raised here)

    def __getitem__(self, measure: str | Measure) -> float:
        return self._values[self._key(measure)]

    def _key(self, measure: str | Measure) -> str:
        """The text under which a measure was scored, however it is spelt."""
        if isinstance(measure, str) and measure in self._values:
            return measure
        try:
            text = str(parse(measure))  # another spelling of the same measure
        except MeasureError:
            called = measure if isinstance(measure, str) else brief(measure)
            raise KeyError(f"{called} is not a measure; scored are {listed(self._values, 20)}") from None
        if text in self._values:
            return text
        raise KeyError(f"{text} was not scored; ask for it: karat.score(gold, pred, [{text!r}])")

    def interval(self, measure: str | Measure) -> Interval:
        """The confidence interval of one score, if karat.score(..., interval=True) asked for intervals."""
        key = self._key(measure)
        if self.sampling is None:
            raise KeyError(f"{key} has no interval; ask for it: karat.score(gold, pred, [{key!r}], interval=True)")
        return self.intervals[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    @property
    def n(self) -> float:
        """The number of items scored, or their total weight."""
        return self.table.n if isinstance(self.table.n, int) else float(self.table.n)

    @property
    def dropped(self) -> int:
        """Items that the missing or noise policy left out."""
        return self.table.policy.dropped

    @cached_property
    def baselines(self) -> Mapping[str, Baseline]:
        """For each measure, the scores of three trivial clusterings."""
        one = OneCluster(self.table.profile)
        singletons = Singletons(self.table.profile) if self.table.integral else None
        return MappingProxyType(
            {str(m): Baseline(_try(m, one), _try(m, singletons), expected(m, self.table)) for m in self.measures}
        )

    @cached_property
    def errors(self) -> Mapping[str, float]:
        """The Monte-Carlo standard errors of the scores that were estimated by random draws."""
        errors = {str(m): m.error(self.table) for m in self.measures}
        return MappingProxyType({name: error for name, error in errors.items() if error})

    @cached_property
    def intervals(self) -> Mapping[str, Interval]:
        """The interval of each score, if karat.score(..., interval=0.95) asked for them."""
        if self.sampling is None:
            return MappingProxyType({})
        from karat.uncertainty.intervals import intervals

        return MappingProxyType(intervals(self.table, self.measures, self.sampling))

    @property
    def signature(self) -> str:
        """How the scores were computed; runs that could differ on the same data differ in signature."""
        base = signature_of(self.measures, number(self.table.n), self.table.policy)
        if self.sampling is None:
            return base
        return f"{base}|{wording.signature(self.sampling, self.intervals.values())}"

    def __reduce__(self) -> tuple[Any, ...]:
        fields = self.table, self.measures, dict(self.omitted), self.sampling
        return _restored, (fields, dict(self._values), dict(self.intervals))

    def __repr__(self) -> str:
        return f"<Scores: {', '.join(f'{key}={decimals(value)}' for key, value in self.items())}>"

    def layout(self, digits: int = 4) -> Layout:
        """The printed table: a row for each measure, with its score and the scores of trivial clusterings."""
        names = zip(measure_names(self.measures), self.measures, strict=True)
        rows = [[name, *self._cells(m, digits)] for name, m in names]
        return Layout(self._title(), self._headings(), rows, self._notes(), [self.signature])

    def _headings(self) -> Sequence[str]:
        if self.sampling is None:
            return HEADINGS
        return (*HEADINGS[:2], f"{100 * self.sampling.level:g}% interval", *HEADINGS[2:])

    def _cells(self, m: Measure, digits: int) -> list[str]:
        """A measure's score, interval and baselines."""
        spans = [wording.span(self.intervals[str(m)], digits)] if self.sampling is not None else []
        baselines = (decimals(value, digits) for value in self.baselines[str(m)])
        return [decimals(self[m], digits), *spans, *baselines]

    def _title(self) -> str:
        classes, clusters = self.table.shape
        dropped = f" ({number(self.dropped)} dropped)" if self.dropped else ""
        items = several(self.table.n, "item")
        return f"{items}{dropped} in {several(classes, 'class')} and {several(clusters, 'cluster')}"

    def _notes(self) -> list[str]:
        notes = [
            "↑ higher is better, ↓ lower is better. For comparison: all items in one cluster, singletons, "
            "and the predicted labels shuffled (on average; – where that is not known exactly).",
        ]
        if self.sampling is not None:
            notes.append(wording.description(self.sampling, self.intervals.values()))
        return [*notes, *self.remarks()]

    def remarks(self) -> list[str]:
        """Notes: where the cells are, which measures were left out, which are estimates, and cautions."""
        engine = getattr(self.table, "engine", None)
        return [
            *([] if engine is None else [f"The cells stayed in {engine}, which gave sums over them."]),
            *(f"{name} is left out: {why}" for name, why in self.omitted.items()),
            *(
                f"{name} is an estimate, by random draws; its standard error is {error:.2g}."
                for name, error in self.errors.items()
            ),
            *wording.remarks_on(self._values, self.intervals),
        ]

    def to_dict(self) -> dict[str, Any]:
        """Everything that is printed, as plain values for JSON."""
        return {
            "n": self.n,
            "classes": self.table.shape[0],
            "clusters": self.table.shape[1],
            "dropped": self.dropped,
            "scores": {
                str(m): {
                    "score": self[m],
                    "error": self.errors.get(str(m)),
                    "better": m.better,
                    **self.interval_fields(m),
                    **self.baselines[str(m)]._asdict(),
                }
                for m in self.measures
            },
            "omitted": dict(self.omitted),
            "signature": self.signature,
        }

    def interval_fields(self, m: Measure) -> dict[str, Any]:
        """The fields of a measure's interval, for a record; none if there are no intervals."""
        return self.intervals[str(m)].fields if self.sampling is not None else {}

    def records(self) -> list[dict[str, Any]]:
        """One dict per measure: its text, score, standard error, direction and baselines."""
        return [{"measure": key, **values} for key, values in self.to_dict()["scores"].items()]

    def to_flat_dict(self) -> dict[str, float]:
        """The scores under flat names without brackets, for experiment loggers: nmi.norm-max.

        Ends of intervals, if there are any, are added: nmi.norm-max.low, nmi.norm-max.high.
        """
        flat: dict[str, float] = {}
        for m in self.measures:
            key = flat_name(str(m))
            flat[key] = self[m]
            interval = self.intervals.get(str(m))
            if interval is not None and interval.low is not None and interval.high is not None:
                flat |= {f"{key}.low": interval.low, f"{key}.high": interval.high}
        return flat


def flat_name(text: str) -> str:
    """The text of a measure without brackets: nmi(norm=max) as nmi.norm-max."""
    return text.replace("(", ".").replace(")", "").replace("=", "-").replace(",", "_").replace(" ", "")


def _restored(fields: tuple[Any, ...], values: dict[str, float], intervals: Mapping[str, Interval]) -> Scores:
    """Scores from known values and intervals, as when they are unpickled: nothing is recomputed."""
    scores = Scores.__new__(Scores)
    for name, value in zip(("table", "measures", "omitted", "sampling"), fields, strict=True):
        object.__setattr__(scores, name, value)
    scores.__dict__.update(_values=values, intervals=MappingProxyType(dict(intervals)))
    return scores


def scores_with(
    table: Table,
    measures: tuple[Measure, ...],
    omitted: Mapping[str, str],
    sampling: Sampling,
    intervals: Mapping[str, Interval],
) -> Scores:
    """Scores with intervals that are known already."""
    values = {str(m): float(m.of(table)) for m in measures}
    return _restored((table, measures, omitted, sampling), values, intervals)


def with_unit(m: Measure) -> str:
    """The measure's text, and its unit if it has one."""
    return f"{m} [{m.unit}]" if m.unit else str(m)


def measure_names(measures: Sequence[Measure]) -> list[str]:
    """The measures with their units, and aligned arrows for the better direction."""
    names = list(map(with_unit, measures))
    width = max(map(len, names))
    return [f"{name:{width}} {ARROWS[m.better]}" for name, m in zip(names, measures, strict=True)]


def _try(measure: Measure, counts: Counts | None) -> float | None:
    if counts is None:
        return None
    failures = TableError if measure.function is None else Exception  # a user's function may raise anything
    try:
        return float(measure.of(counts))
    except failures:
        return None
