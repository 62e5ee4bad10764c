"""karat and its peers on the same data in one run: python bench/speed.py

Prints how many times faster karat is than each peer, beside what it set out to reach, and writes docs/speed.md and
docs/speed.svg. Times are the best of several repeats; only ratios within one run mean anything. Peers that are not
installed are left out. Needs karat[bench]; takes about three minutes. --quick shrinks everything, to try the script.
"""

from __future__ import annotations

import argparse
import importlib
import os
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import karat

DOCS = Path(__file__).resolve().parent.parent / "docs"
PANEL = [m for m in karat.list_measures() if m.panel and m.name != "ami"]
RNG = np.random.default_rng(0)


def best(f: Callable[[], object], repeats: int = 7, seconds: float = 3.0) -> float:
    """The shortest of some runs, of as many as fit into the seconds after the first."""
    f()  # what is loaded or cached at the first call is not measured
    times: list[float] = []
    while len(times) < repeats and (not times or sum(times) < seconds):
        start = time.perf_counter()
        f()
        times.append(time.perf_counter() - start)
    return min(times)


def slow(f: Callable[[], object]) -> float:
    """One run after another to warm up, for peers that take seconds."""
    return best(f, 1)


def peer(name: str) -> Any:
    """A module, or None where it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


SKLEARN = peer("sklearn.metrics")
GENIE = peer("genieclust.compare_partitions")
IGRAPH = peer("igraph")
TORCHMETRICS = peer("torchmetrics.functional.clustering")


@dataclass(frozen=True)
class Result:
    """One comparison: what karat took, what the other took, and how many times faster karat should be."""

    work: str
    other: str
    ours: float
    theirs: float
    goal: float

    @property
    def ratio(self) -> float:
        """How many times faster karat is."""
        return self.theirs / self.ours

    def row(self) -> tuple[str, ...]:
        """What is printed of it."""
        reached = "yes" if self.ratio >= self.goal else "NO"
        return self.work, shown(self.ours), self.other, shown(self.theirs), times(self.ratio), times(self.goal), reached


def shown(seconds: float) -> str:
    """A time in the unit that suits it."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def times(ratio: float) -> str:
    """A ratio as it is read."""
    return f"{ratio:,.0f}×" if ratio >= 10 else f"{ratio:.2g}×"


def labels(n: int, classes: int, clusters: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Two random labelings."""
    return RNG.integers(0, classes, n), RNG.integers(0, clusters, n)


def panel(gold: Any, pred: Any) -> karat.Scores:
    """The default panel without ami."""
    return karat.score(gold, pred, PANEL)


def small_table(n: int) -> Iterable[Result]:
    """Ten million items, few clusters."""
    gold, pred = labels(n, 20, 50)
    work = f"n={n:.0e} int64, 20×50: panel without ami"
    ours = best(lambda: panel(gold, pred), 150)
    if SKLEARN:
        yield Result(work, "scikit-learn v_measure_score", ours, slow(lambda: SKLEARN.v_measure_score(gold, pred)), 150)
    if GENIE:
        theirs = best(lambda: GENIE.adjusted_rand_score(gold, pred), 50)
        yield Result(work, "genieclust ARI", ours, theirs, 4)
    if IGRAPH:
        small = gold[: n // 10].tolist(), pred[: n // 10].tolist()
        theirs = 10 * slow(lambda: IGRAPH.compare_communities(*small, method="nmi"))
        yield Result(work, "igraph NMI of lists (a tenth, ×10)", ours, theirs, 1)
    if TORCHMETRICS:
        torch = importlib.import_module("torch")
        tensors = torch.from_numpy(pred), torch.from_numpy(gold)
        yield Result(work, "torchmetrics v_measure", ours, slow(lambda: TORCHMETRICS.v_measure_score(*tensors)), 1)
    yield Result(work, "summing both arrays", ours, best(lambda: (gold.sum(), pred.sum()), 15), 1 / 6)


def larger_tables(n: int) -> Iterable[Result]:
    """Many cells, and nearly as many cells as items."""
    for k, goal in ((1000, 40), (n // 10, 8)):
        gold, pred = labels(n, k, k)
        theirs = slow(lambda gold=gold, pred=pred: SKLEARN.v_measure_score(gold, pred))  # type: ignore[misc]
        work = f"n={n:.0e}, {k:,}×{k:,}"
        ours = best(lambda gold=gold, pred=pred: karat.v_measure(gold, pred), 7, 6)  # type: ignore[misc]
        yield Result(f"{work}: v_measure", "scikit-learn v_measure_score", ours, theirs, goal)
        if k == 1000:
            ours = best(lambda gold=gold, pred=pred: panel(gold, pred))  # type: ignore[misc]
            yield Result(f"{work}: panel without ami", "scikit-learn v_measure_score", ours, theirs, goal)
        else:
            table = best(lambda gold=gold, pred=pred: karat.Table.from_labels(gold, pred), 7, 6)  # type: ignore[misc]
            ours = best(lambda gold=gold, pred=pred: karat.ami(gold, pred), 7, 6)  # type: ignore[misc]
            yield Result(f"{work}: ami", "building the table alone", ours, table, 1 / 2)


def strings(n: int) -> Iterable[Result]:
    """Text columns."""
    words = np.array([f"label {i:06d}" for i in range(1000)])
    codes = labels(n, 1000, 1000)
    theirs = _string_peer([words[code] for code in codes])
    for name, make in (("Arrow", _arrow), ("Polars", _polars)):
        columns = [make(words, code) for code in codes] if peer(name.lower().replace("arrow", "pyarrow")) else None
        if columns:
            ours = best(lambda columns=columns: karat.v_measure(*columns), 3)  # type: ignore[misc]
            work = f"n={n:.0e} strings, 1000 distinct, {name}: v_measure"
            yield Result(work, "scikit-learn v_measure_score of NumPy strings", ours, theirs, 10)


def _string_peer(arrays: list[Any]) -> float:
    return slow(lambda: SKLEARN.v_measure_score(*arrays))


def _arrow(words: Any, codes: Any) -> Any:
    pa = importlib.import_module("pyarrow")
    return pa.array(words.tolist()).take(pa.array(codes))


def _polars(words: Any, codes: Any) -> Any:
    return importlib.import_module("polars").Series(_arrow(words, codes))


def chance(n: int) -> Iterable[Result]:
    """Adjusted mutual information."""
    gold, pred = labels(n, 1000, 1000)
    theirs = slow(lambda: SKLEARN.adjusted_mutual_info_score(gold, pred))
    ours = best(lambda: karat.ami(gold, pred), 300)
    yield Result(f"n={n:.0e}, 1000×1000: ami", "scikit-learn adjusted_mutual_info_score", ours, theirs, 3000)


def lists() -> Iterable[Result]:
    """A thousand items as Python lists."""
    gold, pred = (side.tolist() for side in labels(1000, 10, 12))
    theirs = [
        SKLEARN.homogeneity_score,
        SKLEARN.completeness_score,
        SKLEARN.v_measure_score,
        SKLEARN.adjusted_mutual_info_score,
        SKLEARN.adjusted_rand_score,
        SKLEARN.pair_confusion_matrix,
    ]
    loop = best(lambda: [f(gold, pred) for f in theirs], 30)
    ours = best(lambda: karat.score(gold, pred), 100)
    yield Result("n=1000 lists: whole panel", "scikit-learn, the six of them that it has", ours, loop, 5)


def systems(n: int, number: int) -> Iterable[Result]:
    """Many systems against one gold."""
    gold = RNG.integers(0, 20, n)
    preds = [RNG.integers(0, 50, n) for _ in range(number)]
    some = preds[: max(1, number // 10)]
    theirs = slow(lambda: [SKLEARN.v_measure_score(gold, pred) for pred in some]) * number / len(some)

    def ours() -> None:
        encoded = karat.encode(gold)
        for pred in preds:
            panel(encoded, pred)

    other = "scikit-learn v_measure_score, a tenth of the loop, ×10"
    yield Result(f"{number} systems × n={n:.0e}: panel without ami", other, best(ours, 5), theirs, 100)


def imports() -> Iterable[Result]:
    """A fresh interpreter."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}

    def load(module: str) -> float:
        code = f"import time; start = time.perf_counter(); import {module}; print(time.perf_counter() - start)"
        command = [sys.executable, "-c", code]
        runs = [
            float(subprocess.run(command, env=environment, capture_output=True, check=True).stdout) for _ in range(7)
        ]
        return min(runs)

    yield Result("import karat", "import numpy", load("karat"), load("numpy"), 2)


def memory(n: int) -> list[tuple[str, str]]:
    """Bytes an item beyond the two arrays, at the peak."""
    rows = []
    for classes, clusters in ((20, 50), (1000, 1000)):
        gold, pred = labels(n, classes, clusters)
        panel(gold[:1000], pred[:1000])
        tracemalloc.start()
        table = karat.Table.from_labels(gold, pred)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        cells = 24 * table.counts.size
        text = f"{peak / 1e6:.1f} MB, of which cells {cells / 1e6:.1f} MB: {max(0, peak - cells) / n:.2f} bytes an item"
        rows.append((f"n={n:.0e} int64, {classes}×{clusters}", text))
    return rows


def growth(largest: int) -> dict[str, dict[str, list[tuple[float, float]]]]:
    """Times against the number of items and the number of clusters."""
    curves: dict[str, dict[str, list[tuple[float, float]]]] = {
        "items (20×50)": {},
        "classes and clusters (10⁶ items)": {},
    }
    sizes = [10**e for e in range(3, 8) if 10**e <= largest]
    settings = [("items (20×50)", n, n, 20, 50) for n in sizes]
    settings += [("classes and clusters (10⁶ items)", k, largest // 10, k, k) for k in sizes if k <= largest // 10]
    settings += [("classes and clusters (10⁶ items)", k, largest // 10, k, k) for k in (10, 100)]
    for panel_name, x, n, classes, clusters in sorted(settings, key=lambda s: (s[0], s[1])):
        gold, pred = labels(n, classes, clusters)
        runs: dict[str, Callable[[], object]] = {
            "karat v_measure": lambda: karat.v_measure(gold, pred),  # noqa: B023
            "karat ami": lambda: karat.ami(gold, pred),  # noqa: B023
            "reading both arrays": lambda: (gold.sum(), pred.sum()),  # noqa: B023
        }
        if SKLEARN:
            runs["scikit-learn v_measure_score"] = lambda: SKLEARN.v_measure_score(gold, pred)  # noqa: B023
        if GENIE and clusters <= 1000:
            runs["genieclust ARI"] = lambda: GENIE.adjusted_rand_score(gold, pred)  # noqa: B023
        for name, run in runs.items():
            curves[panel_name].setdefault(name, []).append(
                (x, best(run, 5, 0.5) if n < 10**7 or "karat" in name else slow(run))
            )
    return curves


def draw(curves: dict[str, dict[str, list[tuple[float, float]]]], path: Path) -> None:
    """Both curves as an SVG."""
    matplotlib = importlib.import_module("matplotlib")
    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "karat", "svg.fonttype": "none"})
    pyplot = importlib.import_module("matplotlib.pyplot")
    figure, axes = pyplot.subplots(1, 2, figsize=(11, 4.4), sharey=True, layout="constrained")
    colours = ["#0072b2", "#56b4e9", "#999999", "#d55e00", "#009e73"]
    styles = ["-", "--", ":", "-", "-."]
    names = list(next(iter(curves.values())))
    for axis, (title, lines) in zip(axes, curves.items(), strict=True):
        for name, points in lines.items():
            at = names.index(name)
            axis.loglog(*zip(*points, strict=True), styles[at], color=colours[at], label=name, marker="o", markersize=3)
        axis.set_xlabel(f"number of {title}")
        axis.grid(alpha=0.3)
    axes[0].set_ylabel("seconds")
    axes[0].legend(frameon=False)
    figure.savefig(path, metadata={"Date": None})


def markdown(headings: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """A table."""
    lines = [headings, tuple("---" for _ in headings), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


HEADINGS = ("work", "karat", "beside", "takes", "karat is faster", "goal", "reached")
TITLE = (
    "# Speed\n\nWritten by `python bench/speed.py`: one run, best of several repeats; only the ratios mean anything.\n"
)


def main() -> int:
    """Everything, in about three minutes."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--quick", action="store_true", help="a hundredth of the size, and no files written")
    quick = arguments.parse_args().quick
    n = 10**5 if quick else 10**7
    results: list[Result] = []
    parts: list[Callable[[], Iterable[Result]]] = [lambda: small_table(n), imports]
    if SKLEARN:
        parts += [
            lambda: larger_tables(n),
            lambda: strings(n),
            lambda: chance(10**3 if quick else 10**5),
            lists,
            lambda: systems(n // 10, 10 if quick else 100),
        ]
    for part in parts:
        for result in part():
            results.append(result)
            print("  ".join(result.row()), flush=True)
    used = memory(n)
    for row in used:
        print("  ".join(row))
    info = ", ".join(f"{key} {value}" for key, value in karat.build_info().items())
    print(info)
    if not quick:
        draw(growth(n), DOCS / "speed.svg")
        text = [TITLE, markdown(HEADINGS, [r.row() for r in results]), ""]
        text += ["Memory beyond the two arrays, at the peak of counting:\n", markdown(("data", "memory"), used), ""]
        text += ["![times against the number of items and of clusters](speed.svg)\n", f"{info}.", ""]
        (DOCS / "speed.md").write_text("\n".join(text), encoding="utf-8")
    return int(any(result.ratio < result.goal for result in results))


if __name__ == "__main__":
    sys.exit(main())
