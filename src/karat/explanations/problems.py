"""The largest problems of a clustering, one sentence each, with the effect of a repair."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from karat.explanations.findings import Margin, Merge, Split, best, gains
from karat.measures.registry import Measure
from karat.output.layout import decimals, percent, shortened, shown
from karat.output.numbers import number, several

WIDEST = 40  # the width of a label in a sentence, in characters
TRIED = 50  # problems of each kind to choose from, since several may name the same class or cluster


class Problem(NamedTuple):
    """A problem, the classes and clusters that it names, its remedy, and the gain of the remedy."""

    gain: float  # of the measure, in its better direction
    items: Any  # the number of items concerned
    about: tuple[tuple[str, str], ...]  # "class" or "cluster", and its label
    text: str
    remedy: str
    value: float  # of the measure after the remedy

    def sentence(self, measure: Measure, value: float, digits: int = 4) -> str:
        """The problem and the effect of its remedy, in words."""
        verb = "rise" if self.value > value else "fall"
        effect = f"{shown(measure)} would {verb} from {decimals(value, digits)} to {decimals(self.value, digits)}"
        return f"{self.text} {self.remedy}, {effect}."


def largest_problems(
    measure: Measure,
    value: float,
    sides: tuple[Margin, Margin],
    moves: tuple[Sequence[Merge], Sequence[Split]],
    most: int,
) -> list[Problem]:
    """The problems whose remedy gains most, each class or cluster once; ties by number of items."""
    classes, clusters = sides
    problems = [*_classes(measure, value, classes), *_clusters(measure, value, clusters)]
    problems += [*_merges(measure, value, moves[0][:TRIED]), *_splits(measure, value, moves[1][:TRIED])]
    chosen: list[Problem] = []
    for problem in sorted(problems, key=lambda p: (-p.gain, -p.items)):
        if not {name for other in chosen for name in other.about} & set(problem.about):
            chosen.append(problem)
    return chosen[:most]


def _classes(measure: Measure, value: float, side: Margin) -> Iterator[Problem]:
    gain = gains(measure, value, side.repaired)
    for index in best(gain, side.sizes, TRIED):
        name, items = quoted(side.names[index]), several(side.sizes[index].item(), "item")
        (other, share), *_ = side.largest_parts(index, 1)
        if side.parts[index] > 1:
            text = f"Class {name} ({items}) is spread over {number(side.parts[index].item())} clusters; "
            text += f"its largest part, {percent(share)}, is in cluster {quoted(other)}."
            remedy = "Gathered in one cluster of its own"
        else:
            text = f"Class {name} ({items}) shares cluster {quoted(other)} with other classes."
            remedy = "In a cluster of its own"
        about = (("class", repr(side.names[index])), ("cluster", repr(other)))
        yield Problem(float(gain[index]), side.sizes[index].item(), about, text, remedy, float(side.repaired[index]))


def _clusters(measure: Measure, value: float, side: Margin) -> Iterator[Problem]:
    gain = gains(measure, value, side.repaired)
    for index in best(gain, side.sizes, TRIED):
        name, items = quoted(side.names[index]), several(side.sizes[index].item(), "item")
        (other, share), *_ = side.largest_parts(index, 1)
        text = f"Cluster {name} ({items}) mixes {number(side.parts[index].item())} classes; "
        text += f"the largest, {percent(share)}, is {quoted(other)}."
        about = (("cluster", repr(side.names[index])), ("class", repr(other)))
        remedy, new = "Split into one cluster per class", float(side.repaired[index])
        yield Problem(float(gain[index]), side.sizes[index].item(), about, text, remedy, new)


def _merges(measure: Measure, value: float, merges: Sequence[Merge]) -> Iterator[Problem]:
    for merge in merges:
        names = [quoted(merge.left), quoted(merge.right)]
        text = f"Clusters {names[0]} and {names[1]} ({number(merge.items[0])} and {number(merge.items[1])} items) "
        left, right = map(number, merge.of_shared)
        share = f"share class {quoted(merge.shared)}, with {left} and {right} items of it."
        text += share if any(merge.of_shared) else "have no class in common."
        about = [("cluster", repr(merge.left)), ("cluster", repr(merge.right))]
        about += [("class", repr(merge.shared))] if any(merge.of_shared) else []
        yield Problem(_gain(measure, value, merge.value), sum(merge.items), tuple(about), text, "Merged", merge.value)


def _splits(measure: Measure, value: float, splits: Sequence[Split]) -> Iterator[Problem]:
    for split in splits:
        text = f"Cluster {quoted(split.cluster)} ({several(split.of, 'item')}) holds "
        text += f"{number(split.items)} of class {quoted(split.label)}."
        about = (("class", repr(split.label)), ("cluster", repr(split.cluster)))
        gain, remedy = _gain(measure, value, split.value), "With these in a cluster of their own"
        yield Problem(gain, split.items, about, text, remedy, split.value)


def _gain(measure: Measure, value: float, new: float) -> float:
    return float(gains(measure, value, np.array([new]))[0])


def quoted(label: object) -> str:
    """A label for a sentence: text in quotes, without control characters, shortened."""
    return shortened(shown(repr(label) if isinstance(label, str) else label), WIDEST)
