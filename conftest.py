"""Shared settings of all tests, the examples in the docs included."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import settings

settings.register_profile("karat", deadline=None, max_examples=150, print_blob=True)
settings.load_profile("karat")


@pytest.fixture(autouse=True)
def _own_measures() -> Iterator[None]:
    """What a test or an example declares is forgotten after it."""
    from karat.registry import _registry

    before = dict(_registry)
    yield
    if before:
        _registry.clear()
        _registry.update(before)
