"""The pictures that a notebook shows below a result."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import partial
from importlib.util import find_spec

from karat.plot.registry import Picture, pictures_of
from karat.plot.svg import svg
from karat.tables.table import Table

WHITE = "background: white; width: 40em; max-width: 100%"  # also in a dark notebook
MOST = 5_000_000  # cells; larger tables take too long to draw


def shown_below(result: object) -> list[str]:
    """The pictures below a result as HTML; empty without matplotlib, or if the result has no picture."""
    if find_spec("matplotlib") is None or not _soon_drawn(result):
        return []
    digest = hashlib.sha256(str(result).encode("utf-8", "backslashreplace")).hexdigest()[:8]  # for unique ids
    pictures = [picture for picture in pictures_of(result) if isinstance(result, picture.notebook)]
    return [_html(picture, result, f"karat-{digest}-{picture.name}") for picture in pictures]


def _soon_drawn(result: object) -> bool:
    """Whether the tables of a result have few enough cells to be drawn at once."""
    results = result.values() if isinstance(result, Mapping) else ()
    tables = [getattr(part, "table", None) for part in (result, *results)]
    return all(table.counts.size <= MOST for table in tables if isinstance(table, Table))


def _html(picture: Picture, result: object, key: str) -> str:
    draw = partial(picture.draw, result, **picture.page)
    return f'<div style="{WHITE}">{svg(draw, picture.size(result, **picture.page), key)}</div>'
