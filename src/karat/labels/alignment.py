"""align(): gold and any number of systems on the same items, under one policy.

Only this module matches sides by item and treats items without a label, noise and ignored items. Lists, dicts, Series,
frames, files and query results are all aligned here. A side is gold, or one of the systems.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from karat.errors import LabelError, NothingLeftError, Option, Sentence, TableError, brief, listed
from karat.kernels.counting import first_seen
from karat.kernels.objects import number_objects
from karat.labels.encoding import Labels, to_labels
from karat.labels.names import MISSING, Singleton, encode_objects
from karat.labels.policy import DROP, KEEP_OR_DROP, Policy, label_text
from karat.labels.weights import check_weights
from karat.limits import SINGLETONS, SYSTEMS

Ints = NDArray[np.int64]
AnyInts = NDArray[Any]  # of any integer type
Mask = NDArray[np.bool_]

PRED = "pred"  # the default name of a system
CALLED = {"": "gold", PRED: PRED}  # how messages refer to the sides, for one system without a name
WITHOUT_GOLD: Any = object()  # passed as gold where systems are compared with each other


class Coded(NamedTuple):
    """The labels of one side: the code of each item, and the label of each code."""

    codes: AnyInts
    names: Sequence[Any] | None  # None if the codes are themselves the labels

    def at(self, rows: Any) -> Coded:
        """The labels of some of the items."""
        return Coded(self.codes[rows], self.names)


@dataclass(frozen=True, eq=False)
class Aligned:
    """Gold and systems on the same items, each item with a label on every side.

    A row is an item, or counts[row] items that have the same labels on all sides.
    """

    gold: Coded | None
    systems: Mapping[str, Coded]
    policies: Mapping[str, Policy]  # of each system
    items: Any = None  # the ids of the rows, None if only their positions are known
    positions: Ints | None = None  # positions of the rows in the input; None: all, in order
    counts: Ints | None = None  # number of items that each row stands for; None: one each
    weights: NDArray[Any] | None = None
    groups: Coded | None = None
    union: int = 0  # number of items in gold or in any system
    labelled: int = 0  # number of items that have a gold label
    dropped: int = 0  # number of items that are not scored
    dropped_by: Mapping[str, int] = field(default_factory=dict)  # number of items dropped because of each side
    group_policies: Mapping[str, Sequence[Policy]] = field(default_factory=dict)  # for each system, by code of group

    @property
    def totals(self) -> NDArray[Any] | None:
        """The weight of each row, or the number of items it stands for; None if every row counts 1."""
        return self.counts if self.weights is None else self.weights


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
    matched = match(sides, names, items=items, whole=policy.missing == "raise")
    how = "items" if matched.by_item else "positions"
    if weights is not None or how != policy.matched:
        policy = replace(policy, weighted=weights is not None, matched=how)
    gaps = policy.missing == "drop"
    weight = None if weights is None else _weights(weights, matched, gaps=gaps)
    counts = None if counts is None else _counts(counts, matched, gaps=gaps)
    group = None if groups is None else _groups(groups, matched)
    plain = all(at is None for at in matched.at.values()) and all(side.complete for side in sides.values())
    if plain and policy.keeps_all:
        _check_beside(weight, group, np.ones(matched.size, bool), None, matched.items, names)
        coded = {name: Coded(side.values, side.names) for name, side in sides.items()}
        size = _total(counts, matched.size)
        return Aligned(
            coded.pop("", None), coded, dict.fromkeys(coded, policy), matched.items, None, counts, weight, group,
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
    SYSTEMS.check(len(systems), "the evaluation", LabelError)
    for name in systems:
        if not isinstance(name, str) or not name or (name == "gold" and gold):
            raise LabelError(f"a system is called {brief(name)}; give it another name, as text.")
    names = {"": "gold", **{name: PRED if name == PRED else repr(name) for name in systems}}
    return {**names, **(called or {})}


class Rows(NamedTuple):
    """Codes of all sides before a policy is applied, -1 where a label is missing; gold is the side ''."""

    sides: dict[str, Coded]
    items: Any = None
    counts: Ints | None = None
    weights: NDArray[Any] | None = None
    groups: Coded | None = None


def apply_policy(rows: Rows, policy: Policy, names: Mapping[str, str], *, noise_is_text: bool = False) -> Aligned:
    """Apply the policy: drop or relabel the items without a label and noise, and drop ignored items."""
    sides, counts = dict(rows.sides), rows.counts
    noise = {n: noise_code(c.names or (), policy, names[n], noise_is_text) for n, c in sides.items() if n}
    ignored = _ignored(sides, policy, noise_is_text)
    if counts is not None:
        rows, ignored = _expanded(rows, policy, noise, ignored)
        sides, counts = dict(rows.sides), rows.counts
    absent = {name: (side.codes < 0) & ~ignored for name, side in sides.items()}
    any_absent = _any(absent.values(), ignored.size)
    if policy.missing == "raise" and any_absent.any():
        raise LabelError(_missing_message(absent, names, rows.items))
    noisy = {name: (sides[name].codes == code) & ~ignored for name, code in noise.items()}
    any_noisy = _any(noisy.values(), ignored.size)
    if policy.missing == "drop":  # an item without a label is dropped once, as missing
        any_noisy &= ~any_absent
        noisy = {name: mask & any_noisy for name, mask in noisy.items()}
    lost = ignored | (any_absent if policy.missing == "drop" else False)
    lost = lost | (any_noisy if policy.noise_as == "drop" else False)
    if lost.all():
        raise NothingLeftError(
            f"no item is left to score: all {_total(counts, lost.size):,} were dropped as missing, noise or ignored; "
            "keep some."
        )
    special = _SpecialRows(absent, noisy, ignored, any_absent, any_noisy)
    policies = {name: special.policy(policy, name, _noise_label(sides[name], code, policy), counts)
                for name, code in noise.items()}  # fmt: skip
    kept = ~lost
    _check_beside(rows.weights, rows.groups, kept, absent.get(""), rows.items, names)
    all_kept = bool(kept.all())
    relabelled = {
        name: _relabelled(side, absent[name], noisy.get(name), kept, rows.items, policy) for name, side in sides.items()
    }
    at: Any = slice(None) if all_kept else np.flatnonzero(kept)
    gold = relabelled.pop("", None)
    return Aligned(
        gold=None if gold is None else gold.at(at),
        systems={name: side.at(at) for name, side in relabelled.items()},
        policies=policies,
        items=_some(rows.items, None if all_kept else at),
        positions=None if all_kept else at,
        counts=None if counts is None else counts[at],
        weights=None if rows.weights is None else rows.weights[at],
        groups=None if rows.groups is None else rows.groups.at(at),
        union=_total(counts, lost.size),
        labelled=_total(counts, lost.size) if gold is None else _number(~absent[""], counts),
        dropped=_number(lost, counts),
        dropped_by=special.dropped_by(policy, names, counts),
        group_policies=_group_policies(rows.groups, special, policies, policy, counts),
    )


class _SpecialRows(NamedTuple):
    """Masks of rows without a label on each side, of each system's noise, and of gold's ignored rows."""

    absent: Mapping[str, Mask]
    noisy: Mapping[str, Mask]
    ignored: Mask
    any_absent: Mask
    any_noisy: Mask

    def policy(self, policy: Policy, system: str, noise: Any, counts: Ints | None, rows: Any = None) -> Policy:
        """The policy of one system's table, with the numbers of items affected, in all rows or in some."""
        missing = self.any_absent
        if policy.missing != "drop":
            missing = self.absent[system] | self.absent.get("", np.zeros_like(self.ignored))
        noisy = self.any_noisy if policy.noise_as == "drop" else self.noisy[system]
        chosen = slice(None) if rows is None else rows
        numbers = [
            _number(mask[chosen], None if counts is None else counts[chosen]) for mask in (missing, noisy, self.ignored)
        ]
        return replace(policy, noise=noise, missing_items=numbers[0], noise_items=numbers[1], ignored_items=numbers[2])

    def dropped_by(self, policy: Policy, names: Mapping[str, str], counts: Ints | None) -> dict[str, int]:
        """The number of items dropped because each side lacks them, calls them noise, or ignores them."""
        result = {}
        for name, absent in self.absent.items():
            lost = absent & (policy.missing == "drop")
            if name and policy.noise_as == "drop":
                lost = lost | self.noisy[name]
            if not name:
                lost = lost | self.ignored
            result[name or "gold"] = _number(lost, counts)
        return result


def _group_policies(
    groups: Coded | None, special: _SpecialRows, policies: Mapping[str, Policy], policy: Policy, counts: Ints | None
) -> dict[str, list[Policy]]:
    if groups is None:
        return {}
    by_group = rows_of(groups.codes, len(groups.names or ()))
    return {
        name: [special.policy(policy, name, own.noise, counts, rows) for rows in by_group]
        for name, own in policies.items()
    }


def _plain_policies(coded: Mapping[str, Coded], policy: Policy, groups: Coded | None) -> dict[str, list[Policy]]:
    return {} if groups is None else {name: [policy] * len(groups.names or ()) for name in coded}


def rows_of(codes: NDArray[Any], number: int) -> list[Ints]:
    """For each code below number, the indices of the rows that have it."""
    order = np.argsort(codes, kind="stable")
    return np.split(order, np.searchsorted(codes[order], np.arange(number + 1)))[1:-1] if number else []


def _ignored(sides: Mapping[str, Coded], policy: Policy, as_text: bool) -> Mask:
    """The mask of the items that gold marks to be ignored."""
    gold, size = sides.get(""), next(iter(sides.values())).codes.size
    if gold is None or policy.ignore is None:
        return np.zeros(size, bool)
    return np.asarray(gold.codes == label_code(gold.names or (), policy.ignore, "ignore", "gold", as_text))


def noise_code(names: Sequence[Any], policy: Policy, side: str = PRED, as_text: bool = False) -> int:
    """The code of the noise label, -2 if there is none."""
    return -2 if policy.noise_as is None else label_code(names, policy.noise, "noise", side, as_text)


def label_code(names: Sequence[Any], label: Any, option: str, side: str, as_text: bool = False) -> int:
    """The code of a label, -2 if it does not occur; LabelError if a label of another type prints alike.

    as_text: the label was typed as text, so it also matches a number or boolean that prints alike.
    """
    codes, _ = encode_objects([label, *names], option)
    same = np.flatnonzero(codes[1:] == codes[0])
    if same.size:
        return int(same[0])
    alike = [code for code, name in enumerate(names) if str(label) in (str(name), _json_text(name), label_text(name))]
    if alike and as_text:
        return alike[0]
    if alike:
        name = names[alike[0]]
        asked, right = Option(option, (label,)), Option(option, (name,))
        raise LabelError(asked, f" is not among {side}'s labels, but {brief(name)} is; give ", right, ".")
    return -2


def _json_text(label: Any) -> str:
    """A label as JSON and DuckDB write it: true and false in lower case."""
    return str(label).lower() if isinstance(label, bool) else str(label)


def _noise_label(side: Coded, code: int, policy: Policy) -> Any:
    """The noise label in the type that the system uses."""
    return policy.noise if code < 0 or side.names is None else side.names[code]


def _expanded(rows: Rows, policy: Policy, noise: Mapping[str, int], ignored: Mask) -> tuple[Rows, Mask]:
    """Repeat a row once for each of its items where the policy makes each of them a singleton."""
    counts: Any = rows.counts
    if (counts == 0).any():  # an empty cell is dropped
        rows, ignored = _rows_at(rows, np.flatnonzero(counts)), ignored[counts > 0]
        counts = rows.counts
    alone = np.zeros(counts.size, bool)
    for name, side in rows.sides.items():
        if policy.missing == "singletons":
            alone |= side.codes < 0
        if policy.noise_as == "singletons" and name:
            alone |= side.codes == noise[name]
    alone &= ~ignored & (counts > 1)
    if not alone.any():
        return rows, ignored
    times = np.where(alone, counts, 1)
    SINGLETONS.check(int(counts[alone].sum()), "items that stand alone", TableError)
    at = np.repeat(np.arange(times.size), times)
    if rows.weights is not None:
        raise TableError("rows that stand for several items have one weight for all; give each item a row of its own.")
    return _rows_at(rows, at)._replace(counts=np.where(alone, 1, counts)[at]), ignored[at]


def _rows_at(rows: Rows, at: Ints) -> Rows:
    """The rows at these indices, which may repeat."""
    return Rows(
        {name: side.at(at) for name, side in rows.sides.items()},
        _some(rows.items, at),
        None if rows.counts is None else rows.counts[at],
        None if rows.weights is None else rows.weights[at],
        None if rows.groups is None else rows.groups.at(at),
    )


def _relabelled(side: Coded, absent: Mask, noisy: Mask | None, kept: Mask, items: Any, policy: Policy) -> Coded:
    """The side with labels for items without one, and new labels for noise that becomes singletons."""
    lacking = np.flatnonzero(absent & kept)
    alone = np.flatnonzero(noisy & kept) if noisy is not None and policy.noise_as == "singletons" else lacking[:0]
    if not lacking.size and not alone.size:
        return side
    codes, names = side.codes.astype(np.int64), list(side.names or ())
    for rows, each in ((lacking, policy.missing == "singletons"), (alone, True)):
        if rows.size:
            codes[rows] = len(names) + (np.arange(rows.size) if each else 0)
            names += [Singleton(_item(items, row)) for row in rows.tolist()] if each else [MISSING]
    return Coded(codes, names)


def in_order_of_cells(side: Coded, other: Coded) -> Coded:
    """A side with its singletons renumbered by the codes of the other side, singletons of both last.

    The cells of a table, and resamples of them, then do not depend on the order of items, on the engine that listed
    them, or on the other systems.
    """
    first, others = _singletons(side), _singletons(other)
    if first is None or side.names is None:
        return side
    rows = np.flatnonzero(side.codes >= first)
    there = other.codes[rows]
    keys = there if others is None else np.where(there >= others, np.iinfo(np.int64).max, there)
    order = rows[np.argsort(keys, kind="stable")]
    names = list(side.names)
    names[first:] = [side.names[code] for code in side.codes[order].tolist()]
    codes = side.codes.copy()
    codes[order] = first + np.arange(order.size)
    return Coded(codes, names)


def _singletons(side: Coded) -> int | None:
    """The first code of the singletons, which come last; None if there are none."""
    names = side.names or ()
    number = 0
    while number < len(names) and type(names[-1 - number]) is Singleton:
        number += 1
    return len(names) - number if number else None


def take(codes: Ints, indices: Ints | None) -> Ints:
    """The codes at these indices, -1 where the index is negative; all codes if indices is None."""
    return codes if indices is None else np.where(indices >= 0, codes[indices], -1)


def _item(items: Any, row: int) -> Any:
    return row if items is None else items[row]


def _some(items: Any, rows: Ints | None) -> Any:
    if items is None or rows is None:
        return items
    return items[rows] if hasattr(items, "take") else [items[row] for row in rows.tolist()]


def _any(masks: Any, size: int) -> Mask:
    result = np.zeros(size, bool)
    for mask in masks:
        result |= mask
    return result


def _number(mask: Mask, counts: Ints | None) -> int:
    """The number of items in the rows of a mask."""
    return int(mask.sum() if counts is None else counts[mask].sum())


def _total(counts: Ints | None, size: int) -> int:
    return size if counts is None else int(counts.sum())


class Matched(NamedTuple):
    """The items of all sides, and the index of each item in every side."""

    items: Any  # ids of the items, None if only their positions are known
    at: Mapping[str, Ints | None]  # index of each item in a side, -1 if the side lacks it; None: same order
    by_item: bool
    size: int
    given: bool = False  # the ids were given separately from the labels
    index: Any = None  # the index of the sides' Series, if the ids were given separately


def match(
    sides: Mapping[str, Labels], names: Mapping[str, str], *, items: Sequence[Any] | None = None, whole: bool = False
) -> Matched:
    """Match the sides by item id if all have ids, else by position.

    names: how messages refer to each side. items: ids of the positions. whole: raise LabelError if a side lacks items.
    """
    first = next(iter(sides.values()))
    same: dict[str, Ints | None] = dict.fromkeys(sides)
    if items is not None or any(side.items is None for side in sides.values()):
        _check_positions(sides, names, items)
        index = next((side.items for side in sides.values() if side.items is not None), None)
        return Matched(index if items is None else items, same, False, len(first), items is not None, index)
    if all(same_items(first.items, side.items) for side in sides.values()):
        return Matched(first.items, same, True, len(first))
    at, union = numbered_items({name: side.items for name, side in sides.items()}, names)
    if whole and any((indices < 0).any() for indices in at.values()):
        lacking = {names[name]: [union[i] for i in np.flatnonzero(indices < 0)] for name, indices in at.items()}
        raise LabelError(different_items(lacking))
    return Matched(union, dict(at), True, len(union))


def numbered_items(items: Mapping[str, Any], names: Mapping[str, str]) -> tuple[dict[str, Ints], list[Any]]:
    """The index of every item in each side, -1 where a side lacks it, and the union of all items."""
    columns = [_as_column(column) for column in items.values()]
    codes: AnyInts
    union: list[Any]
    if all(isinstance(column, np.ndarray) for column in columns):
        codes, distinct = first_seen(np.concatenate(columns).astype(np.int64).view(np.uint64))
        union = distinct.view(np.int64).tolist()
    else:
        codes, union = number_objects([item for column in columns for item in _as_list(column)])
    parts = np.split(codes.astype(np.int64), np.cumsum([len(column) for column in columns])[:-1])
    at = {}
    for name, part in zip(items, parts, strict=True):
        at[name] = np.full(len(union), -1, np.int64)
        at[name][part] = np.arange(part.size)
        if np.count_nonzero(at[name] >= 0) < part.size:
            twice = union[int(np.argmax(np.bincount(part) > 1))]
            raise LabelError(
                f"{names[name]} has item {twice!r} more than once, so it cannot be aligned; make its item ids unique."
            )
    return at, list(union)


def _as_column(items: Any) -> Any:
    """Items as an integer array if they are integers, else as a list."""
    if hasattr(items, "to_numpy") and str(getattr(items, "dtype", "")).startswith("int"):  # an index of pandas
        return np.asarray(items.to_numpy())
    integers = isinstance(items, np.ndarray) and items.dtype.kind == "i"
    return items if integers else _as_list(items)


def _as_list(items: Any) -> list[Any]:
    return items.tolist() if isinstance(items, np.ndarray) else list(items)


def different_items(lacking: Mapping[str, Sequence[Any]], numbers: Mapping[str, int] | None = None) -> Sentence:
    """The message for sides with different items: those that each lacks, and how many in all (numbers)."""

    def few(name: str) -> str:
        values = list(lacking[name])
        number = len(values) if numbers is None else numbers[name]
        return listed([*values, *[None] * (number - len(values))], 3) if number else "none"

    called = list(lacking)
    if len(called) == 2:
        first, second = called
        details = f"only {first} has {few(second)}, only {second} has {few(first)}"
        return Sentence(f"{first} and {second} are about different items: {details}; say ", KEEP_OR_DROP, ".")
    details = "; ".join(f"{name} lacks {few(name)}" for name in called if lacking[name])
    return Sentence(f"{called[0]} and the others are about different items: {details}; say ", KEEP_OR_DROP, ".")


def _check_positions(sides: Mapping[str, Labels], names: Mapping[str, str], items: Sequence[Any] | None) -> None:
    start, first = next(iter(sides.items()))
    for name, side in sides.items():
        if side.keyed and items is not None:
            raise LabelError(f"{names[name]} names its items already; leave out ", Option("id", bare=True), ".")
        if side.keyed:
            other = next(n for n, s in sides.items() if s.items is None)
            raise LabelError(
                f"{names[name]} names its items but {names[other]} does not; "
                "give both as dicts, sets or Series, or neither."
            )
    for name, side in sides.items():
        if len(side) != len(first):
            raise LabelError(
                f"{names[start]} has {len(first)} labels but {names[name]} has {len(side)}; "
                "give both as dicts {item: label} or as Series with an index, so that they can be aligned."
            )
        if side.shape != first.shape:
            raise LabelError(
                f"{names[start]} has shape {_shape(first)} but {names[name]} has shape {_shape(side)}; "
                "give label images of the same shape."
            )
    if items is not None and len(items) != len(first):
        raise LabelError(f"there are {len(items)} items but {len(first)} labels; give a name for each.")


def _shape(side: Labels) -> tuple[int, ...]:
    return side.shape or (len(side),)


def same_items(left: Any, right: Any) -> bool:
    """Whether two sequences of items are equal, including their order."""
    if left is right:
        return True
    if hasattr(left, "equals") and hasattr(right, "equals"):
        return bool(left.equals(right))
    return len(left) == len(right) and list(left) == list(right)


def item_places(items: list[Any], side: str) -> dict[Any, int]:
    """The index of each item; LabelError if an item occurs twice."""
    indices = {item: index for index, item in enumerate(items)}
    if len(indices) < len(items):
        twice = next(item for index, item in enumerate(items) if indices[item] != index)
        raise LabelError(
            f"{side} has item {brief(twice)} more than once, so it cannot be aligned; make its item ids unique."
        )
    return indices


def look_up(items: list[Any], indices: dict[Any, int]) -> Ints:
    """The index of each item, -1 where it has none."""
    return np.fromiter((indices.get(item, -1) for item in items), dtype=np.int64, count=len(items))


def _missing_message(absent: Mapping[str, Mask], names: Mapping[str, str], items: Any) -> Sentence:
    parts = []
    for name, mask in absent.items():
        rows = np.flatnonzero(mask)
        if rows.size:
            which = listed([_item(items, row) for row in rows.tolist()])
            parts.append(
                f"{names[name]} has {missing_labels(rows.size, 'position' if items is None else 'item')} {which}"
            )
    return Sentence(" and ".join(parts) + "; say ", KEEP_OR_DROP, ".")


def missing_labels(number: int, noun: str) -> str:
    """The words of a message for a number of missing labels, at positions or items as noun says."""
    plural = "" if number == 1 else "s"
    return f"{number:,} missing label{plural}, at {noun}{plural}"


def _weights(weights: Any, matched: Matched, *, gaps: bool) -> NDArray[Any]:
    """The weight of each item; gaps: allow items without a weight, given -1, which must then be dropped."""
    keyed = isinstance(weights, Mapping)
    index = list(weights) if keyed else getattr(weights, "index", None)
    at = _beside(None if callable(index) else index, keyed, matched, "weights", gaps=gaps)
    array = check_weights(list(weights.values()) if keyed else weights, None if at is not None else matched.size)
    return array if at is None else np.where(at >= 0, array[at], -1)


def _counts(counts: Ints, matched: Matched, *, gaps: bool) -> Ints:
    """The number of items at each position; gaps: allow items that gold lacks, which count as one and are dropped."""
    at = _beside(None, False, matched, "counts", gaps=gaps)
    return counts if at is None else np.where(at >= 0, counts[at], 1)


def _groups(groups: Any, matched: Matched) -> Coded:
    """The group code of each item; -1 for items without a group, such as those that gold lacks."""
    labels = to_labels(groups, "by")
    codes, names = labels.coded
    at = _beside(labels.items, labels.keyed, matched, "by", gaps=True)
    if at is None and codes.size != matched.size:
        raise LabelError(f"by has {codes.size} values but there are {matched.size} items; give each item a group.")
    if (codes < 0).any():
        raise LabelError(f"by has no value for {int((codes < 0).sum()):,} items; give every item a group.")
    return Coded(take(codes, at), names)


def _beside(index: Any, keyed: bool, matched: Matched, what: str, *, gaps: bool = False) -> Ints | None:
    """The index of each item in weights or groups, by item id if they have ids; None: by position."""
    if keyed and matched.items is None:
        raise LabelError(f"{what} names its items but gold and pred do not; give {what} as a list.")
    if matched.items is not None and index is not None and (keyed or not _in_order(index, matched)):
        at = look_up(list(matched.items), item_places(list(index), what))
        if (at < 0).any() and not gaps:
            lacking = _item(matched.items, int(np.argmin(at)))
            raise LabelError(f"{what} has no weight for item {brief(lacking)}; give one for every item.")
        return at
    gold = next(iter(matched.at.values()))
    if gold is not None and (gold < 0).any() and not gaps:
        raise LabelError(f"{what} are by position, but pred has items that gold lacks; give a dict {{item: weight}}.")
    return gold


def _in_order(index: Any, matched: Matched) -> bool:
    """Whether a Series is by position: ids were given separately, and its index is gold's or 0..n-1."""
    if not matched.given or len(index) != matched.size:
        return False
    own = range(matched.size) if matched.index is None else matched.index
    return same_items(index, own)


def _check_beside(
    weights: Any, groups: Coded | None, kept: Mask, absent: Mask | None, items: Any, names: Mapping[str, str]
) -> None:
    """Raise LabelError if a scored item has no weight or no group."""
    if weights is not None and ((weights < 0) & kept).any():
        lacking = _item(items, int(np.argmax((weights < 0) & kept)))
        raise LabelError(f"weights has no weight for item {brief(lacking)}; give one for every item.")
    if groups is None:
        return
    without = (groups.codes < 0) & kept
    known = without if absent is None else without & ~absent
    if known.any():
        lacking = _item(items, int(np.argmax(known)))
        raise LabelError(f"by has no group for item {brief(lacking)}; give every item a group.")
    if without.any():
        number = "1 item" if without.sum() == 1 else f"{int(without.sum()):,} items"
        raise LabelError(f"{number} of the systems have no group, since {names['']} lacks them; say ", DROP, ".")
