"""What a page is made of: sections, which hold blocks; templates/blocks.html has a macro for each kind of block."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from karat.output.layout import Layout
from karat.plot.svg import Drawing
from karat.reports.heat import Heat
from karat.reports.strips import Strip


@dataclass(frozen=True)
class Grid:
    """A table, with notes below it."""

    layout: Layout
    notes: Sequence[str] = ()


@dataclass(frozen=True)
class Notes:
    """Paragraphs in small print."""

    notes: Sequence[str]


@dataclass(frozen=True)
class Lead:
    """A table with a note, and a picture beside or below it."""

    layout: Layout
    note: str
    drawing: Drawing | None
    beside: bool


@dataclass(frozen=True)
class Fold:
    """A table or notes that can be folded away."""

    summary: str
    layout: Layout | None
    notes: Sequence[str] = ()
    open: bool = False


@dataclass(frozen=True)
class Pictures:
    """Pictures with captions, in columns."""

    drawings: Sequence[Drawing]


@dataclass(frozen=True)
class ScoreRow:
    """A measure's row in the table of scores."""

    measure: str
    shown: str
    arrow: str
    score: str
    interval: str
    strip: Strip | None
    baselines: tuple[str, ...]


@dataclass(frozen=True)
class ScoreTable:
    """The scores of a system, each on its scale. interval: heading of the column of intervals, if there are any."""

    rows: Sequence[ScoreRow]
    interval: str


@dataclass(frozen=True)
class Problems:
    """The largest problems, in words."""

    problems: Sequence[str]


@dataclass(frozen=True)
class HeatTable:
    """The heat map of the system with this index."""

    index: int
    heat: Heat


@dataclass(frozen=True)
class Search:
    """Where the page's script puts the classes and clusters to search."""


@dataclass(frozen=True)
class Term:
    """A measure's entry in the glossary."""

    measure: str
    title: str
    summary: str
    definition: str
    facts: str
    reference: str


@dataclass(frozen=True)
class Glossary:
    """What the measures mean."""

    terms: Sequence[Term]


@dataclass(frozen=True)
class Command:
    """The command line that makes the page again, and the version."""

    command: str
    version: str


Block: TypeAlias = (
    Grid | Notes | Lead | Fold | Pictures | ScoreTable | Problems | HeatTable | Search | Glossary | Command
)


@dataclass(frozen=True)
class Section:
    """A section of the page under a heading. key: its id on the page; attributes: of its HTML element."""

    key: str
    heading: str
    blocks: Sequence[Block]
    attributes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Part:
    """The sections about one system; the reader chooses which system to see."""

    index: int
    name: str
    title: str
    sections: Sequence[Section]
    signature: str
