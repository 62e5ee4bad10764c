"""report_on(): a page about the labels, or the tables, in some files."""

from __future__ import annotations

from typing import Any

from karat.errors import FileError
from karat.files.reading import read
from karat.files.together import NoLabelsError, read_together
from karat.reports.content import Report
from karat.reports.reporting import report

READING = ("gold", "pred", "id", "input", "encoding", "header", "delimiter", "memory", "threads")  # options of both
POLICY = ("missing", "noise", "noise_as")


def report_on(*paths: str, reading: dict[str, Any], measures: Any = None, **options: Any) -> Report:
    """The page about these files; reading: options of read(); options: those of report().

    Items that are counted or weighted cannot be compared one by one, but have scores all the same.
    """
    counted = reading.get("input") in ("matrix", "senseval") or any(reading.get(n) for n in ("weights", "count"))
    if not counted:  # standard input can be read once only
        try:
            shared = {name: value for name, value in reading.items() if name in READING}
            found = read_together(*paths, noise=reading.get("noise"), **shared)
        except NoLabelsError:
            pass
        else:
            policy = {name: reading[name] for name in POLICY if name in reading} | {"noise": found.noise}
            named = {"items": found.items, "notes": found.notes}
            return report(found.gold, found.systems, measures, **policy, **named, **options)
    tables = read(*paths, **reading)
    if tables.groups:
        raise FileError(f"a report is of all items, but these are in groups by {tables.by!r}; use karat score.")
    return report(dict(tables.tables), None, measures, notes=tables.notes, **options)
