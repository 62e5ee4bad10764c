"""Explanations of several systems by name, or of groups of items."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from karat.errors import brief, contains, listed
from karat.output.layout import Layout, shown
from karat.output.result import Result, json_label


@dataclass(frozen=True, eq=False, repr=False)
class Explanations(Result, Mapping[Any, Any]):
    """Explanations by system, or by group; print it for the largest problems of each."""

    by: str  # "system", or the name of the groups
    explanations: Mapping[Any, Any]

    def __getitem__(self, name: Any) -> Any:
        if not contains(self.explanations, name):
            raise KeyError(f"{brief(name)} is not explained; there are {listed(self.explanations, 20)}")
        return self.explanations[name]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.explanations)

    def __len__(self) -> int:
        return len(self.explanations)

    def __repr__(self) -> str:
        return f"<Explanations: {len(self)} by {shown(self.by)}>"

    @property
    def signature(self) -> str:
        """How the values were computed, one line for each system or group."""
        return "\n".join(f"{shown(name)}: {explanation.signature}" for name, explanation in self.explanations.items())

    def layouts(self, digits: int = 4) -> list[Layout]:
        """The tables of each explanation, titled with its name."""
        return [
            layout._replace(title=f"{shown(name)}: {layout.title}")
            for name, explanation in self.explanations.items()
            for layout in explanation.layouts(digits)
        ]

    def layout(self, digits: int = 4) -> Layout:
        """A row for each of the largest problems, with the name of its system or group."""
        rows = [
            [shown(name), text]
            for name, explanation in self.explanations.items()
            for text in explanation.sentences(digits)
        ]
        return Layout("What went wrong", [shown(self.by), "largest problems"], rows, left=2)

    def sentences(self, digits: int = 4) -> tuple[str, ...]:
        """The largest problems of each system or group, after its name."""
        return tuple(
            f"{shown(name)}: {text}"
            for name, explanation in self.explanations.items()
            for text in explanation.sentences(digits)
        )

    def records(self) -> list[dict[str, Any]]:
        """The records of each explanation, with its name."""
        return [
            {self.by: name, **record}
            for name, explanation in self.explanations.items()
            for record in explanation.records()
        ]

    def to_dict(self) -> dict[str, Any]:
        """Everything, as plain values for JSON."""
        return {
            f"{self.by}s": [
                {self.by: json_label(name), **explanation.to_dict()} for name, explanation in self.explanations.items()
            ]
        }
