"""The obs table of an .h5ad file, read in a separate process, since a damaged file can crash libhdf5.

serve() runs in that process; files/observations.py starts it and requests columns.
"""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from karat.errors import FileError, listed
from karat.limits import OBSERVATIONS, READER_MEMORY, READER_SECONDS, lowered


class Observed:
    """The obs table of an AnnData file; name is the file's name in messages."""

    def __init__(self, path: str, name: str) -> None:
        import h5py

        self.name, self.h5py = name, h5py
        try:
            self.file = h5py.File(path, "r")
            self.obs = self._own(self.file, "obs")
            self.columns = self._names()
        except (FileError, MemoryError):
            raise
        except Exception as problem:  # h5py raises many types for damaged files
            raise FileError(f"{name!r} is not an AnnData file ({_reason(problem)}); check it.") from None

    def _own(self, group: Any, name: str) -> Any:
        """A member of a group, refused if it is a link: links may lead to any file that the user can read."""
        for part in name.split("/"):
            link = group.get(part, getlink=True)
            if link is None:
                raise FileError(f"{self.name!r} has no {part!r}; save it again as AnnData.")
            if not isinstance(link, self.h5py.HardLink):
                raise FileError(f"{self.name!r} has a link at {part!r} instead of data; save it without links.")
            group = group[part]
        return self._checked(group)

    def _checked(self, member: Any) -> Any:
        """Data stored in this file, not in external files, and within the limit of memory."""
        if isinstance(member, self.h5py.Dataset):
            if member.external or member.is_virtual:
                raise FileError(f"{self.name!r} keeps {member.name!r} in other files; save it as one file.")
            # a chunk is decompressed as a whole, and data never written take memory by their shape alone
            sizes = [member.size, *([] if member.chunks is None else [math.prod(member.chunks)])]
            what = f"{self.name!r}, {member.name!r}"
            if None not in sizes:  # an empty data set has no shape
                OBSERVATIONS.check(max(sizes) * max(member.dtype.itemsize, 16), what, FileError)  # 16: a Python object
        return member

    @property
    def index(self) -> str:
        """The name of the index column, which holds the names of the observations."""
        if not hasattr(self.obs, "keys"):
            return str(self.obs.dtype.names[0])
        return _text(self.obs.attrs.get("_index", "_index"))

    def _names(self) -> list[str]:
        """The names of all columns, the index first."""
        names = list(self.obs.keys()) if hasattr(self.obs, "keys") else list(self.obs.dtype.names)
        return [self.index, *(name for name in names if name not in (self.index, "__categories"))]

    def column(self, name: str) -> dict[str, list[Any]]:
        """The values of a column, None where missing; for a categorical column its codes and category names."""
        try:
            return self._column(name)
        except (FileError, MemoryError):
            raise
        except Exception as problem:  # h5py raises many types for damaged files
            raise FileError(
                f"{self.name!r} cannot be read in obs column {name!r} ({_reason(problem)}); check it."
            ) from None

    def _column(self, name: str) -> dict[str, list[Any]]:
        if not hasattr(self.obs, "keys"):  # the format before 2019: one record array, categories in uns
            member, path = self.obs[name], f"uns/{name}_categories"
            return _values(member) if path not in self.file else _coded(member, self._own(self.file, path))
        member = self._own(self.obs, name)
        if hasattr(member, "keys"):
            return self._group(name, member)
        reference = member.attrs.get("categories")
        codes = self._read_column(member, name)
        return _values(codes) if reference is None else _coded(codes, self._checked(self.file[reference]))

    def _group(self, name: str, member: Any) -> dict[str, list[Any]]:
        if "codes" in member and "categories" in member:
            return _coded(self._read_column(self._own(member, "codes"), name), self._own(member, "categories"))
        if "values" in member and "mask" in member:
            values, mask = (self._read_column(self._own(member, part), name) for part in ("values", "mask"))
            shown = zip(_values(values)["values"], mask.tolist(), strict=True)
            return {"values": [None if hidden else value for value, hidden in shown]}
        raise FileError(
            f"{self.name!r} has no labels in obs column {name!r}, but {listed(member)}; choose another column."
        )

    def _read_column(self, member: Any, name: str) -> Any:
        """Read a column; its shape must be that of the index, one value per observation."""
        index = self._own(self.obs, self.index)
        if member.shape is None or len(member.shape) != 1 or member.shape != getattr(index, "shape", member.shape):
            raise FileError(
                f"{self.name!r} has data of shape {member.shape} in obs column {name!r}; "
                "give one label for each observation."
            )
        return member[()]


def _coded(codes: Any, categories: Any) -> dict[str, list[Any]]:
    """Codes, with -1 for a missing value, and the category names that they index."""
    indices, names = codes.tolist(), _values(categories[()])["values"]
    if codes.dtype.kind not in "iu":
        raise ValueError(f"codes of type {codes.dtype}")
    if indices and not -1 <= min(indices) <= max(indices) < len(names):
        raise ValueError(f"codes from {min(indices)} to {max(indices)} for {len(names)} categories")
    return {"codes": indices, "names": names}


def _values(array: Any) -> dict[str, list[Any]]:
    return {"values": [value.decode("utf-8") if isinstance(value, bytes) else value for value in array.tolist()]}


def _text(value: Any) -> str:
    return value.decode("utf-8") if isinstance(value, bytes) else str(value)


def _reason(problem: Exception) -> str:
    text = str(problem.args[0]) if isinstance(problem, KeyError) and problem.args else str(problem)
    return text.split("\n", 1)[0].rstrip(".")[:200]


def serve(path: str, name: str, most: int) -> None:
    """Write lines of JSON to standard output: first the column names, then each column requested on standard input."""
    answers = os.fdopen(os.dup(1), "w", encoding="ascii")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # so that what libraries print is not read as an answer
    _limit()
    with lowered({OBSERVATIONS: most}):
        observed: Observed | None = None
        for line in _requests():
            try:
                if observed is None:
                    observed = Observed(path, name)
                    answer: dict[str, Any] = {"columns": observed.columns, "index": observed.index}
                else:
                    answer = observed.column(json.loads(line))
                text = json.dumps(answer)
            except FileError as problem:
                text = json.dumps({"problem": str(problem)})
            except MemoryError:
                text = json.dumps({"problem": f"{name!r} needs more memory than there is; keep fewer observations."})
            except (TypeError, ValueError):
                text = json.dumps({"problem": f"{name!r} has values that are no labels; choose another column."})
            answers.write(f"{text}\n")
            answers.flush()


def _requests() -> Iterator[str]:
    yield ""  # the first answer, the column names, needs no request
    yield from sys.stdin


def _limit() -> None:
    """Limit memory and processor time, since a damaged file can make libhdf5 allocate or loop without end."""
    with suppress(ImportError, ValueError, OSError):  # not available on every system
        import resource

        for kind, most in ((resource.RLIMIT_AS, READER_MEMORY), (resource.RLIMIT_CPU, READER_SECONDS)):
            _, hard = resource.getrlimit(kind)
            resource.setrlimit(kind, (most if hard < 0 else min(most, hard), hard))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
