"""NumPy .npy files."""

from __future__ import annotations

from karat.sources.files.inputs import Input
from karat.sources.files.registry import Columns, Format, add


def read_array(source: Input) -> Columns:
    """Read a one-dimensional array of labels."""
    from karat.sources.files.arrays import read_npy

    array = read_npy(source)
    return Columns(["label"], lambda _: array, len(array), batches=lambda: iter([array]))


add(
    Format(
        "npy", "NumPy", "one dimension; pickles are refused", "types as they are, by position", (".npy",),
        (b"\x93NUMPY",), text=False, read=read_array, remedy="save plain labels",
    )
)  # fmt: skip
