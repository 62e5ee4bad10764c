"""Results as data frames, in whichever library the user already has."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from typing import Any

from karat.errors import KaratError

BACKENDS = ("pandas", "polars", "pyarrow")


def frame(columns: dict[str, list[Any]], backend: str | None = None) -> Any:
    """A data frame of the given columns: of the named library, else of one already loaded, else installed."""
    import narwhals as nw

    make: Any = nw.from_dict
    return make(columns, backend=backend or _preferred()).to_native()


def _preferred() -> str:
    loaded = [name for name in BACKENDS if name in sys.modules]
    for name in [*loaded, *BACKENDS]:
        if find_spec(name) is not None:
            return name
    raise KaratError(f"a data frame needs one of {', '.join(BACKENDS)}; install one, or use to_dict().")
