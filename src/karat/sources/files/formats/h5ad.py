"""AnnData .h5ad files."""

from __future__ import annotations

from karat.sources.files.inputs import Input
from karat.sources.files.registry import Columns, Format, add


def read_observations(source: Input) -> Columns:
    """Read the obs table, in a separate process."""
    from karat.sources.files.observations import Observations

    obs = Observations(source)
    return Columns(obs.columns, obs.column, item=obs.index)


add(
    Format(
        "h5ad", "AnnData", "columns of `obs`, items by its index", "types as they are", (".h5ad",), (b"\x89HDF",),
        text=False, read=read_observations, needs="h5py",
    )
)  # fmt: skip
