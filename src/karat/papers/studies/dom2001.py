"""Dom (2001): an information-theoretic external cluster-validity measure."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, TypeAlias

import numpy as np

import karat
from karat.meta.desiderata import P1, P2, P3, P4, P5, response
from karat.meta.families import Family, Grid
from karat.papers.claims import Claim, cells, number, statement
from karat.papers.figures import Figure, rescaled_curves, scatters
from karat.papers.registry import Study, paper

MEASURES = {
    "Q2": "q2", "Rand": "rand", "Fowlkes": "fowlkes_mallows", "Gamma": "gamma", "Jaccard": "jaccard",
    "Hamming": "hamming",
}  # fmt: skip
Curves: TypeAlias = tuple[Any, dict[str, Any]]  # values of a parameter, and of the measures by name
EXPECTED = "Q2 and Hamming of the expected table, the others of the expected pairs of appendix A"


@cache
def grid() -> Grid:
    """The parameter combinations of section 7.2.1."""
    return Grid.of(
        500, useful=range(2, 12), noise=range(7), error_1=[0, 1 / 15, 2 / 15, 0.2], error_2=[0, 0.1, 0.2, 0.3]
    )


@paper("Dom (2001): an information-theoretic external cluster-validity measure")
def study() -> Study:
    """Tables 1–3 and 5, the 760 combinations, the counts of P1–P5, the extreme cases of Q0, Figures 1–7."""
    curves = {"Figure 1": _figure_1(), "Figure 2": _figure_2()}
    return Study(list(_claims(curves)), _figures(curves))


def _claims(curves: Mapping[str, Curves]) -> Iterator[Claim]:
    yield from _examples()
    yield number("7.2.1", "valid combinations of parameters", "760", len(grid()))
    yield from _counts()
    yield from _extremes()
    yield from _fall(curves)


def _examples() -> Iterator[Claim]:
    def square(diagonal: str, other: str) -> list[list[str]]:
        return [[diagonal if row == col else other for col in range(5)] for row in range(5)]

    tables = {
        "Table 1": (square("0.2", "0.0"), Family()),
        "Table 2": (square("0.16", "0.01"), Family(error_1=0.2)),
        "Table 3": ([row + ["0.02"] * 3 for row in square("0.10", "0.01")], Family(noise=3, error_1=0.2, error_2=0.3)),
    }
    for place, (printed, family) in tables.items():
        yield cells(place, "the example distribution", printed, family.distribution)


def _counts() -> Iterator[Claim]:
    counted = "sequences with at least one wrong step, ties included; " + EXPECTED
    measures = {name: karat.parse(text) for name, text in MEASURES.items()}
    for name, printed in (("Rand", "120"), ("Fowlkes", "103"), ("Gamma", "120"), ("Jaccard", "80"), ("Hamming", "120")):
        failed = response(grid(), measures[name], P3).failed
        yield number("Table 5", f"{name}: sequences of 120 in which it fails P3", printed, failed, counted)
    for name, printed in (("Rand", "12"), ("Hamming", "2"), ("Fowlkes", "0"), ("Gamma", "0"), ("Jaccard", "0")):
        failed = response(grid(), measures[name], P1, P2).failed
        yield number("7.2.2", f"{name}: sweeps of |Ku| in which it fails P1 or P2", printed, failed)
    for name, measure in measures.items():
        failed = response(grid(), measure, P4).failed
        yield number("7.2.2", f"{name}: sequences in which it fails P4", "0", failed)
    yield from _p5(measures)
    everything = sum(response(grid(), measures["Q2"], *d).failed for d in ((P1, P2), (P3,), (P4,), (P5,)))
    yield number("7.2.2", "Q2: sequences in which it fails any of P1 to P5", "0", everything)


def _p5(measures: dict[str, karat.Measure]) -> Iterator[Claim]:
    for name, measure in measures.items():
        if name != "Rand":
            yield number("7.2.2", f"{name}: sequences in which it fails P5", "0", response(grid(), measure, P5).failed)
    by_useful = {useful: response(_only(useful), measures["Rand"], P5).failed for useful in range(2, 12)}
    note = "only 24 sequences exist at |Ku| = 2, and 4 more fail at 3, so 29 is a miscount"
    yield number("7.2.2", "Rand: sequences in which it fails P5", "29", sum(by_useful.values()), note)
    yield number("7.2.2", "Rand: of these with |Ku| = 3", "4", by_useful[3])
    yield number("7.2.2", "Rand: of these with |Ku| >= 4", "0", sum(by_useful[u] for u in range(4, 12)))


def _only(useful: int) -> Grid:
    return Grid(grid().n, tuple(member for member in grid().members if member.useful == useful))


def _extremes() -> Iterator[Claim]:
    sizes = [50, 30, 20]
    n, c = sum(sizes), len(sizes)
    bits = [math.log2(math.comb(h + c - 1, c - 1)) for h in sizes]
    entropy = -sum(h / n * math.log2(h / n) for h in sizes)
    cases = {
        "eq. 12": ("perfect clustering", np.diag(sizes), sum(bits) / n),
        "eq. 15": ("one cluster", np.array(sizes)[:, None], entropy + math.log2(math.comb(n + c - 1, c - 1)) / n),
        "eq. 16": ("a cluster for each item", np.repeat(np.eye(c), sizes, axis=1), math.log2(c)),
    }
    for place, (what, matrix, value) in cases.items():
        q0 = float(karat.q0(karat.Table.from_matrix(matrix)))
        yield statement(place, f"Q0 of {what}, classes of 50, 30 and 20", abs(q0 - value) < 1e-12, q0)
    p = Family(classes=5, useful=5, error_1=0.2).distribution
    gaps, limits = [], []
    for size in (10**4, 10**6, 10**8):
        table = karat.Table.from_matrix(np.rint(size * p).astype(np.int64))
        q0, asymptotic = float(karat.q0(table)), float(karat.q0_asymptotic(table))
        gaps.append(abs(q0 - asymptotic))
        limits.append(q0 - float(karat.class_entropy_given_cluster(table)) / math.log(2))
    falling = gaps[0] > gaps[1] > gaps[2] and limits[0] > limits[1] > limits[2]
    text = f"off by {gaps[0]:.1e}, {gaps[1]:.1e}, {gaps[2]:.1e} at n = 10^4, 10^6, 10^8"
    yield statement("eq. 13, 14, appendix B", "Q0 tends to its asymptotic form and to H(C|K)", falling, text)


def _fall(curves: Mapping[str, Curves]) -> Iterator[Claim]:
    """The claims that all measures of a figure fall."""
    for place, (_, measures) in curves.items():
        falling = [name for name, values in measures.items() if (np.diff(values) < 0).all()]
        text = f"{len(falling)} of {len(measures)} fall"
        yield statement(place, "all measures fall", len(falling) == len(measures), text)


def _figure_1() -> Curves:
    errors = np.linspace(0, 0.8, 17)
    sweep = Grid(500, tuple(Family(error_1=float(error)) for error in errors))
    return errors, {name: sweep.values(karat.parse(text)) for name, text in MEASURES.items()}


def _figure_2() -> Curves:
    useful = np.arange(6, 61)
    sweep = Grid(600, tuple(Family(classes=6, useful=int(k)) for k in useful))
    return useful, {name: sweep.values(karat.parse(text)) for name, text in MEASURES.items()}


def _figures(curves: Mapping[str, Curves]) -> dict[str, Figure]:
    """Figures 1 to 7."""
    titles = {
        "Figure 1": ("ε₁", "Figure 1: error among five useful clusters, |C| = 5"),
        "Figure 2": ("|Ku|", "Figure 2: more useful clusters than classes, |C| = 6"),
    }
    figures = {
        place.lower().replace(" ", "-"): rescaled_curves(*curves[place], x_label, "score", title)
        for place, (x_label, title) in titles.items()
    }
    q2 = grid().values(karat.q2)
    for number_of_figure, name in enumerate(("Gamma", "Fowlkes", "Hamming", "Jaccard", "Rand"), 3):
        values = grid().values(karat.parse(MEASURES[name]))
        title = f"Figure {number_of_figure}: {name} and Q2 on 760 tables"
        figures[f"figure-{number_of_figure}"] = scatters(q2, values, "Q2", name, title)
    return figures
