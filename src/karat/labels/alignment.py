"""align(): gold and any number of systems on the same items, under one policy.

Lists, dicts, Series, frames, files and query results are all aligned here: matching.py matches their items,
attributes.py the weights and groups of the items, and treatment.py applies the policy. Nothing else does.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from karat.errors import LabelError, brief
from karat.labels.attributes import check_attributes, counts_of, groups_of, weights_of
from karat.labels.encoding import to_labels
from karat.labels.matching import match, take
from karat.labels.policy import Policy
from karat.labels.rows import PRED, Aligned, Coded, Ints, Rows
from karat.labels.treatment import apply_policy, total_items
from karat.limits import SYSTEMS

CALLED = {"": "gold", PRED: PRED}  # how messages refer to the sides, for one system without a name
WITHOUT_GOLD: Any = object()  # passed as gold where systems are compared with each other


def align(
    gold: object,
    systems: Mapping[str, object],
    policy: Policy,
    *,
    weights: object = None,
    counts: Ints | None = None,
    groups: object = None,
    items: Sequence[Any] | None = None,
    called: Mapping[str, str] | None = None,
    noise_is_text: bool = False,
) -> Aligned:
    """Align gold and the systems by item id if all have ids, else by position, and apply the policy.

    gold: labels, or WITHOUT_GOLD. systems: labels by name. weights, groups: one for each item. counts: number of items
    that each position stands for. items: ids of the positions. called: how messages refer to a side, by its name.
    noise_is_text: noise and ignore were typed as text, so "1" also matches the number 1.
    """
    names = _names(gold is not WITHOUT_GOLD, systems, called)
    sides = {} if gold is WITHOUT_GOLD else {"": to_labels(gold, names[""])}
    sides |= {name: to_labels(labels, names[name]) for name, labels in systems.items()}
    matched = match(sides, names, items=items, strict=policy.missing == "raise")
    how = "items" if matched.by_item else "positions"
    if weights is not None or how != policy.matched:
        policy = replace(policy, weighted=weights is not None, matched=how)
    gaps = policy.missing == "drop"
    weight = None if weights is None else weights_of(weights, matched, gaps=gaps)
    counts = None if counts is None else counts_of(counts, matched, gaps=gaps)
    group = None if groups is None else groups_of(groups, matched)
    if policy.keeps_all and matched.same_order and all(side.complete for side in sides.values()):
        if weight is not None or group is not None:
            check_attributes(weight, group, np.ones(matched.size, bool), None, matched.items, names)
        coded = {name: Coded(side.values, side.names) for name, side in sides.items()}
        size = total_items(counts, matched.size)
        return Aligned(
            coded.pop("", None), coded, dict.fromkeys(systems, policy), matched.items, None, counts, weight, group,
            union=size, labelled=size, group_policies=_plain_policies(coded, policy, group),
        )  # fmt: skip
    rows = Rows(
        {name: Coded(take(side.coded[0], matched.at[name]), list(side.coded[1])) for name, side in sides.items()},
        matched.items, counts, weight, group,
    )  # fmt: skip
    return apply_policy(rows, policy, names, noise_is_text=noise_is_text)


def _names(gold: bool, systems: Mapping[str, object], called: Mapping[str, str] | None) -> dict[str, str]:
    """How messages refer to each side, by its name; gold is ''."""
    if gold and called is None and list(systems) == [PRED]:
        return CALLED
    check_system_names(systems, gold=gold)
    names = {"": "gold", **{name: PRED if name == PRED else repr(name) for name in systems}}
    return {**names, **(called or {})}


def check_system_names(names: Collection[object], *, gold: bool = True) -> None:
    """Refuse names of systems that are empty, not text, or gold's own, and too many of them."""
    SYSTEMS.check(len(names), "the evaluation", LabelError)
    for name in names:
        if not isinstance(name, str) or not name or (name == "gold" and gold):
            raise LabelError(f"a system is called {brief(name)}; give it another name, as text.")


def _plain_policies(coded: Mapping[str, Coded], policy: Policy, groups: Coded | None) -> dict[str, list[Policy]]:
    return {} if groups is None else {name: [policy] * len(groups.names or ()) for name in coded}
