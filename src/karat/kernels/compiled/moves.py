# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# cython: freethreading_compatible=True
"""Documents moved one at a time between clusters: the operations of the NumPy twin, in the same order."""

import cython
import numpy as np
from cython.cimports.libc.math import sqrt

GAIN = cython.declare(cython.double, 1e-10)
TINY = cython.declare(cython.double, 1e-12)


def move_documents(starts, terms, values, size, labels, clusters, passes, similar):
    """See the twin."""
    first: cython.longlong[::1] = starts
    term: cython.longlong[::1] = terms
    value: cython.double[::1] = values
    new_labels = labels.copy()
    label: cython.longlong[::1] = new_labels
    documents: cython.Py_ssize_t = starts.size - 1
    k: cython.Py_ssize_t = clusters
    features: cython.Py_ssize_t = size
    most: cython.int = passes
    alike: cython.bint = similar
    table = np.zeros((max(size, 1), clusters))
    sums: cython.double[:, ::1] = table
    counted = np.bincount(labels, minlength=clusters)
    members: cython.longlong[::1] = counted
    squared = np.zeros(clusters)
    squares: cython.double[::1] = squared
    products = np.zeros(clusters)
    dots: cython.double[::1] = products
    i: cython.Py_ssize_t
    j: cython.longlong
    c: cython.Py_ssize_t
    own: cython.Py_ssize_t
    target: cython.Py_ssize_t
    done: cython.int = 0
    moved: cython.bint = True
    weight: cython.double
    total: cython.double = 0.0
    with cython.nogil:
        for i in range(documents):
            for j in range(first[i], first[i + 1]):
                sums[term[j], label[i]] += value[j]
        for i in range(features):
            for c in range(k):
                squares[c] += sums[i, c] * sums[i, c]
        while moved and done < most:
            done += 1
            moved = False
            for i in range(documents):
                own = label[i]
                if members[own] == 1 or first[i] == first[i + 1]:
                    continue
                for c in range(k):
                    dots[c] = 0.0
                for j in range(first[i], first[i + 1]):
                    weight = value[j]
                    for c in range(k):
                        dots[c] += weight * sums[term[j], c]
                target = _target(dots, squares, own, k, alike)
                if target == own:
                    continue
                moved = True
                for j in range(first[i], first[i + 1]):
                    sums[term[j], own] -= value[j]
                    sums[term[j], target] += value[j]
                squares[own] = squares[own] - 2.0 * dots[own] + 1.0
                squares[target] = squares[target] + 2.0 * dots[target] + 1.0
                members[own] -= 1
                members[target] += 1
                label[i] = target
        for c in range(k):
            squares[c] = 0.0
        for i in range(features):
            for c in range(k):
                squares[c] += sums[i, c] * sums[i, c]
        for c in range(k):
            total += sqrt(squares[c])
    return new_labels, total, done


def move_by_cosines(cosines, labels, clusters, passes, similar):
    """See the twin."""
    cosine: cython.double[:, ::1] = cosines
    new_labels = labels.copy()
    label: cython.longlong[::1] = new_labels
    documents: cython.Py_ssize_t = labels.size
    k: cython.Py_ssize_t = clusters
    most: cython.int = passes
    alike: cython.bint = similar
    table = np.zeros((clusters, labels.size))
    dots: cython.double[:, ::1] = table
    counted = np.bincount(labels, minlength=clusters)
    members: cython.longlong[::1] = counted
    squared = np.zeros(clusters)
    squares: cython.double[::1] = squared
    column = np.zeros(clusters)
    here: cython.double[::1] = column
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    c: cython.Py_ssize_t
    own: cython.Py_ssize_t
    target: cython.Py_ssize_t
    done: cython.int = 0
    moved: cython.bint = True
    total: cython.double = 0.0
    with cython.nogil:
        for i in range(documents):
            for j in range(documents):
                dots[label[i], j] += cosine[i, j]
        for i in range(documents):
            squares[label[i]] += dots[label[i], i]
        while moved and done < most:
            done += 1
            moved = False
            for i in range(documents):
                own = label[i]
                if members[own] == 1 or cosine[i, i] < 0.5:
                    continue
                for c in range(k):
                    here[c] = dots[c, i]
                target = _target(here, squares, own, k, alike)
                if target == own:
                    continue
                moved = True
                for j in range(documents):
                    dots[own, j] -= cosine[i, j]
                for j in range(documents):
                    dots[target, j] += cosine[i, j]
                squares[own] = squares[own] - 2.0 * here[own] + 1.0
                squares[target] = squares[target] + 2.0 * here[target] + 1.0
                members[own] -= 1
                members[target] += 1
                label[i] = target
        for c in range(k):
            squares[c] = 0.0
        for i in range(documents):
            squares[label[i]] += dots[label[i], i]
        for c in range(k):
            total += sqrt(max(squares[c], 0.0))
    return new_labels, total, done


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _target(
    dots: cython.double[::1],
    squares: cython.double[::1],
    own: cython.Py_ssize_t,
    k: cython.Py_ssize_t,
    alike: cython.bint,
) -> cython.Py_ssize_t:
    c: cython.Py_ssize_t
    best: cython.Py_ssize_t = 0
    now: cython.double
    value: cython.double
    most: cython.double = 0.0
    if alike:
        now = (dots[own] - 1.0) / sqrt(max(max(squares[own] - 2.0 * dots[own] + 1.0, 0.0), TINY))
    else:
        now = sqrt(max(squares[own], 0.0)) - sqrt(max(squares[own] - 2.0 * dots[own] + 1.0, 0.0))
    for c in range(k):
        if c == own:
            value = now
        elif alike:
            value = dots[c] / sqrt(max(squares[c], TINY))
        else:
            value = sqrt(max(squares[c] + 2.0 * dots[c] + 1.0, 0.0)) - sqrt(max(squares[c], 0.0))
        if c == 0 or value > most:
            most = value
            best = c
    return best if most > now + GAIN else own
