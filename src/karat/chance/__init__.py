"""Chance: null models, expected values under them, adjusted measures, and p-values.

nulls.py      models of random clusterings: drawn, and on average
moments.py    exact moments of the pairs that both sides join
adjusting.py  expected values, adjusted() and standardized() measures
p_values.py   p_value() and significance()
"""
