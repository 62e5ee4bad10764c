"""File formats: each file declares one format, or a few that are alike, with its reader.

A file that is put here is loaded with the others, by its name: there is no list to enter.
"""

from importlib import import_module

from karat.machine.modules import module_names

for _name in module_names(__path__[0]):
    import_module(f"{__name__}.{_name}")
