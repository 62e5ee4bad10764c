"""Loops in Cython's pure-Python mode; each has a NumPy twin of the same name in the file of the same name above."""
