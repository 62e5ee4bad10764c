"""Data frame engines: pandas, Polars, PyArrow, DuckDB, Dask, Spark and others supported by narwhals do the group-by.

keys.py        columns by exact name; keys in place of labels that an engine would merge
sums.py        exact sums of counts and weights
queries.py     queries in narwhals: cells, histograms of sizes, sums
cells.py       Cells: the interface to cells stored in an engine, and its narwhals implementation
dialects.py    differences between engines that narwhals does not hide: caching, collecting, errors
duckdb.py      DuckDB relations, queried in SQL
noise.py       noise among cells that stay in the engine
counts.py      EngineCounts: a clustering whose cells stay in the engine
collecting.py  Columns and FrameSystems: cells are collected when few, else they stay in the engine
paths.py       files opened by Polars or Spark
"""
