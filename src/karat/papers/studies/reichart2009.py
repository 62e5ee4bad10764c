"""Reichart & Rappoport (2009): the NVI clustering evaluation measure. Table 1, section 4, Tables 3 and 4."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

import karat
from karat.papers.claims import Claim, number, statement
from karat.papers.figures import by_system
from karat.papers.registry import Study, paper

R = sum(np.roll(np.diag([count] * 10), shift, axis=1) for shift, count in enumerate((7, 1, 1, 1)))
SINGLETONS = np.repeat(np.eye(10, dtype=int), 10, axis=1)
TABLE_1 = {
    "Singletons": {"v_measure": "0.667", "vi": "2.303", "nvi": "1", "nvik": "0.5"},
    "Solution R": {"v_measure": "0.587", "vi": "1.88", "nvi": "0.81", "nvik": "0.81"},
}
SYSTEMS = ("MDL", "T", "P")
TABLE_3 = {  # V, VI, NVI, NVIK, each for MDL, T and P labels
    "WSJ10": ("0.4 0.44 0.41", "3.83 2.32 1.9", "2.21 1.34 1.1", "0.81 0.86 1.2"),
    "NEGRA10": ("0.47 0.5 0.5", "2.56 1.8 1.4", "1.51 1.1 0.83", "0.76 0.96 1.1"),
    "CTB10": ("0.42 0.42 0.45", "3 2.22 1.85", "1.72 1.26 1.1", "0.87 1.1 1.25"),
}
TABLE_4 = {  # H(C), and H(K) for MDL, T and P labels
    "WSJ10": (1.73, (4.72, 2.7, 1.58)),
    "NEGRA10": (1.69, (3.36, 1.87, 1.29)),
    "CTB10": (1.76, (3.45, 2.1, 1.48)),
}


@paper("Reichart & Rappoport (2009): the NVI clustering evaluation measure")
def study() -> Study:
    """Table 1, the extreme cases of section 4, whether Tables 3 and 4 agree."""
    rows = {"V": 0, "NVI": 2}  # of Table 3
    printed = {
        name: {corpus: [float(x) for x in lines[row].split()] for corpus, lines in TABLE_3.items()}
        for name, row in rows.items()
    }
    figure = by_system(printed, SYSTEMS, "Table 3, as printed: V and NVI of three labelings")
    return Study([*_example(), *_extremes(), *_consistency()], {"table-3": figure})


def _example() -> Iterator[Claim]:
    """The example of section 5."""
    notes = {
        "v_measure": "0.587 is the V of rows with 6, 2 and 2; the argument stands, since singletons score higher",
        "nvi": "cut off, not rounded", "nvik": "cut off, not rounded",
    }  # fmt: skip
    for name, matrix in (("Singletons", SINGLETONS), ("Solution R", R)):
        table = karat.Table.from_matrix(matrix)
        for measure, printed in TABLE_1[name].items():
            value = float(karat.parse(measure)(table))
            note = notes.get(measure, "") if name == "Solution R" else ""
            digits = printed if "." in printed else f"{printed}.0"
            yield number("Table 1", f"{name}: {measure}", digits, value, note)
    v = [float(karat.v_measure(karat.Table.from_matrix(matrix))) for matrix in (SINGLETONS, R)]
    nvi = [float(karat.nvi(karat.Table.from_matrix(matrix))) for matrix in (SINGLETONS, R)]
    text = f"V {v[0]:.3f} and {v[1]:.3f}, NVI {nvi[0]:.3f} and {nvi[1]:.3f}"
    yield statement("5", "V prefers the singletons to solution R, NVI does not", v[0] > v[1] and nvi[0] > nvi[1], text)


def _extremes() -> Iterator[Claim]:
    sizes = np.array([60, 30, 30])
    entropy = float(-(sizes / 120 * np.log(sizes / 120)).sum())
    perfect, single = karat.Table.from_matrix(np.diag(sizes)), karat.Table.from_matrix(sizes[:, None])
    shares = np.array([3, 2, 1])
    nothing = karat.Table.from_matrix(np.outer(sizes, shares) // 6)
    clusters = float(-(shares / 6 * np.log(shares / 6)).sum())
    one_class = karat.Table.from_matrix([[3, 2, 1]])
    for place, claim, computed, wanted in (
        ("4", "NVI of a perfect clustering is 0", karat.nvi(perfect), 0.0),
        ("4", "NVI of one cluster is 1", karat.nvi(single), 1.0),
        ("4", "NVI without any knowledge is 1 + H(K)/H(C)", karat.nvi(nothing), 1 + clusters / entropy),
        ("4", "NVI is H(K) where H(C) = 0", karat.nvi(one_class), clusters),
        ("4", "NVIK without any knowledge is 1 + H(C)/H(K)", karat.nvik(nothing), 1 + entropy / clusters),
        ("4", "NVIK of one cluster is H(C)", karat.nvik(single), entropy),
    ):
        yield statement(place, claim, abs(float(computed) - wanted) < 1e-12, float(computed))
    twice = karat.Table.from_matrix(2 * np.asarray(R))
    same = math.isclose(float(karat.nvi(twice)), float(karat.nvi(karat.Table.from_matrix(R))))
    other = not math.isclose(float(karat.vi_log_n(twice)), float(karat.vi_log_n(karat.Table.from_matrix(R))))
    text = f"NVI {'stays' if same else 'changes'}, VI/log n {'changes' if other else 'stays'}"
    yield statement("4", "splitting each item in two changes VI/log n, not NVI", same and other, text)


def _consistency() -> Iterator[Claim]:
    """Whether the printed NVI, NVIK and V follow from the printed VI, H(C) and H(K), up to rounding."""
    for corpus, rows in TABLE_3.items():
        v, vi, nvi, nvik = (row.split() for row in rows)
        gold, clusters = TABLE_4[corpus]
        for index, system in enumerate(SYSTEMS):
            distance = float(vi[index]), _rounding_error(vi[index])
            own = clusters[index], _rounding_error(str(clusters[index]))
            both = gold + own[0], 0.005 + own[1]
            for name, printed, (low, value, high) in (
                ("NVI", nvi[index], _quotient(distance, (gold, 0.005))),
                ("NVIK", nvik[index], _quotient(distance, own)),
                ("V", v[index], tuple(1 - x for x in _quotient(distance, both)[::-1])),
            ):
                text = f"{corpus}, {system}: {name} from the printed VI and entropies"
                claim = number("Tables 3 and 4", text, printed, value)
                near = low - _rounding_error(printed) <= float(printed) <= high + _rounding_error(printed)
                if claim.verdict == "not reached" and near:
                    note = "VI and the entropies are rounded too"
                    claim = claim._replace(verdict="reached up to rounding", note=note)
                elif claim.verdict == "not reached":
                    claim = claim._replace(note="the printed numbers do not agree, whatever their rounding")
                yield claim


def _rounding_error(printed: str) -> float:
    """Half a unit of the last printed digit; one or two decimals are assumed, as trailing zeros are omitted."""
    return 0.5 * 10.0 ** -min(2, max(1, len(printed.partition(".")[2])))


def _quotient(top: tuple[float, float], bottom: tuple[float, float]) -> tuple[float, float, float]:
    """The least, the printed and the largest quotient of two numbers, given their rounding errors."""
    return (top[0] - top[1]) / (bottom[0] + bottom[1]), top[0] / bottom[0], (top[0] + top[1]) / (bottom[0] - bottom[1])
