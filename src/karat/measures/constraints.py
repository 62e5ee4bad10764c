"""The formal constraints that a measure may break: those of Amigó et al. (2009), and relabelling.

Each sentence says what a measure that meets the constraint does.
"""

from __future__ import annotations

CONSTRAINTS = {
    "homogeneity": "a cluster of two classes is better split into its classes",
    "completeness": "two clusters of one class are better merged",
    "rag_bag": "an odd item does less harm among odd items than in a pure cluster of the same size",
    "size_quantity": "one item split off a large cluster is better than many small clusters broken in two",
    "relabelling": "the score does not depend on the names of the labels",
}
