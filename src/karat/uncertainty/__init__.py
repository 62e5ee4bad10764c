"""How sure scores are: what other items of the same kind would have given.

sampling.py   Interval, and how intervals are asked for
influence.py  what each item adds to a score: the score without it
resamples.py  bootstrap resamples of a table, many at a time
intervals.py  an interval for each score of a table
"""
