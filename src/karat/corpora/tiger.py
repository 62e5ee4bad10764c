"""Trees in TIGER-XML, read sentence by sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree.ElementTree import Element, ParseError, iterparse

from karat.corpora.graphs import ROOT, Edge, Graph, Place
from karat.corpora.trees import Leaf, Node
from karat.errors import FileError

# What may stand before the first element. A DOCTYPE may name a file, which is never read; one with entities ends here.
_PROLOGUE = re.compile(r"(?:\s|(?><\?.*?\?>)|(?><!--.*?-->)|<!DOCTYPE[^\[>]*>)*+", re.ASCII | re.DOTALL)
_FIRST = re.compile(r"<(?:corpus|subcorpus|body|s)[\s>]", re.ASCII)
_ENTITIES = re.compile(r"<!DOCTYPE[^\[>]*\[", re.ASCII)


def looks_like_tiger(text: str, name: str) -> bool:
    """Whether a file that begins so is TIGER-XML; one that defines entities of its own is refused."""
    prologue = _PROLOGUE.match(text)
    place = prologue.end() if prologue else 0
    if _ENTITIES.match(text, place):
        raise FileError(f"{name!r} has a DOCTYPE with declarations, which is not safe to read; remove it.")
    return _FIRST.match(text, place) is not None


def tiger_trees(path: Path) -> Iterator[Node]:
    """The trees of the sentences of a file; secondary edges are passed over."""
    try:
        with path.open("rb") as file:
            for _, element in iterparse(file):
                if _kind(element) == "s":
                    graph = _graph(element, f"sentence {element.get('id', '?')!r} of {str(path)!r}")
                    element.clear()
                    if graph.words:
                        yield graph.tree()
    except (LookupError, UnicodeError, ValueError) as problem:
        raise FileError(f"{str(path)!r} is in an encoding that cannot be read ({problem}); save it as UTF-8.") from None
    except ParseError as problem:
        line = problem.position[0]
        raise FileError(
            f"{str(path)!r} is not well-formed XML in line {line}; mend it or take a whole copy."
        ) from problem


def _graph(sentence: Element, name: str) -> Graph:
    """The graph of a sentence; words and nodes that nothing refers to hang under the root."""
    words = [element for element in sentence.iter() if _kind(element) == "t"]
    nodes = [element for element in sentence.iter() if _kind(element) == "nt"]
    places: dict[str, Place] = {}
    for place, element in enumerate(words):
        places[_attribute(element, "id", name)] = place
    for element in nodes:
        places[_attribute(element, "id", name)] = _attribute(element, "id", name)
    if len(places) < len(words) + len(nodes):
        raise FileError(f"{name} gives the same id twice; give every word and node an id of its own.")
    leaves = [Leaf(_attribute(word, "pos", name), _attribute(word, "word", name)) for word in words]
    labels = {_attribute(node, "id", name): _attribute(node, "cat", name) for node in nodes}
    return Graph(leaves, labels, _edges(nodes, places, name), name)


def _edges(nodes: list[Element], places: dict[str, Place], name: str) -> dict[Place, Edge]:
    edges = {place: Edge(ROOT, "--") for place in places.values()}
    for node in nodes:
        parent = _attribute(node, "id", name)
        for edge in node:
            if _kind(edge) != "edge":
                continue
            child = _attribute(edge, "idref", name)
            if child not in places:
                raise FileError(f"{name} refers to {child!r}, which it does not have; mend the idref.")
            if edges[places[child]].parent != ROOT:
                raise FileError(f"{name} has two parents for {child!r}; keep one, the other as a secedge.")
            edges[places[child]] = Edge(parent, edge.get("label", "--"))
    return edges


def _attribute(element: Element, key: str, name: str) -> str:
    """An attribute that an element must have, and not empty."""
    if value := element.get(key):
        return value
    raise FileError(f"{name} has a <{_kind(element)}> without {key}; give it one.")


def _kind(element: Element) -> str:
    """The name of an element without its namespace."""
    return element.tag.rpartition("}")[2]
