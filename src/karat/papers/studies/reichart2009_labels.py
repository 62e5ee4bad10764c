"""Reichart & Rappoport (2009), section 6 and Tables 2 to 4: labels of constituents, fine-grained and clustered."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import karat
from karat.output.bars import bar
from karat.output.layout import Layout, decimals
from karat.output.numbers import several
from karat.papers.claims import Claim, statement
from karat.papers.corpora.columns import existing
from karat.papers.corpora.grammar import Constituents, constituents, syntactic_features
from karat.papers.corpora.merging import merged_labels
from karat.papers.corpora.treebanks import trees_in
from karat.papers.datasets import DATASETS, fetch
from karat.papers.figures import by_system
from karat.papers.registry import Study, paper
from karat.papers.studies.reichart2009 import SYSTEMS, TABLE_3, TABLE_4
from karat.papers.synth.kmeans import KMeans

LONGEST = 10  # words of a sentence, at most
COVERED = 0.95  # share of the constituents that the prominent labels cover
MEASURES = {"V": "v_measure", "VI": "vi", "NVI": "nvi", "NVIK": "nvik"}
ABOUT_EQUAL = 0.05  # in the paper, the three V of a corpus differ by 0.04 at most
TABLE_2 = {  # number of labels, of those with 1, < 10, < 100 and >= 100 constituents; for T, P and MDL
    "WSJ10": ("26 0 0 3 23", "8 0 0 0 8", "2916 2282 2774 2864 52"),
    "NEGRA10": ("22 0 2 12 10", "6 0 0 1 5", "1202 902 1114 1191 11"),
    "CTB10": ("24 1 4 11 13", "9 1 2 4 5", "1050 816 993 1044 6"),
}


class Labelling(NamedTuple):
    """A clustering of the constituents, and its scores."""

    labels: NDArray[np.int64]
    scores: Mapping[str, float]

    @classmethod
    def of(cls, gold: Any, labels: NDArray[np.int64]) -> Labelling:
        """Score labels by the measures of Tables 3 and 4."""
        asked = [*MEASURES.values(), "class_entropy", "cluster_entropy"]
        scores = karat.score(gold, labels, measures=asked)
        return cls(labels, {name: float(scores[name]) for name in asked})

    def sizes(self) -> list[int]:
        """The number of labels, and of those with 1, < 10, < 100 and >= 100 constituents."""
        sizes = np.bincount(self.labels)
        sizes = sizes[sizes > 0]
        return [
            int(x)
            for x in (sizes.size, (sizes == 1).sum(), (sizes < 10).sum(), (sizes < 100).sum(), (sizes >= 100).sum())
        ]


@paper("Reichart & Rappoport (2009), section 6: grammar induction")
def study(corpus: str = "potsdam") -> Study:
    """Tables 2 to 4: labels of constituents, merged and clustered; corpus as in reproduce()."""
    name = (
        DATASETS[corpus].title.partition(",")[0] if corpus == "potsdam" else os.path.basename(os.path.abspath(corpus))
    )
    path = fetch(corpus) if corpus == "potsdam" else existing(corpus, ("potsdam",))
    units = constituents(trees_in(path), longest=LONGEST)
    gold = units.gold
    target, prominent = _numbers(gold)
    with bar("merging labels", None) as advance:
        merged = merged_labels(units, progress=lambda *_: advance())
    labellings = {
        "MDL": Labelling.of(gold, merged),
        "T": Labelling.of(gold, clustered(units, merged, target)),
        "P": Labelling.of(gold, clustered(units, merged, prominent)),
    }
    short = "computed"
    remarks = (
        f"On {name}: {several(units.sentences, 'sentence')} of at most {LONGEST} words, {len(gold):,} constituents, "
        f"{target} gold labels, of which {prominent} cover {COVERED:.0%}",
        "the brackets and the parts of speech are gold's, where the paper's came from unsupervised parsers and taggers",
    )
    values = {m: {short: [labellings[s].scores[MEASURES[m]] for s in SYSTEMS], **_printed(m)} for m in ("V", "NVI")}
    return Study(
        list(_claims(labellings)),
        {"table-3-labels": by_system(values, SYSTEMS, f"Table 3: V and NVI of three labelings; {name} is computed")},
        [_table_2(short, labellings), _table_3(short, labellings), _table_4(short, labellings)],
        [{"labelling": s, **labellings[s].scores, "labels": labellings[s].sizes()[0]} for s in SYSTEMS],
        remarks,
    )


def _numbers(gold: Any) -> tuple[int, int]:
    """The numbers of clusters T, that of the gold labels, and P, the fewest labels that cover 95% of constituents."""
    sizes = np.sort(np.unique(gold, return_counts=True)[1])[::-1]
    return sizes.size, int(np.searchsorted(np.cumsum(sizes), COVERED * sizes.sum(), side="right")) + 1


def clustered(units: Constituents, labels: NDArray[np.int64], k: int) -> NDArray[np.int64]:
    """Labels merged into k clusters by k-means over syntactic features, weighted by frequency.

    The initial centres are the k most frequent labels, which have the lowest numbers.
    """
    features = syntactic_features(units, labels).values
    k = min(k, len(features))
    sizes = np.bincount(labels, minlength=len(features))
    joined = KMeans(k, start=features[:k]).fit_predict(features, sample_weight=sizes)
    return np.asarray(joined[labels])


def _claims(labellings: Mapping[str, Labelling]) -> Iterator[Claim]:
    values = {name: [labellings[system].scores[text] for system in SYSTEMS] for name, text in MEASURES.items()}
    shown = {name: ", ".join(f"{value:.2f}" for value in row) for name, row in values.items()}
    other = "another corpus than the paper's, with gold brackets and parts of speech; MDL, T, P in this order"
    spread = max(values["V"]) - min(values["V"])
    claim = f"V is about the same for MDL, T and P (within {ABOUT_EQUAL})"
    yield statement("Table 3", claim, spread <= ABOUT_EQUAL, shown["V"], other)
    for name in ("VI", "NVI"):
        fewer = values[name][0] > values[name][1] > values[name][2]
        yield statement("Table 3", f"{name} prefers few labels: P to T to MDL", fewer, shown[name], other)
    best = values["NVIK"][0] < min(values["NVIK"][1:])
    yield statement("Table 3", "NVIK prefers MDL labels", best, shown["NVIK"], other)
    entropies = [labellings[system].scores["cluster_entropy"] for system in SYSTEMS]
    text = ", ".join(f"{value:.2f}" for value in entropies)
    more = entropies[0] > entropies[1] > entropies[2]
    joined = "T and P join labels of MDL, so only T against P could fail"
    yield statement("Table 4", "H(K) increases with the number of labels", more, text, joined)
    labels, single = labellings["MDL"].sizes()[:2]
    text = f"{single} of {labels}"
    yield statement("Table 2", "most MDL labels annotate one constituent", single > labels / 2, text, other)


def _printed(measure: str) -> dict[str, list[float]]:
    row = list(MEASURES).index(measure)
    return {f"{corpus}, printed": [float(x) for x in rows[row].split()] for corpus, rows in TABLE_3.items()}


def _table_2(name: str, labellings: Mapping[str, Labelling]) -> Layout:
    headings = [
        "corpus",
        *(f"{system}: {size}" for system in ("T", "P", "MDL") for size in ("L", "=1", "<10", "<100", "≥100")),
    ]
    computed = [str(size) for system in ("T", "P", "MDL") for size in labellings[system].sizes()]
    printed = [[f"{corpus}, printed", *" ".join(rows).split()] for corpus, rows in TABLE_2.items()]
    note = "L: how many labels; then those that annotate one constituent, less than 10, less than 100, 100 or more."
    return Layout(
        "Table 2: labels by how many constituents they annotate", headings, [[name, *computed], *printed], [note]
    )


def _table_3(name: str, labellings: Mapping[str, Labelling]) -> Layout:
    headings = ["corpus", *(f"{measure}: {system}" for measure in MEASURES for system in SYSTEMS)]
    computed = [decimals(labellings[system].scores[text], 2) for text in MEASURES.values() for system in SYSTEMS]
    printed = [[f"{corpus}, printed", *" ".join(rows).split()] for corpus, rows in TABLE_3.items()]
    return Layout("Table 3: V, VI, NVI and NVIK", headings, [[name, *computed], *printed], ["In nats."])


def _table_4(name: str, labellings: Mapping[str, Labelling]) -> Layout:
    headings = ["corpus", "H(C)", *(f"H(K): {system}" for system in SYSTEMS)]
    scores = [labellings[system].scores for system in SYSTEMS]
    computed = [scores[0]["class_entropy"], *(row["cluster_entropy"] for row in scores)]
    printed = [[f"{corpus}, printed", *map(str, (gold, *rest))] for corpus, (gold, rest) in TABLE_4.items()]
    return Layout("Table 4: entropies", headings, [[name, *(decimals(x, 2) for x in computed)], *printed], ["In nats."])
