"""Systems that differ by a number in their names, such as k=10, k=20: a curve."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

_NUMBERED = re.compile(r"(?P<before>.*?)(?P<number>-?\d+(?:\.\d+)?(?:e-?\d+)?)(?P<after>\D*)", re.ASCII)
FEWEST = 3  # points of a curve


class Sweep(NamedTuple):
    """The numbers of systems whose names are otherwise the same, in their order."""

    name: str  # what the number is of
    numbers: tuple[float, ...]
    order: tuple[int, ...]  # the places of the systems by their numbers


def sweep_of(names: Sequence[str]) -> Sweep | None:
    """The sweep that some systems are, or None.

    >>> sweep_of(["k=10", "k=5", "k=20"])
    Sweep(name='k', numbers=(5.0, 10.0, 20.0), order=(1, 0, 2))
    """
    found = [_NUMBERED.fullmatch(name) for name in names]
    if len(names) < FEWEST or None in found:
        return None
    matches = [match for match in found if match is not None]
    if len({(match["before"], match["after"]) for match in matches}) > 1:
        return None
    numbers = [float(match["number"]) for match in matches]
    if len(set(numbers)) < len(numbers):
        return None
    order = sorted(range(len(names)), key=numbers.__getitem__)
    name = matches[0]["before"].rstrip("=_-: ").rsplit("/", 1)[-1] or matches[0]["after"].strip(" _-.") or "number"
    return Sweep(name, tuple(numbers[place] for place in order), tuple(order))
