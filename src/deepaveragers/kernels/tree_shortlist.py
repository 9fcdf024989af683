"""Searching the tree by shortlists: filter first, measure at the end.

Where f keeps all of the distance (see `tree_search`), it bounds a distance from above too: the
k-th smallest sum on the shortlist bounds the k-th distance, and so the sums of everything that
may be as near. Hence nothing need be measured on the way. At the end the few points on the
shortlist within the bound are, and ordered by (distance, row).

If even the last of the shortlist is within the bound (many points at one distance, say), there
may have been more than it has room for: such a query is left to the caller.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit

from ..arrays import Float64, Int32, Int64
from .exact import UNDERFLOW, insert_group, squared_distance
from .frame import FARTHEST, FLOAT32_ROUNDING
from .lanes import BOX_LANES, POINT_LANES, lowest_bit, near_boxes
from .shortlist import SHORTLIST, shortlist_leaf

LARGEST_FLOAT32 = np.float32(3.4e38)
STACK = 256
LONGEST = SHORTLIST - 4
"""Largest k: some room is needed for sums that rounding cannot tell from the k-th."""


@njit(nogil=True, cache=True)
def search_by_shortlist(
    points: Float64,
    queries: Int64,
    homes: Int64,
    about: Any,
    tree: Any,
    squared: Float64,
    found: Int32,
) -> Int64:
    """Find the nearest rows of points[queries]; return those queries that are left.

    Args:
        points, queries, homes: see `tree_search.search`.
        about: coordinates, margins, scale.
        tree: first_child, boxes, leaves, rows, starts, members.
        squared: [B, k] in all inf, out squared distances, ascending.
        found: [B, k] in all `NO_ROW`, out row numbers.
    """
    coordinates, margins, scale = about
    first_child, boxes, leaves, rows, starts, members = tree
    dimensions, k = points.shape[1], found.shape[1]
    width, box_width = leaves.shape[1], boxes.shape[1]
    if dimensions > width or k > LONGEST:
        return queries
    left = np.empty_like(queries)
    left_count = 0
    lowest = (len(leaves) + BOX_LANES - 1) // BOX_LANES
    box_size = box_width * 2 * BOX_LANES
    box_gaps, gaps = np.empty(POINT_LANES, np.float32), np.empty(POINT_LANES, np.float32)
    sums = np.empty(SHORTLIST, np.float32)
    places = np.empty(SHORTLIST, np.int32)
    stack, nearest = np.empty(STACK, np.int64), np.empty(STACK, np.float32)
    for i in queries:
        query, home = coordinates[i], homes[i]
        slack = _slack(margins[i], scale, dimensions)
        sums[:] = np.inf
        shortlist_leaf(leaves, home, query, width, LARGEST_FLOAT32, gaps, sums, places)
        bound = _bound(sums[k - 1], slack, dimensions)
        stack[0], nearest[0] = len(boxes) - 1, np.float32(0.0)
        height = 1
        while height > 0:
            height -= 1
            if nearest[height] > bound:
                continue
            node = stack[height]
            near = near_boxes(boxes, node * box_size, query, box_width, bound, box_gaps)
            if node >= lowest:
                first = first_child[node] - len(leaves)
                height = push(stack, nearest, height, first, near, box_gaps)
                continue
            while near:
                lane = lowest_bit(near)
                near &= near - 1
                leaf = first_child[node] + lane
                if leaf == home or box_gaps[lane] > bound:
                    continue
                if shortlist_leaf(leaves, leaf, query, width, bound, gaps, sums, places):
                    bound = _bound(sums[k - 1], slack, dimensions)
        if sums[SHORTLIST - 1] <= bound or margins[i] > FARTHEST * FLOAT32_ROUNDING:
            left[left_count] = i
            left_count += 1
            continue
        for j in range(SHORTLIST):
            if sums[j] > bound:
                break
            value = squared_distance(points, i, rows, places[j], np.inf)
            insert_group(squared, found, i, value, places[j], starts, members)
    return left[:left_count]


@njit(nogil=True, cache=True)
def _slack(margin: float, scale: float, dimensions: int) -> float:
    """How far rounding may have moved two points, in filter coordinates and in measuring."""
    return 2.000001 * margin + math.sqrt(dimensions * UNDERFLOW) * scale


@njit(nogil=True, cache=True)
def _bound(kth: float, slack: float, dimensions: int) -> Any:
    """Sums above this belong to points farther than the one whose sum is the k-th.

    A float32 sum of squares is off by a share of at most (dimensions + 8) 2^-23, both of the
    k-th and of the other; here twice that is allowed for.
    """
    grow = 1.0 + 2.0 * (dimensions + 8) * FLOAT32_ROUNDING
    reach = math.sqrt(np.float64(kth) * grow) + slack
    return np.float32(min(reach * reach * grow, np.float64(LARGEST_FLOAT32)))


@njit(nogil=True, cache=True)
def push(stack: Any, nearest: Any, height: int, first: int, near: int, sums: Any) -> int:
    """Put the children that are near on the stack, the nearest on top."""
    bottom = height
    while near:
        lane = lowest_bit(near)
        near &= near - 1
        gap = sums[lane]
        place = height
        while place > bottom and nearest[place - 1] < gap:
            nearest[place] = nearest[place - 1]
            stack[place] = stack[place - 1]
            place -= 1
        nearest[place] = gap
        stack[place] = first + lane
        height += 1
    return height
