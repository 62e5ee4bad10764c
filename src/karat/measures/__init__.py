"""Measures: formulas over statistics, with what is promised of each.

arithmetic.py  the words that formulas are written in
syntax.py      the text of a measure, taken apart and put together
registry.py    Measure, the decorator @measure, and the registry
parsing.py     parse() and wrap(): measures from their text, and from plain functions
declared.py    all families, in the order in which measures are listed
cards.py       measures to read about

Every other file is a family: its statistics on top (or those of information.py), its measures below.
"""

import karat.measures.declared  # noqa: F401 (whichever file is asked for first, measures are declared in their order)
