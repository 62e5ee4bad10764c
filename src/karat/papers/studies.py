"""The result of an experiment on a corpus: claims, figures, tables, and their data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from karat.output.layout import Layout
from karat.papers.claims import Claim
from karat.papers.figures import Figure


@dataclass(frozen=True)
class Study:
    """The result of an experiment."""

    claims: Sequence[Claim]
    figures: Mapping[str, Figure] = field(default_factory=dict)
    tables: Sequence[Layout] = ()
    data: Sequence[Mapping[str, Any]] = ()  # the data of the figures
    remarks: Sequence[str] = ()  # notes on the corpus and the method
