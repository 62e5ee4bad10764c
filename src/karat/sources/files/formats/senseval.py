"""Senseval and SemEval keys: lemma, instance and weighted senses in each line."""

from __future__ import annotations

import math
from typing import Any

from karat.errors import FileError
from karat.sources.files.inputs import Input
from karat.sources.files.registry import Columns, Format, add


def read_senseval(source: Input) -> Columns:
    """Read lemma, instance, and senses, each with a weight after a slash or with weight 1.

    The label is the sense of largest weight, the first one if tied; text after !! is a comment. A note says how many
    instances have several senses, if any.
    """
    from karat.sources.files.text import lines_of

    columns: list[list[Any]] = [[], [], []]
    several = 0
    for number, line in enumerate(lines_of(source), 1):
        lemma, *rest = line.split("!!")[0].split() or [""]
        if not lemma:
            continue
        if not rest:
            raise FileError(f"{source.name!r} has no instance in line {number}; give lemma, instance and sense.")
        weighted = [_sense(text, source.name, number) for text in rest[1:]]
        if any(not sense for sense, _ in weighted):
            raise FileError(f"{source.name!r} has a weight without a sense in line {number}; give the sense.")
        several += len(dict(weighted)) > 1
        heaviest = max((weight for _, weight in weighted), default=0.0)
        sense = next((sense for sense, weight in weighted if weight == heaviest), None)  # None if missing
        for column, value in zip(columns, (lemma, f"{lemma} {rest[0]}", sense), strict=True):
            column.append(value)
    note = f"{several:,} of {len(columns[0]):,} instances have several senses; only the heaviest, or the first, counts"
    return Columns.of(["lemma", "instance", "sense"], columns, note if several else "")


def _sense(text: str, name: str, number: int) -> tuple[str, float]:
    """A sense and its weight; number is the line, for messages."""
    sense, slash, weight = text.rpartition("/")
    if not slash:
        return text, 1.0
    try:
        value = float(weight)
    except ValueError:
        return text, 1.0  # a sense whose name has a slash
    if not math.isfinite(value):
        raise FileError(f"{name!r} has weight {weight} in line {number}; give finite weights.")
    return sense, value


add(
    Format(
        "senseval", "Senseval or SemEval keys", "`lemma instance sense[/weight] ...` in each line; !! begins a comment",
        "the sense with the largest weight; scored by lemma", (".key",), read=read_senseval,
        item="instance", label="sense", group="lemma", example="w i.1 s1/0.5 s2/0.5\nw i.2 s1\nv i.3 s9 !! no\n",
    )
)  # fmt: skip
