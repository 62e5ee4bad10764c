"""Sums of counts and weights that are exact, so that the order of rows, the engine and its partitions change no digit.

An engine adds integers and decimals exactly. A float below 2^62 is cut into six integers of 30 bits, which are added
one by one. Missing, negative and infinite values are counted in the same query, so that the rows are read once.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import fsum
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from karat.errors import TableError
from karat.tables.totals import LIMIT, check_total

BITS, PARTS = 30, 6
TOP = 2.0**-32  # a float below 2^62 times this is below 2^30
TINY = 1e-200  # whose product with TOP could be rounded
CHECKS = {"lacking": "sum", "least": "min", "most": "max", "total": "sum", "rest": "max", "fractions": "max"}
FLOAT_CHECKS = ("rest", "fractions")


def parts_of(name: str) -> list[str]:
    """The columns of the parts of a float."""
    return [f"{name}_{part}" for part in range(PARTS)]


def check_of(name: str, what: str) -> str:
    """The column of a check."""
    return f"{name}_{what}"


def summands(rows: Any, name: str) -> tuple[Any, list[Any]]:
    """A lazy narwhals frame with the columns that are to be added up for a column, and the expressions that do so."""
    kind, column = rows.collect_schema()[name], nw.col(name)
    if not kind.is_numeric():
        raise TableError(f"counts and weights are {kind} here; give a column of numbers.")
    checks = {what: nw.col(check_of(name, what)) for what in CHECKS}
    rows = rows.with_columns(
        nw.when(column.is_null()).then(nw.lit(1)).otherwise(nw.lit(0)).alias(check_of(name, "lacking")),
        column.alias(check_of(name, "least")),
        column.alias(check_of(name, "most")),
        column.cast(nw.Float64).alias(check_of(name, "total")),
    )
    summed = [name]
    if kind.is_integer():
        bounded = nw.when((column >= 0) & (column < LIMIT)).then(column).otherwise(nw.lit(0))
        rows = rows.with_columns(bounded.cast(nw.Int64).alias(name))
    if kind.is_float():
        rows, summed = _cut(rows, name), parts_of(name)
    else:
        checks = {what: checks[what] for what in checks if what not in FLOAT_CHECKS}
    sums = [nw.col(part).sum().alias(part) for part in summed]
    return rows, [*sums, *(getattr(checks[what], CHECKS[what])().alias(check_of(name, what)) for what in checks)]


def _cut(rows: Any, name: str) -> Any:
    """The rows with floats cut into parts, and marks of fractions and of what is left after the last part."""
    column, value, rest = nw.col(name).cast(nw.Float64), f"{name}_value", check_of(name, "rest")
    bounded = nw.when((column >= 0) & (column < float(LIMIT))).then(column).otherwise(nw.lit(0.0))
    rows = rows.with_columns(bounded.alias(value)).with_columns((nw.col(value) * TOP).alias(rest))
    for part in parts_of(name):
        rows = rows.with_columns(nw.col(rest).floor().cast(nw.Int64).alias(part))
        rows = rows.with_columns(((nw.col(rest) - nw.col(part).cast(nw.Float64)) * 2.0**BITS).alias(rest))
    left = (nw.col(rest) > 0) | ((nw.col(value) > 0) & (nw.col(value) < TINY))
    broken = nw.col(value) > nw.col(value).floor()
    marks = {rest: left, check_of(name, "fractions"): broken}
    return rows.with_columns(nw.when(mark).then(nw.lit(1)).otherwise(nw.lit(0)).alias(n) for n, mark in marks.items())


def summands_in_sql(name: str, kind: str) -> tuple[list[str], list[str]]:
    """The same in DuckDB's SQL: projections to be made one after the other, and the aggregates."""
    checks = {what: f"{CHECKS[what]}({check_of(name, what)}) AS {check_of(name, what)}" for what in CHECKS}
    marks = {"lacking": f"({name} IS NULL)::INT", "least": name, "most": name, "total": f"{name}::DOUBLE"}
    first = "*, " + ", ".join(f"{value} AS {check_of(name, what)}" for what, value in marks.items())
    if kind not in ("DOUBLE", "FLOAT"):
        checks = {what: checks[what] for what in checks if what not in FLOAT_CHECKS}
        total = f"sum({name})"
        if not kind.startswith("DECIMAL"):
            total = f"sum(CASE WHEN {name} >= 0 AND {name} < {LIMIT} THEN {name}::BIGINT END)::BIGINT"
        return [first], [f"coalesce({total}, 0) AS {name}", *checks.values()]
    rest, value = check_of(name, "rest"), f"{name}_value"
    bounded = f"CASE WHEN {name} >= 0 AND {name} < {float(LIMIT)!r} THEN {name}::DOUBLE ELSE 0.0::DOUBLE END"
    steps = [first, f"*, {bounded} AS {value}", f"*, {value} * {TOP!r}::DOUBLE AS {rest}"]
    for part in parts_of(name):
        steps.append(f"*, floor({rest})::BIGINT AS {part}")
        steps.append(f"* REPLACE (({rest} - {part}::DOUBLE) * {2.0**BITS!r}::DOUBLE AS {rest})")
    steps.append(f"* REPLACE (({rest} > 0 OR ({value} > 0 AND {value} < {TINY!r}))::INT AS {rest})")
    steps.append(f"*, ({value} > floor({value}))::INT AS {check_of(name, 'fractions')}")
    return steps, [*(f"sum({part})::BIGINT AS {part}" for part in parts_of(name)), *checks.values()]


def check_sums(found: Mapping[str, Any], name: str) -> None:
    """Raise TableError for a missing, negative or infinite value, or too large a sum; found: the columns of checks."""
    columns = {what: _present(found.get(check_of(name, what), ())) for what in CHECKS}
    lacking = sum(int(number) for number in columns["lacking"])
    if lacking:
        raise TableError(f"{lacking:,} rows have no count or weight; give each one.")
    least, most = min(columns["least"], default=0), max(columns["most"], default=0)
    if least < 0:
        raise TableError(f"a count or weight is {least}; give positive numbers.")
    if float(most) == float("inf"):
        raise TableError("a count or weight is infinite; give finite numbers.")
    check_total(float(sum(map(float, columns["total"]))))
    if any(columns["rest"]):
        raise TableError(
            f"weights from {float(least):.3g} to {float(most):.3g} cannot be added exactly here; multiply all by a "
            "power of ten, so that the smallest is above 1e-15."
        )


def _present(values: Any) -> list[Any]:
    if isinstance(values, np.ndarray):
        return values.tolist()  # type: ignore[no-any-return]
    return [value for value in values if value is not None and value == value]  # a group without values has none


def exact_sums(found: Mapping[str, Any], name: str, *, rounded: bool = False) -> NDArray[Any]:
    """The sum of each group: integers, or exact fractions if values have any; found: the collected columns.

    rounded: floats in place of fractions, each rounded once, for groups that are not added any further.
    """
    if check_of(name, "lacking") in found:
        check_sums(found, name)
    sums: Any = found.get(name)
    if isinstance(sums, np.ndarray) and sums.dtype.kind == "i":
        return sums.astype(np.int64)
    broken = any(_present(found.get(check_of(name, "fractions"), ())))
    if broken and rounded:
        return _rounded(found, name)
    if name in found:
        sums = [Fraction(0 if value is None or value != value else value) for value in found[name]]
    else:
        columns = [[int(part) for part in found[part_name]] for part_name in parts_of(name)]
        unit = Fraction(1, 1 << (PARTS * BITS - 62))
        sums = [unit * _joined(parts) for parts in zip(*columns, strict=True)]
    if not broken and all(value.denominator == 1 for value in sums):
        return np.array([int(value) for value in sums], dtype=np.int64)
    array = np.empty(len(sums), dtype=object)
    array[:] = sums
    return array


def _rounded(found: Mapping[str, Any], name: str) -> NDArray[np.float64]:
    """The sums of floats, each rounded once: both halves of a part are floats, so that fsum() adds them exactly."""
    halves: list[list[float]] = []
    for index, part in enumerate(parts_of(name)):
        numbers = np.array(found[part], dtype=np.int64)
        scale = 2.0 ** (62 - BITS * (index + 1))
        halves += [((numbers >> 32 << 32) * scale).tolist(), ((numbers & 0xFFFFFFFF) * scale).tolist()]
    return np.array(list(map(fsum, zip(*halves, strict=True))), dtype=np.float64)


def _joined(parts: tuple[int, ...]) -> int:
    total = 0
    for part in parts:
        total = (total << BITS) + part
    return total


def has(found: Any, name: str) -> bool:
    """Whether a collection of column names has the sums of a column."""
    return name in found or parts_of(name)[0] in found
