"""Contingency tables that karat saved, as JSON or Parquet."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from karat.sources.files.inputs import Input
from karat.sources.files.registry import Format, add

if TYPE_CHECKING:
    from karat.tables.table import Table


def read_saved(source: Input) -> tuple[Table, str]:
    """Load a table."""
    from karat.tables.table import Table

    return Table.load(source.path), "a contingency table"


def is_saved(path: str, start: bytes) -> bool:
    """Whether a Parquet file is a table that karat saved: its metadata, at its end, say so."""
    if not start.startswith(b"PAR1"):
        return False
    with open(path, "rb") as file:
        file.seek(max(0, os.path.getsize(path) - (1 << 20)))
        end = file.read()
    return b"karat" in end and b'"karat": "table"' in end


add(
    Format(
        "table", "saved tables", "as `karat table -o` writes them, or Parquet with karat's metadata", "", (".json",),
        content=is_saved, text=False, table=read_saved,
    )
)  # fmt: skip
