"""Labels as codes in DuckDB: encoded by a join with their distinct values, so that only integers leave the database.

That is faster than a GROUP BY of the labels, and takes four bytes per item.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from karat.foreign import first_line
from karat.labels.names import encode_objects
from karat.sources.files.database import Database, RefusedError

NO_LABEL, NO_ITEM = 0, 1  # codes for a missing label, and for an item that this side lacks; labels follow


class Names(NamedTuple):
    """Distinct labels, sorted, and the index of the label of each database code, -1 for NO_LABEL and NO_ITEM."""

    labels: list[Any]
    indices: NDArray[np.int32] | None = None  # index of the label of each code; None: it is code - NO_ITEM - 1

    def codes(self, numbers: NDArray[np.uint32]) -> NDArray[np.int32]:
        """Convert database codes to indices of labels, -1 if missing; reuses the array where possible."""
        if self.indices is not None:
            return self.indices[numbers]
        indices = numbers.view(np.int32)
        indices -= NO_ITEM + 1
        return np.maximum(indices, -1, out=indices)

    @classmethod
    def of(cls, labels: list[Any]) -> Names:
        """Labels given in the order of their codes; equal labels are merged, and missing ones such as NaN get -1."""
        combined = [_combination(label) if isinstance(label, tuple) else label for label in labels]
        codes, names = encode_objects(combined, "labels") if labels else (np.zeros(0, dtype=np.int64), [])
        return cls(names, np.concatenate([np.full(NO_ITEM + 1, -1), codes]).astype(np.int32))


def numbered(database: Database, query: str, about: str) -> tuple[Names, str]:
    """The distinct values of a query's column label, and the name of a temporary table of their codes."""
    distinct = f"SELECT label FROM ({query}) WHERE label IS NOT NULL GROUP BY label"
    code = f"(row_number() OVER (ORDER BY label) + {NO_ITEM})::UINTEGER"  # row_number() counts from 1
    codes = database.stored(f"SELECT label, {code} AS code FROM ({distinct})", about)
    labels = [row[0] for row in database.all(f"SELECT label FROM {codes} ORDER BY code", about)]
    kind = database.all(f"DESCRIBE {codes}", about)[0][1]
    if kind == "VARCHAR":  # DuckDB sorts text as Python does
        return Names(labels), codes
    if "JSON" in kind:
        try:
            labels = [_decoded(label) for label in labels]
        except (ValueError, RecursionError) as problem:
            raise RefusedError(f"{about!r} has a label that cannot be read ({first_line(problem)}); mend it.") from None
    return Names.of(labels), codes


def _decoded(label: Any) -> Any:
    return tuple(map(json.loads, label)) if isinstance(label, tuple) else json.loads(label)


def _combination(labels: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """Combine labels of several columns; None if one of them is NaN."""
    return None if any(label != label for label in labels) else labels
