"""The value of a measure after each of many moves.

Closed forms give the values after all moves at once, in double precision, which is enough to find the best of them.
What is promised to the reader is then carried out: the changed table is counted and scored like any other. Where
differences of floats lose precision, as for very large counts and for weights, all moves are carried out if they are
few.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from karat.explanations.anatomy import Floats
from karat.measures.registry import Measure
from karat.measures.variation import vi
from karat.tables.moves import Moves

PRECISE = 1 << 26  # items, below which numbers of pairs are exact in double precision
WORK = 200_000  # cells that are counted again for moves of one kind
ROUNDS = 20  # in which the best moves are carried out, since the best may then be others


def values_after(measure: Measure, moves: Moves, tried: int) -> tuple[Floats, bool]:
    """The measure's value after each move, and whether all moves were tried.

    All are tried if the measure's statistics have closed forms for moves. Else only the `tried` moves that lower VI
    most are, each in a table of its own; the values of the others are NaN.
    """
    values = _in_closed_form(measure, moves)
    if values is None:
        values = np.full(moves.clusters.size, np.nan)
        distances, _ = values_after(vi, moves, tried)
        for index in np.argsort(np.round(distances, 12), kind="stable")[:tried].tolist():
            values[index] = carried_out(measure, moves, index)
        return values, False
    precise = moves.table.integral and moves.table.n < PRECISE
    if not precise and affordable(moves):
        values = np.array([carried_out(measure, moves, index) for index in range(values.size)])
    return values, True


def affordable(moves: Moves) -> bool:
    """Whether all moves can be carried out in little time."""
    return moves.clusters.size * moves.table.counts.size <= WORK


def carried_out(measure: Measure, moves: Moves, index: int) -> float:
    """The score of the table after one move."""
    table = moves.table
    return float(measure.of(table.reclustered(moves.columns(index))))


def confirmed(measure: Measure, moves: Moves, values: Floats, promised: Callable[[Floats], Iterable[int]]) -> Floats:
    """The values with those that are promised replaced by the scores of the changed tables.

    promised: the indices of the moves that are promised, given the values; they may change with the values.
    """
    values, done = values.copy(), set[int]()
    for _ in range(ROUNDS):
        new = [index for index in promised(values) if index not in done and not np.isnan(values[index])]
        if not new:
            return values
        for index in new:
            values[index] = carried_out(measure, moves, index)
        done.update(new)
    values[[index for index in promised(values) if index not in done]] = np.nan  # not known well enough
    return values


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
