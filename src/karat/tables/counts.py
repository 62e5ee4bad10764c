"""What a statistic is, and what it may ask of a clustering."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable
from functools import cached_property
from typing import Any, NamedTuple, Self, TypeAlias, TypeVar

from karat.errors import TableError
from karat.tables.profile import Information, Profile, Sizes, Squares

SizeFormula: TypeAlias = Callable[[Any], Any]  # of the size of a class or cluster
CellFormula: TypeAlias = Callable[[Any, Any, Any], Any]  # of a cell's count, its class's and its cluster's size


def count_itself(cell: Any, class_size: Any, cluster_size: Any) -> Any:
    """The formula that is the cell's count: a table need not look up the sizes for it."""
    return cell


K = TypeVar("K", bound="Statistic")


class Statistic(ABC):
    """The few numbers that one family of measures needs: scalars for a table, arrays for a stack of tables."""

    smooth = True  # a small change of the table changes it little, whichever cells are largest

    @classmethod
    @abstractmethod
    def of(cls, counts: Counts) -> Self:
        """The statistic of one table, or of each table of a stack."""

    @classmethod
    def expected(cls, counts: SingleTable, chances: ExpectedSizes) -> Self | None:
        """Its average over random clusterings with these sizes, where that is known."""
        return None

    @classmethod
    def estimated(cls, counts: Celled) -> Self | None:
        """What it would be in the population of which the items are a sample, where bias can be taken away."""
        return None

    @classmethod
    def leave_one_out(cls, counts: Celled, corrected: bool) -> Self | None:
        """Arrays over cells: what it is, or is estimated to be, less one item of the cell; None if it has no slope."""
        return None

    @classmethod
    def cross_fitted(cls, choosing: Half, judging: Half) -> Self | None:
        """The statistic of some items with the largest cells that others have chosen; None if no cells are chosen."""
        return None

    @classmethod
    def second_difference(cls, counts: Celled) -> Self | None:
        """Arrays over sizes of cells: how much more a second item of the cell changes the estimate; None: hardly."""
        return None


class Half(NamedTuple):
    """Some of the items of a table: the same cells, with smaller counts."""

    rows: Any
    cols: Any
    counts: Any
    class_sizes: Any
    cluster_sizes: Any
    n: Any


class ExpectedSizes(NamedTuple):
    """How many classes and clusters of each size random clusterings have on average; None: as they are."""

    classes: Sizes | None = None
    clusters: Sizes | None = None

    def of(self, counts: SingleTable) -> tuple[Sizes, Sizes]:
        """The average sizes of both sides."""
        profile = counts.profile
        return self.classes or profile.classes, self.clusters or profile.clusters


class Counts(ABC):
    """Sums over sizes, over cells, and of best cells; a Stack gives an array wherever a table gives a number."""

    n: Any  # the number of items, or their total weight
    shape: tuple[Any, Any]  # how many classes and how many clusters
    nonempty_cells: Any  # how many cells are not empty
    integral: bool  # whether the cells are counts; one fractional cell makes a table real-valued throughout
    squares: Squares  # sums of squared cells, class sizes and cluster sizes
    information: Information  # the entropies, in nats
    largest: tuple[Any, Any]  # the sizes of the largest class and of the largest cluster
    loses_precision: bool = False  # a Stack that would lose digits: to be scored table by table

    @abstractmethod
    def class_total(self, f: SizeFormula) -> Any:
        """The sum over classes of f(size)."""

    @abstractmethod
    def cluster_total(self, f: SizeFormula) -> Any:
        """The sum over clusters of f(size)."""

    @abstractmethod
    def cell_total(self, f: CellFormula) -> Any:
        """The sum over cells of f(count, class size, cluster size)."""

    @abstractmethod
    def class_best(self, f: CellFormula) -> Any:
        """The sum over classes of the largest f(count, class size, cluster size) among their cells."""

    @abstractmethod
    def cluster_best(self, f: CellFormula) -> Any:
        """The sum over clusters of the largest f(count, class size, cluster size) among their cells."""

    @abstractmethod
    def matched(self, *, greedy: bool = False) -> Any:
        """Items in the heaviest, or the greedily chosen, one-to-one map of classes and clusters."""

    @abstractmethod
    def expand(self) -> tuple[Any, Any]:
        """A class code and a cluster code for every item."""

    @abstractmethod
    def each(self, f: Callable[[Any], Any]) -> Any:
        """f of this table; of a Stack, table by table."""

    def need_counts(self, purpose: str) -> None:
        """Refuse a real-valued table for what only counts can give."""
        if not self.integral:
            raise TableError(f"{purpose} needs whole counts of items, but this table has fractional cells; round them.")

    @cached_property
    def _remembered(self) -> dict[Hashable, Any]:
        return {}

    def statistic(self, kind: type[K]) -> K:
        """The statistic of that kind, worked out at most once."""
        return self.remember(kind, lambda: kind.of(self))  # type: ignore[no-any-return]

    def remember(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """What make() gave when it was first asked for under this key."""
        if key not in self._remembered:
            self._remembered[key] = make()
        return self._remembered[key]


class SingleTable(Counts):
    """One clustering, whose sums over sizes follow from its profile."""

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

    def class_total(self, f: SizeFormula) -> Any:
        """The sum over classes of f(size)."""
        return self.profile.class_total(f)

    def cluster_total(self, f: SizeFormula) -> Any:
        """The sum over clusters of f(size)."""
        return self.profile.cluster_total(f)

    def each(self, f: Callable[[Any], Any]) -> Any:
        """f of this table."""
        return f(self)


class Celled(SingleTable):
    """One clustering whose cells are at hand, as arrays."""

    rows: Any  # the class of each cell
    cols: Any  # the cluster of each cell
    counts: Any  # how many items each holds
    class_sizes: Any
    cluster_sizes: Any
