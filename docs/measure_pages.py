"""The site's page of each measure, made when the site is built and kept nowhere."""

from __future__ import annotations

from inspect import getdoc
from typing import Any, Literal, get_args, get_origin, get_type_hints

from behaviour import ITEMS, WHOLE, curves, whole_items

import karat
from karat.measures.cards import range_of
from karat.measures.constraints import CONSTRAINTS

TEXTBOOK = [[5, 1, 2], [1, 4, 0], [0, 1, 3]]


def measure_page(m: karat.Measure) -> str:
    """All that is known of one measure: meaning, formula, promises, an example, its behaviour, names, paper."""
    from latex2mathml.converter import convert

    meaning = (getdoc(m.formula) or "").split("\n>>>")[0].strip()
    items = f"{WHOLE:,} whole items" if whole_items(m) else f"{ITEMS} items, expected counts"
    parts = [
        f"# {m.title}",
        f"`{m.full_text}`",
        meaning,
        f'<div class="formula">{convert(m.tex, display="block")}</div>' if m.tex else m.definition,
        "The letters are those of [the overview](../measures.md).",
        "| | |\n|---|---|\n" + "\n".join(f"| {key} | {value} |" for key, value in _facts(m)),
        "## An example",
        "The 17 documents of Manning et al. (2008), section 16.3: classes x, o and ◇ in three clusters.",
        "| | 1 | 2 | 3 |\n|---|---|---|---|\n" + "\n".join(
            f"| {name} | {' | '.join(map(str, counts))} |" for name, counts in zip("xo◇", TEXTBOOK, strict=True)
        ),
        _example(m),
        _beside(m),
        "## How it behaves",
        f"Tables of Dom (2001), section 6.1, {items}: 5 classes, and one parameter that grows. {_wanted(m)}",
        curves(m),
    ]  # fmt: skip
    if m.elsewhere:
        parts += ["## Names elsewhere", "\n".join(f"- {text}." for text in m.elsewhere)]
    if m.paper:
        equation = f", {m.equation}" if m.equation else ""
        parts += ["## Paper", f"{m.reference.rstrip('.')}{equation}."]
    return "\n\n".join(parts) + "\n"


def _wanted(m: karat.Measure) -> str:
    if m.better is None:
        return "Neither end of this number is better."
    return (
        f"The score, of which the {m.better} is better, should be best at 5 useful clusters, and worse the more there "
        "is of anything else. Broken orange lines go the wrong way."
    )


def _facts(m: karat.Measure) -> list[tuple[str, str]]:
    swapped = m.swapped
    facts = [("better", m.better or "neither end"), ("range", range_of(m))]
    if m.perfect is not None:
        facts.append(("gold itself gets", f"{m.perfect:g}"))
    if m.better:
        depends = f"a number that depends on the sizes; `adjusted({m})` gets 0"
        facts.append(("shuffled labels get", depends if m.chance is None else f"{m.chance:g} on average"))
    if swapped is None:
        facts.append(("gold and predicted swapped", "another number; it is not symmetric"))
    else:
        facts.append(("gold and predicted swapped", "the same" if swapped == m else f"`{swapped}`"))
    if m.better:
        broken = "<br>".join(f"{name.replace('_', ' ')}: {CONSTRAINTS[name]}" for name in m.breaks)
        facts.append(("constraints broken", broken or "none"))
    facts.append(("in the default panel", "yes" if m.panel else "no"))
    return facts


def _example(m: karat.Measure) -> str:
    """The textbook's table scored, with the measure's own parameters varied, as an example that can be run."""
    table = karat.Table.from_matrix(TEXTBOOK)
    lines = [">>> import karat", f">>> table = karat.Table.from_matrix({TEXTBOOK})"]
    for options in ({}, *({key: value} for key in m.defaults for value in _other_values(m, key))):
        arguments = "".join(f", {key}={value!r}" for key, value in options.items())
        lines += [f">>> round(karat.{m.name}(table{arguments}), 4)", repr(round(m(table, **options), 4))]
    return "\n".join(["```python", *lines, "", "```"])


def _other_values(m: karat.Measure, parameter: str) -> tuple[Any, ...]:
    """Values to show for a parameter: its other choices, or some numbers."""
    hint = get_type_hints(m.formula)[parameter]
    if get_origin(hint) is Literal:
        return tuple(choice for choice in get_args(hint) if choice != m.defaults[parameter])
    kinds = get_args(hint) or (hint,)
    return (0.5, 2) if float in kinds else (10,) if int in kinds else ()


def _beside(m: karat.Measure) -> str:
    """What trivial clusterings of the same documents get."""
    scores = karat.score(karat.Table.from_matrix(TEXTBOOK), measures=[m])
    baseline = scores.baselines[str(m)]
    cells = ["–" if value is None else f"{value:.4f}" for value in (scores[str(m)], *baseline)]
    return "| this clustering | one cluster | singletons | shuffled, on average |\n|---|---|---|---|\n" + (
        f"| {' | '.join(cells)} |"
    )
