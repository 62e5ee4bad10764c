"""The interface between tables and statistics: Statistic, and Counts with the sums it may use."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeAlias, TypeVar

from karat.errors import MeasureError, TableError, brief
from karat.tables.profile import Information, Profile, Sizes, Squares, Totals, formula

if TYPE_CHECKING:
    from karat.tables.moves import Moves
    from karat.tables.table import Table

SizeFormula: TypeAlias = Callable[[Any, Totals], Any]  # of the size of a class or cluster
CellFormula: TypeAlias = Callable[[Any, Any, Any, Totals], Any]  # of a cell's count, class size and cluster size


def count_itself(cell: Any, class_size: Any, cluster_size: Any, total: Totals) -> Any:
    """Return the cell's count; tables recognise this formula and skip the lookup of sizes."""
    return cell


K = TypeVar("K", bound="Statistic")


class Statistic(ABC):
    """The few numbers that one family of measures needs: scalars for a table, arrays for a stack of tables."""

    smooth = True  # differentiable in the cells; False if it depends on which cells are the largest
    needs_counts = False  # undefined for tables with fractional cells
    estimates_unseen = False  # its estimate depends on cells that the sample lacks: a caution where many are rare

    @classmethod
    @abstractmethod
    def of(cls, counts: Counts) -> Self:
        """The statistic of one table, or of each table of a stack."""

    @classmethod
    def expected(cls, counts: SingleTable, chances: ExpectedSizes) -> Self | None:
        """The exact expectation of the statistic under a null model with the sizes `chances`; None if not known."""
        return None

    @classmethod
    def with_joined_pairs(cls, table: SingleTable, both: int) -> Self | None:
        """The statistic if both sides joined this many pairs of items, with class and cluster sizes unchanged.

        None if it depends on more than that. Measures whose statistics all have it get exact p-values.
        """
        return None

    @classmethod
    def after(cls, moves: Moves) -> Self | None:
        """The statistic after each move, as arrays; None without a closed form, so that only a few moves are tried."""
        return None

    @classmethod
    def estimated(cls, table: Table) -> Self | None:
        """The bias-corrected estimate of the statistic in the population sampled; None if there is none."""
        return None

    @classmethod
    def leave_one_out(cls, table: Table, corrected: bool) -> Self | None:
        """Leave-one-out values: element i is the statistic without one item of cell i; None if undefined.

        corrected: the bias-corrected estimate in place of the plain statistic.
        """
        return None

    @classmethod
    def cross_fitted(cls, choosing: Half, judging: Half) -> Self | None:
        """The statistic of one half of the items, with the largest cells chosen on the other half.

        choosing: the half on which cells are chosen. judging: the half whose items are counted. None if the statistic
        chooses no cells.
        """
        return None

    @classmethod
    def second_difference(cls, table: Table) -> Self | None:
        """Second differences of the estimate, one for each distinct cell size; None if they are negligible."""
        return None


class Half(NamedTuple):
    """One half of the items of a table, in the cells of the whole table; some counts may be 0."""

    rows: Any
    cols: Any
    counts: Any
    class_sizes: Any
    cluster_sizes: Any
    n: Any


class ExpectedSizes(NamedTuple):
    """Expected numbers of classes and clusters of each size under a null model; None: as in the table."""

    classes: Sizes | None = None
    clusters: Sizes | None = None

    def of(self, counts: SingleTable) -> tuple[Sizes, Sizes]:
        """The expected sizes of classes and clusters, or the table's own where the model keeps them fixed."""
        profile = counts.profile
        return self.classes or profile.classes, self.clusters or profile.clusters


class Counts(ABC):
    """Sums over classes, clusters and cells: numbers for one table, arrays for a Stack.

    A formula is plain arithmetic. All its arguments have shapes that broadcast with each other, whether they are of
    one table or of many; the last one has n and the numbers of classes and clusters.
    """

    n: Any  # the number of items, or their total weight
    shape: tuple[Any, Any]  # how many classes and how many clusters
    nonempty_cells: Any  # how many cells are not empty
    integral: bool  # whether the cells are counts; one fractional cell makes a table real-valued throughout
    squares: Squares  # sums of squared cells, class sizes and cluster sizes
    information: Information  # the entropies, in nats
    largest: tuple[Any, Any]  # the sizes of the largest class and of the largest cluster
    loses_precision: bool = False  # double precision is not enough for this Stack: score it table by table

    @property
    def ordered_pairs(self) -> Squares:
        """Sums of h(h-1) over cells, classes and clusters: the ordered pairs of different items within each."""
        return Squares(*(squares - self.n for squares in self.squares))

    @abstractmethod
    def class_total(self, f: SizeFormula) -> Any:
        """The sum over classes of f(size, totals)."""

    @abstractmethod
    def cluster_total(self, f: SizeFormula) -> Any:
        """The sum over clusters of f(size, totals)."""

    @abstractmethod
    def cell_total(self, f: CellFormula) -> Any:
        """The sum over cells of f(count, class size, cluster size, totals)."""

    @abstractmethod
    def class_best(self, f: CellFormula) -> Any:
        """The sum over classes of the largest f(count, class size, cluster size, totals) among their cells."""

    @abstractmethod
    def cluster_best(self, f: CellFormula) -> Any:
        """The sum over clusters of the largest f(count, class size, cluster size, totals) among their cells."""

    @abstractmethod
    def matched(self, *, greedy: bool = False) -> Any:
        """Items in the maximum-weight, or the greedy, one-to-one matching of classes and clusters."""

    @abstractmethod
    def expand(self) -> tuple[Any, Any]:
        """A class code and a cluster code for every item."""

    @abstractmethod
    def each(self, f: Callable[[Any], Any]) -> Any:
        """f(table); for a Stack, an array with f of each of its tables."""

    def need_counts(self, purpose: str) -> None:
        """Raise TableError if the table has fractional cells; purpose says what needs counts."""
        if not self.integral:
            raise TableError(
                f"{purpose} needs integer counts of items, but this table has fractional cells; round them."
            )

    @cached_property
    def _remembered(self) -> dict[Hashable, Any]:
        return {}

    def statistic(self, kind: type[K]) -> K:
        """The statistic of that kind, computed once and cached."""
        if not (isinstance(kind, type) and issubclass(kind, Statistic)):
            raise MeasureError(f"{brief(kind)} is not a Statistic; give a class derived from karat.Statistic.")
        return self.remember(kind, lambda: kind.of(self))  # type: ignore[no-any-return]

    def remember(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """The cached value for this key; make() computes it the first time."""
        if key not in self._remembered:
            self._remembered[key] = make()
        return self._remembered[key]


class SingleTable(Counts):
    """One table, whose sums over sizes follow from its profile."""

    profile: Profile

    @property
    def n(self) -> Any:
        """The number of items, or their total weight."""
        return self.profile.n

    @property
    def shape(self) -> tuple[int, int]:  # type: ignore[override]
        """How many classes and how many clusters."""
        return self.profile.shape

    @property
    def nonempty_cells(self) -> Any:
        """How many cells are not empty."""
        return self.profile.cells.number

    @property
    def integral(self) -> bool:  # type: ignore[override]
        """Whether the cells are counts."""
        return self.profile.unit == 1

    @property
    def squares(self) -> Squares:  # type: ignore[override]
        """Sums of squared cells, class sizes and cluster sizes."""
        return self.profile.squares

    @property
    def information(self) -> Information:  # type: ignore[override]
        """The entropies, in nats."""
        return self.profile.information

    @property
    def largest(self) -> tuple[Any, Any]:  # type: ignore[override]
        """The sizes of the largest class and of the largest cluster."""
        return self.profile.largest

    @property
    def totals(self) -> Totals:
        """n and the numbers of classes and clusters, as formulas take them."""
        return Totals(self)

    def class_total(self, f: SizeFormula) -> Any:
        """The sum over classes of f(size, totals)."""
        return self.profile.class_total(f)

    def cluster_total(self, f: SizeFormula) -> Any:
        """The sum over clusters of f(size, totals)."""
        return self.profile.cluster_total(f)

    def each(self, f: Callable[[Any], Any]) -> Any:
        """f(table)."""
        return formula(f)(self)
