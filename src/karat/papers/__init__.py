"""Papers reproduced, claim by claim: what is printed beside what is computed.

claims.py       a claim and its verdict
figures.py      drawing, if matplotlib is installed
pages.py        reproduce(): a paper's claims, its page and its figures
and a module for each paper.
"""

PAPERS = ("dom2001", "rosenberg2007", "reichart2009", "manning2008", "kishida2014")
