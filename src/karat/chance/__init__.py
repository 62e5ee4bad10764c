"""Chance: null models, expected values under them, adjusted measures, and p-values.

nulls.py         null models: random clusterings drawn from them, and their expected sizes
moments.py       exact moments of the number of pairs joined by both sides
affine.py        whether a formula is affine in its statistics
expectations.py  exact expectations of measures
joined.py        measures that depend only on the number of pairs joined by both sides
draws.py         random clusterings drawn, and their scores
adjusting.py     adjusted() and standardized() measures
p_values.py      p_value() and significance()
"""
