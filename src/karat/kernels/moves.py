"""Local search: documents moved one at a time between clusters to increase the sum of densities."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from karat.kernels import twin

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

GAIN = 1e-10  # smaller gains are rounding errors, and moves for them could cycle
TINY = 1e-12  # a squared length below this is 0


@twin
def move_documents(
    starts: Ints, terms: Ints, values: Floats, size: int, labels: Ints, clusters: int, passes: int, similar: bool
) -> tuple[Ints, float, int]:
    """The final cluster of each document, the sum of the densities, and the number of passes.

    Document i has the unit vector with values at terms, from starts[i] to starts[i+1]. A document moves where the gain
    is largest, or, if similar, to the cluster whose centroid, without the document, is most similar to it. A document
    that is alone in its cluster does not move.
    """
    labels = labels.copy()
    documents = starts.size - 1
    sums = np.zeros((size, clusters))
    members = np.bincount(labels, minlength=clusters)
    for i in range(documents):
        part = slice(starts[i], starts[i + 1])
        sums[terms[part], labels[i]] += values[part]
    squares = np.cumsum(sums * sums, axis=0)[-1] if size else np.zeros(clusters)
    done = 0
    for done in range(1, passes + 1):  # noqa: B007
        moved = False
        for i in range(documents):
            own = int(labels[i])
            if members[own] == 1:
                continue
            part = slice(starts[i], starts[i + 1])
            if part.stop == part.start:
                continue
            at, weight = terms[part], values[part]
            dots = np.cumsum(weight[:, None] * sums[at], axis=0)[-1]
            target = _target(dots, squares, own, similar)
            if target == own:
                continue
            moved = True
            sums[at, own] -= weight
            sums[at, target] += weight
            squares[own] = squares[own] - 2.0 * dots[own] + 1.0
            squares[target] = squares[target] + 2.0 * dots[target] + 1.0
            members[own] -= 1
            members[target] += 1
            labels[i] = target
        if not moved:
            break
    final = np.cumsum(sums * sums, axis=0)[-1] if size else np.zeros(clusters)
    return labels, float(np.cumsum(np.sqrt(final))[-1]), done


@twin
def move_by_cosines(
    cosines: Floats, labels: Ints, clusters: int, passes: int, similar: bool
) -> tuple[Ints, float, int]:
    """move_documents() for few documents, from all pairwise cosines: a visit costs O(clusters)."""
    labels = labels.copy()
    documents = labels.size
    dots = np.zeros((clusters, documents))
    squares = np.zeros(clusters)
    members = np.bincount(labels, minlength=clusters)
    for i in range(documents):
        dots[labels[i]] += cosines[i]
    for i in range(documents):
        squares[labels[i]] += dots[labels[i], i]
    done = 0
    for done in range(1, passes + 1):  # noqa: B007
        moved = False
        for i in range(documents):
            own = int(labels[i])
            if members[own] == 1 or cosines[i, i] < 0.5:  # the only one of its cluster, or an empty document
                continue
            here = dots[:, i].copy()
            target = _target(here, squares, own, similar)
            if target == own:
                continue
            moved = True
            dots[own] -= cosines[i]
            dots[target] += cosines[i]
            squares[own] = squares[own] - 2.0 * here[own] + 1.0
            squares[target] = squares[target] + 2.0 * here[target] + 1.0
            members[own] -= 1
            members[target] += 1
            labels[i] = target
        if not moved:
            break
    squares[:] = 0.0
    for i in range(documents):
        squares[labels[i]] += dots[labels[i], i]
    return labels, float(np.cumsum(np.sqrt(np.maximum(squares, 0.0)))[-1]), done


def _target(dots: Floats, squares: Floats, own: int, similar: bool) -> int:
    """The best cluster for a document: its own unless a move gains more than rounding error."""
    after = np.sqrt(np.maximum(squares + 2.0 * dots + 1.0, 0.0))
    without = max(squares[own] - 2.0 * dots[own] + 1.0, 0.0)
    if similar:
        like = dots / np.sqrt(np.maximum(squares, TINY))
        like[own] = (dots[own] - 1.0) / np.sqrt(max(without, TINY))
        best = int(np.argmax(like))
        return best if like[best] > like[own] + GAIN else own
    gain = after - np.sqrt(np.maximum(squares, 0.0))
    loss = np.sqrt(np.maximum(squares[own], 0.0)) - np.sqrt(without)
    gain[own] = loss
    best = int(np.argmax(gain))
    return best if gain[best] > loss + GAIN else own
