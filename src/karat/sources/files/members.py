"""Formats that name items: communities and Senseval keys."""

from __future__ import annotations

import math
from typing import Any

from karat.errors import FileError, listed
from karat.sources.files.inputs import Input
from karat.sources.files.text import Columns, decoded


def read_communities(source: Input) -> Columns:
    """One cluster per line, its items separated by white space; lines that begin with # are comments."""
    community_of: dict[str, int] = {}
    twice: dict[str, None] = {}
    number = 0
    for line in decoded(source).split("\n"):
        if line.lstrip().startswith("#") or not line.strip():
            continue
        number += 1
        for item in line.split():
            if community_of.setdefault(item, number) != number:
                twice[item] = None
    if twice:
        raise FileError(
            f"{source.name!r} has {len(twice):,} items in more than one community: {listed(twice, 3)}; "
            "karat scores partitions, so keep each item in one."
        )
    return Columns.of(["item", "community"], [list(community_of), list(community_of.values())])


def read_senseval(source: Input) -> tuple[Columns, str]:
    """A Senseval or SemEval key: lemma, instance, and senses, each with a weight after a slash or with weight 1.

    The label is the sense of largest weight, the first one if tied; text after !! is a comment. Returns the columns,
    and a note on how many instances have several senses, empty if none has.
    """
    columns: list[list[Any]] = [[], [], []]
    several = 0
    for number, line in enumerate(decoded(source).split("\n"), 1):
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
    return Columns.of(["lemma", "instance", "sense"], columns), note if several else ""


def _sense(text: str, name: str, number: int) -> tuple[str, float]:
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
