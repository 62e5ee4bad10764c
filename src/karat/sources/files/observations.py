"""The obs table of AnnData files, read in a separate process, so that a crash of libhdf5 becomes an error message.

The process answers in JSON, never in pickles. It imports karat, NumPy and h5py from where this process does, and
nothing from the working directory.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from importlib.util import find_spec
from typing import Any
from weakref import finalize

from karat.errors import FileError
from karat.limits import OBSERVATIONS
from karat.sources.files.inputs import Input

_START = """
import json, sys
path, *given = json.loads(sys.argv[1])
sys.path += path
from karat.sources.files.hdf5 import serve
serve(*given)
"""


class Observations:
    """The obs table of an AnnData .h5ad file: the names of its columns and of its index, and their values."""

    def __init__(self, source: Input) -> None:
        self.name = source.name
        self._process = _started([_package_directories(), source.path, source.name, OBSERVATIONS.now])
        finalize(self, _end, self._process)
        answer = self._answer()
        self.columns: list[str] = answer["columns"]
        self.index: str = answer["index"]

    def column(self, name: str) -> list[Any]:
        """The values of a column, None where missing."""
        stdin: Any = self._process.stdin
        try:
            stdin.write(json.dumps(name).encode() + b"\n")
            stdin.flush()
        except OSError:  # the process has ended
            raise self._crash() from None
        answer = self._answer()
        if "codes" not in answer:
            return answer["values"]  # type: ignore[no-any-return]
        names = [*answer["names"], None]  # code -1, a missing value, indexes the last element
        return [names[code] for code in answer["codes"]]

    def _answer(self) -> dict[str, Any]:
        stdout: Any = self._process.stdout
        line = stdout.readline()
        if not line.endswith(b"\n"):
            raise self._crash()
        answer: dict[str, Any] = json.loads(line)
        if "problem" in answer:
            raise FileError(answer["problem"])
        return answer

    def _crash(self) -> FileError:
        _end(self._process)
        status = self._process.returncode
        how = f"signal {signal.Signals(-status).name}" if status < 0 else f"status {status}"
        return FileError(f"{self.name!r} made HDF5's library fail ({how}); check that the file is complete.")


def _package_directories() -> list[str]:
    """The directories that contain the packages karat, NumPy and h5py."""
    origins = [spec.origin for name in ("karat", "numpy", "h5py") if (spec := find_spec(name)) and spec.origin]
    return list(dict.fromkeys(os.path.dirname(os.path.dirname(os.path.abspath(origin))) for origin in origins))


def _started(given: list[Any]) -> subprocess.Popen[bytes]:
    settings = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "HDF5_PLUGIN_PRELOAD": "::"}  # no plugins
    try:
        return subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _START, json.dumps(given)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env={**os.environ, **settings},
        )  # fmt: skip
    except (OSError, ValueError) as problem:
        raise FileError(f"{given[2]!r} cannot be read: Python does not start a process ({problem}).") from None


def _end(process: subprocess.Popen[bytes]) -> None:
    """Close the streams of the process, which ends it, and wait."""
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with suppress(OSError):
                stream.close()
    process.wait()
