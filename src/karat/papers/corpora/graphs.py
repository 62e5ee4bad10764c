"""Sentence graphs with gaps, converted to trees by raising detached parts to the parent."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple, TypeAlias

from karat.errors import FileError
from karat.papers.corpora.trees import DEEPEST, Leaf, Node, Tree, is_counted

ROOT = ""  # the parent of words and nodes without one
HEAD = "HD"
Vertex: TypeAlias = int | str  # a word, by its position, or a node, by its id


class Edge(NamedTuple):
    """The parent of a word or node, and its function there."""

    parent: str
    function: str


class Graph(NamedTuple):
    """A sentence: words in order, the labels of nodes, and an edge from every word and node to its parent or ROOT."""

    words: list[Leaf]
    labels: dict[str, str]
    edges: dict[Vertex, Edge]
    name: str  # of the sentence and its file, for messages

    def tree(self) -> Node:
        """The sentence as a tree without gaps, under a node VROOT.

        Punctuation under the root is first attached where its neighbours meet, else a comma would be a gap. The
        children of a node form blocks of adjacent words: the block with the head stays (else the largest, else the
        first), and the others are raised to the parent.
        """
        self._check()
        self._attach_punctuation()
        children: dict[str, list[Vertex]] = {ROOT: []}
        for vertex, edge in self.edges.items():
            children.setdefault(edge.parent, []).append(vertex)
        pieces = sorted(piece for child in children[ROOT] for piece in self._pieces(child, children))
        return Node("VROOT", tuple(piece.tree for piece in pieces))

    def _check(self) -> None:
        for vertex, edge in self.edges.items():
            if edge.parent != ROOT and edge.parent not in self.labels:
                what = self.words[vertex].word if isinstance(vertex, int) else vertex
                raise FileError(f"{self.name} has {what!r} under {edge.parent!r}, which is no node; mend the sentence.")
        known: dict[Vertex, int] = {ROOT: 0}  # depth of each word or node
        for vertex in self.edges:
            self._measure(vertex, known)

    def _measure(self, vertex: Vertex, known: dict[Vertex, int]) -> None:
        """Find the depth of a word or node by following its parents to one of known depth."""
        path: dict[Vertex, None] = {}  # an ordered set
        while vertex not in known:
            if vertex in path:
                raise FileError(f"{self.name} has node {vertex!r} inside itself; mend the sentence.")
            path[vertex] = None
            vertex = self.edges[vertex].parent
        for depth, passed in enumerate(reversed(path), known[vertex] + 1):
            known[passed] = depth
        if known[vertex] + len(path) > DEEPEST:
            raise FileError(f"{self.name} has nodes {DEEPEST + 1} deep; mend the sentence.")

    def _attach_punctuation(self) -> None:
        """Attach punctuation under the root to the lowest common ancestor of the words around it."""
        counted = [vertex for vertex, word in enumerate(self.words) if is_counted(word)]
        for before, after in pairwise(counted):
            loose = [p for p in range(before + 1, after) if self.edges[p].parent == ROOT]
            if loose:
                above = set(self._above(before))
                meeting = next(node for node in self._above(after) if node in above)
                self.edges.update((p, Edge(meeting, "--")) for p in loose)

    def _above(self, vertex: Vertex) -> Iterator[str]:
        while vertex != ROOT:
            vertex = self.edges[vertex].parent
            yield vertex

    def _pieces(self, vertex: Vertex, children: dict[str, list[Vertex]]) -> list[_Piece]:
        """A word or node without its gaps, followed by the pieces raised to its parent."""
        is_head = self.edges[vertex].function == HEAD
        if isinstance(vertex, int):
            return [_Piece(vertex, vertex + 1, is_head, self.words[vertex])]
        below = sorted(p for child in children.get(vertex, ()) for p in self._pieces(child, children))
        if not below:
            return []
        blocks = _blocks(below)
        main = max(blocks, key=lambda block: (any(p.is_head for p in block), block[-1].end - block[0].start))
        node = Node(self.labels[vertex], tuple(p.tree for p in main))
        raised = [p._replace(is_head=False) for block in blocks if block is not main for p in block]
        return [_Piece(main[0].start, main[-1].end, is_head, node), *raised]


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
