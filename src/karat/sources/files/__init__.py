"""Files of labels: from paths to gold and systems.

inputs.py    a path, a pattern or standard input, and its file format
contents.py  the decompressed bytes of a text file, within the limits of size
text.py      small delimited files, JSON lines, one label per line, read by the standard library
members.py   formats that name items: communities, Senseval keys
arrays.py, arrow.py
             NumPy and Arrow files, validated before use
observations.py, hdf5.py
             AnnData files, read in a separate process
sources.py   Source: the columns of a file of any format
roles.py     which column holds item ids, which gold, which predicted labels
problems.py  error messages about ids and labels
options.py   the options of read(), as one object
matching.py  alignment of columns in memory
sql.py, headers.py, queries.py, progress.py, counting.py
             large, compressed and Parquet files, read and aligned by DuckDB out of core
reading.py   read_files(): from paths to gold and systems
"""
