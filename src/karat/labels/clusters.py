"""Clusters given as collections of their items, and partition objects of other libraries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, NamedTuple

from karat.errors import LabelError, brief
from karat.kernels.objects import types_of
from karat.labels.identity import is_hashable, keys_of
from karat.labels.names import canonical_order, plain_values

OVERLAP = "keep each item in one cluster: clusters that overlap are a cover, not a partition."


class Clusters(NamedTuple):
    """Clusters by name, each a collection of items."""

    names: Sequence[Any]
    members: Sequence[Iterable[Any]]


def clusters_in(labels: Any, side: str) -> Clusters | None:
    """The clusters in an object that lists them; None if the object holds labels instead."""
    if isinstance(labels, Mapping):
        values = list(labels.values())
        return Clusters(list(labels), values) if _all(values, AbstractSet) else None
    if isinstance(labels, (list, tuple)):
        return Clusters(range(len(labels)), labels) if _all(labels, (list, AbstractSet)) else None
    if isinstance(labels, AbstractSet):
        return _numbered(labels, side)
    if isinstance(getattr(labels, "communities", None), (list, tuple)) and hasattr(labels, "overlap"):  # of CDlib
        return Clusters(range(len(labels.communities)), labels.communities)
    return None


def membership_in(labels: Any, side: str) -> tuple[list[Any], list[Any] | None] | None:
    """The cluster of each vertex in an igraph clustering, and the names of the vertices if they have any."""
    if not isinstance(getattr(labels, "membership", None), (list, tuple)) or not hasattr(labels, "graph"):
        return None
    membership = list(labels.membership)
    if any(isinstance(clusters, (list, tuple)) for clusters in membership):
        raise LabelError(
            f"{side} is a {type(labels).__name__}, in which vertices may be in several clusters; {OVERLAP}"
        )
    named = "name" in labels.graph.vs.attributes()
    return membership, list(labels.graph.vs["name"]) if named else None


def home_of_items(clusters: Clusters, side: str) -> tuple[list[Any], list[int]]:
    """All items, and the index of the cluster that each is in."""
    items: list[Any] = []
    home: dict[Any, int] = {}  # by key
    for index, members in enumerate(clusters.members):
        own = _items(members, side)
        for item, key in zip(own, keys_of(own), strict=True):
            if key in home:
                first, second = clusters.names[home[key]], clusters.names[index]
                if home[key] == index:
                    raise LabelError(
                        f"{side} has item {brief(item)} twice in cluster {brief(first)}; list each item once."
                    )
                raise LabelError(
                    f"{side} has item {brief(item)} in cluster {brief(first)} and in cluster {brief(second)}; {OVERLAP}"
                )
            home[key] = index
        items += own
    return items, list(home.values())


def _items(members: Iterable[Any], side: str) -> Sequence[Any]:
    items = plain_values(list(members), side)
    try:
        hash(tuple(items))
    except TypeError:
        bad = next(item for item in items if isinstance(item, (list, dict, set)) or not is_hashable(item))
        raise LabelError(
            f"{side} has the {type(bad).__name__} {brief(bad)} in a cluster, which cannot be an item; "
            "give clusters as lists or sets of ids."
        ) from None
    return items


def _numbered(labels: AbstractSet[Any], side: str) -> Clusters:
    """The clusters of a set, numbered in the order of their smallest items, since a set has no order."""
    if not labels or not _all(labels, (AbstractSet, tuple)):
        raise LabelError(f"{side} is a set, which has no order; give a list of labels, or a list of sets of items.")
    members = [list(cluster) for cluster in labels if cluster]
    smallest = [cluster[canonical_order(cluster)[0]] for cluster in members]
    return Clusters(range(len(members)), [members[index] for index in canonical_order(smallest)])


def _all(values: Iterable[object], kinds: Any) -> bool:
    types = types_of(values)
    return bool(types) and all(issubclass(kind, kinds) for kind in types)
