"""Tables in files."""

from __future__ import annotations

import datetime as dt
import json
from contextlib import suppress
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import karat
from karat.labels.names import check_names
from karat.tables import storage
from shared import enough

LABELS: list[Any] = [
    1, "1", True, 1.5, -0.0, 2**61, b"\x00\xff", ("a", 1, ("b",)), "emoji 🦊", "quote ' \" ; DROP TABLE cells; --",
    "tab\tnew\nline\x00\x1b[31m", "", " ", "مرحبا", dt.date(2024, 1, 2), dt.datetime(2024, 1, 2, 3, 4),
    frozenset({1, "x"}), 3 + 4j, np.datetime64("2024-01-01T00:00:00", "s"), float("inf"), "null", "{}",
]  # fmt: skip
ENDINGS = [".json", ".parquet"]


@pytest.mark.parametrize("ending", ENDINGS)
def test_every_kind_of_label_comes_back_as_it_was(ending: str, tmp_path: Path) -> None:
    table = karat.Table.from_cells(LABELS, LABELS[::-1], range(1, len(LABELS) + 1))
    table.save(tmp_path / f"table{ending}")
    back = karat.Table.load(tmp_path / f"table{ending}")
    assert back == table
    assert [type(x) for x in back.classes] == [type(x) for x in table.classes]


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("count", [2**61, 0.1, 1e-300])
def test_counts_come_back_to_the_last_digit(ending: str, count: float, tmp_path: Path) -> None:
    table = karat.Table.from_cells(["a", "b"], [0, 1], [count, 3])
    table.save(tmp_path / f"t{ending}")
    assert karat.Table.load(tmp_path / f"t{ending}").counts.tolist() == table.counts.tolist()


@pytest.mark.parametrize("ending", ENDINGS)
def test_the_policy_and_the_lone_items_come_back(ending: str, tmp_path: Path) -> None:
    table = karat.Table.from_labels([0, 0, 1, None], [0, -1, -1, 2], missing="cluster", noise=-1, noise_as="singletons")
    table.save(tmp_path / f"t{ending}")
    back = karat.Table.load(tmp_path / f"t{ending}")
    assert back == table
    assert back.policy == table.policy
    assert karat.score(back).signature == karat.score(table).signature
    assert dict(karat.score(back)) == dict(karat.score(table))
    assert (back + back).shape == (3, 6)  # 0, 2 and four lone items


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=enough(30))
@given(
    cells=st.lists(st.tuples(st.text(max_size=4), st.text(max_size=4), st.integers(1, 10**12)), min_size=1, max_size=8)
)
@pytest.mark.parametrize("ending", ENDINGS)
def test_any_text_comes_back(ending: str, cells: list[tuple[str, str, int]], tmp_path: Path) -> None:
    table = karat.Table.from_cells(*map(list, zip(*cells, strict=True)))
    table.save(tmp_path / f"t{ending}")
    assert karat.Table.load(tmp_path / f"t{ending}") == table


def test_a_parquet_file_can_be_read_by_others(tmp_path: Path) -> None:
    path = tmp_path / "it's a; table.parquet"
    karat.Table.from_labels(["x", "x", "o"], [1, 1, 2]).save(path)
    rows = duckdb.execute('SELECT gold, pred, "count" FROM read_parquet(?) ORDER BY gold', [str(path)]).fetchall()
    assert rows == [("o", "2", 1), ("x", "1", 2)]


def test_a_json_file_can_be_read_by_people(tmp_path: Path) -> None:
    karat.Table.from_labels(["x", "é"], [1, 2]).save(tmp_path / "t.json")
    stored = json.loads((tmp_path / "t.json").read_text())
    assert (stored["classes"], stored["clusters"], stored["cells"]) == (["x", "é"], [1, 2], [[0, 0, 1], [1, 1, 1]])


def test_a_failed_save_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    karat.Table.from_labels(["x"], [1]).save(path)
    before = path.read_text()
    with pytest.raises(karat.TableError, match=r"the label .*RED.* of type Colour cannot be saved"):
        karat.Table.from_labels([Enum("Colour", ["RED"])(1)], [1]).save(path)
    assert path.read_text() == before
    assert [p.name for p in tmp_path.iterdir()] == ["t.json"]


@pytest.mark.parametrize("ending", ENDINGS)
def test_files_that_are_not_tables_are_refused(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"t{ending}"
    with pytest.raises(karat.TableError, match="there is no file"):
        karat.Table.load(path)
    for content in (
        b"",
        b"\x00\x01",
        b"[1, 2]",
        b'{"karat": "table"}',
        b'{"karat": "table", "format": 99, "cells": [[0, 0, 1]]}',
        b"[" * 10**5,
    ):
        path.write_bytes(content)
        with pytest.raises(karat.TableError, match="is not a"):
            karat.Table.load(path)


DAMAGE: list[dict[str, Any]] = [
    {"cells": [[5, 0, 1]]},
    {"cells": [[-1, 0, 1]]},
    {"cells": [[0.5, 0, 1]]},
    {"cells": [["a", 0, 1]]},
    {"cells": [[0, 0, -1]]},
    {"cells": [[0, 0, None]]},
    {"cells": [[10**30, 0, 1]]},
    {"cells": [[0, 0, 10**400]]},
    {"cells": []},
    {"cells": [[0, 0, 1], [0, 0, 1]]},
    {"classes": None},
    {"classes": [None, "b"]},
    {"classes": ["a", "a"]},
    {"classes": [["a"], "b"]},
    {"classes": [{"foo": 1}, "b"]},
    {"classes": [{"bytes": "zz"}, "b"]},
    {"classes": [{}, "b"]},
    {"policy": None},
    {"policy": {"missing": "raise", "noise": None, "missing_items": -5}},
    {"policy": {"missing": "raise", "noise": None, "weighted": "yes"}},
    {"policy": {"missing": "whatever", "noise": None}},
    {"policy": {"missing": "raise", "noise": None, "more": 1}},
]


@pytest.mark.parametrize("damage", DAMAGE, ids=str)
def test_a_damaged_file_is_refused_in_one_sentence(damage: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    karat.Table.from_labels(["a", "b"], [1, 2]).save(path)
    head = {**json.loads(path.read_text()), **damage}
    with suppress(Exception):  # even if somebody has made the checksum fit
        head["checksum"] = storage._checksum(head, *zip(*head["cells"], strict=True))
    path.write_text(json.dumps(head))
    with pytest.raises(karat.TableError, match=r"is not a table that karat saved \(.*\); save it again"):
        karat.Table.load(path)


def test_a_file_name_is_not_a_pattern(tmp_path: Path) -> None:
    karat.Table.from_labels([1], [1]).save(tmp_path / "a[1].parquet")
    karat.Table.from_labels([9, 9, 8], [1, 1, 1]).save(tmp_path / "a1.parquet")
    assert karat.Table.load(tmp_path / "a[1].parquet").n == 1


def test_labels_from_pandas_and_numpy_can_be_saved(tmp_path: Path) -> None:
    gold = pd.Series(pd.to_datetime(["2024-01-01 00:00:00.000000001", "2024-01-02 03:04:05.123456789"]))
    pred = [(np.int64(1), np.str_("x")), Decimal("1.50")]
    table = karat.Table.from_labels(gold, pred)
    table.save(tmp_path / "t.json")
    assert karat.Table.load(tmp_path / "t.json") == table


@pytest.mark.parametrize("ending", ENDINGS)
def test_half_a_surrogate_pair_is_saved_too(ending: str, tmp_path: Path) -> None:
    table = karat.Table.from_labels(["\ud800", "b"], [1, 2])
    table.save(tmp_path / f"t{ending}")
    assert karat.Table.load(tmp_path / f"t{ending}") == table


def test_a_saved_file_has_the_rights_of_any_new_file_and_links_stay(tmp_path: Path) -> None:
    table, path, link = karat.Table.from_labels([1], [1]), tmp_path / "t.json", tmp_path / "link.json"
    (tmp_path / "plain").touch()
    table.save(path)
    assert path.stat().st_mode == (tmp_path / "plain").stat().st_mode
    link.symlink_to(path)
    path.chmod(0o640)
    table.save(link)
    assert link.is_symlink()
    assert path.stat().st_mode & 0o777 == 0o640
    table.save(tmp_path / f"{'x' * 250}.json")
    (tmp_path / "d.json").mkdir()
    with pytest.raises(karat.TableError, match="is a directory; name a file in it"):
        table.save(tmp_path / "d.json")


def test_somebody_elses_parquet_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.parquet"
    duckdb.execute(f"COPY (SELECT 1 AS a) TO '{path}' (FORMAT PARQUET)")
    with pytest.raises(karat.TableError, match="is not a table that karat saved"):
        karat.Table.load(path)


def test_a_file_must_say_its_format(tmp_path: Path) -> None:
    with pytest.raises(karat.TableError, match=r"does not say its format; name it \.json or \.parquet"):
        karat.Table.from_labels([1], [1]).save(tmp_path / "t.pkl")
    with pytest.raises(karat.TableError, match="cannot be written \\(No such file or directory\\)"):
        karat.Table.from_labels([1], [1]).save(tmp_path / "no" / "t.json")


@pytest.fixture(params=["json", "parquet"])
def saved(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / f"t.{request.param}"
    rng = np.random.default_rng(0)
    karat.Table.from_labels(rng.integers(0, 5, 200), [f"k{i}" for i in rng.integers(0, 7, 200)]).save(path)
    return path


def test_flipped_bits_are_never_loaded_as_another_table(saved: Path) -> None:
    before, whole = karat.Table.load(saved), saved.read_bytes()
    rng = np.random.default_rng(1)
    for place in rng.choice(len(whole) * 8, enough(400), replace=False).tolist():
        damaged = bytearray(whole)
        damaged[place // 8] ^= 1 << place % 8
        saved.write_bytes(damaged)
        try:
            loaded = karat.Table.load(saved)
        except karat.KaratError:
            continue
        assert loaded == before
        assert loaded.policy == before.policy


@pytest.mark.parametrize(
    "change",
    [
        "SELECT * FROM cells LIMIT 5",
        "SELECT * FROM cells UNION ALL SELECT * FROM cells",
        "SELECT * REPLACE (pred AS gold) FROM cells",
        "SELECT * REPLACE (count + 1 AS count) FROM cells",
        "SELECT * REPLACE (-count AS count) FROM cells",
        "SELECT * REPLACE (col AS row) FROM cells",
    ],
)
def test_tables_that_were_written_again_are_refused(tmp_path: Path, change: str) -> None:
    import duckdb

    path, other = tmp_path / "t.parquet", tmp_path / "u.parquet"
    karat.Table.from_matrix([[5, 1, 2], [1, 4, 1], [3, 1, 3]]).save(path)
    with duckdb.connect() as connection:
        ((head,),) = connection.execute(
            "SELECT value FROM parquet_kv_metadata(?) WHERE key = 'karat'::BLOB", [str(path)]
        ).fetchall()
        connection.execute(f"CREATE TABLE cells AS SELECT * FROM read_parquet('{path}')")
        options = "(FORMAT PARQUET, KV_METADATA {karat: ?})"
        connection.execute(f"COPY ({change}) TO '{other}' {options}", [head.decode()])
    with pytest.raises(karat.TableError, match="is not a table that karat saved"):
        karat.Table.load(other)


@pytest.mark.parametrize(
    "label", [{"fraction": "1e999999999"}, {"fraction": "1/" + "9" * 9000}, {"decimal": "9" * 9000}]
)
def test_labels_that_would_take_for_ever_are_refused(tmp_path: Path, label: dict[str, str]) -> None:
    path = tmp_path / "t.json"
    karat.Table.from_labels(["a"], ["b"]).save(path)
    head = {**json.loads(path.read_text()), "classes": [label]}
    head["checksum"] = storage._checksum(head, *zip(*head["cells"], strict=True))
    path.write_text(json.dumps(head))
    with pytest.raises(karat.TableError, match="is not a table that karat saved"):
        karat.Table.load(path)


def test_numbers_far_beyond_floats_are_labels(tmp_path: Path) -> None:
    labels = [Decimal("1e999999"), Decimal("-1e999999"), Decimal("1e-999999"), 10**3000, Fraction(1, 3), 2.5]
    table = karat.Table.from_labels(labels, labels)
    assert table.classes[0] == Decimal("-1e999999")
    table.save(tmp_path / "t.json")
    assert karat.Table.load(tmp_path / "t.json") == table


def test_a_name_that_occurs_twice_is_found_at_once() -> None:
    names = [*range(500_000), 499_999.0]  # which took half an hour
    with pytest.raises(karat.TableError, match=r"has the name 499999\.0 twice"):
        check_names(names, "the file")


def test_fractions_far_beyond_floats_are_labels(tmp_path: Path) -> None:
    table = karat.Table.from_labels([Fraction(10**3000, 7), Fraction(1, 10**3000), 2], [1, 1, 2])
    table.save(tmp_path / "table.json")
    assert karat.Table.load(tmp_path / "table.json").classes == (Fraction(1, 10**3000), 2, Fraction(10**3000, 7))


@pytest.mark.parametrize("place", [b"\x18\x05karat\x18", b'{"karat": "table"'])
def test_a_saved_table_whose_mark_is_damaged_is_not_read_as_rows(place: bytes, tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    karat.Table.from_labels(list("aabbb"), list("xxyyx")).save(path)
    content = path.read_bytes()
    start = content.rindex(place)
    for index in range(start + place.index(b"karat"), start + len(place) - 1):
        damaged = bytearray(content)
        damaged[index] ^= 1
        path.write_bytes(damaged)
        with pytest.raises(karat.KaratError, match="is not a table that karat saved"):
            karat.read(path)


DURATIONS = [
    dt.timedelta(days=1),
    dt.timedelta.max,
    np.timedelta64(5, "7us"),
    np.timedelta64(3, "ns"),
    np.timedelta64(-1, "M"),
    pd.Timedelta(1),
    dt.time(1, 2, 3, 4),
    dt.time(1, tzinfo=dt.UTC),
]


@pytest.mark.parametrize("ending", ["json", "parquet"])
def test_durations_and_times_of_day_are_saved(ending: str, tmp_path: Path) -> None:
    table = karat.Table.from_labels(DURATIONS, list("aabbccdd"))
    table.save(tmp_path / f"t.{ending}")
    loaded = karat.Table.load(tmp_path / f"t.{ending}")
    assert loaded == table
    assert list(map(repr, loaded.classes)) == list(map(repr, table.classes))
