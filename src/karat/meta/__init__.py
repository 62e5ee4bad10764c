"""The evaluation of measures: properties of a good measure, tested on synthetic tables.

families.py     parametric class-cluster tables, with expected counts and expected numbers of pairs
desiderata.py   P1 to P7: how a measure should respond to the parameters of a family
partitions.py   all partitions of a few items
constraints.py  pairs of tables of which one should score better
properties.py   properties of a good measure, each with cases that may break it
audit.py        audit(): measures x properties
relate.py       relate(): which measures agree on a user's own systems
likelihood.py   the cross-validated likelihood of a density model, an internal criterion
"""

from karat.meta.families import Family as Family
from karat.meta.families import Grid as Grid
from karat.meta.likelihood import Likelihood as Likelihood
from karat.meta.likelihood import validated_likelihood as validated_likelihood
