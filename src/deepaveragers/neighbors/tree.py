"""The exact tree: what is fastest on data of low intrinsic dimension, in any dimension.

Points are halved along the widest principal direction down to leaves of sixteen; every node
keeps tight boxes around its children. A query goes down to the nearest boxes first and
leaves out what lies beyond its k-th neighbour so far. See `kernels.knn.tree` for the layout,
`kernels.knn.tree_search` for why no neighbour is lost, `projection` for the coordinates.

Large batches are visited in the order of the leaves that they fall into, so that one query
finds the cache warm from the last, in blocks that threads share. The answer is the same for
every order and number of threads.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import Float64, Floats, Int32, Int64
from ..kernels.jit import plain
from ..kernels.knn.distances import NO_ROW
from ..kernels.knn.outliers import measure_outliers
from ..kernels.knn.projection import Projection
from ..kernels.knn.tree import Located, Tree, find_homes
from ..kernels.knn.tree_search import search_by_measuring
from ..kernels.knn.tree_shortlist import LOCATED, LONGEST, search_by_shortlist
from ..parallel import share
from .duplicates import group_identical, ordered_groups
from .graph import NO_NEIGHBOR
from .outliers import by_norm, outlying, put_last
from .projection import coordinates_of, fit_projection
from .tree_layout import make_boxes, make_leaves, padded, tree_order
from .tuning import TUNING, Tuning

NOWHERE = np.empty((0, 0), np.float32), np.empty(0), np.empty(0, np.int64)
"""Stands for the places of points that have not been located."""
UNLIMITED: Float64 = np.empty(0)
"""Stands for the limits of points that have none."""


class TreeParts(NamedTuple):
    """What an index consists of.

    Attributes:
        projection: to the coordinates in which the tree filters.
        margin: how far rounding may have moved those of a row.
        tree: the rows in boxes.
    """

    projection: Projection
    margin: float
    tree: Tree


class TreeIndex:
    """Exact search in a tree of boxes over the leading principal directions."""

    def __init__(self, rows: Floats, *, tuning: Tuning = TUNING) -> None:
        rows = np.ascontiguousarray(rows)
        if rows.dtype != np.float32:
            rows = rows.astype(np.float64, copy=False)
        self._tuning = tuning
        self._size, self._dimensions = rows.shape
        if self._size == 0:
            return
        members, starts = group_identical(rows)
        repeats = len(starts) <= self._size
        distinct = rows.take(members[starts[:-1]], axis=0) if repeats else rows
        far = outlying(distinct, tuning=tuning)
        inner = np.delete(distinct, far, axis=0) if len(far) else distinct
        cut, wide = self._dimensions > tuning.leaf_dimensions, self._dimensions > tuning.wide
        directions = tuning.leaf_dimensions - 1 if cut else self._dimensions
        self._projection = fit_projection(inner, directions, tuning=tuning)
        width = padded(min(self._dimensions, tuning.leaf_dimensions))
        box_width = min(width, tuning.wide_box_dimensions if wide else tuning.box_dimensions)
        coordinates, margins = coordinates_of(inner, self._projection, width, tuning=tuning)
        self._margin = float(margins.max())

        order = tree_order(coordinates, box_width)
        ordered = coordinates.take(order, axis=0)
        far, far_norms = by_norm(distinct, far, self._projection.mean)
        groups = ordered_groups(distinct, members, starts, put_last(far, order))
        boxes = make_boxes(ordered[:, :box_width])
        self._tree = Tree(*boxes, make_leaves(ordered), groups, far_norms)
        self._plain = plain(self._projection), plain(self._tree)

    @classmethod
    def of_parts(cls, parts: TreeParts, *, tuning: Tuning = TUNING) -> TreeIndex:
        """Return the index whose parts were kept; nothing is built."""
        index = cls.__new__(cls)
        index._projection, index._margin, index._tree = parts
        index._tuning = tuning
        index._size = len(parts.tree.groups.members)
        index._dimensions = parts.tree.groups.rows.shape[1]
        index._plain = plain(parts.projection), plain(parts.tree)
        return index

    @property
    def parts(self) -> TreeParts:
        """What was built, of rows that are not none."""
        return TreeParts(self._projection, self._margin, self._tree)

    @property
    def size(self) -> int:
        """Number of rows indexed."""
        return self._size

    @property
    def dimensions(self) -> int:
        """Numbers of a row."""
        return self._dimensions

    def query(self, points: Floats, k: int, *, threads: int = 1) -> tuple[Int32, Float64]:
        """Return rows [B, k] and distances [B, k]."""
        found, squared = self.query_squared(points, k, threads=threads)
        return found, np.sqrt(squared, out=squared)

    def query_squared(
        self, points: Floats, k: int, *, limits: Float64 = UNLIMITED, threads: int = 1
    ) -> tuple[Int32, Float64]:
        """Return rows [B, k] and squared distances [B, k], by which rows are ordered.

        Args:
            points: [B, D].
            k: neighbours.
            limits: [B] squared distances beyond which rows are of no interest; [0]: all are.
            threads: that share the work.
        """
        shape = len(points), k
        if self._size == 0:
            return np.full(shape, NO_NEIGHBOR, dtype=np.int32), np.full(shape, np.inf)
        wanted: Float64 = np.ascontiguousarray(points, dtype=np.float64)
        if not wanted.flags.writeable:
            wanted = wanted.copy()  # kernels are compiled once, for arrays that can be written
        found, squared = np.empty(shape, np.int32), np.empty(shape)
        if len(limits) or len(points) > self._tuning.small_batch or not self._shortlists(k):
            self._search(wanted, squared, found, threads, limits)
        else:
            self._search_few(wanted, squared, found)
        if len(limits) or k > self._size:
            missing = found == NO_ROW
            found[missing], squared[missing] = NO_NEIGHBOR, np.inf
        return found, squared

    def leaf_order(self, points: Floats, *, threads: int = 1) -> Int64:
        """Return the points' numbers such that nearby points follow one another."""
        if self._size == 0:
            return np.arange(len(points))
        return self._located(points, threads)[1]

    def _shortlists(self, k: int) -> bool:
        """Whether shortlists answer: the coordinates keep all of the distance, k is small."""
        return self._dimensions <= self._tree.leaves.shape[1] and k <= LONGEST

    def _search_few(self, points: Float64, squared: Float64, found: Int32) -> None:
        """Answer a few points in place, in one call."""
        left = np.empty(len(points), np.int64)
        projection, tree = self._plain
        about = left, NOWHERE, projection, self._margin, tree
        if search_by_shortlist(points, *about, squared, found, left):
            self._search(points, squared, found, 1)
        elif len(self._tree.far_norms):
            self._search_outliers(points, np.arange(len(points)), squared, found)

    def _search(
        self,
        points: Float64,
        squared: Float64,
        found: Int32,
        threads: int,
        limits: Float64 = UNLIMITED,
    ) -> None:
        """Answer points in place, in the order of their leaves, by shortlists as far as they go."""
        located, order = self._located(points, threads, with_homes=not len(limits))
        projection, tree = self._plain
        place, scale = plain(located), self._projection.scale

        def work(part: slice) -> None:
            left = order[part]
            if self._shortlists(found.shape[1]) and not len(limits):
                about, left = (left, place, projection, LOCATED, tree), np.empty_like(left)
                left = left[: search_by_shortlist(points, *about, squared, found, left)]
            if len(left):
                search_by_measuring(points, left, place, scale, tree, limits, squared, found)
            if len(self._tree.far_norms):
                self._search_outliers(points, order[part], squared, found)

        share(work, len(points), threads)

    def _search_outliers(
        self, points: Float64, order: Int64, squared: Float64, found: Int32
    ) -> None:
        """Improve the answers by the rows far out."""
        far = self._projection.mean, self._tree.far_norms, plain(self._tree.groups)
        measure_outliers(points, order, *far, squared, found)

    def _located(
        self, points: Floats, threads: int, *, with_homes: bool = True
    ) -> tuple[Located, Int64]:
        """Return where the points are in the tree, and their order by leaves, or any."""
        shape = len(points), self._tree.leaves.shape[1]
        homes = np.empty(len(points) if with_homes else 0, np.int64)
        located = Located(np.empty(shape, np.float32), np.empty(len(points)), homes)

        def work(part: slice) -> None:
            here = coordinates_of(points[part], self._projection, shape[1], tuning=self._tuning)
            located.coordinates[part], located.margins[part] = here[0], here[1] + self._margin
            if with_homes:
                find_homes(here[0], self._plain[1], homes[part])

        share(work, len(points), threads)
        if not with_homes:
            return located, np.arange(len(points))
        # NumPy sorts numbers of 16 bits by their digits, in one pass.
        few = len(self._tree.leaves) <= 2**16
        return located, np.argsort(homes.astype(np.uint16) if few else homes, kind="stable")
