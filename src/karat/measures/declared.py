"""Every measure: all files of this room are loaded, those below first and in this order.

The order is the one in which families are listed and printed. A file that is not named here is loaded too, and its
families come last; if it is named here, editors that do not run code can complete the names of its measures.
"""

from importlib import import_module
from os.path import dirname

from karat.machine.modules import module_names
from karat.measures.information import *
from karat.measures.variation import *
from karat.measures.adjusted import *
from karat.measures.pairs import *
from karat.measures.majorities import *
from karat.measures.best_clusters import *
from karat.measures.assignments import *
from karat.measures.bcubed import *
from karat.measures.coding import *

for _name in module_names(dirname(__file__)):
    import_module(f"karat.measures.{_name}")
