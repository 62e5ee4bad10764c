"""Cells that stay in an engine, and ids that engines match: the same numbers as for lists, or one sentence."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest

import karat
from karat.sources.engines import collecting

MEASURES = ["ari", "v_measure", "purity", "bcubed_f"]
ENGINES = {"polars": pl.DataFrame.lazy, "duckdb": lambda frame: duckdb.from_arrow(frame.to_arrow())}


@pytest.fixture(params=list(ENGINES))
def engine(request: pytest.FixtureRequest) -> Any:
    """A frame of Polars as one that its engine reads later."""
    return ENGINES[request.param]


@pytest.fixture
def in_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """No cell is collected."""
    monkeypatch.setattr(collecting, "COLLECTED", 0)


MIDNIGHT, NAIVE = datetime(2024, 1, 31), datetime(2024, 10, 27, 2, 30)


def half_past(hour: int) -> datetime:
    return datetime(2024, 10, 27, hour, 30, tzinfo=UTC)  # half past two in Berlin, twice


NOISE: dict[str, tuple[Any, list[Any], list[Any]]] = {  # the type of the clusters, clusters, labels of noise
    "integers": (pl.Int64, [-1, 0, 2**53, 2**53 + 1], [-1, -1.0, Decimal(-1), Fraction(1, 2), 2.0**53, 10**30, 1j]),
    "unsigned": (pl.UInt64, [0, 2**63, 2**63 + 1], [2**63, 2**63 + 1, -1]),
    "floats": (pl.Float64, [0.1, 2.0**53, float("inf")], [0.1, 2**53 + 1, Decimal("1e400"), 10**400]),
    "decimals": (pl.Decimal(38, 10), [Decimal("0.5"), Decimal("0.1")], [0.5, Decimal("0.1"), 10**30]),
    "text": (pl.String, ["a", "A", ""], ["a", "", "\ud800", b"a"]),
    "categories": (pl.Categorical, ["a", "A"], ["a", "z"]),
    "bytes": (pl.Binary, [b"a", b""], [b"a", "A", (1,)]),
    "dates": (pl.Date, [date(2024, 1, 31), date(1, 1, 1)], [date(2024, 1, 31), datetime(2024, 1, 31), 1j, (1,)]),
    "times": (pl.Datetime("us"), [MIDNIGHT, datetime(1, 1, 1)], [MIDNIGHT, date(2024, 1, 31)]),
    "instants": (pl.Datetime("us", "Europe/Berlin"), [half_past(0), half_past(1)], [half_past(0), half_past(1), NAIVE]),
    "durations": (pl.Duration("us"), [timedelta(0), timedelta(1)], [timedelta(1), time(0)]),
    "times of day": (pl.Time, [time(0), time(12)], [time(12), timedelta(hours=12), timedelta(2)]),
}  # fmt: skip


@pytest.mark.parametrize("collected", [False, True])
@pytest.mark.parametrize("kind", list(NOISE))
def test_noise_is_the_same_label_in_an_engine_as_in_a_list(
    kind: str, collected: bool, engine: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collecting, "COLLECTED", 10**6 if collected else 0)
    dtype, clusters, labels = NOISE[kind]
    pred = [cluster for cluster in clusters for _ in range(3)]
    gold = ([0, 0, 1, 2, 1] * 4)[: len(pred)]
    frame = engine(pl.DataFrame({"g": gold, "p": pl.Series(pred, dtype=dtype)}))
    for noise in labels:
        expected = karat.score(gold, pred, MEASURES, noise=noise, noise_as="drop")
        found = karat.score(frame, gold="g", pred="p", measures=MEASURES, noise=noise, noise_as="drop")
        assert (found.n, found.dropped) == (expected.n, expected.dropped), noise
        assert [found[m] for m in MEASURES] == pytest.approx([expected[m] for m in MEASURES], rel=1e-12)


def test_noise_that_an_engine_rounds_to_another_label_is_refused(in_engine: None) -> None:
    frame = pl.LazyFrame({"g": [1, 1], "p": pl.Series([2**100, 2**100 + 1], dtype=pl.Int128)})
    with pytest.raises(karat.KaratError, match="is rounded by the engine"):
        karat.score(frame, gold="g", pred="p", measures="ari", noise=2**100, noise_as="drop")


def test_noise_that_cannot_be_a_label_is_refused(engine: Any, in_engine: None) -> None:
    frame = engine(pl.DataFrame({"g": [1, 1], "p": [1, 2]}))
    with pytest.raises(karat.KaratError, match="which equals nothing but itself"):
        karat.score(frame, gold="g", pred="p", measures="ari", noise=object(), noise_as="drop")


@pytest.mark.parametrize(("label", "noise"), [(0.1, Decimal("0.1")), (Decimal("0.1"), 0.1), ("1", 1), (1, "1")])
def test_noise_that_only_looks_like_a_cluster_is_refused(label: Any, noise: Any, engine: Any, in_engine: None) -> None:
    frame = engine(pl.DataFrame({"g": [1, 1], "p": [label, label]}))
    with pytest.raises(karat.KaratError, match=r"is not among pred's labels, but .* is; give noise="):
        karat.score(frame, gold="g", pred="p", measures="ari", noise=noise, noise_as="drop")


@pytest.mark.parametrize("role", ["weights", "count"])
def test_decimals_are_not_truncated_in_cells_that_stay_in_the_engine(role: Any, engine: Any, in_engine: None) -> None:
    frame = engine(pl.DataFrame({"g": ["a", "b"], "p": [1, 2], "w": [Decimal("1.5"), Decimal("2.5")]}))
    with pytest.raises(karat.KaratError, match="fractional weights are too many to collect"):
        karat.score(frame, gold="g", pred="p", measures="ari", **{role: "w"})


def test_no_item_left_is_a_sentence_in_cells_that_stay_in_the_engine(engine: Any, in_engine: None) -> None:
    frame = engine(pl.DataFrame({"g": ["a", None], "p": [None, 2], "q": [1, 1], "w": [0, 0]}))
    with pytest.raises(karat.KaratError, match="no item is left to score"):
        karat.score(frame, gold="g", pred="p", missing="drop")
    with pytest.raises(karat.KaratError, match="no item is left to score"):
        karat.score(frame, gold="q", pred="q", noise=1, noise_as="drop")
    with pytest.raises(karat.KaratError, match="no item is left with a positive weight"):
        karat.score(frame, gold="q", pred="q", weights="w")


def test_lists_and_records_are_no_labels_however_many_cells_there_are(engine: Any, in_engine: None) -> None:
    for labels in ([[1], [2]], [{"a": 1}, {"a": 2}]):
        with pytest.raises(karat.KaratError, match=r"pred has labels of type .*; give plain ones"):
            karat.score(engine(pl.DataFrame({"g": [1, 2], "p": labels})), gold="g", pred="p")


def test_decimal_ids_are_matched_exactly_with_integers_or_refused(engine: Any) -> None:
    def score(ids: list[str], others: list[int], scale: int) -> karat.Scores:
        gold = pl.DataFrame({"id": pl.Series([Decimal(i) for i in ids], dtype=pl.Decimal(38, scale)), "g": ["a", "b"]})
        pred = pl.DataFrame({"id": others, "p": [1, 2]})
        found: Any = karat.score(engine(gold), engine(pred), gold="g", pred="p", id="id", missing="drop")
        return found  # type: ignore[no-any-return]

    assert score(["25", "7"], [7, 25], 0).n == 2
    for ids, others, scale in (([str(2**53 + 1), "7"], [2**53, 7], 0), (["1.00000000000000000001", "7"], [1, 7], 20)):
        with pytest.raises(karat.KaratError, match="do not share exactly; give both the same type of id"):
            score(ids, others, scale)


def test_intervals_of_duckdb_are_durations() -> None:
    relation = duckdb.sql(
        "SELECT * FROM (VALUES (1, INTERVAL 1 DAY), (1, INTERVAL 24 HOUR), (2, INTERVAL 1 MONTH)) t(g, p)"
    )
    table = karat.Evaluation.from_frame(relation, gold="g", pred="p").tables["p"]
    assert timedelta(1) in table.clusters
    assert table.shape == (2, 2)


@pytest.mark.parametrize("named", ["", "gold"])
def test_a_column_that_cannot_name_a_system(named: str) -> None:
    frame = pl.DataFrame({"g": ["a", "a", "b"], named: [1, 1, 2], "q": [1, 2, 2]})
    for given in (frame, frame.lazy()):
        assert karat.score(given, gold="g", pred=named, measures="ari")["ari"] == 1
        with pytest.raises(karat.KaratError, match=f"a system is called {named!r}; give it another name"):
            karat.score(given, gold="g", pred=[named, "q"])


def test_a_file_that_changes_beneath_a_relation_gives_no_other_column(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pl.DataFrame({"g": [1, 2], "p": [1, 2]}).write_parquet(path)
    relation = duckdb.connect().read_parquet(str(path))
    pl.DataFrame({"g": [1, 2], "q": [1, 1]}).write_parquet(path)
    with pytest.raises(karat.KaratError, match="pred='p' is no column of the frame"):
        karat.score(relation, gold="g", pred="p")
    pl.DataFrame({"p": [1, 1], "g": [1, 2]}).write_parquet(path)
    assert karat.score(relation, gold="g", pred="p", measures="purity")["purity"] == 0.5
