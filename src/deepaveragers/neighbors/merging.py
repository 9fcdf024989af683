"""Rows that were added, and the lists of nearest rows that they belong into."""

from __future__ import annotations

import numpy as np

from ..arrays import Float32, Floats, Int32
from ..kernels.knn.tree import Located
from ..kernels.knn.tree_merge import Added, merge
from .projection import coordinates_of
from .tree import TreeIndex


class MergeTree(TreeIndex):
    """A tree whose rows are merged into lists that are there already."""

    def merge_into(
        self, indices: Int32, distances: Float32, points: Floats, source: Floats, actions: Int32
    ) -> None:
        """Put the rows, the last of `source`, into the lists [B, A, k] of the points, in place."""
        if self.size == 0:
            return
        first = len(source) - self.size
        added = Added(source, actions, np.unique(actions[first:]).astype(np.int64), first)
        width = self._tree.leaves.shape[1]
        coordinates, margins = coordinates_of(points, self._projection, width, tuning=self._tuning)
        located = Located(coordinates, margins + self._margin, np.empty(0, np.int64))
        merge(points, added, located, self._projection, self._tree, indices, distances)
