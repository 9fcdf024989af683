"""Building the search tree: halving along the widest dimension, then tight boxes.

The tree has no pointers. Points are ordered so that every `POINT_LANES` of them form a leaf,
every `BOX_LANES` leaves a node of level 1, every `BOX_LANES` of those a node of level 2, and
so on to one root; only the last node of a level may be incomplete. A node keeps the boxes of
its children side by side, so that one vector step tests all of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from ..arrays import Float32, Int32, Int64
from .lanes import BOX_LANES, POINT_LANES
from .selecting import FEW, SAMPLE, select

SPREAD_SAMPLE = 128
FAR = np.float32(3e38)
"""Coordinate of a lane that holds nothing: its squared gap is beyond every bound."""
POINT = np.uint64(2**32 - 1)
SIGN = np.uint32(2**31)


@njit(nogil=True, cache=True)
def _widest(coordinates: Any, keys: Any, low: int, high: int, ranges: Any) -> int:
    """Return the dimension along which the points, or a sample of many, spread the most."""
    dimensions = ranges.shape[1]
    for d in range(dimensions):
        ranges[0, d] = ranges[1, d] = coordinates[keys[low] & POINT, d]
    for position in range(low + 1, high, 1 + (high - low) // SPREAD_SAMPLE):
        point = keys[position] & POINT
        for d in range(dimensions):
            ranges[0, d] = min(ranges[0, d], coordinates[point, d])
            ranges[1, d] = max(ranges[1, d], coordinates[point, d])
    widest = 0
    for d in range(1, dimensions):
        if ranges[1, d] - ranges[0, d] > ranges[1, widest] - ranges[0, widest]:
            widest = d
    return widest


@njit(nogil=True, cache=True)
def _write_keys(bits: Any, d: int, low: int, high: int, keys: Any) -> None:
    """Put the points' numbers behind their coordinates, as unsigned numbers in the same order."""
    for position in range(low, high):
        point = keys[position] & POINT
        number = bits[point, d]
        negative = np.uint32(0) - (number >> np.uint32(31))
        keys[position] = np.uint64(number ^ (negative | SIGN)) << np.uint64(32) | point


@njit(nogil=True, cache=True)
def order_points(coordinates: Float32, split_dimensions: int, order: Int32) -> None:
    """Write the points in tree order, halving along the widest of the leading dimensions.

    Args:
        coordinates: [N, dimensions].
        split_dimensions: how many of them may be halved along.
        order: [N] out, numbers of points.
    """
    count = len(order)
    keys = np.arange(count).astype(np.uint64)
    bits = coordinates.view(np.uint32)
    ranges = np.empty((2, split_dimensions), np.float32)
    sample, spare = np.empty(SAMPLE, np.uint64), np.empty(FEW, np.uint64)
    leaves = (count + POINT_LANES - 1) // POINT_LANES
    size = 1
    while size < leaves:
        size *= BOX_LANES
    # Runs of leaves to divide, and the largest child.
    pending = np.empty((256, 3), np.int64)
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
        _write_keys(bits, _widest(coordinates, keys, low, high, ranges), low, high, keys)
        select(keys, low, high, middle * POINT_LANES, sample, spare)
        for begin, end in ((first, middle), (middle, last)):
            pending[height, 0], pending[height, 1], pending[height, 2] = begin, end, size
            height += 1
    for position in range(count):
        order[position] = keys[position] & POINT


@njit(nogil=True, cache=True)
def fill_leaves(coordinates: Float32, order: Int32, leaves: Float32) -> None:
    """Write the ordered points into leaves [leaf, dimension, lane]."""
    dimensions = coordinates.shape[1]
    for position in range(len(leaves) * POINT_LANES):
        leaf, lane = position // POINT_LANES, position % POINT_LANES
        for d in range(dimensions):
            inside = position < len(order)
            leaves[leaf, d, lane] = coordinates[order[position], d] if inside else FAR


@njit(nogil=True, cache=True)
def fill_boxes(leaves: Float32, points: int, first_child: Int64, boxes: Float32) -> None:
    """Write the children's boxes [node, dimension, low or high, lane], lowest level first.

    Leaves and nodes are numbered through, leaves first; the children of node i are
    first_child[i] to first_child[i + 1]. Lanes without a child keep `FAR`, with which the
    caller fills the array.
    """
    nodes, dimensions = boxes.shape[0], boxes.shape[1]
    for node in range(nodes):
        for child in range(first_child[node], first_child[node + 1]):
            lane = child - first_child[node]
            inner = child - len(leaves)
            if inner < 0:
                filled = min(POINT_LANES, points - child * POINT_LANES)
            else:
                filled = first_child[inner + 1] - first_child[inner]
            for d in range(dimensions):
                lows = leaves[child, d] if inner < 0 else boxes[inner, d, 0]
                highs = leaves[child, d] if inner < 0 else boxes[inner, d, 1]
                low, high = lows[0], highs[0]
                for i in range(1, filled):
                    low, high = min(low, lows[i]), max(high, highs[i])
                boxes[node, d, 0, lane] = low
                boxes[node, d, 1, lane] = high
