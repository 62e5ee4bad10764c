"""A claim of a paper: the printed result, where it is printed, the computed result, and a verdict."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, TypeAlias

Verdict: TypeAlias = Literal["reached", "reached up to rounding", "not reached"]


class Claim(NamedTuple):
    """A printed result, the computed one, and the verdict."""

    place: str  # in the paper, such as "Table 1"
    claim: str
    printed: str
    computed: Any
    verdict: Verdict
    note: str = ""  # how the text is interpreted, or why the result is not reached

    @property
    def shown(self) -> str:
        """The computed value, with two decimals more than printed."""
        if not isinstance(self.computed, float):
            return str(self.computed)
        return f"{self.computed:.{decimals_of(self.printed) + 2}f}"


def decimals_of(printed: str) -> int:
    """How many decimals a printed number has."""
    return len(printed.partition(".")[2])


def number(place: str, claim: str, printed: str, computed: float, note: str = "") -> Claim:
    """The claim of a printed number: reached in every digit, up to one unit in the last, or not.

    >>> number("Table 1", "V", "0.81", 0.8169).verdict
    'reached up to rounding'
    """
    digits = decimals_of(printed)
    if isinstance(computed, int) or digits == 0:
        verdict: Verdict = "reached" if float(printed) == computed else "not reached"
    elif f"{computed:.{digits}f}" == f"{float(printed):.{digits}f}":
        verdict = "reached"
    elif abs(computed - float(printed)) < 10**-digits:
        verdict = "reached up to rounding"
    else:
        verdict = "not reached"
    return Claim(place, claim, printed, computed, verdict, note)


def statement(place: str, claim: str, holds: bool, computed: Any, note: str = "") -> Claim:
    """The claim of a statement in words, and whether it holds for the computed results."""
    return Claim(place, claim, "stated", computed, "reached" if holds else "not reached", note)


def cells(place: str, claim: str, printed: list[list[str]], computed: Any, note: str = "") -> Claim:
    """The claim of a printed table of numbers, which is reached if every digit of every number is."""
    flat = [(p, float(c)) for row, line in zip(printed, computed, strict=True) for p, c in zip(row, line, strict=True)]
    right = sum(f"{c:.{decimals_of(p)}f}" == f"{float(p):.{decimals_of(p)}f}" for p, c in flat)
    verdict: Verdict = "reached" if right == len(flat) else "not reached"
    return Claim(place, claim, f"{len(flat)} cells", f"{right} of {len(flat)} cells", verdict, note)
