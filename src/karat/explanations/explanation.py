"""Explanation: the errors of a clustering and the effect of repairs, as text, records and JSON."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from numpy.typing import NDArray

from karat.explanations.findings import Margin, Merge, OddOne, Split
from karat.explanations.items import ItemLabels, WrongItem, need_items
from karat.explanations.pages import layouts_of
from karat.explanations.problems import largest_problems
from karat.measures.bcubed import bcubed_precision, bcubed_recall
from karat.measures.information import class_entropy_given_cluster, cluster_entropy_given_class
from karat.measures.registry import Measure
from karat.measures.variation import vi
from karat.output.layout import Layout, decimals, shown
from karat.output.numbers import number
from karat.output.result import Result, json_label
from karat.scoring.signatures import signature_of
from karat.tables.table import Table

PROBLEMS = 3  # the number of problems in the summary
COLUMNS = ("kind", "class", "cluster", "other", "items", "of", "parts", "share", "vi", "pairs", "bcubed")


@dataclass(frozen=True, eq=False, repr=False)
class Explanation(Result):
    """Where a clustering differs from gold, and what repairs would do to a measure; print it to read it.

    >>> import karat
    >>> from karat.explanations import explain
    >>> print(explain(["a", "a", "b", "b"], [1, 1, 2, 3]).problems[0])
    Class 'b' (2 items) is spread over 2 clusters; its largest part, 50%, is in cluster 2. Gathered in one cluster \
of its own, ami would rise from 0.5714 to 1.0000.
    """

    table: Table
    measure: Measure
    value: float
    top: int
    classes: Margin
    clusters: Margin
    merges: tuple[Merge, ...]
    splits: tuple[Split, ...]
    odd_ones: tuple[OddOne, ...]
    every_merge: bool  # whether all pairs of clusters that share a class were tried, not only the most promising
    every_repair: bool  # whether the measure has a value after every change, not only after the most promising
    labels: ItemLabels | None = None  # gold and predicted labels of the items, if known

    @cached_property
    def wrong_items(self) -> tuple[WrongItem, ...]:
        """The items whose class is not the main class of their cluster, in the order of items."""
        return need_items(self.labels).wrong()

    @property
    def problems(self) -> tuple[str, ...]:
        """The largest problems, one sentence each."""
        return self.sentences()

    def sentences(self, digits: int = 4) -> tuple[str, ...]:
        """The largest problems, one sentence each, with this many decimals."""
        if self.totals["vi"] == 0:
            return ("Nothing is wrong.",)
        if not self._problems:
            return (f"No repair, merge or split would make {shown(self.measure)} better.",)
        return tuple(problem.sentence(self.measure, self.value, digits) for problem in self._problems)

    @cached_property
    def _problems(self) -> list[Any]:
        sides, moves = (self.classes, self.clusters), (self.merges, self.splits)
        return largest_problems(self.measure, self.value, sides, moves, PROBLEMS)

    @cached_property
    def totals(self) -> dict[str, Any]:
        """The totals of the contributions: errors of split classes, and errors of mixed clusters."""
        return {
            "vi": float(vi.of(self.table)),
            "vi_split": float(cluster_entropy_given_class.of(self.table)),
            "vi_mixed": float(class_entropy_given_cluster.of(self.table)),
            "pairs_split": _total(self.classes.pairs),
            "pairs_mixed": _total(self.clusters.pairs),
            "bcubed_recall": float(bcubed_recall.of(self.table)),
            "bcubed_precision": float(bcubed_precision.of(self.table)),
        }

    @property
    def signature(self) -> str:
        """How the value was computed: measure, items and policy, in one line."""
        return signature_of([self.measure], number(self.table.n), self.table.policy)

    def __repr__(self) -> str:
        return f"<Explanation: {self.measure}={decimals(self.value)}, {len(self._problems)} problems>"

    def layout(self, digits: int = 4) -> Layout:
        """The summary."""
        return self.layouts(digits)[0]

    def layouts(self, digits: int = 4) -> list[Layout]:
        """The summary, then the worst classes and clusters, the best merges and splits, and odd ones out."""
        return layouts_of(self, digits)

    def records(self) -> list[dict[str, Any]]:
        """One dict per class, per cluster, and per merge, split and odd one listed.

        cluster is, for a class, the cluster with its largest part; class is, for a cluster, its largest class. other is
        the second cluster of a merge, or the main class of the cluster of an odd one. of is the size of the cluster.
        """
        rows = [*_side_records(self.classes, "class", "cluster"), *_side_records(self.clusters, "cluster", "class")]
        for m in self.merges:
            names = {"class": m.shared, "cluster": m.left, "other": m.right}
            rows.append({"kind": "merge", **names, "items": sum(m.items), "value": m.value, "change": m.change})
        for s in self.splits:
            names = {"class": s.label, "cluster": s.cluster, "items": s.items, "of": s.of}
            rows.append({"kind": "split", **names, "value": s.value, "change": s.change})
        for o in self.odd_ones:
            names = {"class": o.label, "cluster": o.cluster, "other": o.otherwise}
            rows.append({"kind": "odd", **names, "items": o.items, "of": o.of})
        return [{key: row.get(key) for key in (*COLUMNS, "value", "change")} for row in rows]

    def to_dict(self) -> dict[str, Any]:
        """Everything, as plain values for JSON."""
        kinds = {"class": "classes", "cluster": "clusters", "merge": "merges", "split": "splits", "odd": "odd_ones"}
        by_kind: dict[str, list[dict[str, Any]]] = {plural: [] for plural in kinds.values()}
        for row in self.records():
            row.update({key: json_label(row[key]) for key in ("class", "cluster", "other")})
            by_kind[kinds[row["kind"]]].append({k: v for k, v in row.items() if k != "kind" and v is not None})
        return {
            "measure": str(self.measure), "value": self.value, "better": self.measure.better,
            "n": self.table.n if isinstance(self.table.n, int) else float(self.table.n),
            "problems": list(self.problems), "totals": dict(self.totals), **by_kind,
            "every_merge": self.every_merge, "every_repair": self.every_repair, "signature": self.signature,
        }  # fmt: skip


def _total(pairs: NDArray[Any]) -> int | float:
    """The sum of numbers of pairs, exact for integers of any magnitude."""
    return math.fsum(pairs.tolist()) if pairs.dtype.kind == "f" else sum(pairs.tolist())


def _side_records(side: Margin, kind: str, other: str) -> list[dict[str, Any]]:
    """A dict for each class or cluster."""
    lines = side.lines
    partners = lines.across[lines.order[lines.starts]].tolist()
    arrays = (side.sizes, side.parts, side.shares, side.vi, side.pairs, side.bcubed, side.repaired, side.changes)
    keys = ("items", "parts", "share", "vi", "pairs", "bcubed", "value", "change")
    return [
        {"kind": kind, kind: name, other: side.others[partner], **_plain(dict(zip(keys, row, strict=True)))}
        for name, partner, *row in zip(side.names, partners, *(array.tolist() for array in arrays), strict=True)
    ]


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    return {key: None if value != value else value for key, value in row.items()}
