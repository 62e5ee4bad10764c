"""Sweeps: systems whose names differ in a number only, such as k=10 and k=20."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

_NUMBERED = re.compile(r"(?P<before>.*?)(?P<number>-?\d+(?:\.\d+)?(?:e-?\d+)?)(?P<after>\D*)", re.ASCII)
FEWEST = 3  # systems, below which there is no curve


class Sweep(NamedTuple):
    """The numbers in the names of systems, in increasing order."""

    name: str  # the parameter, such as k
    numbers: tuple[float, ...]
    order: tuple[int, ...]  # the indices of the systems, by increasing number


def sweep_of(names: Sequence[str]) -> Sweep | None:
    """The sweep of systems with these names; None if they differ in more than a number, or are few.

    >>> sweep_of(["k=10", "k=5", "k=20"])
    Sweep(name='k', numbers=(5.0, 10.0, 20.0), order=(1, 0, 2))
    """
    matches = [match for match in map(_NUMBERED.fullmatch, names) if match is not None]
    if len(names) < FEWEST or len(matches) < len(names):
        return None
    if len({(match["before"], match["after"]) for match in matches}) > 1:
        return None
    numbers = [float(match["number"]) for match in matches]
    if len(set(numbers)) < len(numbers):
        return None
    order = sorted(range(len(names)), key=numbers.__getitem__)
    name = matches[0]["before"].rstrip("=_-: ").rsplit("/", 1)[-1] or matches[0]["after"].strip(" _-.") or "number"
    return Sweep(name, tuple(numbers[index] for index in order), tuple(order))
