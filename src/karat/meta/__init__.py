"""The judgement of measures: synthetic tables, and what a good measure does with them.

families.py    parametric class-cluster tables, with expected counts and expected numbers of pairs
desiderata.py  P1 to P7: how a measure should respond to the parameters of a family
partitions.py  all partitions of a few items
"""
