"""Trees in TIGER-XML, read sentence by sentence."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from xml.etree.ElementTree import Element
from xml.parsers import expat

from karat.errors import FileError
from karat.papers.corpora.graphs import ROOT, Edge, Graph, Vertex
from karat.papers.corpora.trees import Leaf, Node

_FIRST = ("corpus", "subcorpus", "body", "s")
_DEEPEST = 1000  # nested elements, at most; TIGER-XML has seven
_PART = 1 << 16  # bytes read at a time
_LONGEST = 4_000_000  # bytes of a tag, at most: expat rescans it with each part, in quadratic time


def looks_like_tiger(head: bytes, name: str) -> bool:
    """Whether a file begins as TIGER-XML, by its first element; FileError if it has declarations."""
    reader = _Reader(name)
    try:
        reader.read(head.lstrip(), last=False)
    except expat.ExpatError:
        pass  # only the first element matters here
    except (LookupError, ValueError) as problem:
        if isinstance(problem, FileError):
            raise
        return b"<corpus" in head  # unknown encoding, which is reported when the file is read
    return reader.first in _FIRST


def tiger_trees(path: Path) -> Iterator[Node]:
    """The trees of the sentences of a file; secondary edges are skipped."""
    reader = _Reader(str(path))
    try:
        with path.open("rb") as file:
            more = True
            while more:
                part = file.read(_PART)
                more = bool(part)
                for element in reader.read(part, last=not more):
                    graph = _graph(element, f"sentence {element.get('id', '?')!r} of {str(path)!r}")
                    if graph.words:
                        yield graph.tree()
    except FileError:
        raise
    except expat.ExpatError as problem:
        raise FileError(
            f"{str(path)!r} is not well-formed XML in line {problem.lineno}; mend it or take a complete copy."
        ) from problem
    except (LookupError, UnicodeError, ValueError) as problem:
        raise FileError(f"{str(path)!r} is in an encoding that cannot be read ({problem}); save it as UTF-8.") from None


class _Reader:
    """Sentences of XML that is parsed in parts. A file named in a DOCTYPE is never read; declarations are refused.

    Declarations are detected by expat, as a search of the text could be deceived by quotes and comments.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.first = ""  # the name of the first element
        self._open: list[Element] = []
        self._sentences = 0  # open sentence elements
        self._given = 0  # bytes parsed
        self._done: list[Element] = []
        self._parser = expat.ParserCreate(namespace_separator="}")
        self._parser.StartDoctypeDeclHandler = self._doctype
        self._parser.EntityDeclHandler = self._declared
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end

    def read(self, part: bytes, *, last: bool) -> list[Element]:
        """Parse the next part of the file; return the sentences that end in it."""
        self._parser.Parse(part, last)
        self._given += len(part)
        if self._given - self._parser.CurrentByteIndex > _LONGEST:
            raise FileError(f"{self.name!r} has a tag or a comment of more than {_LONGEST:,} bytes; mend it.")
        done, self._done = self._done, []
        return done

    def _doctype(self, name: str, system: str | None, public: str | None, declares: bool) -> None:
        if declares:
            self._declared()

    def _declared(self, *declaration: object) -> None:
        raise FileError(f"{self.name!r} has a DOCTYPE with declarations, which is not safe to read; remove it.")

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        element = Element(tag, attributes)
        self.first = self.first or _kind(element)
        if self._sentences:  # elements outside sentences are dropped
            self._open[-1].append(element)
        self._open.append(element)
        self._sentences += _kind(element) == "s"
        if len(self._open) > _DEEPEST:
            raise FileError(f"{self.name!r} has elements {_DEEPEST + 1:,} deep; mend it or take a complete copy.")

    def _end(self, tag: str) -> None:
        element = self._open.pop()
        if _kind(element) == "s":
            self._sentences -= 1
            self._done.append(element)


def _graph(sentence: Element, name: str) -> Graph:
    """The graph of a sentence; words and nodes without a parent are attached to the root."""
    words = [element for element in sentence.iter() if _kind(element) == "t"]
    nodes = [element for element in sentence.iter() if _kind(element) == "nt"]
    vertices: dict[str, Vertex] = {}
    for index, element in enumerate(words):
        vertices[_attribute(element, "id", name)] = index
    for element in nodes:
        vertices[_attribute(element, "id", name)] = _attribute(element, "id", name)
    if len(vertices) < len(words) + len(nodes):
        raise FileError(f"{name} gives the same id twice; give every word and node an id of its own.")
    leaves = [Leaf(_attribute(word, "pos", name), _attribute(word, "word", name)) for word in words]
    labels = {_attribute(node, "id", name): _attribute(node, "cat", name) for node in nodes}
    return Graph(leaves, labels, _edges(nodes, vertices, name), name)


def _edges(nodes: list[Element], vertices: dict[str, Vertex], name: str) -> dict[Vertex, Edge]:
    edges = {index: Edge(ROOT, "--") for index in vertices.values()}
    for node in nodes:
        parent = _attribute(node, "id", name)
        for edge in node:
            if _kind(edge) != "edge":
                continue
            child = _attribute(edge, "idref", name)
            if child not in vertices:
                raise FileError(f"{name} refers to {child!r}, which it does not have; mend the idref.")
            if edges[vertices[child]].parent != ROOT:
                raise FileError(f"{name} has two parents for {child!r}; keep one, the other as a secedge.")
            edges[vertices[child]] = Edge(parent, edge.get("label", "--"))
    return edges


def _attribute(element: Element, key: str, name: str) -> str:
    """A required, non-empty attribute of an element."""
    if value := element.get(key):
        return value
    raise FileError(f"{name} has a <{_kind(element)}> without {key}; give it one.")


def _kind(element: Element) -> str:
    """The name of an element without its namespace."""
    return element.tag.rpartition("}")[2]
