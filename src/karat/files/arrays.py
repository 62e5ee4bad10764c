"""Binary files: NumPy arrays, Arrow and Feather tables, AnnData observations."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from karat.errors import FileError, listed
from karat.files.inputs import Input


def read_npy(source: Input) -> Any:
    """A one-dimensional array, left on the disk until it is counted; pickles are refused."""
    try:
        array = np.load(source.path, mmap_mode="r", allow_pickle=False)
    except Exception as problem:  # whatever a file that is no array makes NumPy raise
        reason = str(problem).split("\n", 1)[0].rstrip(".")
        raise FileError(f"{source.name!r} is not an array that karat reads ({reason}); save plain labels.") from None
    if not isinstance(array, np.ndarray):
        raise FileError(f"{source.name!r} holds several arrays; save one, with numpy.save.")
    if array.ndim != 1:
        raise FileError(f"{source.name!r} has shape {array.shape}; give one label per item, in one dimension.")
    if not array.dtype.itemsize:
        raise FileError(f"{source.name!r} has {array.size:,} labels of no length; save plain labels.")
    if array.dtype.kind == "U" and not _is_text(array):
        raise FileError(f"{source.name!r} has numbers that are no characters in its text; check that it is whole.")
    return array


def _is_text(array: Any) -> bool:
    """Whether all four bytes of each character of an array of text are a character; NumPy does not look."""
    for start in range(0, array.size, 1 << 20):
        part = np.ascontiguousarray(array[start : start + (1 << 20)])
        if part.view(np.dtype(np.uint32).newbyteorder(part.dtype.byteorder)).max(initial=0) > sys.maxunicode:
            return False
    return True


def open_arrow(source: Input) -> Any:
    """An Arrow IPC or Feather file, mapped into memory."""
    try:
        from pyarrow import dataset
    except ImportError:
        raise FileError(f"{source.name!r} is an Arrow file; pip install pyarrow to read it.") from None
    try:
        for path in source.paths:
            _validate(path)
        table = dataset.dataset(list(source.paths), format="ipc")
        table.head(1)
    except Exception as problem:
        reason = str(problem).split("\n", 1)[0].rstrip(".")
        raise FileError(f"{source.name!r} cannot be read as Arrow ({reason}); check that it is whole.") from None
    return table


def _validate(path: str) -> None:
    """Refuse offsets and codes that lead beyond a column: whoever follows them reads another's memory, or crashes."""
    import pyarrow as pa

    with pa.memory_map(path) as file, pa.ipc.open_file(file) as reader:
        for place in range(reader.num_record_batches):
            reader.get_batch(place).validate(full=True)


class Observations:
    """The obs table of an AnnData .h5ad file."""

    def __init__(self, source: Input) -> None:
        try:
            import h5py
        except ImportError:
            raise FileError(f"{source.name!r} is an AnnData file; pip install h5py to read it.") from None
        self.name, self.h5py = source.name, h5py
        try:
            self.file = h5py.File(source.path, "r")
            self.obs = self._own(self.file, "obs")
            self.columns = self._names()
        except FileError:
            raise
        except Exception as problem:  # whatever a damaged file makes HDF5 raise
            raise FileError(
                f"{source.name!r} is not an AnnData file ({str(problem).strip(chr(39))}); check it."
            ) from None

    def _own(self, group: Any, name: str) -> Any:
        """A part of a group that this very file holds: links may lead to any file that the user can read."""
        for part in name.split("/"):
            if not isinstance(group.get(part, getlink=True), self.h5py.HardLink):
                raise FileError(f"{self.name!r} has a link at {part!r} instead of data; save it without links.")
            group = group[part]
        return self._held(group)

    def _held(self, found: Any) -> Any:
        """Data that this very file holds, not another one in its name."""
        if isinstance(found, self.h5py.Dataset) and (found.external or found.is_virtual):
            raise FileError(f"{self.name!r} keeps {found.name!r} in other files; save it as one file.")
        return found

    @property
    def index(self) -> str:
        """The name of the column that names the observations."""
        if not hasattr(self.obs, "keys"):
            return str(self.obs.dtype.names[0])
        return _text(self.obs.attrs.get("_index", "_index"))

    def _names(self) -> list[str]:
        """The names of all columns, that of the index first."""
        names = list(self.obs.keys()) if hasattr(self.obs, "keys") else list(self.obs.dtype.names)
        return [self.index, *(name for name in names if name not in (self.index, "__categories"))]

    def column(self, name: str) -> list[Any]:
        """The values of a column, None where one is missing."""
        try:
            return self._column(name)
        except FileError:
            raise
        except Exception as problem:  # whatever a damaged file makes HDF5 raise
            reason = str(problem).split("\n", 1)[0].rstrip(".")
            raise FileError(f"{self.name!r} cannot be read in obs column {name!r} ({reason}); check it.") from None

    def _column(self, name: str) -> list[Any]:
        if not hasattr(self.obs, "keys"):  # written before 2019: one table, its categories elsewhere
            found, place = self.obs[name], f"uns/{name}_categories"
            return _values(found) if place not in self.file else _decoded(found, self._own(self.file, place))
        found = self._own(self.obs, name)
        if hasattr(found, "keys"):
            return self._group(name, found)
        reference = found.attrs.get("categories")
        return _values(found[()]) if reference is None else _decoded(found[()], self._held(self.file[reference]))

    def _group(self, name: str, found: Any) -> list[Any]:
        if "codes" in found and "categories" in found:
            return _decoded(self._own(found, "codes")[()], self._own(found, "categories"))
        if "values" in found and "mask" in found:
            values, mask = self._own(found, "values")[()], self._own(found, "mask")[()]
            return [None if hidden else v for v, hidden in zip(_values(values), mask.tolist(), strict=True)]
        raise FileError(
            f"{self.name!r} has no labels in obs column {name!r}, but {listed(found)}; choose another column."
        )


def _decoded(codes: Any, categories: Any) -> list[Any]:
    names = [*_values(categories[()]), None]  # the code -1 stands for a missing value
    found = codes.tolist()
    if found and not -1 <= min(found) <= max(found) < len(names) - 1:
        raise ValueError(f"codes from {min(found)} to {max(found)} for {len(names) - 1} categories")
    return [names[code] for code in found]


def _values(array: Any) -> list[Any]:
    return [value.decode("utf-8") if isinstance(value, bytes) else value for value in array.tolist()]


def _text(value: Any) -> str:
    return value.decode("utf-8") if isinstance(value, bytes) else str(value)
