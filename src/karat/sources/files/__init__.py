"""Files of labels: from paths to gold and systems.

options.py      the options of read(), each declared once
registry.py     Format: what a file format declares; formats(): all of them
formats/        one file for each format, with its reader
paths.py        the files that a name, a pattern or standard input stands for
recognition.py  the format and the compression of a file
inputs.py       Input: files, their format, and the options of reading
contents.py     the decompressed bytes of a text file, within the limits of size
text.py         decoded text
arrays.py, arrow.py
                NumPy and Arrow files, validated before use
observations.py, hdf5.py
                AnnData files, read in a separate process
sources.py      Source: the columns of a file of any format; errors of libraries as one sentence
roles.py        which column holds item ids, which gold, which predicted labels
messages.py     error messages about ids and labels
matching.py     alignment of columns in memory
database.py, sql.py, progress.py
                DuckDB, which reads large, compressed and Parquet files out of core
selecting.py, codes.py, queries.py, counting.py
                columns selected in DuckDB, labels encoded, items joined and counted
reading.py      read_files(): from paths to gold and systems
"""
