"""Measures: formulas over statistics, with the declared properties of each.

arithmetic.py  the functions that formulas are written with
syntax.py      the text of a measure, parsed and formatted
registry.py    Measure, the decorator @measure, and the registry
parsing.py     parse() and wrap(): measures from their text, and from plain functions
declared.py    all families, in the order in which measures are listed
cards.py       the list of measures, and a card describing one

Every other file is a family: its statistics first (some use those of information.py), then its measures.
"""

import karat.measures.declared  # noqa: F401 (whichever file is asked for first, measures are declared in their order)
