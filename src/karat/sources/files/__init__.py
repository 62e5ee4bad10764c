"""Files of labels: what they are, what is in them, and the systems they give.

inputs.py    a path, a pattern or standard input, and of which kind it is
contents.py  the bytes of a text, unpacked, and no more of them than memory holds
text.py      small delimited files, JSON lines, one label per line, read by the standard library
members.py   formats in which items are named by themselves: communities, Senseval keys
arrays.py, arrow.py
             NumPy and Arrow files, checked before use
observations.py, hdf5.py
             AnnData files, read by a process of its own
sources.py   one file's columns, whatever its kind
roles.py     which column is the item, which gold, which predicted
problems.py  what to say of ids and labels that do not fit
options.py   the options of read(), as one object
matching.py  columns in memory, aligned
sql.py, headers.py, queries.py, progress.py, counting.py
             large, compressed and Parquet files, read by DuckDB out of core, and aligned
reading.py   read_files(): from paths to gold and systems
"""
