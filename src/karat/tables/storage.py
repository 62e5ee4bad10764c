"""Tables in files: JSON, which people can read, or Parquet, which other tools can; never a pickle."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from glob import escape
from hashlib import sha256
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from karat.errors import TableError, brief
from karat.foreign import first_line
from karat.labels.identity import Singleton
from karat.labels.names import MISSING, check_names, plain
from karat.labels.policy import Policy
from karat.limits import CELLS, MEMBERS
from karat.output.files import atomic_file

FORMAT = 2
DIGITS = 4000  # the most digits of a label; Python refuses by default to convert integers of more than 4,300


class Stored(NamedTuple):
    """The contents of a table file, validated."""

    rows: NDArray[np.int64]
    cols: NDArray[np.int64]
    counts: NDArray[Any]
    classes: list[Any]
    clusters: list[Any]
    policy: Policy


def save_cells(
    path: str | PathLike[str],
    rows: Any,
    cols: Any,
    counts: Any,
    classes: Sequence[Any],
    clusters: Sequence[Any],
    policy: Policy,
) -> None:
    """Write a table's cells, names and policy; the file's suffix, .json or .parquet, selects the format."""
    head = {
        "karat": "table",
        "format": FORMAT,
        "classes": [_pack(name) for name in classes],
        "clusters": [_pack(name) for name in clusters],
        "policy": {**asdict(policy), "noise": _pack(policy.noise), "ignore": _pack(policy.ignore)},
    }
    head["checksum"] = _checksum(head, rows, cols, counts)
    write = {".json": _write_json, ".parquet": _write_parquet}[_ending(path)]
    with atomic_file(path) as temporary:
        write(temporary, head, rows, cols, counts)


def load_cells(path: str | PathLike[str]) -> Stored:
    """Read a file that save_cells() wrote; anything else raises TableError."""
    read: Callable[[str], tuple[dict[str, Any], Any, Any, Any]]
    read = {".json": _read_json, ".parquet": _read_parquet}[_ending(path)]
    try:
        exists = Path(path).is_file()
    except (OSError, ValueError):  # a path that is too long, or contains NUL
        exists = False
    if not exists:
        raise TableError(f"there is no file {str(path)[:60]!r}; check its name.")
    try:
        head, rows, cols, counts = read(str(path))
        if head["karat"] != "table" or head["format"] != FORMAT:
            raise TableError(f"it is not of format {FORMAT}")
        if head["checksum"] != _checksum(head, rows, cols, counts):
            raise TableError("its checksum does not match its cells and labels")
        classes, clusters = ([_unpack(name) for name in head[side]] for side in ("classes", "clusters"))
        policy = Policy(**{**head["policy"], **{key: _unpack(head["policy"].get(key)) for key in ("noise", "ignore")}})
        counted = (policy.missing_items, policy.noise_items, policy.ignored_items)
        valid = all(type(number) is int and number >= 0 for number in counted) and type(policy.weighted) is bool
        if policy.matched not in ("items", "positions", "mixed") or not valid:
            raise TableError("its policy is invalid")
        stored = Stored(_codes(rows, classes), _codes(cols, clusters), _counts(counts), classes, clusters, policy)
        if np.unique(stored.rows * len(clusters) + stored.cols).size < stored.rows.size:
            raise TableError("a cell occurs twice")
    except OSError as problem:
        raise TableError(f"{str(path)!r} cannot be read ({problem.strerror}); check its permissions.") from None
    except (
        ValueError, KeyError, IndexError, TypeError, AttributeError, ArithmeticError, RecursionError, MemoryError
    ) as problem:  # fmt: skip
        raise TableError(
            f"{str(path)!r} is not a table that karat saved ({first_line(problem)}); save it again."
        ) from None
    return stored


def _checksum(head: dict[str, Any], rows: Any, cols: Any, counts: Any) -> str:
    """The SHA-256 digest of a table's cells, names and policy; the same for JSON and Parquet."""
    words = json.dumps([head["classes"], head["clusters"], head["policy"]], sort_keys=True)
    digest = sha256(words.encode())
    for values in (rows, cols, counts):
        array = np.asarray(values)
        digest.update(np.ascontiguousarray(array, "<f8" if array.dtype.kind == "f" else "<i8").tobytes())
    return digest.hexdigest()


def _codes(codes: Any, names: list[Any]) -> NDArray[np.int64]:
    """The row or column index of each cell; TableError if an index has no name."""
    check_names(names, "the file")
    array = np.asarray(codes)
    if array.dtype.kind != "i" or array.ndim != 1 or array.min(initial=0) < 0 or array.max(initial=0) >= len(names):
        raise TableError("a cell has no class or cluster")
    return array.astype(np.int64)


def _counts(counts: Any) -> NDArray[Any]:
    array = np.asarray(counts)
    if array.dtype.kind not in "if" or not np.isfinite(array).all() or (array <= 0).any():
        raise TableError("a cell has no positive count")
    return array


def _ending(path: str | PathLike[str]) -> str:
    if not isinstance(path, (str, PathLike)):
        raise TableError(f"{brief(path)} is no path; give the name of a file.")
    ending = Path(path).suffix.lower()
    if ending not in (".json", ".parquet"):
        raise TableError(f"{str(path)!r} does not say its format; name it .json or .parquet.")
    return ending


def _write_json(path: str, head: dict[str, Any], rows: Any, cols: Any, counts: Any) -> None:
    cells = [list(cell) for cell in zip(rows.tolist(), cols.tolist(), counts.tolist(), strict=True)]
    text = json.dumps({**head, "cells": cells}, ensure_ascii=False)
    try:
        Path(path).write_text(text, encoding="utf-8")
    except UnicodeEncodeError:  # a label with half a surrogate pair can only be written escaped
        Path(path).write_text(json.dumps({**head, "cells": cells}), encoding="utf-8")


def _read_json(path: str) -> tuple[dict[str, Any], Any, Any, Any]:
    head = json.loads(Path(path).read_text(encoding="utf-8"))
    rows, cols, counts = zip(*head["cells"], strict=True)
    return head, rows, cols, counts


def _write_parquet(path: str, head: dict[str, Any], rows: Any, cols: Any, counts: Any) -> None:
    import duckdb

    columns = {
        "gold": _texts(head["classes"])[rows],
        "pred": _texts(head["clusters"])[cols],
        "row": rows,
        "col": cols,
        "count": counts,
    }
    target = path.replace("'", "''")
    try:
        with duckdb.connect() as connection:
            connection.register("cells", columns)
            copy = f"COPY cells TO '{target}' (FORMAT PARQUET, KV_METADATA {{karat: ?}})"
            connection.execute(copy, [json.dumps(head)])
    except duckdb.Error as problem:  # such as a full disk
        raise OSError(_reason(problem)) from None
    except RuntimeError as problem:
        if "bad_cast" not in str(problem):  # DuckDB's error for text that is not UTF-8
            raise
        raise OSError("its name is not UTF-8") from None


def _texts(packed: list[Any]) -> Any:
    """Labels as text, for readers other than karat; the exact labels are in the file's metadata."""
    texts = [name if isinstance(name, str) else json.dumps(name, ensure_ascii=False) for name in packed]
    return np.array([text.encode("utf-8", "replace").decode() for text in texts], dtype=object)


def _read_parquet(path: str) -> tuple[dict[str, Any], Any, Any, Any]:
    import duckdb

    exact_path = escape(str(Path(path).absolute()))  # DuckDB expands *, ?, [ and ~
    try:
        with duckdb.connect() as connection:
            query = "SELECT value FROM parquet_kv_metadata(?) WHERE key = 'karat'::BLOB"
            ((value,),) = connection.execute(query, [exact_path]).fetchall()
            head = json.loads(value)
            _check_size(connection, exact_path, head)
            cells = connection.execute("SELECT * FROM read_parquet(?)", [exact_path]).fetchnumpy()
    except duckdb.Error as problem:
        raise TableError(_reason(problem)) from None
    for side, codes, texts in (("classes", "row", "gold"), ("clusters", "col", "pred")):
        if not np.array_equal(_texts(head[side])[cells[codes]], cells[texts]):
            raise TableError(f"its column {texts!r} contradicts its {side}")
    return head, cells["row"], cells["col"], cells["count"]


def _check_size(connection: Any, path: str, head: dict[str, Any]) -> None:
    """Refuse more rows than the table can have cells: a small file can declare any number of rows."""
    ((rows,),) = connection.execute("SELECT sum(num_rows) FROM parquet_file_metadata(?)", [path]).fetchall()
    if rows > len(head["classes"]) * len(head["clusters"]):
        raise TableError(f"it has {rows:,} cells, more than its classes times its clusters")
    CELLS.check(rows, "its cells", TableError)


def _reason(problem: Exception) -> str:
    return first_line(problem, 300)


# Labels of types that JSON lacks are stored as {"kind": [...]}; text, numbers, booleans and null as they are.
_KINDS: dict[type, tuple[str, Callable[[Any], Any], Callable[[Any], Any]]] = {
    tuple: ("tuple", lambda x: [_pack(v) for v in x], lambda x: tuple(_unpack(v) for v in x)),
    frozenset: (
        "frozenset",
        lambda x: [_pack(v) for v in sorted(x, key=repr)],
        lambda x: frozenset(_unpack(v) for v in _few(x)),
    ),
    bytes: ("bytes", lambda x: x.hex(), bytes.fromhex),
    complex: ("complex", lambda x: [x.real, x.imag], lambda x: complex(*x)),
    datetime: ("datetime", lambda x: x.isoformat(), datetime.fromisoformat),
    date: ("date", lambda x: x.isoformat(), date.fromisoformat),
    np.datetime64: ("datetime64", lambda x: [str(x), np.datetime_data(x.dtype)[0]], lambda x: np.datetime64(*x)),
    np.timedelta64: (
        "timedelta64",
        lambda x: [int(x.astype(np.int64)), x.dtype.str[4:-1]],  # the unit, such as 7us in <m8[7us]
        lambda x: np.timedelta64(*x),
    ),
    timedelta: ("timedelta", lambda x: [x.days, x.seconds, x.microseconds], lambda x: timedelta(*x)),
    time: ("time", lambda x: x.isoformat(), time.fromisoformat),
    Decimal: ("decimal", str, lambda x: Decimal(_short(x))),
    Fraction: ("fraction", str, lambda x: Fraction(*map(int, _short(x).split("/")))),
    Singleton: ("singleton", lambda x: _pack(x.item), lambda x: Singleton(_unpack(x))),
    type(MISSING): ("missing", lambda x: None, lambda x: MISSING),
}
_BY_NAME = {name: unpack for name, _, unpack in _KINDS.values()}


def _pack(label: Any) -> Any:
    label = plain(label)
    if label is None or type(label) in (str, bool, float) or (type(label) is int and label.bit_length() < 3 * DIGITS):
        return label
    if type(label) not in _KINDS:
        raise TableError(
            f"the label {brief(label)} of type {type(label).__name__} cannot be saved; relabel with text or numbers."
        )
    name, pack, _ = _KINDS[type(label)]
    return {name: pack(label)}


def _short(digits: str) -> str:
    """The digits of a number; ValueError if there are too many to convert."""
    if len(digits) > 2 * DIGITS:
        raise ValueError(f"a label of {len(digits):,} digits")
    return digits


def _few(members: Any) -> Any:
    """The members of a label; TableError if there are very many, which may be chosen to have one hash."""
    MEMBERS.check(len(members), "a label", TableError)
    return members


def _unpack(stored: Any) -> Any:
    if not isinstance(stored, dict):
        return stored
    ((name, value),) = stored.items()
    return _BY_NAME[name](value)
