"""Every measure, one file per family; the order here is the order in which measures are listed and printed."""

import karat.measures.parsing  # noqa: F401 (how measures are read and pickled)
from karat.measures.information import *
from karat.measures.variation import *
from karat.measures.adjusted import *
from karat.measures.pairs import *
from karat.measures.matching import *
from karat.measures.bcubed import *
from karat.measures.coding import *
