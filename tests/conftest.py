"""Shared settings: hypothesis without deadlines, since the first call of anything loads it."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("karat", deadline=None, max_examples=150, print_blob=True)
settings.load_profile("karat")
