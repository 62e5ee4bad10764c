"""Small example data sets, included in karat."""

from __future__ import annotations

import csv
from importlib.resources import files


def textbook() -> tuple[list[str], list[str]]:
    """Classes and clusters of the 17 documents of Figure 16.4 in Manning, Raghavan & Schütze (2008).

    >>> gold, pred = textbook()
    >>> len(gold), sorted(set(gold)), sorted(set(pred))
    (17, ['o', 'x', '◇'], ['1', '2', '3'])
    """
    with (files("karat") / "data" / "textbook.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return [row["class"] for row in rows], [row["cluster"] for row in rows]
