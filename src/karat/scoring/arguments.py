"""The arguments of a verb as an Evaluation: labels, systems by name, frames, or tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from datetime import date, time, timedelta
from enum import Enum
from numbers import Number
from typing import Any, NamedTuple

import numpy as np

from karat.errors import LabelError, Option, TableError, brief
from karat.labels.encoding import Labels
from karat.labels.policy import Policy
from karat.labels.rows import PRED
from karat.scoring.evaluation import Evaluation
from karat.scoring.options import DATA_DEFAULTS, DataOptions
from karat.tables.counts import Counts, SingleTable
from karat.tables.systems import CountedSystems

SINGLE = (str, bytes, Number, bool, type(None), Enum, date, time, timedelta, np.generic)  # types of single labels


class Named(NamedTuple):
    """Systems by name; named is false for one system that was given without a name."""

    systems: Mapping[str, object]
    named: bool


def evaluation_of(data: object, other: object, given: DataOptions) -> Evaluation:
    """The evaluation that the arguments of a verb describe.

    data, other: gold and predicted labels; or a frame, or two, whose columns gold and pred name; or a Table, several by
    name, or an Evaluation, and no other.
    """
    options: Any = {**DATA_DEFAULTS, **given}
    if isinstance(data, Evaluation):
        _nothing_else(other, options, "an Evaluation, whose items were matched already")
        return data
    if _is_tables(data):
        _nothing_else(other, options, "a Table, which has been counted already")
        return _of_tables(data)
    if isinstance(data, Counts):
        raise TableError("data is a Stack; give one table, or give the Stack to a measure, as in karat.ari(stack).")
    gold, pred = options["gold"], options["pred"]
    if data is not None and (_is_columns(gold) or _is_columns(pred)):
        return _of_columns(data, other, options)
    if data is not None and gold is not None:
        raise LabelError("gold was given twice; give labels once, or name the columns of a frame as text.")
    if other is not None and pred is not None:
        raise LabelError("pred was given twice; give labels once, or name the columns of a frame as text.")
    return _of_labels(gold if data is None else data, pred if other is None else other, options)


def _nothing_else(other: object, options: Any, what: str) -> None:
    if other is not None or options["pred"] is not None:
        raise TableError(f"gold is {what}, so there is no pred; measures are given as measures=[...].")
    for name, default in DATA_DEFAULTS.items():
        if options[name] is not None if default is None else options[name] != default:
            raise TableError(f"gold is {what}; leave out ", Option(name, bare=True), ".")


def _is_tables(data: object) -> bool:
    if isinstance(data, SingleTable):
        return True
    values = list(data.values()) if isinstance(data, Mapping) else data if isinstance(data, (list, tuple)) else []
    return bool(values) and all(isinstance(value, SingleTable) for value in values)


def _of_tables(data: Any) -> Evaluation:
    if isinstance(data, SingleTable):
        return Evaluation.of(CountedSystems({PRED: data}, dropped=_dropped(data)), named=False)
    tables = data if isinstance(data, Mapping) else {f"table {i}": table for i, table in enumerate(data, 1)}
    return Evaluation.of(CountedSystems(texts(tables)), named=True)


def _dropped(table: Any) -> int:
    return int(table.policy.dropped) if hasattr(table, "policy") else 0


def _is_columns(names: object) -> bool:
    """Whether these are names of columns, not labels."""
    if isinstance(names, str):
        return True
    return isinstance(names, (list, tuple)) and bool(names) and all(isinstance(name, str) for name in names)


def _of_columns(data: object, other: object, options: Any) -> Evaluation:
    from karat.scoring.frames import from_columns

    for role in ("gold", "pred"):
        if not _is_columns(options[role]):
            raise LabelError(f"{role} is {brief(options[role])}, but the other side is a column; name both as text.")
    policy = Policy.of(options["missing"], options["noise"], options["noise_as"], options["ignore"])
    names: Any = {name: options[name] for name in ("gold", "pred", "id", "by", "weights", "count")}
    return from_columns(data, other, policy=policy, **names)


def _of_labels(gold: object, pred: object, options: Any) -> Evaluation:
    if gold is None:
        raise LabelError("gold is missing; give the gold labels, one for each item.")
    if pred is None:
        from karat.scoring.frames import is_frame

        if is_frame(gold):
            raise LabelError("gold is a frame; name its columns: ", Option("gold"), ", ", Option("pred"))
        raise TableError(
            "pred is missing; give the predicted labels, or karat.Table.from_matrix(matrix) in place of both."
        )
    if options["count"] is not None:
        raise LabelError(
            Option("count", (options["count"],)), " is a column of a frame; leave it out, or give a frame."
        )
    if isinstance(options["id"], str):
        raise LabelError(
            Option("id", (options["id"],)), " is a column of a frame; give a frame, or the ids of the items as a list."
        )
    chosen: Any = {name: options[name] for name in ("id", "by", "weights", "missing", "noise", "noise_as", "ignore")}
    return Evaluation(gold, pred, **chosen)


def ids_of(ids: Any) -> list[Any] | None:
    """The ids of items, in their order."""
    if ids is None:
        return None
    if (
        isinstance(ids, (str, bytes, AbstractSet, Mapping))
        or not isinstance(ids, Iterable)
        or getattr(ids, "ndim", 1) == 0
    ):
        raise LabelError(f"id is {brief(ids)}; give the ids of the items as a list, in the order of the labels.")
    return list(ids)


def named_systems(systems: object, gold: object) -> Named:
    """The systems in an argument: one clustering, a dict of several by name, or a frame of columns.

    A dict whose values are single labels is one clustering by item; any other dict is systems by name. A dict of tuples
    could be either; its values are labels of items if gold names its items.
    """
    from karat.scoring.frames import columns_of_frame

    columns = columns_of_frame(systems)
    if columns is not None:
        return Named(columns, True)
    if not isinstance(systems, Mapping):
        return Named({PRED: systems}, False)
    if not systems:
        raise LabelError("pred is an empty dict; give {item: label}, or {name: labels} for several systems.")
    kinds = set(map(type, systems.values()))
    if all(issubclass(kind, SINGLE) for kind in kinds):
        return Named({PRED: systems}, False)
    if all(issubclass(kind, (tuple, *SINGLE)) for kind in kinds):
        return _tuples(systems, gold)
    for name, labels in systems.items():
        if isinstance(labels, SINGLE):
            raise LabelError(
                f"pred has {brief(labels)} for {brief(name)} beside values that are not single labels; give one label "
                "for each item, or all labels of each system."
            )
        if isinstance(labels, AbstractSet) and not all(isinstance(part, (AbstractSet, tuple)) for part in labels):
            raise LabelError(
                f"pred has a set of items for {brief(name)}: a dict of sets could be clusters or systems; give "
                "clusters as a list, list(clusters.values()), and systems as labels or lists of sets."
            )
    return Named(texts(systems), True)


def _tuples(systems: Mapping[Any, Any], gold: object) -> Named:
    """A dict of tuples: labels by item if gold names its items, else systems with labels by position."""
    if isinstance(gold, Mapping) or (isinstance(gold, Labels) and gold.keyed):
        return Named({PRED: systems}, False)
    if isinstance(gold, (list, tuple, np.ndarray)):
        return Named(texts(systems), True)
    raise LabelError("pred has tuples as values, which could be labels of items or systems; give systems as lists.")


def texts(systems: Mapping[Any, Any]) -> dict[str, Any]:
    """Systems by the text of their names, which must differ."""
    named = {str(name): labels for name, labels in systems.items()}
    if len(named) < len(systems):
        names = list(map(str, systems))
        twice = next(name for name in names if names.count(name) > 1)
        raise LabelError(f"two systems are called {brief(twice)}; give each a name of its own.")
    return named
