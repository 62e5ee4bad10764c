"""Constituent trees, and their normalisation for grammar induction (Klein 2005)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

DEEPEST = 200  # greatest depth of a tree; real ones have fewer than 50

_LEFT_OUT = {"#", ".", ",", ":", "``", "''", '"', "(", ")", "-LRB-", "-RRB-", "PU", "-NONE-"}  # tags
_QUOTES = {"``", "''"}  # words, which Penn sometimes tags otherwise
_TRACE = re.compile(r"\*T\d+\*")  # a word in NEGRA's bracketed version
_ESCAPES = str.maketrans({"(": "-LRB-", ")": "-RRB-"})
_WRAPPERS = {"", "TOP", "ROOT", "VROOT"}


@dataclass(frozen=True, slots=True)
class Leaf:
    """A word and its part-of-speech tag."""

    tag: str
    word: str

    def __str__(self) -> str:
        return f"{self.tag} {self.word}".translate(_ESCAPES).join("()")


@dataclass(frozen=True, slots=True)
class Node:
    """A constituent: its label and its children; prints as Penn brackets.

    >>> print(Node("NP", (Leaf("DT", "the"), Leaf("NN", "dog"))))
    (NP (DT the) (NN dog))
    """

    label: str
    children: tuple[Tree, ...]

    def __str__(self) -> str:
        return f"({self.label} {' '.join(map(str, self.children))})"


Tree: TypeAlias = Leaf | Node


def leaves(tree: Tree) -> Iterator[Leaf]:
    """The words of a tree, from left to right."""
    if isinstance(tree, Leaf):
        yield tree
    else:
        for child in tree.children:
            yield from leaves(child)


def is_counted(leaf: Leaf) -> bool:
    """Whether a leaf is a word: not punctuation, a null element or a currency sign."""
    left_out = leaf.tag in _LEFT_OUT or leaf.tag.startswith("$") or leaf.word in _QUOTES
    return not (left_out or _TRACE.fullmatch(leaf.word))


def cleaned(tree: Tree) -> Tree | None:
    """The tree reduced to words, with plain labels and nodes over two words or more; None without words.

    Of nodes over the same words the topmost is kept; a node over one word becomes the word. A wrapper (no label, TOP,
    ROOT or VROOT) over one tree is removed; over several, it is labelled TOP.

    >>> np = Node("NP-SBJ-1", (Leaf("NN", "dogs"), Leaf("NNS", "bark")))
    >>> print(cleaned(Node("", (Node("S", (np, Leaf(".", "!"))),))))
    (S (NN dogs) (NNS bark))
    """
    if isinstance(tree, Node) and tree.label in _WRAPPERS:
        parts = _cleaned_children(tree)
        return Node("TOP", parts) if len(parts) > 1 else next(iter(parts), None)
    return _cleaned(tree)


def _cleaned(tree: Tree) -> Tree | None:
    if isinstance(tree, Leaf):
        return tree if is_counted(tree) else None
    children = _cleaned_children(tree)
    if len(children) == 1:
        only = children[0]
        return Node(plain_label(tree.label), only.children) if isinstance(only, Node) else only
    return Node(plain_label(tree.label), children) if children else None


def _cleaned_children(tree: Node) -> tuple[Tree, ...]:
    """The cleaned children that have words; a wrapper inside a wrapper is replaced by its children."""
    clean = cleaned if tree.label in _WRAPPERS else _cleaned
    return tuple(kept for child in tree.children if (kept := clean(child)) is not None)


def plain_label(label: str) -> str:
    """A label without function tags and indices: NP-SBJ-1 and NP=2 are NP, but -LRB- is -LRB-.

    >>> plain_label("NP-SBJ-1"), plain_label("NP=2"), plain_label("-NONE-")
    ('NP', 'NP', '-NONE-')
    """
    return re.split("[-=]", label, maxsplit=1)[0] or label
