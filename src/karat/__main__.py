"""python -m karat."""

import sys
from os import getcwd

if not sys.flags.safe_path and sys.path and sys.path[0] in ("", getcwd()):
    del sys.path[0]  # python -m puts the working directory first, where data may be called like a module

from karat.cli import main

sys.exit(main())
