"""Rosenberg & Hirschberg (2007): V-measure. Figures 2 and 3, and Table 2."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

import numpy as np

import karat
from karat.meta.desiderata import DESIDERATA, Response, response
from karat.meta.families import Family, Grid
from karat.papers.claims import Claim, cells, number
from karat.papers.figures import bars
from karat.papers.registry import Study, paper

_B = [[3, 2, 0], [0, 3, 2], [2, 0, 3]]
SOLUTIONS = {  # contingency tables of the solutions of Figure 2
    "A": [[3, 1, 1], [1, 3, 1], [1, 1, 3]],
    "B": _B,
    "C": np.hstack([_B, [[1, 1, 0], [1, 0, 1], [0, 1, 1]]]).tolist(),
    "D": np.hstack([_B, np.repeat(np.eye(3, dtype=int), 2, axis=1)]).tolist(),
}
MEASURES = {
    "Rand": "rand", "Mirkin": "mirkin", "Fowlkes": "fowlkes_mallows", "Γ": "gamma", "Jaccard": "jaccard",
    "F-measure": "f_measure", "Q0": "q0", "VI": "vi", "V-measure": "v_measure",
}  # fmt: skip
TABLE_2 = {
    "P1": "0.18 0.22 1.0 1.0 1.0 1.0 1.0 1.0 1.0",
    "P2": "1.0 1.0 0.76 1.0 0.89 0.98 1.0 1.0 1.0",
    "P3": "0.0 0.0 0.30 0.19 0.21 0.0 1.0 1.0 1.0",
    "P4": "1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0",
    "P5": "0.50 0.57 1.0 1.0 1.0 1.0 1.0 1.0 1.0",
    "P6": "0.20 0.20 0.41 0.26 0.52 0.87 1.0 1.0 1.0",
    "P7": "1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0",
}
READING = (
    "14,440 tables: five useful classes, n = 500, expected tables and expected pairs, shares dealt out over cells, "
    "noise there if and only if it has a share; each step between neighbours is one test, strict"
)
WHY = (
    "no reading of the text that was tried reaches it, about 1,200 of them; Rand and Mirkin are straight lines of each "
    "other at fixed n, yet their printed rates differ"
)


@cache
def grid() -> Grid:
    """The 14,440 combinations of section 4."""
    shares = [0, 1 / 15, 2 / 15, 0.2]
    return Grid.of(
        500, Family(spread="cells"), useful=range(2, 12), noise=range(7), noise_classes=range(7),
        error_1=[0, 1 / 30, 2 / 30, 0.1], error_2=shares, error_3=shares,
    )  # fmt: skip


@paper("Rosenberg & Hirschberg (2007): V-measure, a conditional entropy-based external cluster evaluation measure")
def study() -> Study:
    """Figures 2 and 3, all 63 rates of Table 2 on 14,440 tables."""
    responses = {
        desideratum.name: {name: response(grid(), karat.parse(text), desideratum) for name, text in MEASURES.items()}
        for desideratum in DESIDERATA
    }
    printed = {name: [float(rate) for rate in rates.split()] for name, rates in TABLE_2.items()}
    computed = {name: [answer.rate for answer in row.values()] for name, row in responses.items()}
    title = "Table 2: share of tests passed, printed and computed"
    return Study([*_solutions(), *_rates(responses)], {"table-2": bars(printed, computed, list(MEASURES), title)})


def _solutions() -> Iterator[Claim]:
    """Figures 2 and 3: scores of solutions, and a member of the family of tables."""
    swapped = "the caption prints 0.5 for A and B and 0.6 for C and D; the text has them right"
    for name, v, f in (("A", "0.14", "0.6"), ("B", "0.39", "0.6"), ("C", "0.30", "0.5"), ("D", "0.41", "0.5")):
        table = karat.Table.from_matrix(SOLUTIONS[name])
        yield number("Figure 2", f"V-measure of solution {name}", v, float(karat.v_measure(table)))
        yield number("Figure 2", f"F-measure of solution {name}", f, float(karat.f_measure(table)), swapped)
    printed = [["12", "2", "4"], ["12", "2", "4"], ["2", "12", "4"], ["3", "3", "0"]]
    member = Family(
        classes=3, useful=2, noise=1, noise_classes=1, error_1=0.1, error_2=0.2, error_3=0.1, spread="cells"
    )
    yield cells("Figure 3", "the sample solution of 60 items", printed, 60 * member.distribution)


def _rates(responses: Mapping[str, Mapping[str, Response]]) -> Iterator[Claim]:
    """The rates of Table 2: the share of tests that a measure passes, by desideratum."""
    for desideratum, row in responses.items():
        for (name, answer), rate in zip(row.items(), TABLE_2[desideratum].split(), strict=True):
            text = f"{desideratum}, {name}: share of {answer.steps:,} tests"
            claim = number("Table 2", text, rate, answer.rate, READING)
            yield claim._replace(note=WHY) if claim.verdict == "not reached" else claim
