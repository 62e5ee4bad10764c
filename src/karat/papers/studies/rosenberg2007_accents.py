"""Rosenberg & Hirschberg (2007), section 5.2 and Figure 5: pitch accents clustered by k-means, and scored."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from karat.errors import KaratError
from karat.machine.caches import cache_folder, remove
from karat.output.bars import bar
from karat.output.numbers import several
from karat.papers.claims import Claim, statement
from karat.papers.corpora.columns import existing
from karat.papers.corpora.features import Numbers, read_numbers
from karat.papers.corpora.festival import is_complete, make_corpus
from karat.papers.corpora.prosody import measure, praat
from karat.papers.corpora.speech import recordings
from karat.papers.datasets import DATASETS, load, path
from karat.papers.registry import Study, paper
from karat.papers.studies.rosenberg2007_documents import lower_peak
from karat.papers.sweeps import RISING, Curve, figure, grows, peaks, rank_correlation, records, sweep, table
from karat.version import __version__

VARIANTS = {"text": "features as they are", "standardised": "features standardised"}
STARTS = 5
METHOD = 1  # version of the synthesis; raise it to invalidate cached speech
SYNTHESISED = "festival"  # the corpus that is synthesised on this machine
SIZE = 1200  # accented words of the synthesised corpus
RISE = 30  # number of clusters from which V rises again in the paper
STABLE = 0.25  # completeness is stable if it changes by less than this share of homogeneity's change


def corpus_of(corpus: str, gold: str | None = None) -> Numbers:
    """Features of accented words: of synthesised speech, of recordings, or the columns of a table."""
    if corpus == "vowels":
        data = load(corpus)
        return Numbers(DATASETS[corpus].title, data.gold, data.features)
    if corpus == SYNTHESISED:
        return _measured(_synthesised(), "speech synthesised by Festival")
    if os.path.isdir(corpus):
        return _measured(corpus, os.path.basename(os.path.abspath(corpus)))
    return read_numbers(existing(corpus, (SYNTHESISED, "vowels")), gold=gold)


def _synthesised() -> str:
    """The cached folder of the synthesised corpus, which is created on first use."""
    praat()  # fail before the long synthesis if it is not installed
    folder = os.path.join(cache_folder("speech"), f"festival-{SIZE}-{METHOD}-{__version__}")
    if not is_complete(folder, SIZE):
        remove(folder)
        with bar("speaking", SIZE) as advance:
            make_corpus(folder, SIZE, progress=advance)
    return folder


def _measured(folder: str, name: str) -> Numbers:
    recorded = recordings(folder)
    with bar("measuring pitch", len(recorded)) as advance:
        measured = measure(recorded, progress=advance)
    return Numbers(name, measured.labels, measured.features, tuple(measured.remarks))


def sampled(corpus: Numbers, keep: Mapping[str, float]) -> Numbers:
    """Keep a random share of some classes, by a fixed seed; the paper kept a tenth of the H* accents."""
    chosen = np.ones(len(corpus.gold), bool)
    gold = np.asarray([str(label) for label in corpus.gold])  # labels as text, as typed in keep
    rng = np.random.default_rng(2007)
    for label, share in keep.items():
        indices = np.flatnonzero(gold == label)
        if not indices.size or not 0 < share <= 1:
            known = ", ".join(sorted(set(gold.tolist())))
            raise KaratError(f"no share of {share!r} of {label!r} can be kept; give one up to 1 of one of {known}.")
        number = max(1, round(share * indices.size))
        chosen[indices] = False
        chosen[rng.choice(indices, number, replace=False)] = True
    remarks = tuple(f"a share of {share:g} of {label} is kept" for label, share in keep.items())
    kept = [label for label, selected in zip(corpus.gold, chosen, strict=True) if selected]
    return Numbers(corpus.name, kept, corpus.features[chosen], (*corpus.remarks, *remarks))


@paper("Rosenberg & Hirschberg (2007), section 5.2: pitch accent clustering", variants=VARIANTS)
def study(
    corpus: str = SYNTHESISED, *, gold: str | None = None, keep: Mapping[str, float] | None = None,
    iterations: int = STARTS, variant: str | None = None, processes: int | None = None,
) -> Study:  # fmt: skip
    """Figure 5: pitch accents clustered by k-means; parameters as in reproduce()."""
    items = sampled(corpus_of(corpus, gold), keep or {})
    curves = {
        how: sweep("accents", _scaled(items.features, name), items.gold, starts=iterations, processes=processes)
        for name, how in VARIANTS.items()
        if variant in (None, name)
    }
    sizes = ", ".join(f"{label} {number}" for label, number in Counter(items.gold).most_common())
    starts = several(iterations, "start")
    remarks = [f"On {items.name}: {several(len(items.gold), 'item')} ({sizes}); {starts} of k-means for each k"]
    claims = list(_claims(items, curves))
    best = _documents(processes) if corpus == SYNTHESISED else None
    if corpus == SYNTHESISED and best is None:
        remarks.append(
            "not compared with documents: that needs karat data fetch reuters, and pip install snowballstemmer"
        )
    if best is not None:
        claims += [_lower(curve, best, how) for how, curve in curves.items()]
    return Study(
        claims,
        {"figure-5": figure(curves, f"Figure 5: pitch accents, {items.name}")},
        [table(curve, f"{how}, {items.name}") for how, curve in curves.items()],
        [record for how, curve in curves.items() for record in records(curve, reading=how)],
        (*remarks, *items.remarks),
    )


def _scaled(features: Any, variant: str) -> Any:
    if variant == "text":
        return features
    spread = features.std(axis=0)
    return (features - features.mean(axis=0)) / np.where(spread > 0, spread, 1)


def _documents(processes: int | None) -> float | None:
    """The highest V on documents, for the variant that reaches less; None if their data are not cached."""
    try:
        path("reuters")
        return lower_peak(processes)
    except KaratError:
        return None


def _claims(items: Numbers, curves: Mapping[str, Curve]) -> Iterator[Claim]:
    other = f"{items.name} stands for the paper's part of the Boston Directions Corpus, which is not free"
    for how, curve in curves.items():
        yield from peaks("Figure 5", curve, {"q2": "10"}, how, other)
        after = curve.mean("q2")[curve.ks.index(curve.peak("q2")) :]
        falling = rank_correlation(-after) if len(after) > 2 else 0.0
        text = f"{after[0]:.3f} at k = {curve.peak('q2')}, {after[-1]:.3f} at k = {curve.ks[-1]}"
        yield statement("5.2", f"Q2 descends after its peak ({how})", falling >= RISING, text, other)
        yield from _rises(curve, how, other)
        yield grows("5.2", curve, how)


def _rises(curve: Curve, how: str, note: str) -> Iterator[Claim]:
    """The claims that from about 30 clusters on V and homogeneity rise while completeness is stable."""
    if curve.ks[-1] < 2 * RISE:
        return  # too few items to test the claim
    change = {m: float(curve.mean(m)[-1]) - curve.at(m, RISE) for m in ("v_measure", "homogeneity", "completeness")}
    rising = rank_correlation(curve.mean("v_measure")[[k >= RISE for k in curve.ks]])
    text = f"V {change['v_measure']:+.3f}, rank correlation {rising:.2f}"
    claim = f"from about {RISE} clusters on, V rises ({how})"
    yield statement("5.2", claim, rising >= RISING, text, note)
    text = f"homogeneity {change['homogeneity']:+.3f}, completeness {change['completeness']:+.3f}"
    stays = abs(change["completeness"]) < STABLE * change["homogeneity"]
    yield statement("5.2", f"there homogeneity grows, completeness is stable ({how})", stays, text, note)


def _lower(curve: Curve, best: float, how: str) -> Claim:
    highest = float(curve.mean("v_measure").max())
    text = f"{highest:.2f} and {best:.2f}"
    claim = f"accents reach a lower V than documents of either reading ({how})"
    return statement("5.2", claim, highest < best, text, "both corpora are others than the paper's")
