"""What one request may ask for: every limit with its reason, and the sentence that is said beyond it."""

from __future__ import annotations

from typing import NamedTuple

from karat.errors import KaratError


class Limit(NamedTuple):
    """The most that may be asked for, and what to do instead."""

    most: int
    of: str
    why: str
    remedy: str

    def check(self, asked: float, what: str, error: type[KaratError] = KaratError) -> None:
        """Refuse more than the limit; what names the option or the text that asks for it.

        >>> Limit(10, "draws", "each takes a second", "draw fewer").check(5, "samples")
        """
        if asked > self.most:
            number = f"{asked:,}" if asked < 10**15 else f"{float(min(asked, 1e300)):.3g}"
            raise error(f"{what}: {number} {self.of}, but {self.most:,} is the most ({self.why}); {self.remedy}.")


TEXT = Limit(2_000, "characters", "no measure needs more", "shorten the text")
NESTING = Limit(5, "levels of parentheses", "measures are derived from measures once or twice", "leave some out")
RESAMPLES = Limit(1_000_000, "resamples", "a thousand give a standard error to 2 %", "give fewer")
BACKGROUNDS = Limit(100_000, "random backgrounds", "a hundred take a second for each measure", "give fewer tries")
ITEMS = Limit(1_000_000_000, "items in a list", "they take 16 GB", "score fewer items, or a measure that needs none")
STACK = Limit(1_000_000_000, "cells in a stack of dense tables", "they take 8 GB", "score the tables one by one")
DRAWS = Limit(
    1_000_000,
    "random clusterings, those of nested measures multiplied",
    "ten thousand give a mean to 1 % of its spread",
    "give fewer samples",
)
