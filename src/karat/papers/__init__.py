"""Reproductions of papers, claim by claim: printed results beside computed ones.

claims.py       a claim of a paper and its verdict
figures.py      figures of the papers, drawn with matplotlib
pages.py        reproduce(): a paper's claims, its page and its figures
runs.py         long computations in blocks, cached
studies.py      the result of an experiment on a corpus
sweeps.py       k-means for increasing numbers of clusters
and a module for each paper and for each experiment.
"""

PAPERS = ("dom2001", "rosenberg2007", "reichart2009", "manning2008", "kishida2014")
EXPERIMENTS = {  # on corpora, each in a module of its own
    "rosenberg2007": {"documents": "documents", "accents": "accents"},
    "reichart2009": {"labels": "constituents"},
}
