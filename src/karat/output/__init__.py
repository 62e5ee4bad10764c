"""Output: results laid out for a terminal, a paper, a notebook or another program; nothing here computes a score.

layout.py   tables as text, Markdown, LaTeX and HTML; formats of numbers and labels
frames.py   results as data frames
result.py   Result: the base class of all results
bars.py     progress bars
numbers.py  counts and weights as text
files.py    files written atomically
"""
