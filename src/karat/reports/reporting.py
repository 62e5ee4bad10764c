"""report(): scores, comparison and explanation of some systems, gathered for a page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from importlib.util import find_spec
from typing import Any, TypeVar

from karat.alignment import Missing, NoiseAs
from karat.bars import bar
from karat.comparisons.comparing import compare
from karat.comparisons.results import Comparison
from karat.errors import KaratError
from karat.evaluate import MeasureLike, score
from karat.explanations.explaining import explain
from karat.joint import join
from karat.labels import Labels, read
from karat.reports.content import Report, System
from karat.reports.samples import Items
from karat.results import Scores
from karat.tables import Table
from karat.uncertainty.sampling import RESAMPLES, Unit

T = TypeVar("T")

ONE = "clustering"  # the name of a system that has none
LONG = 200_000  # cells from which somebody may have to wait


def report(
    gold: object,
    systems: object = None,
    measures: MeasureLike | Iterable[MeasureLike] | None = None,
    *,
    items: Iterable[Any] | None = None,
    improve: MeasureLike = "v_measure",
    missing: Missing = "raise",
    noise: object = None,
    noise_as: NoiseAs | None = None,
    interval: float | None = 0.95,
    unit: Unit = "items",
    corrected: bool = True,
    resamples: int = RESAMPLES,
    seed: int = 0,
    title: str = "",
    command: str = "",
    notes: Iterable[str] = (),
) -> Report:
    """A page to look at: scores with intervals, which system is better, what went wrong, and the table to explore.

    systems: predicted labels, or several by name, of the same items as gold; or gold is a Table, or several by name.
    items: names of the items, shown as examples of a cell; labels that are dicts or Series have them already.
    improve: the measure that explanations are about. interval=None leaves out intervals and paired tests. The other
    options are those of score() and compare(). title, command and notes are printed on the page.

    >>> import karat
    >>> page = karat.report(["a", "a", "b", "b"], {"mine": [1, 1, 2, 3]}, ["v_measure", "ari"])
    >>> page
    <Report: mine>
    >>> page.html().startswith("<!doctype html>")
    True
    """
    _need_libraries()
    options = {"unit": unit, "corrected": corrected, "resamples": resamples, "seed": seed}
    comparison, found, named = None, {}, None
    if isinstance(gold, Table) or (isinstance(gold, Mapping) and gold and _tables(gold)):
        if systems is not None:
            raise KaratError("gold is a Table, which has both sides; leave out the systems.")
        if items is not None or missing != "raise" or noise is not None:
            raise KaratError("a Table has been counted already; leave out items, missing and noise.")
        found = _told_apart({ONE: gold} if isinstance(gold, Table) else gold)
    else:
        side = read(gold, "gold")
        given = {name: read(labels, name) for name, labels in _named(side, systems).items()}
        names = None if items is None else list(items)
        joint = join(side, given, missing=missing, noise=noise, noise_as=noise_as)
        found = dict(joint.tables)
        named = Items.of(side, given, names, joint.policy)
        if len(found) > 1 and interval is not None:
            comparison = compare(joint, None, measures, interval=interval, **options)  # type: ignore[arg-type]
    made = []
    long = sum(table.counts.size for table in found.values()) > LONG
    with bar("reporting", len(found) if long else 0) as advance:
        for name, table in found.items():
            if comparison is not None:
                scores = _compared_scores(comparison, name)
            else:
                level = interval if table.whole and not table.policy.weighted else None
                scores = score(table, measures=measures, interval=level, **options)  # type: ignore[arg-type]
            some = {} if named is None else named.samples(name, table)
            made.append(System(str(name), scores, explain(table, measure=improve), some))
            advance(1)
    return Report(tuple(made), comparison, title, command, tuple(notes))


def _need_libraries() -> None:
    """Refuse before anything is worked out."""
    lacking = [name for name in ("jinja2", "matplotlib") if find_spec(name) is None]
    if lacking:
        raise KaratError(f"reports need {' and '.join(lacking)}, not installed here; pip install 'karat[report]'.")


def _tables(given: Mapping[Any, object]) -> bool:
    return all(isinstance(table, Table) for table in given.values())


def _compared_scores(comparison: Comparison, system: str) -> Scores:
    """A system's scores with the intervals that the comparison has, so that a page has one of each."""
    found = {str(m): comparison.interval(m, system) for m in comparison.measures}
    return Scores.sampled(comparison.joint.tables[system], comparison.measures, comparison.sampling, found)


def _named(gold: Labels, systems: object) -> Mapping[str, object]:
    """Systems by name; or one without a name, which may be a mapping from items to labels, or of sets of items."""
    if systems is None:
        raise KaratError("report takes predicted labels beside gold, or several by name, as {'kmeans': labels, ...}.")
    if not isinstance(systems, Mapping) or not systems:
        return {ONE: systems}
    items = gold.keyed and not isinstance(gold.items, type(None)) and set(systems) <= set(gold.items)
    single = all(isinstance(labels, (str, bytes, AbstractSet)) or not _many(labels) for labels in systems.values())
    return {ONE: systems} if items or single else _told_apart(systems)


def _told_apart(systems: Mapping[Any, T]) -> dict[str, T]:
    """Systems by the text of their names."""
    texts = [str(name) for name in systems]
    if len(set(texts)) < len(texts):
        twice = next(text for text in texts if texts.count(text) > 1)
        raise KaratError(f"two systems are called {twice!r}; give each a name of its own.")
    return dict(zip(texts, systems.values(), strict=True))


def _many(labels: object) -> bool:
    return isinstance(labels, (Iterable, Labels)) or hasattr(labels, "to_numpy") or hasattr(labels, "__array__")
