"""Output: results laid out for a terminal, a paper, a notebook or another program; nothing here computes a score.

layout.py   tables of text, for terminals, Markdown, LaTeX and HTML; numbers and labels as they are shown
frames.py   results as data frames
result.py   Result: what every verb gives
bars.py     progress bars
"""
