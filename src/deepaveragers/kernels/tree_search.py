"""Searching the tree: a filter that never loses a neighbour, then exact distances.

Let f(x) be the leading principal coordinates of a point, and the norm of what they leave.
Then |f(q) - f(x)| <= |q - x|: gaps in f, to a point or to the box around many points, are
lower bounds of the distance. They are computed in float32; rounding moves f(x) by a small share
of |x| (see `principal`), so a point is passed over only when its bound exceeds the k-th
distance found so far by more than that margin, for the row and for the query. What remains
is measured in float64 from the rows themselves, dimension after dimension, and ordered by
(distance, row): the answer does not depend on the filter.

Where f keeps all of the distance, `tree_shortlist` answers nearly all queries; the others are
answered here, where every point that may be near is measured at once. Both begin at the leaf
that the query falls into: a good bound from the start.

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
from .lanes import BOX_LANES, POINT_LANES, near_boxes, near_points, nearest_box, nearest_point
from .outliers import measure_outliers
from .tree_shortlist import LARGEST_FLOAT32, STACK, push, search_by_shortlist

ALL_BOXES = (1 << BOX_LANES) - 1


@njit(nogil=True, cache=True)
def search(
    points: Float64,
    queries: Int64,
    homes: Int64,
    coordinates: Float32,
    margins: Float64,
    centre: Float64,
    scale: float,
    first_child: Int64,
    boxes: Float32,
    leaves: Float32,
    rows: Floats,
    starts: Int32,
    members: Int32,
    far_norms: Float64,
    distances: Float64,
    found: Int32,
) -> None:
    """Find the nearest rows of points[queries], in that order.

    Args:
        points: [B, D] query points.
        queries: which of them, nearby ones after one another.
        homes: [B] the leaf that each falls into, see `locate`.
        coordinates: [B, F] f of the points.
        margins: [B] how far rounding may have moved f of a point, and of any row, together.
        centre, scale: of the filter frame.
        first_child: [nodes + 1], see `tree_build`.
        boxes: [nodes, dimensions, 2, lanes].
        leaves: [leaves, dimensions, lanes].
        rows: [U, D] distinct rows in tree order.
        starts: [U + 1] where each distinct row begins in `members`.
        members: [N] row numbers, ascending within one distinct row.
        far_norms: [O] distances from the centre of the last rows, which are in no leaf.
        distances: [B, k] out, ascending; inf for none.
        found: [B, k] out, row numbers; -1 for none.
    """
    for i in queries:
        for j in range(found.shape[1]):
            distances[i, j], found[i, j] = np.inf, NO_ROW
    about = coordinates, margins, scale
    tree = first_child, boxes, leaves, rows, starts, members
    left = search_by_shortlist(points, queries, homes, about, tree, distances, found)
    _search_by_measuring(points, left, homes, about, tree, distances, found)
    groups = rows, starts, members
    measure_outliers(points, queries, centre, far_norms, *groups, distances, found)
    for i in queries:
        for j in range(found.shape[1]):
            distances[i, j] = math.sqrt(distances[i, j])
            if found[i, j] == NO_ROW:
                found[i, j] = -1


@njit(nogil=True, cache=True)
def _search_by_measuring(
    points: Any, queries: Any, homes: Any, about: Any, tree: Any, squared: Any, found: Any
) -> None:
    """Do the same for any frame and k; arguments as in `tree_shortlist`."""
    coordinates, margins, scale = about
    first_child, boxes, leaves, rows, starts, members = tree
    dimensions, k, leaf_count = points.shape[1], found.shape[1], len(leaves)
    leaf_size, box_size = leaves.shape[1] * POINT_LANES, boxes.shape[1] * 2 * BOX_LANES
    root = leaf_count + len(boxes) - 1
    sums = np.empty(POINT_LANES, np.float32)
    stack = np.empty(STACK, np.int64)
    nearest = np.empty(STACK, np.float32)
    for i in queries:
        query, home, margin = coordinates[i], homes[i], margins[i]
        bound = LARGEST_FLOAT32
        stack[0], nearest[0] = root, np.float32(0.0)
        stack[1], nearest[1] = home, np.float32(0.0)
        height, been_home = 2, False
        while height > 0:
            height -= 1
            if nearest[height] > bound:
                continue
            node = stack[height]
            if node >= leaf_count:
                inner = node - leaf_count
                near = near_boxes(boxes, inner * box_size, query, boxes.shape[1], bound, sums)
                height = push(stack, nearest, height, first_child[inner], near, sums)
                continue
            if node == home:
                if been_home:
                    continue
                been_home = True
            near = near_points(leaves, node * leaf_size, query, leaves.shape[1], bound, sums)
            while near:
                lane = nearest_point(near, sums)
                near &= ~(1 << lane)
                if sums[lane] > bound:
                    break
                position = node * POINT_LANES + lane
                value = squared_distance(points, i, rows, position, squared[i, k - 1])
                if insert_group(squared, found, i, value, position, starts, members):
                    reach = squared_reach(squared[i, k - 1], scale, margin, dimensions)
                    bound = np.float32(min(reach, float(LARGEST_FLOAT32)))


@njit(nogil=True, cache=True)
def locate(
    coordinates: Float32, first_child: Int64, boxes: Float32, leaf_count: int, homes: Int64
) -> None:
    """Write the leaf that each point falls into, taking the nearest box at every level."""
    box_size = boxes.shape[1] * 2 * BOX_LANES
    sums = np.empty(BOX_LANES, np.float32)
    for i in range(len(coordinates)):
        query = coordinates[i]
        node = leaf_count + len(boxes) - 1
        while node >= leaf_count:
            inner = node - leaf_count
            near_boxes(boxes, inner * box_size, query, boxes.shape[1], LARGEST_FLOAT32, sums)
            node = first_child[inner] + nearest_box(ALL_BOXES, sums)
        homes[i] = node


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
    far_norms: Float64,
    distances: Float64,
    found: Int32,
) -> None:
    """Find the nearest rows of a few points.

    Args:
        points: [B, D] query points.
        mean, rotation, scale: of the filter frame.
        margin: how far rounding may have moved f of any row.
        first_child, boxes, leaves, rows, starts, members, far_norms, distances, found: see
            `search`.
    """
    coordinates = np.zeros((len(points), leaves.shape[1]), np.float32)
    margins = np.empty(len(points))
    to_frame(points, mean, rotation, scale, coordinates, margins)
    margins += margin
    homes = np.empty(len(points), np.int64)
    locate(coordinates, first_child, boxes, len(leaves), homes)
    search(
        points,
        np.arange(len(points)),
        homes,
        coordinates,
        margins,
        mean,
        scale,
        first_child,
        boxes,
        leaves,
        rows,
        starts,
        members,
        far_norms,
        distances,
        found,
    )
