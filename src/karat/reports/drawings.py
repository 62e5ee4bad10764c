"""The pictures of a section: those that it asks for by name, then others that are declared for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from karat.plot.registry import Section, find_picture, list_pictures
from karat.plot.svg import Drawing, drawing


class Asked(NamedTuple):
    """A picture that a section asks for, of a result, with options."""

    name: str
    result: object
    options: dict[str, Any]


def asked(name: str, result: object, **options: Any) -> Asked:
    """Ask for a picture by name."""
    return Asked(name, result, options)


def drawings(wanted: Sequence[Asked], section: Section, results: Sequence[object], key: str) -> list[Drawing]:
    """The pictures asked for, then those declared for the section that can be drawn of one of the results.

    key: makes the ids of this section's pictures unique on the page.
    """
    names = {one.name for one in wanted}
    others = [picture for picture in list_pictures() if picture.section == section and picture.name not in names]
    drawable = ((picture, next(filter(picture.is_of, results), None)) for picture in others)
    more = [asked(picture.name, result) for picture, result in drawable if result is not None]
    return [
        drawing(find_picture(name), result, f"{key}-{number}", **options)
        for number, (name, result, options) in enumerate([*wanted, *more])
    ]
