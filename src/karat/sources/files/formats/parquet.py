"""Parquet files, read by DuckDB."""

from __future__ import annotations

from typing import TYPE_CHECKING

from karat.errors import FileError
from karat.limits import UNPACKED
from karat.sources.files.inputs import Input
from karat.sources.files.registry import Format, Header, Query, add

if TYPE_CHECKING:
    from karat.sources.files.database import Database

DIGITS = 38  # of decimals; DuckDB reads those with more as floats


def header_of(database: Database, source: Input) -> Header:
    """The names in the Parquet schema: DuckDB renames columns whose names are equal but for case."""
    from karat.sources.files import sql

    sizes = f"SELECT sum(total_uncompressed_size), 8 * any_value(rows) FROM parquet_metadata({sql.paths(source)})"
    rows = f"SELECT sum(num_rows) AS rows FROM parquet_file_metadata({sql.paths(source)})"
    declared = database.all(f"{sizes}, ({rows})", source.name)[0]
    UNPACKED.check(max(size or 0 for size in declared), repr(source.name), FileError)
    described = database.all(f"DESCRIBE SELECT * FROM {rows_of(database, source, 0)}", source.name)
    query = f"SELECT name, coalesce(num_children, 0), coalesce(precision, 0) FROM parquet_schema({sql.paths(source)})"
    nodes = database.all(query, source.name, in_order=True)
    names, types, index = [], [], 1  # node 0 is the root
    for _, kind, *_ in described:
        names.append(nodes[index][0])
        types.append(kind if nodes[index][2] <= DIGITS else f"DECIMAL({nodes[index][2]})")
        index = _next_sibling(nodes, index)
    return Header(tuple(names), tuple(row[0] for row in described), tuple(types))


def _next_sibling(nodes: list[tuple[str, int, int]], index: int) -> int:
    """The index after a node and all its descendants, in depth-first order."""
    children = nodes[index][1]
    index += 1
    for _ in range(children):
        index = _next_sibling(nodes, index)
    return index


def rows_of(database: Database, source: Input, size: int) -> str:
    """SQL that reads Parquet files, without the columns that directories named key=value would add."""
    from karat.sources.files import sql

    return f"read_parquet({sql.paths(source)}, hive_partitioning=false)"


add(
    Format(
        "parquet", "Parquet", "columns of any type but lists and records", "types as they are", (".parquet", ".pq"),
        (b"PAR1",), text=False, query=Query(header_of, rows_of),
    )
)  # fmt: skip
