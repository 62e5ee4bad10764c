"""Values of options: numbers and pairs in a given range, or an error that says what is expected."""

from __future__ import annotations

import argparse


def positive(text: str) -> int:
    """A whole number from 1."""
    return _number(text, 1, 1_000_000_000)


def share(text: str) -> tuple[str, float]:
    """A class and the share of it to keep."""
    label, _, share = text.rpartition("=")
    try:
        value = float(share)
    except ValueError:
        value = -1
    if not label or not 0 < value <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a class and a share of it, such as 'H*=0.1'")
    return label, value


def threshold(text: str) -> tuple[str, float]:
    """A measure and the score that is good enough."""
    measure, _, score = text.rpartition("=")
    try:
        value = float(score)
    except ValueError:
        value = float("nan")
    if not measure.strip() or value != value:
        raise argparse.ArgumentTypeError(f"{text!r} is not a measure and a score, such as ari=0.6")
    return measure.strip(), value


def size(text: str) -> str:
    """An amount of memory."""
    import re

    if not re.fullmatch(r"\d+(\.\d+)? ?[KMGT]?i?B", text, re.IGNORECASE):
        raise argparse.ArgumentTypeError(f"{text!r} is no amount of memory, such as 2GB")
    return text


def seed(text: str) -> int:
    """A whole number from 0."""
    return _number(text, 0, 1_000_000_000)


def port(text: str) -> int:
    """A number of a port."""
    return _number(text, 0, 65_535)


def digits(text: str) -> int:
    """A number of decimals."""
    return _number(text, 0, 17)


def _number(text: str, low: int, high: int) -> int:
    try:
        number = int(text)
    except ValueError:
        number = low - 1
    if not low <= number <= high:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from {low} to {high:,}")
    return number
