"""The modules in a folder, for rooms whose files declare themselves."""

from __future__ import annotations

import os


def module_names(folder: str) -> list[str]:
    """The names of the modules in a folder, in alphabetical order; pkgutil would take longer to load than they do."""
    return sorted(name[:-3] for name in os.listdir(folder) if name.endswith(".py") and not name.startswith("_"))
