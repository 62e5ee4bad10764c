# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# cython: freethreading_compatible=True
"""Shuffled labels, and how many pairs they join."""

import cython
import numpy as np
from cython.cimports.cpython.pycapsule import PyCapsule_GetPointer


def joined_after_shuffles(classes, clusters, rng, many):
    """See the twin."""
    bits: cython.pointer(Bits) = cython.cast(
        cython.pointer(Bits), PyCapsule_GetPointer(rng.bit_generator.capsule, b"BitGenerator")
    )
    size: cython.const[cython.longlong][::1] = np.ascontiguousarray(clusters, dtype=np.int64)
    sorted_labels = np.repeat(np.arange(classes.size, dtype=np.int32), classes)
    labels = sorted_labels.copy()
    label: cython.int[::1] = labels
    seen: cython.int[::1] = np.zeros(classes.size, dtype=np.int32)
    joined = np.empty(many, dtype=np.int64)
    total: cython.longlong[::1] = joined
    n: cython.uint = labels.size
    pick: cython.uint[::1] = np.empty(labels.size, dtype=np.uint32)
    draw: cython.Py_ssize_t
    with rng.bit_generator.lock:
        for draw in range(total.shape[0]):
            labels[:] = sorted_labels
            with cython.nogil:
                _shuffle(bits, cython.address(label[0]), pick, n)
                total[draw] = _joined(cython.address(label[0]), size, seen)
    return joined


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _shuffle(
    bits: cython.pointer(Bits), label: cython.pointer(cython.int), pick: cython.uint[::1], n: cython.uint
) -> cython.void:
    """Fisher-Yates: from the last item to the second, swap each with a random item up to and including it.

    As NumPy does, bits are drawn until they make a number that is not beyond the item; without a branch, which no
    processor could predict.
    """
    i: cython.uint = n - 1
    mask: cython.uint = 1
    other: cython.int
    while mask < i:
        mask = 2 * mask + 1
    while i > 0:
        pick[i] = bits.next_uint32(bits.state) & mask
        i -= pick[i] <= i
        if i <= mask >> 1:
            mask >>= 1
    for i in range(n - 1, 0, -1):
        other = label[pick[i]]
        label[pick[i]] = label[i]
        label[i] = other


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _joined(
    label: cython.pointer(cython.int), size: cython.const[cython.longlong][::1], seen: cython.int[::1]
) -> cython.longlong:
    """Pairs with the same label within blocks of these sizes; seen is of zeros before and after."""
    start: cython.Py_ssize_t = 0
    index: cython.Py_ssize_t
    block: cython.Py_ssize_t
    total: cython.longlong = 0
    for block in range(size.shape[0]):
        for index in range(start, start + size[block]):
            total += seen[label[index]]
            seen[label[index]] += 1
        for index in range(start, start + size[block]):
            seen[label[index]] = 0
        start += size[block]
    return total
