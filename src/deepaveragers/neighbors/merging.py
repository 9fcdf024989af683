"""Rows that were added, and the lists of nearest rows that they belong into.

A tree of all added rows tells which points have one within the k-th distance of any list, and
trees of each action's rows which lists that concerns. Those few are ordered anew, by exact
distances of what they held and what was found: the same bits as a search over all rows.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Float32, Float64, Floats, Int32
from ..kernels.knn.distances import NO_ROW, Groups, rank_candidates
from ..kernels.precision import FLOAT32_EPSILON, SMALLEST_FLOAT32
from .graph import NO_NEIGHBOR
from .tree import TreeIndex
from .tuning import TUNING, Tuning


class AddedRows:
    """The last of all rows, to be merged into lists that are there already."""

    def __init__(
        self, first: int, source: Floats, actions: Int32, *, tuning: Tuning = TUNING
    ) -> None:
        numbers = np.arange(len(source) + 1, dtype=np.int32)
        self._groups = Groups(source, numbers, numbers[:-1])
        self._all, self._trees = TreeIndex(source[first:], tuning=tuning), []
        for action in np.unique(actions[first:]).tolist():
            members = first + np.flatnonzero(actions[first:] == action)
            self._trees.append((action, members, TreeIndex(source[members], tuning=tuning)))

    def merge_into(self, indices: Int32, distances: Float32, points: Floats) -> None:
        """Put the rows into the lists [B, A, k] of the points, in place."""
        if not self._trees:
            return
        coming = [action for action, _, _ in self._trees]
        limits = _limits(distances[:, coming, -1].max(axis=1))
        near = np.flatnonzero(
            self._all.query_squared(points, 1, limits=limits)[0][:, 0] != NO_NEIGHBOR
        )
        wanted: Float64 = np.array(points[near], np.float64, order="C")
        for action, members, tree in self._trees:
            limits = _limits(distances[near, action, -1])
            found, _ = tree.query_squared(wanted, indices.shape[2], limits=limits)
            concerned = found[:, 0] != NO_NEIGHBOR
            lists, found = near[concerned], found[concerned]
            added = np.where(found == NO_NEIGHBOR, NO_NEIGHBOR, members[found])
            candidates = np.concatenate([indices[lists, action], added], axis=1).astype(np.int64)
            squared, rows = np.full(found.shape, np.inf), np.full(found.shape, NO_ROW)
            rank_candidates(wanted[concerned], candidates, self._groups, squared, rows)
            indices[lists, action] = np.where(rows == NO_ROW, NO_NEIGHBOR, rows)
            distances[lists, action] = np.sqrt(squared)


def _limits(distances: Float32) -> Float64:
    """Return squares of distances [B] as they were before they were rounded to float32, or more."""
    return (distances.astype(np.float64) * (1.0 + FLOAT32_EPSILON) + SMALLEST_FLOAT32) ** 2
