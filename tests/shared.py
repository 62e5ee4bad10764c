"""What is made once for all processes that run tests, and how much is tried."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parent.parent  # of the project
WAIT = 600  # seconds for what another process makes
THOROUGH = settings.get_current_profile_name() == "thorough"  # --hypothesis-profile=thorough


def enough(number: int) -> int:
    """How many cases to try: all of them in a thorough run, an eighth (at least 3) in the README's test command."""
    return number if THOROUGH else max(3, number // 8)


def once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """A folder that make has filled, in this process or in another that came first."""
    root = factory.getbasetemp()
    root = root.parent if "PYTEST_XDIST_WORKER" in os.environ else root
    folder, done = root / name, root / f"{name}.done"
    try:
        folder.mkdir()
    except FileExistsError:
        end = time.monotonic() + WAIT
        while not done.exists():
            assert time.monotonic() < end, f"{name} was not made in time"
            time.sleep(0.2)
        return folder
    try:
        make(folder)
    finally:
        done.touch()
    return folder
