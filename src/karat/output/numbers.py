"""Counts and weights as text, alone or with a noun."""

from __future__ import annotations

from typing import Any


def several(count: Any, noun: str) -> str:
    """A count with its noun: 1 class, 2 classes."""
    plural = noun + ("es" if noun.endswith("s") else "s")
    return f"{number(count)} {noun if number(count) == '1' else plural}"


def number(n: Any) -> str:
    """A count with separators, or a weight with at most four decimals."""
    return f"{n:,}" if isinstance(n, int) else f"{float(n):,.4f}".rstrip("0").rstrip(".")
