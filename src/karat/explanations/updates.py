"""The value of a measure after each of many moves."""

from __future__ import annotations

import numpy as np

from karat.explanations.anatomy import Floats
from karat.measures.registry import Measure
from karat.measures.variation import vi
from karat.tables.moves import Moves
from karat.tables.table import Table


def values_after(measure: Measure, moves: Moves, tried: int) -> tuple[Floats, bool]:
    """The measure's value after each move, and whether all moves were tried.

    All are tried if the measure's statistics have closed forms for moves. Else only the `tried` moves that lower VI
    most are, each in a table of its own; the values of the others are NaN.
    """
    values = _in_closed_form(measure, moves)
    if values is not None:
        return values, True
    values = np.full(moves.clusters.size, np.nan)
    distances, _ = values_after(vi, moves, tried)
    table = moves.table
    for index in np.argsort(np.round(distances, 12), kind="stable")[:tried].tolist():
        values[index] = float(measure.of(Table.from_cells(table.rows, moves.columns(index), table.counts)))
    return values, False


def _in_closed_form(measure: Measure, moves: Moves) -> Floats | None:
    """The measure's value after each move; None if a statistic has no closed form."""
    if measure.inner is not None:
        return None
    statistics = []
    for kind in measure.statistics:
        statistic = kind.after(moves)
        if statistic is None:
            return None
        statistics.append(statistic)
    return np.array(np.broadcast_to(np.asarray(measure.value(statistics)), moves.clusters.shape), dtype=np.float64)
