"""apply_policy(): drop or relabel the items without a label, noise and ignored items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from karat.errors import LabelError, NothingLeftError, Option, Sentence, TableError, brief, listed
from karat.labels.attributes import check_attributes
from karat.labels.identity import Singleton
from karat.labels.names import MISSING, encode_objects
from karat.labels.policy import KEEP_OR_DROP, Policy, label_text
from karat.labels.rows import PRED, Aligned, Coded, Ints, Mask, Rows, id_of, rows_of
from karat.limits import SINGLETONS


def apply_policy(rows: Rows, policy: Policy, names: Mapping[str, str], *, noise_is_text: bool = False) -> Aligned:
    """Apply the policy: drop or relabel the items without a label and noise, and drop ignored items.

    names: how messages refer to each side. noise_is_text: noise and ignore were typed as text.
    """
    noise = {n: noise_code(c.names or (), policy, names[n], noise_is_text) for n, c in rows.sides.items() if n}
    ignored = _ignored(rows.sides, policy, noise_is_text)
    if rows.counts is not None:
        rows, ignored = _expanded(rows, policy, noise, ignored)
    sides, counts = rows.sides, rows.counts
    special = _special_rows(rows, policy, noise, ignored)
    if policy.missing == "raise" and special.any_absent.any():
        raise LabelError(_missing_message(special.absent, names, rows.items, counts))
    lost = special.lost(policy)
    policies = {name: special.policy(policy, name, _noise_label(sides[name], code, policy), counts)
                for name, code in noise.items()}  # fmt: skip
    of_groups = _group_policies(rows.groups, special, policies, policy, counts)
    dropped_by = special.dropped_by(policy, counts)
    if lost.all():
        problem = NothingLeftError(
            f"no item is left to score: all {total_items(counts, lost.size):,} were dropped as missing, noise or "
            "ignored; keep some."
        )
        problem.policies, problem.group_policies, problem.dropped_by = policies, of_groups, dropped_by
        raise problem
    kept = ~lost
    check_attributes(rows.weights, rows.groups, kept, special.absent.get(""), rows.items, names)
    relabelled = {name: _relabelled(name, side, special, kept, rows.items, policy) for name, side in sides.items()}
    scored = rows._replace(sides=relabelled)
    scored = scored if kept.all() else scored.at(np.flatnonzero(kept))
    gold = scored.sides.pop("", None)
    return Aligned(
        gold=gold,
        systems=scored.sides,
        policies=policies,
        items=scored.items,
        positions=None if kept.all() else np.flatnonzero(kept),
        counts=scored.counts,
        weights=scored.weights,
        groups=scored.groups,
        union=total_items(counts, lost.size),
        labelled=total_items(counts, lost.size) if gold is None else number_of_items(~special.absent[""], counts),
        dropped=number_of_items(lost, counts),
        dropped_by=dropped_by,
        group_policies=of_groups,
    )


class _SpecialRows(NamedTuple):
    """Masks of rows without a label on each side, of each system's noise, and of gold's ignored rows."""

    absent: Mapping[str, Mask]
    noisy: Mapping[str, Mask]
    ignored: Mask
    any_absent: Mask
    any_noisy: Mask

    def lost(self, policy: Policy) -> Mask:
        """The mask of the rows that the policy drops."""
        missing = self.any_absent if policy.missing == "drop" else False
        noise = self.any_noisy if policy.noise_as == "drop" else False
        return self.ignored | missing | noise

    def policy(self, policy: Policy, system: str, noise: Any, counts: Ints | None, rows: Any = None) -> Policy:
        """The policy of one system's table, with the numbers of items affected, in all rows or in some."""
        missing = self.any_absent
        if policy.missing != "drop":
            missing = self.absent[system] | self.absent.get("", np.zeros_like(self.ignored))
        noisy = self.any_noisy if policy.noise_as == "drop" else self.noisy[system]
        chosen = slice(None) if rows is None else rows
        numbers = [
            number_of_items(mask[chosen], None if counts is None else counts[chosen])
            for mask in (missing, noisy, self.ignored)
        ]
        return replace(policy, noise=noise, missing_items=numbers[0], noise_items=numbers[1], ignored_items=numbers[2])

    def dropped_by(self, policy: Policy, counts: Ints | None) -> dict[str, int]:
        """The number of items dropped because each side lacks them, calls them noise, or ignores them."""
        result = {}
        for name, absent in self.absent.items():
            lost = absent & (policy.missing == "drop")
            if name and policy.noise_as == "drop":
                lost = lost | self.noisy[name]
            if not name:
                lost = lost | self.ignored
            result[name or "gold"] = number_of_items(lost, counts)
        return result


def _special_rows(rows: Rows, policy: Policy, noise: Mapping[str, int], ignored: Mask) -> _SpecialRows:
    absent = {name: (side.codes < 0) & ~ignored for name, side in rows.sides.items()}
    any_absent = _any(absent.values(), ignored.size)
    noisy = {name: (rows.sides[name].codes == code) & ~ignored for name, code in noise.items()}
    any_noisy = _any(noisy.values(), ignored.size)
    if policy.missing == "drop":  # an item without a label is dropped once, as missing
        any_noisy &= ~any_absent
        noisy = {name: mask & any_noisy for name, mask in noisy.items()}
    return _SpecialRows(absent, noisy, ignored, any_absent, any_noisy)


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
        rows, ignored = rows.at(np.flatnonzero(counts)), ignored[counts > 0]
        counts = rows.counts
    single = np.zeros(counts.size, bool)
    for name, side in rows.sides.items():
        if policy.missing == "singletons":
            single |= side.codes < 0
        if policy.noise_as == "singletons" and name:
            single |= side.codes == noise[name]
    single &= ~ignored & (counts > 1)
    if not single.any():
        return rows, ignored
    times = np.where(single, counts, 1)
    SINGLETONS.check(int(counts[single].sum()), "items without a label, and noise", TableError)
    at = np.repeat(np.arange(times.size), times)
    weights = rows.weights
    if weights is not None:
        if not rows.even:
            raise TableError(
                "rows that stand for several items have one weight for all; give each item a row of its own."
            )
        weights = weights.copy()
        own = counts[single].astype(object)
        weights[single] = weights[single] // own if weights.dtype.kind == "i" else weights[single] / own
        weights = weights[at]
    return rows.at(at)._replace(counts=np.where(single, 1, counts)[at], weights=weights), ignored[at]


def _relabelled(name: str, side: Coded, special: _SpecialRows, kept: Mask, items: Any, policy: Policy) -> Coded:
    """The side with labels for items without one, and new labels for noise that becomes singletons."""
    lacking = np.flatnonzero(special.absent[name] & kept)
    single = lacking[:0]
    if name in special.noisy and policy.noise_as == "singletons":
        single = np.flatnonzero(special.noisy[name] & kept)
    if not lacking.size and not single.size:
        return side
    codes, names = side.codes.astype(np.int64), list(side.names or ())
    for rows, each in ((lacking, policy.missing == "singletons"), (single, True)):
        if rows.size:
            codes[rows] = len(names) + (np.arange(rows.size) if each else 0)
            names += [Singleton(id_of(items, row)) for row in rows.tolist()] if each else [MISSING]
    return Coded(codes, names)


def _any(masks: Any, size: int) -> Mask:
    result = np.zeros(size, bool)
    for mask in masks:
        result |= mask
    return result


def number_of_items(mask: Mask, counts: Ints | None) -> int:
    """The number of items in the rows of a mask."""
    return int(mask.sum() if counts is None else counts[mask].sum())


def total_items(counts: Ints | None, size: int) -> int:
    """The number of items in rows that stand for one item each, or for counts."""
    return size if counts is None else int(counts.sum())


def _missing_message(absent: Mapping[str, Mask], names: Mapping[str, str], items: Any, counts: Ints | None) -> Sentence:
    parts = []
    for name, mask in absent.items():
        rows = np.flatnonzero(mask)
        if rows.size and counts is not None:  # rows are combinations of labels, whose positions mean nothing
            number = number_of_items(mask, counts)
            parts.append(f"{names[name]} has {number:,} missing label{'' if number == 1 else 's'}")
        elif rows.size:
            which = listed([id_of(items, row) for row in rows.tolist()])
            parts.append(
                f"{names[name]} has {missing_labels(rows.size, 'position' if items is None else 'item')} {which}"
            )
    return Sentence(" and ".join(parts) + "; say ", KEEP_OR_DROP, ".")


def missing_labels(number: int, noun: str) -> str:
    """The words of a message for a number of missing labels, at positions or items as noun says."""
    plural = "" if number == 1 else "s"
    return f"{number:,} missing label{plural}, at {noun}{plural}"
