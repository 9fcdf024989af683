"""The exact tree: what is fastest on data of low intrinsic dimension, in any dimension.

Points are halved along the widest principal direction down to leaves of sixteen; every node
keeps tight boxes around its children. A query goes down to the nearest boxes first and
leaves out what lies beyond its k-th neighbour so far. See `kernels.tree_build` for the
layout, `kernels.tree_search` for why no neighbour is lost, `principal` for the frame.

Large batches are visited in the order of the leaves that they fall into, so that one query
finds the cache warm from the last, in blocks that threads share. The answer is the same for
every order and number of threads.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Float32, Float64, Floats, Int32, Int64
from ..kernels.lanes import BOX_LANES, CHUNK, POINT_LANES
from ..kernels.tree_build import FAR, fill_boxes, fill_leaves, order_points
from ..kernels.tree_search import answer, locate, search
from ..parallel import share
from .duplicates import group_identical, groups_in_order
from .graph import NO_NEIGHBOR
from .outliers import from_within, outlying, put_last
from .principal import principal_frame

LEAF_DIMENSIONS = 128
BOX_DIMENSIONS = 8
WIDE = 64
WIDE_BOX_DIMENSIONS = 32
"""Boxes of data with more than `WIDE` dimensions."""
SMALL_BATCH = 16
"""Up to here, neither ordering the queries nor sharing them between threads pays."""


class TreeIndex:
    """Exact search in a tree of boxes over the leading principal directions."""

    def __init__(self, rows: Floats) -> None:
        rows = np.ascontiguousarray(rows)
        if rows.dtype != np.float32:
            rows = rows.astype(np.float64, copy=False)
        self._size, self._dimensions = rows.shape
        if self._size == 0:
            return
        members, starts = group_identical(rows)
        repeats = len(starts) <= self._size
        distinct = rows.take(members[starts[:-1]], axis=0) if repeats else rows
        cut = self._dimensions > LEAF_DIMENSIONS
        far = outlying(distinct)
        inner = np.delete(distinct, far, axis=0) if len(far) else distinct
        frame = principal_frame(inner, LEAF_DIMENSIONS - 1 if cut else self._dimensions)
        width = _padded(min(self._dimensions, LEAF_DIMENSIONS))
        wide = self._dimensions > WIDE
        box_width = min(width, WIDE_BOX_DIMENSIONS if wide else BOX_DIMENSIONS)
        coordinates, margins = frame.coordinates(inner, width)
        order = np.empty(len(inner), dtype=np.int32)
        order_points(coordinates, box_width, order)

        self._leaves = np.empty((-(-len(order) // POINT_LANES), width, POINT_LANES), np.float32)
        fill_leaves(coordinates, order, self._leaves)
        self._first_child = _first_children(len(self._leaves))
        nodes = len(self._first_child) - 1
        self._boxes = np.full((nodes, box_width, 2, BOX_LANES), FAR)
        fill_boxes(self._leaves, len(order), self._first_child, self._boxes)

        far, self._far_norms = from_within(distinct, far, frame.mean)
        order = put_last(far, order) if len(far) else order
        self._rows = distinct.take(order, axis=0)
        self._members, self._starts = (
            groups_in_order(members, starts, order) if repeats else (order, starts)
        )
        self._frame, self._margin = frame, float(margins.max())
        self._frame_and_margin = frame.mean, frame.rotation, frame.scale, self._margin
        self._tree = (
            self._first_child,
            self._boxes,
            self._leaves,
            self._rows,
            self._starts,
            self._members,
            self._far_norms,
        )

    @property
    def size(self) -> int:
        """Number of rows indexed."""
        return self._size

    def query(self, points: Floats, k: int, *, threads: int = 1) -> tuple[Int32, Float64]:
        """Return rows [B, k] and distances [B, k]."""
        wanted: Float64 = np.ascontiguousarray(points, dtype=np.float64)
        if self._size == 0:
            return _nothing(len(points), k)
        if len(points) <= SMALL_BATCH:
            few = np.empty((len(points), k), np.int32), np.empty((len(points), k))
            answer(wanted, *self._frame_and_margin, *self._tree, few[1], few[0])
            return few
        queries, *about = self._prepared(wanted, threads)
        found, distances = np.empty((len(points), k), np.int32), np.empty((len(points), k))

        def work(part: slice) -> None:
            frame = self._frame.mean, self._frame.scale
            search(wanted, queries[part], *about, *frame, *self._tree, distances, found)

        share(work, len(points), threads)
        return found, distances

    def leaf_order(self, points: Floats, *, threads: int = 1) -> Int64:
        """Return the points' numbers such that nearby points follow one another."""
        if self._size == 0:
            return np.arange(len(points))
        return self._prepared(points, threads)[0]

    def _prepared(self, points: Floats, threads: int) -> tuple[Int64, Int64, Float32, Float64]:
        """Return the points in the order of their leaves, the leaves, coordinates, margins."""
        leaf = np.empty(len(points), dtype=np.int64)
        coordinates = np.empty((len(points), self._leaves.shape[1]), dtype=np.float32)
        margins = np.empty(len(points))

        def work(part: slice) -> None:
            here, moved = self._frame.coordinates(points[part], coordinates.shape[1])
            coordinates[part], margins[part] = here, moved + self._margin
            locate(here, self._first_child, self._boxes, len(self._leaves), leaf[part])

        share(work, len(points), threads)
        # NumPy sorts numbers of 16 bits by their digits, in one pass.
        few = len(self._leaves) <= 2**16
        order = np.argsort(leaf.astype(np.uint16) if few else leaf, kind="stable")
        return order, leaf, coordinates, margins


def _nothing(points: int, k: int) -> tuple[Int32, Float64]:
    return np.full((points, k), NO_NEIGHBOR, dtype=np.int32), np.full((points, k), np.inf)


def _padded(dimensions: int) -> int:
    return -(-dimensions // CHUNK) * CHUNK


def _first_children(leaves: int) -> Int64:
    """First child of every node, leaves and nodes numbered through, and the root's number."""
    first: list[Int64] = []
    begin, count = 0, leaves
    while count > 1 or not first:
        first.append(np.arange(begin, begin + count, BOX_LANES))
        begin, count = begin + count, -(-count // BOX_LANES)
    return np.append(np.concatenate(first), begin)
