"""A clustering whose cells stay in the engine: only histograms of sizes and sums come out."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self
from weakref import finalize

import numpy as np

from karat.errors import TableError
from karat.labels.policy import Policy
from karat.sources.engines.cells import Cells
from karat.sources.engines.queries import COUNT, GOLD, PRED
from karat.tables.counts import CellFormula, SingleTable
from karat.tables.profile import Profile, exact_sum


@dataclass(frozen=True, eq=False, repr=False)
class EngineCounts(SingleTable):
    """Counts of a table whose cells are too many to collect; close() lets the engine forget them.

    It is a context manager, and the cells are forgotten too when nothing refers to the object any more.
    """

    cells: Cells
    policy: Policy
    engine: str

    def __post_init__(self) -> None:
        finalizer = finalize(self, _closed, self.cells)
        finalizer.atexit = False  # the engine ends with the program
        self.__dict__["_forget"] = finalizer

    def close(self) -> None:
        """Let the engine forget the cells; what was worked out from them stays."""
        self.__dict__["_forget"]()

    def __copy__(self) -> Self:
        return self  # the cells belong to one object, and go with it

    def __deepcopy__(self, memo: Any) -> Self:
        return self

    def __reduce__(self) -> Any:
        return EngineCounts, (self.cells, self.policy, self.engine)

    def _ask(self, question: Callable[[], Any]) -> Any:
        """An answer of the engine, if it still has the cells."""
        if not self.__dict__["_forget"].alive:
            raise TableError(f"the cells in {self.engine} were given back by close(); score the frame again.")
        return question()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()

    @cached_property
    def profile(self) -> Profile:  # type: ignore[override]
        """The sizes of cells, classes and clusters, by two group-bys each."""
        found: Profile = self._ask(lambda: Profile(self.cells.sizes(), self.cells.sizes(GOLD), self.cells.sizes(PRED)))
        return found

    def __repr__(self) -> str:
        return f"<EngineCounts: {self.n:,} items in {self.nonempty_cells:,} cells, in {self.engine}>"

    def cell_total(self, f: CellFormula) -> Any:
        """The sum over cells, from how many there are of each count and size that f looks at."""
        sides = _sides_of(f)
        found = self._ask(lambda: self.cells.groups(sides))
        counts, times = np.array(found[COUNT], dtype=np.int64), np.array(found["times"], dtype=np.int64)
        ones = np.ones_like(counts)
        held = [np.array(found[f"{s}_size"], dtype=np.int64) if s in sides else ones for s in (GOLD, PRED)]
        return exact_sum(np.asarray(f(counts, *held) * times))

    def class_best(self, f: CellFormula) -> Any:
        """The sum over classes of their best cells."""
        return self._ask(lambda: self.cells.best(f, GOLD))

    def cluster_best(self, f: CellFormula) -> Any:
        """The sum over clusters of their best cells."""
        return self._ask(lambda: self.cells.best(f, PRED))

    def matched(self, *, greedy: bool = False) -> Any:
        """Not without all cells."""
        cells = f"{self.nonempty_cells:,} cells"
        raise TableError(f"a one-to-one map needs all {cells}, which stay in {self.engine}; leave it out.")

    def expand(self) -> tuple[Any, Any]:
        """Not without all items."""
        raise TableError(f"a list of items needs all of them, which stay in {self.engine}; collect them first.")

    def each(self, f: Callable[[Any], Any]) -> Any:
        """f of this table."""
        return f(self)


def _closed(cells: Cells) -> None:
    """Forget the cells, unless the engine has gone already."""
    with suppress(Exception):
        cells.close()


def _sides_of(f: CellFormula) -> tuple[str, ...]:
    """Which sizes a formula looks at, tried on numbers: most look at one, and pairs are far fewer than triples."""
    cell, first, second, other = (np.array([x]) for x in (3.0, 7.0, 11.0, 13.0))
    value = f(cell, first, second)
    by_class, by_cluster = f(cell, other, second) != value, f(cell, first, other) != value
    return (*((GOLD,) if by_class else ()), *((PRED,) if by_cluster else ()))
