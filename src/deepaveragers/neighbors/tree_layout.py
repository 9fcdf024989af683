"""Laying the tree out in arrays; `kernels.knn.tree` says how it is meant."""

from __future__ import annotations

import numpy as np

from ..arrays import Float32, Int32, Int64
from ..kernels.knn.simd import BOX_LANES, CHUNK, POINT_LANES
from ..kernels.knn.tree import FAR
from ..kernels.knn.tree_build import POINT, order_points


def padded(dimensions: int) -> int:
    """Return the coordinates of a point, filled up to what vector steps read at once."""
    return -(-dimensions // CHUNK) * CHUNK


def tree_order(coordinates: Float32, split_dimensions: int) -> Int32:
    """Return the numbers of the points in tree order."""
    keys = np.arange(len(coordinates), dtype=np.uint64)
    order_points(coordinates, coordinates.view(np.uint32), split_dimensions, keys)
    return (keys & POINT).astype(np.int32)


def make_leaves(ordered: Float32) -> Float32:
    """Return the leaves [leaf, dimension, lane] of points [N, dimensions] in tree order."""
    count, dimensions = -(-len(ordered) // POINT_LANES), ordered.shape[1]
    points = np.full((count * POINT_LANES, dimensions), FAR)
    points[: len(ordered)] = ordered
    return np.ascontiguousarray(points.reshape(count, POINT_LANES, -1).transpose(0, 2, 1))


def make_boxes(ordered: Float32) -> tuple[Int64, Float32]:
    """Return first children [nodes + 1] and boxes [node, dimension, low or high, lane].

    Args:
        ordered: [N, dimensions] points in tree order, as far as boxes have dimensions.
    """
    lows, highs = _bounds(ordered, ordered, POINT_LANES)
    first_child, levels, dimensions = first_children(len(lows)), [], ordered.shape[1]
    while True:
        nodes = -(-len(lows) // BOX_LANES)
        boxes = np.full((nodes * BOX_LANES, 2, dimensions), FAR)
        boxes[: len(lows), 0], boxes[: len(lows), 1] = lows, highs
        levels.append(boxes.reshape(nodes, BOX_LANES, 2, dimensions).transpose(0, 3, 2, 1))
        if nodes == 1:
            return first_child, np.ascontiguousarray(np.concatenate(levels))
        lows, highs = _bounds(lows, highs, BOX_LANES)


def first_children(leaves: int) -> Int64:
    """Return the first children [nodes + 1] of a tree with so many leaves."""
    first_child, begin, count = [], 0, leaves
    while True:
        first_child.append(np.arange(begin, begin + count, BOX_LANES))
        begin, count = begin + count, -(-count // BOX_LANES)
        if count <= 1:
            return np.append(np.concatenate(first_child), begin)


def _bounds(lows: Float32, highs: Float32, lanes: int) -> tuple[Float32, Float32]:
    """Return the lowest and highest coordinates of every run of so many."""
    runs = -(-len(lows) // lanes)
    # The last is repeated, which changes neither.
    places = np.minimum(np.arange(runs * lanes), len(lows) - 1)
    shape = runs, lanes, lows.shape[1]
    lows, highs = (end.take(places, axis=0).reshape(shape) for end in (lows, highs))
    while lanes > 1:
        # By halves, which takes a tenth of the time of NumPy's reduction of a short axis.
        lanes //= 2
        lows = np.minimum(lows[:, :lanes], lows[:, lanes:])
        highs = np.maximum(highs[:, :lanes], highs[:, lanes:])
    return lows[:, 0], highs[:, 0]
