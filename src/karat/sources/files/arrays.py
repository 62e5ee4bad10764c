"""NumPy .npy files."""

from __future__ import annotations

import os
import sys
from typing import Any

import numpy as np

from karat.errors import FileError
from karat.sources.files.inputs import Input


def read_npy(source: Input) -> Any:
    """Read a one-dimensional array of labels; pickled objects are refused.

    The array is read, not memory-mapped: a file that is truncated while it is mapped would end the process.
    """
    dtype, shape, start = array_header(source.path)
    if len(shape) != 1 or dtype.subdtype is not None:
        raise FileError(f"{source.name!r} has shape {shape + dtype.shape}; give one label per item, in one dimension.")
    if not dtype.itemsize:
        raise FileError(f"{source.name!r} has labels of no length; save plain labels.")
    if not shape[0]:
        raise FileError(f"{source.name!r} has no labels; give an array with some.")
    array = read_data(source.path, dtype, shape[0], start)
    if array.size < shape[0]:
        raise FileError(f"{source.name!r} was truncated while it was read; check that it is complete.")
    if array.dtype.kind == "U" and not _is_text(array):
        raise FileError(f"{source.name!r} has numbers that are no characters in its text; check that it is complete.")
    return array


def array_header(path: str) -> tuple[np.dtype[Any], tuple[int, ...], int]:
    """The type and shape that a .npy file declares, and the offset of its data, in bytes.

    The size is checked against the file, since NumPy itself can crash on a wrong header.
    """
    with open(path, "rb") as file:
        if file.read(2) == b"PK":
            raise ValueError("it holds several arrays")
        file.seek(0)
        version = np.lib.format.read_magic(file)
        if version not in ((1, 0), (2, 0)):
            raise ValueError(f"version {version[0]}.{version[1]} is for records")
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, _, dtype = read(file)
        start = file.tell()
    size = dtype.itemsize
    for length in shape:
        if type(length) is not int or length < 0:
            raise ValueError(f"the shape {shape} is not one of non-negative integers")
        size *= length
    available = os.path.getsize(path) - start
    if dtype.hasobject:
        raise ValueError("it holds pickled objects")
    if size > available:
        raise ValueError(f"it should have {size:,} bytes of data but has {available:,}")
    return dtype, shape, start


def read_data(path: str, dtype: np.dtype[Any], size: int, start: int) -> Any:
    """The elements of a .npy file, fewer than size if it has been truncated since its header was read."""
    with open(path, "rb") as file:
        return np.fromfile(file, dtype, size, offset=start)


def _is_text(array: Any) -> bool:
    """Whether each four-byte code of a text array is a valid code point, which NumPy does not check."""
    for start in range(0, array.size, 1 << 20):
        part = np.ascontiguousarray(array[start : start + (1 << 20)])
        if part.view(np.dtype(np.uint32).newbyteorder(part.dtype.byteorder)).max(initial=0) > sys.maxunicode:
            return False
    return True
