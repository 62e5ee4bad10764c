"""Result: the base class of results, which print, and convert to JSON, frames, Markdown and LaTeX."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from karat.errors import whole
from karat.output.frames import frame
from karat.output.layout import Printed

MOST_INDENT = 100  # spaces


class Result(Printed):
    """A result that prints as the table one would put into a paper.

    Results are frozen, can be pickled without change, and are equal if everything in them is. A value that is not
    defined is None.
    """

    @property
    @abstractmethod
    def signature(self) -> str:
        """The options that the numbers depend on: runs that could differ on the same data have different signatures."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """The whole result as plain values for JSON; labels are in the form of json_label()."""

    @abstractmethod
    def records(self) -> list[dict[str, Any]]:
        """The rows of to_frame(), as dicts."""

    def to_json(self, indent: int | None = 2) -> str:
        """The whole result as JSON; indent: spaces per level, or None for one line."""
        return in_json(self.to_dict(), None if indent is None else whole(indent, "indent", MOST_INDENT))

    def to_frame(self, backend: str | None = None) -> Any:
        """The records as a data frame, one row each.

        backend: "pandas", "polars" or "pyarrow"; by default, one that is loaded, else one that is installed.
        """
        return frame(columns_of(self.records()), backend)

    def to_markdown(self, digits: int = 4) -> str:
        """The main table in GitHub's Markdown; digits: decimals of numbers."""
        return self.layout(digits).markdown()

    def to_latex(self, digits: int = 4) -> str:
        """The main table in LaTeX, with the rules of the booktabs package; digits: decimals of numbers."""
        return self.layout(digits).latex()

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Result):
            return type(self) is type(other) and self.to_dict() == other.to_dict()
        return bool(Mapping.__eq__(self, other)) if isinstance(self, Mapping) else NotImplemented

    __hash__ = None  # type: ignore[assignment]


def columns_of(records: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Convert records, which have the same keys, to columns."""
    return {column: [record[column] for record in records] for column in records[0]}


def json_label(label: Any) -> Any:
    """A label for JSON: text, integers, booleans and finite floats unchanged, tuples as lists, others as text.

    >>> json_label(("a", 1, b"x")), json_label(float("inf"))
    (['a', 1, "b'x'"], 'inf')
    """
    if isinstance(label, (list, tuple)):
        return [json_label(inner) for inner in label]
    if label is None or type(label) in (str, int, bool):
        return label
    return label if type(label) is float and label - label == 0 else str(label)


def in_json(document: Any, indent: int | None = 2, *, ascii_only: bool = False) -> str:
    """JSON text, with NaN and infinity as null, and lone surrogates, which UTF-8 lacks, as escapes."""
    text = json.dumps(_finite(document), ensure_ascii=ascii_only, indent=indent, allow_nan=False, default=str)
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _finite(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _finite(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(inner) for inner in value]
    return None if isinstance(value, float) and value - value != 0 else value
