"""The constituents of a treebank's short sentences, and the syntactic features of their labels."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from karat.errors import KaratError
from karat.papers.corpora.trees import Leaf, Tree, cleaned, leaves

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

MOST_CHILDREN = 5  # more are counted in the same column


@dataclass(frozen=True, eq=False, slots=True)
class Constituents:
    """The constituents of two words or more, each before those inside it; words are tags.

    The words of all sentences are concatenated; sentence s is words[bounds[s]:bounds[s + 1]], and constituent c spans
    words[start[c]:end[c]]. Its children are symbols[first_child[c]:first_child[c + 1]]: the index of a tag, or ~d for
    constituent d.
    """

    gold: Ints  # index of each constituent's label in labels
    labels: tuple[str, ...]
    tags: tuple[str, ...]
    parent: Ints  # -1 for a whole sentence
    sentence: Ints
    start: Ints
    end: Ints
    first_child: Ints
    symbols: Ints
    words: Ints  # indices of tags, also of sentences with one word
    bounds: Ints

    @property
    def sentences(self) -> int:
        """The number of sentences, including those of one word, which have no constituent."""
        return len(self.bounds) - 1

    def __len__(self) -> int:
        return len(self.gold)


def constituents(trees: Iterable[Tree], *, longest: int = 10) -> Constituents:
    """The constituents of the cleaned trees that have at most `longest` words.

    >>> from karat.papers.corpora.trees import Node
    >>> tree = Node("S", (Node("NP", (Leaf("DT", "the"), Leaf("NN", "dog"))), Leaf("VBZ", "barks"), Leaf(".", ".")))
    >>> units = constituents([tree])
    >>> [units.labels[label] for label in units.gold], units.end.tolist()
    (['S', 'NP'], [3, 2])
    """
    gathered = _Gathered()
    for tree in trees:
        kept = cleaned(tree)
        if kept is not None and sum(1 for _ in leaves(kept)) <= longest:
            gathered.add_sentence(kept)
    if not gathered.gold:
        raise KaratError(f"no sentence has from 2 to {longest} words, not counting punctuation; give other trees.")
    if len(gathered.labels) == 1:
        label = next(iter(gathered.labels))
        raise KaratError(f"every constituent is labelled {label!r}, so there is nothing to find; give other trees.")
    return gathered.constituents()


@dataclass
class _Gathered:
    """Lists of constituents while trees are traversed."""

    labels: dict[str, int] = field(default_factory=dict)  # index of each label
    tags: dict[str, int] = field(default_factory=dict)
    gold: list[int] = field(default_factory=list)
    parent: list[int] = field(default_factory=list)
    sentence: list[int] = field(default_factory=list)
    start: list[int] = field(default_factory=list)
    end: list[int] = field(default_factory=list)
    children: list[list[int]] = field(default_factory=list)
    words: list[int] = field(default_factory=list)
    bounds: list[int] = field(default_factory=lambda: [0])

    def add_sentence(self, tree: Tree) -> None:
        self._add(tree, -1)
        self.bounds.append(len(self.words))

    def _add(self, tree: Tree, parent: int) -> int:
        """Add a tree and those inside it; return its symbol."""
        if isinstance(tree, Leaf):
            self.words.append(self.tags.setdefault(tree.tag, len(self.tags)))
            return self.words[-1]
        number = len(self.gold)
        self.gold.append(self.labels.setdefault(tree.label, len(self.labels)))
        self.parent.append(parent)
        self.sentence.append(len(self.bounds) - 1)
        self.start.append(len(self.words))
        self.end.append(0)
        self.children.append([])
        self.children[number] = [self._add(child, number) for child in tree.children]
        self.end[number] = len(self.words)
        return ~number

    def constituents(self) -> Constituents:
        lists = self.gold, self.parent, self.sentence, self.start, self.end, self.words, self.bounds
        gold, parent, sentence, start, end, words, bounds = (np.array(values, dtype=np.int64) for values in lists)
        first_child = np.cumsum([0, *map(len, self.children)], dtype=np.int64)
        symbols = np.array([symbol for row in self.children for symbol in row], dtype=np.int64)
        names = tuple(self.labels), tuple(self.tags)
        return Constituents(gold, *names, parent, sentence, start, end, first_child, symbols, words, bounds)


class Features(NamedTuple):
    """Relative frequencies: a row for each label in increasing order, and the names of the columns."""

    values: Floats
    columns: tuple[str, ...]


def syntactic_features(units: Constituents, labels: ArrayLike, *, parents: int = 20) -> Features:
    """Features of each label: the edges, neighbours, parents and numbers of children of its constituents.

    The columns are in six groups, each of which sums to 1: the first and last tag, the tag before and after (| at the
    edge of the sentence), the parent's label (one of the most frequent, any other, or none for a whole sentence), and
    the number of children.
    """
    given = np.asarray(labels)
    if given.shape != (len(units),):
        raise KaratError(f"there are {given.size} labels for {len(units)} constituents; give one for each.")
    rows = np.unique(given, return_inverse=True)[1]
    tags = [*units.tags, "|"]
    edges = units.bounds[units.sentence], units.bounds[units.sentence + 1]
    before = np.where(units.start > edges[0], units.words[units.start - 1], len(units.tags))
    after = np.where(units.end < edges[1], units.words[np.minimum(units.end, len(units.words) - 1)], len(units.tags))
    children = np.minimum(np.diff(units.first_child), MOST_CHILDREN) - 1
    counts = ["1", *map(str, range(2, MOST_CHILDREN)), f"{MOST_CHILDREN}+"]
    groups = [
        _group("first", rows, units.words[units.start], tags),
        _group("last", rows, units.words[units.end - 1], tags),
        _group("before", rows, before, tags),
        _group("after", rows, after, tags),
        _group("parent", rows, *_parents(units, given, parents)),
        _group("children", rows, children, counts),
    ]
    return Features(np.hstack([g.values for g in groups]), tuple(name for g in groups for name in g.columns))


def _parents(units: Constituents, labels: NDArray[Any], most: int) -> tuple[Ints, list[str]]:
    """The column of each constituent's parent, and the names of these columns."""
    inside = units.parent >= 0
    names, counts = np.unique(labels[units.parent[inside]], return_counts=True)
    frequent = names[np.argsort(-counts, kind="stable")[:most]]
    columns = np.full(len(units), len(frequent))
    for column, label in enumerate(frequent):
        columns[inside & (labels[units.parent] == label)] = column
    columns[~inside] = len(frequent) + 1
    return columns, [*map(str, frequent), "other", "none"]


def _group(kind: str, rows: Ints, columns: Ints, names: list[str]) -> Features:
    """Relative frequencies of the columns in each row; columns that never occur are omitted."""
    table = np.zeros((rows.max() + 1, len(names)))
    np.add.at(table, (rows, columns), 1)
    used = np.flatnonzero(table.any(axis=0))
    table = table[:, used] / np.bincount(rows)[:, None]
    return Features(table, tuple(f"{kind}:{names[column]}" for column in used))
