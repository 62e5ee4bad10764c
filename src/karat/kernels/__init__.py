"""Loops over plain arrays: arrays in, arrays out, no karat type.

A loop that NumPy cannot run at the speed of the memory is there twice under one name: compiled, in compiled/, and as
its NumPy twin, which is the fallback where it was not compiled, and what the tests compare it with. Both give the same
bits. KARAT_KERNELS=numpy in the environment chooses the twins.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import find_spec
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])


def twin(function: F) -> F:
    """The compiled function of the same file and name, if there is one, else this NumPy twin of it."""
    module = _compiled(function.__module__.rsplit(".", 1)[-1])
    chosen: Any = function if module is None else getattr(module, function.__name__, function)
    chosen.twin = function
    return cast(F, chosen)


def _compiled(name: str) -> Any:
    if os.environ.get("KARAT_KERNELS") == "numpy":
        return None
    spec = find_spec(f"karat.kernels.compiled.{name}")
    built = spec is not None and str(spec.origin).endswith(tuple(EXTENSION_SUFFIXES))
    return import_module(f"karat.kernels.compiled.{name}") if built else None


def build_info() -> dict[str, Any]:
    """Which kernels are in use, on how many threads, with which versions of what.

    >>> build_info()["kernels"] in ("compiled", "numpy")
    True
    """
    import numpy as np

    from karat.kernels.threads import THREADS
    from karat.version import __version__

    return {
        "karat": __version__,
        "kernels": "numpy" if _compiled("counting") is None else "compiled",
        "threads": THREADS,
        "python": sys.version.split()[0],
        "numpy": np.__version__,
        "platform": sys.platform,
    }
