"""A table without a part of it: the same cells, policy and numbers of dropped items as before the part was added."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import karat
from karat import Table
from shared import enough

LABELS = st.sampled_from(["a", "b", "noise", "skip", None])
ROWS = st.lists(st.tuples(LABELS, LABELS, st.integers(1, 3)), min_size=1, max_size=8)
POLICIES = st.fixed_dictionaries(
    {"missing": st.sampled_from(["drop", "singletons", "cluster"])},
    optional={"noise_as": st.sampled_from(["cluster", "singletons", "drop"]), "ignore": st.just("skip")},
)


def counted(rows: Any, policy: dict[str, Any], weighted: bool) -> Table:
    """The table of these rows, which begin with one that no policy drops."""
    gold, pred, weights = zip(("a", "a", 1), *rows, strict=True)
    noise = {"noise": "noise"} if "noise_as" in policy else {}
    return Table.from_labels(gold, pred, weights=weights if weighted else None, **policy, **noise)


@settings(max_examples=enough(300))
@given(ROWS, ROWS, POLICIES, st.booleans())
def test_a_part_that_was_added_can_be_subtracted(first: Any, second: Any, policy: Any, weighted: bool) -> None:
    a, b = counted(first, policy, weighted), counted(second, policy, weighted)
    for left, rest in (((a + b) - b, a), ((a + b) - a, b)):
        assert left == rest
        assert left.policy == rest.policy
        assert left.shape == rest.shape
        assert karat.vi(left) == karat.vi(rest)


def test_singletons_of_a_saved_part_are_found(tmp_path: Path) -> None:
    a = Table.from_labels(["a", None], [1, None], missing="singletons")
    b = Table.from_labels(["b", None, "b"], [1, None, None], missing="singletons")
    (a + b).save(tmp_path / "both.json")
    b.save(tmp_path / "b.parquet")
    assert Table.load(tmp_path / "both.json") - Table.load(tmp_path / "b.parquet") == a
    assert pickle.loads(pickle.dumps(a + b)) - pickle.loads(pickle.dumps(b)) == a


def test_a_part_under_another_policy_is_refused() -> None:
    whole = Table.from_labels(["a", "a", None], [1, 2, 2], missing="drop")
    with pytest.raises(karat.TableError, match=r"different policies \(missing='drop'.* and missing='raise'.*\)"):
        whole - Table.from_labels(["a"], [1])
    with pytest.raises(karat.TableError, match=r"different policies .* with weights"):
        Table.from_labels(["a", "a"], [1, 2]) - Table.from_labels(["a"], [1], weights=[1])


def test_a_part_of_more_items_than_the_whole_is_refused() -> None:
    few = Table.from_labels(["a", "a", "a"], [1, 2, 2], missing="drop")
    many = Table.from_labels(["a", None, None], [1, 2, 2], missing="drop")
    with pytest.raises(karat.TableError, match="from 2 missing items, the whole from 0; subtract only"):
        few - many
    single = Table.from_labels(["a", None], [1, 1], missing="singletons")
    other = Table.from_labels(["a", None], [1, 2], missing="singletons")
    with pytest.raises(karat.TableError, match="<singleton: 1> and cluster 2 have 1 items more in the part"):
        (single + single) - other
    with pytest.raises(karat.TableError, match="none is left; subtract a smaller part"):
        few - few


@settings(max_examples=enough(60), deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from("ab"), st.sampled_from("xy"), st.sampled_from([0.1, 1.1, 3.3, 1e-9, 7e8, 0.3])),
        min_size=2,
    ),
    st.data(),
)
def test_a_sum_of_fractional_tables_depends_on_no_order(
    items: list[tuple[str, str, float]], data: st.DataObject
) -> None:
    def counted(part: list[tuple[str, str, float]]) -> karat.Table:
        gold, pred, weights = zip(*part, strict=True)
        return karat.Table.from_labels(gold, pred, weights=weights)

    whole = counted(items)
    shuffled = data.draw(st.permutations(items))
    cut = data.draw(st.integers(1, len(items) - 1))
    first, last = counted(shuffled[:cut]), counted(shuffled[cut:])
    assert first + last == last + first == pickle.loads(pickle.dumps(first)) + last == (first.T + last.T).T == whole
    assert sum(counted([item]) for item in shuffled) == whole
