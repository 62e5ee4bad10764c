"""report(): scores, comparison and explanations of some systems, as a page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from typing import Any, Unpack

from karat.comparisons.comparing import compared_systems
from karat.errors import KaratError, brief
from karat.explanations.explaining import explained_table, judge_of
from karat.labels.rows import PRED
from karat.limits import REPORTED
from karat.output.bars import bar
from karat.reports.content import Report, System
from karat.reports.example_items import examples_of
from karat.scoring.arguments import evaluation_of
from karat.scoring.evaluation import Evaluation
from karat.scoring.options import DEFAULTS, Options, data_options, sampling_options, verb
from karat.scoring.panels import MeasureLike, chosen_measures, main_of
from karat.scoring.score import by_group, scored
from karat.uncertainty.sampling import Sampling

ONE = "clustering"  # name of an unnamed system on the page
LONG = 200_000  # cells from which a progress bar is shown


@verb(Options)
def report(
    data: object = None,
    other: object = None,
    measures: MeasureLike | Iterable[MeasureLike] | None = None,
    *,
    interval: float | bool | None = 0.95,
    measure: MeasureLike | None = None,
    title: str = "",
    command: str = "",
    notes: Sequence[str] = (),
    **options: Unpack[Options],
) -> Report:
    """An HTML report: scores with confidence intervals, comparison, explanation, and the table.

    measure: the measure that is explained; by default the first of `measures`, or ami. interval: the level of the
    intervals; None omits them and the paired tests. title, command and notes are printed on the page. With `by`, the
    page has the scores of each group and a ranking.

    >>> import karat
    >>> page = karat.report(["a", "a", "b", "b"], {"mine": [1, 1, 2, 3]}, ["v_measure", "ari"])
    >>> page
    <Report: mine>
    >>> page.html().startswith("<!doctype html>")
    True
    """
    _need_libraries()
    _check_texts(title, command, notes)
    ev = evaluation_of(data, other, data_options(options, "report", DEFAULTS))
    sampling = sampling_options(interval, options)
    return reported(ev, measures, sampling, measure=measure, title=title, command=command, notes=notes)


def _check_texts(title: object, command: object, notes: object) -> None:
    """Raise KaratError unless all that is printed on the page as given is text."""
    for name, value in (("title", title), ("command", command)):
        if not isinstance(value, str):
            raise KaratError(f"{name} is {brief(value)}; give text.")
    if not isinstance(notes, (list, tuple)) or not all(isinstance(note, str) for note in notes):
        raise KaratError(f"notes is {brief(notes)}; give a list of sentences.")


def reported(
    ev: Evaluation,
    measures: Any,
    sampling: Sampling | None,
    *,
    measure: MeasureLike | None = None,
    title: str = "",
    command: str = "",
    notes: Iterable[str] = (),
) -> Report:
    """The report on an evaluation; parameters as in report()."""
    REPORTED.check(len(ev.systems), "the report")
    all_notes = tuple(notes) or ev.notes
    if ev.groups is not None:
        return Report((), None, title, command, all_notes, by_group(ev, measures, None))
    if measure is None and measures is not None:
        measure = main_of(chosen_measures(measures), panel=False)
    judge = judge_of(measure, list(ev.tables.values()))
    several = len(ev.systems) > 1
    comparison = compared_systems(ev, measures, sampling) if several and sampling is not None and ev.has_items else None
    systems = []
    long = sum(table.counts.size for table in ev.tables.values()) > LONG
    with bar("reporting", len(ev.systems) if long else 0) as advance:
        for name, table in ev.tables.items():
            one = Evaluation.from_tables(table)
            level = sampling if table.integral and not table.policy.weighted else None
            scores: Any = comparison[name] if comparison is not None else scored(one, measures, level)
            unnamed = not ev.named and name == PRED and not ev.notes  # files and columns have names of their own
            shown = ONE if unnamed else name
            systems.append(System(shown, scores, explained_table(table, judge), examples_of(ev, name)))
            advance(1)
    return Report(tuple(systems), comparison, title, command, all_notes)


def _need_libraries() -> None:
    """Raise KaratError early if a library that pages need is not installed."""
    lacking = [name for name in ("jinja2", "matplotlib") if find_spec(name) is None]
    if lacking:
        raise KaratError(f"reports need {' and '.join(lacking)}, not installed; pip install 'karat[report]'.")
