"""table(): the contingency table of gold and a system."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias, Unpack, overload

from karat.errors import TableError
from karat.labels.names import ByLabel
from karat.scoring.arguments import evaluation_of
from karat.scoring.evaluation import Evaluation
from karat.scoring.given import Columns, Groups, System, Systems
from karat.scoring.options import DataOptions, ItemOptions, UngroupedOptions, data_options, verb
from karat.tables.table import Table

ByGroup: TypeAlias = Mapping[Any, Table | dict[str, Table]]


@overload
def table(data: object = None, other: object = None, *, by: Groups, **options: Unpack[UngroupedOptions]) -> ByGroup: ...


@overload
def table(
    data: Evaluation, other: None = None, **options: Unpack[DataOptions]
) -> Table | dict[str, Table] | ByGroup: ...


@overload
def table(
    data: Mapping[str, Table] | Sequence[Table], other: None = None, **options: Unpack[DataOptions]
) -> dict[str, Table]: ...


@overload
def table(data: object, other: Systems, **options: Unpack[DataOptions]) -> dict[str, Table]: ...


@overload
def table(
    data: object, other: object = None, *, gold: str, pred: Columns, **options: Unpack[ItemOptions]
) -> dict[str, Table]: ...


@overload
def table(
    data: object = None,
    other: System | None = None,
    *,
    gold: object = None,
    pred: System | None = None,
    **options: Unpack[ItemOptions],
) -> Table: ...


@overload
def table(
    data: object, other: Mapping[Any, Any], **options: Unpack[DataOptions]
) -> Table | dict[str, Table] | ByGroup: ...


@verb(DataOptions)
def table(
    data: object = None, other: object = None, **options: Unpack[DataOptions]
) -> Table | dict[str, Table] | ByGroup:
    """The contingency table of gold and a system: rows are classes, columns clusters.

    Several systems give a dict by name, and `by` a mapping by group. The columns of a frame are counted by its own
    engine, and all cells are collected.

    >>> table(["a", "a", "b"], [1, 1, 2])
    <Table: 3 items, 2 classes, 2 clusters, 2 cells>
    """
    ev = evaluation_of(data, other, data_options(options, "table")).collected()
    if ev.groups is not None:
        tables = ByLabel((group, dict(t) if ev.named else next(iter(t.values()))) for group, t in ev.groups.items())
        plain = dict(tables.items())
        return plain if len(plain) == len(tables) else tables  # True and 1 are one key of a dict
    for counts in ev.tables.values():
        if not isinstance(counts, Table):
            raise TableError("the cells were not collected; score the frame instead.")
    return dict(ev.tables) if ev.named else next(iter(ev.tables.values()))
