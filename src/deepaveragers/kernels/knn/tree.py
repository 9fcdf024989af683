"""The search tree, and the steps that all searches of it share.

The tree has no pointers. Points are ordered so that every `POINT_LANES` of them form a leaf,
every `BOX_LANES` leaves a node of level 1, every `BOX_LANES` of those a node of level 2, and
so on to one root; only the last node of a level may be incomplete. A node keeps the boxes of
its children side by side, so that one vector step tests all of them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...arrays import Float32, Float64, Int64
from ..jit import kernel
from .distances import Groups
from .simd import BOX_LANES, lowest_bit, near_boxes

FAR = np.float32(3e38)
"""Coordinate of a lane that holds nothing: its squared gap is beyond every bound."""
LARGEST_FLOAT32 = np.float32(3.4e38)
STACK = 256
"""Nodes that may wait to be visited."""


class Tree(NamedTuple):
    """Distinct rows in boxes of boxes. Leaves and nodes are numbered through, leaves first.

    Attributes:
        first_child: [nodes + 1]; the children of node i are first_child[i] to first_child[i + 1].
        boxes: [nodes, dimensions, 2, lanes] the children's lowest and highest coordinates.
        leaves: [leaves, dimensions, lanes] coordinates of the points; `FAR` in empty lanes.
        groups: the rows in tree order, those far out at the end.
        far_norms: [O] distances from the centre of the rows far out, which are in no leaf.
    """

    first_child: Int64
    boxes: Float32
    leaves: Float32
    groups: Groups
    far_norms: Float64


class Located(NamedTuple):
    """Query points in the tree.

    Attributes:
        coordinates: [B, dimensions] filter coordinates.
        margins: [B] how far rounding may have moved those of a point, and of any row, together.
        homes: [B] the leaf that each point falls into.
    """

    coordinates: Float32
    margins: Float64
    homes: Int64


@kernel
def find_homes(coordinates: Float32, tree: Tree, homes: Int64) -> None:
    """Write the leaf that each point falls into, taking the nearest box at every level."""
    first_child, boxes, leaves, _, _ = tree
    leaf_count = len(leaves)
    box_size = boxes.shape[1] * 2 * BOX_LANES
    sums = np.empty(BOX_LANES, np.float32)
    for i in range(len(coordinates)):
        query = coordinates[i]
        node = leaf_count + len(boxes) - 1
        while node >= leaf_count:
            inner = node - leaf_count
            near_boxes(boxes, inner * box_size, query, boxes.shape[1], LARGEST_FLOAT32, sums)
            lane = 0
            for other in range(1, BOX_LANES):
                lane = other if sums[other] < sums[lane] else lane
            node = first_child[inner] + lane
        homes[i] = node


@kernel
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
