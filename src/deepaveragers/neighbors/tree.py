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

import numpy as np

from ..arrays import Float64, Floats, Int32, Int64
from ..kernels.knn.distances import NO_ROW
from ..kernels.knn.outliers import measure_outliers
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

    @property
    def size(self) -> int:
        """Number of rows indexed."""
        return self._size

    def query(self, points: Floats, k: int, *, threads: int = 1) -> tuple[Int32, Float64]:
        """Return rows [B, k] and distances [B, k]."""
        shape = len(points), k
        if self._size == 0:
            return np.full(shape, NO_NEIGHBOR, dtype=np.int32), np.full(shape, np.inf)
        wanted: Float64 = np.ascontiguousarray(points, dtype=np.float64)
        found, squared = np.empty(shape, np.int32), np.empty(shape)
        if len(points) <= self._tuning.small_batch and self._shortlists(k):
            located, order = self._nowhere(len(points)), np.arange(len(points))
            self._search(wanted, order, located, self._margin, squared, found)
        else:
            located, order = self._located(wanted, threads)

            def work(part: slice) -> None:
                self._search(wanted, order[part], located, LOCATED, squared, found)

            share(work, len(points), threads)
        if k > self._size:
            found[found == NO_ROW] = NO_NEIGHBOR
        return found, np.sqrt(squared, out=squared)

    def leaf_order(self, points: Floats, *, threads: int = 1) -> Int64:
        """Return the points' numbers such that nearby points follow one another."""
        if self._size == 0:
            return np.arange(len(points))
        return self._located(points, threads)[1]

    def _shortlists(self, k: int) -> bool:
        """Whether shortlists answer: the coordinates keep all of the distance, k is small."""
        return self._dimensions <= self._tree.leaves.shape[1] and k <= LONGEST

    def _search(
        self,
        points: Float64,
        order: Int64,
        located: Located,
        margin: float,
        squared: Float64,
        found: Int32,
    ) -> None:
        """Answer points[order] in place, by shortlists as far as they go."""
        projection, tree, left = self._projection, self._tree, order
        if self._shortlists(found.shape[1]):
            left = np.empty_like(order)
            about = located, projection, margin, tree
            left = left[: search_by_shortlist(points, order, *about, squared, found, left)]
        if len(left):
            search_by_measuring(points, left, located, projection.scale, tree, squared, found)
        if len(tree.far_norms):
            far = projection.mean, tree.far_norms, tree.groups
            measure_outliers(points, order, *far, squared, found)

    def _nowhere(self, points: int) -> Located:
        """Return room for where points are in the tree."""
        coordinates = np.zeros((points, self._tree.leaves.shape[1]), np.float32)
        return Located(coordinates, np.empty(points), np.empty(points, np.int64))

    def _located(self, points: Floats, threads: int) -> tuple[Located, Int64]:
        """Return where the points are in the tree, and their order by leaves."""
        located = self._nowhere(len(points))

        def work(part: slice) -> None:
            width = located.coordinates.shape[1]
            here = coordinates_of(points[part], self._projection, width, tuning=self._tuning)
            located.coordinates[part], located.margins[part] = here[0], here[1] + self._margin
            find_homes(here[0], self._tree, located.homes[part])

        share(work, len(points), threads)
        # NumPy sorts numbers of 16 bits by their digits, in one pass.
        few = len(self._tree.leaves) <= 2**16
        homes = located.homes.astype(np.uint16) if few else located.homes
        return located, np.argsort(homes, kind="stable")
