"""The default panel: the measures that karat.score() shows if none are named."""

from __future__ import annotations

PANEL = (
    "homogeneity",
    "completeness",
    "v_measure",
    "nvi",
    "ami",
    "ari",
    "pair_f",
    "purity",
    "one_to_one",
    "bcubed_f",
    "q2",
)
