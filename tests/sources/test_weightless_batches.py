"""Large files of which a batch weighs nothing, or loses every item: the same tables as in one batch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import karat
from karat.sources.files import counting, database

SIZE = 60
RNG = np.random.default_rng(0)
GOLD = [None if 14 <= i < 21 else str(label) for i, label in enumerate(RNG.integers(0, 3, SIZE).tolist())]
PRED = RNG.integers(0, 4, SIZE).tolist()
LIGHT = [0.0 if 28 <= i < 35 else 1.0 for i in range(SIZE)]  # all of a batch weighs nothing
COLUMNS = {
    "gold": GOLD, "pred": list(map(str, PRED)), "w": LIGHT, "none": [0.0] * SIZE,
    "by": [str(i // 20) for i in range(SIZE)], "first": [float(i >= 20) for i in range(SIZE)],
}  # fmt: skip
NOISY = {"gold": [0 if label is None else int(label) for label in GOLD], "pred": [-1] * 9 + PRED[9:]}


def outcome(path: Path, **options: Any) -> Any:
    """The tables with their policies and the numbers of dropped items, or the message."""
    try:
        read = karat.read(path, **options)
        groups = read.groups or {None: read.tables}
        found = {group: {name: (t.top_cells(), t.policy) for name, t in own.items()} for group, own in groups.items()}
    except karat.KaratError as problem:
        return str(problem)
    return found, read.dropped


@pytest.mark.parametrize("by", [None, "by"])
@pytest.mark.parametrize("weights", [None, "w", "none", "first"])
def test_batches_without_weight_or_items(
    by: str | None, weights: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "d.parquet"
    pl.DataFrame(COLUMNS).write_parquet(path)
    monkeypatch.setattr(database, "BATCH", 7)
    monkeypatch.setattr(counting, "MOST_CODES", 5)
    options = {"gold": "gold", "pred": "pred", "missing": "drop", "by": by, "weights": weights}
    assert outcome(path, items=False, **options) == outcome(path, items=True, **options)


@pytest.mark.parametrize("noise_as", ["drop", "singletons", "cluster"])
def test_noise_typed_as_text_that_some_batches_of_integers_lack(
    noise_as: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The batches were refused as counted under different policies, with noise '-1' and -1."""
    path = tmp_path / "d.parquet"
    pl.DataFrame(NOISY).write_parquet(path)
    monkeypatch.setattr(database, "BATCH", 7)
    for typed in ("-1", -1):
        found = outcome(path, items=False, noise=typed, noise_as=noise_as)
        (_, policy), dropped = found[0][None]["pred"], found[1]
        assert (policy.noise, policy.noise_items, dropped) == (-1, 9, 9 if noise_as == "drop" else 0)
