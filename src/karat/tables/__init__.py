"""Tables: counts of items by class and cluster, and what statistics may ask of them.

counts.py     Counts and Statistic: what a statistic is, and what it may ask
profile.py    Profile: how many cells, classes and clusters there are of each size; every separable sum, exactly
entropies.py  entropies of the population that a sample is from
matrices.py   dense and sparse matrices, and crosstab frames, as cells
table.py      Table
systems.py    gold and several systems as tables, also by group
stack.py      Stack: many small tables at once
trivial.py    trivial clusterings: one cluster, and singletons
storage.py    tables in JSON and Parquet files
"""
