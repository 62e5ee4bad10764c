"""Sources: where labels come from.

files/    files of every kind, small ones read by the standard library, large ones by DuckDB
engines/  frames of engines such as Polars, DuckDB and Spark, counted in the engine
"""
