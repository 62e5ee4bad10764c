"""Scoring: from gold and systems to scores, for one system, several, or groups of items.

options.py    the options that verbs share, each declared and explained once
given.py      types of the arguments of verbs, for type checkers
arguments.py  what the arguments of a verb stand for
frames.py     columns of frames as gold and systems
evaluation.py Evaluation: gold and systems on the same items, under one policy
read.py       read(): files as an Evaluation
joint.py      counts of items by class and cluster in every system
panels.py     the measures asked for, or the default panel
scores.py     Scores: one system by several measures
by_system.py  the base of results that are mappings from systems to Scores
boards.py     Board: several systems side by side
groups.py     GroupScores: groups of items, with means over them
signatures.py the line that says how scores were computed
score.py      score()
table.py      table()
"""

MAIN = "ami"  # the measure that systems are judged by, where none is named
WEIGHTED_MAIN = "v_measure"  # in its stead where items are weighted, for which ami is not defined
