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

FAR = np.float32(3e38)
"""Coordinate of a lane that holds nothing: its squared gap is beyond every bound."""


@njit(nogil=True, cache=True)
def _select(keys: Any, order: Any, low: int, high: int, target: int) -> None:
    """Reorder [low, high) so that nothing before `target` has a larger key than what follows."""
    high -= 1
    while low < high:
        a, b, c = keys[low], keys[(low + high) // 2], keys[high]
        pivot = max(min(a, b), min(max(a, b), c))
        left, right = low, high
        while left <= right:
            while keys[left] < pivot:
                left += 1
            while keys[right] > pivot:
                right -= 1
            if left <= right:
                keys[left], keys[right] = keys[right], keys[left]
                order[left], order[right] = order[right], order[left]
                left += 1
                right -= 1
        if target <= right:
            high = right
        elif target >= left:
            low = left
        else:
            return


@njit(nogil=True, cache=True)
def _widest(coordinates: Any, order: Any, low: int, high: int, dimensions: int) -> int:
    smallest = np.full(dimensions, np.inf, dtype=np.float32)
    largest = np.full(dimensions, -np.inf, dtype=np.float32)
    for position in range(low, high):
        point = order[position]
        for d in range(dimensions):
            smallest[d] = min(smallest[d], coordinates[point, d])
            largest[d] = max(largest[d], coordinates[point, d])
    return int(np.argmax(largest - smallest))


@njit(nogil=True, cache=True)
def order_points(coordinates: Float32, split_dimensions: int) -> Int32:
    """Return the points in tree order, halving along the widest of the leading dimensions."""
    count = len(coordinates)
    order = np.arange(count).astype(np.int32)
    keys = np.empty(count, dtype=np.float32)
    leaves = (count + POINT_LANES - 1) // POINT_LANES
    size = 1
    while size < leaves:
        size *= BOX_LANES
    pending = [(0, leaves, size)]
    while pending:
        first, last, size = pending.pop()
        while last - first <= size and size > 1:
            size //= BOX_LANES
        if last - first <= 1:
            continue
        children = (last - first + size - 1) // size
        middle = first + (children + 1) // 2 * size
        low, high = first * POINT_LANES, min(count, last * POINT_LANES)
        d = _widest(coordinates, order, low, high, split_dimensions)
        for position in range(low, high):
            keys[position] = coordinates[order[position], d]
        _select(keys, order, low, high, middle * POINT_LANES)
        pending.append((first, middle, size))
        pending.append((middle, last, size))
    return order


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
    first_child[i] to first_child[i + 1].
    """
    nodes, dimensions = boxes.shape[0], boxes.shape[1]
    boxes[:] = FAR
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
