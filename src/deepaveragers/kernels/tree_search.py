"""Searching the tree: a filter that never loses a neighbour, then exact distances.

Let f(x) be the leading principal coordinates of a point, and the norm of what they leave.
Then |f(q) - f(x)| <= |q - x|: gaps in f, to a point or to the box around many points, are
lower bounds of the distance. They are computed in float32. With rows scaled to norm 1,
rounding moves f(x) by at most 2^-24 |x|, so a point is passed over only when its bound
exceeds the k-th distance found so far by more than a margin of twice that, for the row and
for the query. What remains is measured in float64 from the rows themselves, dimension after
dimension, and ordered by (distance, row): the answer does not depend on the filter.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from ..arrays import Float32, Float64, Floats, Int32, Int64
from .lanes import BOX_LANES, POINT_LANES, lowest_bit, near_boxes, near_points

FLOAT32_ROUNDING = 2.0**-23
LARGEST_FLOAT32 = np.float32(3.4e38)
FARTHEST_QUERY = 1e18
"""Filter coordinates are cut off here: a bound that is still right, and squares that are finite."""
ORTHOGONALITY = 1e-9
UNDERFLOW = 1e-307
NO_ROW = np.int32(2**31 - 1)


@njit(nogil=True, cache=True)
def to_filter(
    point: Any, mean: Any, scale: float, rotation: Any, residual: bool, work: Any, out: Any
) -> float:
    """Write the filter coordinates of a point; return its norm in the scaled frame."""
    kept = rotation.shape[1]
    centred, rotated = work[: len(point)], work[len(point) :]
    rotated[:] = 0.0
    norm = 0.0
    for d in range(len(point)):
        value = (point[d] - mean[d]) * scale
        centred[d] = value
        norm += value * value
        for j in range(kept):
            rotated[j] += value * rotation[d, j]
    for j in range(kept):
        out[j] = np.float32(min(max(rotated[j], -FARTHEST_QUERY), FARTHEST_QUERY))
    if residual:
        left = 0.0
        for d in range(len(point)):
            value = centred[d]
            for j in range(kept):
                value -= rotation[d, j] * rotated[j]
            left += value * value
        out[kept] = np.float32(min(np.sqrt(left), FARTHEST_QUERY))
    return float(np.sqrt(norm))


@njit(nogil=True, cache=True)
def _squared_bound(squared: float, scale: float, margin: float, dimensions: int) -> Any:
    """Filter sums above this belong to points farther than `squared`, whatever was rounded."""
    reach = np.sqrt(squared * (1.0 + dimensions * 2.0**-51) + dimensions * UNDERFLOW)
    reach = reach * scale * (1.0 + ORTHOGONALITY) + margin
    bound = reach * reach * (1.0 + (dimensions + 8) * FLOAT32_ROUNDING)
    return np.float32(min(bound, float(LARGEST_FLOAT32)))


@njit(nogil=True, cache=True)
def _squared_distance(point: Any, row: Any, limit: float) -> float:
    total = 0.0
    d = 0
    while d < len(point) and total <= limit:
        for j in range(d, min(d + 16, len(point))):
            gap = point[j] - np.float64(row[j])
            total += gap * gap
        d += 16
    return total


@njit(nogil=True, cache=True)
def _insert(squared: Any, rows: Any, value: float, row: Any) -> bool:
    """Put one candidate in its place by (distance, row); False if it is not among the k best."""
    place = len(rows) - 1
    if value > squared[place] or (value == squared[place] and row >= rows[place]):
        return False
    while place > 0 and (
        value < squared[place - 1] or (value == squared[place - 1] and row < rows[place - 1])
    ):
        squared[place] = squared[place - 1]
        rows[place] = rows[place - 1]
        place -= 1
    squared[place] = value
    rows[place] = row
    return True


@njit(nogil=True, cache=True)
def search(
    points: Float64,
    queries: Int64,
    mean: Float64,
    rotation: Float64,
    frame: Float64,
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
        mean: [D] origin of the filter frame.
        rotation: [D, F] leading principal directions.
        frame: scale, and the rounding margin of the rows, of the filter frame.
        first_child: [nodes + 1], see `tree_build`.
        boxes: [nodes, dimensions, 2, lanes].
        leaves: [leaves, dimensions, lanes].
        rows: [U, D] distinct rows in tree order.
        starts: [U + 1] where each distinct row begins in `members`.
        members: [N] row numbers, ascending within one distinct row.
        squared: [B, k] out, squared distances, ascending.
        found: [B, k] out, row numbers; `NO_ROW` beyond the last one.
    """
    dimensions = points.shape[1]
    scale, row_margin = frame[0], frame[1]
    leaf_count, leaf_dimensions = leaves.shape[0], leaves.shape[1]
    box_dimensions = boxes.shape[1]
    leaf_size, box_size = leaf_dimensions * POINT_LANES, 2 * box_dimensions * BOX_LANES
    flat_boxes, flat_leaves = boxes.reshape(-1), leaves.reshape(-1)
    residual = dimensions > rotation.shape[1]
    work = np.empty(dimensions + rotation.shape[1])
    query = np.zeros(leaf_dimensions, dtype=np.float32)
    sums = np.empty(POINT_LANES, dtype=np.float32)
    root = leaf_count + boxes.shape[0] - 1
    stack = np.empty(256, dtype=np.int64)
    nearest = np.empty(256, dtype=np.float32)
    for i in queries:
        point, best, best_rows = points[i], squared[i], found[i]
        best[:] = np.inf
        best_rows[:] = NO_ROW
        norm = to_filter(point, mean, scale, rotation, residual, work, query)
        margin = FLOAT32_ROUNDING * norm + row_margin
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
                near = near_boxes(
                    flat_boxes, inner * box_size, query, box_dimensions, bound, sums
                )
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
                    stack[place] = first_child[inner] + lane
                    height += 1
                continue
            near = near_points(flat_leaves, node * leaf_size, query, leaf_dimensions, bound, sums)
            while near:
                lane = lowest_bit(near)
                near &= near - 1
                if sums[lane] > bound:
                    continue
                position = node * POINT_LANES + lane
                value = _squared_distance(point, rows[position], best[-1])
                changed = False
                for member in range(starts[position], starts[position + 1]):
                    if not _insert(best, best_rows, value, members[member]):
                        break
                    changed = True
                if changed:
                    bound = _squared_bound(best[-1], scale, margin, dimensions)


@njit(nogil=True, cache=True)
def locate(
    points: Float64,
    mean: Float64,
    rotation: Float64,
    frame: Float64,
    first_child: Int64,
    boxes: Float32,
    leaves: Float32,
    found: Int64,
) -> None:
    """Write the leaf that each point falls into, taking the nearest box at every level."""
    leaf_count, box_dimensions = leaves.shape[0], boxes.shape[1]
    flat_boxes = boxes.reshape(-1)
    work = np.empty(points.shape[1] + rotation.shape[1])
    query = np.zeros(leaves.shape[1], dtype=np.float32)
    sums = np.empty(BOX_LANES, dtype=np.float32)
    size = 2 * box_dimensions * BOX_LANES
    residual = points.shape[1] > rotation.shape[1]
    for i in range(len(points)):
        to_filter(points[i], mean, frame[0], rotation, residual, work, query)
        node = leaf_count + boxes.shape[0] - 1
        while node >= leaf_count:
            inner = node - leaf_count
            near_boxes(flat_boxes, inner * size, query, box_dimensions, LARGEST_FLOAT32, sums)
            node = first_child[inner] + np.argmin(sums)
        found[i] = node
