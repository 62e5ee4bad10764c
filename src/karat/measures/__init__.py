"""Measures: formulas over statistics, with the declared properties of each.

arithmetic.py         the functions that formulas are written with
syntax.py             the text of a measure, parsed and formatted
constraints.py        the formal constraints that a measure may break
references.py         papers as citations
panel.py              the default panel
registry.py           Measure, the decorator @measure, and the registry
parsing.py            parse() and wrap(): measures from their text, and from plain functions
derived.py            measures derived from another measure
declared.py           loads all files, in the order in which families are listed
cards.py              the list of measures, and a card describing one

entropies.py          statistics: entropies, and log n
expected_entropies.py statistics: expected entropies under shuffled labels
entropy_estimates.py  bias-corrected entropies of the population from which the items were sampled
pair_counts.py        statistics: pairs of items, and sums of squares

Every other file declares measures, after the statistics that only they use.
"""

import karat.measures.declared  # noqa: F401 (whichever file is asked for first, measures are declared in their order)
