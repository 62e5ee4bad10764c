"""Placement of labels without overlaps: along an axis, and around points."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

RINGS = (1, 1.6, 2.6, 4, 5.5, 7, 9, 11, 13, 16, 19, 22, 26, 30)  # distances to try, in units of the nearest
TURNS = (
    0,
    180,
    45,
    315,
    135,
    225,
    90,
    270,
    20,
    340,
    160,
    200,
    70,
    110,
    250,
    290,
    190,
    170,
    210,
    150,
)  # directions to try, in degrees, by preference


class Box(NamedTuple):
    """A rectangle, in pixels."""

    left: float
    low: float
    right: float
    high: float

    def overlaps(self, other: Box) -> bool:
        """Whether the two rectangles overlap."""
        return self.left < other.right and other.left < self.right and self.low < other.high and other.low < self.high

    def nearest(self, point: tuple[float, float]) -> tuple[float, float]:
        """The point of the rectangle that is nearest to a given point."""
        return min(max(point[0], self.left), self.right), min(max(point[1], self.low), self.high)

    def within(self, other: Box) -> bool:
        """Whether the rectangle lies inside the other."""
        return (
            self.left >= other.left and self.right <= other.right and self.low >= other.low and self.high <= other.high
        )


def spread(wanted: Sequence[float], sizes: Sequence[float], low: float, high: float) -> list[float]:
    """Centres nearest to those wanted, by least squares, without overlaps, between low and high.

    The order is kept; if the labels do not fit, they extend beyond high.

    >>> spread([1, 1, 5], [2, 2, 2], 0, 10)
    [1.0, 3.0, 5.0]
    """
    order = sorted(range(len(wanted)), key=lambda index: (wanted[index], index))
    offsets, total = [], 0.0
    for index in order:
        offsets.append(total + sizes[index] / 2)
        total += sizes[index]
    free = _rising([wanted[index] - offset for index, offset in zip(order, offsets, strict=True)])
    placed = [max(low, min(value, high - total)) + offset for value, offset in zip(free, offsets, strict=True)]
    return [value for _, value in sorted(zip(order, placed, strict=True))]


def _rising(values: Sequence[float]) -> list[float]:
    """The nearest non-decreasing values (isotonic regression by pooling adjacent violators)."""
    pools: list[tuple[float, int]] = []
    for value in values:
        pool = (float(value), 1)
        while pools and pools[-1][0] > pool[0]:
            mean, count = pools.pop()
            pool = ((mean * count + pool[0] * pool[1]) / (count + pool[1]), count + pool[1])
        pools.append(pool)
    return [mean for mean, count in pools for _ in range(count)]


def around(
    points: Sequence[tuple[float, float]], sizes: Sequence[tuple[float, float]], frame: Box, near: float
) -> list[Box | None]:
    """A box for the label of each point, clear of points and other labels; None where there is no room.

    near: the preferred distance from a point to its label, in pixels.
    """
    half = 0.6 * near
    occupied = np.empty((2 * len(points), 4))  # boxes of the points, then of the labels placed so far
    for number, (x, y) in enumerate(points):
        occupied[number] = x - half, y - half, x + half, y + half
    first = end = len(points)
    placed: dict[int, Box] = {}
    # from the top, so that labels far from their points keep the order of the points
    for number in sorted(range(len(points)), key=lambda number: -points[number][1]):
        boxes = [box for box in _candidates(points[number], sizes[number], near) if box.within(frame)]
        free = ~_overlap(np.array(boxes).reshape(-1, 4), occupied[:end])
        for index in np.flatnonzero(free).tolist():
            if _clear(points[number], boxes[index], occupied[first:end]):
                placed[number] = boxes[index]
                occupied[end] = boxes[index]
                end += 1
                break
    return [placed.get(number) for number in range(len(points))]


def _overlap(boxes: NDArray[Any], others: NDArray[Any]) -> NDArray[np.bool_]:
    """Which boxes overlap any of the others; a vectorised Box.overlaps()."""
    left, low, right, high = (side[:, None] for side in boxes.T)
    across = (left < others[:, 2]) & (others[:, 0] < right)
    return np.asarray((across & (low < others[:, 3]) & (others[:, 1] < high)).any(axis=1))


def _clear(point: tuple[float, float], box: Box, taken: NDArray[Any]) -> bool:
    """Whether the line from a point to its label crosses no other label."""
    x, y = box.nearest(point)
    steps = [(point[0] + (x - point[0]) * t / 12, point[1] + (y - point[1]) * t / 12) for t in range(13)]
    return not _overlap(np.array([(a, b, a, b) for a, b in steps]), taken).any()


def _candidates(point: tuple[float, float], size: tuple[float, float], near: float) -> Iterator[Box]:
    """Candidate boxes around a point, nearest first; each touches its ring on the side facing the point."""
    (x, y), (wide, tall) = point, size
    for ring in RINGS:
        for turn in TURNS:
            across, up = math.cos(math.radians(turn)), math.sin(math.radians(turn))
            left = x + near * ring * across - wide * (1 - across) / 2
            low = y + near * ring * up - tall * (1 - up) / 2
            yield Box(left, low, left + wide, low + tall)
