"""Methods of confidence intervals: one in each file, which has the name of its method.

A file declares its method with @interval_method of registry.py; that is all it takes to add a method.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from karat.machine.modules import module_names

if TYPE_CHECKING:
    from karat.uncertainty.registry import IntervalMethod

AUTO = "auto"  # the first method that is valid for a measure and table
_methods: dict[str, IntervalMethod] = {}  # those that have been loaded, by name


def method_names() -> tuple[str, ...]:
    """What the option `method` takes, without loading the methods: auto, and each method."""
    return AUTO, *dict.fromkeys([*module_names(__path__[0]), *_methods])
