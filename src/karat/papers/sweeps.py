"""k-means for 1 to 1000 clusters, each clustering scored against gold."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import karat
from karat import plot
from karat.machine.caches import cache_folder
from karat.output.layout import Layout, decimals
from karat.output.numbers import several
from karat.papers.claims import Claim, number, statement
from karat.papers.figures import Figure, titled
from karat.papers.runs import in_blocks
from karat.papers.synth.kmeans import KMeans
from karat.version import __version__

Floats = NDArray[np.float64]

MEASURES = ("v_measure", "homogeneity", "completeness", "vi", "q2")
MOST = 1000  # clusters, at most
METHOD = 2  # version of k-means; raise it to invalidate cached results
SEED = 2007
SHOWN = (1, 2, 5, 10, 20, 35, 50, 100, 200, 500, 1000)  # numbers of clusters in the table
NEAR = 2.0  # peaks are near each other if their numbers of clusters differ by at most this factor
RISING = 0.9  # rank correlation with k from which a measure counts as growing


class Curve(NamedTuple):
    """Measures against the number of clusters: a row for each start of k-means, a column for each k."""

    ks: tuple[int, ...]
    values: Mapping[str, Floats]

    def mean(self, measure: str) -> Floats:
        """A measure's mean over the starts, for each k."""
        return np.asarray(self.values[measure].mean(axis=0))

    def peak(self, measure: str) -> int:
        """The number of clusters at which a measure is highest."""
        return self.ks[int(self.mean(measure).argmax())]

    def at(self, measure: str, k: int) -> float:
        """The mean of a measure at the tested number of clusters nearest to k."""
        nearest = int(np.abs(np.log(self.ks) - math.log(k)).argmin())
        return float(self.mean(measure)[nearest])


class Task(NamedTuple):
    """All starts of k-means for one number of clusters."""

    rows: Any
    gold: NDArray[np.int64]
    k: int
    starts: int


def numbers_of_clusters(items: int) -> tuple[int, ...]:
    """Numbers of clusters from 1 to 1000, or to the number of items, about twenty per factor of ten."""
    most = min(MOST, items)
    steps = np.round(10 ** (np.arange(61) / 20)).astype(int)
    return tuple(sorted({int(k) for k in steps if k <= most} | {most}))


def sweep(name: str, rows: Any, gold: Sequence[Any], *, starts: int, processes: int | None) -> Curve:
    """Run k-means on the rows for each number of clusters, from several starts; results are cached."""
    codes = karat.encode(list(gold)).coded[0]
    ks = numbers_of_clusters(len(codes))
    blocks = [(f"{k}", Task(rows, codes, k, starts)) for k in reversed(ks)]  # the slowest first
    folder = cache_folder("sweeps", f"{name}-{_digest(rows, codes, starts)}-{__version__}")
    results = in_blocks(clustered, blocks, folder, processes, f"clustering {name}", (starts, len(MEASURES)))
    values = np.stack([results[f"{k}"] for k in ks], axis=1)
    return Curve(ks, {measure: values[:, :, index] for index, measure in enumerate(MEASURES)})


def clustered(task: Task) -> Floats:
    """The scores of a task: a row for each start, a column for each measure."""
    scored = np.empty((task.starts, len(MEASURES)))
    for start in range(task.starts):
        labels = KMeans(task.k, seed=(SEED, task.k, start)).fit_predict(task.rows)
        scores = karat.score(task.gold, labels, measures=list(MEASURES))
        scored[start] = [float(scores[measure]) for measure in MEASURES]
    return scored


def _digest(rows: Any, codes: NDArray[np.int64], starts: int) -> str:
    """A digest of the data and the method, as a name in the cache."""
    digest = hashlib.sha256(f"{METHOD} {SEED} {MEASURES} {rows.shape} {starts}".encode())
    parts = (rows.data, rows.indices, rows.indptr) if hasattr(rows, "tocsr") else (rows,)
    for part in (*parts, codes):
        digest.update(np.ascontiguousarray(part).tobytes())
    return digest.hexdigest()[:16]


def peaks(place: str, curve: Curve, printed: Mapping[str, str], how: str, note: str) -> Iterator[Claim]:
    """The claims on the numbers of clusters at which measures are highest."""
    for measure, k in printed.items():
        title = {"v_measure": "V", "q2": "Q2"}[measure]
        yield number(place, f"clusters at which {title} is highest ({how})", k, curve.peak(measure), note)


def together(place: str, curve: Curve, how: str) -> Claim:
    """The claim that V and Q2 are highest at similar numbers of clusters."""
    v, q2 = curve.peak("v_measure"), curve.peak("q2")
    text = f"k = {v} and {q2}"
    claim = f"V and Q2 are highest near each other ({how})"
    return statement(place, claim, max(v, q2) <= NEAR * min(v, q2), text, f"near: within a factor of {NEAR:g}")


def falls_faster(place: str, curve: Curve, how: str) -> Claim:
    """The claim that Q2 loses a larger share of its highest value than V does."""
    lost = {m: 1 - curve.mean(m)[-1] / (curve.mean(m).max() or 1.0) for m in ("q2", "v_measure")}
    text = f"Q2 loses {lost['q2']:.0%}, V {lost['v_measure']:.0%}"
    claim = f"as clusters increase, Q2 descends more than V ({how})"
    return statement(place, claim, lost["q2"] > lost["v_measure"], text, f"from the peak to k = {curve.ks[-1]}")


def grows(place: str, curve: Curve, how: str) -> Claim:
    """The claim that VI grows with the number of clusters."""
    r = rank_correlation(curve.mean("vi"))
    claim = f"VI grows with the number of clusters ({how})"
    return statement(place, claim, r >= RISING, f"rank correlation {r:.2f}", f"at least {RISING:g}")


def rank_correlation(values: Floats) -> float:
    """Spearman's correlation of values with their indices; ties share a rank; 0 if all values are equal."""
    ranks = np.array([(values < v).sum() + ((values == v).sum() - 1) / 2 for v in values])
    return float(np.corrcoef(ranks, np.arange(len(values)))[0, 1]) if np.ptp(ranks) else 0.0


def table(curve: Curve, title: str) -> Layout:
    """A table of the mean scores at some numbers of clusters."""
    headings = ["k", "V", "homogeneity", "completeness", "VI", "Q2"]
    shown = {min(curve.ks, key=lambda k: abs(k - wanted)) for wanted in SHOWN if wanted <= curve.ks[-1]}
    chosen = sorted(shown | {curve.peak("v_measure"), curve.peak("q2"), curve.ks[-1]})
    rows = [[str(k), *(decimals(curve.at(m, k), 3) for m in MEASURES)] for k in chosen]
    starts = several(len(curve.values["vi"]), "start")
    return Layout(title, headings, rows, [f"Means of {starts} of k-means; VI in nats, in the figure in bits."])


def records(curve: Curve, **fields: Any) -> list[dict[str, Any]]:
    """The scores of every clustering as dicts, with the given fields."""
    return [
        {**fields, "k": k, "start": start, **{m: float(curve.values[m][start, column]) for m in MEASURES}}
        for column, k in enumerate(curve.ks)
        for start in range(len(curve.values["vi"]))
    ]


def figure(curves: Mapping[str, Curve], title: str) -> Figure:
    """V and Q2 against the number of clusters, and below them VI; a column for each variant."""
    scores = {"V-measure": "v_measure", "homogeneity": "homogeneity", "completeness": "completeness", "Q2": "q2"}
    upper = [
        titled(name, partial(_panel, curve, scores, 1.0, y_label="score", y_range=(0, 1.02)))
        for name, curve in curves.items()
    ]
    lower = [partial(_panel, curve, {"VI": "vi"}, 1 / math.log(2), y_label="VI, bits") for curve in curves.values()]
    return Figure(title, [*upper, *lower], columns=len(curves), size=(5.5, 3.2))


def _panel(curve: Curve, measures: Mapping[str, str], scale: float, *, ax: Any, **options: Any) -> None:
    """Draw the means over starts, in bands from the lowest to the highest score, times scale."""
    values = {name: scale * curve.values[measure] for name, measure in measures.items()}
    means = {name: rows.mean(axis=0) for name, rows in values.items()}
    bands = {name: (rows.min(axis=0), rows.max(axis=0)) for name, rows in values.items()}
    plot.curves(curve.ks, means, bands=bands, log=True, x_label="number of clusters", ax=ax, **options)
