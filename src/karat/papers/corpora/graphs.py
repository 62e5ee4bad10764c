"""Sentence graphs with gaps, converted to trees by raising detached parts to the parent."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple, TypeAlias

from karat.errors import FileError
from karat.papers.corpora.trees import DEEPEST, Leaf, Node, Tree, is_counted

ROOT = ""  # the parent of words and nodes without one
HEAD = "HD"
Place: TypeAlias = int | str  # a word, by its position, or a node, by its id


class Edge(NamedTuple):
    """The parent of a word or node, and its function there."""

    parent: str
    function: str


class Graph(NamedTuple):
    """A sentence: words in order, the labels of nodes, and an edge from every word and node to its parent or ROOT."""

    words: list[Leaf]
    labels: dict[str, str]
    edges: dict[Place, Edge]
    name: str  # of the sentence and its file, for messages

    def tree(self) -> Node:
        """The sentence as a tree without gaps, under a node VROOT.

        Punctuation under the root is first attached where its neighbours meet, else a comma would be a gap. The
        children of a node form blocks of adjacent words: the block with the head stays (else the largest, else the
        first), and the others are raised to the parent.
        """
        self._check()
        self._settle_punctuation()
        children: dict[str, list[Place]] = {ROOT: []}
        for place, edge in self.edges.items():
            children.setdefault(edge.parent, []).append(place)
        pieces = sorted(piece for child in children[ROOT] for piece in self._pieces(child, children))
        return Node("VROOT", tuple(piece.tree for piece in pieces))

    def _check(self) -> None:
        for place, edge in self.edges.items():
            if edge.parent != ROOT and edge.parent not in self.labels:
                what = self.words[place].word if isinstance(place, int) else place
                raise FileError(f"{self.name} has {what!r} under {edge.parent!r}, which is no node; mend the sentence.")
        known: dict[Place, int] = {ROOT: 0}  # depth of each word or node
        for place in self.edges:
            self._measure(place, known)

    def _measure(self, place: Place, known: dict[Place, int]) -> None:
        """Find the depth of a word or node by following its parents to one of known depth."""
        path: dict[Place, None] = {}  # an ordered set
        while place not in known:
            if place in path:
                raise FileError(f"{self.name} has node {place!r} inside itself; mend the sentence.")
            path[place] = None
            place = self.edges[place].parent
        for depth, passed in enumerate(reversed(path), known[place] + 1):
            known[passed] = depth
        if known[place] + len(path) > DEEPEST:
            raise FileError(f"{self.name} has nodes {DEEPEST + 1} deep; mend the sentence.")

    def _settle_punctuation(self) -> None:
        """Attach punctuation under the root to the lowest common ancestor of the words around it."""
        counted = [place for place, word in enumerate(self.words) if is_counted(word)]
        for before, after in pairwise(counted):
            loose = [p for p in range(before + 1, after) if self.edges[p].parent == ROOT]
            if loose:
                above = set(self._above(before))
                meeting = next(node for node in self._above(after) if node in above)
                self.edges.update((p, Edge(meeting, "--")) for p in loose)

    def _above(self, place: Place) -> Iterator[str]:
        while place != ROOT:
            place = self.edges[place].parent
            yield place

    def _pieces(self, place: Place, children: dict[str, list[Place]]) -> list[_Piece]:
        """A word or node without its gaps, followed by the pieces raised to its parent."""
        is_head = self.edges[place].function == HEAD
        if isinstance(place, int):
            return [_Piece(place, place + 1, is_head, self.words[place])]
        below = sorted(p for child in children.get(place, ()) for p in self._pieces(child, children))
        if not below:
            return []
        blocks = _blocks(below)
        kept = max(blocks, key=lambda block: (any(p.is_head for p in block), block[-1].end - block[0].start))
        node = Node(self.labels[place], tuple(p.tree for p in kept))
        raised = [p._replace(is_head=False) for block in blocks if block is not kept for p in block]
        return [_Piece(kept[0].start, kept[-1].end, is_head, node), *raised]


class _Piece(NamedTuple):
    """A tree over adjacent words, and whether it is the head of its parent; no two begin at the same word."""

    start: int
    end: int
    is_head: bool
    tree: Tree


def _blocks(pieces: list[_Piece]) -> list[list[_Piece]]:
    """Sorted pieces, split into blocks of adjacent words."""
    blocks = [pieces[:1]]
    for before, piece in pairwise(pieces):
        if piece.start > before.end:
            blocks.append([])
        blocks[-1].append(piece)
    return blocks
