"""Tables in files: JSON that people can read, Parquet that other tools can; never a pickle."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from datetime import date, datetime
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from karat.errors import TableError
from karat.labels import MISSING, Singleton

FORMAT = 1


class Stored(NamedTuple):
    """A table as its file holds it."""

    rows: Sequence[int]
    cols: Sequence[int]
    counts: Any
    classes: list[Any]
    clusters: list[Any]
    policy: dict[str, Any]


def save_cells(
    path: str | PathLike[str],
    rows: Any,
    cols: Any,
    counts: Any,
    classes: Sequence[Any],
    clusters: Sequence[Any],
    policy: Any,
) -> None:
    """Write a table's cells, names and policy in the format that the file's ending names."""
    head = {
        "karat": "table",
        "format": FORMAT,
        "classes": [_pack(name) for name in classes],
        "clusters": [_pack(name) for name in clusters],
        "policy": {**asdict(policy), "noise": _pack(policy.noise)},
    }
    write = {".json": _write_json, ".parquet": _write_parquet}[_ending(path)]
    with whole_file(path) as temporary:
        write(temporary, head, rows, cols, counts)


def load_cells(path: str | PathLike[str]) -> Stored:
    """Read what save_cells() wrote."""
    read: Callable[[str], tuple[dict[str, Any], Any, Any, Any]]
    read = {".json": _read_json, ".parquet": _read_parquet}[_ending(path)]
    if not Path(path).is_file():
        raise TableError(f"there is no file {str(path)!r}.")
    head, rows, cols, counts = read(str(path))
    if head.get("karat") != "table" or head.get("format") != FORMAT:
        raise TableError(f"{str(path)!r} is not a table that karat saved in format {FORMAT}.")
    classes, clusters = ([_unpack(name) for name in head[side]] for side in ("classes", "clusters"))
    return Stored(rows, cols, counts, classes, clusters, {**head["policy"], "noise": _unpack(head["policy"]["noise"])})


def _ending(path: str | PathLike[str]) -> str:
    ending = Path(path).suffix.lower()
    if ending not in (".json", ".parquet"):
        raise TableError(f"{str(path)!r} does not say its format; name it .json or .parquet.")
    return ending


@contextmanager
def whole_file(path: str | PathLike[str]) -> Iterator[str]:
    """A temporary name beside the file, which replaces it only if all went well."""
    target = Path(path)
    if not target.parent.is_dir():
        raise TableError(f"there is no directory {str(target.parent)!r} to save {target.name!r} in.")
    handle, temporary = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    os.close(handle)
    try:
        yield temporary
        Path(temporary).replace(target)
    except BaseException:
        Path(temporary).unlink()
        raise


def _write_json(path: str, head: dict[str, Any], rows: Any, cols: Any, counts: Any) -> None:
    cells = [list(cell) for cell in zip(rows.tolist(), cols.tolist(), counts.tolist(), strict=True)]
    Path(path).write_text(json.dumps({**head, "cells": cells}, ensure_ascii=False), encoding="utf-8")


def _read_json(path: str) -> tuple[dict[str, Any], Any, Any, Any]:
    try:
        head = json.loads(Path(path).read_text(encoding="utf-8"))
        rows, cols, counts = zip(*head["cells"], strict=True)
    except (ValueError, KeyError, TypeError):
        raise TableError(f"{path!r} is not a table that karat saved.") from None
    return head, rows, cols, np.array(counts)


def _write_parquet(path: str, head: dict[str, Any], rows: Any, cols: Any, counts: Any) -> None:
    import duckdb

    columns = {
        "gold": _texts(head["classes"])[rows],
        "pred": _texts(head["clusters"])[cols],
        "row": rows,
        "col": cols,
        "count": counts,
    }
    with duckdb.connect() as connection:
        connection.register("cells", columns)
        quoted = (text.replace("'", "''") for text in (path, json.dumps(head)))
        connection.execute("COPY cells TO '{}' (FORMAT PARQUET, KV_METADATA {{karat: '{}'}})".format(*quoted))


def _texts(packed: list[Any]) -> Any:
    """Labels as text, for readers other than karat; the exact labels are in the file's metadata."""
    return np.array(
        [name if isinstance(name, str) else json.dumps(name, ensure_ascii=False) for name in packed], dtype=object
    )


def _read_parquet(path: str) -> tuple[dict[str, Any], Any, Any, Any]:
    import duckdb

    try:
        with duckdb.connect() as connection:
            found = connection.execute(
                "SELECT value FROM parquet_kv_metadata(?) WHERE key = 'karat'::BLOB", [path]
            ).fetchone()
            if found is None:
                raise TableError(f"{path!r} is not a table that karat saved.")
            cells = connection.execute('SELECT "row", "col", "count" FROM read_parquet(?)', [path]).fetchnumpy()
    except duckdb.Error:
        raise TableError(f"{path!r} is not a Parquet file that can be read.") from None
    return json.loads(found[0]), cells["row"], cells["col"], cells["count"]


# Labels that JSON has no word for are stored as {"kind": [...]}; text, numbers, booleans and null as they are.
_KINDS: dict[type, tuple[str, Callable[[Any], Any], Callable[[Any], Any]]] = {
    tuple: ("tuple", lambda x: [_pack(v) for v in x], lambda x: tuple(_unpack(v) for v in x)),
    frozenset: (
        "frozenset",
        lambda x: [_pack(v) for v in sorted(x, key=repr)],
        lambda x: frozenset(_unpack(v) for v in x),
    ),
    bytes: ("bytes", lambda x: x.hex(), bytes.fromhex),
    complex: ("complex", lambda x: [x.real, x.imag], lambda x: complex(*x)),
    datetime: ("datetime", lambda x: x.isoformat(), datetime.fromisoformat),
    date: ("date", lambda x: x.isoformat(), date.fromisoformat),
    np.datetime64: ("datetime64", str, np.datetime64),
    Singleton: ("singleton", lambda x: _pack(x.item), lambda x: Singleton(_unpack(x))),
    type(MISSING): ("missing", lambda x: None, lambda x: MISSING),
}
_BY_NAME = {name: unpack for name, _, unpack in _KINDS.values()}


def _pack(label: Any) -> Any:
    if label is None or isinstance(label, (str, bool, int, float)):
        return label
    if type(label) not in _KINDS:
        raise TableError(
            f"the label {label!r} of type {type(label).__name__} cannot be saved; relabel with text or numbers."
        )
    name, pack, _ = _KINDS[type(label)]
    return {name: pack(label)}


def _unpack(stored: Any) -> Any:
    if not isinstance(stored, dict):
        return stored
    ((name, value),) = stored.items()
    return _BY_NAME[name](value)
