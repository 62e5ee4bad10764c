"""Papers reproduced, claim by claim: what is printed beside what is computed.

claims.py       a claim and its verdict
figures.py      drawing, if matplotlib is installed
pages.py        reproduce(): a paper's claims, its page and its figures
runs.py         long work in blocks, kept in the cache
studies.py      what an experiment on a corpus gives
sweeps.py       k-means with more and more clusters
and a module for each paper and for each experiment.
"""

PAPERS = ("dom2001", "rosenberg2007", "reichart2009", "manning2008", "kishida2014")
EXPERIMENTS = {  # on corpora, each in a module of its own
    "rosenberg2007": {"documents": "documents", "accents": "accents"},
    "reichart2009": {"labels": "constituents"},
}
