"""From a frame to a table: its cells are collected when they are few, and stay in the engine when they are many."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import narwhals as nw
import numpy as np

from karat.alignment import Missing, NoiseAs, Policy
from karat.engines.cells import Cells, LazyCells
from karat.engines.counts import EngineCounts
from karat.engines.dialects import Lazy, plainly
from karat.engines.queries import COUNT, GOLD, PRED, Frame, cells_of, joined, labelled
from karat.engines.relations import is_relation, relation_cells, relation_labels
from karat.errors import LabelError, TableError
from karat.limits import SINGLETONS
from karat.names import comparable, is_missing, plain
from karat.tables import Table

COLLECTED = 2_000_000  # cells that come to where karat runs


def table(
    frame: object,
    other: object = None,
    *,
    gold: str,
    pred: str,
    id: str | None = None,
    count: str | None = None,
    weights: str | None = None,
    missing: Missing = "raise",
    noise: object = None,
    noise_as: NoiseAs | None = None,
) -> Table:
    """The table of two columns of a frame, counted by the frame's own engine; all its cells are collected.

    frame: of pandas, Polars (eager or lazy), PyArrow, DuckDB, Dask, Spark, Ibis, Modin or what else narwhals knows.
    other, id: pred is a column of another frame, matched on the items' ids. count: rows are cells, and this column
    says how many items they hold. missing, noise: as in score().

    >>> import polars
    >>> frame = polars.LazyFrame({"class": ["a", "a", "b"], "cluster": [1, 1, 2]})
    >>> table(frame, gold="class", pred="cluster")
    <Table: 3 items, 2 classes, 2 clusters, 2 cells>
    """
    counted = counted_frame(
        frame, other, gold=gold, pred=pred, id=id, count=count, weights=weights,
        missing=missing, noise=noise, noise_as=noise_as, most=None,
    )  # fmt: skip
    if not isinstance(counted, Table):
        raise TableError("the cells were not collected; score the frame instead.")
    return counted


def counted_frame(
    frame: object,
    other: object = None,
    *,
    gold: str,
    pred: str,
    id: str | None = None,
    count: str | None = None,
    weights: str | None = None,
    missing: Missing = "raise",
    noise: object = None,
    noise_as: NoiseAs | None = None,
    most: int | None = COLLECTED,
) -> Table | EngineCounts:
    """A frame's table, or its counts if there are more cells than that."""
    policy = Policy(missing, plain(noise), noise_as, weights is not None)
    if count is not None and weights is not None:
        raise TableError(f"count={count!r} says that rows are counted already; leave out weights.")
    if (other is None) != (id is None):
        raise LabelError("two frames are matched on id=..., and one frame needs none; give both or neither.")
    if other is not None and (count or weights) is not None:
        raise TableError("two frames are of items, one a row; leave out count and weights.")
    frame, other = (nw.to_native(side, pass_through=True) for side in (frame, other))
    with plainly(frame):
        if other is None:
            cells = _cells(frame, gold, pred, count if weights is None else weights)
        else:
            sides = _side(frame, gold, GOLD, id), _side(other, pred, PRED, id)
            cells = LazyCells(cells_of(joined(*sides, str(id)), weighted=False))
            policy = replace(policy, matched="items")
        try:
            if most is not None and cells.number() > most:
                return _left_there(cells, policy, engine_of(frame))  # and are held for what is asked later
            made = _collected(cells, policy)
        except BaseException:
            cells.close()
            raise
        cells.close()
        return made


def _cells(frame: object, gold: str, pred: str, weights: str | None) -> Cells:
    if is_relation(frame):
        return relation_cells(frame, gold, pred, weights)
    return LazyCells(cells_of(labelled(Frame.of(frame), gold, pred, weights), weighted=weights is not None))


def _side(frame: object, name: str, alias: str, item: str | None) -> Lazy:
    """Items and their labels in one frame."""
    role = "gold" if alias == GOLD else "pred"
    if is_relation(frame):
        return relation_labels(frame, str(item), name, alias, role)
    return Frame.of(frame).labels(str(item), name, alias, role)


def engine_of(frame: object) -> str:
    """The name of a frame's engine."""
    return "duckdb" if is_relation(frame) else Frame.of(frame).engine


def _collected(cells: Cells, policy: Policy) -> Table:
    """The cells as a table, with the policy applied to those that lack a label or are noise."""
    found = cells.columns()
    gold, pred, counts = found[GOLD], found[PRED], np.asarray(found[COUNT])
    if not counts.size:
        raise LabelError("the frame has no rows; give at least one.")
    absent = _lacking(gold) | _lacking(pred)
    noisy = np.zeros(counts.size, bool)
    if policy.noise_as:
        wanted = comparable(policy.noise)
        noisy = np.array([not is_missing(label) and comparable(plain(label)) == wanted for label in pred], bool)
    if policy.missing == "drop":  # an item without a label is dropped once, as missing
        noisy &= ~absent
    alone = (absent & (policy.missing == "singletons")) | (noisy & (policy.noise_as == "singletons"))
    if alone.any():  # as many rows as there are items, since each is a cluster of its own
        times = np.where(alone, counts, 1).astype(np.int64)
        SINGLETONS.check(int(counts[alone].sum()), "the frame", TableError)
        places = np.repeat(np.arange(counts.size), times)
        gold, pred = [gold[i] for i in places], [pred[i] for i in places]
        counts = np.where(alone, 1, counts)[places]
        absent, noisy = absent[places], noisy[places]
    made = Table.from_labels(
        gold, pred, weights=counts, missing=policy.missing, noise=policy.noise, noise_as=policy.noise_as
    )
    missing, noise = int(counts[absent].sum()), int(counts[noisy].sum())
    return replace(made, policy=replace(policy, missing_items=missing, noise_items=noise))


def _lacking(labels: Any) -> Any:
    """Which labels are missing; no number of an array is."""
    if isinstance(labels, np.ndarray):
        return np.zeros(labels.size, bool)
    return np.array([is_missing(label) for label in labels], bool)


def _otherwise(noise: Any) -> Any:
    """A noise label as text if it is a number, as a number if it is text that says one."""
    if not isinstance(noise, str):
        return str(noise)
    try:
        return int(noise)
    except ValueError:
        return None


def _left_there(cells: Cells, policy: Policy, engine: str) -> EngineCounts:
    """The counts of cells that stay in the engine; labels that are missing are dropped or refused there."""
    if cells.fractional:
        raise TableError("cells with fractional weights are too many to collect; leave out weights, or score fewer.")
    missing = cells.unlabelled()
    if missing and policy.missing == "raise":
        raise LabelError(f"{missing:,} items have no label; say missing='drop', 'singletons' or 'cluster'.")
    if (missing and policy.missing != "drop") or policy.noise_as == "singletons":
        what = f"missing={policy.missing!r}" if missing else "noise_as='singletons'"
        raise TableError(f"{what} needs the cells, which are too many to collect; drop those items instead.")
    if missing:
        cells = cells.labelled()
    there = policy.noise_as is not None and cells.numeric == isinstance(policy.noise, (int, float))  # else no label
    found = _otherwise(policy.noise)
    if policy.noise_as is not None and not there and found is not None and cells.items_in(found):
        raise LabelError(f"noise={policy.noise!r} is not among pred's labels, but {found!r} is; give noise={found!r}.")
    noise = cells.items_in(policy.noise) if there else 0
    if there and policy.noise_as == "drop":
        cells = cells.without(policy.noise)
    policy = replace(policy, missing_items=missing, noise_items=noise)
    return EngineCounts(cells, policy, engine)
