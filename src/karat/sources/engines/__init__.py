"""Data where it lives: pandas, Polars, PyArrow, DuckDB, Dask, Spark and others that narwhals knows do the group-by.

queries.py     what is asked of an engine: cells, histograms of sizes, sums
cells.py       what may be asked of cells that an engine holds, and the answers by way of narwhals
dialects.py    where engines differ behind narwhals: keeping, collecting, failing
relations.py   DuckDB's relations, in its own words
counts.py      EngineCounts: a clustering whose cells stay in the engine
collecting.py  table() and counted_frame(): cells collected when they are few, else left where they are
paths.py       files opened by Polars or Spark
"""
