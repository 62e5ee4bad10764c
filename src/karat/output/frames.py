"""Results as data frames, in whichever library the user already has."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from typing import Any

import numpy as np

from karat.errors import KaratError, brief, listed

BACKENDS = ("pandas", "polars", "pyarrow")


def frame(columns: dict[str, list[Any]], backend: str | None = None) -> Any:
    """A data frame of the given columns, in the named library, else in one that is loaded, else installed.

    pandas keeps any label; in Polars and PyArrow a column of mixed or unusual labels becomes text.
    """
    import narwhals as nw

    known = isinstance(backend, str) and backend in BACKENDS and find_spec(backend) is not None
    if backend is not None and not known:
        given, use = brief(backend), listed(BACKENDS)
        raise KaratError(f"there is no data frame library {given} here; use one of {use}, installed.")
    chosen = backend or _preferred()
    columns = {_written(name): list(map(_written, values)) for name, values in columns.items()}
    if chosen == "pandas":
        import pandas as pd

        return pd.DataFrame({n: v if _lossless(v) else pd.Series(v, dtype=object) for n, v in columns.items()})
    columns = {
        name: values if _uniform(values) else [_written(str(value)) for value in values]
        for name, values in columns.items()
    }
    return nw.from_dict(columns, backend=chosen).to_native()  # type: ignore[arg-type]


def _written(value: Any) -> Any:
    """A value unchanged, except that lone surrogates in text, which UTF-8 cannot encode, are escaped."""
    if not isinstance(value, str) or value.isascii():
        return value
    try:
        value.encode()
    except UnicodeEncodeError:
        return value.encode("utf-8", "backslashreplace").decode()
    return value


def _uniform(values: list[Any]) -> bool:
    kinds = {type(value) for value in values if value is not None}
    small = all(abs(value) < 1 << 63 for value in values if type(value) is int)
    return small and len(kinds) <= 1 and kinds <= {int, float, str, bool}


def _lossless(values: list[Any]) -> bool:
    """Whether pandas holds values exactly in the type that it infers: no long integers as floats, no odd units."""
    kinds = {type(value) for value in values}
    if kinds > {int}:
        return all(abs(value) <= 1 << 53 for value in values if type(value) is int)
    return not any(issubclass(kind, (np.datetime64, np.timedelta64)) for kind in kinds) or all(
        _has_usual_unit(value) for value in values if isinstance(value, (np.datetime64, np.timedelta64))
    )


def _has_usual_unit(value: Any) -> bool:
    unit, number = np.datetime_data(value.dtype)
    vague = unit in ("Y", "M") and isinstance(value, np.timedelta64)  # no number of seconds
    return number == 1 and unit not in ("ps", "fs", "as") and not vague


def _preferred() -> str:
    loaded = [name for name in BACKENDS if name in sys.modules]
    for name in [*loaded, *BACKENDS]:
        if find_spec(name) is not None:
            return name
    raise KaratError(f"a data frame needs one of {', '.join(BACKENDS)}; install one, or use to_dict().")
