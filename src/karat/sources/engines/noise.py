"""Noise among the clusters of cells that stay in an engine.

The engine finds the clusters that it takes to be equal to the noise label. It may round, or compare a date with a time,
so those that it found are compared again, as labels are compared everywhere.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime, timedelta
from decimal import Decimal
from numbers import Real
from typing import Any

from karat.errors import LabelError, Option
from karat.labels.identity import UNITS, is_temporal, label_key, temporal
from karat.labels.policy import Policy
from karat.labels.treatment import label_code
from karat.sources.engines.cells import Cells
from karat.sources.engines.keys import Key

LONG = 1 << 64  # engines take no longer integers


def without_noise(cells: Cells, policy: Policy, key: Key | None) -> tuple[Cells, int]:
    """The cells, without noise if the policy drops it, and the number of items that are noise."""
    kind = cells.kind if key is None else key.kind
    own, noise = _kind(policy.noise), policy.noise
    if own == "duration" and kind in (own, "time of day"):
        own, noise = kind, _duration(noise, kind)
    label = noise if own == kind else _alike(noise, kind)
    asked = _literal(label) if key is None or label is None else key.key(label)
    found = {} if asked is None else cells.clusters_like(asked)
    labels = [name if key is None else key.label(name) for name in found]
    same = label_code(labels, noise if label is None else label, "noise", "pred")  # refuses what cannot be a label
    number = 0 if same < 0 else list(found.values())[same]
    if number and own != kind:
        asked_for, right = Option("noise", (policy.noise,)), Option("noise", (label,))
        raise LabelError(asked_for, f" is not among pred's labels, but {label!r} is; give ", right, ".")
    if number and len(found) > 1:
        raise LabelError(Option("noise", (label,)), " is rounded by the engine, and so equals other labels; rename it.")
    return (cells.without(asked) if number and policy.noise_as == "drop" else cells), number


def _duration(label: Any, kind: str) -> Any:
    """A duration as a label of a kind of column, None if it has none: engines do not compare it with a time."""
    microseconds, rest = divmod(temporal(label)[1], UNITS["us"])
    if rest:
        return label  # nanoseconds
    with suppress(OverflowError):
        length = timedelta(microseconds=microseconds)
        if kind == "duration":
            return length
        return (datetime.min + length).time() if timedelta(0) <= length < timedelta(1) else None
    return None


def _literal(label: Any) -> Any:
    """A label as engines take it, or None if no column has such labels; an engine may round it."""
    if isinstance(label, str) and any("\ud800" <= letter <= "\udfff" for letter in label):  # not in UTF-8
        return None
    if isinstance(label, (bool, str, bytes)) or is_temporal(label):
        return label
    if isinstance(label, Decimal) and label.is_finite() and -40 <= int(label.as_tuple().exponent) < 0:
        return label  # as it is: a float would be rounded
    number = label_key(label.real if isinstance(label, complex) else label)
    if isinstance(number, int) and abs(number) < LONG:
        return number
    with suppress(OverflowError, TypeError):
        approximate = float(number if isinstance(number, (int, float)) else label)
        return int(approximate) if abs(approximate) < LONG and approximate.is_integer() else approximate
    return None


def _kind(label: Any) -> str:
    """The kind of a label, as kind_of() names that of a column; empty if no column has labels of its kind."""
    if isinstance(label, bool):
        return "boolean"
    if isinstance(label, (Real, Decimal)) or (isinstance(label, complex) and not label.imag):
        return "number"
    if is_temporal(label):
        return temporal(label)[0]
    return "text" if isinstance(label, str) else "bytes" if isinstance(label, bytes) else ""


def _alike(label: Any, kind: str) -> Any:
    """A label of this kind that prints like another label; None if there is none."""
    if kind == "text":
        return str(label)
    if kind == "boolean" and isinstance(label, str):
        return {"true": True, "false": False}.get(label.lower())
    if kind != "number" or not isinstance(label, str):
        return None
    for read in (int, float):
        with suppress(ValueError):
            return read(label)
    return None
