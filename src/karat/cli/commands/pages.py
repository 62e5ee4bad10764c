"""karat report and karat app: pages to look at."""

from __future__ import annotations

import os
from argparse import Namespace

import karat
from karat.cli.commands.scores import measures_of, read_evaluation, sampling_of
from karat.cli.output import (
    check_output,
    in_words_of_the_terminal,
)
from karat.cli.streams import inform, put
from karat.cli.usage import UsageError
from karat.output.bars import say
from karat.output.layout import shown


def report(chosen: Namespace) -> None:
    """Write an HTML report."""
    import shlex

    check_output(chosen)
    if os.path.splitext(chosen.output)[1].lower() not in (".html", ".htm"):
        raise UsageError(f"{chosen.output!r} does not look like a page; name it .html.")
    options = {"measure": chosen.measure, "title": chosen.title, "command": shlex.join(chosen.line)}
    counted = chosen.weights is not None or chosen.count is not None
    ev = read_evaluation(chosen, by=chosen.by, keep=None if counted else True, ids=not counted)
    notes = tuple(map(in_words_of_the_terminal, ev.notes))
    page = karat.report(ev, measures=measures_of(chosen), notes=notes, **sampling_of(chosen), **options)
    page.save(chosen.output)
    if not chosen.quiet:
        for note in page.notes:
            say(note)
        inform(f"{shown(chosen.output)}: {os.path.getsize(chosen.output) / 1e3:,.0f} kB")
    if chosen.open:
        import pathlib
        import webbrowser

        webbrowser.open(pathlib.Path(chosen.output).resolve().as_uri())


def app(chosen: Namespace) -> None:
    """Serve the app until it is interrupted."""
    from contextlib import suppress

    from karat.reports.app.serving import serve

    def ready(address: str) -> None:
        put(f"karat is at {address} (Ctrl-C ends it)", "the address, with its key, must be read somewhere")
        if not chosen.no_browser:
            import webbrowser

            webbrowser.open(address)

    with suppress(KeyboardInterrupt):
        serve(chosen.port, chosen.limit * 1_000_000, ready=ready)
