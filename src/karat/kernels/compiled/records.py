# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# cython: freethreading_compatible=True
"""The records of delimited text."""

import cython


def scan_records(data, delimiter, state):
    """See the twin."""
    byte: cython.const[cython.uchar][::1] = data
    entries: cython.longlong[::1] = state
    where: cython.int = entries[0]
    delimiters: cython.longlong = entries[1]
    expected: cython.longlong = entries[2]
    separator: cython.int = delimiter
    one: cython.int
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(byte.shape[0] if where != 5 else 0):
            one = byte[i]
            if where == 3:  # quoted
                if one == 34:
                    where = 4
            elif one == separator:
                where = 0
                delimiters += 1
            elif one == 10 or one == 13:
                if where != 0 or delimiters != 0:
                    if expected < 0:
                        expected = delimiters
                    if delimiters != expected:
                        where = 5
                        break
                where = 0
                delimiters = 0
            elif one == 34:
                if where == 1:
                    where = 5
                    break
                if where != 2:
                    where = 3
            elif where == 4:
                where = 5
                break
            elif where != 2:
                where = 1 if one == 32 or one == 9 else 2
    entries[0] = where
    entries[1] = delimiters
    entries[2] = expected
