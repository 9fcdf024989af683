"""Searching the tree: a filter that never loses a neighbour, then exact distances.

Let f(x) be the leading principal coordinates of a point, and the norm of what they leave.
Then |f(q) - f(x)| <= |q - x|: gaps in f, to a point or to the box around many points, are
lower bounds of the distance. They are computed in float32, so a point is passed over only when its
bound exceeds the k-th distance found so far by more than rounding can do (see
`neighbors.projection`). What remains is measured in float64 from the rows themselves, and ordered
by (distance, row): the answer does not depend on the filter.

Where f keeps all of the distance, `tree_shortlist` answers nearly all queries; the others are
answered here, where every point that may be near is measured at once. Both begin at the leaf
that the query falls into: a good bound from the start, unless limits are one already.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Float64, Int32, Int64
from ..jit import kernel
from .distances import NO_ROW, insert_group, squared_distance, squared_reach
from .simd import BOX_LANES, POINT_LANES, lowest_bit, near_boxes, near_points
from .tree import LARGEST_FLOAT32, STACK, Located, Tree, push

NO_HOME = -1


@kernel
def search_by_measuring(
    points: Float64, queries: Int64, located: Located, scale: float, tree: Tree,
    limits: Float64, squared: Float64, found: Int32,
) -> None:  # fmt: skip
    """Find the nearest rows of points[queries], whatever the projection and k.

    Queries that are near one another should stand together. `limits` [B] are squared distances
    beyond which rows are of no interest; [0] where all are. Written are squared distances [B, k],
    ascending, with the limit or inf for none, and row numbers [B, k], with `NO_ROW` for none.
    """
    coordinates, margins, homes = located
    first_child, boxes, leaves, (rows, starts, members), _ = tree
    dimensions, last, leaf_count = points.shape[1], found.shape[1] - 1, len(leaves)
    leaf_size, box_size = leaves.shape[1] * POINT_LANES, boxes.shape[1] * 2 * BOX_LANES
    sums = np.empty(POINT_LANES, np.float32)
    stack, nearest = np.empty(STACK, np.int64), np.empty(STACK, np.float32)
    for i in queries:
        limit = limits[i] if len(limits) else np.inf
        for j in range(found.shape[1]):
            squared[i, j], found[i, j] = limit, NO_ROW
        query, margin = coordinates[i], margins[i]
        home = homes[i] if len(homes) else NO_HOME
        reach = squared_reach(limit, scale, margin, dimensions)
        bound = np.float32(min(reach, float(LARGEST_FLOAT32)))
        stack[0], nearest[0] = leaf_count + len(boxes) - 1, np.float32(0.0)
        stack[1], nearest[1] = home, np.float32(0.0)
        height, been_home = 1 if home == NO_HOME else 2, False
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
                lane = lowest_bit(near)
                near &= near - 1
                if sums[lane] > bound:
                    continue
                place = node * POINT_LANES + lane
                value = squared_distance(points, i, rows, place, squared[i, last])
                if insert_group(squared, found, i, value, place, starts, members):
                    reach = squared_reach(squared[i, last], scale, margin, dimensions)
                    bound = np.float32(min(reach, float(LARGEST_FLOAT32)))
