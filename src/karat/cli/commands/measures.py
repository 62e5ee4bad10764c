"""karat measures, relate and audit: the measures themselves."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Callable
from typing import Any

import karat
from karat.cli.commands.scores import measures_of, read_evaluation
from karat.cli.output import (
    check_output,
    form,
    show,
    terminal_columns,
    write,
)
from karat.output.bars import watched
from karat.output.layout import shown


def measures(chosen: Namespace) -> None:
    """List all measures, or describe the named ones."""
    from karat.measures import cards

    check_output(chosen)
    asked = [karat.parse(name) for name in chosen.names]
    if asked and form(chosen) == "text":
        columns = terminal_columns() if sys.stdout.isatty() else 80
        write(chosen, "\n\n\n".join(cards.card(m, min(columns, 100)) for m in asked))
        return
    listed = asked or list(karat.list_measures())
    show(
        chosen,
        lambda: [cards.catalogue(listed)],
        lambda: cards.records(listed),
        lambda: {"measures": cards.records(listed)},
    )


def relate(chosen: Namespace) -> None:
    """Correlate measures on the user's systems."""
    check_output(chosen)
    ev = read_evaluation(chosen, by=chosen.by, keep=False)
    relations = karat.relate(ev, measures=measures_of(chosen), resamples=chosen.resamples, seed=chosen.seed)
    digits = min(chosen.digits, 2)
    show(chosen, lambda: [relations.layout(digits)], relations.records, relations.to_dict, ev.notes)


def audit(chosen: Namespace) -> None:
    """Test properties of measures, and show counterexamples."""
    check_output(chosen)
    names: Any = ",".join(chosen.names) or [m for m in karat.list_measures() if m.better is not None]
    properties = None if chosen.property is None else ",".join(chosen.property)
    say = _progress(chosen)
    try:
        audited = karat.audit(names, properties, tries=chosen.tries, progress=say)
    finally:
        if say is not None:
            say("")
    if chosen.examples and form(chosen) == "text":
        columns = terminal_columns() if chosen.output is None and sys.stdout.isatty() else None
        write(chosen, f"{audited.layout().text(columns, quiet=chosen.quiet)}\n\n{audited.examples()}")
        return
    show(chosen, lambda: [audited.layout()], lambda: list(map(_flat, audited.records())), audited.to_dict)


def _flat(record: dict[str, Any]) -> dict[str, Any]:
    """A record with its tables as JSON, for a field of CSV."""
    import json

    return {**record, "example": "" if record["example"] is None else json.dumps(record["example"])}


def _progress(chosen: Namespace) -> Callable[[str], None] | None:
    """A function that prints progress on one line of standard error; None if that is not a terminal."""
    if chosen.quiet or not watched() or os.environ.get("TERM") == "dumb":
        return None
    return lambda text: print(f"\r\x1b[K{shown(text)}", end="", file=sys.stderr, flush=True)
