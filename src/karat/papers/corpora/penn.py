"""Trees in Penn brackets, also those of the Chinese treebank, whose sentences stand between SGML tags."""

from __future__ import annotations

import re
from collections.abc import Iterator

from karat.errors import FileError
from karat.papers.corpora.trees import DEEPEST, Leaf, Node, Tree

# Only ASCII white space separates words: a no-break or ideographic space may be a word, or part of a wrongly decoded
# letter.
_TOKEN = re.compile(r"[()]|[^\s()]+", re.ASCII)
# Skipped between trees: SGML elements, comments of NEGRA's bracketed version, the notice at the beginning of ATIS.
_BETWEEN = re.compile(r"(?:\s|<[^(\n]*|(?:%%|\*x\*)[^\n]*)*+", re.ASCII)
_OPENING = re.compile(r"\(\s*(?:\(|[^\s()]+\s*\(|[^\s()]+\s+[^\s()]+\s*\))", re.ASCII)


def looks_bracketed(text: str) -> bool:
    """Whether the beginning of a file is a bracketed tree, such as '((', '(S (' or '(NN word)'."""
    return _OPENING.match(text, _after_notes(text, 0)) is not None


def bracketed_trees(text: str, name: str) -> Iterator[Tree]:
    """The trees of a text, one after another, whatever the line breaks. name: for messages.

    >>> [str(tree) for tree in bracketed_trees("( (S (NN dogs) (VBP bark)))", "a file")]
    ['( (S (NN dogs) (VBP bark)))']
    """
    start = 0
    while (start := _after_notes(text, start)) < len(text):
        tree, start = _tree_at(text, start, name)
        yield tree


def _after_notes(text: str, start: int) -> int:
    between = _BETWEEN.match(text, start)
    return between.end() if between else start


def _tree_at(text: str, start: int, name: str) -> tuple[Tree, int]:
    """The tree that begins at a position of the text, and the position of its end."""
    opened: list[list[str | Tree]] = []  # the content of each open bracket
    for token in _TOKEN.finditer(text, start):
        if token[0] == "(":
            opened.append([])
        elif not opened:
            raise FileError(f"{_where(text, token.start(), name)} has {token[0]!r} outside brackets; mend the tree.")
        elif token[0] != ")":
            opened[-1].append(token[0])
        elif (tree := _closed(opened.pop())) is None:
            raise FileError(f"{_where(text, token.start(), name)} ends a bracket that is neither (tag word) nor "
                            "(label trees); mend the tree.")  # fmt: skip
        elif opened:
            opened[-1].append(tree)
        else:
            return tree, token.end()
        if len(opened) > DEEPEST:
            raise FileError(f"{_where(text, token.start(), name)} is {DEEPEST + 1} brackets deep; close those before.")
    line = _where(text, start, name)
    raise FileError(f"{line} begins a tree with brackets that never close ({len(opened)} at the end); mend the tree.")


def _closed(parts: list[str | Tree]) -> Tree | None:
    """The leaf or node with these parts; None if they form neither."""
    match parts:
        case [str(tag), str(word)]:
            return Leaf(tag, word)
        case [str(label), *inside]:
            pass
        case inside:
            label = ""
    children = tuple(part for part in inside if not isinstance(part, str))
    return Node(label, children) if children and len(children) == len(inside) else None


def _where(text: str, start: int, name: str) -> str:
    return f"line {text.count(chr(10), 0, start) + 1} of {name!r}"
