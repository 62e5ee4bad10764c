"""The report on the files of a question."""

from __future__ import annotations

import os
import shlex
from typing import Any

from karat.errors import KaratError
from karat.limits import APP_THREADS, APP_UNPACKED, BATCH, IN_MEMORY, UNPACKED, lowered
from karat.measures.parsing import parse
from karat.measures.registry import Measure, list_measures
from karat.reports.app.questions import READING, Question, as_number, check_unpacked, reading_options
from karat.reports.content import Report
from karat.reports.reporting import report
from karat.scoring import MAIN
from karat.scoring.panels import chosen_measures
from karat.scoring.read import read

PASTED = "pasted.labels"  # file name that the page gives to pasted labels


def report_of(question: Question) -> Report:
    """The report on the files of a question, under stricter limits than on the command line."""
    with lowered({UNPACKED: APP_UNPACKED.most, IN_MEMORY: APP_UNPACKED.most, BATCH: APP_UNPACKED.most}):
        check_unpacked(question)
        return _report(question, question.options)


def _report(question: Question, options: dict[str, str]) -> Report:
    measures = _measures(options)
    improve = _improve(options)
    arguments: Any = {
        "measures": measures,
        "measure": improve,
        "title": options.get("title", ""),
        "interval": _interval(options),
    }
    folder = f"{question.folder}{os.sep}"  # removed from notes and messages
    try:
        paths = [folder + name for name in question.names]
        ev = read(*paths, **reading_options(options), threads=APP_THREADS.most, items=True)
        notes = [note.replaced(folder, "") for note in ev.notes]
        return report(ev, command=command_of(question), notes=notes, **arguments)
    except KaratError as problem:
        raise type(problem)(problem.whole.replaced(folder, "")) from None


def command_of(question: Question) -> str:
    """The command line that gives the same page; empty for pasted labels."""
    if PASTED in question.names:
        return ""  # no files to name
    words = ["karat", "report", *(f"./{name}" if name.startswith("-") else name for name in question.names)]
    options = question.options
    for name, value in reading_options(options).items():
        flag = f"--{name.replace('_', '-')}"
        words += (
            [part for column in value for part in (flag, column)] if READING[name].repeated else [f"{flag}={value}"]
        )
    if "title" in options:
        words.append(f"--title={options['title']}")
    if "measures" in options or "beta" in options:
        words += ["--measures", ",".join(map(str, _measures(options) or ()))]
    if options.get("interval") == "no":
        words.append("--no-intervals")
    improve = _improve(options)
    return shlex.join(words if improve is None else [*words, "--measure", str(improve)])


def _measures(options: dict[str, str]) -> list[Measure] | None:
    """The measures asked for; the default panel if only beta is given; None if neither is."""
    text = options.get("measures")
    if text is None and "beta" not in options:
        return None
    chosen = _builtin(text) if text is not None else [m for m in list_measures() if m.panel]
    return [_with_beta(measure, options) for measure in chosen]


def _improve(options: dict[str, str]) -> Measure | None:
    """The measure that is explained; None for the first of the measures, or the main one."""
    if "improve" not in options:
        return parse(MAIN) if "beta" in options and "measures" not in options else None
    chosen = _builtin(options["improve"])
    if len(chosen) > 1:
        raise KaratError(f"{options['improve']!r} are {len(chosen)} measures; give one to improve.")
    return _with_beta(chosen[0], options)


def _builtin(text: str) -> tuple[Measure, ...]:
    """Parse built-in measures only: any other name would import a module."""
    if ":" in text:
        raise KaratError(f"{text!r} names a function; the app takes only built-in measures.")
    return chosen_measures(text)


def _with_beta(measure: Measure, options: dict[str, str]) -> Measure:
    if "beta" not in options or "beta" not in measure.defaults:
        return measure
    beta = as_number(options["beta"], "beta", 0)
    with_beta: Any = measure(beta=int(beta) if beta == round(beta) else beta)
    return with_beta  # type: ignore[no-any-return]


def _interval(options: dict[str, str]) -> bool:
    """Whether intervals are wanted."""
    return options.get("interval") != "no"
