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

from karat.machine.modules import module_names


def list_studies() -> dict[str, list[str]]:
    """The names of the experiments of each paper in studies/, without loading the modules.

    >>> list_studies()["reichart2009"]
    ['labels']
    """
    papers: dict[str, list[str]] = {}
    for name in module_names(os.path.join(__path__[0], "studies")):
        paper, _, experiment = name.partition("_")
        papers.setdefault(paper, []).extend([experiment] if experiment else [])
    return papers
