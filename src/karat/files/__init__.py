"""Files of labels: what they are, what is in them, and the tables they give.

inputs.py    a path, a pattern or standard input, and of which kind it is
text.py      small delimited files, JSON lines, one label per line, read by the standard library
members.py   formats in which items are named: communities, Senseval keys
arrays.py    NumPy, Arrow and AnnData files
queries.py   large, compressed and Parquet files, read by DuckDB, out of core
roles.py     which column is the item, which gold, which predicted
reading.py   read(): from paths to tables
"""
