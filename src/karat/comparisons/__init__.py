"""Comparisons of systems: which is better, and whether the difference is significant.

paired.py     scores of all systems and their covariances
verdicts.py   differences, p-values adjusted by Holm's method, ranks
results.py    Comparison: the result, as text, records and JSON
sweeps.py     systems whose names differ in a number, such as k=10
agreement.py  agreement(): systems compared with each other, without gold
comparing.py  compare()
"""
