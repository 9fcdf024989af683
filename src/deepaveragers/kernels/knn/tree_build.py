"""The order of points in the tree: halved again and again, along the widest dimension."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays import Array, Float32
from ..jit import kernel
from .simd import BOX_LANES, POINT_LANES

SPREAD_SAMPLE = 128
"""Points that tell which dimension is the widest."""
PENDING = 256
"""Runs of leaves that may wait to be divided."""
POINT = np.uint64(2**32 - 1)
"""The bits of a key that are the point's number."""
SIGN = np.uint32(2**31)


@kernel
def _widest(coordinates: Any, keys: Any, low: int, high: int, dimensions: int) -> int:
    """Return the dimension along which the points, or a sample of many, spread the most."""
    widest, most = 0, np.float32(-1.0)
    for d in range(dimensions):
        least = largest = coordinates[keys[low] & POINT, d]
        for position in range(low + 1, high, 1 + (high - low) // SPREAD_SAMPLE):
            here = coordinates[keys[position] & POINT, d]
            least = here if here < least else least
            largest = here if here > largest else largest
        if largest - least > most:
            widest, most = d, largest - least
    return widest


@kernel
def _write_keys(bits: Any, d: int, low: int, high: int, keys: Any) -> None:
    """Put the points' numbers behind their coordinates, as unsigned numbers in the same order."""
    for position in range(low, high):
        point = keys[position] & POINT
        number = bits[point, d]
        negative = np.uint32(0) - (number >> np.uint32(31))
        keys[position] = np.uint64(number ^ (negative | SIGN)) << np.uint64(32) | point


@kernel
def _median(a: Any, b: Any, c: Any) -> Any:
    return max(min(a, b), min(max(a, b), c))


@kernel
def select(keys: Any, low: int, high: int, target: int) -> None:
    """Reorder [low, high) so that every key before `target` is smaller than all that follow.

    Keys are distinct. A partition writes every key twice and moves its boundary by the outcome of
    the comparison, which takes a third of the time of one that branches on it.
    """
    while low < target < high:
        # The middle one of nine keys, by threes.
        gap = (high - low) // 9
        pivot = _median(
            _median(keys[low], keys[low + gap], keys[low + 2 * gap]),
            _median(keys[low + 3 * gap], keys[low + 4 * gap], keys[low + 5 * gap]),
            _median(keys[low + 6 * gap], keys[low + 7 * gap], keys[low + 8 * gap]),
        )
        cut = low
        for i in range(low, high):
            key = keys[i]
            keys[i] = keys[cut]
            keys[cut] = key
            cut += key < pivot
        if target < cut:
            high = cut
        elif cut > low:
            low = cut
        else:
            for i in range(low, high):
                if keys[i] == pivot:
                    keys[i], keys[low] = keys[low], pivot
            low += 1


@kernel
def order_points(coordinates: Float32, bits: Array, dimensions: int, keys: Array) -> None:
    """Put the points in tree order, halving along the widest of the leading dimensions.

    `bits` are the coordinates [N, at least dimensions] as uint32. In the low half of `keys` [N]
    uint64 are the numbers of the points, in and out.
    """
    count = len(keys)
    leaves = (count + POINT_LANES - 1) // POINT_LANES
    size = 1
    while size < leaves:
        size *= BOX_LANES
    # Runs of leaves to divide, and the largest child.
    pending = np.empty((PENDING, 3), np.int64)
    pending[0, 0], pending[0, 1], pending[0, 2] = 0, leaves, size
    height = 1
    while height > 0:
        height -= 1
        first, last, size = pending[height, 0], pending[height, 1], pending[height, 2]
        while last - first <= size and size > 1:
            size //= BOX_LANES
        if last - first <= 1:
            continue
        children = (last - first + size - 1) // size
        middle = first + (children + 1) // 2 * size
        low, high = first * POINT_LANES, min(count, last * POINT_LANES)
        _write_keys(bits, _widest(coordinates, keys, low, high, dimensions), low, high, keys)
        select(keys, low, high, middle * POINT_LANES)
        for begin, end in ((first, middle), (middle, last)):
            pending[height, 0], pending[height, 1], pending[height, 2] = begin, end, size
            height += 1
