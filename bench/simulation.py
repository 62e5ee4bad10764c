"""The simulation's clusterer and scores beside plain NumPy: python bench/simulation.py

Prints and writes docs/speed-simulation.md: clusterings per second beside a straightforward NumPy implementation of the
same moves, and a thousand tables scored as a Stack beside a loop over tables. Takes about a minute.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import karat
from karat.papers.studies.kishida2014 import MEASURES
from karat.papers.synth import DocumentModel, SphericalKMeans, tf_idf

DOCS = Path(__file__).resolve().parent.parent / "docs"


def plain(x: NDArray[np.float64], k: int) -> NDArray[np.int64]:
    """Spherical k-means by single moves, as one would write it in NumPy."""
    units = x / np.linalg.norm(x, axis=1, keepdims=True)
    labels = (units @ units[:k].T).argmax(axis=1)
    labels[:k] = np.arange(k)
    sums = np.array([units[labels == c].sum(axis=0) for c in range(k)])
    moved = True
    while moved:
        moved = False
        for i, v in enumerate(units):
            own = labels[i]
            if (labels == own).sum() == 1:
                continue
            gains = np.linalg.norm(sums + v, axis=1) - np.linalg.norm(sums, axis=1)
            loss = np.linalg.norm(sums[own]) - np.linalg.norm(sums[own] - v)
            gains[own] = loss
            target = int(gains.argmax())
            if gains[target] > loss + 1e-10:
                sums[own] -= v
                sums[target] += v
                labels[i] = target
                moved = True
    return labels


def best(f: Callable[[], Any], repeats: int = 5) -> float:
    """The shortest of some runs."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        f()
        times.append(time.perf_counter() - start)
    return min(times)


def score_stack(stack: karat.Stack, measures: list[karat.Measure]) -> list[Any]:
    """All measures of one stack, which works out each statistic once."""
    return [m.of(stack) for m in measures]


def main() -> None:
    """Run all, print, and write the page."""
    rows = []
    sets = [tf_idf(DocumentModel().generate(seed).counts) for seed in range(20)]
    for k in (3, 10, 40):
        ours = best(lambda k=k: [SphericalKMeans(k).fit(x) for x in sets])  # type: ignore[misc]
        theirs = best(lambda k=k: [plain(x, k) for x in sets], 2)  # type: ignore[misc]
        same = all(karat.ari(SphericalKMeans(k).fit_predict(x), plain(x, k)) == 1 for x in sets)
        work = f"100 documents in {k} clusters{'' if same else ' (not the same clusters)'}"
        rows.append(
            [work, f"{1e3 * ours / 20:.2f} ms", "plain NumPy", f"{1e3 * theirs / 20:.2f} ms", theirs / ours, 20.0]
        )
    tables = np.random.default_rng(0).multinomial(100, np.full(100, 0.01), size=1000).reshape(1000, 10, 10)
    measures = [karat.parse(text) for text in MEASURES.values()]
    ours = best(lambda: score_stack(karat.Stack(tables), measures))
    theirs = best(lambda: [m.of(karat.Table.from_matrix(t)) for t in tables[:100] for m in measures], 2) * 10
    work = "fifteen measures of 1000 tables as a Stack"
    rows.append([work, f"{1e3 * ours:.1f} ms", "a loop over tables", f"{theirs:.2f} s", theirs / ours, 50.0])
    lines = [
        [*map(str, row[:4]), f"{row[4]:.0f}×", f"{row[5]:.0f}×", "yes" if row[4] >= row[5] else "NO"] for row in rows
    ]
    for line in lines:
        print("  ".join(line))
    head = ["work", "karat", "beside", "takes", "karat is faster", "goal", "reached"]
    table = [f"| {' | '.join(line)} |" for line in [head, ["---"] * len(head), *lines]]
    text = "Written by `python bench/simulation.py`: best of several runs; only the ratios mean anything."
    (DOCS / "speed-simulation.md").write_text("\n".join(["# Speed of the simulation", "", text, "", *table, ""]))


if __name__ == "__main__":
    main()
