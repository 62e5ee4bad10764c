"""Columns of files in DuckDB, selected by role: item, gold, predicted labels, groups, weights."""

from __future__ import annotations

from typing import Any

import numpy as np

from karat.errors import FileError
from karat.labels.encoding import Labels
from karat.sources.files.codes import NO_LABEL, numbered
from karat.sources.files.database import Database
from karat.sources.files.inputs import Input
from karat.sources.files.options import Name
from karat.sources.files.registry import Header, Query
from karat.sources.files.sources import Source, different_columns

DIGITS = 38  # of decimals; DuckDB reads those with more as floats


def header_of(database: Database, source: Input, query: Query) -> Header:
    """The columns of a file, or of several files, which must have the same columns."""
    if query.ragged or len(source.paths) == 1:
        return query.header(database, source)
    headers = [query.header(database, source._replace(paths=(path,))) for path in source.paths]
    for path, header in zip(source.paths, headers, strict=True):
        if header != headers[0]:
            raise different_columns(path, source)
    return headers[0]


def selected(database: Database, source: Source, roles: dict[str, Name]) -> str:
    """A query for some columns of a file, named by their roles; ids as text. Types that are no labels are refused."""
    query = _named_by_role(database, source, roles)
    chosen = []
    for role, kind, *_ in database.all(f"DESCRIBE {query}", source.input.name):
        _check_types(source, roles[role])
        if not isinstance(roles[role], str):
            if _loses(kind):
                raise FileError(
                    f"{source.input.name!r} has {kind} in columns {', '.join(map(repr, roles[role]))}, of which Python "
                    "would lose a part; save them as text."
                )
            chosen.append(role)
            continue
        if "[" in kind or kind.startswith(("STRUCT", "MAP", "UNION")):
            raise FileError(
                f"{source.input.name!r} has {kind} in column {roles[role]!r}; give text or a number as a label."
            )
        as_text = role == "item" or _loses(kind)
        finite = not as_text and kind.startswith(("DATE", "TIMESTAMP"))
        chosen.append(f"CAST({role} AS VARCHAR) AS {role}" if as_text else _finite(role) if finite else role)
    return f"SELECT {', '.join(chosen)} FROM ({query})"


def _loses(kind: str) -> bool:
    """Whether Python loses a part of values: times lack nanoseconds and names of zones, intervals lack months."""
    return any(word in kind for word in ("TIME ZONE", "TIMESTAMPTZ", "_NS", "INTERVAL"))


def _finite(role: str) -> str:
    """SQL of dates or times; an infinite one is refused, which in Python would be the last day of the year 9999."""
    return f"CASE WHEN NOT isfinite({role}) THEN error('a date or time is infinite') ELSE {role} END AS {role}"


def _check_types(source: Source, name: Name) -> None:
    """Refuse columns of types that DuckDB rounds when it reads the file."""
    types = dict(zip(source.columns, source.types, strict=False))
    for part in (name,) if isinstance(name, str) else name:
        kind = types.get(part, "")
        if kind == "duration[ns]" or (kind.startswith(("DECIMAL(", "decimal256")) and _digits(kind) > DIGITS):
            raise FileError(
                f"{source.input.name!r} has {kind} in column {part!r}, which would be rounded; save it as text."
            )


def _digits(kind: str) -> int:
    """The digits of a decimal type such as DECIMAL(60,40)."""
    return int(kind.partition("(")[2].partition(",")[0].rstrip(")"))


def selected_rows(database: Database, source: Source, roles: dict[str, Name]) -> str:
    """Some columns of a file by role; text is stored in a temporary table, so that it is parsed once."""
    query = selected(database, source, roles)
    return database.stored(query, source.input.name) if source.input.format.tabular else f"({query})"


def _named_by_role(database: Database, source: Source, roles: dict[str, Name]) -> str:
    """A query for some columns of a file, named by their roles."""
    query = source.input.format.query
    if not source.queried or query is None:
        columns = {role: np.array(_list(source.values(name)), dtype=object) for role, name in roles.items()}
        return f"SELECT {', '.join(roles)} FROM {database.registered(columns)}"
    inner = dict(zip(source.columns, source.inner, strict=True))
    chosen = [f"{_column(query, inner, name, role)} AS {role}" for role, name in roles.items()]
    return f"SELECT {', '.join(chosen)} FROM {query.rows(database, source.input, len(source.columns))}"


def _column(query: Query, inner: dict[str, str], name: Name, role: str) -> str:
    """SQL of a column; several columns become one tuple, NULL if any is NULL."""
    if isinstance(name, str):
        return query.column(inner[name], role)
    parts = [query.column(inner[part], role) for part in name]
    absent = " OR ".join(f"{part} IS NULL" for part in parts)
    return f"(CASE WHEN {absent} THEN NULL ELSE row({', '.join(parts)}) END)"


def column(database: Database, source: Source, name: Name) -> Labels:
    """A whole column in row order."""
    about = source.input.name
    query = selected(database, source, {"label": name})
    with database.file_order():
        ordered = database.stored(f"SELECT label, row_number() OVER () - 1 AS position FROM ({query})", about)
    names, codes = numbered(database, f"SELECT label FROM {ordered}", about)
    join = f"FROM {ordered} r LEFT JOIN {codes} d ON r.label = d.label"
    coded = database.stored(f"SELECT position, coalesce(d.code, {NO_LABEL}) AS code {join}", about)
    indices = np.full(database.count(ordered, about), -1, dtype=np.int32)
    for batch in database.batches(coded, about):
        indices[batch["position"]] = names.codes(batch["code"])
    return Labels(indices, names.labels)


def _list(values: Any) -> Any:
    return values if isinstance(values, list) else values.tolist()
