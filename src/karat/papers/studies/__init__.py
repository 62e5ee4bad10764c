"""The papers that are reproduced, a module for each, and one for each experiment on a corpus.

PAPER.py declares by @paper the function study(), which computes the paper's results again; PAPER_EXPERIMENT.py
declares that of an experiment of the paper.
"""
