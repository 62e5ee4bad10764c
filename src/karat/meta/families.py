"""Parametric tables: Dom (2001, section 6.1), and Rosenberg & Hirschberg (2007, section 4).

Useful clusters are matched to useful classes by Dom's ceiling rule. Of the probability, error 1 goes to useful pairs
that are not matched, error 2 to noise clusters, error 3 to noise classes, the rest to matched pairs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from numbers import Real
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from karat.errors import KaratError, brief
from karat.measures.registry import Measure
from karat.tables.profile import Squares
from karat.tables.stack import Stack
from karat.tables.table import Table
from karat.uncertainty.sampling import check_seed

Floats = NDArray[np.float64]
Spread: TypeAlias = Literal["classes", "cells"]

PARAMETERS = ("useful", "noise", "noise_classes", "error_1", "error_2", "error_3")


@dataclass(frozen=True)
class Family:
    """One member of the family: its parameters, and the distribution of an item's class and cluster.

    spread says how a share of the probability is distributed: evenly over "classes" (Dom), or evenly over "cells"
    (Rosenberg & Hirschberg); they differ where classes have different numbers of clusters.

    >>> (100 * Family(classes=2, useful=2, noise=1, error_1=0.1, error_2=0.2).distribution).round(1).tolist()
    [[35.0, 5.0, 10.0], [5.0, 35.0, 10.0]]
    """

    classes: int = 5  # useful classes
    useful: int = 5  # useful clusters
    noise: int = 0  # noise clusters
    noise_classes: int = 0
    error_1: float = 0.0
    error_2: float = 0.0
    error_3: float = 0.0
    spread: Spread = "classes"

    def __post_init__(self) -> None:
        for name, low in (("classes", 1), ("useful", 1), ("noise", 0), ("noise_classes", 0)):
            value = getattr(self, name)
            if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or value < low:
                raise KaratError(f"{name}={brief(value)} is not a number of classes or clusters; give {low} or more.")
        errors = [self.error_1, self.error_2, self.error_3]
        if (
            not all(isinstance(e, Real) and math.isfinite(e) for e in errors)
            or min(errors) < 0
            or sum(errors) > 1 + 1e-9
        ):
            raise KaratError(f"errors {errors} do not leave a probability; give shares that add up to at most 1.")
        if self.spread not in ("classes", "cells"):
            raise KaratError(f"spread={brief(self.spread)} is not known; use 'classes' or 'cells'.")

    @property
    def valid(self) -> bool:
        """Whether noise clusters and classes have probability, and every error has cells to go to."""
        noise = (self.noise == 0) == (self.error_2 == 0) and (self.noise_classes == 0) == (self.error_3 == 0)
        return noise and (self.error_1 == 0 or min(self.classes, self.useful) > 1)

    @cached_property
    def distribution(self) -> Floats:
        """p(c, k): useful classes before noise classes, useful clusters before noise clusters."""
        size, clusters = self.classes + self.noise_classes, self.useful + self.noise
        p = np.zeros((size, clusters))
        useful = p[: self.classes, : self.useful]
        matched = match(self.classes, self.useful)
        right = max(0.0, 1 - self.error_1 - self.error_2 - self.error_3)
        useful += _distributed(right, matched, self.spread) + _distributed(self.error_1, ~matched, self.spread)
        for error, part in (
            (self.error_2, p[: self.classes, self.useful :]),
            (self.error_3, p[self.classes :, : self.useful]),
        ):
            if part.size:
                part += error / part.size
        if abs(p.sum() - 1) > 1e-9:
            raise KaratError(
                f"{self} has an error share, but no cells that could hold it; give them clusters or classes."
            )
        return p

    def table(self, n: float) -> Table:
        """The table of expected counts of n items."""
        return Table.from_matrix(n * self.distribution)

    def sample(self, n: int, seed: int, times: int = 1) -> Stack:
        """Draw `times` tables of n items from the distribution."""
        p = self.distribution
        if not isinstance(n, (int, np.integer)) or n < 1 or not isinstance(times, (int, np.integer)) or times < 1:
            raise KaratError(
                f"n={brief(n)} items, {brief(times)} times, cannot be drawn; give whole numbers, 1 or more."
            )
        check_seed(seed)
        drawn = np.random.default_rng(seed).multinomial(n, (p / p.sum()).ravel(), size=times)
        return Stack(drawn.reshape(times, *p.shape))


def match(classes: int, clusters: int) -> NDArray[np.bool_]:
    """Which useful classes and clusters belong together, by the ceiling rule of Dom, section 6.1.

    >>> match(2, 3).astype(int).tolist()
    [[1, 1, 0], [0, 0, 1]]
    """
    if classes > clusters:
        return match(clusters, classes).T
    matched = np.zeros((classes, clusters), dtype=bool)
    done = 0
    for index in range(classes):
        size = -(-(clusters - done) // (classes - index))  # the ceiling of clusters left over classes left
        matched[index, done : done + size] = True
        done += size
    return matched


def _distributed(share: float, cells: NDArray[np.bool_], spread: Spread) -> Floats:
    """A share of the probability, spread evenly over cells, or over classes and then their cells."""
    if not cells.any():
        return np.zeros(cells.shape)
    if spread == "cells":
        return np.where(cells, share / cells.sum(), 0.0)
    each = cells.sum(axis=1, keepdims=True)
    return np.where(cells, share / (cells.shape[0] * np.maximum(each, 1)), 0.0)


@dataclass(frozen=True, eq=False, repr=False)
class Expected(Stack):
    """Expected tables n p with expected sums of squares, and so expected pairs (Dom, appendix A).

    E[h^2] = n(n-1) p^2 + n p for a cell h drawn n times, hence E[h(h-1)/2] = p^2 n(n-1)/2.
    """

    @property
    def squares(self) -> Squares:  # type: ignore[override]
        """The expected sums of squares."""
        n = self.n
        return Squares(*(sums * (n - 1) / n + n for sums in super().squares))

    @property
    def ordered_pairs(self) -> Squares:
        """The expected ordered pairs, from the expected sums of squares."""
        return Squares(*(squares - self.n for squares in self.squares))

    @property
    def loses_precision(self) -> bool:  # type: ignore[override]
        """False: scored one by one, these tables would lose their expected sums of squares."""
        return False


@dataclass(frozen=True, eq=False)
class Grid:
    """Members of the family with all valid combinations of some parameters, scored at once."""

    n: float
    members: tuple[Family, ...]

    @classmethod
    def of(cls, n: float, base: Family | None = None, **values: Sequence[Any]) -> Grid:
        """All valid combinations of the values of some parameters; the others are those of base."""
        base = base or Family()
        combined = (replace(base, **dict(zip(values, chosen, strict=True))) for chosen in product(*values.values()))
        return cls(n, tuple(member for member in combined if member.valid))

    def __len__(self) -> int:
        return len(self.members)

    @cached_property
    def stack(self) -> Expected:
        """The expected tables, padded to one shape."""
        if not self.members:
            raise KaratError(
                "no combination of these parameters is valid; give noise an error above 0, and errors noise."
            )
        shapes = np.array([member.distribution.shape for member in self.members])
        tables = np.zeros((len(self), *shapes.max(axis=0)))
        for index, member in enumerate(self.members):
            rows, cols = member.distribution.shape
            tables[index, :rows, :cols] = self.n * member.distribution
        return Expected(tables)

    def values(self, measure: Measure) -> Floats:
        """The value of a measure for each member."""
        return np.asarray(measure.of(self.stack), dtype=np.float64)

    def sequences(self, parameter: str) -> Iterator[list[int]]:
        """The indices of members that differ in one parameter only, in the order of its values."""
        by_rest: dict[Any, list[tuple[Any, int]]] = {}
        for index, member in enumerate(self.members):
            rest = tuple(getattr(member, name) for name in (*PARAMETERS, "classes", "spread") if name != parameter)
            by_rest.setdefault(rest, []).append((getattr(member, parameter), index))
        for indices in by_rest.values():
            yield [index for _, index in sorted(indices)]
