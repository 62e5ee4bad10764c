"""EngineCounts: a table whose cells stay in the engine; only histograms of sizes and sums are collected."""

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
from karat.tables.profile import Profile, Totals, exact_sum_of_products


@dataclass(frozen=True, eq=False, repr=False)
class EngineCounts(SingleTable):
    """A table whose cells are too many to collect; close() releases them in the engine.

    It is a context manager. The cells are also released when the object is garbage-collected.
    """

    cells: Cells
    policy: Policy
    engine: str

    def __post_init__(self) -> None:
        finalizer = finalize(self, _close, self.cells)
        finalizer.atexit = False  # the engine ends with the process
        self.__dict__["_release"] = finalizer

    def close(self) -> None:
        """Release the cells in the engine; statistics computed before stay available."""
        self.__dict__["_release"]()

    def __copy__(self) -> Self:
        return self  # one object owns the cells, and releases them

    def __deepcopy__(self, memo: Any) -> Self:
        return self

    def __reduce__(self) -> Any:
        return EngineCounts, (self.cells, self.policy, self.engine)

    def _ask(self, query: Callable[[], Any]) -> Any:
        """The result of a query, refused after close()."""
        if not self.__dict__["_release"].alive:
            raise TableError(f"the cells in {self.engine} were released by close(); score the frame again.")
        return query()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()

    @cached_property
    def profile(self) -> Profile:  # type: ignore[override]
        """Histograms of the sizes of cells, classes and clusters, by two group-bys each."""
        profile: Profile = self._ask(
            lambda: Profile(self.cells.sizes(), self.cells.sizes(GOLD), self.cells.sizes(PRED))
        )
        return profile

    def __repr__(self) -> str:
        return f"<EngineCounts: {self.n:,} items in {self.nonempty_cells:,} cells, in {self.engine}>"

    def cell_total(self, f: CellFormula) -> Any:
        """The sum of f over cells, from the distinct combinations of the sizes that f depends on."""
        sides = _sides_of(f, self.totals)
        groups = self._ask(lambda: self.cells.groups(sides))
        counts, times = np.array(groups[COUNT], dtype=np.int64), np.array(groups["times"], dtype=np.int64)
        ones = np.ones_like(counts)
        gold, pred = (np.array(groups[f"{s}_size"], dtype=np.int64) if s in sides else ones for s in (GOLD, PRED))
        return exact_sum_of_products(np.asarray(f(counts, gold, pred, self.totals)), times)

    def class_best(self, f: CellFormula) -> Any:
        """The sum over classes of the maximum of f over their cells."""
        return self._ask(lambda: self.cells.best(f, GOLD, self.totals))

    def cluster_best(self, f: CellFormula) -> Any:
        """The sum over clusters of the maximum of f over their cells."""
        return self._ask(lambda: self.cells.best(f, PRED, self.totals))

    def matched(self, *, greedy: bool = False) -> Any:
        """Unsupported: matching needs all cells."""
        cells = f"{self.nonempty_cells:,} cells"
        raise TableError(f"a one-to-one map needs all {cells}, which stay in {self.engine}; leave it out.")

    def expand(self) -> tuple[Any, Any]:
        """Unsupported: the items stay in the engine."""
        raise TableError(f"a list of items needs all of them, which stay in {self.engine}; collect them first.")

    def each(self, f: Callable[[Any], Any]) -> Any:
        """Apply f to this table."""
        return f(self)


def _close(cells: Cells) -> None:
    """Release the cells; an engine that has ended is no error."""
    with suppress(Exception):
        cells.close()


class _Unknown:
    """Stands for an argument of a formula; arithmetic and comparisons with it raise TypeError."""

    __array_ufunc__ = None  # so that arrays leave the operation to this class, which has none
    __hash__ = None  # type: ignore[assignment] # since it has no equality

    def __eq__(self, other: object) -> bool:
        raise TypeError

    def __bool__(self) -> bool:
        raise TypeError


def _sides_of(f: CellFormula, totals: Totals) -> tuple[str, ...]:
    """The margins that a formula uses: it fails where they are unknown.

    Most formulas use one margin, and distinct pairs (count, size) are far fewer than triples.
    """
    one, unknown = np.ones(1), _Unknown()
    arguments: dict[str, tuple[Any, Any]] = {GOLD: (unknown, one), PRED: (one, unknown)}
    return tuple(side for side, sizes in arguments.items() if not _works(f, one, *sizes, totals))


def _works(f: CellFormula, *arguments: Any) -> bool:
    try:
        f(*arguments)
    except Exception:  # of any type that a formula makes of the TypeError
        return False
    return True
