"""Merging added rows into lists of nearest rows that are there already, of all actions at once.

The same filter as in `tree_search`, with bounds that are known from the start: the k-th
distance of the list of each action. Most points are left after a look at a few boxes. Where an
added row comes near, its action's list has its own distances computed again in float64, and
the row is put in its place by (distance, row): the same bits as a search over all rows.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ...arrays import Float32, Floats, Int32, Int64
from ..jit import kernel
from ..precision import FLOAT32_EPSILON
from .distances import NO_ROW, insert, squared_distance, squared_reach, step
from .outliers import outliers_within
from .projection import Projection
from .simd import BOX_LANES, POINT_LANES, lowest_bit, near_boxes, near_points
from .tree import LARGEST_FLOAT32, STACK, Located, Tree, push

SMALLEST_FLOAT32 = 1.5e-45


class Added(NamedTuple):
    """The rows that a tree holds, the last of all rows.

    Attributes:
        source: [N, D] all rows, which the lists name.
        actions: [N] the action of each.
        coming: the actions that rows in the tree have.
        first: the tree's member 0 is this row, and so on.
    """

    source: Floats
    actions: Int32
    coming: Int64
    first: int


@kernel
def _load(
    points: Any, i: int, action: int, source: Any, indices: Any, best: Any, rows: Any
) -> None:
    """Write the exact squared distances and rows of a list; NO_ROW stands for none."""
    for j in range(indices.shape[2]):
        best[action, j], rows[action, j] = np.inf, NO_ROW
        number = indices[i, action, j]
        if number >= 0:
            best[action, j] = squared_distance(points, i, source, number, np.inf)
            rows[action, j] = number


@step
def _put(points: Any, i: int, position: int, row: Any, action: int, lists: Any) -> bool:
    """Put a row into its action's list, loaded first if need be; False if it is too far."""
    source, indices, rows, best, best_rows, loaded, changed = lists
    if not loaded[action]:
        _load(points, i, action, source, indices, best, best_rows)
        loaded[action] = True
    value = squared_distance(points, i, rows, position, best[action, indices.shape[2] - 1])
    if not insert(best, best_rows, action, value, row):
        return False
    changed[action] = True
    return True


@kernel
def _bound(squared: float, scale: float, margin: float, dimensions: int) -> Any:
    reach = squared_reach(squared, scale, margin, dimensions)
    return np.float32(min(reach, float(LARGEST_FLOAT32)))


@kernel
def _at_most(distance: float) -> float:
    """The stored distance was rounded to float32; what it was lies below this."""
    return np.float64(distance) * (1.0 + FLOAT32_EPSILON) + SMALLEST_FLOAT32


@step
def _farthest(distances: Any, i: int, coming: Any) -> Any:
    """Return the largest k-th distance of the lists of a point."""
    farthest = np.float32(0.0)
    for action in coming:
        farthest = max(farthest, distances[i, action, distances.shape[2] - 1])
    return farthest


@step
def _write_bounds(
    distances: Any, i: int, coming: Any, scale: float, margin: float, dimensions: int, bounds: Any
) -> None:
    """Write which filter sums are too large for each list of a point."""
    for action in coming:
        kth = distances[i, action, distances.shape[2] - 1]
        bounds[action] = _bound(_at_most(kth) ** 2, scale, margin, dimensions)


@step
def _put_near(
    points: Any, i: int, node: int, near: int, sums: Any, bounds: Any, starts: Any, members: Any,
    first: int, actions: Any, lists: Any, best: Any, scale: float, margin: float,
) -> bool:  # fmt: skip
    """Put the rows of a leaf's lanes `near`, as bits, into lists; whether any was within bounds."""
    touched = False
    dimensions, last = points.shape[1], best.shape[1] - 1
    while near:
        lane = lowest_bit(near)
        near &= near - 1
        position = node * POINT_LANES + lane
        for member in range(starts[position], starts[position + 1]):
            row = np.int32(first + members[member])
            action = actions[row]
            if sums[lane] > bounds[action]:
                continue
            touched = True
            if _put(points, i, position, row, action, lists):
                bounds[action] = _bound(best[action, last], scale, margin, dimensions)
    return touched


@step
def _store_changed(
    i: int, coming: Any, best: Any, rows: Any, loaded: Any, changed: Any, indices: Any,
    distances: Any,
) -> None:  # fmt: skip
    """Write the lists that changed, and forget what was loaded."""
    for action in coming:
        if changed[action]:
            for j in range(indices.shape[2]):
                indices[i, action, j] = -1 if rows[action, j] == NO_ROW else rows[action, j]
                distances[i, action, j] = np.float32(math.sqrt(best[action, j]))
        loaded[action] = changed[action] = False


@kernel
def merge(
    points: Floats, added: Added, located: Located, projection: Projection, tree: Tree,
    indices: Int32, distances: Float32,
) -> None:  # fmt: skip
    """Merge the rows of a tree into the lists of points.

    Args:
        points: [B, D] query points.
        added: the rows, and what they belong to.
        located: the points in the tree; their homes are not needed.
        projection: of the tree.
        tree: the rows' boxes.
        indices: [B, A, k] in and out, rows ordered by (distance, row), negative for none.
        distances: [B, A, k] in and out, their distances, inf for none.
    """
    source, actions, coming, first = added
    first_child, boxes, leaves, (rows, starts, members), far_norms = tree
    scale, centre = projection.scale, projection.mean
    leaf_count, dimensions = len(leaves), points.shape[1]
    num_actions, k = indices.shape[1:]
    leaf_size, box_size = leaves.shape[1] * POINT_LANES, boxes.shape[1] * 2 * BOX_LANES
    root = leaf_count + len(boxes) - 1
    sums = np.empty(POINT_LANES, np.float32)
    stack, nearest = np.empty(STACK, np.int64), np.empty(STACK, np.float32)
    best, best_rows = np.empty((num_actions, k)), np.empty((num_actions, k), np.int32)
    bounds = np.empty(num_actions, np.float32)
    loaded, changed = np.zeros(num_actions, np.bool_), np.zeros(num_actions, np.bool_)
    lists = source, indices, rows, best, best_rows, loaded, changed
    for i in range(len(points)):
        query, margin = located.coordinates[i], located.margins[i]
        farthest = _farthest(distances, i, coming)
        bound = _bound(_at_most(farthest) ** 2, scale, margin, dimensions)
        bounded = touched = False
        stack[0] = root
        height = 1
        while height > 0:
            height -= 1
            node = stack[height]
            if node >= leaf_count:
                inner = node - leaf_count
                near = near_boxes(boxes, inner * box_size, query, boxes.shape[1], bound, sums)
                height = push(stack, nearest, height, first_child[inner], near, sums)
                continue
            near = near_points(leaves, node * leaf_size, query, leaves.shape[1], bound, sums)
            if near and not bounded:
                _write_bounds(distances, i, coming, scale, margin, dimensions, bounds)
                bounded = True
            touched |= _put_near(
                points, i, node, near, sums, bounds, starts, members, first, actions, lists, best,
                scale, margin,
            )  # fmt: skip
        for j in range(outliers_within(points, i, centre, _at_most(farthest), far_norms)):
            position = len(rows) - len(far_norms) + j
            for member in range(starts[position], starts[position + 1]):
                row = np.int32(first + members[member])
                touched = True
                _put(points, i, position, row, actions[row], lists)
        if touched:
            _store_changed(i, coming, best, best_rows, loaded, changed, indices, distances)
