"""Contingency tables that karat saved, as JSON or Parquet."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from karat.sources.files.inputs import Input
from karat.sources.files.registry import Format, add

if TYPE_CHECKING:
    from karat.tables.table import Table


# karat's entry of the key-value metadata: its key, a text of 5 bytes in Thrift's compact protocol, or the start of its
# value; one of them is enough, so that a table with a damaged entry is refused, and not read as rows
KEY = re.compile(rb'\x18\x05karat\x18|\{"karat": "table", "format": ')


def read_saved(source: Input) -> tuple[Table, str]:
    """Load a table."""
    from karat.tables.table import Table

    return Table.load(source.path), "a contingency table"


def is_saved(path: str, start: bytes) -> bool:
    """Whether a Parquet file is a table that karat saved: its metadata, at its end, say so."""
    if not start.startswith(b"PAR1"):
        return False
    with open(path, "rb") as file:
        end = file.seek(0, os.SEEK_END) - 8
        file.seek(max(0, end))
        length = int.from_bytes(file.read(4), "little")
        file.seek(max(0, end - length))
        metadata = file.read(length)
    return KEY.search(metadata) is not None


add(
    Format(
        "table", "saved tables", "as `karat table -o` writes them, or Parquet with karat's metadata", "", (".json",),
        content=is_saved, text=False, table=read_saved,
    )
)  # fmt: skip
