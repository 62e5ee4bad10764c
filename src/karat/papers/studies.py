"""What an experiment on a corpus gives: claims, figures, tables, and the numbers behind them."""

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
    data: Sequence[Mapping[str, Any]] = ()  # the numbers that the figures show
    remarks: Sequence[str] = ()  # on what it was done
