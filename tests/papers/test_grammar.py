"""Constituents of short sentences, labels merged by description length, and the features of labels."""

from __future__ import annotations

from itertools import combinations
from math import log2

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karat.errors import KaratError
from karat.papers.corpora.grammar import Constituents, constituents, syntactic_features
from karat.papers.corpora.merging import _Merging, description_length, merged_labels, tree_labels
from karat.papers.corpora.penn import bracketed_trees
from karat.papers.corpora.trees import Leaf, Node, Tree
from shared import enough


def constituents_of(text: str, longest: int = 10) -> Constituents:
    """Of bracketed trees whose leaves are written A for (A a)."""
    spelled = " ".join(f"({piece} a)" if piece.isalpha() else piece for piece in text.split())
    return constituents(bracketed_trees(spelled.replace("[", "(").replace("]", ")"), "text"), longest=longest)


TWO = "[S [NP D N ] V ] [S P [VP V [NP D N ] ] ] [UH U ]"


def test_constituents_have_spans_parents_and_children() -> None:
    found = constituents_of(TWO)
    assert [found.labels[label] for label in found.gold] == ["S", "NP", "S", "VP", "NP"]
    assert found.sentences == 3  # one has one word and no constituent
    assert len(found) == 5
    assert found.parent.tolist() == [-1, 0, -1, 2, 3]
    assert found.sentence.tolist() == [0, 0, 1, 1, 1]
    assert list(zip(found.start.tolist(), found.end.tolist(), strict=True)) == [(0, 3), (0, 2), (3, 7), (4, 7), (5, 7)]
    assert [found.tags[tag] for tag in found.words] == ["D", "N", "V", "P", "V", "D", "N", "U"]
    children = [found.symbols[a:b].tolist() for a, b in zip(found.first_child, found.first_child[1:], strict=False)]
    assert children == [[~1, 2], [0, 1], [3, ~3], [2, ~4], [0, 1]]


def test_long_sentences_are_left_out() -> None:
    assert constituents_of(TWO, longest=3).sentences == 2
    with pytest.raises(KaratError, match="no sentence has from 2 to 1 words"):
        constituents_of(TWO, longest=1)
    with pytest.raises(KaratError, match="every constituent is labelled 'S'"):
        constituents_of("[S A B ] [S C D ]")


def test_trees_of_the_same_tags_begin_with_one_label() -> None:
    assert tree_labels(constituents_of(TWO)).tolist() == [1, 0, 2, 3, 0]


def test_description_length_is_what_counting_gives() -> None:
    found = constituents_of("[S [NP D N ] V ] [S P V ]")
    # START -> 0 and 1 -> D N, and 0 -> 1 V or P V: four rules of 2 + 3 + 3 + 3 symbols, of 2 labels, 4 tags and START
    assert description_length(found, ["s", "n", "s"]) == pytest.approx(11 * log2(7) + 2)
    # START -> 0 or 1, 0 -> 2 V, 1 -> P V, 2 -> D N
    assert description_length(found, [0, 2, 1]) == pytest.approx(13 * log2(8) + 2)
    with pytest.raises(KaratError, match="2 labels for 3 constituents"):
        description_length(found, [0, 1])


def test_labels_in_identical_contexts_become_one() -> None:
    """Two kinds of noun phrase wherever one can be, and one prepositional phrase elsewhere: three labels are right."""
    phrases = ("[NP D N ]", "[NP A M ]")
    text = [f"[S {x} V {y} ]" for x in phrases for y in phrases] * 3 + [f"[S R W [PP P Q ] {x} ]" for x in phrases] * 3
    found = constituents_of(" ".join(text))
    labels = merged_labels(found)
    gold = [found.labels[label] for label in found.gold]
    assert len(set(zip(gold, labels.tolist(), strict=True))) == 3
    assert np.bincount(labels).tolist() == [30, 18, 6]


def test_labels_without_a_place_in_common_stay_apart() -> None:
    found = constituents_of("[S A [NP B C ] ] [S A A [VP D E ] B ]")
    labels = merged_labels(found)
    assert labels[1] != labels[3]
    assert labels[0] == labels[2]  # both are under START


def test_progress_is_told_of_every_merge_and_the_bits_saved_are_the_difference() -> None:
    found = constituents_of(TWO + " [S [NP D N ] [VP V [NP P ] [NP D A N ] ] ] [S [NP D A N ] V ]")
    told: list[tuple[int, float]] = []
    labels = merged_labels(found, progress=lambda *now: told.append(now))
    first = tree_labels(found)
    assert [merges for merges, _ in told] == list(range(1, first.max() - labels.max() + 1))
    assert told[-1][1] == pytest.approx(description_length(found, first) - description_length(found, labels))


leaf = st.sampled_from("ab").map(lambda tag: Leaf(tag, "w"))
trees = st.recursive(
    leaf, lambda inner: st.builds(Node, st.just("X"), st.lists(inner, min_size=2, max_size=3).map(tuple)), max_leaves=8
)


@settings(deadline=None, max_examples=enough(40))
@given(st.lists(trees, min_size=1, max_size=10))
def test_each_merge_is_the_best_there_is_and_saves_what_it_says(drawn: list[Tree]) -> None:
    """Against all candidate pairs at every step, each described from scratch."""
    other = Node("Y", (Leaf("c", "w"), Leaf("c", "w")))  # or all would have one gold label
    found = constituents([*drawn, Node("X", (Leaf("c", "w"), Leaf("a", "w"))), other], longest=30)
    first = tree_labels(found)
    merging = _Merging(found, first)
    now, steps = merging.names()[first], merging.run()
    while (gain := next(steps, None)) is not None:
        assert gain == pytest.approx(best_gain(found, now), abs=1e-6)
        before, now = now, merging.names()[first]
        assert gain == pytest.approx(description_length(found, before) - description_length(found, now), abs=1e-6)
    assert best_gain(found, now) < 1e-6


def best_gain(found: Constituents, labels: np.ndarray) -> float:
    whole = description_length(found, labels)
    merges = (np.where(labels == a, b, labels) for a, b in candidates(found, labels))
    return max((whole - description_length(found, merged) for merged in merges), default=0.0)


def candidates(found: Constituents, labels: np.ndarray) -> set[tuple[int, int]]:
    """The pairs of labels whose rules are the same with a gap in one place of theirs, or in all."""
    sharing: dict[tuple[object, ...], set[int]] = {("START",): set(labels[found.parent < 0].tolist())}
    for number in range(len(found)):
        inside = found.symbols[found.first_child[number] : found.first_child[number + 1]].tolist()
        rule = [int(labels[number]), *(int(labels[~s]) if s < 0 else f"tag {s}" for s in inside)]
        for place, symbol in enumerate(rule):
            if isinstance(symbol, int):
                sharing.setdefault((*rule[:place], None, *rule[place + 1 :]), set()).add(symbol)
                sharing.setdefault(tuple(None if s == symbol else s for s in rule), set()).add(symbol)
    return {pair for labels_there in sharing.values() for pair in combinations(sorted(labels_there), 2)}


def test_rules_that_differ_at_two_of_three_places_are_noticed() -> None:
    """q -> q q and p -> p q are one if p and q are, though no gap in one place, or in all of q's, makes them alike."""
    found = constituents_of(TWO)
    merging = _Merging(found, tree_labels(found))
    p, q = len(found.tags), len(found.tags) + 1
    for rule in ((q, q, q), (p, p, q)):
        merging._enter(rule)
    assert list(merging._partly_shared((q, q, q))) == [(p, q)]
    assert (p, q) not in set(merging._pairs([(q, q, q)]))


def test_merging_is_the_same_each_time_and_numbers_by_frequency() -> None:
    found = constituents_of(TWO * 3 + " [S [NP N N ] [VP V U U ] ]")
    labels = merged_labels(found)
    assert (labels == merged_labels(found)).all()
    counts = np.bincount(labels)
    assert (np.diff(counts) <= 0).all()
    assert counts.min() > 0


def test_features_are_relative_frequencies_in_six_groups() -> None:
    found = constituents_of(TWO)
    features = syntactic_features(found, found.gold)
    assert features.values.shape == (3, len(features.columns))
    row = {label: dict(zip(features.columns, features.values[i], strict=True)) for i, label in enumerate(found.labels)}
    assert row["NP"] == row["NP"] | {"first:D": 1, "last:N": 1, "before:|": 0.5, "before:V": 0.5, "after:V": 0.5}
    assert row["NP"] == row["NP"] | {"after:|": 0.5, "parent:0": 0.5, "parent:2": 0.5, "parent:none": 0}
    assert row["S"] == row["S"] | {"parent:none": 1, "children:2": 1, "first:D": 0.5, "first:P": 0.5, "before:|": 1}
    assert features.values.sum(axis=1) == pytest.approx(6)


def test_rare_parents_are_pooled_and_many_children_too() -> None:
    found = constituents_of("[S [A B C ] [A B C ] D ] [T [A B C ] D D D D D D ] [S [A B C ] D ]")
    features = syntactic_features(found, found.gold, parents=1)
    row = dict(zip(features.columns, features.values[1], strict=True))
    assert (row["parent:0"], row["parent:other"]) == (0.75, 0.25)
    assert dict(zip(features.columns, features.values[2], strict=True))["children:5+"] == 1
    with pytest.raises(KaratError, match="1 labels for 7 constituents"):
        syntactic_features(found, [1])
