"""File formats: each file declares one format, or a few that are alike, with its reader.

A file that is put here is loaded with the others, by its name: there is no list to enter.
"""

import os
from importlib import import_module

for _name in sorted(os.listdir(os.path.dirname(__file__))):
    if _name.endswith(".py") and not _name.startswith("_"):
        import_module(f"{__name__}.{_name.removesuffix('.py')}")
