"""Uncertainty of scores: standard errors and confidence intervals over samples of items.

registry.py   methods of intervals: how one is declared, and which there are
methods/      the methods, one file each
sampling.py   Sampling: the options of intervals, each declared once
interval.py   Interval, and its cautions
reference.py  the normal and t distributions of estimates
influence.py  the influence of each item on a score: leave-one-out (jackknife)
resamples.py  bootstrap resamples of a table, many at a time
validity.py   when an interval can be trusted
sample.py     Sample: what a method is given
intervals.py  a confidence interval for each score of a table
wording.py    text about intervals
"""
