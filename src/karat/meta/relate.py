"""relate(): correlations of measures over systems or resamples, and which measures to choose."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from karat.errors import KaratError, Option, TableError
from karat.limits import RESAMPLES as MOST_RESAMPLES
from karat.measures.registry import Measure
from karat.output.layout import Layout, decimals
from karat.output.numbers import number
from karat.output.result import Result
from karat.scoring.arguments import evaluation_of
from karat.scoring.options import SAMPLING_DEFAULTS, DataOptions, data_options, verb
from karat.scoring.panels import MeasureLike, chosen_measures
from karat.tables.table import Table
from karat.uncertainty.resamples import resampled_values
from karat.uncertainty.sampling import Sampling, check_seed
from karat.version import __version__

Floats = NDArray[np.float64]

FEW = 5  # systems, below which resamples are used
AFFORDABLE = 20_000_000  # resampled counts, which take some ten seconds for the default measures
LEAST = 20  # resamples at least, however many cells there are
DEFAULT = (
    "purity", "inverse_purity", "f_measure", "bcubed_f", "rand", "ari", "jaccard", "fowlkes_mallows", "nmi(norm=min)",
    "nmi(norm=sqrt)", "v_measure", "nmi(norm=max)", "nmi(norm=joint)", "van_dongen_normalised", "nvi", "one_to_one",
)  # fmt: skip  # those of Kishida (2014) without nmi(norm=sum), which equals v_measure, and two more


@dataclass(frozen=True, eq=False, repr=False)
class Relation(Result):
    """The correlations of measures over observations; print it to read it."""

    measures: tuple[Measure, ...]
    values: Floats  # a row for each observation, with signs such that higher is better
    of: str  # what the observations are
    n: str = ""  # items of each system
    drawn: str = ""  # how observations were drawn, if they are resamples

    @property
    def signature(self) -> str:
        """How the correlations were computed, in one line."""
        measures = ",".join(m.full_text for m in self.measures)
        return f"measures:{measures}|over:{self.of}|n:{self.n}{self.drawn}|karat:{__version__}"

    @cached_property
    def correlations(self) -> Floats:
        """Pearson's r of every two measures; 0 where a measure is constant."""
        with np.errstate(invalid="ignore", divide="ignore"):
            r = np.atleast_2d(np.corrcoef(self.values.T))
        r = np.where(np.isfinite(r), r, 0.0)
        np.fill_diagonal(r, 1.0)
        return r

    @cached_property
    def linkage(self) -> Floats:
        """The tree of the measures by average linkage of 1 - r, as a SciPy linkage matrix."""
        from scipy.cluster.hierarchy import linkage
        from scipy.spatial.distance import squareform

        distances = np.maximum(1 - (self.correlations + self.correlations.T) / 2, 0)
        np.fill_diagonal(distances, 0)
        return np.asarray(linkage(squareform(distances, checks=False), "average"))

    def groups(self, number: int = 3) -> list[list[Measure]]:
        """The measures in `number` groups of correlated measures, the largest group first."""
        from scipy.cluster.hierarchy import fcluster

        codes = fcluster(self.linkage, min(number, len(self.measures)), "maxclust")
        grouped = [[self.measures[i] for i in np.flatnonzero(codes == code)] for code in np.unique(codes)]
        return sorted(grouped, key=len, reverse=True)

    def advice(self, number: int = 3) -> list[Measure]:
        """One measure of each of `number` groups: the one most correlated with the others of its group."""
        indices = {m: i for i, m in enumerate(self.measures)}
        chosen = []
        for group in self.groups(number):
            inside = [indices[m] for m in group]
            chosen.append(self.measures[inside[int(self.correlations[np.ix_(inside, inside)].sum(axis=1).argmax())]])
        return chosen

    def __repr__(self) -> str:
        return f"<Relation: {len(self.measures)} measures over {self.of}>"

    def layouts(self, digits: int = 2) -> list[Layout]:
        """The table of correlations, as the only one."""
        return [self.layout(digits)]

    def layout(self, digits: int = 2) -> Layout:
        """The table of correlations, correlated measures next to each other."""
        from scipy.cluster.hierarchy import leaves_list

        order = leaves_list(self.linkage).tolist()
        names = [str(self.measures[i]) for i in order]
        rows = [
            [name, *(decimals(self.correlations[i, j], digits) for j in order)]
            for name, i in zip(names, order, strict=True)
        ]
        groups = "; ".join(", ".join(map(str, group)) for group in self.groups())
        notes = [
            f"Correlations over {self.of}; measures of which lower is better have their sign changed.",
            f"Three groups of correlated measures: {groups}.",
            f"One measure can stand for each group: {', '.join(map(str, self.advice()))}.",
        ]
        return Layout(f"{len(names)} measures over {self.of}", ["measure", *names], rows, notes)

    def records(self) -> list[dict[str, Any]]:
        """One dict per two measures."""
        return [
            {"measure": str(a), "other": str(b), "r": float(self.correlations[i, j])}
            for i, a in enumerate(self.measures)
            for j, b in enumerate(self.measures)
            if i < j
        ]

    def to_dict(self) -> dict[str, Any]:
        """Everything, as plain values for JSON."""
        groups = [list(map(str, group)) for group in self.groups()]
        return {
            "observations": self.of,
            "correlations": self.records(),
            "groups": groups,
            "advice": list(map(str, self.advice())),
            "signature": self.signature,
        }


@verb(DataOptions)
def relate(
    data: object = None,
    other: object = None,
    measures: MeasureLike | Iterable[MeasureLike] | None = None,
    *,
    resamples: int = SAMPLING_DEFAULTS["resamples"],
    seed: int = SAMPLING_DEFAULTS["seed"],
    **options: Unpack[DataOptions],
) -> Relation:
    """Which measures agree on this data: correlations over systems, or over resamples of a few.

    Fewer than five systems are resampled (bootstrap). With `by`, each group of each system is an observation.

    >>> import karat
    >>> gold, pred = karat.examples.textbook()
    >>> relation = karat.relate(gold, pred, ["ari", "rand", "v_measure", "purity"], resamples=200)
    >>> relation.correlations.shape, len(relation.advice())
    ((4, 4), 3)
    """
    ev = evaluation_of(data, other, data_options(options, "relate"))
    given = list(ev.tables.values())
    if ev.groups is not None:
        given = [table for tables in ev.groups.values() for table in tables.values()]
    n = "+".join(dict.fromkeys(number(table.n) for table in given[:5])).replace(",", "")
    asked = tuple(m for m in chosen_measures(DEFAULT if measures is None else measures) if m.better is not None)
    if len(asked) < 3:
        raise KaratError(
            f"{len(asked)} measures of which higher or lower is better cannot be grouped; give three or more."
        )
    if len(given) >= FEW:
        values = np.array([[_oriented(m, float(m.of(table))) for m in asked] for table in given])
        return Relation(asked, values, f"{len(given)} {'systems' if ev.groups is None else 'groups of systems'}", n)
    if not isinstance(resamples, int) or resamples < 10:
        raise KaratError(Option("resamples", (resamples,)), " are too few to see how measures vary; give 10 or more.")
    MOST_RESAMPLES.check(resamples, "resamples")
    check_seed(seed)
    cells = sum(table.counts.size for table in given)
    sampling = Sampling(resamples=min(resamples, max(LEAST, AFFORDABLE // cells)), seed=seed)
    fewer = f" ({resamples:,} would take too long for {cells:,} cells)" if sampling.resamples < resamples else ""
    parts = [
        _resampled(table, asked, sampling._replace(seed=sampling.seed + index)) for index, table in enumerate(given)
    ]
    centred = np.concatenate([part - part.mean(axis=0) for part in parts])  # removes differences between systems
    return Relation(
        asked,
        centred,
        f"{sampling.resamples:,} resamples{f' of each of {len(given)} systems' if len(given) > 1 else ''}{fewer}",
        n,
        f"|resamples:{sampling.resamples}|seed:{sampling.seed}",
    )


def _oriented(measure: Measure, value: Any) -> Any:
    return value if measure.better == "higher" else -value


def _resampled(table: Table, measures: Sequence[Measure], sampling: Sampling) -> Floats:
    """The measures in bootstrap resamples of a table: a row per resample, a column per measure."""
    if not table.integral:
        raise TableError("a table with fractional cells cannot be resampled; give counts of items.")
    values = resampled_values(table, measures, sampling)
    return np.column_stack([_oriented(m, values[str(m)]) for m in measures])
