"""A clustering whose cells stay in the engine: only histograms of sizes and sums come out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import narwhals as nw
import numpy as np

from karat.alignment import Policy
from karat.counts import CellFormula, Profiled, count_itself
from karat.engines.dialects import Lazy, collected
from karat.engines.queries import COUNT, GOLD, PRED, margin, number, sizes, with_margins
from karat.errors import TableError
from karat.profile import Profile, exact_sum


@dataclass(frozen=True, eq=False, repr=False)
class EngineCounts(Profiled):
    """Counts of a table of which the cells are too many to collect."""

    cells: Lazy
    policy: Policy
    engine: str

    @cached_property
    def profile(self) -> Profile:  # type: ignore[override]
        """The sizes of cells, classes and clusters, by two group-bys each."""
        return Profile(sizes(self.cells), sizes(margin(self.cells, GOLD)), sizes(margin(self.cells, PRED)))

    def __repr__(self) -> str:
        return f"<EngineCounts: {self.n:,} items in {self.filled:,} cells, in {self.engine}>"

    def cell_total(self, f: CellFormula) -> Any:
        """The sum over cells, from how many there are of each count and size that f looks at."""
        sides = _sides_of(f)
        keys = [COUNT, *(f"{side}_size" for side in sides)]
        found = collected(with_margins(self.cells, sides).group_by(*keys).agg(nw.len().alias("times")))
        counts, times = np.array(found[COUNT], dtype=np.int64), np.array(found["times"], dtype=np.int64)
        ones = np.ones_like(counts)
        held = [np.array(found[f"{s}_size"], dtype=np.int64) if s in sides else ones for s in (GOLD, PRED)]
        return exact_sum(np.asarray(f(counts, *held) * times))

    def class_best(self, f: CellFormula) -> Any:
        """The sum over classes of their best cells."""
        return self._best(f, GOLD)

    def cluster_best(self, f: CellFormula) -> Any:
        """The sum over clusters of their best cells."""
        return self._best(f, PRED)

    def _best(self, f: CellFormula, side: str) -> Any:
        """The formula is arithmetic, so the engine's own columns go through it."""
        if f is count_itself:
            return int(number(self._largest(self.cells, side, nw.col(COUNT)), nw.col("best").sum()))
        cells = with_margins(self.cells, (GOLD, PRED))
        held = [nw.col(name).cast(nw.Float64) for name in (COUNT, f"{GOLD}_size", f"{PRED}_size")]
        return float(number(self._largest(cells, side, f(*held)), nw.col("best").sum()))

    def _largest(self, cells: Lazy, side: str, value: Any) -> Lazy:
        return cells.with_columns(value.alias("value")).group_by(side).agg(nw.col("value").max().alias("best"))

    def matched(self, *, greedy: bool = False) -> Any:
        """Not without all cells."""
        cells = f"{self.filled:,} cells"
        raise TableError(f"a one-to-one map needs all {cells}, which stay in {self.engine}; leave it out.")

    def expand(self) -> tuple[Any, Any]:
        """Not without all items."""
        raise TableError(f"a list of items needs all of them, which stay in {self.engine}; collect them first.")

    def each(self, f: Callable[[Any], Any]) -> Any:
        """f of this table."""
        return f(self)


def _sides_of(f: CellFormula) -> tuple[str, ...]:
    """Which sizes a formula looks at, tried on numbers: most look at one, and pairs are far fewer than triples."""
    cell, first, second, other = (np.array([x]) for x in (3.0, 7.0, 11.0, 13.0))
    value = f(cell, first, second)
    by_class, by_cluster = f(cell, other, second) != value, f(cell, first, other) != value
    return (*((GOLD,) if by_class else ()), *((PRED,) if by_cluster else ()))
