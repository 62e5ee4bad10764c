"""Results as data frames, in whichever library the user already has."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from typing import Any

from karat.errors import KaratError, listed

BACKENDS = ("pandas", "polars", "pyarrow")


def frame(columns: dict[str, list[Any]], backend: str | None = None) -> Any:
    """A data frame of the given columns, in the named library, else in one that is loaded, else installed.

    pandas keeps any label; in Polars and PyArrow a column of mixed or unusual labels becomes text.
    """
    import narwhals as nw

    if backend is not None and (backend not in BACKENDS or find_spec(backend) is None):
        raise KaratError(f"there is no data frame library {backend!r} here; use one of {listed(BACKENDS)}, installed.")
    chosen = backend or _preferred()
    columns = {_written(name): list(map(_written, values)) for name, values in columns.items()}
    if chosen != "pandas":
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


def _preferred() -> str:
    loaded = [name for name in BACKENDS if name in sys.modules]
    for name in [*loaded, *BACKENDS]:
        if find_spec(name) is not None:
            return name
    raise KaratError(f"a data frame needs one of {', '.join(BACKENDS)}; install one, or use to_dict().")
