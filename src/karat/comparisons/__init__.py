"""Comparisons of systems: which is better, and whether the difference is significant.

paired.py     scores of all systems and their covariances
verdicts.py   differences, p-values adjusted by Holm's method, ranks
sweeps.py     systems whose names differ in a number, such as k=10
sentences.py  the title, the verdicts and the notes of a comparison, in words
printed.py    its tables of scores, intervals and differences
results.py    Comparison: the result
agreement.py  agreement(): systems compared with each other, without gold
comparing.py  compare()
"""
