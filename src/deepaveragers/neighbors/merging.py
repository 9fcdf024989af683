"""Rows that were added, and the lists of nearest rows that they belong into."""

from __future__ import annotations

import numpy as np

from ..arrays import Float32, Floats, Int32
from ..kernels.tree_merge import merge
from .tree import TreeIndex


class MergeTree(TreeIndex):
    """A tree whose rows are merged into lists that are there already."""

    def merge_into(
        self,
        indices: Int32,
        distances: Float32,
        points: Floats,
        source: Floats,
        actions: Int32,
    ) -> None:
        """Put the rows, the last of `source`, into the lists [B, A, k] of the points, in place."""
        if self.size == 0:
            return
        first = len(source) - self.size
        coming = np.unique(actions[first:]).astype(np.int64)
        coordinates, margins = self._frame.coordinates(points, self._leaves.shape[1])
        margins += self._margin
        about = source, actions, coming, first, coordinates, margins
        frame = self._frame.mean, self._frame.scale
        merge(points, *about, *frame, *self._tree, indices, distances)
