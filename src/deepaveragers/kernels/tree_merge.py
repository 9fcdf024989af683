"""Merging added rows into lists of nearest rows that are there already.

The same filter as in `tree_search`, with a bound that is known from the start: the k-th
distance of the list. Most lists are left after a look at a few boxes. Where an added row
comes near, the list's own distances are computed again in float64, and the row is put in
its place by (distance, row): the same bits as a search over all rows.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit

from ..arrays import Float32, Float64, Floats, Int32, Int64
from .exact import NO_ROW, insert, squared_distance, squared_reach
from .frame import FLOAT32_ROUNDING
from .lanes import BOX_LANES, POINT_LANES, lowest_bit, near_boxes, near_points
from .tree_shortlist import LARGEST_FLOAT32, STACK

SMALLEST_FLOAT32 = 1.5e-45


@njit(nogil=True, cache=True)
def _load(points: Any, i: int, source: Any, indices: Any, best: Any, best_rows: Any) -> None:
    """Write the exact squared distances and rows of a list; NO_ROW stands for none."""
    for j in range(indices.shape[1]):
        best[0, j], best_rows[0, j] = np.inf, NO_ROW
        if indices[i, j] >= 0:
            best[0, j] = squared_distance(points, i, source, indices[i, j], np.inf)
            best_rows[0, j] = indices[i, j]


@njit(nogil=True, cache=True)
def _bound(squared: float, scale: float, margin: float, dimensions: int) -> Any:
    reach = squared_reach(squared, scale, margin, dimensions)
    return np.float32(min(reach, float(LARGEST_FLOAT32)))


@njit(nogil=True, cache=True)
def merge(
    points: Float64,
    queries: Int64,
    source: Floats,
    added: Int32,
    coordinates: Float32,
    margins: Float64,
    scale: float,
    first_child: Int64,
    boxes: Float32,
    leaves: Float32,
    rows: Floats,
    starts: Int32,
    members: Int32,
    indices: Int32,
    distances: Float32,
) -> None:
    """Merge the rows of a tree into the lists of points[queries].

    Args:
        points: [B, D] query points.
        queries: which of them.
        source: [N, D] all rows, which the lists name.
        added: [M] which of them are in the tree.
        coordinates, margins, scale, first_child, boxes, leaves, rows, starts, members: see
            `tree_search.search`; the tree's members are places in `added`.
        indices: [B, k] in and out, rows ordered by (distance, row), negative for none.
        distances: [B, k] in and out, their distances, inf for none.
    """
    leaf_count, k, dimensions = len(leaves), indices.shape[1], points.shape[1]
    leaf_size, box_size = leaves.shape[1] * POINT_LANES, boxes.shape[1] * 2 * BOX_LANES
    root = leaf_count + len(boxes) - 1
    sums = np.empty(POINT_LANES, np.float32)
    stack = np.empty(STACK, np.int64)
    best, best_rows = np.empty((1, k), np.float64), np.empty((1, k), np.int32)
    for i in queries:
        query, margin = coordinates[i], margins[i]
        # The stored distance was rounded to float32; what it was lies below this.
        reach = np.float64(distances[i, k - 1]) * (1.0 + FLOAT32_ROUNDING) + SMALLEST_FLOAT32
        bound = _bound(reach * reach, scale, margin, dimensions)
        loaded = changed = False
        stack[0] = root
        height = 1
        while height > 0:
            height -= 1
            node = stack[height]
            if node >= leaf_count:
                inner = node - leaf_count
                near = near_boxes(boxes, inner * box_size, query, boxes.shape[1], bound, sums)
                while near:
                    lane = lowest_bit(near)
                    near &= near - 1
                    stack[height] = first_child[inner] + lane
                    height += 1
                continue
            near = near_points(leaves, node * leaf_size, query, leaves.shape[1], bound, sums)
            while near:
                lane = lowest_bit(near)
                near &= near - 1
                if not loaded:
                    _load(points, i, source, indices, best, best_rows)
                    loaded = True
                position = node * POINT_LANES + lane
                value = squared_distance(points, i, rows, position, best[0, k - 1])
                for member in range(starts[position], starts[position + 1]):
                    if not insert(best, best_rows, 0, value, added[members[member]]):
                        break
                    changed = True
            if changed:
                bound = _bound(best[0, k - 1], scale, margin, dimensions)
        if changed:
            for j in range(k):
                indices[i, j] = -1 if best_rows[0, j] == NO_ROW else best_rows[0, j]
                distances[i, j] = np.float32(math.sqrt(best[0, j]))
