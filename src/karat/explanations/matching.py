"""match(): the best one-to-one map of clusters to classes, and its scores by class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Unpack, overload

import numpy as np

from karat.errors import KaratError, Option
from karat.explanations.items import ItemLabels, WrongItem, need_items
from karat.explanations.several import Explanations
from karat.kernels.assignment import best_matching
from karat.labels.names import ByLabel
from karat.measures.assignments import one_to_one
from karat.output.layout import Layout, decimals, shown
from karat.output.numbers import number, several
from karat.output.result import Result, json_label
from karat.scoring.arguments import evaluation_of
from karat.scoring.evaluation import Evaluation
from karat.scoring.given import Columns, System, Systems
from karat.scoring.options import DataOptions, ItemOptions, data_options, verb
from karat.scoring.signatures import signature_of
from karat.tables.table import Table


class ClassMatch(NamedTuple):
    """Precision, recall and F of a class and the cluster that is matched with it."""

    cluster: Any  # None if no cluster is matched with the class
    items: Any  # of the class
    correct: Any  # items of the class in that cluster
    precision: float | None  # the share of the cluster that is of the class; None without a cluster
    recall: float
    f: float


@dataclass(frozen=True, eq=False, repr=False)
class Match(Result):
    """The one-to-one map of clusters to classes with most items in the cluster of their class."""

    table: Table
    item_labels: ItemLabels | None = None

    @cached_property
    def _cells(self) -> Any:
        return best_matching(self.table.rows, self.table.cols, self.table.counts)

    @cached_property
    def map(self) -> Mapping[Any, Any]:
        """The class of each matched cluster."""
        table, chosen = self.table, self._cells
        pairs = sorted(zip(table.cols[chosen].tolist(), table.rows[chosen].tolist(), strict=True))
        named = [(table.clusters[k], table.classes[c]) for k, c in pairs]
        return dict(named) if len(dict(named)) == len(named) else ByLabel(named)

    @cached_property
    def labels(self) -> list[Any]:
        """The class matched with each item's cluster, in the order of items; None if it has none."""
        pred = need_items(self.item_labels).pred
        classes = ByLabel(self.map.items())
        by_code = [classes.get(name) for name in pred.names or ()]
        return [by_code[code] for code in pred.codes.tolist()]

    @cached_property
    def wrong_items(self) -> tuple[WrongItem, ...]:
        """The items whose class is not the main class of their cluster."""
        return need_items(self.item_labels).wrong()

    @cached_property
    def per_class(self) -> Mapping[Any, ClassMatch]:
        """For each class its cluster, and the precision, recall and F of that cluster."""
        table = self.table
        cells: dict[int, Any] = {int(table.rows[cell]): cell for cell in np.asarray(self._cells).tolist()}
        return ByLabel((name, self._class(code, cells.get(code))) for code, name in enumerate(table.classes))

    def _class(self, code: int, cell: Any) -> ClassMatch:
        size = self.table.class_sizes[code].item()
        if cell is None:
            return ClassMatch(None, size, 0, None, 0.0, 0.0)
        cluster = int(self.table.cols[cell])
        correct, cluster_size = self.table.counts[cell].item(), self.table.cluster_sizes[cluster].item()
        f = 2 * correct / (size + cluster_size)
        return ClassMatch(self.table.clusters[cluster], size, correct, correct / cluster_size, correct / size, f)

    @property
    def accuracy(self) -> float:
        """The share of items in the cluster of their class: the measure one_to_one."""
        return float(one_to_one.of(self.table))

    def sentences(self, digits: int = 4) -> tuple[str, ...]:
        """The accuracy, as a sentence."""
        return (f"{decimals(self.accuracy, digits)} of the items are in the cluster of their class.",)

    def __repr__(self) -> str:
        return f"<Match: {several(len(self.map), 'cluster')} matched, accuracy {decimals(self.accuracy)}>"

    @property
    def signature(self) -> str:
        """How the map was computed: measure, items and policy, in one line."""
        return signature_of([one_to_one], number(self.table.n), self.table.policy)

    def layout(self, digits: int = 4) -> Layout:
        """A row for each class."""
        rows = [
            [
                shown(name), "–" if m.precision is None else shown(m.cluster), number(m.items), number(m.correct),
                decimals(m.precision, digits), decimals(m.recall, digits), decimals(m.f, digits),
            ]
            for name, m in self.per_class.items()
        ]  # fmt: skip
        free = self.table.shape[1] - len(self.map)
        notes = [f"{several(free, 'cluster')} matched with no class."] if free else []
        title = f"The best one-to-one map: {decimals(self.accuracy, digits)} of {several(self.table.n, 'item')} fit"
        headings = ["class", "cluster", "items", "correct", "precision", "recall", "F"]
        return Layout(title, headings, rows, notes, [self.signature], left=2)

    def records(self) -> list[dict[str, Any]]:
        """One dict per class."""
        return [{"class": name, **m._asdict()} for name, m in self.per_class.items()]

    def to_dict(self) -> dict[str, Any]:
        """Everything, as plain values for JSON."""
        classes = [
            {**row, "class": json_label(row["class"]), "cluster": json_label(row["cluster"])} for row in self.records()
        ]
        return {"accuracy": self.accuracy, "classes": classes, "signature": self.signature}


@overload
def match(data: Evaluation, other: None = None, **options: Unpack[DataOptions]) -> Match | Explanations: ...


@overload
def match(
    data: Mapping[str, Table] | Sequence[Table], other: None = None, **options: Unpack[DataOptions]
) -> Explanations: ...


@overload
def match(data: object, other: Systems, **options: Unpack[DataOptions]) -> Explanations: ...


@overload
def match(
    data: object, other: object = None, *, gold: str, pred: Columns, **options: Unpack[ItemOptions]
) -> Explanations: ...


@overload
def match(
    data: object = None,
    other: System | None = None,
    *,
    gold: object = None,
    pred: System | None = None,
    **options: Unpack[ItemOptions],
) -> Match: ...


@overload
def match(data: object, other: Mapping[Any, Any], **options: Unpack[DataOptions]) -> Match | Explanations: ...


@verb(DataOptions)
def match(data: object = None, other: object = None, **options: Unpack[DataOptions]) -> Match | Explanations:
    """The best one-to-one map of clusters to classes; for several systems a mapping by name.

    >>> matching = match(["a", "a", "a", "b", "b"], [7, 7, 9, 9, 9])
    >>> matching.map, matching.labels
    ({7: 'a', 9: 'b'}, ['a', 'a', 'b', 'b', 'b'])
    """
    ev = evaluation_of(data, other, data_options(options, "match"))
    if ev.groups is not None:
        raise KaratError("match() does not take groups; leave out ", Option("by", bare=True), ".")
    matches = {
        name: Match(table, ItemLabels.of(ev, name) if ev.has_items else None) for name, table in ev.tables.items()
    }
    return Explanations("system", matches) if ev.named else next(iter(matches.values()))
