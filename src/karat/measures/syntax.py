"""Measures as text: v_measure(beta=2), nmi(norm=max), sklearn.metrics:rand_score, ./mine.py:function."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any, Literal, get_args, get_origin

from karat.errors import BRIEF, MeasureError, brief, listed
from karat.limits import NESTING, TEXT

_FUNCTION = r":[A-Za-z_][\w.]*"  # of a module, or of a file of Python
_NAME = rf"(?P<name>[A-Za-z_][\w.]*(?:{_FUNCTION})?|[^(),]+\.py{_FUNCTION})"
_CALL = re.compile(rf"{_NAME}\s*(?:\((?P<params>.*)\))?", re.DOTALL)
_MARKS = re.compile(r"[(),]")
LARGEST = 1e100  # the largest parameter, so that its square does not overflow


def split_at_commas(text: str) -> list[str]:
    """Split a text at the commas that are outside parentheses."""
    pieces, depth, start = [], 0, 0
    for mark in _MARKS.finditer(text):
        depth += {"(": 1, ")": -1}.get(mark[0], 0)
        if mark[0] == "," and not depth:
            pieces.append(text[start : mark.start()])
            start = mark.end()
    return [*pieces, text[start:]]


def parse_call(text: object) -> tuple[str, str | None, dict[str, Any]]:
    """Parse the text of a measure into its name, the inner measure's text or None, and its parameters."""
    if isinstance(text, str):
        TEXT.check(len(text), f"the measure {brief(text)}", MeasureError)
        NESTING.check(text.count("("), f"the measure {brief(text)}", MeasureError)
    match = _CALL.fullmatch(text.strip()) if isinstance(text, str) else None
    if match is None:
        shown = brief(text)
        raise MeasureError(f"{shown} does not name a measure; write a name, or one with parameters: v_measure(beta=2).")
    params: dict[str, Any] = {}
    inner = None
    inside = (match["params"] or "").strip()
    for index, piece in enumerate(split_at_commas(inside) if inside else []):
        if index == 0 and "=" not in piece.partition("(")[0]:
            inner = piece.strip()
            continue
        key, equals, value = (part.strip() for part in piece.partition("="))
        if not equals or not key or not value:
            raise MeasureError(f"in {brief(text)}, {brief(piece.strip())} is no parameter; write name=value.")
        if key in params:
            raise MeasureError(f"{brief(text)} gives {key[:BRIEF]} twice; give it once.")
        params[key] = _value(value)
    return match["name"], inner, params


def _value(text: str) -> Any:
    if text == "None":
        return None
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def spell(name: str, params: Mapping[str, Any], inner: str | None = None) -> str:
    """The text of a measure with these parameters and inner measure; the inverse of parse_call()."""
    pieces = [inner] if inner else []
    pieces += [f"{key}={_plain(value)}" for key, value in params.items()]
    return f"{name}({', '.join(pieces)})" if pieces else name


def _plain(value: Any) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() and abs(value) < 1e15 else str(value)


def check_parameter(measure: str, key: str, value: Any, hint: Any) -> Any:
    """Check a parameter's value against its annotation (Literal, str, bool, number, None); return it."""
    kinds = get_args(hint) or (hint,)
    if get_origin(hint) is Literal:
        if not isinstance(value, str) or value not in kinds:
            raise MeasureError(f"{measure} cannot have {key}={brief(value)}; use one of {listed(kinds)}.")
        return value
    if value is None and type(None) in kinds:
        return value
    if bool in kinds and str(value) in ("True", "False"):
        return str(value) == "True"
    if str in kinds:
        return str(value)
    integral = int in kinds and float not in kinds
    number = isinstance(value, Integral if integral else Real) and not isinstance(value, bool)
    if number and key == "beta" and value == math.inf:
        return math.inf
    if not number or not 0 <= value <= LARGEST or math.isnan(value):
        noun = "a whole number" if integral else "a number"
        raise MeasureError(f"{measure} cannot have {key}={brief(value)}; give {noun} from 0 to {LARGEST:g}.")
    return int(value) if isinstance(value, Integral) else float(value)
