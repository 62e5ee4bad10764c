"""Columns by their exact names, with keys in place of labels that an engine would merge or show otherwise.

Engines find columns by pattern (Polars) or in any case (DuckDB, Spark, SQLite), compare text by a collation, and show
an instant as a local time, which the end of daylight saving repeats. Here columns are renamed by position, text that a
collation could merge becomes its bytes, and an instant of Spark its number of microseconds. All other labels are their
own keys.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib import import_module
from inspect import Parameter, Signature
from types import MappingProxyType
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import numpy as np

from karat.errors import LabelError
from karat.sources.engines.dialects import comes_from, engine_errors

CASELESS = frozenset(("databricks", "duckdb", "impala", "mssql", "mysql", "pyspark", "sqlite", "trino"))  # of Ibis
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Key(NamedTuple):
    """How labels of a column become keys, and back; None is a missing label."""

    label: Callable[[Any], Any]  # of a key
    key: Callable[[Any], Any]  # of a label; None if no label of the column can be equal to it
    kind: str  # of the labels

    def labels(self, keys: Any) -> list[Any]:
        """The labels of some keys."""
        plain = keys.tolist() if isinstance(keys, np.ndarray) else keys
        return [None if key is None else self.label(key) for key in plain]


def _digits(label: Any) -> str | None:
    whole = isinstance(label, (int, float)) and not isinstance(label, bool) and label == label // 1
    return str(int(label)) if whole and abs(label) < 1 << 64 else None


DIGITS = Key(int, _digits, "number")
BYTES = Key(lambda key: bytes(key).decode(), lambda label: label.encode() if isinstance(label, str) else None, "text")


class Keyed(NamedTuple):
    """A frame whose columns have internal names, and labels that are keys."""

    native: Any
    inner: Mapping[str, str]  # the internal names of the columns, by the user's names
    keys: Mapping[str, Key]  # by the user's names, of columns whose labels are not their own keys
    at: Mapping[str, str] = MappingProxyType({})  # the internal names of columns of keys, where they are separate


def keyed(native: Any, names: list[str]) -> Keyed:
    """A frame of any engine, with the names of its columns."""
    inner = {name: f"karat_{position}" for position, name in enumerate(names)}
    if comes_from(native, "pyspark") and hasattr(type(native), "toDF"):
        with engine_errors(native):
            return _of_spark(native, inner)
    if comes_from(native, "polars"):
        return Keyed(native.rename(inner), inner, {})
    if comes_from(native, "ibis"):
        return _of_ibis(native, inner)
    return Keyed(native, dict(zip(names, names, strict=True)), {})


def _of_spark(native: Any, inner: Mapping[str, str]) -> Keyed:
    renamed, keys, chosen = native.toDF(*inner.values()), {}, []
    for name, field in zip(inner, renamed.schema, strict=True):
        column, kind = field.name, field.dataType.typeName()
        if kind == "timestamp":
            keys[name] = _instants(str(native.sparkSession.conf.get("spark.sql.session.timeZone")))
            chosen.append(f"unix_micros({column}) AS {column}")
        elif kind == "string" and getattr(field.dataType, "collation", None) not in (None, "UTF8_BINARY"):
            chosen.append(f"collate({column}, 'UTF8_BINARY') AS {column}")
        else:
            chosen.append(column)
    return Keyed(renamed.selectExpr(*chosen), inner, keys)


def _instants(zone: str) -> Key:
    """Instants by their number of microseconds since 1970, shown in a time zone."""

    def label(key: int) -> Any:
        try:
            return (EPOCH + timedelta(microseconds=key)).astimezone(ZoneInfo(zone))
        except (OverflowError, ValueError, OSError, KeyError):  # a year or a zone unknown to Python
            return np.datetime64(key, "us")

    def key(label: Any) -> int | None:
        aware = isinstance(label, datetime) and label.utcoffset() is not None
        return (label - EPOCH) // timedelta(microseconds=1) if aware else None

    return Key(label, key, "instant")


def _of_ibis(native: Any, inner: Mapping[str, str]) -> Keyed:
    backend = native.get_backend().name
    if backend in CASELESS:
        lower: dict[str, str] = {}
        for name in inner:
            if lower.setdefault(name.lower(), name) != name:
                raise LabelError(
                    f"the frame has columns {lower[name.lower()]!r} and {name!r}, which {backend} does not tell apart; "
                    "rename one."
                )
    renamed = native.rename({ours: name for name, ours in inner.items()})
    keys: dict[str, Key] = {}
    at: dict[str, str] = {}
    changed: dict[str, Any] = {}
    for name, ours in inner.items():
        exact, key = _exact(renamed[ours], backend)
        if exact is not None:
            at[name] = f"{ours}_key"
            changed[at[name]] = exact
        if key is not None:
            keys[name] = key
    return Keyed(renamed.mutate(**changed) if changed else renamed, inner, keys, at)


def _exact(column: Any, backend: str) -> tuple[Any, Key | None]:
    """A column of keys, None if labels are their own, and how labels become keys, None if they are equal."""
    kind = column.type()
    if backend == "sqlite" and kind.is_integer():  # Ibis reads integers as floats where a label is missing
        return column.cast("string"), DIGITS
    if not kind.is_string():
        return None, None
    if backend == "sqlite":
        return column.concat(""), None  # an expression has no collation
    if backend == "mysql":
        return column.cast("binary"), BYTES
    if backend == "duckdb":
        return _function("encode", ("string",))(column), BYTES
    if backend == "postgres":
        return _function("convert_to", ("string", "string"))(column, "UTF8"), BYTES
    return None, None


@cache
def _function(name: str, arguments: tuple[str, ...]) -> Any:
    """A database's own function from text to bytes."""

    def stub(*values: Any) -> Any: ...

    stub.__name__ = name
    stub.__signature__ = Signature(  # type: ignore[attr-defined]
        [Parameter(f"argument_{index}", Parameter.POSITIONAL_ONLY) for index in range(len(arguments))]
    )
    return import_module("ibis").udf.scalar.builtin(stub, name=name, signature=(arguments, "binary"))
