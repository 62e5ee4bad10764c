"""Items matched by id, and the policies for what is missing, noise or weighted."""

from __future__ import annotations

import pickle
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import karat

GOLD = {"a": 0, "b": 0, "c": 1, "d": 1}


def test_dicts_are_matched_by_key() -> None:
    assert karat.ari(GOLD, {"d": "y", "c": "y", "b": "x", "a": "x"}) == 1


def test_series_with_the_same_items_in_another_order_are_matched() -> None:
    gold = pd.Series(GOLD)
    pred = gold.sample(frac=1, random_state=1)
    assert list(pred.index) != list(gold.index)
    assert karat.ari(gold, pred) == karat.ari(gold, dict(pred)) == 1


def test_a_series_beside_an_array_goes_by_position() -> None:
    gold = pd.Series([0, 0, 1, 1], index=[30, 10, 20, 40])
    assert karat.ari(gold, np.array([5, 5, 6, 6])) == karat.ari([5, 5, 6, 6], gold) == 1


def test_a_dict_beside_a_list_is_refused() -> None:
    with pytest.raises(karat.LabelError, match="gold names its items but pred does not"):
        karat.ari(GOLD, [0, 0, 1, 1])
    with pytest.raises(karat.LabelError, match="pred names its items but gold does not"):
        karat.ari([0, 0, 1, 1], GOLD)


def test_repeated_ids_are_harmless_in_the_same_order_and_refused_in_another() -> None:
    gold = pd.Series([0, 0, 1], index=["a", "a", "b"])
    assert karat.ari(gold, gold + 1) == 1
    with pytest.raises(karat.LabelError, match="pred has item 'a' more than once"):
        karat.ari(pd.Series([0, 0, 1], index=["a", "b", "c"]), gold)


PRED = {"a": "x", "b": "x", "c": "y", "e": "y"}


def test_different_items_are_refused_with_their_names() -> None:
    with pytest.raises(karat.LabelError) as caught:
        karat.ari(GOLD, PRED)
    assert str(caught.value) == (
        "gold and pred are about different items: only gold has 'd', only pred has 'e'; "
        "say missing='drop', 'singletons' or 'cluster'."
    )


@pytest.mark.parametrize(
    ("missing", "cells"),
    [
        ("drop", [[2, 0], [0, 1]]),
        ("singletons", [[2, 0, 0], [0, 1, 1], [0, 1, 0]]),
        ("cluster", [[2, 0, 0], [0, 1, 1], [0, 1, 0]]),
    ],
)
def test_policies_for_different_items(missing: Any, cells: list[list[int]]) -> None:
    table = karat.Table.from_labels(GOLD, PRED, missing=missing)
    assert karat.vi(table) == karat.vi(karat.Table.from_matrix(cells))
    assert table.policy.missing_items == 2


def test_singletons_stand_alone_and_a_cluster_does_not() -> None:
    gold, pred = [0, 0, 1, 1], ["x", None, None, "y"]
    alone = karat.Table.from_labels(gold, pred, missing="singletons")
    together = karat.Table.from_labels(gold, pred, missing="cluster")
    assert (alone.shape, together.shape) == ((2, 4), (2, 3))
    assert karat.purity(alone) == 1 > karat.purity(together)


def test_the_cluster_of_missing_labels_stays_one_when_pickled() -> None:
    table = karat.Table.from_labels([0, 0, 1], ["a", None, None], missing="cluster")
    back = pickle.loads(pickle.dumps(table))
    assert back == table
    assert (back + table).shape == (2, 2)


def test_singletons_of_different_batches_never_merge() -> None:
    batch = ([0, 0], ["x", None])
    table = karat.Table.from_batches([batch, batch, batch], missing="singletons")
    assert table.shape == (1, 4)
    assert karat.Table.from_batches([batch, batch, batch], missing="cluster").shape == (1, 2)


@given(st.lists(st.sampled_from([0, 1, None]), min_size=1, max_size=12), st.data())
def test_dropping_is_the_same_as_never_having_had_the_item(gold: list[Any], data: st.DataObject) -> None:
    pred = data.draw(st.lists(st.sampled_from(["x", "y", None]), min_size=len(gold), max_size=len(gold)))
    kept = [(g, p) for g, p in zip(gold, pred, strict=True) if g is not None and p is not None]
    if kept:
        assert karat.Table.from_labels(gold, pred, missing="drop") == karat.Table.from_labels(
            *map(list, zip(*kept, strict=True))
        )
    else:
        with pytest.raises(karat.LabelError, match="no item is left to score"):
            karat.Table.from_labels(gold, pred, missing="drop")


def test_noise_needs_both_of_its_arguments() -> None:
    with pytest.raises(karat.LabelError, match="noise=-1 needs noise_as="):
        karat.ari([0, 1], [0, -1], noise=-1)
    with pytest.raises(karat.LabelError, match="noise_as='drop' needs the label that marks noise"):
        karat.ari([0, 1], [0, -1], noise_as="drop")
    with pytest.raises(karat.LabelError, match="noise_as='remove' is not a policy"):
        karat.ari([0, 1], [0, -1], noise=-1, noise_as="remove")
    with pytest.raises(karat.LabelError, match="missing='ignore' is not a policy"):
        karat.ari([0, 1], [0, 1], missing="ignore")


def test_noise_of_the_wrong_kind_is_pointed_out() -> None:
    with pytest.raises(karat.LabelError, match="noise=-1 is not among pred's labels, but '-1' is; give noise='-1'"):
        karat.ari([0, 1], ["0", "-1"], noise=-1, noise_as="drop")
    assert karat.ari([0, 1], [0.0, -1.0], noise=-1, noise_as="singletons") == 1
    assert karat.ari([0, 1], [0, 1], noise=-1, noise_as="drop") == 1  # a clustering without noise is fine


def test_noise_is_looked_for_in_pred_only() -> None:
    assert karat.Table.from_labels([-1, -1, 0], [0, 0, -1], noise=-1, noise_as="drop").n == 2


def test_what_was_dropped_is_counted() -> None:
    scores = karat.score([0, None, 1, 1], [0, 1, -1, 2], missing="drop", noise=-1, noise_as="drop")
    assert (scores.n, scores.dropped) == (2, 2)
    assert "missing:drop(1)|noise:-1=drop(1)" in scores.signature
    assert "2 items (2 dropped)" in str(scores)


WEIGHTS = [3, 1, 2, 1]


@pytest.mark.parametrize(
    "weights",
    [
        WEIGHTS,
        tuple(WEIGHTS),
        np.array(WEIGHTS, dtype=np.uint8),
        np.array(WEIGHTS, dtype=float),
        pd.Series(WEIGHTS),
        iter(WEIGHTS),
    ],
    ids=["list", "tuple", "uint8", "float", "Series", "iterator"],
)
def test_a_whole_weight_is_as_many_items(weights: Any) -> None:
    weighted = karat.Table.from_labels([0, 0, 1, 1], ["x", "y", "y", "y"], weights=weights)
    assert weighted == karat.Table.from_labels([0, 0, 0, 0, 1, 1, 1], list("xxxyyyy"))
    assert weighted.integral
    assert weighted.policy.weighted


def test_weights_follow_their_items() -> None:
    weights = {"d": 4, "c": 3, "b": 2, "a": 1}
    table = karat.Table.from_labels(GOLD, {"b": 1, "a": 0, "c": 2, "d": 3}, weights=weights)
    assert table.cluster_sizes.tolist() == [1, 2, 3, 4]
    series = pd.Series(GOLD)
    assert karat.Table.from_labels(series, {"b": 1, "a": 0, "c": 2, "d": 3}, weights=pd.Series(weights)) == table


def test_fractional_weights_are_kept_and_add_up_in_any_order() -> None:
    weights = [0.1, 0.2, 0.3, 0.7, 1e9, 1.25]
    gold, pred = [0, 0, 0, 1, 1, 0], [0, 0, 0, 1, 0, 1]
    forward = karat.Table.from_labels(gold, pred, weights=weights)
    backward = karat.Table.from_labels(gold[::-1], pred[::-1], weights=weights[::-1])
    assert not forward.integral
    assert forward.counts.tolist() == backward.counts.tolist()


def test_weights_of_any_mapping_and_size_are_read_right() -> None:
    labels = {3: "a", 5: "b"}
    assert karat.Table.from_labels(labels, labels, weights=MappingProxyType({5: 30, 3: 50})).counts.tolist() == [50, 30]
    large = karat.Table.from_labels([1, 2], [1, 2], weights=np.array([2**53 + 1, 1], dtype=np.uint64))
    assert large.counts.tolist() == [2**53 + 1, 1]


def test_a_table_is_never_empty() -> None:
    with pytest.raises(karat.TableError, match="no item is left with a positive weight"):
        karat.Table.from_labels([1, None], [1, 2], weights=[0, 1], missing="drop")
    with pytest.raises(karat.TableError, match="no item is left with a positive weight"):
        karat.Table.from_labels({"a": 1}, {"a": 1}, weights={"a": 0, "z": 1})


def test_an_item_that_is_both_missing_and_noise_is_dropped_once() -> None:
    scores = karat.score([1, 2, 3, None], [0, -1, 0, -1], "ari", noise=-1, noise_as="drop", missing="drop")
    assert (scores.n, scores.dropped) == (2, 2)


def test_noise_is_a_label() -> None:
    with pytest.raises(karat.LabelError, match="noise=nan is not a label; items without a label follow missing="):
        karat.ari([0, 1], [0, 1], noise=float("nan"), noise_as="drop")
    assert "noise:-1=drop(1)" in karat.score([0, 1], [0, -1], noise=np.int64(-1), noise_as="drop").signature


def test_an_item_of_no_weight_is_not_there() -> None:
    assert karat.Table.from_labels([0, 1], [0, 1], weights=[1, 0]).shape == (1, 1)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, 2], r"weights has shape \(2,\) but there are 3 items"),
        ([1, -1, 2], "weights has -1 at position 1; give finite weights, none negative"),
        ([1, float("nan"), 2], "weights has nan at position 1"),
        ([1, float("inf"), 2], "weights has inf at position 1"),
        ([0, 0, 0], "all weights are 0"),
        ([1, "2", 3], "weights has '2' at position 1, which is not a number"),
        ([1, None, 3], "weights has None at position 1, which is not a number"),
        (3, "weights is 3; give a list of numbers"),
        ({1, 2, 3}, "weights is {1, 2, 3}; give a list of numbers"),
        ([10**400, 1, 1], "weights has inf at position 0"),
        (np.array([1, 2, 3], dtype="m8[s]"), "at position 0, which is not a number"),
        (np.ma.MaskedArray([1, 2, 3], mask=[0, 1, 0]), "weights has a masked value at position 1"),
        ({0: 1, 1: 2, 2: 3}, "weights names its items but gold and pred do not"),
        ([[1], [2, 3], [4]], r"weights has \[1\] at position 0, which is not a number"),
    ],
)
def test_bad_weights_are_refused(weights: Any, message: str) -> None:
    with pytest.raises(karat.LabelError, match=message):
        karat.ari([0, 1, 1], [0, 1, 1], weights=weights)


def test_weights_must_cover_every_item() -> None:
    with pytest.raises(karat.LabelError, match="weights has no weight for item 'd'"):
        karat.ari(GOLD, GOLD, weights={"a": 1, "b": 1, "c": 1})
    with pytest.raises(karat.LabelError, match="weights are by position, but pred has items that gold lacks"):
        karat.ari(GOLD, PRED, weights=[1, 1, 1, 1], missing="singletons")
    assert karat.Table.from_labels(GOLD, PRED, weights=[1, 2, 3, 4], missing="drop").n == 6


def test_scored_items_without_a_weight_are_refused_also_where_others_are_dropped() -> None:
    weights = {"a": 1, "b": 1, "c": 1}
    with pytest.raises(karat.LabelError, match="weights has no weight for item 'd'"):
        karat.score(GOLD, GOLD, "ari", weights=weights, missing="drop")
    without = {item: label for item, label in GOLD.items() if item != "d"}
    assert karat.score(GOLD, without, "ari", weights=weights, missing="drop").n == 3


@pytest.mark.parametrize("missing", ["raise", "drop", "singletons"])
def test_scored_items_without_a_group_are_refused(missing: Any) -> None:
    with pytest.raises(karat.LabelError, match="by has no group for item 'd'"):
        karat.score(GOLD, GOLD, "ari", by={"a": 1, "b": 1, "c": 2}, missing=missing)


@pytest.mark.parametrize(
    "by",
    [
        {"d": "x", "c": "x", "b": "y", "a": "y"},
        pd.Series(["x", "x", "y", "y"], index=list("dcba")),
        {"x": {"d", "c"}, "y": {"a", "b"}},
        [{"d", "c"}, {"a", "b"}],
        karat.encode({"d": "x", "c": "x", "b": "y", "a": "y"}),
        karat.encode(pd.Series(["x", "x", "y", "y"], index=list("dcba"))),
    ],
    ids=["dict", "Series", "dict of sets", "sets", "encoded dict", "encoded Series"],
)
def test_groups_that_name_their_items_are_matched_by_item(by: Any) -> None:
    aligned = karat.Evaluation(GOLD, GOLD, by=by).aligned
    assert aligned.groups is not None
    assert aligned.groups.codes.tolist() == [1, 1, 0, 0]
    with pytest.raises(karat.LabelError, match=r"by has no group|by names its items but gold and pred do not|values"):
        karat.Evaluation([0, 1, 1], [0, 1, 1], by=by)


def test_columns_of_one_frame_stay_together_beside_ids_that_are_numbers() -> None:
    frame = pd.DataFrame({"g": [0, 0, 1, 1], "doc": [3, 2, 1, 0], "by": list("xxyz"), "w": [1, 2, 3, 4]})
    for gold in (frame.g, frame.g.tolist()):
        aligned = karat.Evaluation(gold, gold, id=frame.doc, by=frame.by, weights=frame.w).aligned
        assert aligned.groups is not None
        assert aligned.weights is not None
        assert aligned.groups.codes.tolist() == [0, 0, 1, 2]
        assert aligned.weights.tolist() == [1, 2, 3, 4]
    named = karat.Evaluation([0, 0, 1], [0, 0, 1], id=list("abc"), weights=pd.Series({"c": 3, "b": 2, "a": 1})).aligned
    assert named.weights is not None
    assert named.weights.tolist() == [1, 2, 3]


@pytest.mark.parametrize("ids", ["abcd", {1, 2, 3, 4}, {"a": 1, "b": 2, "c": 3, "d": 4}, 5, np.array(5)])
def test_ids_without_an_order_are_refused(ids: Any) -> None:
    with pytest.raises(karat.LabelError, match="give the ids of the items as a list"):
        karat.Evaluation([0, 0, 1, 1], [0, 0, 1, 1], id=ids)


def test_a_policy_is_named_briefly() -> None:
    for option in ({"missing": ["x" * 10_000]}, {"noise": 1, "noise_as": np.zeros(1000)}, {"ignore": pd.Series([1])}):
        with pytest.raises(karat.LabelError) as caught:
            karat.ari([0, 0, 1], [0, 1, 1], **option)
        assert len(str(caught.value)) < 300
        assert "\n" not in str(caught.value)


def treated(item: dict[str, Any], place: int, side: str, policy: dict[str, Any]) -> Any:
    """The label of one side, as the policy has it."""
    label = item[side]
    if label is None:
        return f"alone {place}" if policy["missing"] == "singletons" else "missing"
    noisy = side != "gold" and label == policy["noise"]
    return f"noise {place}" if noisy and policy["noise_as"] == "singletons" else label


def treated_by_hand(items: list[dict[str, Any]], names: list[str], policy: dict[str, Any]) -> dict[Any, Any]:
    """The labels of both sides and the weights, by group and system, worked out item by item."""
    tables: dict[Any, list[tuple[Any, Any, int]]] = {}
    for place, item in enumerate(items):
        lacking = any(item[side] is None for side in ("gold", *names))
        noisy = any(item[name] == policy["noise"] for name in names)
        ignored = policy["ignore"] is not None and item["gold"] == policy["ignore"]
        dropped = (policy["missing"] == "drop" and lacking) or (policy["noise_as"] == "drop" and noisy)
        if ignored or dropped:
            continue
        for name in names:
            labels = treated(item, place, "gold", policy), treated(item, place, name, policy)
            tables.setdefault((item["by"], name), []).append((*labels, item["weight"]))
    return tables


ITEM = st.fixed_dictionaries(
    {
        "gold": st.sampled_from(["a", "b", "c", None]),
        "s": st.sampled_from(["x", "y", "n", None]),
        "t": st.sampled_from(["x", "y", "n", None]),
        "by": st.sampled_from(["g", "h"]),
        "weight": st.integers(1, 3),
    }
)
POLICY = st.fixed_dictionaries(
    {
        "missing": st.sampled_from(["drop", "singletons", "cluster"]),
        "noise": st.just("n"),
        "noise_as": st.sampled_from(["drop", "singletons", "cluster"]),
        "ignore": st.sampled_from([None, "c"]),
    }
)


@pytest.mark.parametrize("way", ["lists", "dicts", "frame", "lazy frame"])
@given(st.lists(ITEM, min_size=1, max_size=10), POLICY)
def test_systems_in_groups_are_treated_as_by_hand(way: str, items: list[Any], policy: Any) -> None:
    names = ["s", "t"]
    wanted = treated_by_hand(items, names, policy)
    columns = {key: [item[key] for item in items] for key in items[0]}
    frame = pl.DataFrame(columns, schema_overrides=dict.fromkeys(("gold", *names), pl.String))
    if way in ("lists", "dicts"):
        sides: Any = columns
        if way == "dicts":
            sides = {key: dict(reversed(list(enumerate(values)))) for key, values in columns.items()}

        def make() -> karat.Evaluation:
            systems = {name: sides[name] for name in names}
            return karat.Evaluation(sides["gold"], systems, by=sides["by"], weights=sides["weight"], **policy)
    else:
        frames = frame if way == "frame" else frame.lazy()

        def make() -> karat.Evaluation:
            return karat.Evaluation.from_frame(frames, gold="gold", pred=names, by="by", weights="weight", **policy)

    try:
        found = make().groups
    except karat.LabelError:
        assert not wanted
        return
    except karat.TableError:  # an engine has added up the weights of items that stand alone
        assert way == "lazy frame"
        assert "singletons" in (policy["missing"], policy["noise_as"])
        return
    assert found is not None
    assert {(group, name) for group, systems in found.items() for name in systems} == set(wanted)
    for (group, name), rows in wanted.items():
        gold, pred, weights = map(list, zip(*rows, strict=True))
        assert karat.vi(found[group][name]) == pytest.approx(karat.vi(gold, pred, weights=weights), abs=1e-12)
        assert karat.pair_f(found[group][name]) == pytest.approx(karat.pair_f(gold, pred, weights=weights), abs=1e-12)
