"""Searching the tree: a filter that never loses a neighbour, then exact distances.

Let f(x) be the leading principal coordinates of a point, and the norm of what they leave.
Then |f(q) - f(x)| <= |q - x|: gaps in f, to a point or to the box around many points, are
lower bounds of the distance. They are computed in float32; rounding moves f(x) by a small share
of |x| (see `principal`), so a point is passed over only when its bound exceeds the k-th
distance found so far by more than that margin, for the row and for the query. What remains
is measured in float64 from the rows themselves, dimension after dimension, and ordered by
(distance, row): the answer does not depend on the filter.

A few queries at a time (`answer`) also have f computed here, in one call with the search.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit

from ..arrays import Float32, Float64, Floats, Int32, Int64
from .exact import NO_ROW, insert_group, squared_distance, squared_reach
from .frame import to_frame
from .lanes import BOX_LANES, POINT_LANES, lowest_bit, near_boxes, near_points, nearest_lane

LARGEST_FLOAT32 = np.float32(3.4e38)
STACK = 256


@njit(nogil=True, cache=True)
def search(
    points: Float64,
    queries: Int64,
    coordinates: Float32,
    margins: Float64,
    scale: float,
    first_child: Int64,
    boxes: Float32,
    leaves: Float32,
    rows: Floats,
    starts: Int32,
    members: Int32,
    squared: Float64,
    found: Int32,
) -> None:
    """Find the nearest rows of points[queries], in that order.

    Args:
        points: [B, D] query points.
        queries: which of them, nearby ones after one another.
        coordinates: [B, F] f of the points.
        margins: [B] how far rounding may have moved f of a point, and of any row, together.
        scale: of the filter frame.
        first_child: [nodes + 1], see `tree_build`.
        boxes: [nodes, dimensions, 2, lanes].
        leaves: [leaves, dimensions, lanes].
        rows: [U, D] distinct rows in tree order.
        starts: [U + 1] where each distinct row begins in `members`.
        members: [N] row numbers, ascending within one distinct row.
        squared: [B, k] in all inf, out squared distances, ascending.
        found: [B, k] in all `NO_ROW`, out row numbers.
    """
    leaf_count, k = len(leaves), squared.shape[1]
    leaf_size, box_size = leaves.shape[1] * POINT_LANES, boxes.shape[1] * 2 * BOX_LANES
    root = leaf_count + len(boxes) - 1
    sums = np.empty(POINT_LANES, np.float32)
    stack = np.empty(STACK, np.int64)
    nearest = np.empty(STACK, np.float32)
    for i in queries:
        point, best, best_rows = points[i], squared[i], found[i]
        query, margin = coordinates[i], margins[i]
        bound = LARGEST_FLOAT32
        stack[0], nearest[0] = root, np.float32(0.0)
        height = 1
        while height > 0:
            height -= 1
            if nearest[height] > bound:
                continue
            node = stack[height]
            if node >= leaf_count:
                inner = node - leaf_count
                near = near_boxes(boxes, inner * box_size, query, boxes.shape[1], bound, sums)
                height = _push(stack, nearest, height, first_child[inner], near, sums)
                continue
            near = near_points(leaves, node * leaf_size, query, leaves.shape[1], bound, sums)
            while near:
                lane = nearest_lane(near, sums)
                near &= ~(1 << lane)
                if sums[lane] > bound:
                    break
                position = node * POINT_LANES + lane
                value = squared_distance(point, rows[position], best[k - 1])
                if insert_group(best, best_rows, value, position, starts, members):
                    reach = squared_reach(best[k - 1], scale, margin, len(point))
                    bound = np.float32(min(reach, float(LARGEST_FLOAT32)))


@njit(nogil=True, cache=True)
def _push(stack: Any, nearest: Any, height: int, first: int, near: int, sums: Any) -> int:
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


@njit(nogil=True, cache=True)
def locate(
    coordinates: Float32, first_child: Int64, boxes: Float32, leaf_count: int, found: Int64
) -> None:
    """Write the leaf that each point falls into, taking the nearest box at every level."""
    box_size = boxes.shape[1] * 2 * BOX_LANES
    sums = np.empty(POINT_LANES, np.float32)
    for i in range(len(coordinates)):
        node = leaf_count + len(boxes) - 1
        while node >= leaf_count:
            inner = node - leaf_count
            near_boxes(
                boxes, inner * box_size, coordinates[i], boxes.shape[1], LARGEST_FLOAT32, sums
            )
            nearest = 0
            for lane in range(1, BOX_LANES):
                if sums[lane] < sums[nearest]:
                    nearest = lane
            node = first_child[inner] + nearest
        found[i] = node


@njit(nogil=True, cache=True)
def answer(
    points: Float64,
    mean: Float64,
    rotation: Float64,
    scale: float,
    margin: float,
    first_child: Int64,
    boxes: Float32,
    leaves: Float32,
    rows: Floats,
    starts: Int32,
    members: Int32,
    distances: Float64,
    found: Int32,
) -> None:
    """Find the nearest rows of a few points, and fill places that no row has taken.

    Args:
        points: [B, D] query points.
        mean, rotation, scale: of the filter frame.
        margin: how far rounding may have moved f of any row.
        first_child, boxes, leaves, rows, starts, members: the tree, see `search`.
        distances: [B, k] out, ascending.
        found: [B, k] out, row numbers, or -1.
    """
    coordinates = np.zeros((len(points), leaves.shape[1]), np.float32)
    margins = np.empty(len(points))
    for i in range(len(points)):
        margins[i] = margin + to_frame(points[i], mean, rotation, scale, coordinates[i])
    distances[:] = np.inf
    found[:] = NO_ROW
    search(
        points,
        np.arange(len(points)),
        coordinates,
        margins,
        scale,
        first_child,
        boxes,
        leaves,
        rows,
        starts,
        members,
        distances,
        found,
    )
    for i in range(len(points)):
        for j in range(found.shape[1]):
            distances[i, j] = math.sqrt(distances[i, j])
            if found[i, j] == NO_ROW:
                found[i, j] = -1
