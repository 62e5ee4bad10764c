"""Reproductions of papers, claim by claim: printed results beside computed ones.

studies/        the papers, a module for each, and one for each experiment on a corpus
registry.py     what a paper declares, and what it computes
claims.py       a claim of a paper and its verdict
figures.py      figures of the papers, drawn with karat.plot
pages.py        reproduce(): a paper's claims, its page and its figures
runs.py         long computations in blocks, cached
sweeps.py       k-means for increasing numbers of clusters
corpora/        texts, speech and treebanks, read and turned into features
datasets/       data sets with gold, downloaded on demand
synth/          synthetic documents, and clustering algorithms
"""

import os


def list_studies() -> dict[str, list[str]]:
    """The names of the experiments of each paper in studies/, without loading the modules.

    >>> list_studies()["reichart2009"]
    ['labels']
    """
    files = sorted(file for folder in __path__ for file in os.listdir(os.path.join(folder, "studies")))
    papers: dict[str, list[str]] = {}
    for name in (file.removesuffix(".py") for file in files if file.endswith(".py") and not file.startswith("_")):
        paper, _, experiment = name.partition("_")
        papers.setdefault(paper, []).extend([experiment] if experiment else [])
    return papers
