"""What karat raises when the caller can mend something: one sentence, the value, the remedy."""

from __future__ import annotations

from collections.abc import Iterable


class KaratError(ValueError):
    """A mistake in what was asked; every error that karat raises on purpose is one of these."""


class LabelError(KaratError):
    """Labels that cannot be read or aligned."""


class TableError(KaratError):
    """A contingency table that is not one, or not of the kind that a measure needs."""


class MeasureError(KaratError):
    """An unknown measure, or a parameter that it does not have."""


class FileError(KaratError):
    """A file that cannot be read, or does not hold what it should."""


BRIEF = 60  # characters of a value in a message


def brief(value: object) -> str:
    """A value as messages show it: its repr, cut where it is long, its type where it cannot be shown.

    >>> brief("x" * 70_000)
    "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...'"
    """
    try:
        whole = repr(value[: BRIEF + 1] if isinstance(value, (str, bytes)) else value)
    except Exception:  # of somebody else's class, or an integer of very many digits
        whole = f"a value of type {type(value).__name__}"
    if not isinstance(value, (str, bytes)):  # an array has many lines
        whole = " ".join(whole[: 4 * BRIEF].split())
    if len(whole) <= BRIEF + 2:
        return whole
    return f"{whole[: BRIEF - 2]}...{whole[-1]}"


def listed(values: Iterable[object], most: int = 5) -> str:
    """The first few of some values, as a message shows them: 'a', 'b', ... (7 in all)."""
    shown = list(values)
    text = ", ".join(brief(v) for v in shown[:most])
    return text if len(shown) <= most else f"{text}, ... ({len(shown)} in all)"


def nearest(name: str, known: Iterable[str]) -> str:
    """'did you mean X?' when a known name is close to the one given, else nothing."""
    from difflib import get_close_matches

    if len(name) > 2 * BRIEF:  # close to nothing, which would take long to find out
        return ""
    close = get_close_matches(name, list(known), n=1)
    return f"did you mean {close[0]}?" if close else ""
