"""Searching the tree by shortlists: filter first, measure at the end.

Where f keeps all of the distance (see `tree_search`), the k-th smallest sum on the shortlist bounds
the k-th distance, and so the sums of everything that may be as near. Hence only the few points on
the shortlist within the bound are measured, at the end, and ordered by (distance, row).

If even the last of the shortlist is within the bound (many points at one distance, say), there
may have been more than it has room for: such a query is left to `tree_search`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...arrays import Float64, Int32, Int64
from ..jit import kernel
from ..precision import FLOAT32_EPSILON
from .distances import NO_ROW, UNDERFLOW, insert_group, squared_distance, step
from .projection import FARTHEST, Projection, project
from .shortlist import SHORTLIST, shortlist_leaf
from .simd import BOX_LANES, POINT_LANES, lowest_bit, near_boxes
from .tree import LARGEST_FLOAT32, STACK, Located, Tree, find_homes, push

LONGEST = SHORTLIST - 4
"""Largest k: some room is needed for sums that rounding cannot tell from the k-th."""
LOCATED = -1.0
"""Stands for the margin of the rows where the points have been located."""


@kernel
def _locate_all(points: Float64, projection: Projection, rows_margin: float, tree: Tree) -> Any:
    """Return all points as queries, their coordinates, margins and homes."""
    queries, homes = np.empty(len(points), np.int64), np.empty(len(points), np.int64)
    margins = np.empty(len(points))
    coordinates = np.zeros((len(points), tree[2].shape[1]), np.float32)
    project(points, projection, coordinates, margins)
    for i in range(len(points)):
        queries[i] = i
        margins[i] += rows_margin
    find_homes(coordinates, tree, homes)
    return queries, coordinates, margins, homes


@step
def _fill_shortlist(
    query: Any, home: int, slack: float, dimensions: int, k: int, first_child: Any, boxes: Any,
    leaves: Any, stack: Any, nearest: Any, box_gaps: Any, gaps: Any, sums: Any, places: Any,
) -> Any:  # fmt: skip
    """Write the nearest points of a query by filter sums, from its home on; return the bound."""
    width, box_width, leaf_count = leaves.shape[1], boxes.shape[1], len(leaves)
    lowest = (leaf_count + BOX_LANES - 1) // BOX_LANES
    box_size = box_width * 2 * BOX_LANES
    for j in range(SHORTLIST):
        sums[j] = np.inf
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
            first = first_child[node] - leaf_count
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
    return bound


@kernel
def search_by_shortlist(
    points: Float64, queries: Int64, located: Located, projection: Projection,
    rows_margin: float, tree: Tree, squared: Float64, found: Int32, left: Int64,
) -> int:  # fmt: skip
    """Find the nearest rows of points[queries], as `search_by_measuring` does, by shortlists.

    The projection keeps all D dimensions, and k is at most `LONGEST`. `rows_margin` is `LOCATED`;
    or how far rounding may have moved the coordinates of any row: then all points are located and
    searched, and `queries` and `located` are not read, which saves calls where there are few.
    Returns how many queries are left; those are written to `left`.
    """
    coordinates, margins, homes = located
    first_child, boxes, leaves, (rows, starts, members), _ = tree
    if rows_margin != LOCATED:
        queries, coordinates, margins, homes = _locate_all(points, projection, rows_margin, tree)
    dimensions, k = points.shape[1], found.shape[1]
    left_count = 0
    box_gaps, gaps = np.empty(POINT_LANES, np.float32), np.empty(POINT_LANES, np.float32)
    sums, places = np.empty(SHORTLIST, np.float32), np.empty(SHORTLIST, np.int32)
    stack, nearest = np.empty(STACK, np.int64), np.empty(STACK, np.float32)
    for i in queries:
        for j in range(k):
            squared[i, j], found[i, j] = np.inf, NO_ROW
        slack = _slack(margins[i], projection[2], dimensions)
        bound = _fill_shortlist(
            coordinates[i], homes[i], slack, dimensions, k, first_child, boxes, leaves,
            stack, nearest, box_gaps, gaps, sums, places,
        )  # fmt: skip
        if sums[SHORTLIST - 1] <= bound or margins[i] > FARTHEST * FLOAT32_EPSILON:
            left[left_count] = i
            left_count += 1
            continue
        for j in range(SHORTLIST):
            if sums[j] > bound:
                break
            place = np.int64(places[j])
            value = squared_distance(points, i, rows, place, np.inf)
            insert_group(squared, found, i, value, place, starts, members)
    return left_count


@kernel
def _slack(margin: float, scale: float, dimensions: int) -> float:
    """How far rounding may have moved two points, in filter coordinates and in measuring."""
    return 2.000001 * margin + math.sqrt(dimensions * UNDERFLOW) * scale


@kernel
def _bound(kth: float, slack: float, dimensions: int) -> Any:
    """Sums above this belong to points farther than the one whose sum is the k-th.

    A float32 sum of squares is off by a share of at most (dimensions + 8) 2^-23, both of the
    k-th and of the other; here twice that is allowed for.
    """
    grow = 1.0 + 2.0 * (dimensions + 8) * FLOAT32_EPSILON
    reach = math.sqrt(np.float64(kth) * grow) + slack
    return np.float32(min(reach * reach * grow, np.float64(LARGEST_FLOAT32)))
