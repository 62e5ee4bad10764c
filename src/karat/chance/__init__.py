"""Chance: null models, expected values under them, adjusted measures, and p-values.

nulls.py      null models: random clusterings drawn from them, and their expected sizes
moments.py    exact moments of the number of pairs joined by both sides
adjusting.py  expected values, adjusted() and standardized() measures
p_values.py   p_value() and significance()
"""
