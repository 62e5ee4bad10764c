"""agreement(): systems compared with each other, without gold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karat.errors import KaratError
from karat.labels.alignment import WITHOUT_GOLD, align
from karat.labels.policy import Missing, NoiseAs, Policy
from karat.labels.rows import Aligned
from karat.limits import COMPARED
from karat.measures.parsing import parse
from karat.measures.registry import Measure
from karat.output.layout import Layout, decimals, shown
from karat.output.numbers import number, several
from karat.output.result import Result
from karat.scoring.arguments import texts
from karat.scoring.evaluation import Evaluation
from karat.scoring.signatures import signature_of
from karat.tables.table import Table

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Agreement(Result):
    """A measure between every two systems, with the system of the row as gold; print it to see which are similar."""

    measure: Measure
    systems: tuple[str, ...]
    values: Floats  # a row and a column for each system
    n: Any
    policy: Policy = field(default_factory=Policy)

    @property
    def signature(self) -> str:
        """How the values were computed: measure, items and policy, in one line."""
        return signature_of([self.measure], number(self.n), self.policy)

    @cached_property
    def linkage(self) -> Floats:
        """The hierarchical clustering of the systems by average linkage, as a SciPy linkage matrix."""
        from scipy.cluster.hierarchy import linkage
        from scipy.spatial.distance import squareform

        mean = (self.values + self.values.T) / 2
        distances = mean if self.measure.better == "lower" else np.max(mean) - mean
        distances = np.maximum(distances, 0)
        np.fill_diagonal(distances, 0)
        return np.asarray(linkage(squareform(distances, checks=False), "average"))

    @property
    def order(self) -> list[int]:
        """The indices of the systems by the tree's leaves, so that similar systems are adjacent."""
        from scipy.cluster.hierarchy import leaves_list

        return [int(index) for index in leaves_list(self.linkage)]

    def __repr__(self) -> str:
        return f"<Agreement: {self.measure} of {len(self.systems)} systems>"

    def layout(self, digits: int = 4) -> Layout:
        """The matrix of values, similar systems next to each other."""
        names = [shown(self.systems[i]) for i in self.order]
        rows = [
            [name, *(decimals(float(self.values[i, j]), digits) for j in self.order)]
            for name, i in zip(names, self.order, strict=True)
        ]
        title = f"{self.measure} between {several(len(names), 'system')} on {several(self.n, 'item')}, without gold"
        return Layout(title, ["system", *names], rows, self._notes())

    def _notes(self) -> list[str]:
        if len(self.systems) == 2:
            return [f"{'Lower' if self.measure.better == 'lower' else 'Higher'} is closer."]
        a, b = (self.systems[i] for i in self._pair(closest=True))
        c, d = (self.systems[i] for i in self._pair(closest=False))
        direction = "Lower" if self.measure.better == "lower" else "Higher"
        near = f"{direction} is closer. Closest: {shown(a)} and {shown(b)}"
        return [f"{near}; farthest: {shown(c)} and {shown(d)}."]

    def _pair(self, *, closest: bool) -> tuple[int, int]:
        mean = (self.values + self.values.T) / 2
        rows, cols = np.triu_indices(len(self.systems), 1)
        lowest = closest == (self.measure.better == "lower")
        index = int(mean[rows, cols].argmin() if lowest else mean[rows, cols].argmax())
        return int(rows[index]), int(cols[index])

    def records(self) -> list[dict[str, Any]]:
        """One dict per ordered pair of systems."""
        return [
            {"gold": a, "pred": b, str(self.measure): float(self.values[i, j])}
            for i, a in enumerate(self.systems)
            for j, b in enumerate(self.systems)
        ]

    def to_dict(self) -> dict[str, Any]:
        """Everything, as plain values for JSON."""
        return {
            "measure": str(self.measure),
            "n": self.n,
            "systems": list(self.systems),
            "values": self.values.tolist(),
            "signature": self.signature,
        }


def agreement(
    systems: Mapping[str, object],
    measure: str | Measure = "vi",
    *,
    missing: Missing = "raise",
    noise: object = None,
    noise_as: NoiseAs | None = None,
) -> Agreement:
    """Compare every two systems, without gold, by any measure, such as vi, which is a true distance.

    systems: labels by name. missing, noise, noise_as: as in score().

    >>> result = agreement({"a": [0, 0, 1, 1], "b": [5, 5, 6, 6], "c": [0, 1, 0, 1]}, "ari")
    >>> result.values[0].tolist()
    [1.0, 1.0, -0.5]
    """
    if not isinstance(systems, Mapping) or len(systems) < 2:
        raise KaratError("agreement takes two systems or more, as {'name': labels, ...}.")
    chosen = parse(measure)
    return _agreement(align(WITHOUT_GOLD, texts(systems), Policy.of(missing, noise, noise_as)), chosen)


def agreement_of(ev: Evaluation, measure: str | Measure, *, gold: str) -> Agreement:
    """The agreement of all systems of an evaluation and its gold; gold: the name that gold gets."""
    aligned = ev.aligned
    assert aligned.gold is not None
    policy = next(iter(aligned.policies.values()))
    sides = {gold: aligned.gold, **aligned.systems}
    return _agreement(replace(aligned, gold=None, systems=sides, policies=dict.fromkeys(sides, policy)), parse(measure))


def _agreement(aligned: Aligned, measure: Measure) -> Agreement:
    """The measure between every two systems, the system of the row taken as gold."""
    if measure.better is None:
        raise KaratError(f"neither end of {measure} is better, so it is no distance; choose another, such as 'vi'.")
    names = tuple(aligned.systems)
    COMPARED.check(len(names), "the agreement")
    values = np.empty((len(names), len(names)))
    for i, a in enumerate(names):
        for j, b in enumerate(names):
            if j < i and measure.swap == "itself":
                values[i, j] = values[j, i]
                continue
            table = Table.of_codes(aligned.systems[a], aligned.systems[b], aligned.totals, aligned.policies[b])
            values[i, j] = float(measure.of(table))
    return Agreement(measure, names, values, table.n, aligned.policies[names[0]])
