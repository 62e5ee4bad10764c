"""Columns of frames as gold and systems: labels in memory, or queries to an engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from karat.errors import LabelError, Option, TableError, brief, listed, nearest
from karat.foreign import translated
from karat.labels.alignment import align, check_system_names
from karat.labels.encoding import Labels, to_labels
from karat.labels.matching import numbered_items
from karat.labels.policy import Policy
from karat.labels.products import cross
from karat.labels.rows import PRED
from karat.scoring.evaluation import Evaluation
from karat.tables.systems import AlignedSystems
from karat.tables.totals import check_counts

BUILT_IN = (
    list,
    tuple,
    dict,
    str,
    bytes,
    set,
    frozenset,
    np.ndarray,
    Labels,
)  # not frames: no import needed


def is_frame(data: object) -> bool:
    """Whether something is a frame of any engine."""
    if data is None or isinstance(data, BUILT_IN):
        return False
    from karat.sources.engines.duckdb import is_relation

    return is_relation(data) or is_annotated(data) or _wrapped(data) is not None


def is_annotated(data: object) -> bool:
    """Whether something is an AnnData object, whose observations are a frame."""
    return type(data).__name__ == "AnnData" and hasattr(data, "obs")


def _wrapped(data: Any) -> Any:
    """The frame as narwhals knows it; None if it does not."""
    import narwhals as nw

    try:
        frame = nw.from_native(data, pass_through=True)
    except Exception as problem:  # a frame that cannot be read: for instance, with two columns of one name
        reason = " ".join(str(problem).split())[:120]
        raise LabelError(f"the frame cannot be read ({reason}); correct it.") from None
    return frame if isinstance(frame, (nw.DataFrame, nw.LazyFrame)) else None


def columns_of_frame(systems: Any) -> dict[str, Any] | None:
    """The columns of a frame of predictions by name, each a system; None if it is no frame."""
    if systems is None or isinstance(systems, BUILT_IN) or not is_frame(systems):
        return None
    frame = _eager(_named_by_text(systems))
    if frame is None:
        raise LabelError("pred is a lazy frame beside labels; collect it first, or name columns of one frame.")
    return {name: Column(frame, name, "pred").labels for name in _names(frame)}


def _named_by_text(frame: Any) -> Any:
    """A pandas frame with its column names as text, such as "0" for 0; other frames as they are."""
    from karat.sources.engines.duckdb import is_relation

    if is_relation(frame) or not hasattr(frame, "set_axis"):  # hasattr would query a relation for its columns
        return frame
    names = list(frame.columns)
    if all(isinstance(name, str) for name in names):
        return frame
    return frame.set_axis([str(name) for name in names], axis=1)


def _eager(frame: Any) -> Any:
    """A frame whose columns are in memory, as narwhals knows it; None if it is lazy or of a database."""
    import narwhals as nw

    from karat.sources.engines.duckdb import is_relation

    if is_annotated(frame):
        frame = frame.obs
    if is_relation(frame):
        return None
    wrapped = _wrapped(frame)
    return wrapped if isinstance(wrapped, nw.DataFrame) else None


def _read_stream(data: Any, asked: Sequence[str]) -> Any:
    """The asked columns of a stream of Arrow batches, such as a RecordBatchReader, read once; other data unchanged."""
    if not hasattr(type(data), "__arrow_c_stream__") or is_frame(data):
        return data
    import pyarrow as pa

    remedy = "give a table or a reader of Arrow that can still be read"
    with translated(lambda reason: f"the stream of Arrow batches cannot be read ({reason}); {remedy}.", LabelError):
        reader = pa.RecordBatchReader.from_stream(data)
        names = reader.schema.names
        known = [name for name in names if name in asked] if {*asked} <= {*names} else names
        schema = pa.schema([reader.schema.field(name) for name in known])
        return pa.Table.from_batches([batch.select(known) for batch in reader], schema)


def _names(frame: Any) -> list[str]:
    from karat.sources.engines.queries import check_names

    return check_names(list(frame.columns))


class Column:
    """A column of a frame in memory."""

    def __init__(self, frame: Any, name: object, role: str) -> None:
        names = _names(frame)
        if not isinstance(name, str) or name not in names:
            hint = nearest(name if isinstance(name, str) else "", names) or f"there are {listed(names, 12) or 'none'}."
            raise LabelError(f"{role}={brief(name)} is no column of the frame; {hint}")
        self.series, self.role = frame[name], role

    @property
    def labels(self) -> Labels:
        """The labels of the rows; their items are the frame's index, if it has one."""
        return to_labels(self.series.to_native(), self.role)

    @property
    def items(self) -> Any:
        """The values as ids of the rows."""
        from karat.sources.engines.dialects import series_values

        lacking = int(self.series.null_count())
        if self.series.dtype.is_float():
            lacking = int(np.isnan(self.series.to_numpy().astype(float)).sum())  # NaN is not an id: it equals nothing
        if lacking:
            raise LabelError(f"{lacking:,} rows of {self.role} have no {self.series.name!r}; give each item one.")
        remedy = "give ids that Python can hold, such as text"
        with translated(lambda reason: f"{self.role}'s ids cannot be read ({reason}); {remedy}.", LabelError):
            return series_values(self.series)


def from_columns(
    frame: Any,
    other: Any,
    *,
    gold: str | Sequence[str],
    pred: str | Sequence[str],
    id: str | None,
    by: str | None,
    weights: str | None,
    count: str | None,
    policy: Policy,
) -> Evaluation:
    """The evaluation of named columns of a frame, or of two frames that are matched on id."""
    if count is not None and weights is not None:
        raise TableError(Option("count", (count,)), " says that rows are counted already; leave out weights.")
    for role, names in (("gold", gold), ("pred", pred)):
        if not isinstance(names, (str, list, tuple)):
            raise LabelError(f"{role} is {brief(names)}; name a column of the frame as text, or several as a list.")
    named = not isinstance(pred, str)
    preds = [pred] if isinstance(pred, str) else list(pred)
    if len(set(preds)) < len(preds):
        twice = next(name for name in preds if preds.count(name) > 1)
        raise LabelError(Option("pred", (twice,)), " is given more than once; give each column once.")
    systems = {name if named or name not in ("", "gold") else PRED: name for name in preds}
    check_system_names(systems)
    golds = [gold] if isinstance(gold, str) else list(gold)
    asked = [*golds, *preds, *(name for name in (id, by, weights, count) if name is not None)]
    frame, other = _read_stream(frame, asked), _read_stream(other, asked)
    sides = [frame] if other is None else [frame, other]
    eager = [_eager(side) for side in sides]
    if any(side is None for side in eager):
        return _in_engine(frame, other, golds, systems, named, id, by, weights, count, policy)
    called = {} if named else dict.fromkeys(systems, "pred")
    first, last = eager[0], eager[-1]
    classes = [Column(first, name, "gold").labels for name in golds]
    labels: dict[str, Any] = {name: Column(last, column, "pred").labels for name, column in systems.items()}
    crossed = classes[0] if len(classes) == 1 else cross(*classes)
    ids: Any = None
    if other is not None:
        if id is None:
            raise LabelError("two frames are matched on ", Option("id"), "; give the column that names the items.")
        here, there = Column(first, id, "gold").items, Column(last, id, "pred").items
        for side, column in (("gold", here), ("pred", there)):
            numbered_items({side: column}, {side: side})  # refuses ids that occur twice
        crossed = _by_id(crossed, here)
        labels = {name: _by_id(side, there) for name, side in labels.items()}
    else:
        ids = crossed.items if id is None else Column(first, id, "id").items
        crossed, labels = _by_position(crossed), {name: _by_position(side) for name, side in labels.items()}
    groups = None if by is None else _by_position(Column(first, by, "by").labels)
    options = _weights(first, weights, count)
    aligned = align(crossed, labels, policy, groups=groups, items=ids, called=called, **options)
    return Evaluation.of(AlignedSystems(aligned), named=named, by=by)


def _by_position(labels: Labels) -> Labels:
    return replace(labels, items=None)


def _by_id(labels: Labels, ids: Any) -> Labels:
    return replace(labels, items=ids, keyed=True)


def _weights(frame: Any, weights: str | None, count: str | None) -> dict[str, Any]:
    """The column of weights, or of counts, as an argument of align(); empty if there is neither."""
    import narwhals as nw

    from karat.labels.weights import check_weights
    from karat.sources.engines.dialects import is_long

    name = weights if count is None else count
    if name is None:
        return {}
    series = Column(frame, name, "weights" if count is None else "count").series
    objects = series.dtype == nw.Object and not series.is_null().all()  # as pandas holds decimals
    if not series.dtype.is_numeric() and not objects:
        raise TableError(f"counts and weights are {series.dtype} here; give a column of numbers.")
    array = np.array(series.to_list()) if is_long(series) or objects else series.to_numpy()
    lacking = int(series.null_count()) or int(np.isnan(array).sum() if array.dtype.kind == "f" else 0)
    if lacking:
        raise TableError(f"{lacking:,} rows have no count or weight; give each one.")
    if array.dtype.kind != "O" and array.size and array.min() < 0:
        raise TableError(f"a count or weight is {array.min()}; give positive numbers.")
    if count is None:
        return {"weights": check_weights(array, len(series))}
    return {"counts": check_counts(array, len(series), count)}


def _in_engine(
    frame: Any, other: Any, golds: Sequence[str], systems: Mapping[str, str], named: bool, id: str | None,
    by: str | None, weights: str | None, count: str | None, policy: Policy,
) -> Evaluation:  # fmt: skip
    """The evaluation of columns that an engine holds; it counts the tables when they are needed."""
    from karat.sources.engines.collecting import Columns, FrameSystems, native

    if len(golds) > 1:
        raise LabelError(
            Option("gold", (list(golds),)), " are several columns, which an engine cannot combine; join them first."
        )
    if other is None:
        id = None  # the ids of rows are not asked for
    gaps = policy.missing in ("raise", "drop")
    columns = Columns(native(frame), native(other), golds[0], systems, id, by, weights, count, gaps)
    return Evaluation.of(FrameSystems(columns, policy), named=named, by=by)
