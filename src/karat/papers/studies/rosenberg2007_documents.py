"""Rosenberg & Hirschberg (2007), section 5.1 and Figure 4: documents clustered by k-means, and scored."""

from __future__ import annotations

from collections.abc import Iterator

from karat.output.numbers import several
from karat.papers.claims import Claim, number
from karat.papers.corpora.columns import existing
from karat.papers.corpora.terms import Vectors, unit_length, vectors
from karat.papers.corpora.texts import Texts, read_texts
from karat.papers.datasets import DATASETS, load
from karat.papers.registry import Study, paper
from karat.papers.sweeps import Curve, falls_faster, figure, grows, peaks, records, sweep, table, together

VARIANTS = {"text": "tf-idf as it is", "unit": "vectors of unit length"}
CORPORA = ("reuters", "newsgroups", "r8", "r52")
STARTS = 5


def corpus_of(corpus: str, gold: str | None = None, text: str | None = None) -> Texts:
    """The documents of a named data set, or of the user's folder or file."""
    if corpus in CORPORA:
        data = load(corpus)
        return Texts(DATASETS[corpus].title, data.gold, data.texts)
    return read_texts(existing(corpus, CORPORA), gold=gold, text=text)


@paper("Rosenberg & Hirschberg (2007), section 5.1: document clustering", variants=VARIANTS)
def study(
    corpus: str = "reuters", *, gold: str | None = None, text: str | None = None,
    iterations: int = STARTS, variant: str | None = None, processes: int | None = None,
) -> Study:  # fmt: skip
    """Figure 4: documents clustered by k-means; parameters as in reproduce()."""
    texts = corpus_of(corpus, gold, text)
    weighted = vectors(texts.texts)
    curves = {
        how: curve_of(texts, weighted, name, iterations, processes)
        for name, how in VARIANTS.items()
        if variant in (None, name)
    }
    remarks = (
        f"On {texts.name}: {len(texts.gold):,} documents in {len(set(texts.gold))} classes; {len(weighted.terms):,} of "
        f"{weighted.vocabulary:,} stems weigh most in some document; "
        f"{several(iterations, 'start')} of k-means for each k",
        *texts.remarks,
    )
    return Study(
        tuple(_claims(texts, weighted, curves)),
        {"figure-4": figure(curves, f"Figure 4: documents, {texts.name}")},
        [table(curve, f"{how}, {texts.name}") for how, curve in curves.items()],
        [record for how, curve in curves.items() for record in records(curve, reading=how)],
        remarks,
    )


def curve_of(texts: Texts, weighted: Vectors, variant: str, starts: int, processes: int | None) -> Curve:
    """The measures against the number of clusters."""
    weights = unit_length(weighted.weights) if variant == "unit" else weighted.weights
    return sweep("documents", weights, texts.gold, starts=starts, processes=processes)


def lower_peak(processes: int | None) -> float:
    """The highest V on the default corpus, for the variant that reaches less."""
    texts = corpus_of("reuters")
    weighted = vectors(texts.texts)
    curves = [curve_of(texts, weighted, variant, STARTS, processes) for variant in VARIANTS]
    return min(float(curve.mean("v_measure").max()) for curve in curves)


def _claims(texts: Texts, weighted: Vectors, curves: dict[str, Curve]) -> Iterator[Claim]:
    other = (
        f"{texts.name} with {len(texts.gold):,} documents in {len(set(texts.gold))} classes stands for "
        "the paper's part of TDT-4, which is not free, with 1,884 in 12"
    )
    yield number("5.1", "terms that are chosen", "484", len(weighted.terms), other)
    for how, curve in curves.items():
        yield from peaks("Figure 4", curve, {"v_measure": "35", "q2": "35"}, how, other)
        yield together("5.1", curve, how)
        yield falls_faster("5.1", curve, how)
        yield grows("5.1", curve, how)
