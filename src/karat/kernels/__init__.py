"""Loops over plain arrays: arrays in, arrays out, no karat type.

A loop that NumPy cannot run at memory speed exists twice under one name: compiled, in compiled/, and as its NumPy
twin, which is the fallback where the compiled one is missing, and the reference for tests. Both give bit-identical
results. KARAT_KERNELS=numpy in the environment selects the twins.

counting.py    from two columns of integers to the cells of their table
tallying.py    sums, maxima and counts by code
objects.py     Python objects numbered by hashing
records.py     the records of delimited text
assignment.py  the maximum-weight one-to-one matching
moves.py       k-means and single moves of documents
logarithm.py   logarithms that give the same bits everywhere
expected.py    the expected mutual information
shuffling.py   pairs of shuffled labels
threads.py     work shared out among threads
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import find_spec
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])

NAMES = (
    "assignment", "counting", "expected", "logarithm", "moves", "objects", "records", "shuffling", "tallying",
)  # fmt: skip


def twin(function: F) -> F:
    """The compiled function of the same file and name, if there is one, else this NumPy twin of it."""
    module = _compiled().get(function.__module__.rsplit(".", 1)[-1])
    chosen: Any = getattr(module, function.__name__, function)
    chosen.twin = function
    return cast(F, chosen)


@cache
def _compiled() -> dict[str, Any]:
    """The compiled modules by name: all of them, or none if one was not built or cannot be loaded."""
    if os.environ.get("KARAT_KERNELS", "").lower() == "numpy":
        return {}
    names = [f"karat.kernels.compiled.{name}" for name in NAMES]
    built = [str(spec.origin).endswith(tuple(EXTENSION_SUFFIXES)) for spec in map(find_spec, names) if spec]
    try:
        return dict(zip(NAMES, map(import_module, names), strict=True)) if all(built) else {}
    except ImportError:  # built for another Python or another version of karat
        return {}


def build_info() -> dict[str, Any]:
    """The kernels in use, the number of threads, and the versions of karat, Python and NumPy.

    >>> build_info()["kernels"] in ("compiled", "numpy")
    True
    """
    import numpy as np

    from karat.kernels.threads import THREADS
    from karat.version import __version__

    return {
        "karat": __version__,
        "kernels": "compiled" if _compiled() else "numpy",
        "threads": THREADS,
        "python": sys.version.split()[0],
        "numpy": np.__version__,
        "platform": sys.platform,
    }
