"""align(): gold and any number of systems on the same items, under one policy.

This is the only place where sides are matched by item, and where items without a label, noise and ignored items are
treated. Lists, dicts, Series, frames, files and the results of queries all come through here.
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
from karat.labels.policy import DROP, KEEP_OR_DROP, Policy
from karat.labels.weights import check_weights
from karat.limits import SINGLETONS

Ints = NDArray[np.int64]
AnyInts = NDArray[Any]  # of any integer type
Mask = NDArray[np.bool_]

PRED = "pred"  # the name of a system that was given without one
CALLED = {"": "gold", PRED: PRED}  # what messages call the sides of one system without a name
WITHOUT_GOLD: Any = object()  # in place of gold, where systems are compared among themselves


class Coded(NamedTuple):
    """The labels of one side: a code for each item, and the label that each code stands for."""

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
    positions: Ints | None = None  # of the rows among all that were given; None: all, in order
    counts: Ints | None = None  # items that each row stands for; None: one each
    weights: NDArray[Any] | None = None
    groups: Coded | None = None
    union: int = 0  # items that gold or some system has
    labelled: int = 0  # of these, the items for which gold has a label
    dropped: int = 0  # of these, the items that are not scored
    dropped_by: Mapping[str, int] = field(default_factory=dict)  # items that are left out on account of each side
    group_policies: Mapping[str, Sequence[Policy]] = field(default_factory=dict)  # for each system, by code of group

    @property
    def totals(self) -> NDArray[Any] | None:
        """The weight of each row, or the number of items it stands for; None if that is 1 for all."""
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
    """Read gold and the systems, match them by item where all name their items, else by position; apply the policy.

    gold: labels, or WITHOUT_GOLD. systems: labels by name. weights, groups: one for each item. counts: items
    that each position stands for. items: ids of positions. called: what messages call a side, by its name.
    noise_is_text: noise and ignore were typed as text, which also stands for the number that it spells.
    """
    names = _names(gold is not WITHOUT_GOLD, systems, called)
    sides = {} if gold is WITHOUT_GOLD else {"": to_labels(gold, names[""])}
    sides |= {name: to_labels(labels, names[name]) for name, labels in systems.items()}
    matched = match(sides, names, items=items, whole=policy.missing == "raise")
    how = "items" if matched.by_item else "positions"
    if weights is not None or how != policy.matched:
        policy = replace(policy, weighted=weights is not None, matched=how)
    weight = None if weights is None else _weights(weights, matched, gaps=policy.missing == "drop")
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
    """What messages call each side; gold is ''."""
    if gold and called is None and list(systems) == [PRED]:
        return CALLED
    for name in systems:
        if not isinstance(name, str) or not name or (name == "gold" and gold):
            raise LabelError(f"a system is called {brief(name)}; give it another name, as text.")
    names = {"": "gold", **{name: PRED if name == PRED else repr(name) for name in systems}}
    return {**names, **(called or {})}


class Rows(NamedTuple):
    """Codes of all sides, -1 where a side has no label, before a policy is applied; gold is the side ''."""

    sides: dict[str, Coded]
    items: Any = None
    counts: Ints | None = None
    weights: NDArray[Any] | None = None
    groups: Coded | None = None


def apply_policy(rows: Rows, policy: Policy, names: Mapping[str, str], *, noise_is_text: bool = False) -> Aligned:
    """Drop the items that lack a label, are noise or are to be ignored, or give them labels, as the policy says."""
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
        noisy = {name: found & any_noisy for name, found in noisy.items()}
    lost = ignored | (any_absent if policy.missing == "drop" else False)
    lost = lost | (any_noisy if policy.noise_as == "drop" else False)
    if lost.all():
        raise NothingLeftError(
            f"no item is left to score: all {_total(counts, lost.size):,} were dropped as missing, noise or ignored; "
            "keep some."
        )
    found = _Found(absent, noisy, ignored, any_absent, any_noisy)
    policies = {name: found.policy(policy, name, _noise_label(sides[name], code, policy), counts)
                for name, code in noise.items()}  # fmt: skip
    kept = ~lost
    _check_beside(rows.weights, rows.groups, kept, absent.get(""), rows.items, names)
    whole = bool(kept.all())
    settled = {
        name: _settled(side, absent[name], noisy.get(name), kept, rows.items, policy) for name, side in sides.items()
    }
    at: Any = slice(None) if whole else np.flatnonzero(kept)
    gold = settled.pop("", None)
    return Aligned(
        gold=None if gold is None else gold.at(at),
        systems={name: side.at(at) for name, side in settled.items()},
        policies=policies,
        items=_some(rows.items, None if whole else at),
        positions=None if whole else at,
        counts=None if counts is None else counts[at],
        weights=None if rows.weights is None else rows.weights[at],
        groups=None if rows.groups is None else rows.groups.at(at),
        union=_total(counts, lost.size),
        labelled=_total(counts, lost.size) if gold is None else _number(~absent[""], counts),
        dropped=_number(lost, counts),
        dropped_by=found.dropped_by(policy, names, counts),
        group_policies=_group_policies(rows.groups, found, policies, policy, counts),
    )


class _Found(NamedTuple):
    """Which rows lack a label on each side, which each system calls noise, and which gold marks to be ignored."""

    absent: Mapping[str, Mask]
    noisy: Mapping[str, Mask]
    ignored: Mask
    any_absent: Mask
    any_noisy: Mask

    def policy(self, policy: Policy, system: str, noise: Any, counts: Ints | None, rows: Any = None) -> Policy:
        """The policy of one system's table, with the numbers of items, of all rows or of some."""
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
        """The number of items left out on account of each side: those that it lacks, calls noise, or ignores."""
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
    groups: Coded | None, found: _Found, policies: Mapping[str, Policy], policy: Policy, counts: Ints | None
) -> dict[str, list[Policy]]:
    if groups is None:
        return {}
    by_group = rows_of(groups.codes, len(groups.names or ()))
    return {
        name: [found.policy(policy, name, own.noise, counts, rows) for rows in by_group]
        for name, own in policies.items()
    }


def _plain_policies(coded: Mapping[str, Coded], policy: Policy, groups: Coded | None) -> dict[str, list[Policy]]:
    return {} if groups is None else {name: [policy] * len(groups.names or ()) for name in coded}


def rows_of(codes: NDArray[Any], number: int) -> list[Ints]:
    """The rows that have each of so many codes."""
    order = np.argsort(codes, kind="stable")
    return np.split(order, np.searchsorted(codes[order], np.arange(number + 1)))[1:-1] if number else []


def _ignored(sides: Mapping[str, Coded], policy: Policy, as_text: bool) -> Mask:
    """Which items gold marks to be ignored."""
    gold, size = sides.get(""), next(iter(sides.values())).codes.size
    if gold is None or policy.ignore is None:
        return np.zeros(size, bool)
    return np.asarray(gold.codes == label_code(gold.names or (), policy.ignore, "ignore", "gold", as_text))


def noise_code(names: Sequence[Any], policy: Policy, side: str = PRED, as_text: bool = False) -> int:
    """The code of the noise label, -2 if there is none."""
    return -2 if policy.noise_as is None else label_code(names, policy.noise, "noise", side, as_text)


def label_code(names: Sequence[Any], label: Any, option: str, side: str, as_text: bool = False) -> int:
    """The code of a label, -2 if it does not occur; a label of another type that is written alike is an error.

    as_text: a label that was typed as text also stands for the number or the truth value that it spells.
    """
    codes, _ = encode_objects([label, *names], option)
    same = np.flatnonzero(codes[1:] == codes[0])
    if same.size:
        return int(same[0])
    alike = [code for code, name in enumerate(names) if str(label) in (str(name), _json_text(name))]
    if alike and as_text:
        return alike[0]
    if alike:
        found = names[alike[0]]
        asked, right = Option(option, (label,)), Option(option, (found,))
        raise LabelError(asked, f" is not among {side}'s labels, but {brief(found)} is; give ", right, ".")
    return -2


def _json_text(label: Any) -> str:
    """A label as JSON and DuckDB write it: true and false in small letters."""
    return str(label).lower() if isinstance(label, bool) else str(label)


def _noise_label(side: Coded, code: int, policy: Policy) -> Any:
    """The noise label as the system has it."""
    return policy.noise if code < 0 or side.names is None else side.names[code]


def _expanded(rows: Rows, policy: Policy, noise: Mapping[str, int], ignored: Mask) -> tuple[Rows, Mask]:
    """Rows that stand for several items, as many times as they have items where each item is to stand alone."""
    counts: Any = rows.counts
    if (counts == 0).any():  # a cell without items is none
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
    """Some of the rows, perhaps repeated."""
    return Rows(
        {name: side.at(at) for name, side in rows.sides.items()},
        _some(rows.items, at),
        None if rows.counts is None else rows.counts[at],
        None if rows.weights is None else rows.weights[at],
        None if rows.groups is None else rows.groups.at(at),
    )


def _settled(side: Coded, absent: Mask, noisy: Mask | None, kept: Mask, items: Any, policy: Policy) -> Coded:
    """The side with labels for the items that have none, and for noise if each such item stands alone."""
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
    """A side whose singletons are numbered by their labels on the other side, and those that have none there last.

    So the cells of a table, and what is drawn from them, do not depend on the order of items, nor on which engine
    listed them, nor on the systems beside this one.
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
    """The code from which on labels are singletons, each of one item; None if there are none."""
    names = side.names or ()
    number = 0
    while number < len(names) and type(names[-1 - number]) is Singleton:
        number += 1
    return len(names) - number if number else None


def take(codes: Ints, places: Ints | None) -> Ints:
    """The codes at some places, -1 where there is none."""
    return codes if places is None else np.where(places >= 0, codes[places], -1)


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
    """The number of items in some rows."""
    return int(mask.sum() if counts is None else counts[mask].sum())


def _total(counts: Ints | None, size: int) -> int:
    return size if counts is None else int(counts.sum())


class Matched(NamedTuple):
    """The items of all sides, and the index of each item in every side."""

    items: Any  # their ids, None if only their positions are known
    at: Mapping[str, Ints | None]  # -1 where a side lacks the item; None: as given
    by_item: bool
    size: int
    given: bool = False  # the ids were given beside the labels
    index: Any = None  # what the sides call the positions then, if anything


def match(
    sides: Mapping[str, Labels], names: Mapping[str, str], *, items: Sequence[Any] | None = None, whole: bool = False
) -> Matched:
    """Sides matched by item where all name their items, else by position.

    names: what messages call each side. items: ids of positions. whole: refuse sides that lack an item.
    """
    first = next(iter(sides.values()))
    same: dict[str, Ints | None] = dict.fromkeys(sides)
    if items is not None or any(side.items is None for side in sides.values()):
        _check_positions(sides, names, items)
        held = next((side.items for side in sides.values() if side.items is not None), None)
        return Matched(held if items is None else items, same, False, len(first), items is not None, held)
    if all(same_items(first.items, side.items) for side in sides.values()):
        return Matched(first.items, same, True, len(first))
    at, union = numbered_items({name: side.items for name, side in sides.items()}, names)
    if whole and any((places < 0).any() for places in at.values()):
        lacking = {names[name]: [union[i] for i in np.flatnonzero(places < 0)] for name, places in at.items()}
        raise LabelError(different_items(lacking))
    return Matched(union, dict(at), True, len(union))


def numbered_items(items: Mapping[str, Any], names: Mapping[str, str]) -> tuple[dict[str, Ints], list[Any]]:
    """The index of every item in each side, -1 where a side lacks it, and all items in the order of the sides."""
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
    """Items as an array of integers, or as they are."""
    if hasattr(items, "to_numpy") and str(getattr(items, "dtype", "")).startswith("int"):  # an index of pandas
        return np.asarray(items.to_numpy())
    integers = isinstance(items, np.ndarray) and items.dtype.kind == "i"
    return items if integers else _as_list(items)


def _as_list(items: Any) -> list[Any]:
    return items.tolist() if isinstance(items, np.ndarray) else list(items)


def different_items(lacking: Mapping[str, Sequence[Any]], numbers: Mapping[str, int] | None = None) -> Sentence:
    """What to say of sides that are about different items: those that each lacks, by what the side is called."""

    def few(name: str) -> str:
        values = list(lacking[name])
        number = len(values) if numbers is None else numbers[name]
        return listed([*values, *[None] * (number - len(values))], 3) if number else "none"

    called = list(lacking)
    if len(called) == 2:
        first, second = called
        told = f"only {first} has {few(second)}, only {second} has {few(first)}"
        return Sentence(f"{first} and {second} are about different items: {told}; say ", KEEP_OR_DROP, ".")
    told = "; ".join(f"{name} lacks {few(name)}" for name in called if lacking[name])
    return Sentence(f"{called[0]} and the others are about different items: {told}; say ", KEEP_OR_DROP, ".")


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
    """Whether two lists of items are the same, in the same order."""
    if left is right:
        return True
    if hasattr(left, "equals") and hasattr(right, "equals"):
        return bool(left.equals(right))
    return len(left) == len(right) and list(left) == list(right)


def item_places(items: list[Any], side: str) -> dict[Any, int]:
    """The index of each item; one that occurs twice is refused."""
    places = {item: place for place, item in enumerate(items)}
    if len(places) < len(items):
        twice = next(item for place, item in enumerate(items) if places[item] != place)
        raise LabelError(
            f"{side} has item {brief(twice)} more than once, so it cannot be aligned; make its item ids unique."
        )
    return places


def look_up(items: list[Any], places: dict[Any, int]) -> Ints:
    """The index of each item, -1 where it has none."""
    return np.fromiter((places.get(item, -1) for item in items), dtype=np.int64, count=len(items))


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
    """How many labels are missing, and at what, as messages say it."""
    plural = "" if number == 1 else "s"
    return f"{number:,} missing label{plural}, at {noun}{plural}"


def _weights(weights: Any, matched: Matched, *, gaps: bool) -> NDArray[Any]:
    """One number for each item, in the order of the items; gaps: -1 for items that have none, and must be dropped."""
    keyed = isinstance(weights, Mapping)
    index = list(weights) if keyed else getattr(weights, "index", None)
    at = _beside(None if callable(index) else index, keyed, matched, "weights", gaps=gaps)
    array = check_weights(list(weights.values()) if keyed else weights, None if at is not None else matched.size)
    return array if at is None else np.where(at >= 0, array[at], -1)


def _groups(groups: Any, matched: Matched) -> Coded:
    """A group for each item; -1 for items that have none, such as those that gold, which names the groups, lacks."""
    labels = to_labels(groups, "by")
    codes, names = labels.coded
    at = _beside(labels.items, labels.keyed, matched, "by", gaps=True)
    if at is None and codes.size != matched.size:
        raise LabelError(f"by has {codes.size} values but there are {matched.size} items; give each item a group.")
    if (codes < 0).any():
        raise LabelError(f"by has no value for {int((codes < 0).sum()):,} items; give every item a group.")
    return Coded(take(codes, at), names)


def _beside(index: Any, keyed: bool, matched: Matched, what: str, *, gaps: bool = False) -> Ints | None:
    """The place of each item among values that go with items and may name them; None: by position."""
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
    """Whether a Series goes by position: beside ids that were given, one with the index that gold has, or with none."""
    if not matched.given or len(index) != matched.size:
        return False
    own = range(matched.size) if matched.index is None else matched.index
    return same_items(index, own)


def _check_beside(
    weights: Any, groups: Coded | None, kept: Mask, absent: Mask | None, items: Any, names: Mapping[str, str]
) -> None:
    """Refuse scored items that have no weight, or no group, which only gold or the user can tell."""
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
        told = "1 item" if without.sum() == 1 else f"{int(without.sum()):,} items"
        raise LabelError(f"{told} of the systems have no group, since {names['']} lacks them; say ", DROP, ".")
