"""The records of delimited text: whether all have the same number of fields, and quotes where readers agree on them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from karat.kernels import twin

Ints = NDArray[np.int64]

QUOTE, SPACE, TAB, LINE, RETURN = b'" \t\n\r'
FIELD_START, SPACES, PLAIN, QUOTED, AFTER_QUOTE, ODD = range(6)  # where in a record the scan is


def new_scan() -> Ints:
    """The state at the start of a text: where in a record, delimiters so far, delimiters of the first record."""
    return np.array([FIELD_START, 0, -1], dtype=np.int64)


@twin
def scan_records(data: bytes, delimiter: int, state: Ints) -> None:
    """Scan a part of a text, and update the state; its first entry is ODD once something unusual occurs.

    Unusual is a record with another number of fields than the first, white space beside a quote at either end of a
    field, and anything else after a closing quote than a delimiter or the end of the line. Empty lines are allowed.
    """
    where, delimiters, expected = state.tolist()
    for byte in data if where != ODD else b"":
        if where == QUOTED:
            where = AFTER_QUOTE if byte == QUOTE else QUOTED
        elif byte == delimiter:
            where, delimiters = FIELD_START, delimiters + 1
        elif byte in (LINE, RETURN):
            if where != FIELD_START or delimiters:
                expected = delimiters if expected < 0 else expected
                if delimiters != expected:
                    where = ODD
                    break
            where, delimiters = FIELD_START, 0
        elif byte == QUOTE:
            if where == SPACES:
                where = ODD
                break
            where = PLAIN if where == PLAIN else QUOTED
        elif where == AFTER_QUOTE:
            where = ODD
            break
        elif where != PLAIN:
            where = SPACES if byte in (SPACE, TAB) else PLAIN
    state[:] = where, delimiters, expected


def ends_well(state: Ints) -> bool:
    """Whether a text may end in this state: outside quotes, after a record of the usual number of fields."""
    where, delimiters, expected = state.tolist()
    if where in (QUOTED, ODD):
        return False
    return (where == FIELD_START and not delimiters) or expected in (-1, delimiters)
