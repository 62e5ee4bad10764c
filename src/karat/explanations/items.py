"""The items in the wrong cluster, with their class, their cluster and its main class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from karat.errors import TableError
from karat.labels.encoding import Labels
from karat.labels.rows import Coded
from karat.scoring.evaluation import Evaluation


class WrongItem(NamedTuple):
    """An item whose class is not the main class of its cluster."""

    item: Any
    gold: Any
    pred: Any
    main: Any  # the class with most items in the cluster


@dataclass(frozen=True, eq=False)
class ItemLabels:
    """The gold and the predicted label of each item."""

    items: Any
    gold: Coded
    pred: Coded

    @classmethod
    def of(cls, ev: Evaluation, system: str) -> ItemLabels | None:
        """The labels of one system's items; None if rows stand for several items."""
        aligned = ev.aligned
        if aligned.counts is not None or aligned.gold is None:
            return None
        return cls(ev.items, _named(aligned.gold), _named(aligned.systems[system]))

    def wrong(self) -> tuple[WrongItem, ...]:
        """The items outside their cluster's main class (the class with most items; of ties, the first)."""
        gold, pred = self.gold, self.pred
        main = main_classes(gold.codes, pred.codes)
        rows = np.flatnonzero(main[pred.codes] != gold.codes)
        classes, clusters = gold.names or (), pred.names or ()
        return tuple(
            WrongItem(self.items[row], classes[c], clusters[k], classes[main[k]])
            for row, c, k in zip(rows.tolist(), gold.codes[rows].tolist(), pred.codes[rows].tolist(), strict=True)
        )


def _named(side: Coded) -> Coded:
    """Labels whose codes are indices of their names."""
    return side if side.names is not None else Coded(*Labels(side.codes).coded)


def main_classes(gold: NDArray[Any], pred: NDArray[Any]) -> NDArray[np.int64]:
    """The code of the main class of each cluster: of ties, the first; -1 for an empty cluster."""
    keys, counts = np.unique(np.stack([pred, gold]), axis=1, return_counts=True)
    order = np.lexsort((keys[1], -counts, keys[0]))
    clusters, first = np.unique(keys[0][order], return_index=True)
    main = np.full(int(pred.max(initial=-1)) + 1, -1, np.int64)
    main[clusters] = keys[1][order][first]
    return main


def need_items(labels: ItemLabels | None) -> ItemLabels:
    """The labels of items, or an error where only tables are known."""
    if labels is None:
        raise TableError("only a table is known here, not its items; give the labels instead.")
    return labels
