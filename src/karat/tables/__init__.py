"""Tables: counts of items by class and cluster, and the sums over them that statistics use.

counts.py     Counts and Statistic: the interface between tables and statistics
profile.py    Profile: how many cells, classes and clusters there are of each size; every separable sum, exactly
totals.py     how many items a table may have
matrices.py   dense and sparse matrices, and crosstab frames, as cells
merging.py    sums and differences of tables, as cells
table.py      Table
moves.py      Moves: many changes of a clustering, from which statistics are updated
systems.py    gold and several systems as tables, also by group
stack.py      Stack: many small tables at once
trivial.py    trivial clusterings: one cluster, and singletons
storage.py    tables in JSON and Parquet files
"""
