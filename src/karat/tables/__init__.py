"""Tables: counts of items by class and cluster, and the sums over them that statistics use.

counts.py     Counts and Statistic: the interface between tables and statistics
profile.py    Profile: how many cells, classes and clusters there are of each size; every separable sum, exactly
entropies.py  bias-corrected entropies of the population from which the items were sampled
matrices.py   dense and sparse matrices, and crosstab frames, as cells
table.py      Table
systems.py    gold and several systems as tables, also by group
stack.py      Stack: many small tables at once
trivial.py    trivial clusterings: one cluster, and singletons
storage.py    tables in JSON and Parquet files
"""
