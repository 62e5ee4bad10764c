"""Explanations: what is wrong with a clustering, and what mending it would do.

anatomy.py      a table taken apart: what each class and cluster adds to what is wrong
moves.py        changes of a clustering, many at once: what they add to the statistics
updates.py      the value of a measure after each change
candidates.py   which two clusters to try to join
findings.py     the best merges and splits, odd ones out
problems.py     the largest problems in plain words
items.py        items one by one: which are wrong
explanation.py  Explanation, and pages.py: how it is printed; several.py: those of several systems or groups
explaining.py   explain()
matching.py     match(): clusters named by the classes that they stand for
"""

from karat.explanations.explaining import explain as explain
from karat.explanations.explanation import Explanation as Explanation
