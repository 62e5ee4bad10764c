"""Binary files: NumPy arrays, Arrow and Feather tables."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from karat.errors import FileError
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
