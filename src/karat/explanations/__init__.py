"""Explanations: the errors of a clustering, and how much repairing them would improve a measure.

anatomy.py      the contribution of each class and cluster to the error
moves.py        repairs, splits and merges, many at once: their changes of the statistics
updates.py      the value of a measure after each change
candidates.py   which pairs of clusters to try to merge
findings.py     the best merges and splits, and odd ones out
problems.py     the largest problems in plain words
items.py        the items that are in the wrong cluster
explanation.py  Explanation; pages.py: its printed text; several.py: explanations of several systems or groups
explaining.py   explain()
matching.py     match(): the best one-to-one map of clusters to classes
"""

from karat.explanations.explaining import explain as explain
from karat.explanations.explanation import Explanation as Explanation
