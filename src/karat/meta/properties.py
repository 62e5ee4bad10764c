"""Properties of a good measure, each with cases that may break it.

A case is a few tables; a property is checked on the measure's values of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import islice, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karat.chance.draws import Draws
from karat.chance.expectations import expected
from karat.chance.nulls import Model
from karat.errors import KaratError, brief, nearest
from karat.measures.constraints import CONSTRAINTS
from karat.measures.registry import Measure
from karat.meta import constraints
from karat.meta.desiderata import DESIDERATA, TIE, oriented
from karat.meta.families import Family
from karat.meta.partitions import Matrix, crossed, partitions
from karat.tables.stack import Stack
from karat.tables.table import Table

Floats = NDArray[np.float64]
Case = tuple[Matrix, ...]

NEAR = 1e-9  # relative to the size of the values
DRIFT = 0.02  # by which a baseline or an estimate may vary, relative to its distance from the best value


@dataclass(frozen=True)
class Property:
    """A property, its test cases, and the check of a measure's values in each case."""

    name: str
    says: str
    tables: tuple[str, ...]  # what the tables of a case are called
    cases: Callable[[int], Iterator[Case]]  # given the number of random backgrounds
    kept: Callable[[Floats, Measure, Sequence[Case]], NDArray[np.bool_]]
    values: Callable[[Measure, Sequence[Case]], Floats] | None = None  # None: the scores of the tables
    fits: Callable[[Measure], bool] = lambda measure: measure.better is not None

    @cache  # noqa: B019 (a few dozen properties, which live as long as the module)
    def tried(self, tries: int) -> tuple[Case, ...]:
        """The cases, generated once."""
        return tuple(self.cases(tries))

    def score(self, measure: Measure, cases: Sequence[Case]) -> Floats:
        """The values of the measure, a row for each case."""
        if self.values is not None:
            return self.values(measure, cases)
        flat = [table for case in cases for table in case]
        return scores(measure, flat).reshape(len(cases), -1)


def scores(measure: Measure, tables: Sequence[Matrix]) -> Floats:
    """The values of a measure for many tables of integral counts, at once where possible."""
    if measure.function is not None or measure.inner is not None:
        return np.array([measure.of(Table.from_matrix(table)) for table in tables], dtype=np.float64)
    shape = np.max([table.shape for table in tables], axis=0)
    stack = np.zeros((len(tables), *shape))
    for index, table in enumerate(tables):
        stack[index, : table.shape[0], : table.shape[1]] = table
    return np.asarray(measure.of(Stack(stack)), dtype=np.float64)


def _better(values: Floats, measure: Measure, cases: Sequence[Case]) -> NDArray[np.bool_]:
    worse, better = oriented(values, measure).T
    return np.asarray(better - worse > TIE * np.maximum(1, np.abs(values).max(axis=1)))


def _same(values: Floats, measure: Measure, cases: Sequence[Case]) -> NDArray[np.bool_]:
    return np.asarray(np.ptp(values, axis=1) <= NEAR * np.maximum(1, np.abs(values).max(axis=1)))


def _inside(values: Floats, measure: Measure, cases: Sequence[Case]) -> NDArray[np.bool_]:
    low, high = measure.bounds
    return np.asarray((values[:, 0] >= low - NEAR) & (values[:, 0] <= high + NEAR))


def _distances(values: Floats, measure: Measure) -> Floats:
    """The absolute differences of the values from the best value."""
    return np.abs(float(best_value(measure) or 0) - values)


@lru_cache(maxsize=1000)
def best_value(measure: Measure) -> float | None:
    """The score of gold against itself: as declared, else as measured if it is constant; else None."""
    if measure.perfect is not None:
        return float(measure.perfect)
    try:
        values = scores(measure, [np.diag(sizes) for sizes in ((1, 1), (3, 2), (4, 4, 4), (5, 1, 1, 2))])
    except Exception:  # a user's function may raise anything
        return None
    return float(values[0]) if np.ptp(values) <= NEAR and np.isfinite(values).all() else None


def _triangle(values: Floats, measure: Measure, cases: Sequence[Case]) -> NDArray[np.bool_]:
    ab, bc, ac = _distances(values, measure).T
    return np.asarray(ac <= ab + bc + NEAR)


def _local(values: Floats, measure: Measure, cases: Sequence[Case]) -> NDArray[np.bool_]:
    whole, part = _distances(values, measure).T
    share = np.array([case[1].sum() / case[0].sum() for case in cases])
    return np.asarray(np.abs(whole - share * part) <= NEAR * np.maximum(1, whole))


def _transposed(tries: int) -> Iterator[Case]:
    for table in _tables(tries):
        yield table, table.T


def _tables(tries: int) -> Iterator[Matrix]:
    """The tables of all partitions of up to four items, and random tables of more items."""
    for n in range(1, 5):
        for gold, pred in product(partitions(n), repeat=2):
            yield crossed(gold, pred)
    rng = np.random.default_rng(3)
    for _ in range(10 * tries):
        n = int(rng.integers(5, 40))
        some, other = (rng.integers(0, rng.integers(1, 7), size=n) for _ in range(2))
        yield crossed(_dense(some), _dense(other))


def _dense(labels: NDArray[Any]) -> NDArray[np.int64]:
    return np.asarray(np.unique(labels, return_inverse=True)[1])


def _copies(tries: int) -> Iterator[Case]:
    for table in _tables(tries):
        yield table, 2 * table, 5 * table


def _triples(tries: int) -> Iterator[Case]:
    for n in (3, 4):
        for a, b, c in product(partitions(n), repeat=3):
            yield crossed(a, b), crossed(b, c), crossed(a, c)


def _splits(tries: int) -> Iterator[Case]:
    """A clustering against itself with one cluster split, and that cluster alone against its split."""
    for n in (4, 5, 6):
        for before in islice(partitions(n), 0, None, 1 if n < 6 else 5):
            members = [index for index, block in enumerate(before) if block == 0]
            for inside in partitions(len(members)):
                if max(inside) == 0:
                    continue
                after = list(before)
                for index, part in zip(members, inside, strict=True):
                    after[index] = max(before) + part if part else 0
                yield crossed(before, tuple(after)), crossed((0,) * len(members), inside)


CLUSTERS = (2, 3, 6, 12, 18)


def _random_sizes(tries: int) -> Iterator[Case]:
    """Gold with three classes, and increasing numbers of clusters of equal sizes."""
    for sizes in ((12, 12, 12), (24, 6, 6)):
        yield tuple(_equal_clusters(sizes, number) for number in CLUSTERS)


def _equal_clusters(sizes: Sequence[int], number: int) -> Matrix:
    gold = np.repeat(np.arange(len(sizes)), sizes)
    return crossed(gold, np.arange(gold.size) % number)


def _chance_levels(measure: Measure, cases: Sequence[Case]) -> Floats:
    """The expected scores of shuffled labels: exact where known, else the mean over random tables."""
    return np.array([[_chance_level(measure, Table.from_matrix(table)) for table in case] for case in cases])


def _chance_level(measure: Measure, table: Table) -> float:
    known = None if measure.function is not None else expected(measure, table)
    if known is not None:
        return known
    draws = 2000 if measure.function is None else 400
    return float(np.mean(Draws(Model(), draws, 0).values(measure, table)))


def _level(values: Floats, measure: Measure, cases: Sequence[Case]) -> NDArray[np.bool_]:
    """Whether values vary little, relative to their distance from the score of gold against itself."""
    gold = scores(measure, [np.diag(case[0].sum(axis=1)) for case in cases])
    scale = np.abs(gold[:, None] - values).max(axis=1)
    return np.asarray(np.ptp(values, axis=1) <= DRIFT * scale + NEAR)


def _samples(tries: int) -> Iterator[Case]:
    """The table of a population and of a small sample of it, for increasing numbers of clusters."""
    for number in (2, 5, 10, 20):
        member = Family(classes=5, useful=number, error_1=0.3)
        yield (
            np.rint(1e6 * member.distribution).astype(np.int64),
            member.sample(100, seed=0).tables[0].astype(np.int64),
        )


def _estimates(measure: Measure, cases: Sequence[Case]) -> Floats:
    """For each case the value in the population, and the mean over 200 samples of 100 items."""
    values = []
    for population, _ in cases:
        p = population.ravel() / population.sum()
        drawn = np.random.default_rng(0).multinomial(100, p, size=200).reshape(200, *population.shape)
        means = scores(measure, [table[table.any(axis=1)][:, table.any(axis=0)] for table in drawn])
        values.append([scores(measure, [population])[0], float(means.mean())])
    return np.array(values)


def _rated(measure: Measure) -> bool:
    return measure.better is not None and best_value(measure) is not None


def _any(measure: Measure) -> bool:
    return True


def _pair(name: str, says: str, cases: Callable[[int], Iterator[Case]]) -> Property:
    return Property(name, says, ("worse", "better"), cases, _better)


def _says(function: Callable[..., Any]) -> str:
    """The sentence of a constraint that measures declare to break, else the first line of the docstring."""
    declared = CONSTRAINTS.get(function.__name__, "")
    return declared[:1].upper() + declared[1:] or (function.__doc__ or "").split("\n")[0].rstrip(".")


_CONSTRAINTS = (
    constraints.homogeneity, constraints.completeness, constraints.rag_bag, constraints.size_quantity,
    constraints.only_gold, constraints.one_cluster, constraints.singletons, constraints.no_knowledge,
    constraints.shuffled,
)  # fmt: skip

PROPERTIES: tuple[Property, ...] = (
    *(_pair(d.name, d.says, lambda tries, d=d: constraints.steps(d)) for d in DESIDERATA),  # type: ignore[misc]
    *(_pair(function.__name__, _says(function), function) for function in _CONSTRAINTS),
    Property(
        "symmetry", "Swapping gold and predicted changes nothing", ("table", "swapped"), _transposed, _same, fits=_any
    ),
    Property(
        "bounds", "The score is between its declared bounds", ("table",), lambda tries: ((t,) for t in _tables(tries)),
        _inside, fits=_any,
    ),
    Property(
        "triangle", "As a distance, it obeys the triangle inequality", ("a and b", "b and c", "a and c"), _triples,
        _triangle, fits=_rated,
    ),
    Property(
        "n_invariance", "Copies of all items change nothing", ("once", "twice", "five times"), _copies, _same, fits=_any
    ),
    Property(
        "convex_additivity", "Splitting a cluster costs what its split costs alone, times its share of the items",
        ("all items", "the cluster alone"), _splits, _local, fits=_rated,
    ),
    Property(
        "baseline", "Random clusterings get the same score on average, however many clusters they have",
        tuple(f"{k} clusters" for k in CLUSTERS), _random_sizes, _level, _chance_levels, _any,
    ),
    Property(
        "small_samples", "A sample of 100 items gets the score of its population, on average",
        ("population", "samples, of which one is shown"), _samples, _level, _estimates, _any,
    ),
)  # fmt: skip


def find_property(name: str) -> Property:
    """The property with this name."""
    known = {item.name: item for item in PROPERTIES}
    if name not in known:
        hint = nearest(name, known) or "karat audit ari shows them all."
        raise KaratError(f"there is no property {brief(name)}; {hint}")
    return known[name]
