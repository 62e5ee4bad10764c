"""Columns of weights and of counts in files: what is no number of items is refused, in one sentence everywhere."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import karat
from doors import large_files
from reading import outcome

BAD = {
    "nan": "has the weight nan in column 'w'; give finite weights, none negative",
    "inf": "has the weight inf in column 'w'; give finite weights, none negative",
    "-inf": "has the weight -inf in column 'w'; give finite weights, none negative",
    "-1.5": "has the weight -1.5 in column 'w'; give finite weights, none negative",
    "1e300": r"the cells add up to 1e\+300; karat counts fewer than 2\^62 \(4.6e18\) items, so scale them down",
}


@pytest.mark.parametrize("kind", ["csv", "parquet", "arrow"])
@pytest.mark.parametrize("option", ["weights", "count"])
@pytest.mark.parametrize("bad", BAD)
def test_a_weight_that_is_no_amount_is_refused(bad: str, option: str, kind: str, tmp_path: Path) -> None:
    """A count beyond 64 bits wrapped round to a negative number, and its row was lost."""
    frame = pl.DataFrame({"g": ["a", "a", "b"], "p": ["x", "y", "y"], "w": [1.0, float(bad), 2.0]})
    path = tmp_path / f"d.{kind}"
    {"csv": frame.write_csv, "parquet": frame.write_parquet, "arrow": frame.write_ipc}[kind](path)
    with pytest.raises(karat.KaratError, match=BAD[bad]):
        karat.read(path, **{"gold": "g", "pred": "p", option: "w"}).only()  # type: ignore[arg-type]


@pytest.mark.parametrize("option", ["weights", "count"])
@pytest.mark.parametrize(
    "weights",
    ["1", "01", " 1", "1_000", "1e3", "1.", "nan", "-1", "-1.0", "inf", "1e400", "0x10", "\u0661", "\uff11", "1,5",
     "9" * 30, "9007199254740993\na,x,1e3", "9007199254740993\na,x,0.5", "nan\na,x,-1", "true"],
)  # fmt: skip
def test_text_of_weights_is_read_alike_in_small_and_large_files(weights: str, option: str, tmp_path: Path) -> None:
    path = tmp_path / "d.csv"
    path.write_text(f"g,p,w\na,x,{weights}\n", encoding="utf-8")
    small = outcome(str(path), **{"gold": "g", "pred": "p", option: "w"})
    with large_files():
        assert outcome(str(path), **{"gold": "g", "pred": "p", option: "w"}) == small


def test_integers_are_added_exactly_beside_integral_floats(tmp_path: Path) -> None:
    (tmp_path / "d.csv").write_text("g,p,w\na,x,9007199254740993\na,x,1e3\n")
    assert karat.read(tmp_path / "d.csv", gold="g", pred="p", count="w").n == 2**53 + 1 + 1000


def test_a_byte_that_is_not_text_is_named_after_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "d.csv"
    path.write_bytes(b"\xef\xbb\xbfg,p\na,\xff\n")
    said = "'d.csv' is not UTF-8 (byte 0xff in line 2); say encoding='latin-1' or whatever it is in."
    assert str(outcome(str(path), gold="g", pred="p")).endswith(said.removeprefix("'"))
    with large_files():
        assert str(outcome(str(path), gold="g", pred="p")).endswith(said.removeprefix("'"))
