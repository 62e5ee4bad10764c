"""Systems beside each other: which is better, and whether that is more than chance.

paired.py     scores of all systems and how they vary together
verdicts.py   differences, p-values corrected for their number, ranks
results.py    Comparison: what is printed
sweeps.py     systems that differ by a number, such as k=10
agreement.py  agreement(): systems among themselves, without gold
comparing.py  compare()
"""
