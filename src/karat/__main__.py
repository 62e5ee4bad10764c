"""python -m karat."""

import sys
from contextlib import suppress
from os import getcwd

with suppress(OSError):  # the working directory may have been removed
    if not sys.flags.safe_path and sys.path and (sys.path[0] == "" or sys.path[0] == getcwd()):
        del sys.path[0]  # python -m puts the working directory first, where data may be called like a module

from karat.cli import main

sys.exit(main())
