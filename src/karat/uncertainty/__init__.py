"""Uncertainty of scores: standard errors and confidence intervals over samples of items.

sampling.py   Interval, its cautions, and the options of intervals
influence.py  the influence of each item on a score: leave-one-out (jackknife)
resamples.py  bootstrap resamples of a table, many at a time
intervals.py  a confidence interval for each score of a table
"""
