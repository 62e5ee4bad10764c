"""Trees in NEGRA's export format, versions 3 and 4 (Brants 1997)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from karat.errors import FileError
from karat.papers.corpora.graphs import ROOT, Edge, Graph
from karat.papers.corpora.trees import Leaf, Node

_BEGINNING = re.compile(r"(?:\s|%%[^\n]*)*+#(?:FORMAT|BOT|BOS)\s", re.ASCII)
_NODE = re.compile(r"#(\d{3,})", re.ASCII)
_SPACE = re.compile(r"[ \t\r]+")


def looks_exported(text: str) -> bool:
    """Whether the beginning of a file is in the export format."""
    return _BEGINNING.match(text) is not None


def exported_trees(text: str, name: str) -> Iterator[Node]:
    """The trees of the sentences between #BOS and #EOS; all else is skipped. name: for messages."""
    graph: Graph | None = None
    for number, line in enumerate(text.split("\n"), 1):
        fields = [field for field in _SPACE.split(line) if field]
        if not fields or fields[0].startswith("%%"):
            continue
        if (fields[0] == "#BOS") != (graph is None) and fields[0] in ("#BOS", "#EOS"):
            raise FileError(f"line {number} of {name!r} has {fields[0]} where the other is due; add the line before.")
        if fields[0] == "#BOS":
            graph = Graph([], {}, {}, f"sentence {' '.join(fields[1:2])} of {name!r}")
        elif fields[0] == "#EOS" and graph is not None:
            if graph.words:
                yield graph.tree()
            graph = None
        elif graph is not None:
            _add(graph, fields, f"line {number} of {name!r}")
    if graph is not None:
        raise FileError(f"{graph.name} has no #EOS; mend the file or take a complete copy.")


def _add(graph: Graph, fields: list[str], where: str) -> None:
    """Add a word or node to its sentence: tag or label, morphology, function, parent; after a lemma in version 4."""
    lemma = 0 if fields[4:5] and fields[4].isdecimal() else 1  # the first field that can be the parent's number
    if len(fields) < 5 + lemma or not fields[4 + lemma].isdecimal():
        raise FileError(f"{where} has no number of a parent; give word, tag, morphology, function and parent.")
    label, function, parent = fields[1 + lemma], fields[3 + lemma], fields[4 + lemma]
    edge = Edge(ROOT if not parent.strip("0") else parent, function)
    if node := _NODE.fullmatch(fields[0]):
        if node[1] in graph.labels:
            raise FileError(f"{where} has node {fields[0]!r} a second time; give each a number of its own.")
        graph.labels[node[1]] = label
        graph.edges[node[1]] = edge
    else:
        graph.edges[len(graph.words)] = edge
        graph.words.append(Leaf(label, fields[0]))
