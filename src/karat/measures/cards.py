"""The list of measures, and a card that describes one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from inspect import getdoc
from typing import TYPE_CHECKING, Any

from karat.measures.constraints import CONSTRAINTS
from karat.measures.registry import Measure, list_measures

if TYPE_CHECKING:
    from karat.output.layout import Layout

NOTATION = (
    "C classes, K clusters, n items; h(c), h(k), h(c,k) items in a class, a cluster, a cell; natural logarithms. "
    "Of all M = n(n-1)/2 pairs, a00 are together in both, a01 in gold only, a10 in the clustering only, a11 in "
    "neither; a0. = a00 + a01, a.0 = a00 + a10."
)


def catalogue(measures: Sequence[Measure] | None = None) -> Layout:
    """A table of all measures, or of some, one row each."""
    from karat.output.layout import Layout  # not needed to score: this file is loaded with the measures

    measures = measures or list_measures()
    rows = [[f"{m.full_text}{' *' if m.panel else ''}", m.better or "", range_of(m), m.title] for m in measures]
    notes = ["* is in the default panel. karat measures NAME describes one; parameters go as in 'v_measure(beta=2)'."]
    return Layout(f"{len(measures)} measures", ["measure", "better", "range", "title"], rows, notes, left=4)


def records(measures: list[Measure]) -> list[dict[str, Any]]:
    """The declared properties of each measure, as JSON values."""
    return [
        {
            "measure": m.full_text, "title": m.title, "family": m.family, "meaning": m.summary,
            "definition": m.definition, "better": m.better, "low": _finite(m.bounds[0]), "high": _finite(m.bounds[1]),
            "unit": m.unit, "perfect": m.perfect, "shuffled": m.chance,
            "swapped": None if m.swapped is None else str(m.swapped), "breaks": list(m.breaks), "panel": m.panel,
            "elsewhere": list(m.elsewhere), "paper": m.paper, "equation": m.equation,
            "reference": m.reference,
        }
        for m in measures
    ]  # fmt: skip


def _finite(bound: float) -> float | None:
    return bound if math.isfinite(bound) else None


def card(m: Measure, columns: int = 80) -> str:
    """The description of one measure, wrapped to a number of columns."""
    from textwrap import wrap

    from karat.output.layout import ARROWS

    facts: list[tuple[str, list[str]]] = [("definition", [m.definition] if m.definition else [])]
    facts.append(("better", [f"{m.better or 'neither end'} {ARROWS[m.better]}".rstrip() + f", {range_of(m)}"]))
    if m.perfect is not None:
        facts.append(("gold gets", [f"{m.perfect:g}"]))
    facts.append(("chance gets", [_chance(m)]))
    facts.append(("swapped", [_swapped(m)]))
    if m.inner is None:
        facts.append(("breaks", [f"{name.replace('_', ' ')}: {CONSTRAINTS[name]}" for name in m.breaks] or ["nothing"]))
    facts.append(("elsewhere", list(m.elsewhere)))
    source = ", ".join(part for part in (m.reference.rstrip("."), m.equation) if part)
    facts.append(("paper", [source] if source else []))
    width = max(len(key) for key, _ in facts) + 2
    meaning = (getdoc(m.formula) or "").split("\n>>>")[0].strip()
    lines = [f"{m.full_text}: {m.title}", ""]
    for paragraph in meaning.split("\n\n"):
        lines += [*wrap(" ".join(paragraph.split()), columns), ""]
    for key, texts in facts:
        for index, text in enumerate(texts):
            head = key if index == 0 else ""
            lines += wrap(text, columns, initial_indent=f"{head:{width}}", subsequent_indent=" " * width)
    return "\n".join([*lines, "", *wrap(NOTATION, columns)])


def range_of(m: Measure) -> str:
    """The range of a measure as text, with its unit."""
    low, high = (("-∞" if x < 0 else "∞") if math.isinf(x) else f"{x:g}" for x in m.bounds)
    return f"{low} to {high} {m.unit}".rstrip()


def _chance(m: Measure) -> str:
    if m.inner is not None:
        return "0 on average, since it is adjusted for chance"
    if m.chance is not None:
        return f"{m.chance:g} on average, for shuffled labels"
    return f"depends on the sizes; adjusted({m}) gets 0"


def _swapped(m: Measure) -> str:
    if m.swapped is None:
        return "not symmetric: swapping gold and predicted gives another number"
    if m.swapped == m:
        return "symmetric: swapping gold and predicted changes nothing"
    return f"becomes {m.swapped} when gold and predicted are swapped"
